"""Compiles a query into flat arrays: the part of the graph that can matter, its pairs, and folded weights.

Cost grows with the neighbourhood of the node in question, never with the whole graph.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..clock import UNLIMITED, Clock
from ..errors import TooLargeError
from ..model.activation import FIRST_CODE
from ..model.arrays import FloatArray, IntArray
from ..model.graph import Graph
from ..model.memo import Latest, NetworkMemo
from ..model.network import Aggregation
from ..model.query import Query
from .first_layer import first_products
from .layout import DENSE, GRAPH, MAX, MAYBE_DELETED, MAYBE_INSERTED, POOL, PRESENT, Compiled, Problem
from .receptive_field import Surroundings, count_rings, find_surroundings
from .stages import Stage, compile_stages

# how many chains of one network are kept: a few megabytes each where layers are wide
CHAINS = 16
ALONE = 1.0  # stands for 1 / sqrt(0) under sym
PAIR_LIMIT = 2_000_000
# feature columns up to which it does not pay to leave out those that a vertex's neighbours do not have
SHORT_ROW = 32


class _Chain(NamedTuple):
    """What of a problem depends on the network and the claim's classes only."""

    stages: list[Stage]
    folded: bool
    arrays: dict[str, Any]


_chains: NetworkMemo[dict[Any, _Chain]] = NetworkMemo(lambda _: {})


def _compile_chain(query: Query, fold: bool, reorder: bool) -> _Chain:
    """Queries of a sweep ask about a few classes over and over."""
    kept, key = _chains(query.network), (query.claim.label, query.rivals, fold, reorder)
    if key not in kept:
        stages, folded = compile_stages(query, fold=fold, reorder=reorder)
        if len(kept) >= CHAINS:
            kept.clear()
        kept[key] = _Chain(stages, folded, _lay_stages(query.network.num_features, stages))
    return kept[key]


_latest: Latest[tuple[Problem, Surroundings]] = Latest()


def compile_problem(
    query: Query, options: Mapping[str, bool], budget: int | None, clock: Clock = UNLIMITED
) -> Compiled:
    """`budget` bounds how many insertions can lie on one path, and so which vertices can matter.

    Raises `TimeUpError` in the middle where the time of `clock` is up.
    """
    looking = [layer.aggregation for layer in query.network.layers if not layer.is_dense]
    threat, claim = query.threat, query.claim
    may_insert = bool(threat.insert) or threat.fragile is not None
    most = count_rings(looking) if claim.node is not None and may_insert else 1
    reach = most if budget is None else min(budget, most)
    chosen = tuple(options[name] for name in ("fold", "reorder", "reach"))
    key = claim, threat.delete, threat.insert, threat.fragile, threat.protected, reach, chosen
    # people ask about one node with one budget after the other
    problem, around = _latest(query.network, query.graph, key, lambda: _compile(query, looking, options, budget, clock))
    problem = problem._replace(local=_local_budgets(query, around.vertices))
    return Compiled(problem, query, around.vertices, around.pairs, query.rivals)


def _compile(
    query: Query, looking: list[Aggregation], options: Mapping[str, bool], budget: int | None, clock: Clock
) -> tuple[Problem, Surroundings]:
    """All but local budgets.

    Theory: "Rounding of interval bounds".
    """
    stages, folded, chain = _compile_chain(query, options["fold"], options["reorder"])
    clock.look()
    around = find_surroundings(query, looking, budget, PAIR_LIMIT)
    first, n, D, rivals = stages[0], around.vertices.size, chain["D"], query.rivals
    clock.look()
    slots = _lay_slots(query.graph, around)
    active = _active(stages, around.distance, whole=query.claim.node is None or not options["reach"])
    clock.look()
    products = first_products(query, first, around.vertices, int(active[0]), D)
    clock.look()
    rows = _raw_rows(query.graph, first, around, slots)
    problem = Problem(
        n=n,
        rivals=len(rivals),
        folded=int(folded),
        active=active,
        roundings=2 * query.network.num_features
        + 4 * D
        + 4 * slots["most_slots"]
        + n
        + 64
        + 32 * query.network.normalises,
        **chain,
        **products,
        **rows,
        **slots,
        order=np.lexsort((around.pairs[:, 1], around.pairs[:, 0])).astype(np.int64),
        depth=len(looking),
        rings=count_rings(looking),
        normalises=int(query.network.normalises),
        counts_itself=int(not query.network.needs_simple_graph),
        degree=around.degree,
        root=_inverse_roots(
            int(around.degree.max()) + slots["most_slots"] if query.network.normalises else 1,
            without_itself=query.network.needs_simple_graph,
        ),
        node_task=int(query.claim.node is not None),
        local=np.zeros(0, dtype=np.int64),
        charge_u=int(not query.graph.directed),
        label_at=query.claim.label,
        rival_at=np.array(rivals, dtype=np.int64),
    )
    return problem, around


def _inverse_roots(most: int, without_itself: bool) -> FloatArray:
    """Of every in-degree up to this one, with one self-loop; under sym, of the degree without it.

    Theory: "Normalised sums without the vertex itself".
    """
    root = np.zeros(most + 2)
    degrees = np.arange(1.0, root.size)
    if not without_itself:
        root[1:] = 1.0 / np.sqrt(degrees)
        return root
    root[2:] = 1.0 / np.sqrt(degrees[:-1])
    root[1] = ALONE  # of a vertex that hears nobody and, undirected, is heard by nobody
    return root


def _per_stage(stages: list[Stage], field: str, dtype: type) -> np.ndarray:
    return np.array([0, *(getattr(stage, field) for stage in stages)], dtype=dtype)


def _active(stages: list[Stage], distance: IntArray, whole: bool) -> IntArray:
    """Vertices are numbered by distance, so those that still reach the node after stage t come first. The readout
    and what follows it stand at vertex 0.
    """
    n = distance.size
    out = np.zeros(len(stages) + 1, dtype=np.int64)
    reach = 0
    for t in range(len(stages), -1, -1):
        out[t] = n if whole else np.searchsorted(distance, reach, side="right")
        if t > 0 and stages[t - 1].kind == GRAPH:
            reach += 1
    for t, stage in enumerate(stages, 1):
        if stage.kind == POOL:
            out[t:] = 1
    return out


def _lay_stages(num_features: int, stages: list[Stage]) -> dict[str, Any]:
    """What of a problem depends on the stages only; weights padded to one width."""
    T, D = len(stages), max(1, *(stage.b.size for stage in stages))
    CT, AT, CT_abs, AT_abs = (np.zeros((T + 1, D, D)) for _ in range(4))
    bias, bias_abs, slope = np.zeros((T + 1, D)), np.zeros((T + 1, D)), np.ones((T + 1, D))
    for t, stage in enumerate(stages, 1):
        slope[t, : stage.b.size] = stage.slope
        bias[t, : stage.b.size] = stage.b
        bias_abs[t, : stage.b.size] = stage.b_abs
        if t > 1:
            rows, columns = stage.C.shape[1], stage.C.shape[0]
            for out, weight in ((CT, stage.C), (AT, stage.A), (CT_abs, stage.C_abs), (AT_abs, stage.A_abs)):
                out[t, :rows, :columns] = weight.T
    both = np.zeros((T + 1, D, 2 * D))
    for t, stage in enumerate(stages[1:], 2):
        columns = stage.b.size
        both[t, :, :columns] = CT[t, :, :columns]
        both[t, :, columns : 2 * columns] = AT[t, :, :columns]
    C, A = (weight.transpose(0, 2, 1).copy() for weight in (CT, AT))
    first = stages[0]
    looks_at_features = first.kind != DENSE and not first.sends_products
    return {
        "T": T,
        "D": D,
        "kind": _per_stage(stages, "kind", np.int64),
        "how": _per_stage(stages, "how", np.int64),
        "sends_products": _per_stage(stages, "sends_products", np.int64),
        "bends": np.array([0, *((stage.slope != 1.0).any() for stage in stages)], dtype=np.int64),
        "leaks": np.array([0, *((stage.slope != 0.0).any() for stage in stages)], dtype=np.int64),
        "curves": np.array([0, *((stage.slope >= FIRST_CODE).any() for stage in stages)], dtype=np.int64),
        "width": np.array([num_features, *(stage.b.size for stage in stages)], dtype=np.int64),
        "both": both,
        "C": C,
        "A": A,
        "AT": AT,
        "CT_abs": CT_abs,
        "AT_abs": AT_abs,
        "bias": bias,
        "bias_abs": bias_abs,
        "slope": slope,
        "A1T": first.A.T.copy() if looks_at_features else np.zeros((1, 1)),
        "A1T_abs": first.A_abs.T.copy() if looks_at_features else np.zeros((1, 1)),
    }


def _lay_slots(graph: Graph, around: Surroundings) -> dict[str, Any]:
    """Slots: the fixed in-edges of a vertex, and one (undirected: two) for every fragile pair."""
    n = around.vertices.size
    pairs = around.ends
    u, v = pairs[:, 0], pairs[:, 1]
    number = np.arange(len(pairs))
    two_ended = np.zeros(len(pairs), dtype=np.bool_) if graph.directed else u != v
    source = np.concatenate([around.fixed[0], u, v[two_ended]])
    target = np.concatenate([around.fixed[1], v, u[two_ended]])
    pair = np.concatenate([np.full(around.fixed.shape[1], -1), number, number[two_ended]])
    start = np.full(source.size, PRESENT, dtype=np.int8)
    fragile = pair >= 0
    start[fragile] = np.where(around.present[pair[fragile]], MAYBE_DELETED, MAYBE_INSERTED)
    # those that are there first: an evaluation need not look at the many that are not
    order = np.lexsort((source, start == MAYBE_INSERTED, target))
    source, target, pair, start = source[order], target[order], pair[order], start[order]
    pair_slot = np.full((len(pairs), 2), -1, dtype=np.int64)
    at = np.flatnonzero(pair >= 0)
    forward = target[at] == v[pair[at]]
    pair_slot[pair[at][forward], 0] = at[forward]
    pair_slot[pair[at][~forward], 1] = at[~forward]
    by_source = np.lexsort((target, start == MAYBE_INSERTED, source))
    slot_ptr = np.searchsorted(target, np.arange(n + 1)).astype(np.int64)
    return {
        "slot_ptr": slot_ptr,
        "most_slots": int((slot_ptr[1:] - slot_ptr[:-1]).max(initial=0)),
        "slot_split": _first_absent(target, start, n),
        "slot_source": source.astype(np.int64),
        "slot_pair": pair.astype(np.int64),
        "slot_start": start,
        "out_ptr": np.searchsorted(source[by_source], np.arange(n + 1)).astype(np.int64),
        "out_split": _first_absent(source[by_source], start[by_source], n),
        "out_slot": by_source.astype(np.int64),
        "out_target": target[by_source].astype(np.int64),
        "pair_u": u.copy(),
        "pair_v": v.copy(),
        "pair_slot": pair_slot,
        "pair_present": around.present.astype(np.int8),
    }


def _first_absent(vertex: IntArray, start: NDArray[np.int8], n: int) -> IntArray:
    """Where, among slots sorted by vertex and by presence, those of a vertex begin that are absent in G."""
    return np.searchsorted(2 * vertex + (start == MAYBE_INSERTED), 2 * np.arange(n) + 1).astype(np.int64)


def _raw_rows(graph: Graph, first: Stage, around: Surroundings, slots: dict[str, Any]) -> dict[str, Any]:
    """Feature rows for a first stage that aggregates features as they are.

    Bag-of-words rows are long and nearly empty, so a vertex keeps only the columns that occur among its possible
    neighbours. Where that takes more room than one dense row a vertex, or rows are short, all share the dense rows.
    """
    n = around.vertices.size
    empty = np.zeros(0, dtype=np.int64)
    ptr, source = slots["slot_ptr"], slots["slot_source"]
    if first.sends_products or first.kind == DENSE or source.size == 0:
        return {
            "raw": np.zeros(0), "raw_at": empty, "raw_columns": empty,
            "raw_columns_ptr": np.zeros((n, 2), dtype=np.int64), "most_columns": 0, "raw_value": np.zeros(0),
            "uniform": 0, "carried_at": empty,
        }  # fmt: skip
    senders, used = np.unique(source), []
    dense = graph.features.dense(around.vertices[senders])
    occurring = np.flatnonzero(dense.any(axis=0))
    dense = dense[:, occurring]
    row_of = np.zeros(n, dtype=np.int64)
    row_of[senders] = np.arange(senders.size)
    short = dense.shape[1] <= SHORT_ROW
    if not short:
        used = [np.flatnonzero(dense[row_of[source[ptr[v] : ptr[v + 1]]]].any(axis=0)) for v in range(n)]
    if not short and sum(used[v].size * (ptr[v + 1] - ptr[v]) for v in range(n)) <= max(dense.size, 1 << 22):
        blocks = [dense[row_of[source[ptr[v] : ptr[v + 1]]]][:, used[v]] for v in range(n)]
        raw = np.concatenate([block.ravel() for block in blocks])
        lengths = np.concatenate([np.full(len(block), block.shape[1]) for block in blocks])
        raw_at = np.concatenate([[0], np.cumsum(lengths)[:-1]])
        columns = np.concatenate(used)
        ends = np.cumsum([one.size for one in used])
        spans = np.stack([np.concatenate([[0], ends[:-1]]), ends], axis=1)
    else:
        raw, raw_at = dense.ravel(), row_of[source] * dense.shape[1]
        columns = np.arange(dense.shape[1])
        spans = np.array([[0, dense.shape[1]]] * n)
    peak = dense.max(axis=0)
    uniform = bool((dense >= 0).all() and ((dense == 0) | (dense == peak)).all())
    return {
        "raw": raw, "raw_at": raw_at.astype(np.int64), "raw_columns": occurring[columns],
        "raw_columns_ptr": spans.astype(np.int64), "most_columns": int((spans[:, 1] - spans[:, 0]).max(initial=0)),
        "raw_value": peak[columns],
        "uniform": int(uniform and first.how == MAX), "carried_at": np.arange(source.size) * first.b.size,
    }  # fmt: skip


def _local_budgets(query: Query, vertices: IntArray) -> IntArray:
    local = query.threat.local_budget
    if local is None:
        return np.full(vertices.size, np.iinfo(np.int64).max // 2)
    if isinstance(local, int):
        return np.full(vertices.size, local, dtype=np.int64)
    return local[vertices].copy()


__all__ = ["MAX", "Compiled", "Problem", "TooLargeError", "compile_problem"]

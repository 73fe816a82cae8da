"""Boxes and lines of the checker against every graph below random nodes."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from edgeproof import Graph, Layer, Network, RejectedError, Threat, check
from edgeproof.engines.brute import Evaluator, _rational
from edgeproof.model.query import Query, make_query
from edgeproof.proof.bounds import Bounds
from edgeproof.proof.boxes import Carried, activate
from edgeproof.proof.enclose import Enclosure
from edgeproof.proof.evaluate import evaluate_graphs, objectives
from edgeproof.proof.format import BOX, LINE
from edgeproof.proof.setting import Batch, Setting, root_batch
from edgeproof.proof.write import write_proof
from random_queries import CROWDED, RATIONAL, draw

STYLES = ("integers", "signs", "dyadic", "gaussian", "gaussian")
GRIDS = {
    "any": replace(RATIONAL, most_graphs=300, styles=STYLES),
    "crowded": replace(CROWDED, most_graphs=1000, styles=STYLES),
}
CHUNK = 25


def random_node(setting: Setting, rng: np.random.Generator) -> Batch:
    """Some pairs decided, flips among them as far as the budgets go."""
    region = setting.region
    decided, left = np.zeros((1, region.F), dtype=np.int8), region.limit
    spare = None if region.local is None else region.local.copy()
    for pair in rng.permutation(region.F)[: rng.integers(region.F + 1)].tolist():
        u, v = region.ends[pair].tolist()
        payers = {u, v} if region.both_pay else {v}
        free = left > 0 and (spare is None or all(spare[w] > 0 for w in payers))
        flip = free and rng.random() < 0.4
        decided[0, pair] = 2 if flip else 1
        left -= flip
        if flip and spare is not None:
            for w in payers:
                spare[w] -= 1
    return Batch(setting, decided, np.array([left]), None if spare is None else spare[None])


def line_bounds(bounds: Bounds) -> np.ndarray:
    """Of all rivals, at the only node."""
    rivals = np.arange(len(bounds.setting.query.rivals))
    return bounds.bounds_by_lines(np.zeros_like(rivals), rivals)


def graphs_below(setting: Setting, batch: Batch) -> tuple[np.ndarray, list[tuple[int, ...]]]:
    """(graphs, slots) and the flips of each, from the input graph."""
    region = setting.region
    movable, base = np.flatnonzero(batch.movable[0]).tolist(), np.flatnonzero(batch.decided[0] == 2).tolist()
    rows, flips = [], []
    for count in range(min(int(batch.left[0]), len(movable)) + 1):
        for chosen in combinations(movable, count):
            spent = np.zeros(region.n, dtype=np.int64)
            for pair in chosen:
                np.add.at(spent, list(set(region.ends[pair].tolist()) if region.both_pay else region.ends[pair, 1:]), 1)
            if batch.spare is None or (spent <= batch.spare[0]).all():
                there = np.append(region.present.copy(), True)
                there[[*base, *chosen]] ^= True
                rows.append(there[region.pair])
                flips.append((*base, *chosen))
    return np.array(rows).reshape(len(rows), region.source.size), flips


ROUGH = replace(RATIONAL, most_graphs=60, styles=("wild", "cancelling"), calibrations=("tie", "last bit", "between"))


@pytest.mark.parametrize("chunk", range(3))
def test_bounds_hold_to_the_last_bit(chunk: int) -> None:
    """Numbers that floats get wrong, against the rationals: not one unit in the last place is forgiven."""
    for index in range(CHUNK * chunk, CHUNK * (chunk + 1)):
        compare_exactly(index)


def compare_exactly(index: int) -> None:
    query = draw(23, index, ROUGH)
    setting = Setting(query)
    enclosure = Enclosure(setting)
    if not enclosure.finite:
        return
    batch = random_node(setting, np.random.default_rng((24, index)))
    there, flips = graphs_below(setting, batch)
    evaluator = Evaluator(query)
    found = objectives(setting, evaluate_graphs(setting, there))
    endless = [(1, setting.active[t], setting.stage(t).width) for t in range(1, setting.T + 1)]
    inherited = [(np.full(shape, -np.inf), np.full(shape, np.inf)) for shape in endless]
    bounds = []
    for tighten in (False, True):
        held = Bounds(enclosure, batch, inherited)
        held.propagate(tighten)
        bounds.append(line_bounds(held))
    for row, numbers in enumerate(flips):
        pairs = tuple((int(u), int(v)) for u, v in setting.region.pairs[list(numbers)])
        scores = evaluator.scores(pairs)
        for r, rival in enumerate(query.rivals):
            truth = scores[rival] - scores[query.claim.label]
            for bound in bounds:
                assert truth <= _rational(bound[r]), f"index {index}: {pairs}"
            off = truth - _rational(found[row, r])
            assert abs(off) <= _rational(enclosure.error[r]), f"index {index}: {pairs}"


@pytest.mark.parametrize("chunk", range(6))
@pytest.mark.parametrize("kind", GRIDS)
def test_bounds_hold_in_every_graph_below_a_node(kind: str, chunk: int) -> None:
    for index in range(CHUNK * chunk, CHUNK * (chunk + 1)):
        try:
            compare(draw(21, index, GRIDS[kind]), np.random.default_rng((22, index)))
        except Exception as problem:
            problem.add_note(f"index {index}")
            raise


def test_crowded_queries_have_crowds_to_tell_apart() -> None:
    counts = [crowds_at_the_root(draw(21, index, GRIDS["crowded"])) for index in range(6 * CHUNK)]
    assert sum(count > 1 for count in counts) > len(counts) / 4


def crowds_at_the_root(query: Query) -> int:
    """The largest number of crowds at one vertex."""
    setting = Setting(query)
    if not setting.takes_raw:
        return 0
    root, ptr = root_batch(setting), setting.region.ptr
    held = [
        Carried(raw, root.status[:, ptr[v] : ptr[v + 1]], root.cap[:, v])
        for v, raw in setting.raw.items()
        if raw.uniform
    ]
    return max((one.worth.shape[1] for one in held), default=0)


def compare(query: Query, rng: np.random.Generator) -> None:
    setting = Setting(query)
    enclosure = Enclosure(setting)
    assert enclosure.finite
    batch = random_node(setting, rng)
    there, flips = graphs_below(setting, batch)
    values = evaluate_graphs(setting, there)
    truth = objectives(setting, values)
    endless = [(np.full((1, setting.active[t], setting.stage(t).width), -np.inf),) * 2 for t in range(1, setting.T + 1)]
    inherited = [(low, -high) for low, high in endless]
    for tighten in (False, True):
        bounds = Bounds(enclosure, batch, inherited)
        bounds.propagate(tighten)
        for t in range(1, setting.T + 1):
            low, high = (activate(end[0], setting.stage(t).slope) for end in bounds.boxes[t])
            room = 1e-9 * np.maximum(1.0, abs(values[t]))  # of the evaluation in this test
            assert (values[t] >= low - room).all(), (t, tighten)
            assert (values[t] <= high + room).all(), (t, tighten)
        line = line_bounds(bounds)
        assert (truth <= line + 1e-9 * np.maximum(1.0, abs(truth))).all(), tighten
        out = sorted(bounds.shown_by_boxes()[0].excluded)
        assert (truth[:, out] <= 1e-9).all()
    row = int(rng.integers(len(flips)))
    pairs = tuple((int(u), int(v)) for u, v in setting.region.pairs[list(flips[row])])
    scores = Evaluator(query).scores(pairs)
    exact = [float(scores[rival] - scores[query.claim.label]) for rival in query.rivals]
    assert (abs(truth[row] - exact) <= enclosure.error).all()


@pytest.mark.parametrize("first", ["slope", "feature"])
def test_what_underflows_inside_is_no_proof(first: str) -> None:
    """A slope, or half of a feature, makes a number that is no float, and the next product counts what was lost."""
    smallest, lift = 2.0**-1074, 1e30
    graph = Graph([[1], [0]], [[0.0], [2 * smallest], [3 * smallest]], directed=True)
    layers = [Layer([[0.0], [0.0]], [[0.0], [lift]], [0.0, -2.4 * (smallest * lift)], "max", "none")]
    if first == "slope":
        graph = Graph(np.zeros((2, 0), dtype=int), [[0.0], [-2.4], [-2.4]], directed=True)
        layers = [
            Layer([[1.0]], [[0.0]], [0.0], activation="leaky_relu", slope=smallest),
            Layer([[0.0], [0.0]], [[0.0], [-lift]], [0.0, -2.2 * (smallest * lift)], "sum", "none"),
        ]
    query = make_query(Network(layers), graph, Threat(1, delete=False, insert=True), 0, 0, None)
    scores = Evaluator(query).scores(((2, 0),))
    assert scores[1] > scores[0]
    for kind in (BOX, LINE):
        forged = write_proof(query, np.array([kind]), np.zeros((0, 2), dtype=np.int64))
        with pytest.raises(RejectedError, match=r"does not exclude class 1|the claim is false"):
            check(forged, query.network, query.graph)

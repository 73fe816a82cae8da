"""Make a failing query small, and print it as a program that stands on its own."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from edgeproof import EdgeproofError, Graph, Layer, Network, Readout, Threat
from edgeproof.model.network import Activation
from edgeproof.model.query import Query, make_query

Matrix = tuple[np.ndarray, ...]
Slope = float | list[float]


@dataclass(frozen=True)
class Parts:
    """A query taken apart, so that single pieces can be left out. weights: (C, A, b) a layer; readout: (C, b); head:
    (C, b) a layer, with activation and slope in `bends`.
    """

    weights: tuple[Matrix, ...]
    kinds: tuple[tuple[str, str, Slope], ...]
    readout: Matrix | None
    pool: str
    head: tuple[Matrix, ...]
    bends: tuple[tuple[str, Slope], ...]
    features: np.ndarray
    edges: frozenset[tuple[int, int]]
    directed: bool
    threat: Mapping[str, Any]
    node: int | None
    label: int
    target: int | None

    @classmethod
    def of(cls, query: Query) -> Parts:
        net, graph, threat, claim = query.network, query.graph, query.threat, query.claim
        local = threat.local_budget
        return cls(
            tuple((one.C, one.A, one.b) for one in net.layers),
            tuple((one.aggregation.value, _named(one.activation), _plain(one.slope)) for one in net.layers),
            None if net.readout is None else (net.readout.C, net.readout.b),
            "sum" if net.readout is None else net.readout.pool.value,
            tuple((one.C, one.b) for one in net.head),
            tuple((_named(one.activation), _plain(one.slope)) for one in net.head),
            graph.features.dense(),
            frozenset(zip(graph.sources.tolist(), graph.targets.tolist(), strict=True)),
            graph.directed,
            {
                "budget": threat.budget,
                "local_budget": local.tolist() if isinstance(local, np.ndarray) else local,
                "delete": threat.delete,
                "insert": threat.insert,
                "fragile": None if threat.fragile is None else sorted(threat.fragile),
                "protected": sorted(threat.protected),
            },
            claim.node,
            claim.label,
            claim.target,
        )

    def query(self) -> Query:
        layers = [Layer(*weights, *kind) for weights, kind in zip(self.weights, self.kinds, strict=True)]
        readout = None if self.readout is None else Readout(*self.readout, self.pool)
        edges = np.array(sorted(self.edges), dtype=np.int64).reshape(-1, 2).T
        graph = Graph(edges, self.features, directed=self.directed)
        head = [Layer.dense(*weights, *bend) for weights, bend in zip(self.head, self.bends, strict=True)]
        network = Network(layers, readout, head=head)
        return make_query(network, graph, Threat(**self.threat), self.node, self.label, self.target)

    def but(self, **changes: Any) -> Parts:
        return replace(self, **changes)

    def with_threat(self, **changes: Any) -> Parts:
        return replace(self, threat={**self.threat, **changes})


def _named(activation: Activation | tuple[Activation, ...]) -> Any:
    return tuple(one.value for one in activation) if isinstance(activation, tuple) else activation.value


def _plain(slope: float | np.ndarray) -> Slope:
    return slope if isinstance(slope, float) else slope.tolist()


def _one_slope(slope: Slope) -> float:
    """For a layer whose width changes, one slope for all."""
    return slope if isinstance(slope, float) else slope[0]


def shrink(query: Query, fails: Callable[[Query], bool], seconds: float = 60) -> Query:
    """The smallest query found that still fails: steps are tried until none helps or the time is up."""
    end = time.monotonic() + seconds
    best, again = Parts.of(query), True
    while again:
        again = False
        for step in STEPS:
            at = 0
            while time.monotonic() < end:
                # after a success the same position holds the next candidate; candidates that fail are passed over
                candidate = next((one for i, one in enumerate(step(best)) if i == at), None)
                if candidate is None:
                    break
                if _still_fails(candidate, fails):
                    best, again = candidate, True
                else:
                    at += 1
    return best.query()


def _still_fails(parts: Parts, fails: Callable[[Query], bool]) -> bool:
    try:
        query = parts.query()
    except EdgeproofError:
        return False
    return fails(query)


# --- steps: each yields smaller versions of the parts, and fewer of them after each success ---


def _fewer_vertices(parts: Parts) -> Iterator[Parts]:
    n = len(parts.features)
    for gone in range(n):
        if gone == parts.node or n == 1:
            continue

        def keep(pairs, gone=gone):
            return [(u - (u > gone), v - (v > gone)) for u, v in pairs if gone not in (u, v)]

        threat = dict(parts.threat)
        threat["protected"] = keep(threat["protected"])
        threat["fragile"] = None if threat["fragile"] is None else keep(threat["fragile"])
        if isinstance(threat["local_budget"], list):
            threat["local_budget"] = [x for v, x in enumerate(threat["local_budget"]) if v != gone]
        node = parts.node if parts.node is None else parts.node - (parts.node > gone)
        features = np.delete(parts.features, gone, axis=0)
        yield parts.but(features=features, edges=frozenset(keep(parts.edges)), threat=threat, node=node)


def _fewer_layers(parts: Parts) -> Iterator[Parts]:
    for gone in range(len(parts.weights)):
        if len(parts.weights) == 1:
            continue
        width = parts.weights[gone][0].shape[1]
        kinds = parts.kinds[:gone] + parts.kinds[gone + 1 :]
        after = parts.weights[gone + 1 :]
        if after:
            C, A, b = after[0]
            after = ((_columns(C, width), _columns(A, width), b), *after[1:])
            yield parts.but(weights=parts.weights[:gone] + after, kinds=kinds)
        elif parts.readout is not None:
            C, b = parts.readout
            yield parts.but(weights=parts.weights[:gone], kinds=kinds, readout=(_columns(C, width), b))
        else:
            C, A, b = parts.weights[gone - 1]
            rows = parts.weights[gone][0].shape[0]
            last = (_rows(C, rows), _rows(A, rows), _rows(b, rows))
            *others, (how, activation, slope) = kinds
            kinds = (*others, (how, activation, _one_slope(slope)))
            yield parts.but(weights=(*parts.weights[: gone - 1], last), kinds=kinds)


def _composed(parts: Parts) -> Iterator[Parts]:
    """A dense layer behind one without activation, as one with it."""
    for at in range(1, len(parts.weights)):
        (C, A, b), (C2, A2, b2) = parts.weights[at - 1 : at + 1]
        if parts.kinds[at - 1][1] == "none" and not A2.any():
            with np.errstate(over="ignore", invalid="ignore"):
                both = (C2 @ C, C2 @ A, C2 @ b + b2)
            kind = (parts.kinds[at - 1][0], *parts.kinds[at][1:])
            weights = (*parts.weights[: at - 1], both, *parts.weights[at + 1 :])
            yield parts.but(weights=weights, kinds=(*parts.kinds[: at - 1], kind, *parts.kinds[at + 1 :]))


def _shorter_head(parts: Parts) -> Iterator[Parts]:
    """Without its last layer: the scores are then those of the layer before it, as many of them."""
    if not parts.head:
        return
    rows = len(parts.head[-1][1])
    head, bends = parts.head[:-1], parts.bends[:-1]
    if head:
        head = (*head[:-1], tuple(_rows(x, rows) for x in head[-1]))
        bends = (*bends[:-1], (bends[-1][0], _one_slope(bends[-1][1])))
        yield parts.but(head=head, bends=bends)
    else:
        yield parts.but(head=(), bends=(), readout=tuple(_rows(x, rows) for x in parts.readout))


def _one_slope_each(parts: Parts) -> Iterator[Parts]:
    """Steps that change widths need layers with one slope for all outputs."""
    for at, (how, activation, slope) in enumerate(parts.kinds):
        for one in sorted(set(slope)) if isinstance(slope, list) else ():
            yield parts.but(kinds=(*parts.kinds[:at], (how, activation, one), *parts.kinds[at + 1 :]))
    for at, (activation, slope) in enumerate(parts.bends):
        for one in sorted(set(slope)) if isinstance(slope, list) else ():
            yield parts.but(bends=(*parts.bends[:at], (activation, one), *parts.bends[at + 1 :]))


def _columns(matrix: np.ndarray, width: int) -> np.ndarray:
    out = np.zeros((len(matrix), width))
    out[:, : matrix.shape[1]] = matrix[:, :width]
    return out


def _rows(array: np.ndarray, rows: int) -> np.ndarray:
    out = np.zeros((rows, *array.shape[1:]))
    out[: len(array)] = array[:rows]
    return out


def _narrower(parts: Parts) -> Iterator[Parts]:
    """Leave out one entry of the vectors between two layers (or of the features)."""
    weights = list(parts.weights)
    for at in range(len(weights) + 1):
        if at == len(weights) and parts.readout is None:
            return
        width = weights[at][0].shape[1] if at < len(weights) else parts.readout[0].shape[1]
        for gone in range(width if width > 1 else 0):
            changed, features, readout, kinds = list(weights), parts.features, parts.readout, list(parts.kinds)
            if at == 0:
                features = np.delete(features, gone, axis=1)
            else:
                changed[at - 1] = tuple(np.delete(x, gone, axis=0) for x in weights[at - 1])
                how, activation, slope = kinds[at - 1]
                if isinstance(slope, list):
                    kinds[at - 1] = (how, activation, [x for k, x in enumerate(slope) if k != gone])
            if at < len(weights):
                C, A, b = changed[at]
                changed[at] = (np.delete(C, gone, axis=1), np.delete(A, gone, axis=1), b)
            else:
                readout = (np.delete(parts.readout[0], gone, axis=1), parts.readout[1])
            yield parts.but(weights=tuple(changed), kinds=tuple(kinds), features=features, readout=readout)


def _fewer_classes(parts: Parts) -> Iterator[Parts]:
    last = parts.head[-1] if parts.head else parts.weights[-1] if parts.readout is None else parts.readout
    for gone in range(len(last[-1])):
        if gone in (parts.label, parts.target) or len(last[-1]) == 2:
            continue
        fewer = tuple(np.delete(x, gone, axis=0) for x in last)
        label = parts.label - (parts.label > gone)
        target = parts.target if parts.target is None else parts.target - (parts.target > gone)
        if parts.head:
            yield parts.but(head=(*parts.head[:-1], fewer), label=label, target=target)
        elif parts.readout is None:
            yield parts.but(weights=(*parts.weights[:-1], fewer), label=label, target=target)
        else:
            yield parts.but(readout=fewer, label=label, target=target)


def _fewer_edges(parts: Parts) -> Iterator[Parts]:
    for u, v in sorted(parts.edges):
        if parts.directed or u <= v:
            yield parts.but(edges=parts.edges - {(u, v), (u, v) if parts.directed else (v, u)})


def _weaker_threat(parts: Parts) -> Iterator[Parts]:
    threat = parts.threat
    if threat["budget"] is None:
        for budget in range(5):
            yield parts.with_threat(budget=budget)
    elif threat["budget"] > 0:
        yield parts.with_threat(budget=threat["budget"] - 1)
    if threat["local_budget"] is not None:
        yield parts.with_threat(local_budget=None)
    if isinstance(threat["local_budget"], list):
        yield parts.with_threat(local_budget=max(threat["local_budget"]))
    for at in range(len(threat["protected"])):
        yield parts.with_threat(protected=threat["protected"][:at] + threat["protected"][at + 1 :])
    if threat["fragile"] is None:
        query = parts.query()
        n = len(parts.features)
        names = ((u, v) for u in range(n) for v in range(0 if parts.directed else u, n))
        listed = [pair for pair in names if query.threat.admits(query.graph, pair, parts.node)]
        yield parts.with_threat(fragile=listed, delete=True, insert=False, protected=[])
    else:
        for at in range(len(threat["fragile"])):
            yield parts.with_threat(fragile=threat["fragile"][:at] + threat["fragile"][at + 1 :])


def _plainness(activation: Any) -> int:
    """The plainest first; curved ones last."""
    order = ("none", "relu", "leaky_relu")
    return order.index(activation) if activation in order else len(order)


def _plainer_kinds(parts: Parts) -> Iterator[Parts]:
    for at, (aggregation, activation, _) in enumerate(parts.kinds):
        for kind in ((aggregation, "none", 0.01), (aggregation, "relu", 0.01), ("sum", activation, 0.01)):
            plainer = _plainness(kind[1]) < _plainness(activation) or (kind[0] != aggregation)
            if plainer:
                yield parts.but(kinds=(*parts.kinds[:at], kind, *parts.kinds[at + 1 :]))
    for at, (activation, _) in enumerate(parts.bends):
        if activation != "none":
            yield parts.but(bends=(*parts.bends[:at], ("none", 0.01), *parts.bends[at + 1 :]))
    if parts.pool != "sum":
        yield parts.but(pool="sum")


def _plainer_numbers(parts: Parts) -> Iterator[Parts]:
    """Whole arrays to zero or rounded first, then entry by entry."""
    for put, array in _arrays(parts):
        for plainer in (np.zeros_like(array), np.round(array), np.sign(array)):
            if not np.array_equal(plainer, array):
                yield put(plainer)
    for put, array in _arrays(parts):
        for at in np.ndindex(*array.shape):
            value = float(array[at])
            for plainer in (0.0, 1.0, -1.0, float(np.round(value)), float(np.round(value, 1))):
                if abs(plainer) < abs(value) or (plainer != value and len(repr(plainer)) < len(repr(value))):
                    changed = array.copy()
                    changed[at] = plainer
                    yield put(changed)


def _arrays(parts: Parts) -> Iterator[tuple[Callable[[np.ndarray], Parts], np.ndarray]]:
    for layer, weights in enumerate(parts.weights):
        for which in range(3):

            def put(array, layer=layer, which=which):
                changed = list(parts.weights[layer])
                changed[which] = array
                return parts.but(weights=(*parts.weights[:layer], tuple(changed), *parts.weights[layer + 1 :]))

            yield put, weights[which]
    if parts.readout is not None:
        C, b = parts.readout
        yield (lambda array: parts.but(readout=(array, b))), C
        yield (lambda array: parts.but(readout=(C, array))), b
    for layer, weights in enumerate(parts.head):
        for which in range(2):

            def replace_in_head(array, layer=layer, which=which):
                changed = list(parts.head[layer])
                changed[which] = array
                return parts.but(head=(*parts.head[:layer], tuple(changed), *parts.head[layer + 1 :]))

            yield replace_in_head, weights[which]
    yield (lambda array: parts.but(features=array)), parts.features


STEPS = (
    _fewer_vertices, _shorter_head, _one_slope_each, _fewer_layers, _composed, _fewer_classes, _narrower,
    _weaker_threat, _fewer_edges, _plainer_kinds, _plainer_numbers,
)  # fmt: skip


def reproducer(query: Query, options: Mapping[str, bool] | None = None) -> str:
    """A program that asks this query of both engines."""
    parts = Parts.of(query)
    lines = ["import edgeproof as ep", "", "network = ep.Network(", "    ["]
    for (C, A, b), kind in zip(parts.weights, parts.kinds, strict=True):
        lines += ["        ep.Layer(", f"            C={C.tolist()},", f"            A={A.tolist()},"]
        lines += [f"            b={b.tolist()}, aggregation={kind[0]!r}, activation={kind[1]!r}, slope={kind[2]!r},"]
        lines += ["        ),"]
    lines += ["    ],"]
    if parts.readout is not None:
        C, b = parts.readout
        lines += [f"    ep.Readout(C={C.tolist()}, b={b.tolist()}, pool={parts.pool!r}),"]
    if parts.head:
        lines += ["    head=["]
        for (C, b), (activation, slope) in zip(parts.head, parts.bends, strict=True):
            lines += [f"        ep.Layer.dense({C.tolist()}, {b.tolist()}, {activation!r}, {slope!r}),"]
        lines += ["    ],"]
    edges = np.array(sorted(parts.edges), dtype=np.int64).reshape(-1, 2).T.tolist()
    threat = ", ".join(f"{name}={value!r}" for name, value in parts.threat.items() if value != [])
    lines += [
        ")",
        f"graph = ep.Graph(edges={edges}, features={parts.features.tolist()}, directed={parts.directed})",
        f"threat = ep.Threat({threat})",
        f"claim = dict(node={parts.node}, label={parts.label}, target={parts.target})",
        'for engine, options in (("brute", None), ("search", ' + repr(dict(options or {})) + ")):",
        "    print(ep.verify(network, graph, threat, **claim, engine=engine, options=options))",
        "    print(ep.radius(network, graph, threat, **claim, engine=engine, options=options))",
    ]
    return "\n".join(lines) + "\n"

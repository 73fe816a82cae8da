"""Random queries over the whole grid of what Edgeproof accepts, each reproducible from (seed, index).

Small spaces, awkward numbers: ties, cancellations, scales far apart, differences in the last bit.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import comb

import numpy as np

from edgeproof import Graph, Layer, Network, Readout, Threat
from edgeproof.arithmetic.decide import TieError
from edgeproof.model.activation import CODES
from edgeproof.model.query import Query, make_query

MIXED = {"mixed": ("sum", "max", "mean"), "mixed with gcn": ("gcn", "gcn", "sum", "max", "mean")}
MIXED["mixed with sym"] = ("sym", "sym", "sum", "max", "mean")
MIXED["max first"] = MIXED["mixed"]  # of the layers after the first


SMOOTH = tuple(one.value for one in CODES)


@dataclass(frozen=True)
class Grid:
    """What a query is drawn from; a test that is about one corner narrows a field down."""

    vertices: tuple[int, ...] = (1, 2, 3, 3, 4, 4, 4, 5, 5, 5, 5, 6, 6, 6, 7, 7)
    layers: tuple[int, ...] = (1, 1, 2, 2, 2, 2, 3, 3, 3, 4, 4)
    widths: tuple[int, ...] = (1, 2, 2, 3, 3, 4, 5, 6, 8)
    classes: tuple[int, ...] = (2, 2, 2, 3, 3, 4, 6)
    tasks: tuple[str, ...] = ("node", "node", "graph")
    directed: tuple[bool, ...] = (False, True)
    aggregations: tuple[str, ...] = ("sum", "max", "mean", "gcn", "mixed", "mixed with gcn")
    activations: tuple[str, ...] = ("relu then none", "relu then none", "relu", "mixed")
    pools: tuple[str, ...] = ("sum", "mean", "max")
    heads: tuple[int, ...] = (0, 0, 0, 1, 2)
    features: tuple[str, ...] = ("style", "binary", "binary", "carried", "real", "same rows")
    shapes: tuple[str, ...] = ("even", "even", "even", "even", "hub")
    densities: tuple[float, ...] = (0.0, 0.15, 0.3, 0.5, 0.5, 0.9)
    loops: tuple[float, ...] = (0.0, 0.0, 0.3, 0.8)
    flips: tuple[str, ...] = (
        "delete",
        "insert",
        "both",
        "target",
        "delete+target",
        "both",
        "delete",
        "list",
        "list",
        "list",
        "nothing",
    )
    budgets: tuple[int | None, ...] = (0, 1, 2, 2, 2, 3, 3, 4, 4, None, None, None)
    local: tuple[str, ...] = ("none", "none", "none", "none", "0", "1", "1", "2", "2", "per vertex", "per vertex")
    styles: tuple[str, ...] = ("integers", "integers", "signs", "dyadic", "gaussian", "wild", "cancelling")
    calibrations: tuple[str, ...] = ("none", "between", "between", "deep", "deep", "deep", "tie", "last bit")
    most_graphs: int = 3000


EVERYTHING = Grid()
RATIONAL = Grid(aggregations=("sum", "max", "mean", "mixed"))  # no square roots of degrees
# Normalised sums without the vertex itself, which are for undirected graphs without self-loops.
SYM = Grid(aggregations=("sym", "sym", "mixed with sym"), directed=(False,), loops=(0.0,))
# Curved activations.
CURVED = Grid(activations=("smooth",), aggregations=(*EVERYTHING.aggregations, "sum", "mean", "gcn"), most_graphs=400)
# A max over 0/1 features at a vertex with many in-neighbours, of which several carry a column and may all flip.
CROWDED = Grid(
    vertices=(6, 7, 7),
    layers=(1, 2, 2, 2, 3),
    widths=(4, 6, 8),
    tasks=("node", "node", "node", "graph"),
    aggregations=("max first",),
    features=("carried",),
    shapes=("hub",),
    densities=(0.0, 0.1, 0.2),
    loops=(0.0, 0.0, 0.3),
    flips=("delete", "delete", "delete+target", "delete+target", "both", "target", "list"),
    budgets=(2, 2, 2, 3, 3, 4, None),
    local=("none", "none", "none", "2", "3", "per vertex"),
)


@lru_cache(maxsize=1)  # a query costs as much to draw as to decide
def draw(seed: int, index: int, grid: Grid = EVERYTHING) -> Query:
    """The query with this name."""
    return _Draw(np.random.default_rng((seed, index)), grid).query()


class _Draw:
    def __init__(self, rng: np.random.Generator, grid: Grid) -> None:
        self.rng, self.grid = rng, grid

    def one_of(self, values):
        return values[int(self.rng.integers(len(values)))]

    def chance(self, probability: float) -> bool:
        return bool(self.rng.random() < probability)

    def query(self) -> Query:
        n, self.task = self.one_of(self.grid.vertices), self.one_of(self.grid.tasks)
        self.style = self.one_of(self.grid.styles)
        network = self.network()
        self.simple = network.needs_simple_graph
        graph = self.graph(n, network.num_features)
        node = self.node(n) if self.task == "node" else None
        threat = self.threat(graph, node)
        label = int(self.rng.integers(network.num_classes)) if self.chance(0.2) else None
        try:
            query = make_query(network, graph, threat, node, label)
        except TieError:  # of curved activations: no class is the predicted one
            query = make_query(network, graph, threat, node, 0)
        if self.chance(0.3):
            target = self.one_of(query.rivals)
            query = make_query(network, graph, threat, node, query.claim.label, target)
        return self.calibrated(query)

    # --- numbers ---

    def numbers(self, *shape: int) -> np.ndarray:
        rng = self.rng
        if self.style == "integers":
            return rng.integers(-3, 4, shape) * (rng.random(shape) < 0.6).astype(float)
        if self.style == "signs":
            return rng.integers(-1, 2, shape).astype(float)
        if self.style == "dyadic":
            return rng.integers(-16, 17, shape) / 8.0 * (rng.random(shape) < 0.8)
        if self.style == "cancelling":  # sums of these cancel in real arithmetic but not always in float64
            return np.array([0.1, -0.1, 0.2, -0.2, 0.3, -0.3, 1e16, -1e16, 1.0, -1.0, 0.0, 0.0])[
                rng.integers(12, size=shape)
            ]
        values = rng.normal(size=shape) * (rng.random(shape) < 0.9)
        return values * 10.0 ** rng.uniform(-8, 8) if self.style == "wild" else values

    def features(self, n: int, width: int) -> np.ndarray:
        kind = self.one_of(self.grid.features)
        if kind == "binary":
            return (self.rng.random((n, width)) < 0.5).astype(float)
        if kind == "carried":
            return self.carried(n, width)
        if kind == "real":
            return self.rng.normal(size=(n, width))
        if kind == "same rows":
            return np.repeat(self.numbers(1, width), n, axis=0)
        return self.numbers(n, width)

    def carried(self, n: int, width: int) -> np.ndarray:
        """Every column is 0 but at two or three vertices, often the same as those of another column."""
        x = np.zeros((n, width))
        for column in range(width):
            if column and self.chance(0.3):
                carriers = x[:, int(self.rng.integers(column))] != 0.0
            else:
                carriers = self.rng.permutation(n) < self.one_of((2, 2, 3))
            x[carriers, column] = self.one_of((1.0, 1.0, 1.0, 0.25))
        return x

    # --- the parts ---

    def network(self) -> Network:
        depth, kind = self.one_of(self.grid.layers), self.one_of(self.grid.activations)
        aggregation = self.one_of(self.grid.aggregations)
        widths = [self.one_of(self.grid.widths) for _ in range(depth + 1)]
        classes = self.one_of(self.grid.classes)
        if self.task == "node":
            widths[-1] = classes
        layers = []
        for at in range(depth):
            shape = (widths[at + 1], widths[at])
            how = self.one_of(MIXED[aggregation]) if aggregation in MIXED else aggregation
            if at == 0 and aggregation == "max first":
                how = "max"
            activation = {
                "relu": "relu",
                "linear": "none",
                "smooth": "none",
                "mixed": self.one_of(("relu", "leaky_relu", "none")),
                "relu then none": "relu" if at < depth - 1 or self.task == "graph" else "none",
            }[kind]
            A = np.zeros(shape) if depth > 1 and self.chance(0.08) else self.numbers(*shape)
            C = np.zeros(shape) if self.chance(0.1) else self.numbers(*shape)
            b = np.zeros(shape[0]) if self.chance(0.3) else self.numbers(shape[0])
            if kind == "smooth" and (at < depth - 1 or self.task == "graph" or self.chance(0.1)):
                activation = self.smooth(shape[0])
            layers.append(Layer(C, A, b, how, activation, self.slope(shape[0])))
        if self.task == "node":
            return Network(layers)
        depth, pool = self.one_of(self.grid.heads), self.one_of(self.grid.pools)
        widths = [widths[-1], *(self.one_of(self.grid.widths) for _ in range(depth)), classes]
        C, b = self.numbers(widths[1], widths[0]), self.numbers(widths[1])
        if depth and self.chance(0.5):  # the engine takes the pool and the first layer of the head as one
            widths[1] = widths[0]
            C, b = np.eye(widths[0]), np.zeros(widths[0])
        head = []
        for width, out in pairwise(widths[1:]):
            C1, b1 = self.numbers(out, width), self.numbers(out)
            activation = self.smooth(out) if kind == "smooth" else self.one_of(("relu", "leaky_relu"))
            head.append(Layer.dense(C1, b1, activation, self.slope(out)))
        if head and self.chance(0.7):
            head[-1] = Layer.dense(head[-1].C, head[-1].b, "none")
        return Network(layers, Readout(C, b, pool), head=head)

    def smooth(self, width: int) -> str | list[str]:
        """A curved activation; sometimes another for each output, among them such as are not curved."""
        if self.chance(0.3):
            return [self.one_of((*SMOOTH, "none", "relu", "leaky_relu")) for _ in range(width)]
        return self.one_of(SMOOTH)

    def slope(self, width: int) -> float | list[float]:
        slopes = (0.01, 0.2, 0.5, 0.0, 1.0)
        return [self.one_of(slopes) for _ in range(width)] if self.chance(0.4) else self.one_of(slopes)

    def graph(self, n: int, width: int) -> Graph:
        directed = self.one_of(self.grid.directed)
        density, loops = self.one_of(self.grid.densities), self.one_of(self.grid.loops)
        there = self.rng.random((n, n)) < density
        if self.chance(0.2):  # an isolated vertex
            lonely = int(self.rng.integers(n))
            there[lonely, :] = there[:, lonely] = False
        shape = self.one_of(self.grid.shapes)
        self.hub = int(self.rng.integers(n)) if shape == "hub" else None
        if self.hub is not None:
            there[:, self.hub] = self.rng.random(n) < 0.9
            if not directed:
                there[self.hub] = there[:, self.hub]
        np.fill_diagonal(there, self.rng.random(n) < loops)
        if not directed:
            there = np.triu(there) | np.triu(there).T
        features = self.features(n, width)
        if shape == "mirrored":
            there, features = self.mirrored(there, features)
        if shape == "copies":
            there, features = self.copies(there, features)
        return Graph(np.array(np.nonzero(there)), features, directed=directed)

    def mirrored(self, there: np.ndarray, features: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The same after some vertices have changed places, two at a time."""
        n = len(there)
        some, to = self.rng.permutation(n), np.arange(n)
        for k in range(0, 2 * int(self.rng.integers(1, n // 2 + 1)), 2):
            to[some[k]], to[some[k + 1]] = some[k + 1], some[k]
        return there | there[np.ix_(to, to)], features[np.minimum(np.arange(n), to)]

    def copies(self, there: np.ndarray, features: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Some vertices again and again, and what is left over, with no edges in between; in any order."""
        n = len(there)
        size = int(self.rng.integers(1, n // 2 + 1))
        copy = np.arange(n) // size
        like = np.where((copy + 1) * size <= n, np.arange(n) % size, np.arange(n))
        there = there[np.ix_(like, like)] & (copy[:, None] == copy)
        order = self.rng.permutation(n)
        return there[np.ix_(order, order)], features[like][order]

    def node(self, n: int) -> int:
        return self.hub if self.hub is not None and self.chance(0.8) else int(self.rng.integers(n))

    def threat(self, graph: Graph, node: int | None) -> Threat:
        n = graph.num_vertices
        budget, local = self.one_of(self.grid.budgets), self.local_budget(n)
        kind = self.one_of(self.grid.flips)
        if node is None:
            kind = {"target": "insert", "delete+target": "both"}.get(kind, kind)
        pairs = [(u, v) for u in range(n) for v in range(n) if u != v or not self.simple]
        protected = [pair for pair in pairs if self.chance(0.2)] if self.chance(0.25) else []
        if kind == "list":
            listed = [pair for pair in pairs if self.chance(self.one_of((0.1, 0.3, 0.6)))]
            threat = Threat(budget, local, fragile=listed, protected=protected)
        else:
            insert = "target" if "target" in kind else kind in ("insert", "both")
            threat = Threat(budget, local, "delete" in kind or kind == "both", insert, protected=protected)
        return self.bounded(graph, node, threat)

    def local_budget(self, n: int) -> int | list[int] | None:
        kind = self.one_of(self.grid.local)
        if kind == "none":
            return None
        return self.rng.integers(0, 4, n).tolist() if kind == "per vertex" else int(kind)

    def bounded(self, graph: Graph, node: int | None, threat: Threat) -> Threat:
        """Few enough graphs: surplus pairs become protected, or the rest becomes an explicit list."""
        pairs = fragile_pairs(graph, threat, node)
        most = self.grid.most_graphs ** self.rng.uniform(0.5, 1)
        kept = [pairs[at] for at in self.rng.permutation(len(pairs))]
        while number_of_graphs(len(kept), threat.budget) > most:
            kept.pop()
        if len(kept) == len(pairs):
            return threat
        if self.chance(0.5):
            return Threat(threat.budget, threat.local_budget, fragile=kept)
        surplus = {*threat.protected, *pairs} - set(kept)
        return Threat(threat.budget, threat.local_budget, threat.delete, threat.insert, threat.fragile, surplus)

    def calibrated(self, query: Query) -> Query:
        """Shift a bias so that the decision is close on some admissible graph: random weights rarely are."""
        kind = self.one_of(self.grid.calibrations)
        if kind == "none":
            return query
        pairs = fragile_pairs(query.graph, query.threat, query.claim.node)
        before = margin_of(query, ())
        shallow = [before, *(margin_of(query, [pair]) for pair in pairs[:8] if kind == "deep")]
        margins = [before, *(margin_of(query, self.attack(query, pairs)) for _ in range(8))]
        if not np.isfinite(margins + shallow).all():
            return query
        worst = min(margins)
        shift = worst if self.chance(0.6) else self.one_of([margin for margin in margins if margin <= before])
        if kind == "between":  # on this side or the other of the worst graph that was seen
            shift += (before - worst) * (self.rng.uniform() ** 2 if self.chance(0.6) else -0.3 * self.rng.uniform())
        if kind == "deep":  # more than one flip is needed
            shift = (worst + min(shallow)) / 2
        net = query.network
        bias = [*net.layers, *([net.readout] if net.readout else ()), *net.head][-1].b.copy()
        label = query.claim.label
        bias[label] -= shift
        if kind == "last bit":
            bias[label] = np.nextafter(bias[label], self.one_of((-np.inf, bias[label], np.inf)))
        return with_bias(query, bias)

    def attack(self, query: Query, pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """A random admissible set of flips."""
        budget = len(pairs) if query.threat.budget is None else query.threat.budget
        chosen: list[tuple[int, int]] = []
        spent = [0] * query.graph.num_vertices
        for at in self.rng.permutation(len(pairs)):
            pair = pairs[at]
            payers = {pair[1]} if query.graph.directed else set(pair)
            limits = [query.threat.local_budget_of(w) for w in payers]
            paid = all(limit is None or spent[w] < limit for w, limit in zip(payers, limits, strict=True))
            if len(chosen) < budget and paid:
                chosen.append(pair)
                for w in payers:
                    spent[w] += 1
        return chosen


def fragile_pairs(graph: Graph, threat: Threat, node: int | None) -> list[tuple[int, int]]:
    n = graph.num_vertices
    names = ((u, v) for u in range(n) for v in range(0 if graph.directed else u, n))
    return [pair for pair in names if threat.admits(graph, pair, node)]


def number_of_graphs(pairs: int, budget: int | None) -> int:
    return sum(comb(pairs, k) for k in range(min(pairs, pairs if budget is None else budget) + 1))


def margin_of(query: Query, flips) -> float:
    scores = query.network.scores(query.graph.flip(flips), query.claim.node)
    return float(scores[query.claim.label] - max(scores[rival] for rival in query.rivals))


def with_bias(query: Query, bias: np.ndarray) -> Query:
    layers, readout, head = list(query.network.layers), query.network.readout, list(query.network.head)
    if readout is not None and not head:
        readout = Readout(readout.C, bias, readout.pool)
    else:
        chain = head or layers
        last = chain[-1]
        chain[-1] = Layer(last.C, last.A, bias, last.aggregation, last.activation, last.slope)
    return Query(Network(layers, readout, head=head), query.graph, query.threat, query.claim)

"""Claims with a planted attack: a chosen set of flips breaks them, by construction, often by one unit in the last bit.

Nobody enumerates anything here, so graphs and budgets are larger than brute force could take.
"""

from __future__ import annotations

import numpy as np

from edgeproof import Attack, Graph, Layer, Network, Readout, Threat
from edgeproof.arithmetic.evaluator import ExactEvaluator
from edgeproof.model.graph import Pair
from edgeproof.model.query import Query, make_query

AGGREGATIONS = ("sum", "max", "mean")


class Planter:
    """Draws a network, a graph, a threat and flips that it admits, then moves the label's bias until they break it."""

    def __init__(self, seed: int, index: int) -> None:
        self.rng = np.random.default_rng((seed, index))

    def one_of(self, values):
        return values[int(self.rng.integers(len(values)))]

    def numbers(self, *shape: int) -> np.ndarray:
        return self.rng.normal(size=shape) * self.scale

    def network(self, graph_task: bool, features: int) -> Network:
        depth, how = self.one_of((1, 2, 2, 3, 3, 4)), self.one_of((*AGGREGATIONS, "mixed"))
        classes, width = self.one_of((2, 2, 3, 5)), self.one_of((2, 4, 8, 16))
        widths = [features, *([width] * (depth - 1)), width if graph_task else classes]
        layers = []
        for at in range(depth):
            self.scale = self.one_of((1.0, 1.0, 1.0, 1e-8, 1e8, 1e-3))
            shape = (widths[at + 1], widths[at])
            last = at == depth - 1 and not graph_task
            layers.append(
                Layer(
                    self.numbers(*shape), self.numbers(*shape), self.numbers(shape[0]),
                    self.one_of(AGGREGATIONS) if how == "mixed" else how,
                    "none" if last else self.one_of(("relu", "relu", "leaky_relu")),
                )
            )  # fmt: skip
        self.scale = 1.0
        readout = Readout(self.numbers(classes, width), self.numbers(classes), self.one_of(AGGREGATIONS))
        return Network(layers, readout if graph_task else None)

    def graph(self, features: int) -> Graph:
        n, directed = int(self.rng.integers(5, 25)), self.one_of((True, False))
        there = self.rng.random((n, n)) < self.one_of((1.5, 3.0)) / n
        if not directed:
            there = np.triu(there) | np.triu(there).T
        binary = (self.rng.random((n, features)) < 0.4).astype(float)
        values = self.one_of((binary, self.rng.normal(size=(n, features))))
        return Graph(np.array(np.nonzero(there)), values, directed=directed)

    def flips(self, graph: Graph, threat: Threat, node: int | None, size: int) -> list[Pair]:
        """Up to `size` pairs that the threat admits together, near the node if there is one."""
        n, spent = graph.num_vertices, dict.fromkeys(range(graph.num_vertices), 0)
        near = [node] if node is not None else list(range(n))
        chosen: list[Pair] = []
        for _ in range(60):
            v = int(self.one_of(near))
            around = graph.in_neighbours(v)
            u = int(self.one_of(around) if around.size and self.rng.random() < 0.6 else self.rng.integers(n))
            pair = graph.pair(u, v)
            payers = {pair[1]} if graph.directed else set(pair)
            limit = threat.local_budget_of(v)
            free = all(limit is None or spent[w] < limit for w in payers)
            if pair not in chosen and threat.admits(graph, pair, node) and free and len(chosen) < size:
                chosen.append(pair)
                near.append(u)
                for w in payers:
                    spent[w] += 1
        return chosen

    def plant(self) -> tuple[Query, Attack]:
        """The query and the attack; redraws until the graph as it is keeps the claim."""
        while True:
            graph_task, features = self.rng.random() < 0.4, int(self.one_of((2, 3, 5)))
            network, graph = self.network(graph_task, features), self.graph(features)
            node = None if graph_task else int(self.rng.integers(graph.num_vertices))
            size = int(self.one_of((1, 1, 2, 2, 3, 4)))
            threat = Threat(
                budget=self.one_of((size, size, size + 1)), local_budget=self.one_of((None, None, 1, 2)),
                insert=self.one_of((False, True, True)), delete=True,
            )  # fmt: skip
            flips = self.flips(graph, threat, node, size)
            label = int(self.rng.integers(network.num_classes))
            query = make_query(network, graph, threat, node, label)
            if flips:
                query = self._broken(query, flips)
                evaluator = ExactEvaluator(query.network, query.graph)
                if evaluator.margin(node, label, query.rivals)[0] <= 0:
                    return query, Attack(flips)

    def _broken(self, query: Query, flips: list[Pair]) -> Query:
        """The label's bias moves so far down that these flips break the claim, and no further than rounding asks."""
        held = query.network.readout or query.network.layers[-1]
        bias, label = held.b.copy(), query.claim.label
        margin, _ = ExactEvaluator(query.network, query.graph).margin(query.claim.node, label, query.rivals, flips)
        bias[label] += float(margin.p) / float(margin.q) if abs(margin.q) < 2**1000 else 0.0
        step = self.one_of((0.0, 0.0, 1e-9, 1e-3))
        while True:
            bias[label] = np.nextafter(bias[label] - step * max(abs(bias[label]), 1.0), -np.inf)
            moved = _with_bias(query, bias)
            if ExactEvaluator(moved.network, moved.graph).margin(moved.claim.node, label, moved.rivals, flips)[0] > 0:
                return moved
            step = max(2 * step, 1e-16)


def _with_bias(query: Query, bias: np.ndarray) -> Query:
    layers, readout = list(query.network.layers), query.network.readout
    if readout is not None:
        readout = Readout(readout.C, bias, readout.pool)
    else:
        last = layers[-1]
        layers[-1] = Layer(last.C, last.A, bias, last.aggregation, last.activation, last.slope)
    return Query(Network(layers, readout), query.graph, query.threat, query.claim)

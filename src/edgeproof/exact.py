"""Scores without rounding: dyadic integers, and rationals where a mean divides (python-flint)."""

from __future__ import annotations

from collections.abc import Iterable

import flint
import numpy as np

from .graph import Graph, Pair
from .network import Aggregation, Layer, Network

Number = flint.fmpq


def exact_scores(network: Network, graph: Graph, node: int | None = None, flips: Iterable[Pair] = ()) -> list[Number]:
    """The scores of `node`, or of the graph, as rationals, after flipping `flips`."""
    return ExactEvaluator(network, graph).scores(node, flips)


class ExactEvaluator:
    """Evaluates one network on flipped versions of one graph; first-layer products are computed once a vertex.

    Vertices are visited from the node in question downwards, so cost follows the neighbourhood, not the graph.
    """

    def __init__(self, network: Network, graph: Graph) -> None:
        self.network, self.graph = network, graph
        self._layers = [
            (_rationals(one.C), None if one.is_dense else _rationals(one.A), _vector(one.b)) for one in network.layers
        ]
        self._own: dict[int, flint.fmpq_mat] = {}
        self._sent: dict[int, flint.fmpq_mat] = {}

    def scores(self, node: int | None, flips: Iterable[Pair] = ()) -> list[Number]:
        changed: dict[int, set[int]] = {}
        for u, v in flips:
            changed.setdefault(v, set()).add(u)
            if not self.graph.directed and u != v:
                changed.setdefault(u, set()).add(v)
        if self.network.readout is None:
            assert node is not None
            return list(self._values(node, len(self.network.layers), changed, {}).entries())
        return self._pooled(changed)

    def margin(
        self, node: int | None, label: int, rivals: Iterable[int], flips: Iterable[Pair] = ()
    ) -> tuple[Number, int]:
        """The largest `score[rival] - score[label]` and its rival: positive means that the claim is broken."""
        scores = self.scores(node, flips)
        best = max(rivals, key=lambda rival: (scores[rival], -rival))
        return scores[best] - scores[label], best

    def _pooled(self, changed: dict[int, set[int]]) -> list[Number]:
        readout = self.network.readout
        assert readout is not None
        depth, memo = len(self.network.layers), dict[tuple[int, int], flint.fmpq_mat]()
        columns = [self._values(v, depth, changed, memo) for v in range(self.graph.num_vertices)]
        pooled = _combine(readout.pool, columns)
        return list((_rationals(readout.C) * pooled + _vector(readout.b)).entries())

    def _neighbours(self, v: int, changed: dict[int, set[int]]) -> list[int]:
        before = self.graph.in_neighbours(v).tolist()
        return before if v not in changed else sorted(set(before) ^ changed[v])

    def _values(
        self, v: int, depth: int, changed: dict[int, set[int]], memo: dict[tuple[int, int], flint.fmpq_mat]
    ) -> flint.fmpq_mat:
        """h_depth(v) as a column."""
        if depth == 0:
            return _vector(self.graph.features.dense([v])[0])
        if (v, depth) in memo:
            return memo[v, depth]
        layer, (C, A, b) = self.network.layers[depth - 1], self._layers[depth - 1]
        if depth == 1:
            out = self._first_own(v) + b
        else:
            out = C * self._values(v, depth - 1, changed, memo) + b
        neighbours = [] if A is None else self._neighbours(v, changed)
        if neighbours and depth == 1 and layer.aggregation is not Aggregation.MAX:
            out = out + _combine(layer.aggregation, [self._first_sent(u) for u in neighbours])
        elif neighbours and A is not None:
            out = out + A * _combine(layer.aggregation, [self._values(u, depth - 1, changed, memo) for u in neighbours])
        memo[v, depth] = out = _activate(layer, out)
        return out

    def _first_own(self, v: int) -> flint.fmpq_mat:
        if v not in self._own:
            self._own[v] = self._sparse_product(self.network.layers[0].C, v)
        return self._own[v]

    def _first_sent(self, u: int) -> flint.fmpq_mat:
        if u not in self._sent:
            self._sent[u] = self._sparse_product(self.network.layers[0].A, u)
        return self._sent[u]

    def _sparse_product(self, weight: np.ndarray, v: int) -> flint.fmpq_mat:
        columns, values = self.graph.features.row(v)
        if columns.size == 0:
            return flint.fmpq_mat(weight.shape[0], 1)
        return _rationals(weight[:, columns]) * _vector(values)


def rational(value: float) -> Number:
    """A float as the rational that it is."""
    return flint.fmpq(*float(value).as_integer_ratio())


def _rationals(matrix: np.ndarray) -> flint.fmpq_mat:
    return flint.fmpq_mat(matrix.shape[0], matrix.shape[1], [rational(x) for x in matrix.ravel()])


def _vector(values: np.ndarray) -> flint.fmpq_mat:
    return flint.fmpq_mat(len(values), 1, [rational(x) for x in values])


def _activate(layer: Layer, column: flint.fmpq_mat) -> flint.fmpq_mat:
    slope = rational(layer.negative_slope)
    if slope == 1:
        return column
    return flint.fmpq_mat(column.nrows(), 1, [x if x >= 0 else slope * x for x in column.entries()])


def _combine(how: Aggregation, columns: list[flint.fmpq_mat]) -> flint.fmpq_mat:
    """Aggregate one column or more."""
    if how is Aggregation.MAX:
        rows = zip(*(one.entries() for one in columns), strict=True)
        return flint.fmpq_mat(columns[0].nrows(), 1, [max(row) for row in rows])
    total = columns[0]
    for one in columns[1:]:
        total = total + one
    return total if how is Aggregation.SUM else total * flint.fmpq(1, len(columns))

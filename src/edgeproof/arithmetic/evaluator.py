"""Scores without rounding, in integers and rationals (python-flint).

Every float is a whole number over a power of two. A layer's weights share one power, so a layer maps whole numbers
to whole numbers over a known scale; only a mean brings other denominators, which the scale takes in.
Vertices that hold the same are computed once (rows.py).
Layers that normalise by degrees bring square roots: from the first of them on, normalised.py goes on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from math import lcm
from typing import Any

import flint
import numpy as np

from ..clock import UNLIMITED, Clock
from ..model.graph import Graph, Pair
from ..model.memo import Memo
from ..model.network import Aggregation, Network
from .normalised import Values, activated, combined, normalised, surd_layer
from .rows import Groups, Rows, combine, gather, gather_all, over, pool_rows, tally, tell_apart
from .surds import Column
from .weights import SUM_LIMIT, ZERO, Columns, Matrix, find_shift, numbers_of, to_integers

# up to so many numbers, rows of features are multiplied together, zeros and all
DENSE_LIMIT = 1 << 13
# up to so many features, a row is multiplied with all columns of a weight
FEW_COLUMNS = 64
# products of two numbers in one go; pieces of more grow until they take so many seconds
PIECE, PIECE_SECONDS = 1 << 20, 0.05
Number = Any  # flint.fmpq, or where degrees normalise, Surd: either is subtracted and compared


class _Store:
    """What is computed once for a network and a graph; `own` (with the bias) and `sent` are products of the first
    layer, `features` are for questions about the whole graph.
    """

    def __init__(self, network: Network, graph: Graph) -> None:
        self.numbers = numbers_of(network)
        self.feature_shift = find_shift(graph.features.values)
        self.bias = [x * (1 << self.feature_shift) for x in self.numbers.b]
        self.own: dict[int, list[flint.fmpz]] = {}
        self.sent: dict[int, list[flint.fmpz]] = {}
        self.neighbours: dict[int, list[int]] = {}
        self.features: Rows | None = None


_stores: Memo[_Store] = Memo(_Store)


def exact_scores(network: Network, graph: Graph, node: int | None = None, flips: Iterable[Pair] = ()) -> list[Number]:
    """The scores of `node`, or of the graph, as rationals or surds, after flipping `flips`."""
    return ExactEvaluator(network, graph).scores(node, flips)


class ExactEvaluator:
    """Evaluates one network on flipped versions of one graph.

    Only vertices that reach the node in question are looked at, so cost follows the neighbourhood, not the graph.
    """

    def __init__(self, network: Network, graph: Graph, clock: Clock = UNLIMITED) -> None:
        """Raises `TimeUpError` in the middle where the time of `clock` is up."""
        self.network, self.graph, self.clock = network, graph, clock
        self.store = _stores(network, graph)
        self.numbers = self.store.numbers

    def margin(
        self, node: int | None, label: int, rivals: Iterable[int], flips: Iterable[Pair] = ()
    ) -> tuple[Number, int]:
        """The largest `score[rival] - score[label]` and its rival: positive means that the claim is broken."""
        scores, scale = self._scaled(node, flips)
        best = max(rivals, key=lambda rival: (scores[rival], -rival))
        margin = scores[best] - scores[label]
        return margin if scale is None else flint.fmpq(margin, scale), best

    def scores(self, node: int | None, flips: Iterable[Pair] = ()) -> list[Number]:
        scores, scale = self._scaled(node, flips)
        return scores if scale is None else [flint.fmpq(x, scale) for x in scores]

    def _scaled(self, node: int | None, flips: Iterable[Pair]) -> tuple[list[Number], flint.fmpz | None]:
        """Scores as whole numbers over a scale; as surds, which need none, where degrees normalise."""
        changed: dict[int, set[int]] = {}
        for u, v in flips:
            changed.setdefault(v, set()).add(u)
            if not self.graph.directed and u != v:
                changed.setdefault(u, set()).add(v)
        rings, neighbours, groups = self._rings(node, changed)
        if self.network.normalises:
            return self._surd_scores(rings[1:], neighbours, changed), None
        if node is None and self.network.num_features <= FEW_COLUMNS:
            rows, done = self._features(), 0
        else:
            rows, done = self._first(rings[1], neighbours), 1
        depth = len(self.network.layers)
        for number in range(done, depth):
            rows = self._next(number, rows, len(rings[number + 1]), groups)
        if self.network.readout is not None:
            rows = self._dense(depth, pool_rows(self.network.readout.pool, rows))
            for number in range(depth + 1, depth + 1 + len(self.network.head)):
                rows = self._bend(number, self._dense(number, rows))
        return rows.distinct[0], rows.scale

    def _product(self, rows: Matrix, weight: Matrix) -> Matrix:
        """rows * weight; where that takes long, in pieces between which the clock is looked at."""
        self.clock.look()
        if rows.nrows() * weight.nrows() * weight.ncols() <= PIECE:
            return rows * weight
        listed, out, step, start = rows.tolist(), [], 1, 0
        while start < len(listed):
            began = time.perf_counter()
            out += (Matrix(listed[start : start + step]) * weight).tolist()
            start += step
            if time.perf_counter() - began < PIECE_SECONDS:
                step *= 2
            self.clock.look()
        return Matrix(out)

    def _bend(self, number: int, rows: Rows) -> Rows:
        return Rows(*self.numbers.bend(self.network, number)(rows.distinct, rows.scale), rows.kinds)

    def _dense(self, number: int, rows: Rows) -> Rows:
        """C h + b for the readout and the layers of the head."""
        weights = self.numbers.layer(self.network, number)
        return Rows((rows.matrix * weights.C).tolist(), rows.scale << weights.shift, rows.kinds)

    def _rings(
        self, node: int | None, changed: dict[int, set[int]]
    ) -> tuple[list[list[int]], dict[int, list[int]], Groups]:
        """rings[k]: the vertices whose values after layer k are needed, or for k = 0 features; each ring begins with
        the next. Then the neighbours of all that hear any, in this order, and the same by their places in rings[0].
        """
        place = {v: k for k, v in enumerate(range(self.graph.num_vertices) if node is None else [node])}
        kept = self.store.neighbours
        neighbours: dict[int, list[int]] = {}
        groups: list[tuple[int, ...]] = []
        rings = [list(place)]
        for layer in reversed(self.network.layers):
            if not layer.is_dense:
                for v in rings[-1][len(groups) :]:
                    around = kept.get(v)
                    if around is None:
                        around = kept[v] = self.graph.in_neighbours(v).tolist()
                    neighbours[v] = around = sorted(set(around) ^ changed[v]) if v in changed else around
                    groups.append(tuple([place.setdefault(u, len(place)) for u in around]))
            rings.append(list(place))
        return rings[::-1], neighbours, tuple(groups)

    def _features(self) -> Rows:
        """Short rows of features, of all vertices, for layer 1 to start from."""
        if self.store.features is None:
            shift = self.store.feature_shift
            found: dict[tuple[float, ...], int] = {}
            kinds = [found.setdefault(tuple(row), len(found)) for row in self.graph.features.dense().tolist()]
            distinct = to_integers(np.array(list(found)), shift).tolist()
            self.store.features = Rows(distinct, flint.fmpz(1) << shift, kinds)
        return self.store.features

    def _first(self, ring: list[int], neighbours: dict[int, list[int]]) -> Rows:
        """Layer 1 from sparse features: products are kept for every vertex, a max looks at the columns that occur."""
        layer, numbers = self.network.layers[0], self.numbers
        unit = flint.fmpz(1) << self.store.feature_shift
        rows = self._products(self.store.own, numbers.C, ring, self.store.bias)
        divisors = [1] * len(ring)
        if layer.aggregation is Aggregation.MAX and not layer.is_dense:
            peaks = self._max_products([neighbours[v] for v in ring])
            rows = [[x + y for x, y in zip(*both, strict=True)] for both in zip(rows, peaks, strict=True)]
        elif not layer.is_dense:
            self._products(self.store.sent, numbers.A, list({u: None for v in ring for u in neighbours[v]}))
            for k, v in enumerate(ring):
                self.clock.look()
                parts = [self.store.sent[u] for u in neighbours[v]]
                if parts:
                    divisors[k] = divisor = len(parts) if layer.aggregation is Aggregation.MEAN else 1
                    heard = combine(layer.aggregation, parts)
                    rows[k] = [x * divisor + y for x, y in zip(rows[k], heard, strict=True)]
        whole = lcm(*divisors)
        scale = (unit << numbers.shift) * whole
        return self._bend(0, Rows(over(whole, rows, divisors), scale, list(range(len(ring)))))

    def _surd_scores(
        self, rings: list[list[int]], neighbours: dict[int, list[int]], changed: dict[int, set[int]]
    ) -> list[Number]:
        layers = self.network.layers

        def degree(v: int) -> int:
            """The in-degree after the flips, with one self-loop."""
            before = set(self.graph.in_neighbours(v).tolist())
            return len((before ^ changed.get(v, set())) | {v})

        if layers[0].aggregation.normalises and not layers[0].is_dense:
            values = self._first_normalised(rings[0], neighbours, degree)
        else:
            rows = self._first(rings[0], neighbours)
            values = {v: _column(row, rows.scale) for v, row in zip(rings[0], rows.distinct, strict=True)}
        for number in range(1, len(layers)):
            weights = self.numbers.surd_layer(self.network, number)
            values = surd_layer(layers[number], weights, values, rings[number], neighbours, degree, self.clock.look)
        if self.network.readout is None:
            return list(values[rings[-1][0]].entries())
        weights = self.numbers.surd_layer(self.network, len(layers))
        pooled = combined(self.network.readout.pool, list(values.values()))
        scores = weights.C * pooled + weights.b
        for number, layer in enumerate(self.network.head, len(layers) + 1):
            weights = self.numbers.surd_layer(self.network, number)
            scores = activated(layer, weights.C * scores + weights.b)
        return list(scores.entries())

    def _first_normalised(
        self, ring: list[int], neighbours: dict[int, list[int]], degree: Callable[[int], int]
    ) -> Values:
        layer, numbers, store = self.network.layers[0], self.numbers, self.store
        scale = 1 << (store.feature_shift + numbers.shift)
        senders = list(dict.fromkeys([*ring, *(u for v in ring for u in neighbours[v])]))
        own_rows = self._products(store.own, numbers.C, ring, store.bias)
        sent_rows = self._products(store.sent, numbers.A, senders)
        own = {v: _column(row, scale) for v, row in zip(ring, own_rows, strict=True)}
        sent = {u: _column(row, scale) for u, row in zip(senders, sent_rows, strict=True)}
        heard = normalised(layer.aggregation, own, sent, neighbours, degree, self.clock.look)
        return {v: activated(layer, column) for v, column in heard.items()}

    def _products(
        self,
        kept: dict[int, list[flint.fmpz]],
        weight: Columns,
        vertices: list[int],
        bias: list[flint.fmpz] | None = None,
    ) -> list[list[flint.fmpz]]:
        """Weight times the features of these vertices, plus the bias, as they are kept."""
        features = self.graph.features
        missing = [v for v in vertices if v not in kept]
        if 0 < len(missing) * features.num_columns <= DENSE_LIMIT:
            found = self._times_columns(weight, np.arange(features.num_columns), features.dense(missing))
        else:
            found = self._times_rows(weight, [features.row(v) for v in missing])
        if bias is not None:
            found = [[x + y for x, y in zip(row, bias, strict=True)] for row in found]
        kept.update(zip(missing, found, strict=True))
        return [kept[v] for v in vertices]

    def _times_rows(self, weight: Columns, rows: list[tuple[np.ndarray, np.ndarray]]) -> list[list[flint.fmpz]]:
        """Weight times each of these rows, which are long and nearly empty: their columns, and what stands there."""
        width = weight.matrix.shape[0]
        sizes = np.array([columns.size for columns, _ in rows], dtype=np.int64)
        some = np.flatnonzero(sizes)
        products = [[ZERO] * width] * len(rows)
        if some.size == 0:
            return products
        starts = np.cumsum(sizes[some]) - sizes[some]
        scaled = self._scaled_features(np.concatenate([values for _, values in rows]))
        largest = np.add.reduceat(np.abs(scaled), starts).max()
        if largest < SUM_LIMIT:
            flat = weight.combine_sparse(scaled, np.concatenate([columns for columns, _ in rows]), starts, largest)
            for k, at in zip(some.tolist(), range(0, len(flat), width), strict=True):
                products[k] = flat[at : at + width]
        else:
            products = []
            for columns, values in rows:
                self.clock.look()
                products += self._times_columns(weight, columns, values[None])
        return products

    def _scaled_features(self, values: np.ndarray) -> np.ndarray:
        """Whole numbers in floats; an infinity is too large for any short way."""
        if self.store.feature_shift == 0:
            return values
        with np.errstate(over="ignore"):
            scaled: np.ndarray = np.ldexp(values, self.store.feature_shift)
        return scaled

    def _times_columns(self, weight: Columns, columns: np.ndarray, values: np.ndarray) -> list[list[flint.fmpz]]:
        """values @ weight[:, columns].T, times 2**(numbers.shift + store.feature_shift)."""
        all_columns = columns.size == weight.matrix.shape[1] <= FEW_COLUMNS
        scaled = self._scaled_features(values)
        fits = np.abs(scaled).sum(axis=1).max(initial=0.0) < SUM_LIMIT
        if fits and not all_columns:
            flat = weight.combine(scaled, columns)
        elif columns.size == 0:
            flat = [ZERO] * (len(values) * weight.matrix.shape[0])
        else:
            factors = to_integers(values, self.store.feature_shift)
            whole = weight.whole if all_columns else to_integers(weight.matrix[:, columns].T, self.numbers.shift)
            flat = (factors * whole).entries()
        width = weight.matrix.shape[0]
        return [flat[k : k + width] for k in range(0, len(flat), width)]

    def _max_products(self, groups: list[list[int]]) -> list[list[flint.fmpz]]:
        """A times the largest features of each group of vertices; an empty group gives 0."""
        members = sorted({u for group in groups for u in group})
        row = {u: k for k, u in enumerate(members)}
        dense = self.graph.features.dense(members)
        columns = np.arange(dense.shape[1])
        if columns.size > FEW_COLUMNS:  # long rows, nearly empty
            columns = np.flatnonzero(dense.any(axis=0))
            dense = dense[:, columns]
        none = np.zeros(columns.size)
        largest = [dense[[row[u] for u in group]].max(axis=0) if group else none for group in groups]
        return self._times_columns(self.numbers.A, columns, np.array(largest))

    def _next(self, number: int, rows: Rows, size: int, groups: Groups) -> Rows:
        """A layer, for the first `size` vertices. If it bends nothing and a sum or mean over all of them follows, what
        they hold and hear is added up before it is multiplied, and one row is left, which is its own pool.
        """
        layers, readout = self.network.layers, self.network.readout
        layer, weights = layers[number], self.numbers.layer(self.network, number)
        groups, scale = ((),) * size if weights.A is None else groups[:size], rows.scale << weights.shift
        pool = readout.pool if readout is not None and number == len(layers) - 1 and layer.is_linear else None
        if pool in (Aggregation.SUM, Aggregation.MEAN):
            add_up, kinds, own = gather_all, [0], tally(rows.kinds) * rows.matrix
            scale *= size if pool is Aggregation.MEAN else 1
        else:
            kinds, before, groups = tell_apart(layer.aggregation, rows.kinds, groups)
            add_up, own = gather, rows.pick(before)
        whole = self._product(own, weights.C)
        if weights.A is not None:
            heard, divisor = add_up(layer.aggregation, rows, groups, self.clock.look)
            whole = (whole * divisor if divisor > 1 else whole) + self._product(heard, weights.A)
            scale *= divisor
        return self._bend(number, Rows(whole.tolist(), scale, kinds))


def _column(row: list[flint.fmpz], scale: flint.fmpz | int) -> Column:
    return Column.of(flint.fmpq_mat(len(row), 1, row) * flint.fmpq(1, scale))

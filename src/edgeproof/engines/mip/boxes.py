"""Interval bounds of every value in the network, layer by layer: the big-M constants of the program.

Each vertex may spend the budget that it has on pairs of its own. Bounds are widened by more than float64 can have
rounded away, so they hold in real arithmetic.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...model.arrays import FloatArray, IntArray
from ...model.network import Aggregation, Layer
from ...model.query import Query
from .arena import Arena, Around, look_around
from .objective import Objective

_UNIT = 2.0**-52


@dataclass(frozen=True, slots=True)
class Box:
    """Ends of intervals; rows are vertices, columns coordinates."""

    lo: FloatArray
    hi: FloatArray

    def rows(self, which: int | IntArray | list[int]) -> Box:
        return Box(self.lo[which], self.hi[which])

    @property
    def magnitude(self) -> FloatArray:
        return np.maximum(np.abs(self.lo), np.abs(self.hi))

    @property
    def width(self) -> FloatArray:
        return self.hi - self.lo


def widened(lo: FloatArray, hi: FloatArray, size: FloatArray, roundings: int) -> Box:
    """`size` bounds the sum of magnitudes of what was added up."""
    error = size * (4 * (roundings + 8) * _UNIT) + 2.0**-1000
    return Box(lo - error, hi + error)


def times(weight: FloatArray, box: Box, constant: FloatArray | None = None) -> Box:
    """weight @ x + constant for every row x of the box."""
    up, down = np.maximum(weight, 0).T, np.minimum(weight, 0).T
    added = np.zeros(weight.shape[0]) if constant is None else constant
    lo, hi = box.lo @ up + box.hi @ down + added, box.hi @ up + box.lo @ down + added
    return widened(lo, hi, box.magnitude @ np.abs(weight).T + np.abs(added), weight.shape[1])


def plus(a: Box, b: Box) -> Box:
    return widened(a.lo + b.lo, a.hi + b.hi, a.magnitude + b.magnitude, 1)


def activated(layer: Layer, box: Box) -> Box:
    lo, hi = (np.where(end >= 0, end, layer.negative_slopes * end) for end in (box.lo, box.hi))
    return widened(lo, hi, np.maximum(np.abs(lo), np.abs(hi)), 1)


# --- aggregations; `messages` holds a row for every vertex of the layer below ---


def sums_by_degree(around: Around, messages: Box) -> dict[int, Box]:
    """What the neighbours can add up to, for every number of neighbours that there can be.

    The largest sum with i deletions and j insertions leaves out the i smallest and takes in the j largest.
    """
    hi = _largest_sums(around, messages.hi)
    lo = _largest_sums(around, -messages.lo)
    everyone = np.concatenate([around.fixed, around.deletable, around.insertable])
    size = messages.rows(everyone).magnitude.sum(axis=0)
    return {k: widened(-lo[k], hi[k], size, everyone.size) for k in hi}


def _largest_sums(around: Around, values: FloatArray) -> dict[int, FloatArray]:
    present = around.fixed.size + around.deletable.size
    base = values[around.fixed].sum(axis=0) + values[around.deletable].sum(axis=0)
    nothing = np.zeros((1, values.shape[1]))
    gone = np.concatenate([nothing, np.cumsum(np.sort(values[around.deletable], axis=0), axis=0)])
    come = np.concatenate([nothing, np.cumsum(-np.sort(-values[around.insertable], axis=0), axis=0)])
    best: dict[int, FloatArray] = {}
    for i in range(min(around.deletable.size, around.spend) + 1):
        for j in range(min(around.insertable.size, around.spend - i) + 1):
            k, total = present - i + j, base - gone[i] + come[j]
            best[k] = np.maximum(best[k], total) if k in best else total
    return best


def sum_box(around: Around, messages: Box) -> Box:
    boxes = list(sums_by_degree(around, messages).values())
    return _hull(boxes)


def mean_box(around: Around, messages: Box) -> Box:
    boxes = []
    for k, total in sums_by_degree(around, messages).items():
        lo, hi = total.lo / max(k, 1), total.hi / max(k, 1)
        boxes.append(widened(lo, hi, np.maximum(np.abs(lo), np.abs(hi)), 1) if k else Box(0 * lo, 0 * hi))
    return _hull(boxes)


def max_box(around: Around, messages: Box) -> Box:
    fixed, deletable, insertable = (messages.rows(which) for which in around[:3])
    none = np.full(messages.lo.shape[1], -np.inf)
    hi = np.maximum(_peak(fixed.hi, none), _peak(deletable.hi, none))
    if around.spend:
        hi = np.maximum(hi, _peak(insertable.hi, none))
    lo = _peak(fixed.lo, none)
    if around.deletable.size > around.spend:  # who takes away the largest leaves the next one
        lo = np.maximum(lo, -np.sort(-deletable.lo, axis=0)[around.spend])
    elif around.fixed.size == 0:  # any one of them can be all that is left, and nothing can be left
        lo = np.minimum(0.0, -_peak(-deletable.lo, none))
        if around.spend:
            lo = np.minimum(lo, -_peak(-insertable.lo, none))
        hi = np.maximum(hi, 0.0)
    return Box(lo, hi)


def _peak(values: FloatArray, none: FloatArray) -> FloatArray:
    peak: FloatArray = values.max(axis=0) if len(values) else none
    return peak


def _hull(boxes: list[Box]) -> Box:
    return Box(np.min([box.lo for box in boxes], axis=0), np.max([box.hi for box in boxes], axis=0))


_AGGREGATE = {Aggregation.SUM: sum_box, Aggregation.MEAN: mean_box, Aggregation.MAX: max_box}


def pool_box(pool: Aggregation, values: Box) -> Box:
    """One row: all vertices together."""
    if pool is Aggregation.MAX:
        return Box(values.lo.max(axis=0)[None], values.hi.max(axis=0)[None])
    count = values.lo.shape[0]
    divisor = count if pool is Aggregation.MEAN else 1
    lo, hi = (end.sum(axis=0)[None] / divisor for end in (values.lo, values.hi))
    return widened(lo, hi, values.magnitude.sum(axis=0)[None], count)


# --- the whole network ---


@dataclass(frozen=True)
class Enclosure:
    """before[k], after[k]: pre-activations and values of layer k + 1, rows as in `arena.needed[k + 1]`; the layers of
    the tail follow those of the graph, with one row each.
    """

    features: Box
    before: list[Box]
    after: list[Box]
    objective: Box  # one row, one column

    def below(self, number: int) -> Box:
        """What layer `number` reads."""
        return self.after[number - 1] if number else self.features


class Encloser:
    """Boxes for one objective, for any decisions about the pairs; what no decision changes is computed once."""

    def __init__(self, query: Query, arena: Arena, objective: Objective) -> None:
        self._arena, self._objective = arena, objective
        dense = query.graph.features.dense(arena.needed[0])
        low, high, free = dense, dense.copy(), arena.free
        if free is not None:
            low[free.row, free.column], high[free.row, free.column] = free.low, free.high
        self._features = Box(low, high)
        self._rows = [{v: row for row, v in enumerate(some)} for some in arena.needed]
        self._first = self._products(0, self._features)

    def _products(self, number: int, below: Box) -> tuple[Box, Box]:
        """C x + b of every vertex that is needed, and the messages of every vertex below."""
        layer = self._objective.layers[number]
        here = [self._rows[number][v] for v in self._arena.needed[number + 1]]
        own = times(layer.C, below.rows(here), layer.b)
        if layer.is_dense or layer.aggregation is Aggregation.MAX:
            return own, below
        return own, times(layer.A, below)

    def __call__(self, flips: IntArray) -> Enclosure:
        """`flips`: what is decided about pairs; what is decided about features comes behind, and is not looked at."""
        flips = flips[: len(self._arena.pairs)]
        before, after = list[Box](), list[Box]()
        below = self._features
        for number, layer in enumerate(self._objective.layers):
            own, messages = self._first if number == 0 else self._products(number, below)
            if not layer.is_dense:
                own = plus(own, self._gathered(number, layer, messages, flips))
            before.append(own)
            below = activated(layer, own)
            after.append(below)
        if self._objective.pool is not None:
            below = pool_box(self._objective.pool, below)
        for layer in self._objective.tail:
            before.append(times(layer.C, below, layer.b))
            below = activated(layer, before[-1])
            after.append(below)
        return Enclosure(self._features, before, after, times(self._objective.signs[None], below))

    def _gathered(self, number: int, layer: Layer, messages: Box, flips: IntArray) -> Box:
        """A agg{h(u)} of every vertex that is needed."""
        aggregate = _AGGREGATE[layer.aggregation]
        rows = self._rows[number]
        boxes = [aggregate(look_around(self._arena, v, rows, flips), messages) for v in self._arena.needed[number + 1]]
        stacked = Box(np.stack([box.lo for box in boxes]), np.stack([box.hi for box in boxes]))
        return times(layer.A, stacked) if layer.aggregation is Aggregation.MAX else stacked

"""Writes a query as a mixed-integer program: a binary for every pair that may flip, and the network as rows.

`vulnerable` is an assignment whose goal, the lead of a rival over the label, is above 0.
"""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np

from ...model.arrays import FloatArray
from ...model.network import Aggregation, Layer
from .aggregate import Message, encode_max, encode_max_of_constants, encode_mean, encode_sum
from .arena import FIXED, NOBODY, UNDECIDED, Arc, Arena, Around, look_around
from .boxes import Box, Enclosure, mean_box, pool_box, sum_box, times
from .features import Free
from .objective import Objective
from .program import Affine, Builder, Program, as_constant, combination


class Watched(NamedTuple):
    """A column whose box can be tightened while a solver runs: coordinate `at` of a vertex's row in a layer."""

    column: int
    after: bool  # a value, not a pre-activation
    layer: int
    row: int
    at: int


class OutOfTimeError(Exception):
    """The deadline passed while the program was written."""


class Encoder:
    """One objective in one arena, with the boxes that were found for it."""

    def __init__(self, arena: Arena, objective: Objective, boxes: Enclosure, deadline: float | None) -> None:
        self._arena, self._objective, self._boxes, self._deadline = arena, objective, boxes, deadline
        free = arena.free
        self._builder = Builder(len(arena.pairs) + (free.row.size if free is not None and free.flips else 0))
        self.free: list[int] = []
        self.watched: list[Watched] = []

    def program(self, gap: float, doubt: float) -> Program:
        self._budgets()
        values: list[list[Affine]] = []  # features are read from their box
        for number in range(len(self._objective.layers)):
            values = self._layer(number, values)
        goal = self._goal(values)
        box = self._boxes.objective
        column = self._builder.column(float(box.lo[0, 0]), float(box.hi[0, 0]))
        self._builder.equal(column, goal)
        return self._builder.finish(self._builder.columns - 1, gap, doubt, self.free)

    def _flip(self, pair: int) -> Affine:
        return Affine(0.0, {pair: 1.0})

    def _there(self, arc: Arc) -> Affine | None:
        if arc.pair == FIXED:
            return None
        return combination([(-1.0, self._flip(arc.pair))], 1.0) if arc.present else self._flip(arc.pair)

    def _budgets(self) -> None:
        arena = self._arena
        shared = arena.free is not None and arena.free.shared
        if arena.total is not None and arena.total < arena.most:
            every = [(float(cost), self._flip(pair)) for pair, cost in enumerate(arena.costs)]
            if shared:
                every += [(1.0, self._flip(column)) for column in range(len(arena.pairs), self._builder.flips)]
            self._builder.at_least(Affine(float(arena.total)), combination(every))
        at: dict[int, list[int]] = {}
        for pair, payers in enumerate(arena.payers):
            for w in payers:
                at.setdefault(w, []).append(pair)
        for w, limit in arena.local.items():
            if limit < sum(arena.costs[pair] for pair in at[w]):
                total = combination((float(arena.costs[pair]), self._flip(pair)) for pair in at[w])
                self._builder.at_least(Affine(float(limit)), total)
        if arena.free is not None and arena.free.flips:
            self._budgets_of_features(arena.free)

    def _budgets_of_features(self, free: Free) -> None:
        first = len(self._arena.pairs)
        if free.budget is not None and free.budget < free.row.size:
            total = combination((1.0, self._flip(first + at)) for at in range(free.row.size))
            self._builder.at_least(Affine(float(free.budget)), total)
        for row in np.unique(free.row).tolist():
            mine = np.flatnonzero(free.row == row).tolist()
            if free.local is not None and free.local < len(mine):
                total = combination((1.0, self._flip(first + at)) for at in mine)
                self._builder.at_least(Affine(float(free.local)), total)

    def _features(self, free: Free) -> list[list[Affine]]:
        """The layer that hands them on: columns where they may change."""
        values = [[Affine(x) for x in row] for row in self._boxes.features.lo.tolist()]
        first = len(self._arena.pairs)
        for at, (row, column) in enumerate(zip(free.row.tolist(), free.column.tolist(), strict=True)):
            start = float(free.start[at])
            if free.flips:
                values[row][column] = combination([(1.0 - 2.0 * start, self._flip(first + at))], start)
            else:
                values[row][column] = self._builder.column(float(free.low[at]), float(free.high[at]))
                self.free.append(self._builder.columns - 1)
        return values

    # --- layers ---

    def _layer(self, number: int, values: list[list[Affine]]) -> list[list[Affine]]:
        layer = self._objective.layers[number]
        if number == 0 and self._arena.free is not None:
            return self._features(self._arena.free)
        row_of = {v: row for row, v in enumerate(self._arena.needed[number])}
        out = []
        for row, v in enumerate(self._arena.needed[number + 1]):
            if self._deadline is not None and time.perf_counter() > self._deadline:
                raise OutOfTimeError
            if number == 0:
                before = _constants(*_known_product(layer.C, self._boxes.features.lo[row_of[v]], layer.b))
            else:
                before = _times(layer.C, values[row_of[v]], layer.b)
            if not layer.is_dense:
                for total, part in zip(before, self._gathered(number, v, row_of, values), strict=True):
                    total.add(part)
            out.append([self._neuron(number, layer, row, i, expression) for i, expression in enumerate(before)])
        return out

    def _gathered(self, number: int, v: int, row_of: dict[int, int], values: list[list[Affine]]) -> list[Affine]:
        """A agg{h(u)}, one expression a coordinate."""
        layer, below = self._objective.layers[number], self._boxes.below(number)
        arcs = self._arena.arcs[v]
        around = look_around(self._arena, v, row_of, np.full(len(self._arena.pairs), UNDECIDED))
        rows = [row_of[arc.source] for arc in arcs]
        if number == 0 and layer.aggregation is not Aggregation.MAX:
            # features are known, and long: multiply before aggregating
            below = times(layer.A, below)
            middle, half = (below.lo + below.hi) / 2, (below.hi - below.lo) / 2
            messages = [
                Message(row, self._there(arc), _constants(middle[row], half[row]), below.rows(row))
                for arc, row in zip(arcs, rows, strict=True)
            ]
            if layer.aggregation is Aggregation.SUM:
                return encode_sum(self._builder, messages, layer.width_out)
            return encode_mean(self._builder, messages, layer.width_out, around, below)
        known = number == 0
        messages = [
            Message(row, self._there(arc), () if known else values[row], below.rows(row))
            for arc, row in zip(arcs, rows, strict=True)
        ]
        if known:
            return encode_max_of_constants(self._builder, messages, below.lo, layer.A)
        if layer.aggregation is Aggregation.SUM:
            gathered = self._named(encode_sum(self._builder, messages, layer.width_in), sum_box(around, below))
        elif layer.aggregation is Aggregation.MEAN:
            means = encode_mean(self._builder, messages, layer.width_in, around, below)
            gathered = self._named(means, mean_box(around, below))
        else:
            gathered = encode_max(self._builder, messages, layer.width_in, around, below)
        return _times(layer.A, gathered, np.zeros(layer.width_out))

    def _named(self, expressions: list[Affine], box: Box) -> list[Affine]:
        """A column for every long expression, so that the rows that use it stay short."""
        out = []
        for expression, lo, hi in zip(expressions, box.lo.tolist(), box.hi.tolist(), strict=True):
            known = as_constant(lo, hi)
            if known is not None:
                out.append(known)
            elif len(expression.terms) > 2:
                column = self._builder.column(lo, hi)
                self._builder.equal(column, expression)
                out.append(column)
            else:
                out.append(expression)
        return out

    def _neuron(self, number: int, layer: Layer, row: int, i: int, before: Affine) -> Affine:
        """The activation: a line where its sign is known, otherwise a switch that chooses the side."""
        lo, hi = float(self._boxes.before[number].lo[row, i]), float(self._boxes.before[number].hi[row, i])
        slope = float(layer.negative_slopes[i])
        if hi <= 0 and slope == 0.0:
            return Affine()
        after = self._boxes.after[number]
        least, most = float(after.lo[row, i]), float(after.hi[row, i])
        known = as_constant(least, most)
        if known is not None:
            return known
        if not before.terms:
            return Affine((least + most) / 2, error=(most - least) / 2)
        p = before
        if len(before.terms) > 1:
            p = self._builder.column(lo, hi)
            self._builder.equal(p, before)
            self.watched.append(Watched(self._builder.columns - 1, False, number, row, i))
        if lo >= 0 or slope == 1.0:
            return p
        if hi <= 0:
            return combination([(slope, p)])
        h = self._builder.column(slope * lo, hi)
        self.watched.append(Watched(self._builder.columns - 1, True, number, row, i))
        positive = self._builder.binary()
        bend = 1.0 - slope
        low = combination([(slope, p)])
        self._builder.at_least(h, p)
        self._builder.at_least(h, low)
        self._builder.at_least(combination([(1.0, low), (bend * hi, positive)]), h)
        self._builder.at_least(combination([(1.0, p), (bend * lo, positive)], -bend * lo), h)
        return h

    # --- the goal ---

    def _goal(self, values: list[list[Affine]]) -> Affine:
        objective, out = self._objective, values[0]
        if objective.pool is not None:
            out = self._pooled(objective.pool, values)
        for number, layer in enumerate(objective.tail, len(objective.layers)):
            before = _times(layer.C, out, layer.b)
            out = [self._neuron(number, layer, 0, i, expression) for i, expression in enumerate(before)]
        return combination(zip(objective.signs.tolist(), out, strict=True))

    def _pooled(self, pool: Aggregation, values: list[list[Affine]]) -> list[Affine]:
        width, last = len(values[0]), self._boxes.after[len(self._objective.layers) - 1]
        if pool is Aggregation.MAX:
            messages = [Message(row, None, some, last.rows(row)) for row, some in enumerate(values)]
            everyone = Around(np.arange(len(values)), NOBODY, NOBODY, 0)
            return encode_max(self._builder, messages, width, everyone, last)
        share = 1.0 / len(values) if pool is Aggregation.MEAN else 1.0
        pooled = [combination((share, some[j]) for some in values) for j in range(width)]
        return self._named(pooled, pool_box(pool, last).rows(0))


def _times(weight: FloatArray, values: list[Affine], constant: FloatArray) -> list[Affine]:
    """weight @ values + constant."""
    known = np.array([value.constant for value in values])
    doubt = np.array([value.error for value in values])
    constants, errors = _known_product(weight, known, constant, doubt)
    out = []
    open_ones = [(j, value.terms) for j, value in enumerate(values) if value.terms]
    for row, start, error in zip(weight.tolist(), constants.tolist(), errors.tolist(), strict=True):
        terms: dict[int, float] = {}
        for j, some in open_ones:
            factor = row[j]
            if factor != 0.0:
                for column, coefficient in some.items():
                    terms[column] = terms.get(column, 0.0) + factor * coefficient
        out.append(Affine(start, terms, error))
    return out


def _known_product(
    weight: FloatArray, known: FloatArray, constant: FloatArray, doubt: FloatArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """weight @ known + constant, and a bound on its error: of rounding, and of what was known with a doubt."""
    size = np.abs(weight)
    error = (size @ np.abs(known) + np.abs(constant)) * (8 * (known.size + 8) * 2.0**-53)
    if doubt is not None:
        error = error + size @ doubt
    return weight @ known + constant, error


def _constants(values: FloatArray, errors: FloatArray) -> list[Affine]:
    return [Affine(value, error=error) for value, error in zip(values.tolist(), errors.tolist(), strict=True)]

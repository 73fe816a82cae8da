"""Intervals of coefficients, carried down from the margins to what vertices send: middle and radius.

Theory: "Single insertions through any depth".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...model.arrays import FloatArray, IntArray
from .raised import Raised
from .stand import Stand, activate, sum_rows


@dataclass(frozen=True)
class Coefficients:
    """(vertices, rivals, width)"""

    middle: FloatArray
    radius: FloatArray

    def times(self, weight: FloatArray) -> Coefficients:
        return Coefficients(self.middle @ weight, self.radius @ abs(weight))

    def scaled(self, low: FloatArray, high: FloatArray) -> Coefficients:
        """Times slopes between low and high, which are not negative: (vertices, width)."""
        down, up = self.middle - self.radius, self.middle + self.radius
        a, b = low[:, None], high[:, None]
        down, up = np.minimum(down * a, down * b), np.maximum(up * a, up * b)
        return Coefficients(0.5 * (down + up), 0.5 * (up - down))

    def gathered(self, ptr: IntArray, chosen: IntArray, weight: FloatArray) -> Coefficients:
        """Row u: the sum over k in ptr[u]:ptr[u + 1] of weight[k] times row chosen[k]; weights are not negative."""
        factor = weight[:, None, None]
        return Coefficients(sum_rows(ptr, factor * self.middle[chosen]), sum_rows(ptr, factor * self.radius[chosen]))

    def plus(self, other: Coefficients) -> Coefficients:
        """`other` may have fewer vertices."""
        middle, radius, size = self.middle.copy(), self.radius.copy(), other.middle.shape[0]
        middle[:size] += other.middle
        radius[:size] += other.radius
        return Coefficients(middle, radius)

    def most(self, at: int, rows: FloatArray) -> FloatArray:
        """(rows, rivals): the largest product of a row with a coefficient of one vertex."""
        up: FloatArray = rows @ self.middle[at].T + abs(rows) @ self.radius[at].T
        return up

    def most_each(self, at: IntArray, rows: FloatArray) -> FloatArray:
        """The same, row k with vertex at[k]."""
        up: FloatArray = np.matmul(self.middle[at], rows[:, :, None]) + np.matmul(
            self.radius[at], abs(rows)[:, :, None]
        )
        return up.reshape(up.shape[:2])


def most_between(held: Coefficients, at: IntArray, low: FloatArray, high: FloatArray) -> FloatArray:
    """(rows, rivals): the largest product of a coefficient of vertex at[k] with a row between low[k] and high[k]."""
    middle, radius = 0.5 * (low + high), 0.5 * (high - low)
    some, spread = held.middle[at], held.radius[at]
    up: FloatArray = np.matmul(some, middle[:, :, None]) + np.matmul(abs(some), radius[:, :, None])
    up += np.matmul(spread, (abs(middle) + radius)[:, :, None])
    return up.reshape(up.shape[:2])


def slopes(
    pre: FloatArray, low: FloatArray, high: FloatArray, slope: FloatArray, error: float
) -> tuple[FloatArray, FloatArray]:
    """Range of (act(z + d) - act(z)) / d for d between low <= 0 and high >= 0, everything off by `error` at most."""
    return _quotient(pre - error, pre + low - error, slope), _quotient(pre + error, pre + high + error, slope)


def _quotient(one: FloatArray, other: FloatArray, slope: FloatArray) -> FloatArray:
    small, large = np.minimum(one, other), np.maximum(one, other)
    apart = np.where((small < 0.0) & (large > 0.0), large - small, 1.0)
    between = (large - slope * small) / apart
    return np.where(small >= 0.0, 1.0, np.where(large <= 0.0, slope, between))


def moved(pre: FloatArray, change: FloatArray, slope: FloatArray) -> FloatArray:
    return activate(pre + change, slope) - activate(pre, slope)


@dataclass(frozen=True)
class Descent:
    """Coefficients of the margins: `heard` of pre-activations of the second layer that hears, `passed` of what it
    takes, `first` of pre-activations of the first one.
    """

    heard: Coefficients
    passed: Coefficients
    first: Coefficients


def go_down(stand: Stand, raised: Raised, ranges: dict[int, tuple[FloatArray, FloatArray]]) -> Descent:
    """`ranges`: of slopes, of each layer from the first that hears on."""
    question = stand.question
    held = Coefficients(question.rows[None], np.zeros((1, *question.rows.shape)))
    heard = passed = held
    for number in range(len(question.layers) - 1, question.first - 1, -1):
        held = held.scaled(*ranges[number])
        layer = question.layers[number]
        if number == question.second:
            heard = held
        if number == question.first:
            break
        kept = held.times(layer.C)
        if question.hears(number):
            below = stand.count[question.left(number - 1)]
            arcs = stand.arcs_into(number)
            order = np.argsort(stand.source[:arcs], kind="stable")
            ptr = np.searchsorted(stand.source[:arcs][order], np.arange(below + 1))
            sent = held.times(layer.A)
            kept = sent.gathered(ptr, stand.target[:arcs][order], raised.weight[number][order]).plus(kept)
        held = kept
        if number == question.second:
            passed = held
    return Descent(heard, passed, held)

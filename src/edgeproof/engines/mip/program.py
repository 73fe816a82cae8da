"""A mixed-integer program in plain arrays, scaled so that a solver's absolute tolerances mean the same everywhere."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ...model.arrays import FloatArray, IntArray

FEASIBLE = 1e-7
"""How far solvers may be off in a row, whose largest coefficient is 1, and in a column, whose range is 1 or 2."""

ROOM = 10 * FEASIBLE
"""By how much columns reach beyond their boxes, so that graphs at the end of a box stand well inside."""

_NEGLIGIBLE = 1e-12  # in a row whose largest term is 1: equalities are not opened for less
_SMALLEST = 1e-6  # next to 1 in a row: what a solver derives for a column from such a coefficient is mostly rounding


_CONSTANT = 1e-9  # what varies less, next to its size, is a constant with an error: its range may be rounding


def as_constant(lo: float, hi: float) -> Affine | None:
    """A value of which nothing is known but that it lies in [lo, hi], if that says it all."""
    if hi - lo > _CONSTANT * max(abs(lo), abs(hi)) + 2.0**-900:
        return None
    return Affine((lo + hi) / 2, error=(hi - lo) / 2)


@dataclass(slots=True)
class Affine:
    """constant + sum of coefficient * column; the true value differs by at most `error`."""

    constant: float = 0.0
    terms: dict[int, float] = field(default_factory=dict)
    error: float = 0.0

    def add(self, other: Affine, factor: float = 1.0) -> None:
        if factor == 0.0:
            return
        self.constant += factor * other.constant
        self.error += abs(factor) * other.error
        for column, coefficient in other.terms.items():
            self.terms[column] = self.terms.get(column, 0.0) + factor * coefficient

    def __copy__(self) -> Affine:
        return Affine(self.constant, dict(self.terms), self.error)


def combination(parts: Iterable[tuple[float, Affine]], constant: float = 0.0) -> Affine:
    total = Affine(constant)
    for factor, part in parts:
        total.add(part, factor)
    return total


@dataclass(frozen=True)
class Program:
    """Maximise the column `goal`. Everything is scaled: column j stands for offset[j] + scale[j] * x[j]."""

    lower: FloatArray
    upper: FloatArray
    offset: FloatArray
    scale: FloatArray
    integer: NDArray[np.bool_]
    row_ptr: IntArray
    row_columns: IntArray
    row_values: FloatArray
    row_lower: FloatArray
    row_upper: FloatArray
    goal: int
    enough: float  # a goal of this much is an attack, tolerance or not
    flips: int  # columns 0 .. flips - 1 say which pairs flip, and then which features
    free: tuple[int, ...] = ()  # columns of features that move between two ends

    def rows(self) -> Iterable[tuple[IntArray, FloatArray, float, float]]:
        for row in range(self.row_lower.size):
            span = slice(self.row_ptr[row], self.row_ptr[row + 1])
            yield self.row_columns[span], self.row_values[span], self.row_lower[row], self.row_upper[row]

    def unscaled(self, values: Iterable[float]) -> FloatArray:
        """What the columns of free features stand for."""
        which = list(self.free)
        return self.offset[which] + self.scale[which] * np.array(list(values), dtype=np.float64)

    def without(self, flipped: IntArray) -> Program:
        """The same program, this one choice of flips cut off: another one differs from it somewhere."""
        signs = np.where(flipped == 1, -1.0, 1.0)
        return Program(
            self.lower, self.upper, self.offset, self.scale, self.integer,
            np.append(self.row_ptr, self.row_ptr[-1] + self.flips),
            np.concatenate([self.row_columns, np.arange(self.flips)]),
            np.concatenate([self.row_values, signs]),
            np.append(self.row_lower, 1.0 - float((flipped == 1).sum())),
            np.append(self.row_upper, np.inf),
            self.goal, self.enough, self.flips, self.free,
        )  # fmt: skip


class Builder:
    """Collects columns and rows in the units of the network."""

    def __init__(self, flips: int) -> None:
        self.flips = flips
        self._lower, self._upper = [0.0] * flips, [1.0] * flips
        self._integer = [True] * flips
        self._rows: list[Affine] = []
        self._row_ends: list[tuple[float, float]] = []

    def copy(self) -> Builder:
        other = copy(self)
        for name in ("_lower", "_upper", "_integer", "_rows", "_row_ends"):
            setattr(other, name, list(getattr(self, name)))
        return other

    @property
    def columns(self) -> int:
        return len(self._lower)

    def column(self, lower: float, upper: float, integer: bool = False) -> Affine:
        """A new column, as an expression."""
        self._lower.append(lower)
        self._upper.append(upper)
        self._integer.append(integer)
        return Affine(0.0, {len(self._lower) - 1: 1.0})

    def binary(self) -> Affine:
        return self.column(0.0, 1.0, integer=True)

    def at_least(self, left: Affine, right: Affine | float) -> None:
        """left >= right."""
        self._add(left, right, np.inf)

    def equal(self, left: Affine, right: Affine | float) -> None:
        self._add(left, right, 0.0)

    def _add(self, left: Affine, right: Affine | float, most: float) -> None:
        row = copy(left)
        row.add(right if isinstance(right, Affine) else Affine(right), -1.0)
        self._rows.append(row)
        self._row_ends.append((0.0, most))

    def finish(self, goal: int, gap: float, doubt: float, free: Iterable[int] = ()) -> Program:
        """Scale, and ask of the goal to be above what a tie could look like.

        `doubt` is how far the solver's tolerance can move the goal, so a graph that it takes for one below `-doubt`
        is none above 0. Where goals above 0 are known to reach `gap`, and the doubt is small next to it, ties are
        left out instead of looked at one by one.
        """
        lower, upper, integer = np.array(self._lower), np.array(self._upper), np.array(self._integer)
        # what is far from zero but hardly varies must not look like a constant to a solver
        offset = np.where(integer, 0.0, np.clip(0.0, lower, upper))
        scale = np.where(integer, 1.0, _power_of_two(np.maximum(upper - offset, offset - lower)))
        room = np.where(integer, 0.0, ROOM * scale)
        lower, upper = lower - room, upper + room
        least = gap / 2 if gap > 8 * doubt else -doubt
        lower[goal] = max(lower[goal], least)

        count = len(self._rows)
        number = np.repeat(np.arange(count), [len(row.terms) for row in self._rows])
        columns = np.array([column for row in self._rows for column in row.terms], dtype=np.int64)
        values = np.array([value for row in self._rows for value in row.terms.values()], dtype=np.float64)
        fixed = values * offset[columns]
        constant = np.array([row.constant for row in self._rows]) + np.bincount(number, fixed, count)
        error = np.array([row.error for row in self._rows])
        error += np.bincount(number, np.abs(fixed), count) * (np.bincount(number, minlength=count) + 2) * 2.0**-52

        values = values * scale[columns]
        peak = np.zeros(count)
        np.maximum.at(peak, number, np.abs(values))
        row_scale = _power_of_two(peak)
        values = values / row_scale[number]
        kept = np.abs(values) >= _SMALLEST
        error = error / row_scale + np.bincount(number[~kept], np.abs(values[~kept]) * 2, count)
        error[error <= _NEGLIGIBLE] = 0.0
        ends = (np.array(self._row_ends).reshape(-1, 2) - constant[:, None]) / row_scale[:, None]
        ptr = np.concatenate([[0], np.cumsum(np.bincount(number[kept], minlength=count))]).astype(np.int64)
        return Program(
            (lower - offset) / scale, (upper - offset) / scale, offset, scale, integer,
            ptr, columns[kept], values[kept], ends[:, 0] - error, ends[:, 1] + error,
            goal, (max(least, doubt) - offset[goal]) / scale[goal], self.flips, tuple(free),
        )  # fmt: skip


def _power_of_two(size: FloatArray) -> FloatArray:
    """Next to `size`, so that dividing by it rounds nothing; 1 for zero."""
    return np.where(size > 0, np.ldexp(1.0, np.frexp(size)[1] - 1), 1.0)

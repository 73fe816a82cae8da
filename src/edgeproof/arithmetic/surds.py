"""Exact numbers with square roots of whole numbers in them: what GCN's 1 / sqrt(deg u deg v) brings.

Every such number is a sum of rational multiples of square roots of square-free whole numbers. Those roots are linearly
independent over the rationals, so the sum is 0 only if every coefficient is: that is the test for zero, and the sign
of anything else shows at some finite precision.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache, total_ordering
from math import gcd, lcm, sqrt
from typing import Any

import flint


@cache
def square_free(number: int) -> tuple[int, int]:
    """(s, q) with number = s * s * q and q square-free.

    >>> square_free(72)
    (6, 2)
    """
    s, q = 1, 1
    for prime, power in flint.fmpz(number).factor():
        s *= int(prime) ** (int(power) // 2)
        q *= int(prime) ** (int(power) % 2)
    return s, q


def _sign(parts: Mapping[int, flint.fmpq]) -> int:
    """The sign of a sum of coefficient * sqrt(q); no coefficient is 0."""
    if len({coefficient > 0 for coefficient in parts.values()}) < 2:
        return 0 if not parts else 1 if next(iter(parts.values())) > 0 else -1
    scale = lcm(*(int(coefficient.q) for coefficient in parts.values()))
    whole = [(int(coefficient.p) * scale // int(coefficient.q), q) for q, coefficient in parts.items()]
    squares = [(1 if x > 0 else -1, flint.fmpz(x * x * q)) for x, q in whole]
    shift = 32
    while True:
        # each root is rounded down, so that the sum is off by less than one unit a term
        total = sum(side * int((square << 2 * shift).isqrt()) for side, square in squares)
        if abs(total) >= len(squares):
            return 1 if total > 0 else -1
        shift *= 2


@total_ordering
class Surd:
    """One number: `parts` maps square-free q to the coefficient of sqrt(q), and leaves out those that are 0.

    >>> Surd({2: flint.fmpq(3, 2)}) > Surd({1: flint.fmpq(2)})
    True
    """

    __slots__ = ("parts",)

    def __init__(self, parts: Mapping[int, flint.fmpq]) -> None:
        self.parts = {q: coefficient for q, coefficient in parts.items() if coefficient != 0}

    @classmethod
    def of(cls, value: Any) -> Surd:
        """A whole number or a rational as a surd."""
        return value if isinstance(value, Surd) else cls({1: flint.fmpq(value)})

    def __sub__(self, other: Any) -> Surd:
        parts = dict(self.parts)
        for q, coefficient in Surd.of(other).parts.items():
            parts[q] = parts.get(q, flint.fmpq(0)) - coefficient
        return Surd(parts)

    def __mul__(self, factor: flint.fmpq) -> Surd:
        return Surd({q: coefficient * factor for q, coefficient in self.parts.items()})

    def sign(self) -> int:
        return _sign(self.parts)

    def __eq__(self, other: object) -> bool:
        return not (self - other).parts

    def __lt__(self, other: Any) -> bool:
        return bool((self - other).sign() < 0)

    __hash__ = None  # type: ignore[assignment]  # equal to rationals, which hash otherwise

    def __float__(self) -> float:
        return float(sum(int(c.p) / int(c.q) * sqrt(q) for q, c in self.parts.items()))

    def __repr__(self) -> str:
        return " + ".join(f"{c} sqrt({q})" if q > 1 else str(c) for q, c in sorted(self.parts.items())) or "0"


class Column:
    """A vector of such numbers: one rational column for each square-free number."""

    __slots__ = ("_parts",)

    def __init__(self, parts: Mapping[int, flint.fmpq_mat]) -> None:
        self._parts = dict(parts)

    @classmethod
    def of(cls, rational: flint.fmpq_mat) -> Column:
        return cls({1: rational})

    @classmethod
    def from_entries(cls, entries: list[Surd]) -> Column:
        roots = dict.fromkeys(q for entry in entries for q in entry.parts) or {1: None}
        zero = flint.fmpq(0)
        return cls({q: flint.fmpq_mat(len(entries), 1, [one.parts.get(q, zero) for one in entries]) for q in roots})

    def entries(self) -> list[Surd]:
        columns = [column.entries() for column in self._parts.values()]
        return [Surd(dict(zip(self._parts, row, strict=True))) for row in zip(*columns, strict=True)]

    def __add__(self, other: Column) -> Column:
        parts = dict(self._parts)
        for q, column in other._parts.items():
            parts[q] = parts[q] + column if q in parts else column
        return Column(parts)

    def __mul__(self, factor: flint.fmpq) -> Column:
        return Column({q: column * factor for q, column in self._parts.items()})

    def __rmul__(self, matrix: flint.fmpq_mat) -> Column:
        """A rational matrix times this column."""
        return Column({q: matrix * column for q, column in self._parts.items()})

    def over_root(self, number: int) -> Column:
        """This column divided by sqrt(number)."""
        s, root = square_free(number)  # 1 / sqrt(number) = sqrt(root) / (s root)
        parts: dict[int, flint.fmpq_mat] = {}
        for q, column in self._parts.items():
            common = gcd(q, root)
            into, scaled = q * root // common**2, column * flint.fmpq(common, s * root)
            parts[into] = parts[into] + scaled if into in parts else scaled
        return Column(parts)


def largest(columns: Iterable[Column]) -> Column:
    """Entry by entry."""
    return Column.from_entries([max(row) for row in zip(*(one.entries() for one in columns), strict=True)])

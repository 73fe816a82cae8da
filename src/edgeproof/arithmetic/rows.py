"""Rows of whole numbers, one for all vertices that hold the same, and their sums, means and maxima.

Vertices whose surroundings look the same up to a layer hold the same after it, and are computed once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cached_property
from math import lcm

import flint

from ..model.network import Aggregation
from .weights import ZERO, Matrix

# up to so many pairs of a row and a sum that it may be in, sums are the product of two matrices
FEW_PAIRS = 1 << 15
Groups = tuple[tuple[int, ...], ...]  # of vertices by their places in the widest ring, or of their kinds


class Rows:
    """What vertices hold, as whole numbers over a scale: the k-th has distinct[kinds[k]], and kinds are numbered as
    they first occur.
    """

    def __init__(self, distinct: list[list[flint.fmpz]], scale: flint.fmpz, kinds: list[int]) -> None:
        self.distinct, self.scale, self.kinds = distinct, scale, kinds

    @cached_property
    def matrix(self) -> Matrix:
        """Every row with the scale behind it: that is the 1 which a bias is multiplied with."""
        return Matrix([[*row, self.scale] for row in self.distinct])

    def suit_product(self, count: int) -> bool:
        """Whether `count` sums of rows are best had as a product. It takes a matrix of all rows, other ways one of all
        sums, and to make a matrix takes longer than to multiply it; but most of a large product is zeros.
        """
        return len(self.distinct) <= count and len(self.distinct) * count <= FEW_PAIRS

    def pick(self, kinds: list[int]) -> Matrix:
        """The same as `matrix`, for these rows."""
        if kinds == list(range(len(self.distinct))):
            return self.matrix
        if not self.suit_product(len(kinds)):
            return Matrix([[*self.distinct[kind], self.scale] for kind in kinds])
        ones = Matrix(len(kinds), len(self.distinct))
        for k, kind in enumerate(kinds):
            ones[k, kind] = 1
        return ones * self.matrix


def tell_apart(how: Aggregation, kinds: list[int], groups: Groups) -> tuple[list[int], list[int], Groups]:
    """The kinds of vertices after a layer, and for each of these the kind it had before, and those it hears: vertices
    that agree in this will hold the same.
    """
    if kinds == list(range(len(kinds))):
        after = kinds[: len(groups)]
        return after, after, groups
    found: dict[tuple[int, ...], int] = {}
    after = []
    for own, group in enumerate(groups):
        heard = map(kinds.__getitem__, group)
        key = (kinds[own], *sorted(set(heard) if how is Aggregation.MAX else heard))
        after.append(found.setdefault(key, len(found)))
    return after, [key[0] for key in found], tuple([key[1:] for key in found])


def tally(kinds: list[int]) -> Matrix:
    """How often each kind occurs, as a row."""
    return Matrix([list(Counter(kinds).values())])


def _no_look() -> None:
    pass


def gather(how: Aggregation, rows: Rows, groups: Groups, look: Callable[[], None] = _no_look) -> tuple[Matrix, int]:
    """The sum, mean or largest of each group of rows, with a last column that means nothing; and what to divide all by.
    An empty group gives 0. `look` is called now and then, and may raise.
    """
    distinct, divisors = rows.distinct, _divisors(how, groups)
    whole = lcm(*divisors)
    if how is not Aggregation.MAX and rows.suit_product(len(groups)):
        times = Matrix(len(groups), len(distinct))
        for k, (group, divisor) in enumerate(zip(groups, divisors, strict=True)):
            for kind in group:
                times[k, kind] += whole // divisor
        return times * rows.matrix, whole
    none = [ZERO] * len(distinct[0])
    found = []
    for group in groups:
        look()
        found.append(combine(how, [distinct[kind] for kind in group]) if group else none)
    return Matrix([[*row, ZERO] for row in over(whole, found, divisors)]), whole


def gather_all(how: Aggregation, rows: Rows, groups: Groups, look: Callable[[], None] = _no_look) -> tuple[Matrix, int]:
    """The same for groups of vertices, added up over all groups."""
    if how is Aggregation.MAX:
        kinds, _, heard = tell_apart(how, rows.kinds, groups)
        return tally(kinds) * gather(how, rows, heard, look)[0], 1
    divisors = _divisors(how, groups)
    whole = lcm(*divisors)
    times = [0] * len(rows.distinct)
    for group, divisor in zip(groups, divisors, strict=True):
        for u in group:
            times[rows.kinds[u]] += whole // divisor
    return Matrix([times]) * rows.matrix, whole


def _divisors(how: Aggregation, groups: Groups) -> list[int]:
    """What to divide the sum over each group by."""
    return [len(group) or 1 for group in groups] if how is Aggregation.MEAN else [1] * len(groups)


def over(whole: int, rows: list[list[flint.fmpz]], divisors: list[int]) -> list[list[flint.fmpz]]:
    """Rows over a divisor each, as rows over one number, which is a multiple of all of these."""
    return [row if d == whole else [x * (whole // d) for x in row] for row, d in zip(rows, divisors, strict=True)]


def combine(how: Aggregation, rows: list[list[flint.fmpz]]) -> list[flint.fmpz]:
    """The largest or the sum of some rows, column by column; a mean is a sum that is divided later."""
    if len(rows) == 1:
        return rows[0]
    if how is Aggregation.MAX:
        return list(map(max, *rows))
    return [sum(column[1:], column[0]) for column in zip(*rows, strict=True)]


def pool_rows(how: Aggregation, rows: Rows) -> Rows:
    pooled = combine(how, [rows.distinct[kind] for kind in rows.kinds])
    return Rows([pooled], rows.scale * (len(rows.kinds) if how is Aggregation.MEAN else 1), [0])

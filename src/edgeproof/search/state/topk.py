"""The largest numbers seen so far: of rows, coordinate by coordinate, or of single numbers.

Theory: "Interval of a sum".
"""

from __future__ import annotations

from ..jit.decorators import leaf, loop

# what a list of top rows ranks, for either end of an interval: what deletions take away, what insertions add
DELETED_LOW, DELETED_HIGH, INSERTED_LOW, INSERTED_HIGH = 0, 1, 2, 3


@loop
def insert_top(top, ranks, m, row, sign, x):
    """Insert sign * row into the `ranks` largest seen so far, coordinate by coordinate (x is scratch).

    Sorting networks for all coordinates at once: min and max vectorise where a sort a coordinate does not.
    """
    for i in range(m):
        x[i] = sign * row[i]
    for k in range(ranks):
        held = top[k]
        for i in range(m):
            larger = max(held[i], x[i])
            x[i] = min(held[i], x[i])
            held[i] = larger


@leaf
def insert_number(top, ranks, value):
    """Insert one number into the `ranks` largest seen so far."""
    for k in range(ranks):
        larger = max(top[k], value)
        value = min(top[k], value)
        top[k] = larger


@leaf
def sum_of(top, ranks):
    total = 0.0
    for k in range(ranks):
        total += top[k]
    return total

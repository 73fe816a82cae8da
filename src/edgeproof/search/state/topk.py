"""The largest of many rows, coordinate by coordinate.

Theory: "Interval of a sum".
"""

from __future__ import annotations

from ..jit.decorators import loop


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

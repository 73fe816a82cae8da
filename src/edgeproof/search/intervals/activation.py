"""Activations of numbers and of boxes.

Theory: "Interval bound propagation".
"""

from __future__ import annotations

from ..jit.decorators import leaf, loop
from ..state.curves import RANGE_HIGH, RANGE_LOW, curve_ranges
from ..state.rows import copy, split_interval
from ..state.state import HIGH, LOW


@loop
def act(out, row, slope, m):
    """The activation."""
    for i in range(m):
        out[i] = max(row[i], 0.0) + slope[i] * min(row[i], 0.0)


@leaf
def act_box(p, s, t, v, centre, radius):
    """The box of h_t(v) as centre and radius."""
    record, width, slope = s.boxes[t, v], p.width[t], p.slope[t]
    if p.curves[t]:
        kept = s.curves[t, v]
        curve_ranges(kept, record[LOW], record[HIGH], slope, width)
        split_interval(centre, radius, kept[RANGE_LOW], kept[RANGE_HIGH], width)
    else:
        act_interval(centre, radius, record[LOW], record[HIGH], slope, width)


@leaf
def act_ends(p, s, t, v, low, high):
    """Both ends of the box of h_t(v)."""
    record, width, slope = s.boxes[t, v], p.width[t], p.slope[t]
    if p.curves[t]:
        kept = s.curves[t, v]
        curve_ranges(kept, record[LOW], record[HIGH], slope, width)
        copy(low, kept[RANGE_LOW], width)
        copy(high, kept[RANGE_HIGH], width)
    else:
        act(low, record[LOW], slope, width)
        act(high, record[HIGH], slope, width)


@loop
def act_interval(centre, radius, low, high, slope, m):
    """The box of h as centre and radius, from the box of the pre-activation."""
    for i in range(m):
        bottom = max(low[i], 0.0) + slope[i] * min(low[i], 0.0)
        above = max(high[i], 0.0) + slope[i] * min(high[i], 0.0)
        centre[i] = 0.5 * (bottom + above)
        radius[i] = 0.5 * (above - bottom)

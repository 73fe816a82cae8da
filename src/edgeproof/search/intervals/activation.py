"""Activations of numbers and of boxes.

Theory: "Interval bound propagation".
"""

from __future__ import annotations

from ..jit.decorators import loop


@loop
def act(out, row, slope, m):
    """The activation."""
    for i in range(m):
        out[i] = max(row[i], 0.0) + slope[i] * min(row[i], 0.0)


@loop
def act_interval(centre, radius, low, high, slope, m):
    """The box of h as centre and radius, from the box of the pre-activation."""
    for i in range(m):
        bottom = max(low[i], 0.0) + slope[i] * min(low[i], 0.0)
        above = max(high[i], 0.0) + slope[i] * min(high[i], 0.0)
        centre[i] = 0.5 * (bottom + above)
        radius[i] = 0.5 * (above - bottom)

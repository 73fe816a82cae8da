"""Activations in a backward pass: a chord bounds them from above, a tangent from below.

Theory: "Relaxed activations".
"""

from __future__ import annotations

from ..jit.decorators import kernel, leaf, reduction
from ..state.curves import ABOVE_RISE, ABOVE_SLOPE, BELOW_DROP, BELOW_SLOPE, curve_lines
from ..state.scratch import CHORD_RISE, CHORD_SLOPE, TANGENT_DROP, TANGENT_SLOPE
from ..state.state import HIGH, LOW


@reduction
def relax_row(row, up, rise, under, m):
    """Replace coefficients on h by coefficients on p; returns what goes to the constant."""
    const = 0.0
    for i in range(m):
        positive, negative = max(row[i], 0.0), min(row[i], 0.0)
        row[i] = positive * up[i] + negative * under[i]
        const += positive * rise[i]
    return const


@reduction
def relax_curved_row(row, up, rise, under, drop, m):
    """The same where lines below have a constant, too; also the magnitude of what went to the constant."""
    const, size = 0.0, 0.0
    for i in range(m):
        positive, negative = max(row[i], 0.0), min(row[i], 0.0)
        row[i] = positive * up[i] + negative * under[i]
        const += positive * rise[i] - negative * drop[i]
        size += positive * abs(rise[i]) - negative * abs(drop[i])
    return const, size


@kernel
def relax_curved(p, s, linear, side, u, t, rows):
    """Where some activations are curved, their lines are kept with the vertex (state/curves.py).

    Their constants are no multiples of a box's ends by coefficients of the lines, so the rounding of what they add up
    to is charged here.

    Theory: "Lines for curved activations".
    """
    width, bends, kept = p.width[t], p.slope[t], s.curves[t, u]
    low, high = s.boxes[t, u, LOW], s.boxes[t, u, HIGH]
    curve_lines(kept, low, high, bends, width)
    up, rise, under, drop = (
        s.scratch[CHORD_SLOPE], s.scratch[CHORD_RISE], s.scratch[TANGENT_SLOPE], s.scratch[TANGENT_DROP]
    )  # fmt: skip
    for i in range(width):
        if bends[i] < 2.0:
            up[i], rise[i], under[i] = lines_of_bend(low[i], high[i], bends[i])
            drop[i] = 0.0
        else:
            up[i], rise[i], under[i], drop[i] = (
                kept[ABOVE_SLOPE, i], kept[ABOVE_RISE, i], kept[BELOW_SLOPE, i], kept[BELOW_DROP, i]
            )  # fmt: skip
    for b in range(rows):
        const, size = relax_curved_row(linear.on[side, u, b], up, rise, under, drop, width)
        linear.const[b] += const
        linear.error[b] += size * (16.0 * p.roundings) * 2.0**-53


@leaf
def lines_of_bend(bottom, above, k):
    """Of an activation with slope k on negative numbers: slope and constant of the line above, slope of that below."""
    if above <= 0.0:
        return k, 0.0, k
    if not bottom < 0.0:
        return 1.0, 0.0, 1.0
    slope = (above - k * bottom) / (above - bottom)
    return slope, max(k * bottom - slope * bottom, above - slope * above), 1.0 if above > -bottom else k


@kernel
def relax(p, s, linear, side, u, t, rows):
    """From coefficients on h_t(u) to coefficients on p_t(u): the activation's chord above, a tangent below.

    With negative slope k: above, on [l, h], the line through (l, k l) and (h, h); below, slope 1 or k, whichever is
    closer. A slope computed in floats is as good as any if the constant makes the line lie on the right side.
    """
    if not p.bends[t]:
        return
    if p.curves[t]:
        relax_curved(p, s, linear, side, u, t, rows)
        return
    width, slopes = p.width[t], p.slope[t]
    low, high = s.boxes[t, u, LOW], s.boxes[t, u, HIGH]
    up, rise, under = s.scratch[CHORD_SLOPE], s.scratch[CHORD_RISE], s.scratch[TANGENT_SLOPE]
    for i in range(width):
        up[i], rise[i], under[i] = lines_of_bend(low[i], high[i], slopes[i])
    for b in range(rows):
        linear.const[b] += relax_row(linear.on[side, u, b], up, rise, under, width)

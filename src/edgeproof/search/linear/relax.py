"""Activations in a backward pass: a chord bounds them from above, a tangent from below.

Theory: "Relaxed activations".
"""

from __future__ import annotations

from ..jit.decorators import kernel, reduction
from ..state.scratch import CHORD_RISE, CHORD_SLOPE, TANGENT_SLOPE
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


@kernel
def relax(p, s, linear, side, u, t, rows):
    """From coefficients on h_t(u) to coefficients on p_t(u): the activation's chord above, a tangent below.

    With negative slope k: above, on [l, h], the line through (l, k l) and (h, h); below, slope 1 or k, whichever is
    closer. A slope computed in floats is as good as any if the constant makes the line lie on the right side.
    """
    if not p.bends[t]:
        return
    width, slopes = p.width[t], p.slope[t]
    low, high = s.boxes[t, u, LOW], s.boxes[t, u, HIGH]
    up, rise, under = s.scratch[CHORD_SLOPE], s.scratch[CHORD_RISE], s.scratch[TANGENT_SLOPE]
    for i in range(width):
        bottom, above, k = low[i], high[i], slopes[i]
        up[i] = 1.0
        rise[i] = 0.0
        under[i] = 1.0
        if above <= 0.0:
            up[i] = k
            under[i] = k
        elif bottom < 0.0:
            slope = (above - k * bottom) / (above - bottom)
            up[i] = slope
            rise[i] = max(k * bottom - slope * bottom, above - slope * above)
            under[i] = 1.0 if above > -bottom else k
    for b in range(rows):
        linear.const[b] += relax_row(linear.on[side, u, b], up, rise, under, width)

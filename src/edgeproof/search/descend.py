"""Lines: linear upper bounds in the flips, with one budget shared by all vertices and layers (BOUNDS.md, section 2).

A pass starts with rows of coefficients on the pre-activations of one vertex and walks down the stages. It leaves, for
every row b,  row . p  <=  const[b] + sum over pairs of gain[b, pair] * flip  for every graph below the search node, up
to `error[b]`, which bounds the rounding of the pass itself.
"""

from __future__ import annotations

import numpy as np

from ..stages import DENSE, GCN, MAX, MEAN, POOL
from .compile import kernel
from .descend_gcn import descend_gcn
from .descend_max import descend_max, raw_coefficients
from .descend_mean import descend_mean
from .descend_sum import descend_carriers, descend_first, descend_sum
from .lines import reach
from .multiply import add_picked, dot, dot_magnitudes, fill, pick_nonzero
from .propagate import spendable
from .relax import relax
from .state import SENT_HIGH, SENT_LOW, STOP, WORK


@kernel
def descend_pool(p, s, lines, t, side, rows, count):
    """The readout: every vertex is there. Sum and mean pass on shares, max a chord or its best lower end."""
    m = p.width[t - 1]
    for u in range(p.n):
        count = reach(lines, 1 - side, count, u, rows, m)
    if p.how[t] != MAX:
        share = 1.0 / p.n if p.how[t] == MEAN else 1.0
        for u in range(p.n):
            for b in range(rows):
                below, a = lines.on[1 - side, u, b], lines.a[b]
                for j in range(m):
                    below[j] += share * a[j]
        return count
    for i in range(m):
        up, high_up, low_up, second, down, low_down = -1, -np.inf, -np.inf, -np.inf, -1, -np.inf
        for u in range(p.n):
            bottom, above = s.boxes[t - 1, u, SENT_LOW, i], s.boxes[t - 1, u, SENT_HIGH, i]
            if above > high_up:
                second = max(second, high_up)
                up, high_up, low_up = u, above, bottom
            else:
                second = max(second, above)
            if bottom > low_down:
                down, low_down = u, bottom
        if low_up >= second:
            slope, rise = 1.0, 0.0
        elif second >= high_up:
            slope, rise = 0.0, second
        else:
            slope = (high_up - second) / (high_up - low_up)
            rise = max(second - slope * low_up, high_up - slope * high_up)
        for b in range(rows):
            weight = lines.a[b, i]
            if weight > 0.0:
                lines.on[1 - side, up, b, i] += weight * slope
                lines.const[b] += weight * rise
            else:
                lines.on[1 - side, down, b, i] += weight
    return count


@kernel
def additions(p, t, v):
    """More than the terms that one vertex adds to a constant or to a gain."""
    around = p.n if p.kind[t] == POOL else p.slot_ptr[v + 1] - p.slot_ptr[v]
    columns = p.width[t - 1]
    if t == 1:
        columns = p.raw_columns_ptr[v, 1] - p.raw_columns_ptr[v, 0]
    return 8 + 2 * around + 4 * columns


@kernel
def descend(p, s, lines, options, top, rows, side, count):
    """Walk from coefficients on p_top, given for `front[side][:count]`, down to the flips."""
    for t in range(top, 0, -1):
        width, lower = p.width[t], p.width[t - 1]
        lines.stamp[0] += 1
        following = np.int64(0)
        for k in range(count):
            v = lines.front[side, k]
            if s.tally[STOP]:
                return
            # as measured, next to a vertex of an evaluation: products for every row, gains for every slot that may flip
            wide = (p.slot_ptr[v + 1] - p.slot_ptr[v]) * lower * rows >> 12
            s.tally[WORK] += 1 + rows // 4 + s.open_slots[v] * (rows + 3) // 16 + wide
            slack = s.slack[t, v]
            cap = spendable(s, options, v)
            lines.stamp[3] += additions(p, t, v)
            around = p.kind[t] == POOL or p.how[t] == GCN or p.slot_ptr[v + 1] > p.slot_ptr[v]
            gathers = p.kind[t] != DENSE and around
            if t > 1:
                following = reach(lines, 1 - side, following, v, rows, lower)
            for b in range(rows):
                row = lines.on[side, v, b]
                lines.error[b] += dot_magnitudes(row, slack, width)
                lines.const[b] += dot(row, p.own[v] if t == 1 else p.bias[t], width)
                if t > 1:
                    picked = pick_nonzero(lines.picked, row, width)
                    add_picked(lines.on[1 - side, v, b], p.C[t], row, lines.picked, picked, lower)
                    if gathers:
                        fill(lines.a[b], 0.0, lower)
                        add_picked(lines.a[b], p.A[t], row, lines.picked, picked, lower)
            if not gathers:
                continue
            if t == 1 and p.uniform and options.carriers:
                descend_carriers(p, s, lines, v, side, rows, cap)
                continue
            if t == 1 and not p.sends_products[1]:
                raw_coefficients(p, lines, v, side, rows)
            if p.kind[t] == POOL:
                following = descend_pool(p, s, lines, t, side, rows, following)
            elif p.how[t] == MAX:
                following = descend_max(p, s, lines, t, v, side, rows, following, cap)
            elif p.how[t] == GCN:
                following = descend_gcn(p, s, lines, options, t, v, side, rows, following, cap)
            elif p.how[t] == MEAN:
                following = descend_mean(p, s, lines, t, v, side, rows, following, cap)
            elif t == 1:
                descend_first(p, s, lines, v, side, rows, cap, np.int64(0))
            else:
                following = descend_sum(p, s, lines, t, v, side, rows, following, cap)
        side = 1 - side
        count = following
        for k in range(count):
            relax(p, s, lines, side, lines.front[side, k], t - 1, rows)

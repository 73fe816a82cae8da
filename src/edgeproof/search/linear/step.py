"""One vertex of a pass: from coefficients on its pre-activation to those on what the stage below gives."""

from __future__ import annotations

import numpy as np

from ...problem.layout import GCN, MAX, MEAN, POOL
from ..jit.decorators import kernel
from ..state.budget import spendable
from ..state.rows import add_picked, dot, dot_magnitudes, fill, pick_nonzero
from .first_layer import charge, gathers
from .gcn import descend_gcn
from .max import descend_max, find_stars
from .mean import descend_mean
from .pool import descend_pool
from .sum import descend_sum, range_slots
from .workspace import reach


@kernel
def start_step(p, s, lines, options, t, v, side, rows, count):
    """Stage t > 1 at v: constants, what goes to v itself, and what its neighbours send, by their boxes; returns how
    many vertices below have coefficients.
    """
    charge(p, s, lines, t, v, rows)
    width, lower = p.width[t], p.width[t - 1]
    heard = gathers(p, t, v)
    count = reach(lines, 1 - side, count, v, rows, lower)
    for b in range(rows):
        row = lines.on[side, v, b]
        lines.error[b] += dot_magnitudes(row, s.slack[t, v], width)
        lines.const[b] += dot(row, p.bias[t], width)
        picked = pick_nonzero(lines.picked, row, width)
        add_picked(lines.on[1 - side, v, b], p.C[t], row, lines.picked, picked, lower)
        if heard:
            fill(lines.a[b], 0.0, lower)
            add_picked(lines.a[b], p.A[t], row, lines.picked, picked, lower)
    if heard and p.kind[t] != POOL:
        cap = spendable(s, options, v)
        if p.how[t] == MAX:
            find_stars(p, s, lines, t, v, cap)
        elif cap > 0 and p.how[t] != GCN:
            range_slots(p, s, lines, t, v, side, rows, cap, np.int64(0))
    return count


@kernel
def end_step(p, s, lines, options, t, v, side, rows, count):
    """The rest of it: what goes to the neighbours, and gains."""
    cap = spendable(s, options, v)
    if p.kind[t] == POOL:
        return descend_pool(p, s, lines, t, side, rows, count)
    if p.how[t] == MAX:
        return descend_max(p, s, lines, t, v, side, rows, count, cap)
    if p.how[t] == GCN:
        return descend_gcn(p, s, lines, options, t, v, side, rows, count, cap)
    if p.how[t] == MEAN:
        return descend_mean(p, s, lines, t, v, side, rows, count, cap)
    return descend_sum(p, s, lines, t, v, side, rows, count, cap)

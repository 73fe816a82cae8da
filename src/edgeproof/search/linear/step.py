"""One vertex of a pass: from coefficients on its pre-activation to those on what the stage below gives.

Theory: "Backward linear bounds", "Rounding of a backward pass".
"""

from __future__ import annotations

import numpy as np

from ...problem.layout import GCN, MAX, MEAN, POOL
from ..jit.decorators import kernel
from ..state.budget import spendable
from ..state.rows import add_picked, dot, dot_magnitudes, fill, pick_nonzero
from .first_layer import count_work, gathers
from .gcn import backward_gcn
from .max import backward_max, find_supports
from .mean import backward_mean
from .pool import backward_pool
from .sum import backward_sum, bound_messages
from .workspace import start_row


@kernel
def start_step(p, s, linear, options, t, v, side, rows, count):
    """Stage t > 1 at v: constants, what goes to v itself, and what its neighbours send, by their boxes; returns how
    many vertices below have coefficients.
    """
    count_work(p, s, linear, t, v, rows)
    width, lower = p.width[t], p.width[t - 1]
    heard = gathers(p, t, v)
    count = start_row(linear, 1 - side, count, v, rows, lower)
    for b in range(rows):
        row = linear.on[side, v, b]
        linear.error[b] += dot_magnitudes(row, s.slack[t, v], width)
        linear.const[b] += dot(row, p.bias[t], width)
        picked = pick_nonzero(linear.picked, row, width)
        add_picked(linear.on[1 - side, v, b], p.C[t], row, linear.picked, picked, lower)
        if heard:
            fill(linear.a[b], 0.0, lower)
            add_picked(linear.a[b], p.A[t], row, linear.picked, picked, lower)
    if heard and p.kind[t] != POOL:
        cap = spendable(s, options, v)
        if p.how[t] == MAX:
            find_supports(p, s, linear, t, v, cap)
        elif cap > 0 and p.how[t] != GCN:
            bound_messages(p, s, linear, t, v, side, rows, cap, np.int64(0))
    return count


@kernel
def end_step(p, s, linear, options, t, v, side, rows, count):
    """The rest of it: what goes to the neighbours, and gains."""
    cap = spendable(s, options, v)
    if p.kind[t] == POOL:
        return backward_pool(p, s, linear, t, side, rows, count)
    if p.how[t] == MAX:
        return backward_max(p, s, linear, t, v, side, rows, count, cap)
    if p.how[t] == GCN:
        return backward_gcn(p, s, linear, options, t, v, side, rows, count, cap)
    if p.how[t] == MEAN:
        return backward_mean(p, s, linear, t, v, side, rows, count, cap)
    return backward_sum(p, s, linear, t, v, side, rows, count, cap)

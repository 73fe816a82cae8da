"""The first stage of a pass: features are numbers, so its coefficients become constants and gains.

Theory: "Backward linear bounds", "Rounding of a backward pass".
"""

from __future__ import annotations

import numpy as np

from ...problem.layout import DENSE, GCN, MAX, MEAN, POOL
from ..jit.decorators import kernel, leaf
from ..state.budget import spendable
from ..state.rows import dot, dot_magnitudes
from ..state.state import WORK
from .gcn import backward_gcn
from .max import backward_max, raw_coefficients
from .mean import backward_mean
from .sum import backward_binary_max, backward_first_sum, bound_messages
from .workspace import ADDITIONS


@leaf
def additions(p, t, v):
    """More than the terms that one vertex adds to a constant or to a gain."""
    around = p.n if p.kind[t] == POOL else p.slot_ptr[v + 1] - p.slot_ptr[v]
    columns = p.width[t - 1]
    if t == 1:
        columns = p.raw_columns_ptr[v, 1] - p.raw_columns_ptr[v, 0]
    return 8 + 2 * around + 4 * columns


@leaf
def count_work(p, s, linear, t, v, rows):
    """Count the work of one vertex, and its share of the rounding."""
    # as measured, next to a vertex of an evaluation: products for every row, gains for every slot that may flip
    wide = (p.slot_ptr[v + 1] - p.slot_ptr[v]) * p.width[t - 1] * rows >> 12
    s.tally[WORK] += 1 + rows // 4 + s.open_slots[v] * (rows + 3) // 16 + wide
    linear.counts[ADDITIONS] += additions(p, t, v)


@leaf
def gathers(p, t, v):
    """Whether anybody sends to v at stage t."""
    return p.kind[t] != DENSE and (p.kind[t] == POOL or p.how[t] == GCN or p.slot_ptr[v + 1] > p.slot_ptr[v])


@kernel
def backward_first_layer(p, s, linear, options, v, side, rows):
    """From coefficients on p_1(v) to the flips."""
    count_work(p, s, linear, np.int64(1), v, rows)
    width = p.width[1]
    for b in range(rows):
        row = linear.on[side, v, b]
        linear.error[b] += dot_magnitudes(row, s.slack[1, v], width)
        linear.const[b] += dot(row, p.own[v], width)
    if not gathers(p, np.int64(1), v):
        return
    cap = spendable(s, options, v)
    none = np.int64(0)  # nobody is below
    if p.uniform and options.carriers:
        backward_binary_max(p, s, linear, v, side, rows, cap)
        return
    if not p.sends_products[1]:
        raw_coefficients(p, linear, v, side, rows)
    if p.how[1] == MAX:
        backward_max(p, s, linear, np.int64(1), v, side, rows, none, cap)
    elif p.how[1] == GCN:
        backward_gcn(p, s, linear, options, np.int64(1), v, side, rows, none, cap)
    elif p.how[1] == MEAN:
        bound_messages(p, s, linear, np.int64(1), v, side, rows, cap, none)
        backward_mean(p, s, linear, np.int64(1), v, side, rows, none, cap)
    else:
        backward_first_sum(p, s, linear, v, side, rows, cap, none)

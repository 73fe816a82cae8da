"""The first stage in lines: features are numbers, so that coefficients end here, as constants and gains."""

from __future__ import annotations

import numpy as np

from ...problem.layout import DENSE, GCN, MAX, MEAN, POOL
from ..jit.decorators import kernel, leaf
from ..state.budget import spendable
from ..state.rows import dot, dot_magnitudes
from ..state.state import WORK
from .gcn import descend_gcn
from .max import descend_max, raw_coefficients
from .mean import descend_mean
from .sum import descend_carriers, descend_first, range_slots


@leaf
def additions(p, t, v):
    """More than the terms that one vertex adds to a constant or to a gain."""
    around = p.n if p.kind[t] == POOL else p.slot_ptr[v + 1] - p.slot_ptr[v]
    columns = p.width[t - 1]
    if t == 1:
        columns = p.raw_columns_ptr[v, 1] - p.raw_columns_ptr[v, 0]
    return 8 + 2 * around + 4 * columns


@leaf
def charge(p, s, lines, t, v, rows):
    """Count the work of one vertex, and its share of the rounding."""
    # as measured, next to a vertex of an evaluation: products for every row, gains for every slot that may flip
    wide = (p.slot_ptr[v + 1] - p.slot_ptr[v]) * p.width[t - 1] * rows >> 12
    s.tally[WORK] += 1 + rows // 4 + s.open_slots[v] * (rows + 3) // 16 + wide
    lines.stamp[3] += additions(p, t, v)


@leaf
def gathers(p, t, v):
    """Whether anybody sends to v at stage t."""
    return p.kind[t] != DENSE and (p.kind[t] == POOL or p.how[t] == GCN or p.slot_ptr[v + 1] > p.slot_ptr[v])


@kernel
def ground(p, s, lines, options, v, side, rows):
    """From coefficients on p_1(v) to the flips."""
    charge(p, s, lines, np.int64(1), v, rows)
    width = p.width[1]
    for b in range(rows):
        row = lines.on[side, v, b]
        lines.error[b] += dot_magnitudes(row, s.slack[1, v], width)
        lines.const[b] += dot(row, p.own[v], width)
    if not gathers(p, np.int64(1), v):
        return
    cap = spendable(s, options, v)
    none = np.int64(0)  # nobody is below
    if p.uniform and options.carriers:
        descend_carriers(p, s, lines, v, side, rows, cap)
        return
    if not p.sends_products[1]:
        raw_coefficients(p, lines, v, side, rows)
    if p.how[1] == MAX:
        descend_max(p, s, lines, np.int64(1), v, side, rows, none, cap)
    elif p.how[1] == GCN:
        descend_gcn(p, s, lines, options, np.int64(1), v, side, rows, none, cap)
    elif p.how[1] == MEAN:
        range_slots(p, s, lines, np.int64(1), v, side, rows, cap, none)
        descend_mean(p, s, lines, np.int64(1), v, side, rows, none, cap)
    else:
        descend_first(p, s, lines, v, side, rows, cap, none)

"""Rounding: how far a computed number can lie from the one it stands for (BOUNDS.md, section 7).

For a sum of n products, |computed - true| <= g(n) * (sum of their magnitudes), in any order, fused or not. The boxes
of the root bound every magnitude below it, so one pass over the root gives, for every vertex and stage, a slack that
makes a computed box contain the true one, and for the grounding an error that grows from stage to stage.
"""

from __future__ import annotations

import numpy as np

from ..stages import DENSE, MEAN, POOL
from .bound_boxes import ROOT, bound_vertex
from .compile import kernel
from .evaluate import evaluate_vertex
from .lend import Lent
from .multiply import copy, fill
from .state import BOX_MARK, HIGH, LOW, OWN, OWN_HIGH, OWN_LOW, SENT, SENT_HIGH, SENT_LOW, VALUE_MARK, Options

# centre-radius products and sums with deletions taken back: a few times the magnitude of the plain sum
SPREAD = 8.0
TINY = 1e-300  # more than all underflows of one stage together
# Past this nothing is bounded. It keeps every number far from overflow, and what an underflowing coefficient of a line
# can cost, 2**-1074 times such a number, far below FAINT.
LARGE = 1e100


@kernel
def add_magnitudes(out, weight, x, rows, columns):
    for j in range(rows):
        for i in range(columns):
            out[i] += weight[j, i] * x[j]


@kernel
def gather_magnitudes(p, t, v, out, below, rows):
    """Aggregate `rows` (one a vertex) over all slots into v: sums add up, a max or mean is no more than the largest."""
    m = rows.shape[1]
    fill(out, 0.0, m)
    start, end = p.slot_ptr[v], p.slot_ptr[v + 1]
    count = p.n if p.kind[t] == POOL else end - start
    for k in range(count):
        u = k if p.kind[t] == POOL else p.slot_source[start + k]
        for i in range(m):
            if below:
                out[i] += rows[u, i]
            else:
                out[i] = max(out[i], rows[u, i])


@kernel
def enclose_root(p, s, options, magnitude, error, passed, gathered):
    """Fill values, boxes, slacks and errors for the root; False if something is too large to be bounded.

    magnitude, error: (T+1, n, D) bounds of |p_t(v)| and of the error of the grounding's values.
    passed: (n, D) scratch; gathered: (W,) scratch.
    """
    n = p.n
    for v in range(n):
        copy(s.values[0, v, OWN], p.own[v], p.D)
        copy(s.values[0, v, SENT], p.sent[v], p.D)
        copy(s.boxes[0, v, OWN_LOW], p.own[v], p.D)
        copy(s.boxes[0, v, OWN_HIGH], p.own[v], p.D)
        copy(s.boxes[0, v, SENT_LOW], p.sent[v], p.D)
        copy(s.boxes[0, v, SENT_HIGH], p.sent[v], p.D)
    unit = SPREAD * p.roundings * 2.0**-53
    factor = unit / (1.0 - unit)
    finite = True
    for t in range(1, p.T + 1):
        width, lower = p.width[t], p.width[t - 1]
        if t > 1 and p.kind[t] != DENSE:
            for u in range(p.active[t - 1]):
                fill(passed[u], 0.0, p.D)
                add_magnitudes(passed[u], p.AT_abs[t], magnitude[t - 1, u], lower, width)
        for v in range(p.active[t]):
            size = s.slack[t, v]
            if t == 1:
                copy(size, p.own_abs[v], width)
                if p.kind[1] != DENSE and p.sends_products[1]:
                    gather_magnitudes(p, np.int64(1), v, gathered, True, p.sent_abs)
                    for i in range(width):
                        size[i] += gathered[i]
                elif p.kind[1] != DENSE:
                    offset = p.raw_columns_ptr[v, 0]
                    m = p.raw_columns_ptr[v, 1] - offset
                    for k in range(p.slot_ptr[v], p.slot_ptr[v + 1]):
                        for j in range(m):
                            x = abs(p.raw[p.raw_at[k] + j])
                            if x != 0.0:
                                for i in range(width):
                                    size[i] += p.A1T_abs[p.raw_columns[offset + j], i] * x
            else:
                copy(size, p.bias_abs[t], width)
                add_magnitudes(size, p.CT_abs[t], magnitude[t - 1, v], lower, width)
                if p.kind[t] != DENSE:
                    gather_magnitudes(p, t, v, gathered, True, passed)
                    for i in range(width):
                        size[i] += gathered[i]
            for i in range(width):
                finite = finite and size[i] < LARGE
                size[i] = size[i] * factor + TINY
        if t > 1 and p.kind[t] != DENSE:
            for u in range(p.active[t - 1]):
                fill(passed[u], 0.0, p.D)
                add_magnitudes(passed[u], p.AT_abs[t], error[t - 1, u], lower, width)
        for v in range(p.active[t]):
            total = error[t, v]
            copy(total, s.slack[t, v], width)
            if t > 1:
                add_magnitudes(total, p.CT_abs[t], error[t - 1, v], lower, width)
                if p.kind[t] != DENSE:
                    # A max moves by no more than the largest error of its terms, but by another term's in every
                    # coordinate, so the products have to be added; a mean of products is no more than the largest.
                    gather_magnitudes(p, t, v, gathered, p.how[t] != MEAN, passed)
                    for i in range(width):
                        total[i] += gathered[i]
            bound_vertex(p, s, options, t, v, np.int64(ROOT))
            evaluate_vertex(p, s, options, t, v, np.int64(1))
            for i in range(width):
                bottom, above = s.boxes[t, v, LOW, i], s.boxes[t, v, HIGH, i]
                magnitude[t, v, i] = max(abs(bottom), abs(above))
                finite = finite and abs(bottom) < LARGE and abs(above) < LARGE and total[i] < LARGE
            s.tally[BOX_MARK] = 0
            s.tally[VALUE_MARK] = 0
    last = error[p.T, 0]
    for r in range(p.rivals):
        if p.folded:
            s.error[r] = 2.0 * last[r]
        else:
            size = magnitude[p.T, 0]
            both = size[p.rival_at[r]] + size[p.label_at]
            s.error[r] = 2.0 * (last[p.rival_at[r]] + last[p.label_at] + both * factor)
    return finite


def rounding_slacks(problem: Lent, state: Lent, options: Options) -> bool:
    """Prepare the root of a search; afterwards boxes are rigorous and `error` bounds the tester's rounding.

    False if numbers are so large that nothing can be bounded: then every grounding needs an exact answer.
    """
    p, s = problem.bundle, state.bundle
    shape = (p.T + 1, p.n, p.D)
    magnitude, error = np.zeros(shape), np.zeros(shape)
    scratch = np.zeros((p.n, p.D)), np.zeros(s.line.shape[1])
    finite = bool(enclose_root(problem, state, options, magnitude, error, *scratch))
    if not finite:
        s.error[:] = np.inf
    return finite

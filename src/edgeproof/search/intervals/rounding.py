"""Rounding: how far a computed number can lie from the one it stands for (docs/theory.md).

For a sum of n products, |computed - true| <= g(n) * (sum of their magnitudes), in any order, fused or not. The boxes
of the root bound every magnitude below it, so one pass over the root gives, for every vertex and stage, a slack that
makes a computed box contain the true one, and for the grounding an error that grows from stage to stage.

GCN: 1 / sqrt(d) is rounded twice, its square root and its quotient, each correctly, so that a message over the roots of
two degrees has seen 6 more roundings than under a sum; `roundings` allows 32. A message weighs at most 1, so magnitudes
are those of a sum over the neighbours and the vertex itself. Differences of two roots, in boxes and lines, lose no
more than 4 units of 2**-53 each, times a message: that is within the same allowance, since it is taken of the message
itself and not of the difference.

Theory: "Rounding of interval bounds", "Rounding of the grounding", "What is never trusted".
"""

from __future__ import annotations

import numpy as np

from ...arithmetic.padding import PAD
from ...problem.layout import DENSE, GCN, MAX, POOL, SUM
from ..forward.incremental import evaluate_vertex
from ..jit.by_address import Bundle
from ..jit.decorators import entry, kernel, leaf, loop
from ..state.budget import spendable
from ..state.curves import at_zero, steepest
from ..state.rows import add, copy, fill
from ..state.scratch import LARGEST
from ..state.state import (
    BOX_MARK,
    HIGH,
    LOW,
    OWN,
    OWN_HIGH,
    OWN_LOW,
    SENT,
    SENT_HIGH,
    SENT_LOW,
    STOP,
    VALUE_MARK,
    Options,
)  # fmt: skip
from .aggregate import ROOT, bound_vertex

# centre-radius products and sums with deletions taken back: a few times the magnitude of the plain sum
SPREAD = 8.0
TINY = 1e-300  # more than all underflows of one stage together
# Below the smallest normal number rounding is absolute: half of a feature may not be a float, and is multiplied next.
NORMAL = 2.0**-1022
# Past this nothing is bounded. It keeps every number far from overflow, and what an underflowing coefficient of a line
# can cost, 2**-1074 times such a number, far below FAINT.
LARGE = 1e100


@loop
def add_magnitudes(out, weight, x, rows, columns):
    for j in range(rows):
        for i in range(columns):
            out[i] += weight[j, i] * x[j]


@loop
def take_larger(largest, row, m):
    for i in range(m):
        largest[i] = max(largest[i], row[i])


@kernel
def gather_magnitudes(p, s, options, t, v, out, how, rows):
    """Bound what an aggregation over `rows` (one a vertex) can amount to at v: for a sum, all that are there and as
    many of the largest insertable ones as can come; a mean or max is no more than the largest.
    """
    m = rows.shape[1]
    fill(out, 0.0, m)
    if p.kind[t] == POOL:
        for u in range(p.n):
            for i in range(m):
                out[i] = out[i] + rows[u, i] if how == SUM else max(out[i], rows[u, i])
        return
    largest = s.scratch[LARGEST]
    fill(largest, 0.0, m)
    for k in range(p.slot_ptr[v], p.slot_ptr[v + 1]):
        if s.status[k] & 1 and how == SUM:
            add(out, rows[p.slot_source[k]], m)
        else:
            take_larger(largest, rows[p.slot_source[k]], m)
    cap = np.float64(spendable(s, options, v)) if how == SUM else 1.0
    for i in range(m):
        out[i] += largest[i] * cap


@entry
def evaluate_root(p, s, options):
    """Fill the values of the root; not all of them if time is up, but then nothing will be bounded either."""
    for v in range(p.n):
        copy(s.values[0, v, OWN], p.own[v], p.D)
        copy(s.values[0, v, SENT], p.sent[v], p.D)
    for t in range(1, p.T + 1):
        for v in range(p.active[t]):
            if s.tally[STOP]:
                return
            evaluate_vertex(p, s, options, t, v, np.int64(1))
            s.tally[VALUE_MARK] = 0


@leaf
def pass_on(p, t, rows, passed):
    """passed[u]: |A| times rows[u], for stages that gather products."""
    if t > 1 and p.kind[t] != DENSE and p.how[t] != MAX:
        for u in range(p.active[t - 1]):
            fill(passed[u], 0.0, p.D)
            add_magnitudes(passed[u], p.AT_abs[t], rows[u], p.width[t - 1], p.width[t])


@leaf
def size_first(p, s, options, v, size, gathered):
    """size: what the terms of p_1(v) amount to in magnitude."""
    width = p.width[1]
    copy(size, p.own_abs[v], width)
    if p.kind[1] != DENSE and p.sends_products[1]:
        gather_magnitudes(p, s, options, np.int64(1), v, gathered, np.int64(SUM), p.sent_abs)
        for i in range(width):
            size[i] += gathered[i] + (p.sent_abs[v, i] if p.how[1] == GCN else 0.0)
    elif p.kind[1] != DENSE:
        offset = p.raw_columns_ptr[v, 0]
        m = p.raw_columns_ptr[v, 1] - offset
        fill(gathered, 0.0, m)
        for k in range(p.slot_ptr[v], p.slot_ptr[v + 1]):
            row = p.raw[p.raw_at[k] : p.raw_at[k] + m]
            for j in range(m):
                gathered[j] += abs(row[j])
        for j in range(m):
            row = p.A1T_abs[p.raw_columns[offset + j]]
            amount = max(gathered[j], NORMAL)
            for i in range(width):
                size[i] += row[i] * amount


@leaf
def add_below(p, s, options, t, v, out, rows, passed, gathered, how):
    """Add to `out` what v makes of magnitudes or errors of the stage below: its own through C, and what it gathers
    through A. `how` is SUM where the terms of a sum or mean count in full.
    """
    width, lower = p.width[t], p.width[t - 1]
    add_magnitudes(out, p.CT_abs[t], rows[v], lower, width)
    if p.kind[t] != DENSE and p.how[t] == MAX:
        # a coordinate of a max moves by no more than the largest of its terms does
        gather_magnitudes(p, s, options, t, v, gathered, np.int64(MAX), rows)
        add_magnitudes(out, p.AT_abs[t], gathered, lower, width)
    elif p.kind[t] != DENSE:
        gather_magnitudes(p, s, options, t, v, gathered, how, passed)
        for i in range(width):
            out[i] += gathered[i] + (passed[v, i] if p.how[t] == GCN else 0.0)


@leaf
def note_objective_errors(p, s, magnitude, error, factor):
    """The error of every rival's objective, from those of the last stage."""
    last, size = error[p.T, 0], magnitude[p.T, 0]
    for r in range(p.rivals):
        if p.folded:
            s.error[r] = 2.0 * last[r]
        else:
            both = size[p.rival_at[r]] + size[p.label_at]
            s.error[r] = 2.0 * (last[p.rival_at[r]] + last[p.label_at] + both * factor)


@leaf
def pass_curves(size, error, bends, width):
    """Of curved activations: bounds of magnitude and error of h in place of those of the pre-activation. The stages
    above ask for nothing else, and activations with a slope pass both on no larger.
    """
    for i in range(width):
        if bends[i] >= 2.0:
            code = np.int64(bends[i])
            error[i] = steepest(code) * error[i] + 2.0 * PAD * (size[i] + error[i] + at_zero(code))
            size[i] = steepest(code) * size[i] + 2.0 * at_zero(code)


@entry
def enclose_root(p, s, options, magnitude, error, passed, gathered):
    """Fill boxes, slacks and errors for the root; False if something is too large to be bounded, or if time is
    up (deadline.py).

    magnitude, error: (T+1, n, D) bounds of |p_t(v)| and of the error of the grounding's values.
    passed: (n, D) scratch; gathered: (W,) scratch.
    """
    for v in range(p.n):
        copy(s.boxes[0, v, OWN_LOW], p.own[v], p.D)
        copy(s.boxes[0, v, OWN_HIGH], p.own[v], p.D)
        copy(s.boxes[0, v, SENT_LOW], p.sent[v], p.D)
        copy(s.boxes[0, v, SENT_HIGH], p.sent[v], p.D)
    unit = SPREAD * p.roundings * 2.0**-53
    factor = unit / (1.0 - unit)
    finite = True
    for t in range(1, p.T + 1):
        width = p.width[t]
        pass_on(p, t, magnitude[t - 1], passed)
        for v in range(p.active[t]):
            if s.tally[STOP]:
                return False
            size = s.slack[t, v]
            if t == 1:
                size_first(p, s, options, v, size, gathered)
            else:
                copy(size, p.bias_abs[t], width)
                # a mean takes deletions back from a sum before it divides, so its terms count in full
                add_below(p, s, options, t, v, size, magnitude[t - 1], passed, gathered, np.int64(SUM))
            for i in range(width):
                finite = finite and size[i] < LARGE
                size[i] = size[i] * factor + TINY
        pass_on(p, t, error[t - 1], passed)
        for v in range(p.active[t]):
            if s.tally[STOP]:
                return False
            total = error[t, v]
            copy(total, s.slack[t, v], width)
            if t > 1:
                how = np.int64(SUM) if p.how[t] == GCN else p.how[t]
                add_below(p, s, options, t, v, total, error[t - 1], passed, gathered, how)
            bound_vertex(p, s, options, t, v, np.int64(ROOT))
            for i in range(width):
                bottom, above = s.boxes[t, v, LOW, i], s.boxes[t, v, HIGH, i]
                magnitude[t, v, i] = max(abs(bottom), abs(above))
                finite = finite and abs(bottom) < LARGE and abs(above) < LARGE and total[i] < LARGE
            if p.curves[t]:
                pass_curves(magnitude[t, v], total, p.slope[t], width)
            s.tally[BOX_MARK] = 0
    note_objective_errors(p, s, magnitude, error, factor)
    return finite


def rounding_slacks(problem: Bundle, state: Bundle, options: Options) -> bool:
    """Bound the root of a search; afterwards boxes are rigorous and `error` bounds the tester's rounding.

    False if numbers are so large that nothing can be bounded: then every grounding needs an exact answer.
    """
    p, s = problem.bundle, state.bundle
    shape = (p.T + 1, p.n, p.D)
    magnitude, error = np.zeros(shape), np.zeros(shape)
    scratch = np.zeros((p.n, p.D)), np.zeros(s.scratch.shape[1])
    finite = bool(enclose_root(problem, state, options, magnitude, error, *scratch))
    if not finite:
        s.error[:] = np.inf
    return finite

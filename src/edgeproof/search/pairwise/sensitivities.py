"""Sensitivities: the range of what a change at a neuron can count in the objective, whatever is flipped (tables.py).

One backward pass a rival, with intervals: an activation passes on between its slope on negative numbers and all of it,
a message counts what is possible for one of its receiver's.

Theory: "Sensitivities".
"""

from __future__ import annotations

from ...problem.layout import GRAPH, MAX, POOL
from ..jit.decorators import kernel, leaf, loop
from ..state.rows import add_interval, fill, join_interval, split_interval
from ..state.scratch import CENTRE, EXTRA_HIGH, EXTRA_LOW, PRODUCT_CENTRE, PRODUCT_RADIUS, RADIUS
from ..state.state import FAINT
from .deltas import weight_of
from .tables import LEAST, MOST, MOST_INSERTED, NORM_A, NORM_C

ROUNDING = 16.0  # see `rounding_margin`
# No sensitivity of a useful network is as large; times the largest value (LARGE in intervals/rounding.py) it is finite.
HUGE = 1e150


@leaf
def bound_message_weights(p, x, how):
    """The weights that a message into v can have: `weight`."""
    for v in range(p.n):
        cap, messages = x.most_at[v], x.degree[v]
        x.weight[LEAST, v] = weight_of(how, messages + cap) if how != MAX else 0.0
        x.weight[MOST, v] = weight_of(how, max(messages - cap, 1))
        x.weight[MOST_INSERTED, v] = weight_of(how, max(messages + 2 - cap, 1))


@loop
def add_heard(low, high, heard_low, heard_high, least, most, m):
    """A message that counts between `least` and `most`."""
    for i in range(m):
        low[i] += min(least * heard_low[i], most * heard_low[i])
        high[i] += max(least * heard_high[i], most * heard_high[i])


@loop
def join_range(low, high, other_low, other_high, first, m):
    for i in range(m):
        low[i] = other_low[i] if first else min(low[i], other_low[i])
        high[i] = other_high[i] if first else max(high[i], other_high[i])


@loop
def take_extremes(low, high, heard_low, heard_high, most, m):
    for i in range(m):
        low[i] = min(low[i], most * heard_low[i])
        high[i] = max(high[i], most * heard_high[i])


@loop
def activation_range(bent_low, bent_high, low, high, slope, m):
    for i in range(m):
        bent_low[i] = min(low[i], slope[i] * low[i])
        bent_high[i] = max(high[i], slope[i] * high[i])


@leaf
def multiply_range(s, low, high, weight, rows, columns, out_low, out_high):
    """out = (weight transposed) times a vector in [low, high]."""
    centre, radius, middle, spread = (
        s.scratch[CENTRE],
        s.scratch[RADIUS],
        s.scratch[PRODUCT_CENTRE],
        s.scratch[PRODUCT_RADIUS],
    )
    split_interval(centre, radius, low, high, rows)
    fill(middle, 0.0, columns)
    fill(spread, 0.0, columns)
    add_interval(middle, spread, weight, centre, radius, s.picked, rows, columns)
    join_interval(out_low, out_high, middle, spread, columns)


@leaf
def add_receivers(p, s, x, r, t, u, low, high, left):
    """Who hears u at stage t: those who do, unless that is flipped, and as many others as may be inserted."""
    width = p.width[t - 1]
    come = min(left, x.most_at[u]) if p.charge_u else left
    extra_low, extra_high = s.scratch[EXTRA_LOW], s.scratch[EXTRA_HIGH]
    fill(extra_low, 0.0, width)
    fill(extra_high, 0.0, width)
    for k in range(p.out_ptr[u], p.out_ptr[u + 1]):
        v, status = p.out_target[k], s.status[p.out_slot[k]]
        if v >= p.active[t]:
            continue
        if status & 1:
            least = 0.0 if status & 2 else x.weight[LEAST, v]
            add_heard(low, high, x.heard_low[r, t, v], x.heard_high[r, t, v], least, x.weight[MOST, v], width)
        elif status & 2 and come > 0:
            take_extremes(
                extra_low, extra_high, x.heard_low[r, t, v], x.heard_high[r, t, v], x.weight[MOST_INSERTED, v], width
            )
    for i in range(width):
        low[i] += come * extra_low[i]
        high[i] += come * extra_high[i]


@leaf
def bound_stage(p, s, x, r, t, left):
    """From multipliers on p_t to those on h of the stage below, and on its p."""
    width, lower = p.width[t], p.width[t - 1]
    bent_low, bent_high = x.bent_low[r, t], x.bent_high[r, t]
    kind, active = p.kind[t], p.active[t]
    if kind == GRAPH or kind == POOL:
        for v in range(active):
            multiply_range(
                s, bent_low[v], bent_high[v], p.A[t], width, lower, x.heard_low[r, t, v], x.heard_high[r, t, v]
            )  # fmt: skip
    for u in range(p.active[t - 1]):
        low, high = x.low[r, t - 1, u], x.high[r, t - 1, u]
        fill(low, 0.0, lower)
        fill(high, 0.0, lower)
        if u < active:
            multiply_range(s, bent_low[u], bent_high[u], p.C[t], width, lower, low, high)
        if kind == POOL:
            share = weight_of(p.how[t], p.n)
            add_heard(low, high, x.heard_low[r, t, 0], x.heard_high[r, t, 0], share, share, lower)
        elif kind == GRAPH:
            add_receivers(p, s, x, r, t, u, low, high, left)
        activation_range(x.bent_low[r, t - 1, u], x.bent_high[r, t - 1, u], low, high, p.slope[t - 1], lower)


@leaf
def bound_norms(p, s, x, t, left):
    """The same for `size`, one number a vertex; False if one is too large to be multiplied with."""
    for u in range(p.active[t - 1]):
        total = x.norm[t, NORM_C] * x.size[t, u] if u < p.active[t] else 0.0
        if p.kind[t] == POOL:
            total += x.norm[t, NORM_A] * x.size[t, 0] * weight_of(p.how[t], p.n)
        elif p.kind[t] == GRAPH:
            heard, extra = 0.0, 0.0
            for k in range(p.out_ptr[u], p.out_ptr[u + 1]):
                v, status = p.out_target[k], s.status[p.out_slot[k]]
                if v < p.active[t] and status & 1:
                    heard += x.weight[MOST, v] * x.size[t, v]
                elif v < p.active[t] and status & 2:
                    extra = max(extra, x.weight[MOST_INSERTED, v] * x.size[t, v])
            total += x.norm[t, NORM_A] * (heard + left * extra)
        if not total < HUGE:  # a NaN is not
            return False
        x.size[t - 1, u] = total
    return True


@leaf
def join_rivals(p, low, high, excluded):
    """One range for all rivals that are left, behind theirs."""
    first = True
    for r in range(p.rivals):
        if not excluded[r]:
            for t in range(1, p.T + 1):
                for v in range(p.active[t]):
                    join_range(low[p.rivals, t, v], high[p.rivals, t, v], low[r, t, v], high[r, t, v], first, p.D)
            first = False


@kernel
def bound_sensitivities(p, s, x, excluded, left):
    """Fill the multipliers of every rival that is left, with `left` flips to come; False if they are too large."""
    T = p.T
    for r in range(p.rivals):
        fill(x.bent_low[r, T, 0], 0.0, p.width[T])
        fill(x.bent_high[r, T, 0], 0.0, p.width[T])
        x.bent_low[r, T, 0, r] = 1.0
        x.bent_high[r, T, 0, r] = 1.0
    x.size[T, 0] = 1.0
    for t in range(T, 1, -1):
        bound_message_weights(p, x, p.how[t])
        if not bound_norms(p, s, x, t, left):
            return False
        for r in range(p.rivals):
            if not excluded[r]:
                bound_stage(p, s, x, r, t, left)
    for ranges in ((x.low, x.high), (x.bent_low, x.bent_high), (x.heard_low, x.heard_high)):
        join_rivals(p, ranges[0], ranges[1], excluded)
    return True


@leaf
def rounding_margin(p, x, left):
    """More than rounding can add to a bound over sets of `left` flips.

    Pre-activations of the grounding, shifts of each flip and what each pair makes at a neuron are computed with errors
    of their own, none larger than 4 times the rounding of one evaluation there, since no term of them is more than 4
    times as large as one of its terms can be (a mean over k messages of which one goes counts k / (k - 1) <= 2 of
    them, in a crowd changes are averaged before they are divided again, and a difference has two sides). Of a fork,
    which takes two messages, it is 6 times, and with one flip more there is one pair, not three. That is at most
    4 (1 + left + left^2 / 2) of them; the rest of the factor, and T, is for the rounding of multipliers, which takes
    no more operations a stage than an evaluation does. What underflows in a multiplier is less than 2^-1074 an
    operation, and counts no more than values can be.

    Theory: "Rounding of pairwise bounds".
    """
    total = 0.0
    for t in range(1, p.T + 1):
        for v in range(p.active[t]):
            total += x.size[t, v] * x.slack[t, v]
    return (left + 1.0) * (left + 1.0) * (ROUNDING * p.T * total + FAINT)

"""Nested backward passes: they bound what a neighbour sends at its worst, instead of its box.

A gain counts where its flip is made. So one flip less is left for what the neighbour sends.

Theory: "Nested backward passes".
"""

from __future__ import annotations

from ...problem.layout import MAX, MAYBE_DELETED, MEAN
from ..jit.decorators import kernel, leaf, part
from ..state.state import HIGH, LOW
from .workspace import ABOVE, BELOW, CONSTANT, DROP, FLOOR, LOSS, SECOND, SLOPE, touch

STILL = 1e-9  # a box this narrow, next to its ends, is rounding


@leaf
def is_still(low, high):
    return high - low <= STILL * (abs(low) + abs(high))


@leaf
def moves(p, s, t, u):
    """Whether h_t(u) can move at all, by its box."""
    record = s.boxes[t, u]
    for i in range(p.width[t]):
        low, high = record[LOW, i], record[HIGH, i]
        if not is_still(low, high) and (high > 0.0 or p.leaks[t]):
            return True
    return False


@part
def tighten_messages(p, s, linear, nested, innermost, inner, options, t, v, rows, bound_sent):
    """Stage t at vertex v: intersect `ends` (sum, mean) or the gains of deletions (max) with what passes say that
    start at its neighbours. `bound_sent` runs one, from coefficients that are put into inner.on[0, u].
    """
    start = p.slot_ptr[v]
    m = p.width[t - 1]
    how = p.how[t]
    for k in range(start, p.slot_ptr[v + 1]):
        state, u = s.status[k], p.slot_source[k]
        if state == 0 or not (state & 2 or how == MEAN) or not moves(p, s, t - 1, u):
            continue
        for end in range(2):
            # a deletion asks for the lower end, an insertion for the upper one; a mean for both
            if how != MEAN and (end == 0) != (state == MAYBE_DELETED):
                continue
            if how == MAX:
                if end == 1 or not ask_losses(p, linear, inner, t, v, k, rows):
                    continue
            else:
                ask_end(linear, inner, u, end, rows, m)
            bound_sent(p, s, nested, innermost, options, t, v, u, rows)
            if how == MAX:
                take_losses(p, linear, inner, k, rows)
            else:
                take_end(linear, inner, k - start, end, rows)


@kernel
def ask_end(linear, inner, u, end, rows, m):
    """Sum and mean: a . h for its upper end, -a . h for its lower one."""
    for b in range(rows):
        row, a = inner.on[0, u, b], linear.a[b]
        for j in range(m):
            row[j] = a[j] if end else -a[j]


@kernel
def take_end(linear, inner, slot, end, rows):
    for b in range(rows):
        if end:
            linear.ends[1, b, slot] = min(linear.ends[1, b, slot], inner.bound[b])
        else:
            linear.ends[0, b, slot] = max(linear.ends[0, b, slot], -inner.bound[b])


@kernel
def ask_losses(p, linear, inner, t, v, k, rows):
    """Max: what changes when slot k is deleted, in all coordinates whose lines it carries, as coefficients on what it
    sends and a number `known`; `before` is what backward_max makes of it. False if it carries nothing that may be lost.

    Below, h falls to no less than the floor; above, slope h + const falls to no more than the second largest.
    """
    m = p.width[t - 1]
    at = t * p.n + v
    ups, downs, numbers = linear.support[at, ABOVE], linear.support[at, BELOW], linear.support_number[at]
    slopes, consts, drops, losses = numbers[SLOPE], numbers[CONSTANT], numbers[DROP], numbers[LOSS]
    floors, seconds = numbers[FLOOR], numbers[SECOND]
    carries = False
    for b in range(rows):
        row, a = inner.on[0, p.slot_source[k], b], linear.a[b]
        known, before, size = 0.0, 0.0, 0.0
        for j in range(m):
            row[j] = 0.0
            if a[j] < 0.0 and downs[j] == k and losses[j] > 0.0:
                row[j] = -a[j]
                known += a[j] * floors[j]
                before -= a[j] * losses[j]
                size -= a[j] * (losses[j] + abs(floors[j]))
                carries = True
            elif a[j] > 0.0 and ups[j] == k:
                row[j] = -a[j] * slopes[j]
                known -= a[j] * (consts[j] - seconds[j])
                before -= a[j] * drops[j]
                size += a[j] * (drops[j] + abs(consts[j]) + abs(seconds[j]))
        inner.known[b] = known + size * (m + 8) * 2.0**-50
        inner.before[b] = before
    return carries


@kernel
def take_losses(p, linear, inner, k, rows):
    """Where the pass says less than backward_max will add to the gain, take the difference off."""
    pair = p.slot_pair[k]
    touch(linear, pair)
    for b in range(rows):
        less = inner.before[b] - inner.known[b] - inner.bound[b] - abs(inner.bound[b]) * 2.0**-50
        if less > 0.0:
            linear.gain[b, pair] -= less

"""What two flips make together at most: J of interplay.py."""

from __future__ import annotations

import numpy as np

from ..stages import GRAPH, MEAN
from .compile import kernel, leaf, reduction
from .differ import weight_of
from .interplay import CHANGE_SENT, GATHERED, SHIFT
from .propagate import spendable


@reduction
def excess(shift, other, under, over, low, high, slope, m):
    """How far an activation bends two shifts, weighted; any others have moved the neuron to between under and over.

    act is convex: its second difference over the two is positive where they have one sign, negative otherwise, no
    larger than either of them, and nothing unless the bend lies between the two ends of what they reach.
    """
    total = 0.0
    for i in range(m):
        a, b = shift[i], other[i]
        top = over[i] + max(a, 0.0) + max(b, 0.0)
        bottom = under[i] + min(a, 0.0) + min(b, 0.0)
        bent = max(min(abs(a), abs(b), top, -bottom), 0.0)
        weight = max(high[i], 0.0) if (a > 0.0) == (b > 0.0) else max(-low[i], 0.0)
        total += (1.0 - slope[i]) * bent * weight
    return total


@reduction
def pay(row, factor, low, high, m):
    """The most of multiplier times factor times row."""
    total = 0.0
    for i in range(m):
        y = factor * row[i]
        total += max(low[i] * y, high[i] * y)
    return total


@reduction
def pay_two(row, factor, other, weight, low, high, m):
    total = 0.0
    for i in range(m):
        y = factor * row[i] + weight * other[i]
        total += max(low[i] * y, high[i] * y)
    return total


@reduction
def pay_size(row, low, high, m):
    """The most of |multiplier| times |row|."""
    total = 0.0
    for i in range(m):
        total += max(-low[i], high[i]) * abs(row[i])
    return total


@leaf
def slot_into(p, pair, v):
    """The slot by which a flip is at v, or -1."""
    if p.pair_v[pair] == v:
        return p.pair_slot[pair, 0]
    return p.pair_slot[pair, 1] if p.pair_u[pair] == v else np.int64(-1)


@leaf
def sign_of(s, slot):
    """1 where a flip inserts, -1 where it deletes."""
    return 1 - 2 * np.int64(s.status[slot] & 1)


@leaf
def meet_elsewhere(p, s, x, r, slot, v, other):
    """One flip is at v, by `slot`, the other changes what v gathers, or what the first one's sender sends: T at v."""
    total = 0.0
    sign, w = sign_of(s, slot), p.slot_source[slot]
    places = x.row_of[other]
    for t in range(2, p.T + 1):
        if p.kind[t] != GRAPH or v >= p.active[t]:
            continue
        gathered, sent = places[t * p.n + v], places[(t - 1) * p.n + w]
        if gathered < 0 and sent < 0:
            continue
        width, low, high = p.width[t], x.bent_low[r, t, v], x.bent_high[r, t, v]
        after = weight_of(p.how[t], x.degree[v] + sign)
        factor = after - weight_of(p.how[t], x.degree[v])
        if sent < 0:
            total += pay(x.rows[gathered, GATHERED], factor, low, high, width)
        elif gathered < 0:
            total += pay(x.rows[sent, CHANGE_SENT], after * sign, low, high, width)
        else:
            total += pay_two(
                x.rows[gathered, GATHERED], factor, x.rows[sent, CHANGE_SENT], after * sign, low, high, width
            )  # fmt: skip
    return total


@leaf
def swing(messages, one, two, reach):
    """The largest second difference of 1/k over two flips at a vertex, while up to `reach` others are at it too."""
    most = 0.0
    for k in range(messages - reach, messages + reach + 1):
        if min(k, k + one, k + two, k + one + two) < 0:
            continue
        both = weight_of(MEAN, k + one + two) + weight_of(MEAN, k)
        most = max(most, abs(both - weight_of(MEAN, k + one) - weight_of(MEAN, k + two)))
    return most


@leaf
def part_of(x, row, part, i):
    return x.rows[row, part, i] if row >= 0 else 0.0


@leaf
def meet_here(p, s, x, options, r, slot, other_slot, c, other, v, left):
    """Both flips are at v: T at v."""
    total = 0.0
    one, two = sign_of(s, slot), sign_of(s, other_slot)
    w, z = p.slot_source[slot], p.slot_source[other_slot]
    cap, messages = spendable(s, options, v), x.degree[v]
    for t in range(1, p.T + 1):
        if p.kind[t] != GRAPH or v >= p.active[t]:
            continue
        how, n = p.how[t], p.n
        mine, its = x.row_of[c, t * n + v], x.row_of[other, t * n + v]
        heard, told = x.row_of[other, (t - 1) * n + w], x.row_of[c, (t - 1) * n + z]
        both = weight_of(how, messages + one + two)
        a, b = both - weight_of(how, messages + one), both - weight_of(how, messages + two)
        # a mean over nothing is 0, not the limit of means: what that adds is shared by the deletions that empty it
        emptied = 0.0
        if how == MEAN and one < 0 and two < 0 and 2 <= messages <= cap:
            emptied = 2.0 / (messages * (messages - 1))
        alone = how == MEAN and messages == 1 and one + two == 0  # one flip empties it, the other does not
        low, high, centre = x.bent_low[r, t, v], x.bent_high[r, t, v], x.centre[t, v]
        for i in range(p.width[t]):
            y = a * part_of(x, mine, GATHERED, i) + b * part_of(x, its, GATHERED, i)
            y += both * (one * part_of(x, heard, CHANGE_SENT, i) + two * part_of(x, told, CHANGE_SENT, i))
            top = bottom = y
            top += max(0.0, -emptied * centre[i])
            bottom += min(0.0, -emptied * centre[i])
            if alone:
                top += max(0.0, centre[i])
                bottom += min(0.0, centre[i])
            total += max(low[i] * top, high[i] * top, low[i] * bottom, high[i] * bottom)
        if how == MEAN and left > 2:
            # a third flip's changes are counted by weights that these two change
            reach = min(cap, left) - 2
            step = weight_of(MEAN, max(messages - cap, 0) + 1) - weight_of(MEAN, max(messages - cap, 0))
            quiet = 0.0
            for i in range(p.width[t]):
                quiet += max(-low[i], high[i]) * x.loudest[t - 1, i]
            total += (left - 2) * (swing(messages, one, two, reach) * x.third[r, t, v] + 2.0 * abs(step) * quiet)
    return total


@leaf
def meet_at(p, s, x, options, r, c, other, left, again):
    """T at the ends of flip c; both are at a vertex: only in the first of two calls."""
    total = 0.0
    pair, its = x.candidate[c], x.candidate[other]
    for side in range(2):
        slot = p.pair_slot[pair, side]
        if slot < 0:
            continue
        v = p.pair_v[pair] if side == 0 else p.pair_u[pair]
        other_slot = slot_into(p, its, v)
        if other_slot < 0:
            total += meet_elsewhere(p, s, x, r, slot, v, other)
        elif not again:
            total += meet_here(p, s, x, options, r, slot, other_slot, c, other, v, left)
    return total


@leaf
def bend_together(p, x, r, c, other):
    total = 0.0
    places = x.row_of[other]
    for k in range(x.first[c], x.first[c + 1]):
        place = x.at[k]
        row = places[place]
        if row < 0:
            continue
        t, v = place // p.n, place % p.n
        if p.bends[t]:
            total += excess(
                x.rows[k, SHIFT], x.rows[row, SHIFT], x.under[t, v], x.over[t, v], x.low[r, t, v], x.high[r, t, v],
                p.slope[t], p.width[t],
            )  # fmt: skip
    return total


@kernel
def couple(p, s, x, options, excluded, c, other, left):
    """The most that two candidates make together, for any rival that is left; -inf if budgets forbid both."""
    pair, its = x.candidate[c], x.candidate[other]
    for side in range(2):
        v = p.pair_v[pair] if side == 0 else p.pair_u[pair]
        at_v = p.pair_v[its] == v or (p.charge_u and p.pair_u[its] == v)
        if (side == 0 or p.charge_u) and at_v and s.spare[v] < 2:
            return -np.inf
    most = -np.inf
    for r in range(p.rivals):
        if not excluded[r]:
            total = bend_together(p, x, r, c, other)
            total += meet_at(p, s, x, options, r, c, other, left, False)
            total += meet_at(p, s, x, options, r, other, c, left, True)
            if not total <= most:
                most = total
            if np.isnan(most):
                return np.inf  # a NaN must never prune
    return most

"""Pairwise interactions: J(e, f), the most that two flips make together beyond what each makes alone (tables.py).

Theory: "Effects of flips add up, but for pairs", "Interactions at an activation", "Interactions at a sum and at a
mean", "Interactions at a max".
"""

from __future__ import annotations

import numpy as np

from ...problem.layout import GRAPH, MAX, MEAN
from ..jit.decorators import kernel, leaf
from ..state.rows import fill
from ..state.scratch import NO_DELTA
from .deltas import sign_of, slot_into, weight_of
from .maximise import maximise, maximise_bend, maximise_spread, maximise_two, maximise_up_to
from .mean_interactions import interact_at_mean, interact_in_mean
from .tables import CHANGE_SENT, GATHERED, SHIFT, SPREAD


@leaf
def interact_at_max(p, s, x, r, t, v, sign, gathered, sent):
    """T of a max at v where one flip is: the other changes the max by `gathered`, the first one's sender by `sent`.

    With the sender inserted, the max grows by no more than the larger of both changes; without it, by something
    between the changes of the others, or, if there are none, not at all.
    """
    width, low, high = p.width[t - 1], x.heard_low[r, t, v], x.heard_high[r, t, v]
    none = s.scratch[NO_DELTA]
    if sign < 0:
        if gathered < 0:
            return 0.0
        if x.degree[v] == 1:
            return maximise(x.rows[gathered, GATHERED], -1.0, low, high, width)
        return maximise_spread(x.rows[gathered, SPREAD], x.rows[gathered, SPREAD], low, high, width)
    fill(none, 0.0, width)
    one = x.rows[sent, CHANGE_SENT] if sent >= 0 else none
    two = x.rows[gathered, GATHERED] if gathered >= 0 else none
    return maximise_up_to(one, two, low, high, width)


@leaf
def interact_at_vertex(p, s, x, r, slot, v, other):
    """One flip is at v, by `cell`, the other changes what v gathers, or what the first one's sender sends: T at v."""
    total = 0.0
    sign, w = sign_of(s, slot), p.slot_source[slot]
    places = x.row_of[other]
    for t in range(2, p.T + 1):
        if p.kind[t] != GRAPH or v >= p.active[t]:
            continue
        gathered, sent = places[t * p.n + v], places[(t - 1) * p.n + w]
        if gathered < 0 and sent < 0:
            continue
        if p.how[t] == MAX:
            total += interact_at_max(p, s, x, r, t, v, sign, gathered, sent)
            continue
        if p.how[t] == MEAN and x.most_at[v] > 1:
            total += interact_at_mean(p, s, x, r, t, v, sign, gathered, sent)
            continue
        width, low, high = p.width[t], x.bent_low[r, t, v], x.bent_high[r, t, v]
        after = weight_of(p.how[t], x.degree[v] + sign)
        factor = after - weight_of(p.how[t], x.degree[v])
        if sent < 0:
            total += maximise(x.rows[gathered, GATHERED], factor, low, high, width)
        elif gathered < 0:
            total += maximise(x.rows[sent, CHANGE_SENT], after * sign, low, high, width)
        else:
            total += maximise_two(
                x.rows[gathered, GATHERED], factor, x.rows[sent, CHANGE_SENT], after * sign, low, high, width
            )  # fmt: skip
    return total


@leaf
def interact_at_shared_vertex(p, s, x, r, slot, other_slot, c, other, v):
    """Both flips are at v, under sums and means: each changes what the other one's sender sends."""
    total = 0.0
    one, two = sign_of(s, slot), sign_of(s, other_slot)
    w, z = p.slot_source[slot], p.slot_source[other_slot]
    for t in range(1, p.T + 1):
        if p.kind[t] != GRAPH or v >= p.active[t]:
            continue
        heard, told = x.row_of[other, (t - 1) * p.n + w], x.row_of[c, (t - 1) * p.n + z]
        if p.how[t] == MEAN:
            mine, its = x.row_of[c, t * p.n + v], x.row_of[other, t * p.n + v]
            total += interact_in_mean(p, s, x, r, t, v, one, two, mine, its, heard, told)
            continue
        width, low, high = p.width[t], x.bent_low[r, t, v], x.bent_high[r, t, v]
        if heard >= 0 and told >= 0:
            total += maximise_two(x.rows[heard, CHANGE_SENT], one, x.rows[told, CHANGE_SENT], two, low, high, width)
        elif heard >= 0:
            total += maximise(x.rows[heard, CHANGE_SENT], one, low, high, width)
        elif told >= 0:
            total += maximise(x.rows[told, CHANGE_SENT], two, low, high, width)
    return total


@leaf
def interact_at_ends(p, s, x, r, c, other, again):
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
            total += interact_at_vertex(p, s, x, r, slot, v, other)
        elif not again:
            total += interact_at_shared_vertex(p, s, x, r, slot, other_slot, c, other, v)
    return total


@leaf
def interact_at_activations(p, x, r, c, other):
    """x, and T of a max, at neurons that both flips shift."""
    total = 0.0
    places = x.row_of[other]
    for k in range(x.first[c], x.first[c + 1]):
        place = x.at[k]
        row = places[place]
        if row < 0:
            continue
        t, v = place // p.n, place % p.n
        if p.kind[t] == GRAPH and p.how[t] == MAX and t > 1:
            total += maximise_spread(
                x.rows[k, SPREAD], x.rows[row, SPREAD], x.heard_low[r, t, v], x.heard_high[r, t, v], p.width[t - 1]
            )  # fmt: skip
        if p.bends[t]:
            total += maximise_bend(
                x.rows[k, SHIFT], x.rows[row, SHIFT], x.under[t, v], x.over[t, v], x.low[r, t, v], x.high[r, t, v],
                p.slope[t], p.width[t],
            )  # fmt: skip
    return total


@leaf
def share_end(p, pair, its):
    """Whether two flips are at one vertex."""
    found = slot_into(p, its, p.pair_v[pair]) >= 0
    return found or (p.pair_slot[pair, 1] >= 0 and slot_into(p, its, p.pair_u[pair]) >= 0)


@leaf
def are_affordable(p, s, pair, its):
    """Whether two flips that are each affordable are so together."""
    u, v = p.pair_u[pair], p.pair_v[pair]
    if (p.pair_v[its] == v or (p.charge_u and p.pair_u[its] == v)) and s.local_left[v] < 2:
        return False
    return not (p.charge_u and (p.pair_v[its] == u or p.pair_u[its] == u) and s.local_left[u] < 2)


@kernel
def bound_interaction(p, s, x, c, other):
    """The most that two candidates make together, for any rival that is left."""
    r = np.int64(p.rivals)
    total = interact_at_activations(p, x, r, c, other)
    total += interact_at_ends(p, s, x, r, c, other, False)
    return total + interact_at_ends(p, s, x, r, other, c, True)

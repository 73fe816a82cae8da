"""Screening: pairs that are in no attack are fixed, by what flips can do together (tables.py).

A base graph is screened once. Pairs in no set that may break the claim are fixed. Then each of the others is flipped
in turn, those whose sets get farthest first, and the graph with it is the next base. Tables are kept by the number of
flips left: below a base, only those for fewer flips are overwritten.

Theory: "Screening".
"""

from __future__ import annotations

import numpy as np

from ...problem.layout import GRAPH, MAX, SUM
from ..jit.decorators import entry, kernel, leaf
from ..state.budget import affordable, spendable
from ..state.rows import copy, fill
from ..state.scratch import INSERTING
from ..state.state import LIMIT, STOP, WORK, H
from ..state.topk import insert_number, insert_top, sum_of
from ..state.trail import decide
from .deltas import forget_deltas, record_base, record_deltas
from .interactions import are_affordable, bound_interaction, share_end
from .sensitivities import bound_sensitivities, rounding_margin
from .tables import ONE, OTHER, SHIFT

# pairs of flips that are bounded in the time of one unit of work
PAIRS_A_UNIT = 2
# positions in `ranked`
UNDER, OVER = 0, 1


@leaf
def bound_shifts(p, s, x, candidates, left):
    """`under` and `over`: where all flips but two can shift a neuron to.

    Theory: "Interactions at an activation".
    """
    for t in range(1, p.T + 1):
        if not p.bends[t]:
            continue
        width = p.width[t]
        for v in range(p.active[t]):
            copy(x.under[t, v], x.base[t, v], width)
            copy(x.over[t, v], x.base[t, v], width)
            others = min(left, x.most_at[v] if t == 1 else left) - 2
            if others <= 0:
                continue
            for k in range(others):
                fill(x.ranked[UNDER, k], 0.0, width)
                fill(x.ranked[OVER, k], 0.0, width)
            for c in range(candidates):
                row = x.row_of[c, t * p.n + v]
                if row >= 0:
                    insert_top(x.ranked[UNDER], others, width, x.rows[row, SHIFT], -1.0, s.scratch[INSERTING])
                    insert_top(x.ranked[OVER], others, width, x.rows[row, SHIFT], 1.0, s.scratch[INSERTING])
            for k in range(others):
                for i in range(width):
                    x.under[t, v, i] -= x.ranked[UNDER, k, i]
                    x.over[t, v, i] += x.ranked[OVER, k, i]


@leaf
def share_pairs(x, candidates, left):
    """`half`: of what a flip makes with others, besides one that is looked at apart."""
    joint, best = x.joint[left - 2], x.best
    for c in range(candidates):
        e = x.candidate[c]
        fill(best, 0.0, left - 2)
        if left > 2:
            for k in range(candidates):
                if k != c:
                    insert_number(best, left - 2, joint[e, x.candidate[k]])
        x.half[left, e] = 0.5 * sum_of(best, left - 2)


@leaf
def bound_sets(p, x, excluded, candidates, left):
    """The most that sets with each candidate can reach. All numbers are finite, or -inf for two that exclude each
    other: values are (LARGE in intervals/rounding.py), sensitivities are (HUGE in sensitivities.py), and so are their
    products.

    What a set of flips makes in pairs is shared between both flips of a pair, but for the pairs with the candidate.
    """
    joint, half, hope, best = x.joint[left - 2], x.half[left], x.set_bound[left], x.best
    share_pairs(x, candidates, left)
    for c in range(candidates):
        e = x.candidate[c]
        hope[e] = -np.inf
        for r in range(p.rivals):
            if excluded[r]:
                continue
            gain = x.gain[left, r]
            fill(best, 0.0, left - 1)
            for k in range(candidates):
                f = x.candidate[k]
                if k != c:
                    insert_number(best, left - 1, gain[f] + joint[e, f] + half[f])
            hope[e] = max(hope[e], x.start[left, r] + gain[e] + sum_of(best, left - 1))


@leaf
def rank_by_gain(p, x, excluded, candidates, left):
    """Where nothing is bounded, the best single flips come first."""
    for c in range(candidates):
        e = x.candidate[c]
        x.set_bound[left, e] = -np.inf
        for r in range(p.rivals):
            if not excluded[r]:
                x.set_bound[left, e] = max(x.set_bound[left, e], x.gain[left, r, e])


@leaf
def keep_possible(p, s, x, candidates, left):
    """Fix the candidates without hope, and forget them; returns how many are left."""
    kept = 0
    for c in range(candidates):
        e = x.candidate[c]
        if x.set_bound[left, e] <= 0.0:
            decide(p, s, e, np.int64(0))
        else:
            x.candidate[kept] = e
            kept += 1
    return kept


@leaf
def find_rest(p, x, excluded, pair, left, candidates):
    """`rest`: the most that flips besides `pair` and two candidates can bring."""
    joint, half = x.joint[left - 2], x.half[left]
    for r in range(p.rivals):
        if not excluded[r]:
            fill(x.best, 0.0, left - 3)
            for c in range(candidates):
                e = x.candidate[c]
                insert_number(x.best, left - 3, x.gain[left, r, e] + joint[pair, e] + half[e])
            x.rest[r] = sum_of(x.best, left - 3)


@leaf
def find_lead(p, x, excluded, pair, e, left):
    """`lead`: what sets with these two reach without what is made in pairs, by rival; the most of it."""
    most = -np.inf
    for r in range(p.rivals):
        if not excluded[r]:
            x.lead[r] = x.start[left, r] + x.gain[left, r, pair] + x.gain[left, r, e] + x.rest[r]
            most = max(most, x.lead[r])
    return most


@leaf
def is_triple_safe(p, x, excluded, pair, e, f, left, lead):
    """Whether no set with these three may break the claim, in the tables of a base from which so many flips were left;
    after find_lead of the first two.
    """
    joint = x.joint[left - 2]
    made = joint[pair, e] + joint[pair, f] + joint[e, f]
    if left > 3:
        made += x.half[left, e] + x.half[left, f]
    if lead + x.peak[left, f] + made <= 0.0:
        return True
    most = -np.inf
    for r in range(p.rivals):
        if not excluded[r]:
            most = max(most, x.lead[r] + x.gain[left, r, f])
    return most + made <= 0.0


@leaf
def has_more_than_sums(p):
    found = False
    for t in range(1, p.T + 1):
        found = found or (p.kind[t] == GRAPH and p.how[t] != SUM)
    return found


@leaf
def has_max(p):
    found = False
    for t in range(1, p.T + 1):
        found = found or (p.kind[t] == GRAPH and p.how[t] == MAX)
    return found


@leaf
def limit_meeting(p, s, x, options, left):
    """`most_at`: with two flips left, sets of two that meet are evaluated, unless under sums."""
    apart = left == 2 and has_more_than_sums(p)
    for v in range(p.n):
        x.most_at[v] = min(spendable(s, options, v), 1 if apart else left)


@leaf
def may_meet(p, s, x, candidates):
    """Whether two candidates may be at one vertex."""
    found = False
    for c in range(candidates):
        e = x.candidate[c]
        found = found or s.local_left[p.pair_v[e]] > 1 or (p.charge_u and s.local_left[p.pair_u[e]] > 1)
    return found


@leaf
def objective_delta(p, x, c, r):
    row = x.row_of[c, p.T * p.n]
    return x.rows[row, SHIFT, r] if row >= 0 else 0.0


@leaf
def record_two(p, s, x, candidates, e, f):
    """What flipping both changes, as rows behind those of all candidates."""
    x.two_flips[ONE] = e
    x.two_flips[OTHER] = f
    x.first[candidates + 1] = record_deltas(p, s, x, candidates, x.two_flips, x.first[candidates])


@leaf
def evaluate_interaction(p, s, x, excluded, e, f, candidates, left):
    """What two flips make together, if there are no others: by evaluating both."""
    record_two(p, s, x, candidates, e, f)
    most = -np.inf
    for r in range(p.rivals):
        if not excluded[r]:
            most = max(most, objective_delta(p, x, candidates, r) - x.gain[left, r, e] - x.gain[left, r, f])
    forget_deltas(x, candidates)
    return most


@leaf
def bound_interactions(p, s, x, excluded, candidates, left):
    """Bound what every two candidates make together; stops if time is up."""
    joint = x.joint[left - 2]
    mixed, after = has_more_than_sums(p), x.after[left]
    for c in range(candidates):
        if s.tally[STOP]:
            return
        e = x.candidate[c]
        lead = find_lead(p, x, excluded, after, e, left + 1) if after >= 0 else 0.0
        for k in range(c):
            f = x.candidate[k]
            known = after >= 0 and is_triple_safe(p, x, excluded, after, e, f, left + 1, lead)
            if known or not are_affordable(p, s, e, f):
                joint[e, f] = -np.inf
            elif mixed and left == 2 and share_end(p, e, f):
                # of two at one vertex, a bound by multipliers would be too coarse
                joint[e, f] = evaluate_interaction(p, s, x, excluded, e, f, candidates, left)
            else:
                joint[e, f] = bound_interaction(p, s, x, c, k)
            joint[f, e] = joint[e, f]
        s.tally[WORK] += c // PAIRS_A_UNIT


@leaf
def list_candidates(p, s, x):
    """`candidate`: the undecided pairs that are affordable; the others are fixed. Returns how many there are."""
    candidates = np.int64(0)  # typed: a literal would compile callees once more
    for e in range(p.pair_u.size):
        if s.status[p.pair_slot[e, 0]] & 2:
            if affordable(p, s, e):
                x.candidate[candidates] = e
                candidates += 1
            else:
                decide(p, s, e, np.int64(0))
    return candidates


@leaf
def record_single_deltas(p, s, x, candidates, left):
    """The grounding, and what each candidate changes in it; returns how many were noted, fewer if time was up."""
    record_base(p, s, x)
    x.first[0] = 0
    for c in range(candidates):
        if s.tally[STOP]:
            return np.int64(c)
        e = x.candidate[c]
        x.first[c + 1] = record_deltas(p, s, x, c, x.candidate[c : c + 1], x.first[c])
        x.peak[left, e] = -np.inf
        for r in range(p.rivals):
            x.gain[left, r, e] = objective_delta(p, x, c, r)
            x.peak[left, e] = max(x.peak[left, e], x.gain[left, r, e])
    return candidates


@entry
def screen(p, s, x, options, excluded, left):
    """Bound what all undecided pairs can do from here, and fix those in no attack; returns how many are left, or -1 if
    time was up.
    """
    candidates = record_single_deltas(p, s, x, list_candidates(p, s, x), left)
    # what two flips at one vertex make of a max of others' messages is no sum over pairs
    usable = left == 2 or not (has_max(p) and may_meet(p, s, x, candidates))
    if usable:
        limit_meeting(p, s, x, options, left)
        usable = bound_sensitivities(p, s, x, excluded, left)
    more = rounding_margin(p, x, left) if usable else np.inf
    for r in range(p.rivals):
        x.start[left, r] = s.values[p.T, 0, H, r] + s.error[r] + more
    x.bounded[left] = usable
    if usable:
        bound_shifts(p, s, x, candidates, left)
        bound_interactions(p, s, x, excluded, candidates, left)
    for c in range(candidates):
        forget_deltas(x, c)
    x.known_at[left] = s.tally[LIMIT]
    if s.tally[STOP]:
        return -1
    if not x.bounded[left]:
        rank_by_gain(p, x, excluded, candidates, left)
        return candidates
    alive = candidates
    while alive > 0:
        bound_sets(p, x, excluded, alive, left)
        kept = keep_possible(p, s, x, alive, left)
        if kept == alive:
            break
        alive = kept
    return alive


@kernel
def choose_by_set_bound(p, s, x, left):
    """The undecided pair with the largest `set_bound`: the most that sets with it can reach. -1 if all are decided.

    Theory: "Which pair is decided next".
    """
    best, at = -np.inf, np.int64(-1)
    for e in range(p.pair_u.size):
        if s.status[p.pair_slot[e, 0]] & 2 and not x.set_bound[left, e] <= best:
            best, at = x.set_bound[left, e], np.int64(e)
    return at


@leaf
def bound_sets_with(p, x, excluded, pair, left, candidates):
    """`set_bound_with`: the most that sets with `pair` and each candidate can reach; whether any set may break the
    claim.
    """
    joint, half, hope, best = x.joint[left - 2], x.half[left], x.set_bound_with, x.best
    fill(hope, -np.inf, p.pair_u.size)
    alive = False
    for r in range(p.rivals):
        if excluded[r]:
            continue
        gain = x.gain[left, r]
        start = x.start[left, r] + gain[pair]
        alive = alive or not start <= 0.0
        fill(best, 0.0, left - 1)
        for c in range(candidates):
            e = x.candidate[c]
            insert_number(best, left - 1, gain[e] + joint[pair, e] + half[e])
        whole, least = sum_of(best, left - 1), best[left - 2]
        for c in range(candidates):
            e = x.candidate[c]
            own = gain[e] + joint[pair, e] + half[e]
            # those that are best with it; itself in place of the last of them, unless it is one of these
            hope[e] = max(hope[e], start + (whole if own >= least else whole - least + own))
            alive = alive or not hope[e] <= 0.0
    return alive


@leaf
def fix_unless_partner(p, s, x, excluded, pair, c, left, candidates):
    """Fix a candidate that is in no attack with `pair`, neither alone nor with any other one."""
    e = x.candidate[c]
    for r in range(p.rivals):
        if not excluded[r]:
            gain = x.gain[left, r]
            if not x.start[left, r] + gain[pair] + gain[e] + x.joint[left - 2, pair, e] <= 0.0:
                return
    lead = find_lead(p, x, excluded, pair, e, left)
    for k in range(candidates):
        if k != c and not is_triple_safe(p, x, excluded, pair, e, x.candidate[k], left, lead):
            return
    decide(p, s, e, np.int64(0))


@kernel
def fix_safe_partners(p, s, x, excluded, pair, left):
    """Fix what is in no attack together with `pair`, which is flipped next; whether there may be an attack with it."""
    if not x.bounded[left]:
        return True
    candidates = 0
    for e in range(p.pair_u.size):
        if e != pair and s.status[p.pair_slot[e, 0]] & 2:
            x.candidate[candidates] = e
            candidates += 1
    while True:
        share_pairs(x, candidates, left)
        alive = bound_sets_with(p, x, excluded, pair, left, candidates)
        kept = 0
        for c in range(candidates):
            e = x.candidate[c]
            if x.set_bound_with[e] <= 0.0:
                decide(p, s, e, np.int64(0))
            else:
                x.candidate[kept] = e
                kept += 1
        if kept == candidates or left == 2:
            break
        candidates = kept
    if left > 2:
        find_rest(p, x, excluded, pair, left, candidates)
        for c in range(candidates):
            fix_unless_partner(p, s, x, excluded, pair, c, left, candidates)
    return alive

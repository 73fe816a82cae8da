"""Forks: two flips at one vertex, looked at as one (forks.py says why).

From a base graph, what a fork changes is found by evaluating it, whatever its two flips make of the vertex where they
meet. Beside it there is at most one flip more, at other vertices: what it makes together with the fork is bounded as
for two single flips (pairwise/tables.py, pairwise/interactions.py), but that the fork is at its centre by two slots.

Theory: "Forks", "Coarse bounds beside a fork".
"""

from __future__ import annotations

import numpy as np

from ...problem.layout import GRAPH
from ..attacks.flips import flip_grounding
from ..forward.claim import grounding_may_break
from ..jit.decorators import entry, leaf
from ..pairwise.coarse import bound_coarsely, find_largest_shifts, find_weight_changes, size_candidates
from ..pairwise.deltas import add_scaled, forget_deltas, sign_of, slot_into, weight_of
from ..pairwise.interactions import interact_at_activations, interact_at_vertex
from ..pairwise.maximise import maximise
from ..pairwise.screening import bound_shifts, list_candidates, objective_delta, record_single_deltas, record_two
from ..pairwise.sensitivities import bound_sensitivities, rounding_margin
from ..pairwise.tables import CHANGE_SENT, GATHERED, ONE, OTHER
from ..state.budget import affordable
from ..state.rows import fill
from ..state.scratch import TOGETHER
from ..state.state import BOX_MARK, CANDIDATES, LIMIT, PAIR_MARK, STOP, USED, VALUE_MARK, WORK, H
from ..state.trail import mark_level, undo, undo_level
from ..tree.enumerate import DONE, FOUND, INTERRUPTED
from ..tree.node_loop import restart

# flips beside a fork that are bounded roughly in the time of one unit of work
COARSE_A_UNIT = 40

# parts of a cursor: the centre, both flips of the fork there, the flip beside it
CENTRE, FIRST, SECOND, BESIDE = 0, 1, 2, 3


@entry
def start_at(p, s, options, pairs, most):
    """Flip these at the root, for a search from there in which a vertex has no more than `most` flips besides."""
    restart(p, s)
    for v in range(p.n):
        s.local_left[v] = p.local[v]
    for k in range(pairs.size):
        flip_grounding(p, s, options, pairs[k])
    for v in range(p.n):
        s.local_left[v] = min(s.local_left[v], most)


@leaf
def interact_at_centre(p, s, x, r, slot, other_slot, v, beside):
    """T at the centre of a fork, where one flip elsewhere changes what is gathered, and what both its senders send."""
    total = 0.0
    one, two = sign_of(s, slot), sign_of(s, other_slot)
    w, z = p.slot_source[slot], p.slot_source[other_slot]
    places = x.row_of[beside]
    y = s.scratch[TOGETHER]
    for t in range(2, p.T + 1):
        if p.kind[t] != GRAPH or v >= p.active[t]:
            continue
        gathered, sent, also = places[t * p.n + v], places[(t - 1) * p.n + w], places[(t - 1) * p.n + z]
        if gathered < 0 and sent < 0 and also < 0:
            continue
        width = p.width[t]
        after = weight_of(p.how[t], x.degree[v] + one + two)
        fill(y, 0.0, width)
        if gathered >= 0:
            add_scaled(y, x.rows[gathered, GATHERED], after - weight_of(p.how[t], x.degree[v]), width)
        if sent >= 0:
            add_scaled(y, x.rows[sent, CHANGE_SENT], after * one, width)
        if also >= 0:
            add_scaled(y, x.rows[also, CHANGE_SENT], after * two, width)
        total += maximise(y, 1.0, x.bent_low[r, t, v], x.bent_high[r, t, v], width)
    return total


@leaf
def interact_at_far_ends(p, s, x, r, pair, centre, other):
    """T at the ends of a flip, but for the centre of a fork it belongs to, which `other` is not at."""
    total = 0.0
    for side in range(2):
        v = p.pair_v[pair] if side == 0 else p.pair_u[pair]
        if v != centre:
            total += interact_at_vertex(p, s, x, r, p.pair_slot[pair, side], v, other)
    return total


@leaf
def interact_with_fork(p, s, x, centre, fork, beside):
    """The most that a fork, whose rows are those of candidate `fork`, and a flip elsewhere make together, but for what
    both bend.
    """
    r = np.int64(p.rivals)
    e, f = x.two_flips[ONE], x.two_flips[OTHER]
    total = interact_at_centre(p, s, x, r, slot_into(p, e, centre), slot_into(p, f, centre), centre, beside)
    total += interact_at_far_ends(p, s, x, r, e, centre, beside) + interact_at_far_ends(p, s, x, r, f, centre, beside)
    return total + interact_at_far_ends(p, s, x, r, x.candidate[beside], np.int64(-1), fork)


@leaf
def bound_sensitivities_around(p, s, x, excluded, centre, left):
    """Multipliers for sets of a fork with this centre and one flip elsewhere; False if they are too large."""
    for v in range(p.n):
        x.most_at[v] = min(s.local_left[v], 2 if v == centre else 1)
    return bound_sensitivities(p, s, x, excluded, left)


@leaf
def may_break(p, s, options, excluded, first, second, third):
    """Flip these, and leave it so if the claim may be broken."""
    pair_mark, value_mark, box_mark = s.tally[PAIR_MARK], s.tally[VALUE_MARK], s.tally[BOX_MARK]
    flip_grounding(p, s, options, first)
    flip_grounding(p, s, options, second)
    if third >= 0:
        flip_grounding(p, s, options, third)
    if grounding_may_break(p, s, excluded):
        s.tally[CANDIDATES] += 1
        return True
    undo(p, s, pair_mark, value_mark, box_mark)
    return False


@leaf
def bound_alone(p, x, excluded, fork, left):
    """What a fork reaches for any rival."""
    most = -np.inf
    for r in range(p.rivals):
        if not excluded[r]:
            most = max(most, x.start[left, r] + objective_delta(p, x, fork, r))
    return most


@leaf
def bound_with(p, x, excluded, fork, g, left):
    """What a fork and a flip beside it reach for any rival, but for what they make together."""
    most = -np.inf
    for r in range(p.rivals):
        if not excluded[r]:
            most = max(most, x.start[left, r] + objective_delta(p, x, fork, r) + x.gain[left, r, g])
    return most


@leaf
def are_apart(p, pair, other):
    """Whether two pairs have no vertex in common."""
    u, v = p.pair_u[pair], p.pair_v[pair]
    return p.pair_u[other] != u and p.pair_u[other] != v and p.pair_v[other] != u and p.pair_v[other] != v


@leaf
def across(p, pair, v):
    """The other end."""
    return p.pair_u[pair] + p.pair_v[pair] - v


@leaf
def was_base(s, e, f):
    """Whether sets with this fork were, or are yet to be, looked at from there, with the base as the fork in question:
    of two forks, the one with the smaller numbers is the base, if nothing beside them touches either.
    """
    one, two = ~s.pair_trail[0], ~s.pair_trail[1]
    first, base_first = min(e, f), min(one, two)
    return first < base_first or (first == base_first and max(e, f) < max(one, two))


@leaf
def is_apart_from_base(p, s, pair):
    return are_apart(p, ~s.pair_trail[0], pair) and are_apart(p, ~s.pair_trail[1], pair)


@leaf
def put_touching_first(p, s, x, candidates):
    """Candidates that touch the base come before the others; returns how many these are."""
    near = np.int64(0)
    for c in range(candidates):
        g = x.candidate[c]
        if not is_apart_from_base(p, s, g):
            x.candidate[c] = x.candidate[near]
            x.candidate[near] = g
            near += 1
    return near


@leaf
def is_safe_beside(p, s, x, coarse, excluded, centre, fork, beside, left):
    """Whether a fork and a flip that does not touch it keep the claim, by better bounds than the rough ones."""
    reached = bound_with(p, x, excluded, fork, x.candidate[beside], left) + interact_with_fork(
        p, s, x, centre, fork, beside
    )
    # three times in four the rough bound of what both bend will do
    bent = coarse.bent[beside]
    return reached + bent <= 0.0 or reached + interact_at_activations(p, x, np.int64(p.rivals), beside, fork) <= 0.0


@leaf
def look_beside(p, s, x, coarse, options, excluded, cursor, candidates, near, left, usable):
    """Look at a fork, whose rows are noted, and at every flip beside it; False where one may break the claim."""
    e, f, fork, centre = x.two_flips[ONE], x.two_flips[OTHER], candidates, cursor[CENTRE]
    reach = bound_alone(p, x, excluded, fork, left)
    seen = was_base(s, e, f)
    others = near if seen else candidates
    if cursor[BESIDE] == 0:
        cursor[BESIDE] = 1
        if not seen and not reach <= 0.0 and may_break(p, s, options, excluded, e, f, np.int64(-1)):
            return False
    if usable:
        bound_coarsely(p, x, coarse, fork, others, across(p, e, centre), across(p, f, centre))
    while cursor[BESIDE] <= others:
        beside = cursor[BESIDE] - 1
        cursor[BESIDE] += 1
        g = x.candidate[beside]
        if usable and reach + coarse.total[beside] + coarse.bent[beside] <= 0.0:
            continue
        if are_apart(p, e, g) and are_apart(p, f, g):
            hopeless = usable and is_safe_beside(p, s, x, coarse, excluded, centre, fork, beside, left)
            if not hopeless and may_break(p, s, options, excluded, e, f, g):
                return False
    return True


@leaf
def look_at_forks(p, s, x, coarse, options, excluded, cursor, candidates, near, left, usable, stop):
    """Go on with the forks at one centre."""
    centre = cursor[CENTRE]
    while cursor[FIRST] < candidates:
        e = x.candidate[cursor[FIRST]]
        if slot_into(p, e, centre) < 0:
            cursor[SECOND] = cursor[FIRST]
        while cursor[SECOND] < cursor[FIRST]:
            f = x.candidate[cursor[SECOND]]
            if slot_into(p, f, centre) >= 0:
                record_two(p, s, x, candidates, e, f)
                kept = look_beside(p, s, x, coarse, options, excluded, cursor, candidates, near, left, usable)
                forget_deltas(x, candidates)
                if not kept:
                    return FOUND
                s.tally[WORK] += candidates // COARSE_A_UNIT
            cursor[SECOND] += 1
            cursor[BESIDE] = 0
        cursor[FIRST] += 1
        cursor[SECOND] = 0
        if s.tally[WORK] >= stop or s.tally[STOP]:
            return INTERRUPTED
    return DONE


@entry
def enumerate_forks(p, s, x, coarse, options, excluded, cursor, quota):
    """Go on looking at all forks from the base where the state stands, and at one flip beside each, at other vertices;
    FOUND leaves the flips in question on the trail.
    """
    stop = s.tally[WORK] + quota
    left = s.tally[LIMIT] - s.tally[USED]
    candidates = list_candidates(p, s, x)
    near = put_touching_first(p, s, x, candidates)
    candidates = record_single_deltas(p, s, x, candidates, left)
    find_largest_shifts(p, x, coarse, candidates)
    find_weight_changes(p, x, coarse)
    bound_shifts(p, s, x, candidates, np.int64(2))  # of a fork and one flip more, nobody else moves a neuron
    code = DONE
    while cursor[CENTRE] < p.n and code == DONE:
        if s.tally[STOP]:
            code = INTERRUPTED
            break
        if s.local_left[cursor[CENTRE]] > 1:
            usable = bound_sensitivities_around(p, s, x, excluded, cursor[CENTRE], left)
            more = rounding_margin(p, x, left) if usable else np.inf
            for r in range(p.rivals):
                x.start[left, r] = s.values[p.T, 0, H, r] + s.error[r] + more
            if usable:
                size_candidates(p, x, coarse, candidates, cursor[CENTRE], left)
            code = look_at_forks(p, s, x, coarse, options, excluded, cursor, candidates, near, left, usable, stop)
        if code == DONE:
            cursor[CENTRE] += 1
            cursor[FIRST] = 0
            cursor[SECOND] = 0
            cursor[BESIDE] = 0
    for c in range(candidates):
        forget_deltas(x, c)
    return code


@entry
def evaluate_sets(p, s, options, excluded, sets, first, quota):
    """Evaluate these sets of flips from the root, one after the other; returns where to go on. If one may break the
    claim, its flips are left on the trail.
    """
    stop = s.tally[WORK] + quota
    undo(p, s, np.int64(0), np.int64(0), s.tally[BOX_MARK])
    size, made = sets.shape[1], np.int64(0)
    flipped = s.enumeration_cursor
    for k in range(first, sets.shape[0]):
        same = np.int64(0)
        while same < made and sets[k, same] == flipped[same]:
            same += 1
        if same < made:
            undo_level(p, s, same)
        made = same
        while made < size and affordable(p, s, sets[k, made]):
            mark_level(s, made)
            flip_grounding(p, s, options, sets[k, made])
            flipped[made] = sets[k, made]
            made += 1
        if made == size and grounding_may_break(p, s, excluded):
            s.tally[CANDIDATES] += 1
            return k + 1
        if s.tally[WORK] >= stop or s.tally[STOP]:
            undo(p, s, np.int64(0), np.int64(0), s.tally[BOX_MARK])
            return k + 1
    undo(p, s, np.int64(0), np.int64(0), s.tally[BOX_MARK])
    return np.int64(sets.shape[0])

"""The search itself: depth first over pairs, resumable after every return."""

from __future__ import annotations

import numpy as np

from ..attacks.flips import flip_best_gains, flip_grounding
from ..forward.claim import grounding_may_break
from ..jit.decorators import entry, part
from ..linear.tighten import start_tightening, tighten_more
from ..pairwise.screening import choose_by_set_bound, fix_safe_partners, screen
from ..pairwise.tables import MOST_FLIPS
from ..state.budget import affordable
from ..state.rows import copy, count, fill
from ..state.state import (
    ACTION,
    BASE,
    BOX_MARK,
    BOX_PRUNES,
    CANDIDATES,
    DEPTH,
    ENUMERATED_LEAVES,
    FRESH,
    LEAVES,
    LIMIT,
    LINE_PASSES,
    LINE_PRUNES,
    LONELY_LEAVES,
    NODES,
    PAIR_MARK,
    SCREENED_LEAVES,
    SCREENINGS,
    SPENT_LEAVES,
    STOP,
    TIGHTENINGS,
    TRACE_FLAGS,
    USED,
    VALUE_MARK,
    WORK,
)  # fmt: skip
from ..state.trail import undo
from ..symmetry.orbital_fixing import extend_stabiliser, fix_orbit, update_stabiliser
from ..trace import (
    BY_BOX,
    BY_ENUMERATION,
    BY_LINE,
    BY_SPLIT,
    LINES_EXCLUDED,
    LINES_EXCLUDED_AGAIN,
    NOTHING_LEFT,
    NOTHING_MATTERS,
    TIGHTENED,
    UNFLIPPED_FIRST,
    full,
    note,
)  # fmt: skip
from .branching import choose_by_gain, choose_first, choose_nearest
from .decide import apply
from .enumerate import ALONE, FOUND, INTERRUPTED, enumerate_graphs, enumeration_pays, note_price, start_enumeration
from .prune import prune_by_intervals, prune_by_linear_bounds

# why the kernel returned; the last one is said of it if time was up (alarm.py)
FINISHED, CANDIDATE, PAUSED, TRAIL_FULL, STOPPED = 0, 1, 2, 3, 4

# what to do next: bound a node; try its gains as an attack; take them back; tighten, and bound again; choose a pair;
# evaluate all graphs below, and go on with it; go to a child; go back; fix pairs in no attack; choose one that may be
ENTER, PROBE, PROBED, TIGHTEN, CHOOSE, ENUMERATE, SWEEP, BRANCH, RETREAT, SCREEN, PICK = range(11)


@part
def lacks_room(s, room):
    return s.value_trail_at.size - s.tally[VALUE_MARK] < room or s.box_trail_at.size - s.tally[BOX_MARK] < room


@part
def mark(s, marks):
    """Note how long the trails are: what comes later is undone when the search returns to this node."""
    marks[0] = s.tally[PAIR_MARK]
    marks[1] = s.tally[VALUE_MARK]
    marks[2] = s.tally[BOX_MARK]


@part
def tighten_or(p, s, linear, options, depth, left, otherwise):
    """The next action: the expensive oracle at every k-th level."""
    if options.lines and options.lines_tighten > 0 and left > 1 and depth % options.lines_tighten == 0:
        start_tightening(p, s, linear)
        return TIGHTEN
    return otherwise


# what a node was when it was reached: nothing that tables of interplay tell of; a screened one in which pairs were
# fixed since; a flip away from one
UNKNOWN, SCREENED, FLIPPED = 0, 1, 2


@part
def recall(s, x, depth, left):
    """Whether the tables hold what they say of this node, and, if it has to be screened, of its parent: they do not if
    an attack has lowered the limit since.
    """
    how = s.frame_screened[depth]
    above = s.frame_left[depth - 1] if depth > 0 else 0
    if left > 1 and not (how == FLIPPED and above == left + 1 and x.known_at[above] == s.tally[LIMIT]):
        x.after[left] = -1
    return how == SCREENED and above == left and x.known_at[left] == s.tally[LIMIT]


@part
def enter_screened_child(p, s, x, options, excluded, marks, depth, pair, flip):
    """Go to a child of a screened node, where no box is looked at; False if the flip is in no attack."""
    if not flip:
        s.frame_screened[depth + 1] = SCREENED
        fix_orbit(p, s, x, pair)
        return True
    left = s.frame_left[depth]
    if fix_safe_partners(p, s, x, excluded, pair, left):
        s.frame_screened[depth + 1] = FLIPPED
        x.after[left - 1] = pair if x.bounded[left] else -1
        extend_stabiliser(s, x, pair)
        flip_grounding(p, s, options, pair)
        return True
    undo(p, s, marks[0], marks[1], marks[2])
    return False


@entry
def restart(p, s):
    """Back to the root, with what was counted."""
    undo(p, s, np.int64(0), np.int64(0), np.int64(0))
    s.tally[DEPTH] = 0
    s.tally[BASE] = 0
    s.tally[ACTION] = ENTER
    s.tally[FRESH] = 1
    s.frame_screened[0] = UNKNOWN
    fill(s.rates, 0.0, s.rates.size)  # with other oracles, other prices


@entry
def set_out(p, s, linear, options, base):
    """From the root to the node at depth `base` whose way the frames hold.

    Boxes are tightened on the way where the search does it, so that the node is bounded just as if the search had
    come to it: tighter boxes do not always give tighter lines, and a proof is checked along the same way.
    """
    restart(p, s)
    s.tally[BASE] = base
    if base > 0:
        left = s.tally[LIMIT]
        s.tally[ACTION] = tighten_or(p, s, linear, options, np.int64(0), left, np.int64(BRANCH))


@entry
def run(p, s, linear, nested, innermost, x, options, quota, node_limit):
    """Search on until the tree is done, a candidate needs an exact answer, or `quota` units of work are done.

    The tree is the one below depth BASE: 0, or where this walker was sent (share.py); the frames above hold the way.
    """
    tally = s.tally
    stop = tally[WORK] + quota
    # records that one step can write: boxes, then tightened boxes; values, flip by flip, of a sweep
    levels = tally[LIMIT] if options.enumerate_at_once else 2
    room = (3 + levels) * p.T * p.n + p.n
    while True:
        if tally[STOP]:
            return PAUSED
        depth = tally[DEPTH]
        action = tally[ACTION]
        excluded = s.frame_excluded[depth]
        marks = s.frame_marks[depth]
        if action == ENTER:
            if tally[WORK] >= stop or tally[NODES] >= node_limit or full(s):
                return PAUSED
            if lacks_room(s, room):
                return TRAIL_FULL
            if tally[FRESH]:
                tally[FRESH] = 0
                if grounding_may_break(p, s, excluded):
                    tally[CANDIDATES] += 1
                    return CANDIDATE
            tally[NODES] += 1
            tally[WORK] += 1
            s.frame_work[depth] = ALONE
            tally[ACTION] = RETREAT
            tally[LEAVES] += 1
            left = tally[LIMIT] - tally[USED]
            if left <= 0:
                tally[SPENT_LEAVES] += 1
                note(s, NOTHING_LEFT)
                continue
            s.frame_phase[depth] = 0
            if options.interplay and left <= MOST_FLIPS:
                if s.frame_screened[depth] == UNKNOWN:
                    update_stabiliser(s, x)
                known = recall(s, x, depth, left)
                s.frame_left[depth] = left
                s.frame_screened[depth] = UNKNOWN
                mark(s, marks)
                if left == 1:
                    tally[ACTION] = ENUMERATE
                else:
                    tally[ACTION] = PICK if known else SCREEN
                continue
            if prune_by_intervals(p, s, excluded):
                tally[BOX_PRUNES] += 1
                note(s, BY_BOX)
                continue
            mark(s, marks)
            s.frame_left[depth] = left
            tally[TRACE_FLAGS] = 0
            if options.lines:
                tally[LINE_PASSES] += 1
                before = count(excluded, p.rivals)
                if prune_by_linear_bounds(p, s, linear, nested, innermost, options, excluded):
                    tally[LINE_PRUNES] += 1
                    note(s, BY_LINE)
                    continue
                if count(excluded, p.rivals) > before:
                    tally[TRACE_FLAGS] |= LINES_EXCLUDED
            tally[ACTION] = PROBE if options.lines and left > 1 else CHOOSE
        elif action == PROBE:
            tally[ACTION] = PROBED
            if flip_best_gains(p, s, linear, options, excluded):
                tally[CANDIDATES] += 1
                return CANDIDATE
        elif action == PROBED:
            undo(p, s, marks[0], marks[1], marks[2])
            # a candidate that was an attack leaves less budget: what was bounded here was bounded for more
            left = s.frame_left[depth]
            if tally[LIMIT] - tally[USED] != left:
                tally[ACTION] = ENTER
            elif left == 2 and options.last_flip and enumeration_pays(s, depth):
                tally[ACTION] = ENUMERATE
            else:
                tally[ACTION] = tighten_or(p, s, linear, options, depth, left, CHOOSE)
        elif action == TIGHTEN:
            if tally[USED] > tally[LIMIT]:  # an attack was found since: nothing below is allowed any more
                tally[ACTION] = RETREAT
                continue
            if not tighten_more(p, s, linear, nested, innermost, options, stop):
                return PAUSED
            if depth < tally[BASE]:
                tally[ACTION] = BRANCH
                continue
            tally[ACTION] = CHOOSE
            tally[TIGHTENINGS] += 1
            tally[LINE_PASSES] += 1
            tally[TRACE_FLAGS] |= TIGHTENED
            before = count(excluded, p.rivals)
            if prune_by_linear_bounds(p, s, linear, nested, innermost, options, excluded):
                tally[LINE_PRUNES] += 1
                note(s, BY_LINE | tally[TRACE_FLAGS])
                tally[ACTION] = RETREAT
                continue
            if count(excluded, p.rivals) > before:
                tally[TRACE_FLAGS] |= LINES_EXCLUDED_AGAIN
            mark(s, marks)
        elif action == CHOOSE:
            tally[ACTION] = RETREAT
            # with one flip left, splitting would evaluate the same graphs
            if options.last_flip and (s.frame_left[depth] == 1 or options.enumerate_at_once):
                tally[ACTION] = ENUMERATE
                continue
            if not options.exclude_rivals:
                fill(excluded, np.int64(0), p.rivals)
            pair = choose_by_gain(p, s, linear) if options.lines else np.int64(-1)
            if pair < 0:
                pair = choose_nearest(p, s) if p.node_task and options.nearest_first else choose_first(p, s)
            if pair < 0:
                tally[LONELY_LEAVES] += 1
                note(s, NOTHING_MATTERS)
                continue
            tally[LEAVES] -= 1
            s.frame_pair[depth] = pair
            if not options.flip_first:
                tally[TRACE_FLAGS] |= UNFLIPPED_FIRST
            note(s, BY_SPLIT | tally[TRACE_FLAGS] | pair << 8)
            tally[ACTION] = BRANCH
        elif action == ENUMERATE:
            tally[ACTION] = SWEEP
            tally[ENUMERATED_LEAVES] += 1
            note(s, BY_ENUMERATION)
            if not options.exclude_rivals:
                fill(excluded, np.int64(0), p.rivals)
            if not options.lines or options.interplay:
                fill(linear.doubtful, np.int8(1), p.pair_u.size)
            start_enumeration(s, s.frame_left[depth])
        elif action == SWEEP:
            code = enumerate_graphs(p, s, linear, options, excluded, stop)
            if code == FOUND:
                return CANDIDATE
            if code == INTERRUPTED:
                return PAUSED
            undo(p, s, marks[0], marks[1], marks[2])
            tally[ACTION] = RETREAT
        elif action == SCREEN:
            tally[SCREENINGS] += 1
            alive = screen(p, s, x, options, excluded, s.frame_left[depth])
            if alive < 0:
                return PAUSED
            mark(s, marks)
            tally[ACTION] = PICK
        elif action == PICK:
            pair = choose_by_set_bound(p, s, x, s.frame_left[depth])
            if pair < 0:
                tally[SCREENED_LEAVES] += 1
                tally[ACTION] = RETREAT
                continue
            tally[LEAVES] -= 1
            s.frame_screened[depth] = SCREENED
            s.frame_pair[depth] = pair
            tally[ACTION] = BRANCH
        elif action == RETREAT:
            note_price(s, depth)
            if depth <= tally[BASE]:
                return FINISHED
            tally[DEPTH] = depth - 1
            before = s.frame_marks[depth - 1]
            undo(p, s, before[0], before[1], before[2])
            tally[ACTION] = BRANCH
        else:
            sent = depth < tally[BASE]  # on the way there
            if sent and lacks_room(s, room):
                return TRAIL_FULL
            phase = s.frame_phase[depth]
            if phase == 2 or tally[USED] > tally[LIMIT]:
                tally[ACTION] = RETREAT
                continue
            s.frame_phase[depth] = phase + 1
            pair = s.frame_pair[depth]
            flip = (phase == 0) == (options.flip_first != 0)
            if flip and not affordable(p, s, pair):
                if sent:
                    tally[ACTION] = RETREAT
                continue
            if s.frame_screened[depth] and not sent:
                if not enter_screened_child(p, s, x, options, excluded, marks, depth, pair, flip):
                    continue
            else:
                apply(p, s, options, pair, np.int64(flip))
                s.frame_screened[depth + 1] = UNKNOWN
            copy(s.frame_excluded[depth + 1], excluded, p.rivals)
            tally[FRESH] = 1 if flip else 0
            tally[DEPTH] = depth + 1
            tally[ACTION] = ENTER
            if depth + 1 < tally[BASE]:
                left = tally[LIMIT] - tally[USED]
                tally[ACTION] = tighten_or(p, s, linear, options, depth + 1, left, BRANCH)

"""What the node loop does at a search node, one function an action.

Each sets the next action, and returns GO_ON, or why the loop has to return; those that never end it return nothing.
"""

from __future__ import annotations

import numpy as np

from ..attacks.flips import flip_best_gains
from ..forward.claim import grounding_may_break
from ..jit.decorators import part
from ..linear.tighten import start_tightening, tighten_more
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
    SPENT_LEAVES,
    TIGHTENINGS,
    TRACE_FLAGS,
    USED,
    VALUE_MARK,
    WORK,
)  # fmt: skip
from ..state.trail import mark_trails, undo_to
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
from .codes import (
    BRANCH,
    CANDIDATE,
    CHOOSE,
    ENTER,
    ENUMERATE,
    EVALUATE,
    FINISHED,
    GO_ON,
    PAUSED,
    PROBE,
    PROBED,
    RETREAT,
    TIGHTEN,
    TRAIL_FULL,
)  # fmt: skip
from .decide import apply
from .enumerate import ALONE, FOUND, INTERRUPTED, enumerate_graphs, enumeration_pays, note_price, start_enumeration
from .prune import prune_by_intervals, prune_by_linear_bounds
from .screened import UNKNOWN, enter_screened_child, enter_with_tables


@part
def lacks_room(s, room):
    return s.value_trail_at.size - s.tally[VALUE_MARK] < room or s.box_trail_at.size - s.tally[BOX_MARK] < room


@part
def tighten_or(p, s, linear, options, depth, left, otherwise):
    """The next action: the expensive oracle at every k-th level."""
    if options.lines and options.lines_tighten > 0 and left > 1 and depth % options.lines_tighten == 0:
        start_tightening(p, s, linear)
        return TIGHTEN
    return otherwise


@part
def enter(p, s, linear, nested, innermost, x, options, excluded, marks, depth, stop, room, node_limit):
    """Arrive at a node: where a flip led here, ask whether the claim may be broken already; then bound the node."""
    tally = s.tally
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
    tally[LEAVES] += 1  # until a pair is chosen
    left = tally[LIMIT] - tally[USED]
    if left <= 0:
        tally[SPENT_LEAVES] += 1
        note(s, NOTHING_LEFT)
        return GO_ON
    s.frame_phase[depth] = 0
    if options.interplay and left <= MOST_FLIPS:
        enter_with_tables(s, x, marks, depth, left)
    else:
        bound(p, s, linear, nested, innermost, options, excluded, marks, depth, left)
    return GO_ON


@part
def bound(p, s, linear, nested, innermost, options, excluded, marks, depth, left):
    """Boxes first, then lines; a node that neither closes goes on."""
    tally = s.tally
    if prune_by_intervals(p, s, excluded):
        tally[BOX_PRUNES] += 1
        note(s, BY_BOX)
        return
    mark_trails(s, marks)
    s.frame_left[depth] = left
    tally[TRACE_FLAGS] = 0
    if options.lines and bound_by_lines(p, s, linear, nested, innermost, options, excluded, np.int64(LINES_EXCLUDED)):
        return
    # below a flip, the best gains are those of the parent, which were tried there
    flipped = depth > tally[BASE] and (s.frame_phase[depth - 1] == 1) == (options.flip_first != 0)
    tally[ACTION] = CHOOSE
    if options.lines and left > 1:
        tally[ACTION] = PROBED if flipped else PROBE


@part
def bound_by_lines(p, s, linear, nested, innermost, options, excluded, flag):
    """True if lines close the node; notes in the trace what they did, `flag` where they excluded some rival."""
    tally = s.tally
    tally[LINE_PASSES] += 1
    before = count(excluded, p.rivals)
    if prune_by_linear_bounds(p, s, linear, nested, innermost, options, excluded):
        tally[LINE_PRUNES] += 1
        note(s, BY_LINE | tally[TRACE_FLAGS])
        return True
    if count(excluded, p.rivals) > before:
        tally[TRACE_FLAGS] |= flag
    return False


@part
def probe(p, s, linear, options, excluded):
    """Flip the pairs with the largest gains: often that is an attack."""
    s.tally[ACTION] = PROBED
    if flip_best_gains(p, s, linear, options, excluded):
        s.tally[CANDIDATES] += 1
        return CANDIDATE
    return GO_ON


@part
def end_probe(p, s, linear, options, marks, depth):
    """Take these flips back. If they were an attack, less budget is left: what was bounded here was bounded for
    more.
    """
    tally = s.tally
    undo_to(p, s, marks)
    left = s.frame_left[depth]
    if tally[LIMIT] - tally[USED] != left:
        tally[ACTION] = ENTER
    elif left == 2 and options.last_flip and enumeration_pays(s, depth):
        tally[ACTION] = ENUMERATE
    else:
        tally[ACTION] = tighten_or(p, s, linear, options, depth, left, CHOOSE)


@part
def tighten(p, s, linear, nested, innermost, options, excluded, marks, depth, stop):
    """Tighten boxes by lines, then bound again."""
    tally = s.tally
    if tally[USED] > tally[LIMIT]:  # an attack was found since: nothing below is allowed any more
        tally[ACTION] = RETREAT
        return GO_ON
    if not tighten_more(p, s, linear, nested, innermost, options, stop):
        return PAUSED
    if depth < tally[BASE]:
        tally[ACTION] = BRANCH
        return GO_ON
    tally[TIGHTENINGS] += 1
    tally[TRACE_FLAGS] |= TIGHTENED
    if bound_by_lines(p, s, linear, nested, innermost, options, excluded, np.int64(LINES_EXCLUDED_AGAIN)):
        tally[ACTION] = RETREAT
    else:
        mark_trails(s, marks)
        tally[ACTION] = CHOOSE
    return GO_ON


@part
def choose(p, s, linear, options, excluded, depth):
    """Choose the pair to decide here: by gain, else the nearest, else the first (branching.py says why).

    Theory: "Which pair is decided next".
    """
    tally = s.tally
    # with one flip left, splitting would evaluate the same graphs
    if options.last_flip and (s.frame_left[depth] == 1 or options.enumerate_at_once):
        tally[ACTION] = ENUMERATE
        return
    if not options.exclude_rivals:
        fill(excluded, np.int64(0), p.rivals)
    pair = choose_by_gain(p, s, linear) if options.lines else np.int64(-1)
    if pair < 0:
        pair = choose_nearest(p, s) if p.node_task and options.nearest_first else choose_first(p, s)
    if pair < 0:
        tally[LONELY_LEAVES] += 1
        note(s, NOTHING_MATTERS)
        tally[ACTION] = RETREAT
        return
    tally[LEAVES] -= 1
    s.frame_pair[depth] = pair
    if not options.flip_first:
        tally[TRACE_FLAGS] |= UNFLIPPED_FIRST
    note(s, BY_SPLIT | tally[TRACE_FLAGS] | pair << 8)
    tally[ACTION] = BRANCH


@part
def begin_enumeration(p, s, linear, options, excluded, depth):
    """Evaluate every graph below, instead of splitting."""
    s.tally[ACTION] = EVALUATE
    s.tally[ENUMERATED_LEAVES] += 1
    note(s, BY_ENUMERATION)
    if not options.exclude_rivals:
        fill(excluded, np.int64(0), p.rivals)
    if not options.lines or options.interplay:
        fill(linear.doubtful, np.int8(1), p.pair_u.size)
    start_enumeration(s, s.frame_left[depth])


@part
def evaluate(p, s, linear, options, excluded, marks, stop):
    """Go on with that."""
    code = enumerate_graphs(p, s, linear, options, excluded, stop)
    if code == FOUND:
        return CANDIDATE
    if code == INTERRUPTED:
        return PAUSED
    undo_to(p, s, marks)
    s.tally[ACTION] = RETREAT
    return GO_ON


@part
def retreat(p, s, depth):
    """Everything below this node is settled: back to its parent."""
    note_price(s, depth)
    if depth <= s.tally[BASE]:
        return FINISHED
    s.tally[DEPTH] = depth - 1
    undo_to(p, s, s.frame_marks[depth - 1])
    s.tally[ACTION] = BRANCH
    return GO_ON


@part
def branch(p, s, linear, x, options, excluded, marks, depth, room):
    """Go to the child that comes next, or back after both. Above BASE, frames say which child it is: the loop was sent
    there, and bounds nothing on the way but what it would have tightened.
    """
    tally = s.tally
    sent = depth < tally[BASE]
    if sent and lacks_room(s, room):
        return TRAIL_FULL
    phase = s.frame_phase[depth]
    if phase == 2 or tally[USED] > tally[LIMIT]:
        tally[ACTION] = RETREAT
        return GO_ON
    s.frame_phase[depth] = phase + 1
    pair = s.frame_pair[depth]
    flip = (phase == 0) == (options.flip_first != 0)
    if flip and not affordable(p, s, pair):
        if sent:
            tally[ACTION] = RETREAT
        return GO_ON
    if s.frame_screened[depth] and not sent:
        if not enter_screened_child(p, s, x, options, excluded, marks, depth, pair, flip):
            return GO_ON
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
    return GO_ON

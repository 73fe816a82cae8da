"""The search itself: depth first over pairs, resumable after every return."""

from __future__ import annotations

import numpy as np

from .borrow import fetch, lend
from .choose import choose_first, choose_nearest
from .compile import kernel, part
from .multiply import copy, fill
from .split import affordable, apply, undo
from .state import (
    ACTION, BOX_MARK, BOX_PRUNES, CANDIDATES, DEPTH, FRESH, H, HIGH, LEAVES, LIMIT, LONELY_LEAVES, LOW, NODES,
    PAIR_MARK, SPENT_LEAVES, USED, VALUE_MARK, WORK,
)  # fmt: skip

# why the kernel returned
FINISHED, CANDIDATE, PAUSED, TRAIL_FULL = 0, 1, 2, 3

# what to do next
ENTER, BRANCH, RETREAT = 0, 1, 2


@part
def grounding_may_break(pp, ps, excluded):  # type: ignore[no-untyped-def]
    """Whether the grounding breaks the claim, or comes so close that only exact arithmetic can tell."""
    p, s = fetch(pp), fetch(ps)
    h = s.values[p.T, 0, H]
    for r in range(p.rivals):
        objective = h[r] if p.folded else h[p.rival_at[r]] - h[p.label_at]
        # written so that a NaN counts as "may break"
        if not excluded[r] and not objective + s.error[r] <= 0.0:
            return True
    return False


@part
def boxes_exclude(pp, ps, excluded):  # type: ignore[no-untyped-def]
    """Mark the rivals that cannot win in any graph below; True if none is left."""
    p, s = fetch(pp), fetch(ps)
    box = s.boxes[p.T, 0]
    slope = p.slope[p.T]
    left = 0
    for r in range(p.rivals):
        if excluded[r]:
            continue
        if p.folded:
            above, below = box[HIGH, r], 0.0
        else:
            above, below = box[HIGH, p.rival_at[r]], box[LOW, p.label_at]
            above = slope * above if above < 0.0 else above
            below = slope * below if below < 0.0 else below
        if above <= below:
            excluded[r] = 1
        else:
            left += 1
    return left == 0


@kernel
def run(problem, state, options, quota, node_limit):  # type: ignore[no-untyped-def]
    """Search on until the tree is done, a candidate needs an exact answer, or `quota` units of work are done."""
    pp, ps = lend(problem), lend(state)
    p, s = fetch(pp), fetch(ps)
    tally = s.tally
    stop = tally[WORK] + quota
    room = p.T * p.n + p.n
    while True:
        depth = tally[DEPTH]
        if tally[ACTION] == ENTER:
            if tally[WORK] >= stop or tally[NODES] >= node_limit:
                return PAUSED
            excluded = s.frame_excluded[depth]
            if tally[FRESH]:
                tally[FRESH] = 0
                if grounding_may_break(pp, ps, excluded):
                    tally[CANDIDATES] += 1
                    return CANDIDATE
            tally[NODES] += 1
            tally[WORK] += 1
            tally[ACTION] = RETREAT
            if tally[USED] >= tally[LIMIT]:
                tally[LEAVES] += 1
                tally[SPENT_LEAVES] += 1
                continue
            if boxes_exclude(pp, ps, excluded):
                tally[LEAVES] += 1
                tally[BOX_PRUNES] += 1
                continue
            if not options.exclude_rivals:
                fill(excluded, np.int64(0), p.rivals)
            pair = choose_nearest(pp, ps) if p.node_task and options.nearest_first else choose_first(pp, ps)
            if pair < 0:
                tally[LEAVES] += 1
                tally[LONELY_LEAVES] += 1
                continue
            s.frame_pair[depth] = pair
            s.frame_phase[depth] = 0
            s.frame_marks[depth, 0] = tally[PAIR_MARK]
            s.frame_marks[depth, 1] = tally[VALUE_MARK]
            s.frame_marks[depth, 2] = tally[BOX_MARK]
            tally[ACTION] = BRANCH
        elif tally[ACTION] == RETREAT:
            if depth == 0:
                return FINISHED
            tally[DEPTH] = depth - 1
            marks = s.frame_marks[depth - 1]
            undo(pp, ps, marks[0], marks[1], marks[2])
            tally[ACTION] = BRANCH
        else:
            if s.value_trail_at.size - tally[VALUE_MARK] < room or s.box_trail_at.size - tally[BOX_MARK] < room:
                return TRAIL_FULL
            phase = s.frame_phase[depth]
            if phase == 2 or tally[USED] > tally[LIMIT]:
                tally[ACTION] = RETREAT
                continue
            s.frame_phase[depth] = phase + 1
            pair = s.frame_pair[depth]
            flip = (phase == 0) == (options.flip_first != 0)
            if flip and not affordable(pp, ps, pair):
                continue
            apply(pp, ps, options, pair, np.int64(flip))
            copy(s.frame_excluded[depth + 1], s.frame_excluded[depth], p.rivals)
            tally[FRESH] = 1 if flip else 0
            tally[DEPTH] = depth + 1
            tally[ACTION] = ENTER

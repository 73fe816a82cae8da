"""Enumeration: evaluate every graph below a search node, without search nodes and without bounds.

With one flip left this is always the cheapest; with more, where bounds have shown that they do not prune.
"""

from __future__ import annotations

import numpy as np

from .attack import flip_grounding
from .compile import kernel
from .exclude import grounding_may_break
from .split import affordable, undo
from .state import (
    BOX_MARK,
    CANDIDATES,
    LIMIT,
    PAIR_MARK,
    SWEEP_LEVEL,
    SWEEP_PENDING,
    SWEEP_SINGLE,
    USED,
    VALUE_MARK,
    WORK,
)

DONE, FOUND, INTERRUPTED = 0, 1, 2

MIN_TRIES = 6


@kernel
def seldom_pruned(s, left):
    return s.tries[left] >= MIN_TRIES and s.wins[left] * 4 <= s.tries[left]


@kernel
def pays(p, s, options, left):
    """Whether to enumerate what is below a node instead of bounding it further.

    With one flip left, splitting would evaluate the same graphs. With two it pays where lines have pruned few nodes
    that had one or two left. With more, bounds get better further down too often to give up on them.
    """
    if left == 1 or options.enumerate_at_once:
        return True
    if left > 2 or not options.lines:
        return False
    return seldom_pruned(s, np.int64(1)) and seldom_pruned(s, np.int64(2))


@kernel
def start_sweep(s, left):
    # `doubtful` was found for one flip left or not at all; the budget may shrink while the sweep goes on
    s.tally[SWEEP_SINGLE] = left == 1
    s.tally[SWEEP_LEVEL] = 0
    s.tally[SWEEP_PENDING] = 0
    s.sweep_cursor[0] = 0
    note_marks(s, np.int64(0))


@kernel
def note_marks(s, level):
    s.sweep_marks[level, 0] = s.tally[PAIR_MARK]
    s.sweep_marks[level, 1] = s.tally[VALUE_MARK]


@kernel
def sweep(p, s, lines, options, excluded, stop):
    """Go on with the enumeration; FOUND leaves a candidate on the trail, and the next call takes it from there.

    Level k has k flips of its own; each level flips only pairs behind the one above, so no set comes twice.
    """
    tally = s.tally
    pairs = p.pair_u.size
    while True:
        level = tally[SWEEP_LEVEL]
        if not tally[SWEEP_PENDING]:
            pair = s.sweep_cursor[level]
            single = level == 0 and tally[SWEEP_SINGLE]
            while pair < pairs and not (
                s.status[p.pair_slot[pair, 0]] & 2 and affordable(p, s, pair) and (lines.doubtful[pair] or not single)
            ):
                pair += 1
            if pair >= pairs or tally[USED] >= tally[LIMIT]:
                if level == 0:
                    return DONE
                tally[SWEEP_LEVEL] = level - 1
                marks = s.sweep_marks[level - 1]
                undo(p, s, marks[0], marks[1], tally[BOX_MARK])
                continue
            s.sweep_cursor[level] = pair + 1
            flip_grounding(p, s, options, pair)
            if grounding_may_break(p, s, excluded):
                tally[SWEEP_PENDING] = 1
                tally[CANDIDATES] += 1
                return FOUND
        tally[SWEEP_PENDING] = 0
        if tally[USED] < tally[LIMIT]:
            tally[SWEEP_LEVEL] = level + 1
            note_marks(s, level + 1)
            s.sweep_cursor[level + 1] = s.sweep_cursor[level]
        else:
            undo(p, s, s.sweep_marks[level, 0], s.sweep_marks[level, 1], tally[BOX_MARK])
        if tally[WORK] >= stop:
            return INTERRUPTED

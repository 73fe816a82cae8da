"""The search itself: depth first over pairs, resumable after every return.

Theory: "Branch and bound covers every admissible graph".
"""

from __future__ import annotations

import numpy as np

from ..jit.decorators import entry
from ..state.rows import fill
from ..state.state import ACTION, BASE, DEPTH, FRESH, LIMIT, STOP, WORK
from ..state.trail import undo
from .actions import (
    begin_enumeration,
    branch,
    choose,
    end_probe,
    enter,
    evaluate,
    probe,
    retreat,
    tighten,
    tighten_or,
)
from .codes import (
    BRANCH,
    CHOOSE,
    ENTER,
    ENUMERATE,
    EVALUATE,
    GO_ON,
    PAUSED,
    PICK,
    PROBE,
    PROBED,
    RETREAT,
    SCREEN,
    TIGHTEN,
)  # fmt: skip
from .screened import UNKNOWN, pick_pair, screen_node


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

    The tree is the one below depth BASE: 0, or where this worker was sent (parallel.py); the frames above hold the way.
    """
    tally = s.tally
    stop = tally[WORK] + quota
    # records that one step can write: boxes, then tightened boxes; values, flip by flip, of an enumeration
    levels = tally[LIMIT] if options.enumerate_at_once else 2
    room = (3 + levels) * p.T * p.n + p.n
    while True:
        if tally[STOP]:
            return PAUSED
        depth = tally[DEPTH]
        action = tally[ACTION]
        excluded = s.frame_excluded[depth]
        marks = s.frame_marks[depth]
        code = GO_ON
        if action == ENTER:
            code = enter(p, s, linear, nested, innermost, x, options, excluded, marks, depth, stop, room, node_limit)
        elif action == PROBE:
            code = probe(p, s, linear, options, excluded)
        elif action == PROBED:
            end_probe(p, s, linear, options, marks, depth)
        elif action == TIGHTEN:
            code = tighten(p, s, linear, nested, innermost, options, excluded, marks, depth, stop)
        elif action == CHOOSE:
            choose(p, s, linear, options, excluded, depth)
        elif action == ENUMERATE:
            begin_enumeration(p, s, linear, options, excluded, depth)
        elif action == EVALUATE:
            code = evaluate(p, s, linear, options, excluded, marks, stop)
        elif action == SCREEN:
            code = screen_node(p, s, x, options, excluded, marks, depth)
        elif action == PICK:
            pick_pair(p, s, x, depth)
        elif action == RETREAT:
            code = retreat(p, s, depth)
        else:
            code = branch(p, s, linear, x, options, excluded, marks, depth, room)
        if code != GO_ON:
            return code

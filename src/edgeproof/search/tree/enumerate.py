"""Enumeration: evaluate every graph below a search node, without search nodes and without bounds.

With one flip left this is always the cheapest; with two, where bounds have cost more than evaluations would have.

Theory: "Enumeration of the last flips".
"""

from __future__ import annotations

import numpy as np

from ..attacks.flips import flip_grounding
from ..forward.claim import grounding_may_break
from ..jit.decorators import kernel, leaf
from ..state.budget import affordable
from ..state.state import (
    BASE,
    BOUND_GRAPHS,
    BOUND_WORK,
    BOUNDED,
    CANDIDATES,
    CREDIT,
    ENUMERATION_LEVEL,
    ENUMERATION_PENDING,
    ENUMERATION_SINGLE,
    EVALUATION_WORK,
    EVALUATIONS,
    LIMIT,
    PRICED_AT,
    STOP,
    UNDECIDED,
    USED,
    WORK,
)  # fmt: skip
from ..state.trail import mark_level, undo_level

DONE, FOUND, INTERRUPTED = 0, 1, 2

# Subtrees with two flips left: how many are bounded before any is enumerated; how much what was measured in one counts
# after the next; what part of the work of enumerations may go into bounding one again, to see whether prices have
# changed. The rest of one is enumerated once bounds have cost more than this share of what evaluating the graphs they
# settled would have, and a part of what evaluating all of them would have.
FIRST_BOUNDED, MEMORY, CURIOSITY, BOUND_SHARE, PATIENCE = 3, 0.75, 0.25, 0.5, 0.05

ALONE, INHERITED = -1, -2  # in `frame_work`, where nothing is measured


@leaf
def graphs_of_two(s):
    """How many graphs an enumeration of up to two flips evaluates, up to budgets of vertices."""
    pairs = float(s.tally[UNDECIDED])
    return pairs * (pairs + 1.0) / 2.0


@leaf
def enumeration_pays(s, depth):
    """Whether bounds cost more a graph than evaluations do, in subtrees with two flips left: in those that were bounded
    lately, or in this one so far. With more flips left, bounds get better further down too often to give up on them.
    """
    tally, rates, graphs = s.tally, s.rates, graphs_of_two(s)
    if tally[EVALUATIONS] == 0:
        return False
    evaluation = tally[EVALUATION_WORK] / tally[EVALUATIONS]
    if depth > tally[BASE] and s.frame_left[depth - 1] == 2 and s.frame_work[depth - 1] != ALONE:
        s.frame_work[depth] = INHERITED
        whole = s.frame_graphs[tally[PRICED_AT]]
        settled = whole - graphs
        return tally[WORK] - s.frame_work[tally[PRICED_AT]] > (BOUND_SHARE * settled + PATIENCE * whole) * evaluation
    bound = rates[BOUND_WORK] / max(rates[BOUND_GRAPHS], 1.0)
    if rates[BOUNDED] >= FIRST_BOUNDED and bound > evaluation:
        if rates[CREDIT] < bound * graphs:
            rates[CREDIT] += CURIOSITY * evaluation * graphs
            return True
        rates[CREDIT] = 0.0
    tally[PRICED_AT] = depth
    s.frame_work[depth] = tally[WORK]
    s.frame_graphs[depth] = graphs
    return False


@leaf
def note_price(s, depth):
    """Everything below this node is settled: if it was bounded as a whole, that is what bounds cost."""
    if s.frame_work[depth] >= 0:
        rates = s.rates
        rates[BOUNDED] += 1.0
        rates[BOUND_WORK] = MEMORY * rates[BOUND_WORK] + (s.tally[WORK] - s.frame_work[depth])
        rates[BOUND_GRAPHS] = MEMORY * rates[BOUND_GRAPHS] + s.frame_graphs[depth]
    s.frame_work[depth] = ALONE


@leaf
def start_enumeration(s, left):
    # `doubtful` was found for one flip left or not at all; the budget may shrink while the sweep goes on
    s.tally[ENUMERATION_SINGLE] = left == 1
    s.tally[ENUMERATION_LEVEL] = 0
    s.tally[ENUMERATION_PENDING] = 0
    s.enumeration_cursor[0] = 0
    mark_level(s, np.int64(0))


@leaf
def breaks_by(p, s, options, excluded, pair):
    """Flip this pair; whether the claim may be broken so, which the next call has to take from there."""
    flip_grounding(p, s, options, pair)
    if not grounding_may_break(p, s, excluded):
        return False
    s.tally[ENUMERATION_PENDING] = 1
    s.tally[CANDIDATES] += 1
    return True


@kernel
def enumerate_graphs(p, s, linear, options, excluded, stop):
    """Go on with the enumeration; FOUND leaves a candidate on the trail, and the next call takes it from there.

    Level k has k flips of its own; each level flips only pairs behind the one above, so no set comes twice.
    """
    tally = s.tally
    pairs = p.pair_u.size
    while True:
        level = tally[ENUMERATION_LEVEL]
        if not tally[ENUMERATION_PENDING]:
            pair = s.enumeration_cursor[level]
            single = level == 0 and tally[ENUMERATION_SINGLE]
            while pair < pairs and not (
                s.status[p.pair_slot[pair, 0]] & 2 and affordable(p, s, pair) and (linear.doubtful[pair] or not single)
            ):
                pair += 1
            if pair >= pairs or tally[USED] >= tally[LIMIT]:
                if level == 0:
                    return DONE
                tally[ENUMERATION_LEVEL] = level - 1
                undo_level(p, s, level - 1)
                continue
            s.enumeration_cursor[level] = pair + 1
            if breaks_by(p, s, options, excluded, pair):
                return FOUND
        tally[ENUMERATION_PENDING] = 0
        if tally[USED] < tally[LIMIT]:
            tally[ENUMERATION_LEVEL] = level + 1
            mark_level(s, level + 1)
            s.enumeration_cursor[level + 1] = s.enumeration_cursor[level]
        else:
            undo_level(p, s, level)
        if tally[WORK] >= stop or tally[STOP]:
            return INTERRUPTED

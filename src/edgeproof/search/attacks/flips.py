"""Looking for a graph that breaks the claim among those near the grounding."""

from __future__ import annotations

import numpy as np

from ..forward.claim import grounding_may_break, largest_objective
from ..forward.incremental import evaluate_from
from ..jit.decorators import entry
from ..state.budget import affordable
from ..state.state import BOX_MARK, EVALUATION_WORK, EVALUATIONS, LIMIT, PAIR_MARK, USED, VALUE_MARK, WORK
from ..state.trail import decide, undo


@entry
def flip_grounding(p, s, options, pair):
    """Flip a pair in the grounding only: boxes stay as they are, so undo before they are looked at."""
    decide(p, s, pair, np.int64(1))
    s.seeds[0] = p.pair_v[pair]
    s.seeds[1] = p.pair_u[pair]
    ends = 2 if p.pair_slot[pair, 1] >= 0 else 1
    before = s.tally[WORK]
    evaluate_from(p, s, options, s.seeds[:ends], np.int64(0))
    s.tally[EVALUATIONS] += 1
    s.tally[EVALUATION_WORK] += 1 + s.tally[WORK] - before  # one more for what does not grow with the vertices


@entry
def flip_best_gains(p, s, linear, options, excluded):
    """Flip the pairs with the largest gains one after the other; True as soon as the claim may be broken."""
    room = p.T * p.n  # what one flip can write to the trail
    while s.tally[USED] < s.tally[LIMIT] and s.value_trail_at.size - s.tally[VALUE_MARK] >= room:
        best, at = 0.0, np.int64(-1)
        for pair in range(p.pair_u.size):
            if linear.order[pair] > best and s.status[p.pair_slot[pair, 0]] & 2 and affordable(p, s, pair):
                best, at = linear.order[pair], np.int64(pair)
        if at < 0:
            return False
        flip_grounding(p, s, options, at)
        if grounding_may_break(p, s, excluded):
            return True
    return False


@entry
def score_flips(p, s, options, base, excluded, scores, order, first, last):
    """scores[pair], for pairs from `first` to before `last` in this order: the largest objective of a rival when `base`
    and this pair are flipped; -inf where that is not allowed. All single flips of one base graph share its evaluation.

    Stops behind the first pair that may break the claim; returns where it has stopped.
    """
    for k in range(base.size):
        flip_grounding(p, s, options, base[k])
    pair_mark, value_mark, box_mark = s.tally[PAIR_MARK], s.tally[VALUE_MARK], s.tally[BOX_MARK]
    for k in range(first, last):
        pair = order[k]
        scores[pair] = -np.inf
        if s.status[p.pair_slot[pair, 0]] & 2 and affordable(p, s, pair):
            flip_grounding(p, s, options, pair)
            scores[pair] = largest_objective(p, s, excluded)
            undo(p, s, pair_mark, value_mark, box_mark)
            if scores[pair] > 0.0:
                last = k + 1
                break
    undo(p, s, np.int64(0), np.int64(0), box_mark)
    return last

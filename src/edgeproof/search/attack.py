"""Looking for a graph that breaks the claim among those near the grounding."""

from __future__ import annotations

import numpy as np

from .compile import kernel
from .evaluate import evaluate_from
from .exclude import grounding_may_break
from .split import affordable, decide
from .state import EVALUATIONS, LIMIT, USED, VALUE_MARK


@kernel
def flip_grounding(p, s, options, pair):  # type: ignore[no-untyped-def]
    """Flip a pair in the grounding only: boxes stay as they are, so undo before they are looked at."""
    decide(p, s, pair, np.int64(1))
    s.seeds[0] = p.pair_v[pair]
    s.seeds[1] = p.pair_u[pair]
    ends = 2 if p.pair_slot[pair, 1] >= 0 else 1
    evaluate_from(p, s, options, s.seeds[:ends], np.int64(0))
    s.tally[EVALUATIONS] += 1


@kernel
def flip_best_gains(p, s, lines, options, excluded):  # type: ignore[no-untyped-def]
    """Flip the pairs with the largest gains one after the other; True as soon as the claim may be broken."""
    room = p.T * p.n  # what one flip can write to the trail
    while s.tally[USED] < s.tally[LIMIT] and s.value_trail_at.size - s.tally[VALUE_MARK] >= room:
        best, at = 0.0, -1
        for pair in range(p.pair_u.size):
            if lines.order[pair] > best and s.status[p.pair_slot[pair, 0]] & 2 and affordable(p, s, pair):
                best, at = lines.order[pair], pair
        if at < 0:
            return False
        flip_grounding(p, s, options, at)
        if grounding_may_break(p, s, excluded):
            return True
    return False

"""Looking for a graph that breaks the claim among those near the grounding."""

from __future__ import annotations

import numpy as np

from .borrow import fetch
from .compile import kernel
from .evaluate import evaluate_from
from .exclude import grounding_may_break
from .split import affordable, decide
from .state import EVALUATIONS, LIMIT, USED


@kernel
def flip_grounding(pp, ps, options, pair):  # type: ignore[no-untyped-def]
    """Flip a pair in the grounding only: boxes stay as they are, so undo before they are looked at."""
    p, s = fetch(pp), fetch(ps)
    decide(pp, ps, pair, np.int64(1))
    s.seeds[0] = p.pair_v[pair]
    s.seeds[1] = p.pair_u[pair]
    ends = 2 if p.pair_slot[pair, 1] >= 0 else 1
    evaluate_from(pp, ps, options, s.seeds[:ends], np.int64(0))
    s.tally[EVALUATIONS] += 1


@kernel
def flip_best_gains(pp, ps, pl, options, excluded):  # type: ignore[no-untyped-def]
    """Flip the pairs with the largest gains one after the other; True as soon as the claim may be broken."""
    p, s, lines = fetch(pp), fetch(ps), fetch(pl)
    while s.tally[USED] < s.tally[LIMIT]:
        best, at = 0.0, -1
        for pair in range(p.pair_u.size):
            if lines.order[pair] > best and s.status[p.pair_slot[pair, 0]] & 2 and affordable(pp, ps, pair):
                best, at = lines.order[pair], pair
        if at < 0:
            return False
        flip_grounding(pp, ps, options, at)
        if grounding_may_break(pp, ps, excluded):
            return True
    return False

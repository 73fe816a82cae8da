"""Deciding a pair: what follows from it, and bringing grounding and interval bounds up to date."""

from __future__ import annotations

import numpy as np

from ..forward.incremental import evaluate_from
from ..intervals.aggregate import bound_from
from ..jit.decorators import part
from ..state.state import LIMIT, PAIR_MARK, USED
from ..state.trail import decide


@part
def fix_others(p, s, v):
    """Inference: once v has spent its local budget, its undecided pairs stay as they are in G.

    Theory: "Spent local budgets".
    """
    for k in range(p.slot_ptr[v], p.slot_ptr[v + 1]):
        if s.status[k] & 2:
            decide(p, s, p.slot_pair[k], np.int64(0))


@part
def apply(p, s, options, pair, flip):
    """Decide a pair and bring grounding and boxes up to date."""
    u, v = p.pair_u[pair], p.pair_v[pair]
    first = s.tally[PAIR_MARK]
    decide(p, s, pair, flip)
    everything = 1 - options.incremental
    seeds = s.seeds
    if flip:
        seeds[0] = v
        seeds[1] = u
        evaluate_from(p, s, options, seeds[: 2 if p.pair_slot[pair, 1] >= 0 else 1], everything)
        if options.inference:
            if s.local_left[v] == 0:
                fix_others(p, s, v)
            if p.charge_u and s.local_left[u] == 0:
                fix_others(p, s, u)
    left = s.tally[LIMIT] - s.tally[USED]
    if left <= 0:
        return  # no box is looked at without budget: the grounding is all there is
    count = 0
    n = p.n
    if flip and options.budget_boxes:
        # one unit less for everyone: a box changes where more than what is left could have been spent
        for w in range(n):
            if min(s.open_slots[w], s.local_left[w]) > left:
                seeds[count] = w
                count += 1
    for k in range(first, s.tally[PAIR_MARK]):
        done = s.pair_trail[k]
        done = ~done if done < 0 else done
        for end in range(2):
            if p.pair_slot[done, end] >= 0:
                seeds[count] = p.pair_v[done] if end == 0 else p.pair_u[done]
                count += 1
    bound_from(p, s, options, seeds[:count], everything)

"""What the budgets still allow, globally and at one vertex."""

from __future__ import annotations

from ..jit.decorators import leaf
from .state import LIMIT, USED


@leaf
def spendable(s, options, v):
    """How many of its undecided in-pairs a vertex can see flipped in one admissible graph."""
    if not options.budget_boxes:
        return s.open_slots[v]
    return min(s.open_slots[v], s.local_left[v], s.tally[LIMIT] - s.tally[USED])


@leaf
def affordable(p, s, pair):
    """Whether the budgets left allow this flip.

    Theory: "Branch and bound covers every admissible graph".
    """
    u, v = p.pair_u[pair], p.pair_v[pair]
    if s.tally[USED] >= s.tally[LIMIT] or s.local_left[v] < 1:
        return False
    return not p.charge_u or s.local_left[u] >= 1

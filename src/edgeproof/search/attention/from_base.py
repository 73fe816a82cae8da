"""Sets of flips evaluated from the values as they are, and attacks from what single flips gain.

Theory: "Scores after flips".
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from ...model.arrays import FloatArray, IntArray
from ...model.graph import Pair
from ...model.query import Query
from ..deadline import Alarm
from ..jit.by_address import Bundle
from .evaluate import BROKEN, COUNT, DOUBTFUL, FINISHED, SIZE, evaluate_sets, fill_base, lead_after
from .stack import Stack, knows, make_stack

# sets between two looks at the clock
QUOTA = 2000
# pairs that a greedy attack chooses from
LIKELY = 200

Decide = Callable[[tuple[Pair, ...]], int | None]


class FromBase:
    """decide: says which rival wins after some flips, if any."""

    def __init__(
        self, query: Query, pairs: list[Pair], stack: Stack, error: float, alarm: Alarm, decide: Decide
    ) -> None:
        self._query, self._pairs, self._stack, self._alarm, self._decide = query, pairs, stack, alarm, decide
        self._lent, self._error, self.evaluations = Bundle(stack), error, 0
        self._rivals = np.array(query.rivals, dtype=np.int64)
        self._leads: FloatArray = np.full(max(1, len(pairs)), -np.inf)
        for first, last in pairwise(range(stack.size.size + 1)):
            alarm.look()
            fill_base(self._lent, first, last)
        stack.base_score[:] = stack.score

    @classmethod
    def make(cls, query: Query, pairs: list[Pair], local: IntArray, alarm: Alarm, decide: Decide) -> FromBase | None:
        """None where this is not for the network, or would take too much."""
        if query.claim.node is None or not knows(query.network):
            return None
        made = make_stack(query, pairs, local)
        if made is None or not np.isfinite(made[1]):
            return None
        return cls(query, pairs, *made, alarm, decide)

    def look_at(self, size: int) -> tuple[list[Pair], int] | None:
        """An attack of this size; None: there is none."""
        chosen, cursor = np.zeros(size, dtype=np.int64), np.zeros(3, dtype=np.int64)
        cursor[SIZE] = 1
        while True:
            self._alarm.look()
            code = evaluate_sets(
                self._lent, chosen, cursor, size, self._query.claim.label, self._rivals, self._error, QUOTA, self._leads
            )
            self.evaluations += int(cursor[COUNT])
            cursor[COUNT] = 0
            if code == FINISHED:
                return None
            if code in (BROKEN, DOUBTFUL):
                found = self._found(chosen.tolist())
                if found is not None:
                    return found

    def _found(self, numbers: list[int]) -> tuple[list[Pair], int] | None:
        flips = tuple(sorted(self._pairs[one] for one in numbers))
        rival = self._decide(flips)
        return None if rival is None else (list(flips), rival)

    def follow_gains(self, budget: int) -> tuple[list[Pair], int] | None:
        """Flip what gains most, one pair after the other, each time among those that gain most alone."""
        likely = np.argsort(-self._leads)[:LIKELY].tolist()
        chosen: list[int] = []
        for _ in range(budget):
            best, lead = -1, -np.inf
            for one in likely:
                if one not in chosen and self._affordable([*chosen, one]):
                    self._alarm.look()
                    flips = np.array([*chosen, one], dtype=np.int64)
                    found = float(lead_after(self._lent, flips, flips.size, self._query.claim.label, self._rivals))
                    self.evaluations += 1
                    if found > lead:
                        best, lead = one, found
            if best < 0:
                return None
            chosen.append(best)
            if lead > -self._error:
                attack = self._found(chosen)
                if attack is not None:
                    return attack
        return None

    def _affordable(self, numbers: list[int]) -> bool:
        used: dict[int, int] = {}
        for one in numbers:
            for v in self._stack.payer[:, one].tolist():
                if v >= 0:
                    used[v] = used.get(v, 0) + 1
        return all(count <= self._stack.local[v] for v, count in used.items())

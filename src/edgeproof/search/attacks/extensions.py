"""Sets of flips with one flip more: evaluated from the root, the best ones first."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from math import gcd

import numpy as np

from ...model.arrays import IntArray
from ...problem.layout import Problem
from ..jit.by_address import Bundle
from ..state.state import EVALUATIONS, LIMIT, Options, State, with_longer_trails
from .flips import score_flips

Flips = tuple[int, ...]
Scored = tuple[float, Flips]

# flips evaluated between two looks at the clock: some 10 ms on the largest graphs
CHUNK = 512


def _scatter(present: IntArray) -> IntArray:
    """Deletions first, then insertions, each spread over the graph: flips at one vertex often fail for one reason. On
    graph tasks the first of many attacks is met after a half to all of the evaluations that numbers in turn take.
    """
    n = present.size
    step = next((step for step in range(int(0.618 * n), n) if gcd(step, n) == 1), 1)
    spread = np.arange(n) * step % max(n, 1)
    return np.concatenate([spread[present[spread] != 0], spread[present[spread] == 0]])


class Extensions:
    """Evaluates on a state at the root, which it leaves as it was."""

    def __init__(
        self,
        problem: Bundle,
        state: State,
        options: Options,
        breaks: Callable[[Sequence[int]], bool],
        refuted: set[Flips],
        deadline: float | None,
    ) -> None:
        """`breaks` decides in exact arithmetic whether flipping these pairs breaks the claim; of those that are
        `refuted` it is known that they do not.
        """
        self._problem, self._options, self._breaks = problem, options, breaks
        p = problem.bundle
        while state.value_trail_at.size < (int(state.tally[LIMIT]) + 2) * p.T * p.n:
            state = with_longer_trails(state)
        self._state = Bundle(state)
        self._excluded = np.zeros(p.rivals, dtype=np.int8)
        self._scores = np.zeros(p.pair_u.size)
        self.order = _scatter(p.pair_present)
        self._refuted = refuted
        self._deadline = deadline

    def late(self) -> bool:
        return self._deadline is not None and time.perf_counter() > self._deadline

    @property
    def evaluations(self) -> int:
        return int(self._state.bundle.tally[EVALUATIONS])

    def best(self, base: Flips, width: int, others: IntArray) -> list[Scored] | Flips:
        """The best extensions of `base` by one of these flips, or one of them that is an attack."""
        flips = np.array(base, dtype=np.int64)
        self._scores.fill(-np.inf)
        first = 0
        while first < others.size:
            if self.late():
                return []
            last = min(first + CHUNK, others.size)
            first = int(
                score_flips(
                    self._problem, self._state, self._options, flips, self._excluded, self._scores, others, first, last
                )
            )
            behind = int(others[first - 1])
            if self._scores[behind] > 0.0 and self._is_attack(grown := tuple(sorted((*base, behind)))):
                return grown
        allowed = np.flatnonzero(self._scores > -np.inf)
        best = allowed[np.argsort(-self._scores[allowed], kind="stable")]
        return [(float(self._scores[pair]), tuple(sorted((*base, pair)))) for pair in best[:width].tolist()]

    def _is_attack(self, flips: Flips) -> bool:
        """Whether these break the claim; asked once."""
        if flips in self._refuted:
            return False
        if self._breaks(flips):
            return True
        self._refuted.add(flips)
        return False

    @property
    def problem(self) -> Problem:
        p: Problem = self._problem.bundle
        return p

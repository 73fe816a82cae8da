"""Attacks from the root: greedy with re-evaluation, then beams of partial attacks and climbs from random beginnings,
each with swaps at the end.

A beam holds what is best after two flips, and flips that are worth little before the fifth is made are soon dropped.
Climbs begin with any that are not bad: of six attacks that took a beam and the search 10 s to 10 minutes (ENZYMES, sum,
five flips), they find five in 2 s.

Two flips at one vertex may be worth much where each of them is among the worst, as where both edges of a vertex go: a
wide beam looks at all of these. 16 claims of 17 that were open for minutes or not asked (MUTAG, max, five flips, two at
a vertex) are broken so after 1 to 4 s; the search took 6 minutes for one of them.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from math import gcd

import numpy as np

from ...model.arrays import IntArray
from ...problem.layout import Problem
from ..jit.by_address import Bundle
from ..state.state import EVALUATIONS, LIMIT, Options, State, with_longer_trails
from .flips import score_flips

Flips = tuple[int, ...]

# flips evaluated between two looks at the clock: some 10 ms on the largest graphs
CHUNK = 512

# times its width that a beam holds before the worst are dropped
OVERFULL = 8

# beams at least so wide look at any two flips at one vertex
FORKED = 24

# the flips of a climb that are chosen by chance, and among how many
FREE, CHOICES = 3, 40


def _best(found: dict[Flips, float], width: int) -> list[tuple[float, Flips]]:
    return sorted(((score, flips) for flips, score in found.items()), reverse=True)[:width]


def _scatter(present: IntArray) -> IntArray:
    """Deletions first, then insertions, each spread over the graph: flips at one vertex often fail for one reason. On
    graph tasks the first of many attacks is met after a half to all of the evaluations that numbers in turn take.
    """
    n = present.size
    step = next((step for step in range(int(0.618 * n), n) if gcd(step, n) == 1), 1)
    spread = np.arange(n) * step % max(n, 1)
    return np.concatenate([spread[present[spread] != 0], spread[present[spread] == 0]])


class BeamSearch:
    """Looks for an attack of at most `budget` flips on a state at the root, which it leaves as it was."""

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
        self._order = _scatter(p.pair_present)
        self._refuted = refuted
        self._deadline = deadline
        self._random = random.Random(0)

    def late(self) -> bool:
        return self._deadline is not None and time.perf_counter() > self._deadline

    @property
    def evaluations(self) -> int:
        return int(self._state.bundle.tally[EVALUATIONS])

    def _expand(self, base: Flips, width: int, others: IntArray) -> list[tuple[float, Flips]] | Flips:
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

    def search(self, budget: int, width: int) -> Flips | None:
        """Grow attacks flip by flip, keeping the `width` best; at the end, swap flips of the best one."""
        beam: list[tuple[float, Flips]] = [(-np.inf, ())]
        for _ in range(budget):
            found: dict[Flips, float] = {}
            for base, others in self._beginnings(beam, width):
                extended = self._expand(base, width, others)
                if isinstance(extended, tuple):
                    return extended
                found.update((flips, score) for score, flips in extended)
                if len(found) > OVERFULL * width:
                    found = {flips: score for score, flips in _best(found, width)}
            if not found:
                break
            beam = _best(found, width)
        return self._swap(*beam[0]) if width > 1 else None

    def _beginnings(self, beam: list[tuple[float, Flips]], width: int) -> Iterator[tuple[Flips, IntArray]]:
        """What to extend, and by which flips."""
        for _, flips in beam:
            yield flips, self._order
        if width >= FORKED and len(beam[0][1]) == 1:
            held = {flips for _, flips in beam}
            for pair in range(self._scores.size):
                if (pair,) not in held:
                    yield (pair,), self._after_at_ends(pair)

    def _after_at_ends(self, pair: int) -> IntArray:
        """The flips with a vertex in common with this one, and a larger number."""
        p: Problem = self._problem.bundle
        u, v, order = p.pair_u, p.pair_v, self._order
        meets = (u == u[pair]) | (v == u[pair]) | (u == v[pair]) | (v == v[pair])
        later: IntArray = order[meets[order] & (order > pair)]
        return later

    def climb(self, budget: int, times: int) -> Flips | None:
        """Begin with some flips by chance, go on with the best, then swap; so many times."""
        for _ in range(times):
            score, flips = -np.inf, Flips()
            for made in range(budget):
                extended = self._expand(flips, CHOICES if made < FREE else 1, self._order)
                if isinstance(extended, tuple):
                    return extended
                if not extended:
                    break
                score, flips = self._random.choice(extended)
            found = self._swap(score, flips)
            if found is not None or self.late():
                return found
        return None

    def _swap(self, score: float, flips: Flips) -> Flips | None:
        """Exchange one flip at a time while that helps."""
        improved = len(flips) > 1
        while improved:
            improved = False
            for gone in flips:
                extended = self._expand(tuple(pair for pair in flips if pair != gone), 1, self._order)
                if isinstance(extended, tuple):
                    return extended
                if extended and extended[0][0] > score:
                    score, flips = extended[0]
                    improved = True
                    break
        return None

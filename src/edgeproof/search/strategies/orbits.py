"""Orbit enumeration: where most vertices look like others, one graph of each orbit is evaluated, without bounds.

A hundred vertices, most of them alone, have 4,950 pairs and 10^16 sets of five of them. But of single flips there may
be a dozen kinds, and of sets of five some hundred thousand: those that exchanges of twins and components take to each
other score the same (symmetry/orbital_fixing.py). Then no bound is as cheap as looking at all kinds, under any
aggregation.

Sets are enumerated flip by flip. Of pairs with the same role one is flipped; once all sets with it were looked at, it
is left out, and all with the same role. A set may still come in several ways: first by the one, then by the other of
two flips of one kind that are no longer alike with the rest.

Theory: "Enumeration by orbits".
"""

from __future__ import annotations

import numpy as np

from ...problem.layout import Problem
from ..symmetry.automorphisms import Symmetries
from ..tree.codes import CANDIDATE, FINISHED
from ..tree.enumerate import DONE, FOUND
from ..worker import Worker
from .forks import ANY, NOTHING

ALIKE = 32  # pairs of a kind, in the mean
MOST_SETS = 3e7  # sets that are evaluated in a minute or two


def count_orbits(p: Problem, alike: Symmetries) -> int:
    """Kinds of single flips."""
    ends = np.stack([alike.place[p.pair_u], alike.place[p.pair_v]])
    if p.charge_u:
        ends = np.sort(ends, axis=0)
    together = (alike.component[p.pair_u] == alike.component[p.pair_v]).astype(np.int64) + (p.pair_u == p.pair_v)
    return len(np.unique(np.stack([*ends, together]).T, axis=0))


def are_few(p: Problem, alike: Symmetries, flips: int) -> bool:
    """Whether evaluating all kinds of sets is cheap. Elsewhere bounds leave out more than symmetries do."""
    return p.pair_u.size >= ALIKE * count_orbits(p, alike) and guess_sets(alike, flips) <= MOST_SETS


def guess_sets(alike: Symmetries, flips: int) -> float:
    """About as many kinds of sets as there are: every flip makes some four more kinds of vertices, its ends and what is
    left of their components, and there are as many kinds of pairs as pairs of these.
    """
    kinds, total = len(np.unique(alike.place)), 1.0
    for made in range(flips):
        total *= (kinds + 4 * made) * (kinds + 4 * made + 1) / 2 / (made + 1)
    return total


class Orbits:
    """Moves a worker, which has tables of interplay and with them its symmetries, from kind to kind."""

    def __init__(self, worker: Worker) -> None:
        self._worker = worker
        self._seen = np.zeros(27 * worker.compiled.problem.n**2, dtype=np.int64)
        self._stamp = np.zeros(1, dtype=np.int64)
        worker.start_at(NOTHING, ANY)

    def advance(self, most_nodes: int) -> int:
        """A strategy (strategy.py)."""
        code = self._worker.enumerate_orbits(self._seen, self._stamp, most_nodes)
        return FINISHED if code == DONE else CANDIDATE if code == FOUND else self._worker.pause()

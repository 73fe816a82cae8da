"""Local search for attacks, from random beginnings.

Flips that are worth little before the last ones are made drop out of a beam early. A local search begins with any that
are not bad, goes on with the best, and exchanges flips one by one: of six attacks that took a beam and the search 10 s
to 10 minutes (ENZYMES, sum, five flips), it finds five in 2 s.
"""

from __future__ import annotations

import random

import numpy as np

from .extensions import Extensions, Flips

# the first flips, which are chosen by chance, and among how many
FREE, CHOICES = 3, 40


class LocalSearch:
    """The chance is the same in every run."""

    def __init__(self, extensions: Extensions) -> None:
        self._extensions = extensions
        self._random = random.Random(0)

    def search(self, budget: int, times: int) -> Flips | None:
        """Begin with some flips by chance, go on with the best, then swap; so many times."""
        for _ in range(times):
            score, flips = -np.inf, Flips()
            for made in range(budget):
                extended = self._extensions.best(flips, CHOICES if made < FREE else 1, self._extensions.order)
                if isinstance(extended, tuple):
                    return extended
                if not extended:
                    break
                score, flips = self._random.choice(extended)
            found = swap(self._extensions, score, flips)
            if found is not None or self._extensions.late():
                return found
        return None


def swap(extensions: Extensions, score: float, flips: Flips) -> Flips | None:
    """Exchange one flip at a time while that helps."""
    improved = len(flips) > 1
    while improved:
        improved = False
        for gone in flips:
            extended = extensions.best(tuple(pair for pair in flips if pair != gone), 1, extensions.order)
            if isinstance(extended, tuple):
                return extended
            if extended and extended[0][0] > score:
                score, flips = extended[0]
                improved = True
                break
    return None

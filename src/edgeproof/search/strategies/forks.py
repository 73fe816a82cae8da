"""Forks: sets of five flips, of which several may meet at one mean, taken apart by pairs of flips with one vertex.

What two flips make together is bounded well where no vertex has two of them, and hardly at all where one has: weights
of all its messages change. So sets of up to five flips are looked at by their shape, as graphs whose edges they are.
A fork is two flips with a vertex in common, the centre.

- Sets without a fork are searched from the graph as it is, with a local budget of one.
- A set with a fork is looked at from the graph with that fork flipped, which is evaluated. What is left of it, up to
  three flips, has no fork, and is searched as above; or it is a fork; or a fork and one flip that touches neither flip
  of this fork: the fork is evaluated too, and what it makes together with one flip elsewhere is bounded
  (fork_kernels.py).
- Which fork of a set is taken first does not matter, so any that leaves one of these will do. Nearly all sets with a
  fork have one; the others are five flips at one vertex, five in a ring, and five between four vertices: these are
  evaluated one by one.

From each base, others may touch it in any way: what was flipped is there, and counts in every weight.

With four flips or fewer, searching flip by flip is faster.

Theory: "Forks".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, permutations

import numpy as np

from ...model.arrays import IntArray
from ...problem.layout import GRAPH, MAX, MEAN, Problem
from ..tree.codes import CANDIDATE, FINISHED
from ..tree.enumerate import DONE, FOUND
from ..worker import Worker

FORK_FLIPS = 5
MOST_FORKS = 12_000  # forks of a graph: from each of them, all others are looked at
FORK_WORK = 32  # units of work for one of them from another
ANY = 1 << 30  # more flips than a vertex can have
NOTHING = np.zeros(0, dtype=np.int64)


def forks_apply(p: Problem) -> bool:
    """Whether sets of five flips can be looked at by their forks, and there are not too many of these."""
    hows = p.how[1:][p.kind[1:] == GRAPH]
    means = bool((hows == MEAN).any()) and not (hows == MAX).any()
    loops = bool((p.pair_u == p.pair_v).any())
    return means and bool(p.charge_u) and not loops and 0 < count_forks(p) <= MOST_FORKS


def count_forks(p: Problem) -> int:
    many = np.bincount(np.concatenate([p.pair_u, p.pair_v]), minlength=p.n)
    return int((many * (many - 1) // 2)[p.local > 1].sum())


def list_forks(p: Problem) -> IntArray:
    """(forks, 2) pairs with a vertex in common, that budgets of vertices allow."""
    found: list[tuple[int, int]] = []
    allowed = (p.local[p.pair_u] > 0) & (p.local[p.pair_v] > 0)
    for v in np.flatnonzero(p.local > 1):
        found += combinations(np.flatnonzero(((p.pair_u == v) | (p.pair_v == v)) & allowed).tolist(), 2)
    return np.array(found, dtype=np.int64).reshape(-1, 2)


def drop_images(forks: IntArray, image: IntArray) -> IntArray:
    """Without those that a symmetry maps to one with smaller numbers: an attack with the one has an image with the
    other.
    """
    pairs = image.shape[1]
    codes = forks.min(axis=1) * pairs + forks.max(axis=1)
    first = np.ones(len(forks), dtype=np.bool_)
    for to in image:
        there = to[forks]
        first &= there.min(axis=1) * pairs + there.max(axis=1) >= codes
    return forks[first]


# the ways to go round five vertices, and five of the six edges between four
RINGS = [(0, *way) for way in permutations(range(1, 5)) if way[0] < way[-1]]
MESHES = list(combinations(combinations(range(4), 2), 5))


def list_others(p: Problem) -> Iterator[IntArray]:
    """(sets, 5) in pieces: the sets of five flips with a fork that leave nothing of the above, whichever is taken."""
    name = np.full((p.n, p.n), -1, dtype=np.int64)
    name[p.pair_u, p.pair_v] = name[p.pair_v, p.pair_u] = np.arange(p.pair_u.size)
    for v in np.flatnonzero(p.local >= FORK_FLIPS):
        around = np.flatnonzero((p.pair_u == v) | (p.pair_v == v)).tolist()
        for k, pair in enumerate(around):
            yield from _sorted(_choose(pair, around[k + 1 :], 4))
    for first in range(p.n):
        four = _choose(first, range(first + 1, p.n), 3)
        for mesh in np.array(MESHES):
            yield from _sorted(name[four[:, mesh[:, 0]], four[:, mesh[:, 1]]])
    for first, second in combinations(range(p.n), 2):
        five = _choose(first, range(second + 1, p.n), 3, second)
        for ring in RINGS:
            yield from _sorted(name[five[:, ring], np.roll(five[:, ring], 1, axis=1)])


def _choose(first: int, others: Sequence[int], more: int, *also: int) -> IntArray:
    """All choices of so many others, each behind those that are given."""
    rows = [(first, *also, *chosen) for chosen in combinations(others, more)]
    return np.array(rows, dtype=np.int64).reshape(-1, 1 + len(also) + more)


def _sorted(sets: IntArray) -> Iterator[IntArray]:
    """Those of which all pairs may be flipped, in an order in which neighbours begin alike."""
    sets = np.sort(sets[(sets >= 0).all(axis=1)], axis=1)
    if sets.size:
        yield np.ascontiguousarray(sets[np.lexsort(sets.T[::-1])])


class Forks:
    """Moves a worker, which has tables of interplay, from base to base."""

    def __init__(self, worker: Worker) -> None:
        self._worker = worker
        self._limit = worker.limit
        self._most_nodes = 0
        self._steps = self._all()

    def advance(self, most_nodes: int) -> int:
        """An attack lowers the limit: then the search begins again for fewer flips."""
        self._most_nodes = most_nodes
        if self._worker.limit != self._limit:
            self._limit = self._worker.limit
            self._steps = self._all()
        return next(self._steps, FINISHED)

    def _all(self) -> Iterator[int]:
        """Yields whenever somebody else has to look, and ends when nothing is left."""
        p = self._worker.compiled.problem
        if self._limit != FORK_FLIPS:
            yield from self._search(NOTHING, ANY)
            return
        yield from self._search(NOTHING, 1)
        for sets in list_others(p):
            yield from self._try(sets)
        for fork in drop_images(list_forks(p), self._worker.symmetries().image):
            yield from self._search(fork, 1)
            yield from self._enumerate_forks(fork)

    def _search(self, base: IntArray, most: int) -> Iterator[int]:
        """All sets from here in which a vertex has at most so many flips."""
        worker = self._worker
        worker.start_at(base, most)
        while (code := worker.advance(self._most_nodes)) != FINISHED:
            yield code

    def _enumerate_forks(self, base: IntArray) -> Iterator[int]:
        """All forks from here, and one flip beside each."""
        worker, cursor = self._worker, np.zeros(4, dtype=np.int64)
        while True:
            worker.start_at(base, ANY)
            code = worker.enumerate_forks(cursor)
            if code == DONE:
                return
            yield CANDIDATE if code == FOUND else worker.pause()

    def _try(self, sets: IntArray) -> Iterator[int]:
        worker, looked = self._worker, 0
        worker.start_at(NOTHING, ANY)
        while looked < len(sets):
            looked = worker.evaluate_sets(sets, looked)
            if worker.flips():
                yield CANDIDATE
            elif looked < len(sets):
                yield worker.pause()

"""Two deletions: pairs apart by charges that hold if no vertex loses two edges, pairs at one vertex by those that
always hold. What is left in doubt is evaluated, or one edge of it goes and the question is asked again with one less.

Theory: "Two deletions".
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...model.arrays import FloatArray, IntArray
from .ledger import shared_pairs
from .top import Bound, Top

# pairs at one vertex that are evaluated at most
MOST_PAIRS = 20_000
# pairs of one edge that are evaluated before the edge is taken out instead
FEW = 60


class Doubt(NamedTuple):
    """Edges, as listed, that have to be taken out in turn, and pairs to evaluate besides."""

    heavy: list[int]
    pairs: list[tuple[int, int]]


class Table(NamedTuple):
    """Charges of all edges against all rivals, in units of what the node hears, and what each class has to spend."""

    charge: FloatArray  # (edges, rivals) of those that do not go into the node
    near: FloatArray  # (edges into the node, rivals) of those that do, with what they send
    slack: FloatArray  # (3, rivals): margins over alpha, by how many edges go into the node; inf: no such class
    rest: FloatArray  # (rivals,)


def make_table(top: Top, tolerance: float, rivals: int) -> Table:
    count, into = top.slots.size, top.into
    charge, near = np.zeros((count, rivals)), np.zeros((max(into, 1), rivals))
    slack, rest = np.full((3, rivals), np.inf), np.zeros(rivals)
    for rival in range(rivals):
        found: list[Bound] = top.bounds(rival)
        before = found[0].alpha
        charge[into:, rival] = found[0].far / before
        rest[rival] = found[0].rest / before
        for bound in found:
            slack[bound.into, rival] = (bound.margin - tolerance) / bound.alpha
            if bound.into:
                near[:into, rival] = bound.near / bound.alpha
    return Table(charge, near, slack, rest)


def _all(table: Table, into: int) -> FloatArray:
    every = table.charge.copy()
    every[:into] = table.near[:into]
    return every


def doubt_apart(table: Table, into: int) -> Doubt | None:
    """Pairs without a common vertex; None if two edges that are not listed may be one."""
    if (2 * table.rest >= table.slack[0]).any():
        return None
    every = _all(table, into)
    kind = np.zeros(len(every), dtype=np.int64)
    kind[:into] = 1
    best = np.maximum(every[into:].max(axis=0, initial=0.0), table.rest)
    nearest = every[:into].max(axis=0, initial=-np.inf)
    # an edge matters if it uses up the slack with the best that may come with it
    with_far = every + best >= table.slack[kind]
    with_near = (every + nearest >= table.slack[1]) & (kind == 0)[:, None]
    candidates = np.flatnonzero((with_far | with_near).any(axis=1))
    alone = every + table.rest >= table.slack[kind]
    heavy = set(candidates[alone[candidates].any(axis=1)].tolist())
    light = np.array([e for e in candidates.tolist() if e not in heavy], dtype=np.int64)
    # the larger of a pair in doubt uses up half the slack: it takes its pairs, if they are few, or goes itself
    half = 0.5 * np.where(kind[light, None] == 1, table.slack[1], np.minimum(table.slack[0], table.slack[1]))
    large = light[(every[light] >= half).any(axis=1)]
    done = np.zeros(len(every), dtype=np.bool_)
    pairs: list[tuple[int, int]] = []
    for e in large.tolist():
        done[e] = True
        others = light[~done[light]]
        kinds = kind[e] + kind[others]
        doubtful = (every[e] + every[others] >= table.slack[np.minimum(kinds, 1)]).any(axis=1) & (kinds < 2)
        found = others[doubtful].tolist()
        if len(found) > FEW:
            heavy.add(e)
        else:
            pairs += [(e, other) for other in found]
    return Doubt(sorted(heavy), pairs)


def _take_frequent(pairs: list[tuple[int, int]], heavy: list[int]) -> Doubt:
    """Edges of many pairs go themselves, those of most pairs first."""
    left, taken = pairs, list(heavy)
    left = [pair for pair in left if not set(pair) & set(taken)]
    while left:
        edge, often = Counter(e for pair in left for e in pair).most_common(1)[0]
        if often <= FEW:
            break
        taken.append(edge)
        left = [pair for pair in left if edge not in pair]
    return Doubt(taken, left)


def doubt_shared(table: Table, into: int, ends: NDArray[np.int64], n: int, outer: NDArray[np.bool_]) -> Doubt | None:
    """Pairs at one vertex. ends: (edges, 1 or 2) vertices that lose something. outer: edges that may share one with an
    edge that is not listed.
    """
    every = _all(table, into)
    vertex, edge = ends.ravel(), np.repeat(np.arange(len(ends)), ends.shape[1])
    order = np.argsort(vertex, kind="stable")
    ptr = np.searchsorted(vertex[order], np.arange(n + 1)).astype(np.int64)
    out = np.zeros((MOST_PAIRS, 2), dtype=np.int64)
    slack, least = np.ascontiguousarray(table.slack), 0.5 * table.slack.min(axis=0)
    large = (every >= least).any(axis=1).astype(np.int64)
    count = int(shared_pairs(ptr, edge[order].astype(np.int64), every, large, slack, into, MOST_PAIRS, out))
    if count > MOST_PAIRS or (2 * table.rest >= table.slack[0]).any():
        return None
    heavy = np.flatnonzero(outer & (every + table.rest >= table.slack[0]).any(axis=1)).tolist()
    return _take_frequent([(int(a), int(b)) for a, b in out[:count]], heavy)


def ends_of(slots: IntArray, source: IntArray, target: IntArray, directed: int) -> NDArray[np.int64]:
    return target[slots][:, None] if directed else np.stack([source[slots], target[slots]], axis=1)

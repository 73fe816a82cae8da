"""Vertices in the order of what their message can add at most, a rival: who looks for the best few stops early.

Theory: "Messages in order".
"""

from __future__ import annotations

import numpy as np

from ...model.arrays import FloatArray, IntArray
from ...model.memo import Memo
from .layout import ARCS, GCN, Stand, Star, Tables
from .question import Askable

# bytes of orders that are kept for a network and a graph
MOST_KEPT = 1 << 26
Order = tuple[IntArray, FloatArray]

_kept: Memo[dict[tuple[int, int, int], Order]] = Memo(lambda _network, _graph: {})


def lost_until(star: Star, stand: Stand, k: int, cuts: int) -> int:
    """How many in-neighbours a sender may have lost once flips of this kind are made on top of those of the stand."""
    source, target, came = stand.arcs[:, : int(stand.made[ARCS])]
    gone = (came == 0) & ((source <= target) | bool(star.directed))
    return int(gone.sum()) + k + cuts  # in a directed graph, those of the node itself are among them


def rank_vertices(question: Askable, tables: Tables, lost: int, rivals: IntArray) -> None:
    """Fill `order` and `key` of these rivals, where senders may have lost so many in-neighbours."""
    known = _kept(question.query.network, question.query.graph)
    claim = question.query.claim
    for r in np.flatnonzero(rivals).tolist():
        if tables.ranked[r] == lost:
            continue
        name = claim.label, question.query.rivals[r], lost
        found = known.get(name)
        if found is None:
            found = _rank(question, r, lost)
            if (len(known) + 1) * found[1].nbytes * 2 <= MOST_KEPT:
                known[name] = found
        tables.order[r], tables.key[r] = found
        tables.ranked[r] = lost


def _rank(question: Askable, r: int, lost: int) -> Order:
    star = question.star
    key = np.maximum(star.sent * star.take[r], 0.0).sum(axis=1)
    if star.first == GCN:
        key /= np.sqrt(np.maximum(question.base.heard + (1 - star.directed) - lost, 0) + 1.0)
    order = np.argsort(-key, kind="stable")
    return order.astype(np.int64), key[order]

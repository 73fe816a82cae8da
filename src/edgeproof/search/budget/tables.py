"""What bounds of one shape of attack are made of; a shape is (i, k, joins, cuts): insertions and deletions at the node,
insertions and deletions elsewhere.

Theory: "Boxes of a shape".
"""

from __future__ import annotations

import numpy as np

from ...model.arrays import FloatArray, IntArray
from ...model.memo import Memo
from .layout import GCN, Star, Tables
from .question import Askable


def make_tables(question: Askable, near: int, most: int) -> Tables:
    star = question.star
    n, H, B = star.n, star.H, most
    rises, falls = _envelopes_of(question, most)
    return Tables(
        B=B, rises=rises, falls=falls, rise=rises[0].copy(), fall=falls[0].copy(), inside=np.zeros((B + 1, H)),
        order=np.zeros((star.R, n), dtype=np.int64), key=np.zeros((star.R, n)),
        ranked=np.full(star.R, -1, dtype=np.int64),
        z=np.zeros((near + 1, H)), low=np.zeros((near + 1, H)), high=np.zeros((near + 1, H)),
        lift=np.zeros((near + 1, H)), drop=np.zeros((near + 1, H)),
        term=np.zeros(near), gone=np.zeros(near), turn=np.zeros(near + 1), psi=np.zeros((near, B + 1, B + 1)),
        more=np.zeros(n), less=np.zeros(n), banned=np.zeros(n, dtype=np.int64),
        value=np.zeros((B + 1, B + 1, n)), total=np.zeros(n), busy=np.zeros(n), best=np.zeros((B + 1, B + 1, B + 1)),
        join=np.zeros((B + 1, 2 * B + 1, B + 1)), spend=np.zeros((B + 1, 2 * B + 1)),
        spend_next=np.zeros((B + 1, 2 * B + 1)), rest=np.zeros((B + 1, B + 1)), top=np.zeros((4, B + 1)),
        gain=np.zeros(n), worth=np.zeros((near, n)), line=np.zeros((13, H)), out=np.zeros(8),
        second=np.zeros(1, dtype=np.int64),
    )  # fmt: skip


# by the size of the largest attack; made once a network and graph
_envelopes: Memo[dict[int, tuple[FloatArray, FloatArray]]] = Memo(lambda _network, _graph: {})


def _envelopes_of(question: Askable, most: int) -> tuple[FloatArray, FloatArray]:
    known = _envelopes(question.query.network, question.query.graph)
    if most not in known:
        known[most] = _make_envelopes(question.star, question.base.heard, most)
    return known[most]


def _make_envelopes(star: Star, counts: IntArray, most: int) -> tuple[FloatArray, FloatArray]:
    """Sums of the c largest messages of new in-neighbours and of the c smallest, a coordinate, where each of their
    senders has lost d in-neighbours: [d, c].
    """
    kept = min(most, star.n)
    out = np.zeros((2, most + 1, most + 1, star.H))
    for lost in range(most + 1):
        scale = np.ones(star.n)
        if star.first == GCN:
            scale = 1.0 / np.sqrt(np.maximum(counts + (1 - star.directed) - lost, 0) + 1.0)
        messages = np.ascontiguousarray((star.sent * scale[:, None]).T)
        for which, signed in enumerate((messages, -messages)):
            largest = -np.sort(-np.partition(signed, star.n - kept, axis=1)[:, star.n - kept :], axis=1)
            out[which, lost, 1 : kept + 1] = np.maximum(largest, 0.0).T
    summed = np.cumsum(out, axis=2)
    return summed[0], summed[1]

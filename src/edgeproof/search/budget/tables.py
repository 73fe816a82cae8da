"""What bounds of one shape of attack are made of; a shape is (i, k, m): insertions and deletions at the node, flips
elsewhere. `docs/theory-insertions.md` has the proofs.
"""

from __future__ import annotations

import numpy as np

from ...model.arrays import FloatArray, IntArray
from .layout import GCN, Star, Tables
from .scratch import OUT_NUMBERS, TABLE_ROWS, TOP_LISTS


def make_tables(star: Star, counts: IntArray, near: int, most: int) -> Tables:
    n, H, B = star.n, star.H, most
    rise, fall = _envelopes(star, counts, most)
    return Tables(
        B=B, rise=rise, fall=fall, inside=np.zeros((B + 1, H)),
        z=np.zeros((near + 1, H)), low=np.zeros((near + 1, H)), high=np.zeros((near + 1, H)),
        lift=np.zeros((near + 1, H)), drop=np.zeros((near + 1, H)),
        term=np.zeros(near), gone=np.zeros(near), turn=np.zeros(near + 1), psi=np.zeros((near, B + 1, B + 1)),
        more=np.zeros(n), less=np.zeros(n), banned=np.zeros(n, dtype=np.int64),
        value=np.zeros((B + 1, B + 1, n)), total=np.zeros(n), busy=np.zeros(n), best=np.zeros((B + 1, B + 1, B + 1)),
        join=np.zeros((B + 1, 2 * B + 1, B + 1)), spend=np.zeros((B + 1, 2 * B + 1)),
        spend_next=np.zeros((B + 1, 2 * B + 1)), rest=np.zeros((B + 1, B + 1)), top=np.zeros((TOP_LISTS, B + 1)),
        gain=np.zeros(n), worth=np.zeros((near, n)), rows=np.zeros((TABLE_ROWS, H)), out=np.zeros(OUT_NUMBERS),
        second=np.zeros(1, dtype=np.int64),
    )  # fmt: skip


def _envelopes(star: Star, counts: IntArray, most: int) -> tuple[FloatArray, FloatArray]:
    """Sums of the c largest messages and of the c smallest, a coordinate, whatever flips of an attack of `most` do to
    the degrees of their senders.
    """
    scale = np.ones(star.n)
    if star.first == GCN:
        scale = 1.0 / np.sqrt(np.maximum(counts - most + 1 + (1 - star.directed), 0) + 1.0)
    messages = star.sent * scale[:, None]
    kept = min(most, star.n)
    out = []
    for signed in (messages, -messages):
        largest = -np.sort(-np.partition(signed, star.n - kept, axis=0)[star.n - kept :], axis=0)
        sums = np.zeros((most + 1, star.H))
        sums[1 : kept + 1] = np.maximum(largest, 0.0)
        out.append(np.cumsum(sums, axis=0))
    return out[0], out[1]

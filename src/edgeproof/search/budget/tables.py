"""What bounds of one shape of attack are made of; a shape is (i, k, m): insertions and deletions at the node, flips
elsewhere. `docs/theory-insertions.md` has the proofs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...model.arrays import FloatArray, IntArray
from .layout import GCN, Star

NEVER_WORTH = -1e300


class Tables(NamedTuple):
    """Axes: near = in-neighbours of the node, B = flips of an attack at most. All is of one rival, but for the
    pre-activations and what they can become.
    """

    B: int
    # by how much what a vertex gathers can rise or fall, a coordinate: c insertions anywhere
    rise: NDArray[np.float64]  # (B + 1, H)
    fall: NDArray[np.float64]  # (B + 1, H)
    inside: NDArray[np.float64]  # (B + 1, H) c flips with in-neighbours of the node, either way
    # in-neighbours w (row near: the node itself)
    z: NDArray[np.float64]  # (near + 1, H) pre-activation if nothing but the node's degree changes
    low: NDArray[np.float64]  # (near + 1, H) what it can become, at least and at most
    high: NDArray[np.float64]
    lift: NDArray[np.float64]  # (near + 1, H) most that one deletion adds to what w gathers
    drop: NDArray[np.float64]  # (near + 1, H) and takes from it
    term: FloatArray  # (near,) what w adds to the margin
    gone: FloatArray  # (near,) what deleting w adds
    turn: FloatArray  # (near + 1,) most that one change of a sender's degree adds at w
    psi: NDArray[np.float64]  # (near, B + 1, B + 1) most that w gains by s flips with others, o with in-neighbours
    # degrees: what one more or one less at x adds at all vertices that hear x
    more: FloatArray  # (n,)
    less: FloatArray  # (n,)
    # newcomers u
    banned: IntArray  # (n,)
    value: NDArray[np.float64]  # (B + 1, B + 1, n) most that u adds with s flips of its own, o with in-neighbours
    total: FloatArray  # (n,) most that an attack of this shape reaches with u
    best: NDArray[np.float64]  # (B + 1, B + 1, B + 1) sums of the c largest values
    join: NDArray[np.float64]  # (B + 1, 2 B + 1, B + 1) most that c newcomers add with s and o flips in all
    spend: NDArray[np.float64]  # (B + 1, 2 B + 1) most that k deletions and so many half flips add
    spend_next: NDArray[np.float64]
    rest: NDArray[np.float64]  # (B + 1, B + 1) most beside one newcomer with s and o flips
    gain: FloatArray  # (n,) by how much a flip of one in-neighbour with x moves the margin; NEVER_WORTH: none
    bend: NDArray[np.float64]  # (near, n) most that an attack reaches with a flip of this in-neighbour and x
    top: NDArray[np.float64]  # (4, B + 1) best items: insertions, deletions; the same with in-neighbours
    line: NDArray[np.float64]  # (12, H)
    out: FloatArray  # (8,)
    second: IntArray  # (1,) how many vertices in-neighbours of the node hear


def make_tables(star: Star, counts: IntArray, near: int, most: int) -> Tables:
    n, H, B = star.n, star.H, most
    rise, fall = _envelopes(star, counts, most)
    return Tables(
        B=B, rise=rise, fall=fall, inside=np.zeros((B + 1, H)),
        z=np.zeros((near + 1, H)), low=np.zeros((near + 1, H)), high=np.zeros((near + 1, H)),
        lift=np.zeros((near + 1, H)), drop=np.zeros((near + 1, H)),
        term=np.zeros(near), gone=np.zeros(near), turn=np.zeros(near + 1), psi=np.zeros((near, B + 1, B + 1)),
        more=np.zeros(n), less=np.zeros(n), banned=np.zeros(n, dtype=np.int64),
        value=np.zeros((B + 1, B + 1, n)), total=np.zeros(n), best=np.zeros((B + 1, B + 1, B + 1)),
        join=np.zeros((B + 1, 2 * B + 1, B + 1)), spend=np.zeros((B + 1, 2 * B + 1)),
        spend_next=np.zeros((B + 1, 2 * B + 1)), rest=np.zeros((B + 1, B + 1)), top=np.zeros((4, B + 1)),
        gain=np.zeros(n), worth=np.zeros((near, n)), line=np.zeros((12, H)), out=np.zeros(8),
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

"""Where a flip set is evaluated: rows of the vertices that it changes, beside the values of the whole graph."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...model.arrays import FloatArray, IntArray
from .layout import BOUNDS, Base

# flips that are evaluated together at most
MOST_FLIPS = 64
FAR = 1 << 20


class Overlay(NamedTuple):
    """Scratch of one evaluator. Between two evaluations `place` is -1 everywhere, `distance` says how far vertices are from
    the node in question in the graph as it is, and `flipped` is 0.
    """

    distance: NDArray[np.int64]  # (n,) FAR where a vertex does not reach the node through the layers
    place: NDArray[np.int64]  # (2, n) row of a changed vertex: after the layer before, after this one
    changed: NDArray[np.int64]  # (2, n) those vertices
    more: NDArray[np.int64]  # (n,) in-neighbours gained, less those lost; self-loops apart
    touched: NDArray[np.int64]  # whose distance has become smaller, for the way back
    before: NDArray[np.int64]
    rows: NDArray[np.float64]  # (2, room, 3, W) hidden, then sent (before: gathered) and own of the next layer
    bounds: NDArray[np.float64]  # (2, room, BOUNDS)
    ends: IntArray  # vertices at the ends of flipped arcs
    columns: IntArray  # (features,) of a max over features: those that occur
    carriers: NDArray[np.int64]  # (features,) how many in-neighbours have one; 0 between evaluations
    peak: FloatArray  # (features,) their largest value
    largest: FloatArray  # (W,)
    score: FloatArray  # (W,) what came out; in between, zeros to start sums from
    tally: IntArray  # (2,) evaluations; vertices that were computed


def make_overlay(base: Base, room: int) -> Overlay:
    """`room`: how many vertices a flip set can change at one layer."""
    n, features = base.n, base.first.shape[0]
    return Overlay(
        near=np.full(n, FAR, dtype=np.int64),
        place=np.full((2, n), -1, dtype=np.int64),
        changed=np.zeros((2, n), dtype=np.int64),
        more=np.zeros(n, dtype=np.int64),
        touched=np.zeros(n * (base.L + 1), dtype=np.int64),
        before=np.zeros(n * (base.L + 1), dtype=np.int64),
        rows=np.zeros((2, room, 3, base.W)),
        bounds=np.zeros((2, room, BOUNDS)),
        ends=np.zeros(4 * MOST_FLIPS, dtype=np.int64),
        columns=np.zeros(features, dtype=np.int64),
        carriers=np.zeros(features, dtype=np.int64),
        peak=np.zeros(features),
        largest=np.zeros(base.W),
        score=np.zeros(base.W),
        tally=np.zeros(2, dtype=np.int64),
    )

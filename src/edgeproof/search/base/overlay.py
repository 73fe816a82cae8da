"""Where a flip set is evaluated: rows of the vertices that it changes, beside the values of the whole graph."""

from __future__ import annotations

import numpy as np

from .layout import BOUNDS, Base, Overlay

# flips that are evaluated together at most
MOST_FLIPS = 64
FAR = 1 << 20


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
        tally=np.zeros(3, dtype=np.int64),
    )

"""Rows of a graph some of whose edges may be gone (seen.py), and how they lie in memory. The file of every kernel that
takes them imports this one, so that it is compiled anew when the layout changes.

Theory: "Two deletions".
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...model.arrays import FloatArray, IntArray
from ..base.layout import SENT
from ..jit.decorators import entry, leaf
from .scales import beta

# of a slot: its edge may go; stays; is gone
FREE, KEPT, GONE = 0, 1, 2


class Seen(NamedTuple):
    """Fields as in Base; rows of vertices with place > 0 are in `patch`, block after block as `patch_at` says."""

    n: int
    L: int
    directed: int
    in_ptr: IntArray
    source: IntArray
    heard: IntArray
    how: IntArray
    width: IntArray
    has_own: IntArray
    bias: FloatArray
    slope: FloatArray
    rows: FloatArray
    block: IntArray
    place: IntArray  # (n,)
    patch: NDArray[np.float64]  # (changed vertices, numbers a vertex)
    patch_at: IntArray  # (L, BLOCKS)


@leaf
def row_of(b, layer, kind, v):
    width, at = b.width[layer + 1], b.place[v]
    if at > 0:
        start = b.patch_at[layer, kind]
        return b.patch[at - 1, start : start + width]
    start = b.block[layer, kind] + v * width
    return b.rows[start : start + width]


@entry
def regather(b, layer, vertices, status, out):
    """out[r] = sum of beta(x) * sent(x) over the in-neighbours x of vertices[r] that are left."""
    width = b.width[layer + 1]
    for r in range(vertices.size):
        v, row = vertices[r], out[r]
        for k in range(b.in_ptr[v], b.in_ptr[v + 1]):
            if status[k] == GONE:
                continue
            x = b.source[k]
            other, factor = row_of(b, layer, SENT, x), beta(b, b.how[layer], x, 0)
            for i in range(width):
                row[i] += factor * other[i]

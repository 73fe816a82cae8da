"""How values lie in memory where some edges may be gone. Every kernel's file imports this one: it is compiled anew when
the layout changes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...model.arrays import FloatArray, IntArray

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

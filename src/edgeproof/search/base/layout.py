"""How the values of a whole graph lie in memory."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...model.arrays import FloatArray, IntArray

# how a layer hears its neighbours; the first four as in problem/layout.py
SUM, MEAN, MAX, GCN, ALONE = 0, 1, 2, 3, 4

# blocks of a layer, each with a row a vertex; a layer lacks the blocks that it does not need
OWN, SENT, GATHERED, HIDDEN = 0, 1, 2, 3
BLOCKS = 4

# numbers a vertex and layer: largest magnitude in a row of a block, rounding error of its entries at most
OWN_SIZE, OWN_ERROR, SENT_SIZE, SENT_ERROR, GATHERED_SIZE, GATHERED_ERROR, HIDDEN_SIZE, HIDDEN_ERROR = range(8)
BOUNDS = 8


class Base(NamedTuple):
    """Axes: n vertices, L layers. A row of a block of layer l starts at `block[l, kind] + v * width[l]` of `rows`.

    For a vertex v with in-neighbours N(v), itself not among them, and beta(x) = 1 / sqrt(count + 1) under GCN, else 1:
    own = C h(v) + b, sent = A h(v), gathered = sum of beta(x) sent(x) over N(v), hidden = the layer's output.
    Under max there is neither of the last two.
    """

    n: int
    L: int
    W: int  # largest width of an output
    directed: int
    # edges, self-loops apart (adjacency.py)
    in_ptr: IntArray
    source: IntArray
    out_ptr: IntArray
    target: IntArray
    heard: IntArray
    loop: IntArray
    # layers
    how: IntArray  # (L,)
    width: IntArray  # (L + 1,) of the features, then of the outputs
    depth: IntArray  # (L + 1,) layers from l on that hear neighbours
    weight: FloatArray  # C and A of all layers but the first, transposed: (in, out)
    weight_at: IntArray  # (L, 2)
    has_own: IntArray  # (L,) 1: C is not zero
    bias: FloatArray  # (L, W)
    slope: FloatArray  # (L, W): on negative numbers; from 2 on, codes of curves (state/curves.py)
    curves: IntArray  # (L,) 1: some activation of the layer is curved
    steep: FloatArray  # (L, 2): by how much activations may enlarge an error, 1 at least; their magnitude at 0
    norm: FloatArray  # (L, 3) largest row sum of |C|, of |A|, largest |b|
    unit: FloatArray  # (L,) rounding of one layer, relative to the magnitudes that are added up
    # values
    rows: FloatArray
    block: IntArray  # (L, BLOCKS); -1: not kept
    bounds: FloatArray  # (L, BOUNDS, n)
    # features, for a first layer that takes a max of them
    feature_ptr: IntArray
    feature_column: IntArray
    feature_value: FloatArray
    first: FloatArray  # (features, width): A of such a first layer, transposed


# positions in `tally` of an overlay
EVALUATED, COMPUTED, LATE = 0, 1, 2
# where in the flags of a pass over rows an alarm is raised
STOPPED = 0


class Overlay(NamedTuple):
    """Scratch of one evaluator. Between two evaluations `place` is -1 everywhere, `near` says how far vertices are from
    the node in question in the graph as it is, and `flipped` is 0.
    """

    near: NDArray[np.int64]  # (n,) FAR where a vertex does not reach the node through the layers
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
    tally: IntArray  # (3,) evaluations; vertices that were computed; 1: time is up

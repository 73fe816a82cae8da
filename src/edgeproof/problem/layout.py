"""How a compiled question lies in memory, and the numbers that stand for its kinds of stages and slots.

Kernels are made of this file and of none that says how the arrays are filled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..model.arrays import FloatArray, IntArray

if TYPE_CHECKING:
    from ..model.query import Query

# how a stage aggregates
SUM, MEAN, MAX, GCN = 0, 1, 2, 3
# over what
GRAPH, POOL, DENSE = 0, 1, 2  # in-neighbours of the graph; all vertices, decided; none
# rows that a vertex of a stage with curved activations keeps (search/state/curves.py)
CURVE_ROWS = 10
# what a slot is: bit 0 = present in the grounding, bit 1 = undecided
ABSENT, PRESENT, MAYBE_INSERTED, MAYBE_DELETED = 0, 1, 2, 3


class Problem(NamedTuple):
    """Axes: n vertices in order of distance, T stages (index 0 = input features), D = largest width,
    S slots (one for each possible in-neighbour of a vertex, sorted by vertex), F fragile pairs that can matter.
    """

    # sizes and options
    n: int
    T: int
    D: int
    rivals: int
    folded: int  # 1: stage T gives one difference a rival; 0: it gives scores
    # stages, index 1..T
    active: IntArray  # vertices 0 .. active[t]-1 matter at stage t
    kind: IntArray
    how: IntArray
    sends_products: IntArray  # 1: stage t aggregates A h (sum, mean, reordered), 0: it aggregates h
    slope: NDArray[np.float64]  # (T+1, D): of activations on negative numbers, 1 where there is none; from 2 on, codes
    bends: IntArray  # 1: some slope of stage t is not 1
    leaks: IntArray  # 1: some slope of stage t is not 0
    curves: IntArray  # 1: some activation of stage t is curved
    width: IntArray  # width[t] of h_t; width[0] is that of the raw features
    both: NDArray[np.float64]  # (T+1, D, 2 D): rows of C^T, and of A^T behind them, packed; stage 1 is not used
    AT: NDArray[np.float64]  # (T+1, D, D): AT[t][j, i]
    C: NDArray[np.float64]  # not transposed
    A: NDArray[np.float64]
    CT_abs: NDArray[np.float64]  # magnitudes that bound rounding, not always |C|: see stages
    AT_abs: NDArray[np.float64]
    bias: NDArray[np.float64]  # (T+1, D)
    bias_abs: NDArray[np.float64]
    roundings: int  # more than lie between a feature and the pre-activation of one stage
    # first layer
    own: NDArray[np.float64]  # (n, D): C x_v + b
    sent: NDArray[np.float64]  # (n, D): A x_v, where stage 1 sends products
    own_abs: NDArray[np.float64]
    sent_abs: NDArray[np.float64]
    raw: FloatArray  # feature rows, where stage 1 aggregates them as they are
    raw_at: IntArray  # (S,) start of a slot's row in `raw`
    raw_columns: IntArray
    raw_columns_ptr: IntArray  # (n+1, 2) start and end of a vertex's columns in `raw_columns`
    most_columns: int  # of one vertex
    raw_value: FloatArray  # the value of a column's carriers, where `uniform`
    uniform: int  # 1: every column is 0 or one positive value, so a max asks only who carries it
    carried_at: IntArray  # (S,) start of a slot's row among what is carried
    A1T: NDArray[np.float64]  # (features, D)
    A1T_abs: NDArray[np.float64]
    # slots
    slot_ptr: IntArray
    slot_split: IntArray  # (n,) where the slots into a vertex begin that are absent in G
    most_slots: int  # into one vertex
    slot_source: IntArray
    slot_pair: IntArray  # -1: not fragile
    slot_start: NDArray[np.int8]  # status at the root
    out_ptr: IntArray
    out_split: IntArray  # (n,) the same for slots out of a vertex
    out_slot: IntArray
    out_target: IntArray
    # pairs
    pair_u: IntArray
    pair_v: IntArray
    pair_slot: IntArray  # (F, 2); -1 where there is no second slot
    pair_present: NDArray[np.int8]
    order: IntArray  # pairs by name
    depth: int  # stages that look at neighbours: farther vertices cannot matter to a node task
    rings: int  # pairs into vertices that are as far or farther cannot matter to a node task
    # degrees, which GCN looks at
    normalises: int  # 1: some stage is GCN
    counts_itself: int  # 1: under GCN a vertex hears itself too; 0: under sym
    degree: IntArray  # (n,) in-degree in G, with one self-loop
    root: FloatArray  # root[d] = 1 / sqrt(d); under sym 1 / sqrt(d - 1), as degrees come with one self-loop
    node_task: int
    local: IntArray  # (n,) local budgets
    charge_u: int  # 1: a flip also costs a unit at u (undirected)
    # claim
    label_at: int  # position of the label among the scores, where not folded
    rival_at: IntArray


class Compiled(NamedTuple):
    """A problem and the way back to the user's names."""

    problem: Problem
    query: Query
    vertices: IntArray  # original number of each vertex
    pairs: IntArray  # (F, 2) original name of each pair
    rival_classes: tuple[int, ...]

"""The arrays of one search: allocated once, changed and restored by the kernels."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...model.arrays import FloatArray, IntArray
from ...problem.layout import CURVE_ROWS, Problem
from .scratch import SCRATCH_ROWS

# rows of a record in `values` and in `boxes`
H, SENT, OWN = 0, 1, 2
LOW, HIGH, SENT_LOW, SENT_HIGH, OWN_LOW, OWN_HIGH = 0, 1, 2, 3, 4, 5

# positions in `tally`: where the search stands and what it counted
(
    DEPTH, USED, LIMIT, ACTION, FRESH, PAIR_MARK, VALUE_MARK, BOX_MARK, STAMP, UNDECIDED,
    NODES, LEAVES, BOX_PRUNES, LINE_PRUNES, SPENT_LEAVES, LONELY_LEAVES, ENUMERATED_LEAVES, LINE_PASSES, TIGHTENINGS,
    WORK, EVALUATIONS, CANDIDATES, ENUMERATION_LEVEL, ENUMERATION_PENDING, ENUMERATION_SINGLE, TRACE_MARK, TRACE_FLAGS,
    BASE, TIGHTEN_AT, STOP, EVALUATION_WORK, PRICED_AT, SCREENINGS, SCREENED_LEAVES, TALLY_SIZE,
) = range(35)  # fmt: skip

# positions in `rates`
BOUNDED, BOUND_WORK, BOUND_GRAPHS, CREDIT = 0, 1, 2, 3


FAINT = 1e-200  # more than all underflowing coefficients of a pass can amount to (LARGE in intervals/rounding.py)
DEGREE_RANKS = 10  # flips at senders that a box ranks; of more, it takes all


class Options(NamedTuple):
    """The options that kernels look at, as numbers."""

    incremental: int
    reorder_cache: int
    budget_boxes: int
    lines: int
    lines_tighten: int
    lines_nested: int
    last_flip: int
    carriers: int
    enumerate_at_once: int
    nearest_first: int
    flip_first: int
    inference: int
    incremental_stop: int
    exclude_rivals: int
    interplay: int


class State(NamedTuple):
    """Axes as in Problem. A record of `values` is (h, what it sends, C h + b), of `boxes` the same as intervals,
    with the pre-activation in place of h: slopes of lines need it.
    """

    values: NDArray[np.float64]  # (T+1, n, 3, W)
    boxes: NDArray[np.float64]  # (T+1, n, 6, W)
    curves: NDArray[np.float64]  # (T+1, n, CURVE_ROWS, D) see curves.py; one entry where nothing is curved
    slack: NDArray[np.float64]  # (T+1, n, D): rounding error of one evaluation of a box
    error: FloatArray  # (rivals,): rounding error of an objective of the grounding
    status: NDArray[np.int8]  # (S,)
    open_slots: IntArray  # (n,) undecided slots into a vertex
    inserted_in: IntArray  # (n,) inserted slots into a vertex
    inserted_out: IntArray  # (n,) inserted slots out of a vertex
    local_left: IntArray  # (n,) local budget left
    # degrees, kept where a stage is GCN; self-loops are left out of the counts
    degree: IntArray  # (n,) in-degree of the grounding, with one self-loop
    leaving: IntArray  # (n,) undecided edges into a vertex
    arriving: IntArray  # (n,) undecided absent pairs into a vertex
    # trails
    pair_trail: IntArray  # decided pairs in order, flipped ones as ~pair
    value_trail: NDArray[np.float64]  # (records, 3, W)
    value_trail_at: IntArray
    box_trail: NDArray[np.float64]  # (records, 6, W)
    box_trail_at: IntArray
    # frames
    frame_pair: IntArray
    frame_phase: IntArray
    frame_left: IntArray  # budget left when the node was entered
    frame_marks: NDArray[np.int64]  # (depth, 3)
    frame_excluded: NDArray[np.int8]  # (depth, rivals)
    frame_screened: IntArray  # what tables of interplay know of this node (tree/screened.py)
    # enumeration below a node, one entry a level
    enumeration_cursor: IntArray
    enumeration_marks: NDArray[np.int64]
    # what bounds cost in subtrees with two flips left (tree/enumerate.py)
    rates: FloatArray  # (4,) how many were bounded; lately, their work and the graphs below them; credit
    frame_work: IntArray  # work done before the subtree at this frame was bounded; negative where that is not measured
    frame_graphs: FloatArray
    # scratch
    seen: IntArray
    distance: IntArray
    seeds: IntArray  # (n + 2 F + 2,): vertices that may spend less, and both ends of every pair decided at once
    changed: NDArray[np.int64]  # (2, n)
    scratch: NDArray[np.float64]  # (SCRATCH_ROWS, W), see scratch.py
    picked: IntArray  # (2 W + rivals,)
    top: NDArray[np.float64]  # (4, most + 2, W) best gains, one row a rank
    degree_top: NDArray[np.float64]  # (SWAYS + 2, W) the same for flips that change a sender's degree; the last: all
    # a first stage that takes the max of 0/1 features (intervals/binary_max.py)
    carried: NDArray[np.float64]  # (S, width of stage 1)
    carried_const: FloatArray
    group: NDArray[np.int64]  # (columns, 4), see intervals/binary_max.py
    group_sent: NDArray[np.float64]  # (columns, width of stage 1) what a crowd sends
    trace: IntArray  # what became of search nodes, in pre-order (trace.py); empty where nobody asks
    tally: IntArray


def make_state(problem: Problem, records: int, most: int, budget: int) -> State:
    """Arrays for a search from the root with this budget; nothing here grows with the number of search nodes."""
    n, T = problem.n, problem.T
    W = max(2 * problem.D, problem.most_columns)
    pairs = problem.pair_u.size
    levels = min(budget, pairs) + 2
    return State(
        values=np.zeros((T + 1, n, 3, problem.D)),
        boxes=np.zeros((T + 1, n, 6, problem.D)),
        curves=np.full((T + 1, n, CURVE_ROWS, problem.D) if problem.curves.any() else (1, 1, 1, 1), np.nan),
        slack=np.zeros((T + 1, n, problem.D)),
        error=np.zeros(problem.rivals),
        status=problem.slot_start.copy(),
        open_slots=np.zeros(n, dtype=np.int64),
        inserted_in=np.zeros(n, dtype=np.int64),
        inserted_out=np.zeros(n, dtype=np.int64),
        local_left=problem.local.copy(),
        degree=problem.degree.copy(),
        leaving=np.zeros(n, dtype=np.int64),
        arriving=np.zeros(n, dtype=np.int64),
        pair_trail=np.zeros(pairs + 1, dtype=np.int64),
        value_trail=np.empty((records, 3, problem.D)),
        value_trail_at=np.zeros(records, dtype=np.int64),
        box_trail=np.empty((records, 6, problem.D)),
        box_trail_at=np.zeros(records, dtype=np.int64),
        frame_pair=np.zeros(pairs + 2, dtype=np.int64),
        frame_phase=np.zeros(pairs + 2, dtype=np.int64),
        frame_left=np.zeros(pairs + 2, dtype=np.int64),
        frame_marks=np.zeros((pairs + 2, 3), dtype=np.int64),
        frame_excluded=np.zeros((pairs + 2, problem.rivals), dtype=np.int8),
        frame_screened=np.zeros(pairs + 2, dtype=np.int64),
        enumeration_cursor=np.zeros(levels, dtype=np.int64),
        enumeration_marks=np.zeros((levels, 2), dtype=np.int64),
        rates=np.zeros(4),
        frame_work=np.full(pairs + 2, -1, dtype=np.int64),
        frame_graphs=np.zeros(pairs + 2),
        seen=np.zeros(n, dtype=np.int64),
        distance=np.zeros(n, dtype=np.int64),
        seeds=np.zeros(n + 2 * pairs + 2, dtype=np.int64),
        changed=np.zeros((2, n), dtype=np.int64),
        scratch=np.zeros((SCRATCH_ROWS, W)),
        picked=np.zeros(2 * W + problem.rivals, dtype=np.int64),
        top=np.zeros((4, min(most, problem.most_slots) + 2, W)),
        degree_top=np.zeros((DEGREE_RANKS + 2, W)),
        carried=np.zeros((problem.slot_source.size if problem.uniform else 1, int(problem.width[1]))),
        carried_const=np.zeros(problem.D),
        group=np.zeros((W, 4), dtype=np.int64),
        group_sent=np.zeros((W if problem.uniform else 1, int(problem.width[1]))),
        trace=np.zeros(0, dtype=np.int64),
        tally=np.zeros(TALLY_SIZE, dtype=np.int64),
    )


def with_longer_trails(state: State) -> State:
    """The same state with twice the room on its trails; their length follows the depth of the tree."""

    def longer(old: NDArray[Any]) -> NDArray[Any]:
        new = np.empty((2 * old.shape[0], *old.shape[1:]), dtype=old.dtype)
        new[: old.shape[0]] = old
        return new

    return state._replace(
        value_trail=longer(state.value_trail),
        value_trail_at=longer(state.value_trail_at),
        box_trail=longer(state.box_trail),
        box_trail_at=longer(state.box_trail_at),
    )

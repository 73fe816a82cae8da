"""What a backward pass works on, and how it starts (backward.py says what a pass is)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...model.arrays import FloatArray, IntArray
from ...problem.layout import MAX, Problem
from ..jit.decorators import leaf
from ..state.rows import fill

# positions in `counts`: what `mark` holds where a vertex has a row at the stage below; pairs touched by this pass; what
# `support_round` holds where supports are known, anew when boxes may have changed; terms added up by this pass
ROW_MARK, TOUCHED, ROUND, ADDITIONS = 0, 1, 2, 3

# rows of `support_number`: slope and constant of the line above; by how much a deletion of the slot that carries it
# lowers it; what one of the slot that carries the line below may lose; what is there at least; the second largest upper
# end
SLOPE, CONSTANT, DROP, LOSS, FLOOR, SECOND = range(6)
# and of `support`: the slot that carries the line above, and the one below
ABOVE, BELOW = 0, 1

ROWS = 32  # rows of one pass: more would leave the cache


class Workspace(NamedTuple):
    """Scratch of one pass. Rows are b < ROWS; `on[side, v, b]` are coefficients on stage t or t - 1 of vertex v."""

    on: NDArray[np.float64]  # (2, n, ROWS, D)
    front: NDArray[np.int64]  # (2, n) vertices with coefficients
    mark: NDArray[np.int64]  # (n,) ROW_MARK: has coefficients at the stage below
    counts: IntArray  # (4,), see ROW_MARK
    const: FloatArray
    error: FloatArray
    bound: FloatArray  # (ROWS,) after `spend`: const + best gains + error
    gain: NDArray[np.float64]  # (ROWS, F)
    touched: IntArray  # pairs with a gain in this pass
    touched_mark: IntArray  # (F,)
    a: NDArray[np.float64]  # (ROWS, W) coefficients on what is aggregated
    picked: IntArray  # (W,)
    spent: IntArray  # (n,) local budget used while spending
    ends: NDArray[np.float64]  # (2, ROWS, slots of a vertex) range of a . h for every slot
    ranked: FloatArray  # (slots of a vertex + 1,) scratch
    order: FloatArray  # (F,) gains of the strongest rival: which pair to split on, which flips to try
    doubtful: NDArray[np.int8]  # (F,) with one flip left: whether this one may break the claim
    # max aggregation, one entry a coordinate; row t * n + v, row 0 for the first stage
    support: NDArray[np.int64]  # (rows, 2, W) slot that carries the upper, the lower line
    support_number: NDArray[np.float64]  # (rows, 6, W), see SLOPE
    support_round: NDArray[np.int64]  # (T+1, n) round for which they were found
    shares: FloatArray  # (ROWS,)
    known: FloatArray  # (ROWS,) scratch of nested.py
    before: FloatArray  # (ROWS,)


def make_workspace(p: Problem, W: int, used: bool) -> Workspace:
    pairs = max(p.pair_u.size, 1)
    n = p.n if used else 1
    stars = (p.T + 1) * p.n if used and (p.how == MAX).any() else 1
    return Workspace(
        on=np.zeros((2, n, ROWS, p.D)),
        front=np.zeros((2, p.n), dtype=np.int64),
        mark=np.zeros(p.n, dtype=np.int64),
        counts=np.zeros(4, dtype=np.int64),
        const=np.zeros(ROWS),
        error=np.zeros(ROWS),
        bound=np.zeros(ROWS),
        gain=np.zeros((ROWS if used else 1, pairs)),
        touched=np.zeros(pairs, dtype=np.int64),
        touched_mark=np.zeros(pairs, dtype=np.int64),
        a=np.zeros((ROWS, W)),
        picked=np.zeros(W, dtype=np.int64),
        spent=np.zeros(p.n, dtype=np.int64),
        ends=np.zeros((2, ROWS, max(p.most_slots, 1))),
        ranked=np.zeros(p.most_slots + 1),
        order=np.zeros(pairs),
        doubtful=np.zeros(pairs, dtype=np.int8),
        support=np.zeros((stars, 2, W), dtype=np.int64),
        support_number=np.zeros((stars, 6, W)),
        support_round=np.zeros((p.T + 1, p.n), dtype=np.int64),
        shares=np.zeros(ROWS),
        known=np.zeros(ROWS),
        before=np.zeros(ROWS),
    )


def make_nested(outer: Workspace, p: Problem) -> Workspace:
    """For passes inside those of `outer`: they find the same stars."""
    inner = make_workspace(p, outer.a.shape[1], used=True)
    return inner._replace(support=outer.support, support_number=outer.support_number, support_round=outer.support_round)


@leaf
def start_pass(linear, rows):
    for k in range(linear.counts[TOUCHED]):
        linear.touched_mark[linear.touched[k]] = 0
    linear.counts[TOUCHED] = 0
    linear.counts[ADDITIONS] = 0
    for b in range(rows):
        linear.const[b] = 0.0
        linear.error[b] = 0.0


@leaf
def touch(linear, pair):
    """Make room for the gains of a pair in this pass; TOUCHED counts them."""
    if linear.touched_mark[pair] == 0:
        linear.touched_mark[pair] = 1
        linear.touched[linear.counts[TOUCHED]] = pair
        linear.counts[TOUCHED] += 1
        for b in range(ROWS):
            linear.gain[b, pair] = 0.0


@leaf
def start_row(linear, side, count, u, rows, width):
    """Make sure that vertex u has (zero) coefficients on side; returns how many vertices have some."""
    if linear.mark[u] != linear.counts[ROW_MARK]:
        linear.mark[u] = linear.counts[ROW_MARK]
        linear.front[side, count] = u
        count += 1
        for b in range(rows):
            fill(linear.on[side, u, b], 0.0, width)
    return count

"""Spending the budgets on the best gains of a line."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..model.arrays import FloatArray, IntArray
from .setting import Batch


class Line(NamedTuple):
    """const: (R,); gains: (R, F); error: (R,)."""

    const: FloatArray
    gains: FloatArray
    error: FloatArray


def spend(batch: Batch, payer: IntArray, node: IntArray, line: Line, fewer: IntArray | int = 0) -> FloatArray:
    """const plus the best gains that the budgets allow, without `fewer` of the flips left, plus all rounding.

    A pair is charged to its second vertex only. In a directed graph that is all it costs, and then taking the largest
    gains first is optimal; in an undirected one it leaves a constraint out, which is valid.
    """
    left = batch.left[node] - fewer
    most = min(int(left.max(initial=0)), line.gains.shape[1])
    gains = np.maximum(line.gains, 0.0)
    if most == 0:
        taken = np.zeros(len(node))
    elif batch.spare is None:
        best = np.sort(np.partition(gains, gains.shape[1] - most, axis=1)[:, -most:], axis=1)[:, ::-1]
        taken = (best * (np.arange(most) < left[:, None])).sum(axis=1)
    else:
        taken = _spend_locally(gains, payer, left, batch.spare[node])
    size = abs(line.const) + taken
    bound = line.const + taken + line.error + size * (most + 16) * 2.0**-51
    return np.where(np.isfinite(bound), bound, np.inf)


def _spend_locally(gains: FloatArray, payer: IntArray, left: IntArray, spare: IntArray) -> FloatArray:
    taken, room = np.zeros(len(gains)), spare.copy()
    rows = np.arange(len(gains))
    gains = gains * (room[:, payer] > 0)
    for step in range(int(left.max(initial=0))):
        best = gains.argmax(axis=1)
        gain = gains[rows, best] * (step < left)
        if not gain.any():
            break
        taken += gain
        gains[rows, best] = 0.0
        room[rows, payer[best]] -= gain > 0.0
        gains = gains * (room[:, payer] > 0)
    return taken

"""Pruning: rivals that cannot win in any graph below a search node are excluded; without rivals the node is closed.

Theory: "Excluded rivals stay excluded", "Enumeration of the last flips".
"""

from __future__ import annotations

import numpy as np

from ..jit.decorators import entry
from ..linear.backward import backward_pass
from ..linear.concretize import concretize
from ..linear.relax import relax
from ..linear.workspace import ROUND, ROWS, TOUCHED, start_pass
from ..state.curves import RANGE_HIGH, RANGE_LOW, curve_ranges
from ..state.rows import fill
from ..state.state import HIGH, LIMIT, LOW, USED


@entry
def prune_by_intervals(p, s, excluded):
    """Mark the rivals that cannot win in any graph below; True if none is left."""
    box = s.boxes[p.T, 0]
    slope = p.slope[p.T]
    kept = s.curves[p.T * p.curves[p.T], 0]
    if p.curves[p.T]:
        curve_ranges(kept, box[LOW], box[HIGH], slope, p.width[p.T])
    left = 0
    for r in range(p.rivals):
        if excluded[r]:
            continue
        if p.folded:
            above, below = box[HIGH, r], 0.0
        else:
            above, below = box[HIGH, p.rival_at[r]], box[LOW, p.label_at]
            if p.curves[p.T]:
                above, below = kept[RANGE_HIGH, p.rival_at[r]], kept[RANGE_LOW, p.label_at]
            else:
                above = slope[p.rival_at[r]] * above if above < 0.0 else above
                below = slope[p.label_at] * below if below < 0.0 else below
        if above <= below:
            excluded[r] = 1
        else:
            left += 1
    return left == 0


@entry
def prune_by_linear_bounds(p, s, linear, nested, innermost, options, excluded):
    """The same by backward linear bounds. Leaves in `order` the gains for the strongest rival, and with one flip left
    in `doubtful` the pairs whose flip may still break the claim.
    """
    linear.counts[ROUND] += 1  # boxes may have changed since the last pass
    pairs = p.pair_u.size
    last = s.tally[LIMIT] - s.tally[USED] == 1
    strongest = -np.inf
    left = 0
    fill(linear.order, 0.0, pairs)
    if last:
        fill(linear.doubtful, np.int8(0), pairs)
    r = 0
    while r < p.rivals:
        rows = 0
        while r < p.rivals and rows < ROWS:
            if not excluded[r]:
                s.picked[rows] = r
                rows += 1
            r += 1
        if rows == 0:
            break
        start_pass(linear, rows)
        for b in range(rows):
            row = linear.on[0, 0, b]
            fill(row, 0.0, p.width[p.T])
            if p.folded:
                row[s.picked[b]] = 1.0
            else:
                row[p.rival_at[s.picked[b]]] = 1.0
                row[p.label_at] = -1.0
        linear.front[0, 0] = 0
        relax(p, s, linear, np.int64(0), np.int64(0), p.T, rows)
        backward_pass(p, s, linear, nested, innermost, options, p.T, rows, np.int64(0), np.int64(1))
        concretize(p, s, linear, rows, s.tally[LIMIT] - s.tally[USED])
        for b in range(rows):
            if linear.bound[b] <= 0.0:
                excluded[s.picked[b]] = 1
                continue
            left += 1
            if linear.bound[b] > strongest:
                strongest = linear.bound[b]
                fill(linear.order, 0.0, pairs)
                for k in range(linear.counts[TOUCHED]):
                    linear.order[linear.touched[k]] = linear.gain[b, linear.touched[k]]
            if last:
                # one flip at most: the claim can only be broken by a pair whose own gain lifts the line above 0
                base = linear.const[b] + linear.error[b]
                size = abs(linear.const[b]) * 2.0**-50
                for e in range(pairs):
                    gain = linear.gain[b, e] if linear.touched_mark[e] else 0.0
                    if not base + gain + size + abs(gain) * 2.0**-50 <= 0.0:
                        linear.doubtful[e] = 1
    return left == 0

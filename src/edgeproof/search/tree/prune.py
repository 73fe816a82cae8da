"""Excluding rivals: the oracle's answers for one search node."""

from __future__ import annotations

import numpy as np

from ..jit.decorators import entry
from ..linear.backward import descend
from ..linear.concretize import spend
from ..linear.relax import relax
from ..linear.workspace import ROWS, start_pass
from ..state.rows import fill
from ..state.state import HIGH, LIMIT, LOW, USED


@entry
def exclude_by_boxes(p, s, excluded):
    """Mark the rivals that cannot win in any graph below; True if none is left."""
    box = s.boxes[p.T, 0]
    slope = p.slope[p.T]
    left = 0
    for r in range(p.rivals):
        if excluded[r]:
            continue
        if p.folded:
            above, below = box[HIGH, r], 0.0
        else:
            above, below = box[HIGH, p.rival_at[r]], box[LOW, p.label_at]
            above = slope[p.rival_at[r]] * above if above < 0.0 else above
            below = slope[p.label_at] * below if below < 0.0 else below
        if above <= below:
            excluded[r] = 1
        else:
            left += 1
    return left == 0


@entry
def exclude_by_lines(p, s, lines, far, near, options, excluded):
    """The same with lines. Leaves in `order` the gains for the strongest rival, and with one flip left in `doubtful`
    the pairs whose flip may still break the claim.
    """
    lines.stamp[2] += 1  # boxes may have changed since the last pass
    pairs = p.pair_u.size
    last = s.tally[LIMIT] - s.tally[USED] == 1
    strongest = -np.inf
    left = 0
    fill(lines.order, 0.0, pairs)
    if last:
        fill(lines.doubtful, np.int8(0), pairs)
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
        start_pass(lines, rows)
        for b in range(rows):
            row = lines.on[0, 0, b]
            fill(row, 0.0, p.width[p.T])
            if p.folded:
                row[s.picked[b]] = 1.0
            else:
                row[p.rival_at[s.picked[b]]] = 1.0
                row[p.label_at] = -1.0
        lines.front[0, 0] = 0
        relax(p, s, lines, np.int64(0), np.int64(0), p.T, rows)
        descend(p, s, lines, far, near, options, p.T, rows, np.int64(0), np.int64(1))
        spend(p, s, lines, rows, s.tally[LIMIT] - s.tally[USED])
        for b in range(rows):
            if lines.bound[b] <= 0.0:
                excluded[s.picked[b]] = 1
                continue
            left += 1
            if lines.bound[b] > strongest:
                strongest = lines.bound[b]
                fill(lines.order, 0.0, pairs)
                for k in range(lines.stamp[1]):
                    lines.order[lines.touched[k]] = lines.gain[b, lines.touched[k]]
            if last:
                # one flip at most: the claim can only be broken by a pair whose own gain lifts the line above 0
                base = lines.const[b] + lines.error[b]
                size = abs(lines.const[b]) * 2.0**-50
                for e in range(pairs):
                    gain = lines.gain[b, e] if lines.touched_mark[e] else 0.0
                    if not base + gain + size + abs(gain) * 2.0**-50 <= 0.0:
                        lines.doubtful[e] = 1
    return left == 0

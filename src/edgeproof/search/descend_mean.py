"""Lines through a mean: every flip at its worst, over the denominator that makes it largest."""

from __future__ import annotations

import numpy as np

from ..problem import MAYBE_DELETED, MAYBE_INSERTED
from .compile import kernel
from .descend_sum import range_slots
from .lines import reach, touch


@kernel
def descend_mean(p, s, lines, t, v, side, rows, count, cap):
    """Mean aggregation at vertex v. With M0 the mean over the present ones, deleting D and inserting I gives
    M0 + [sum over D of (M0 - s) + sum over I of (s - M0)] / (present - |D| + |I|):
    each bracket term at its worst, over the denominator that makes it largest.
    """
    first = t == 1
    start, end = p.slot_ptr[v], p.slot_ptr[v + 1]
    present, decided, deletable, insertable = 0, 0, 0, 0
    for k in range(start, end):
        state = s.status[k]
        present += state & 1
        if state == MAYBE_DELETED and cap > 0:
            deletable += 1
        elif state & 1:
            decided += 1
        elif state == MAYBE_INSERTED and cap > 0:
            insertable += 1
    share = 1.0 / max(present, 1)
    if not first:
        m = p.width[t - 1]
        for k in range(start, end):
            if s.status[k] & 1:
                u = p.slot_source[k]
                count = reach(lines, 1 - side, count, u, rows, m)
                for b in range(rows):
                    below, a = lines.on[1 - side, u, b], lines.a[b]
                    for j in range(m):
                        below[j] += share * a[j]
        if deletable + insertable == 0:
            return count
    range_slots(p, s, lines, t, v, side, rows, cap, np.int64(0))
    empties = decided == 0 and deletable <= cap and present > 0
    for k in range(start, end):
        if s.status[k] & 2 and cap > 0:
            touch(lines, p.slot_pair[k])
    for b in range(rows):
        bottoms, aboves = lines.ends[0, b], lines.ends[1, b]
        total_low, total_high = 0.0, 0.0
        for k in range(start, end):
            if s.status[k] & 1:
                total_low += bottoms[k - start]
                total_high += aboves[k - start]
        if first:
            lines.const[b] += share * total_high
        if cap == 0:
            continue
        for k in range(start, end):
            state = s.status[k]
            if not state & 2:
                continue
            bottom, above = bottoms[k - start], aboves[k - start]
            if state == MAYBE_DELETED:
                term = share * (total_high - above) - bottom * (1.0 - share)
                least = max(present - min(cap, deletable), 1)
                most = max(present - 1 + min(cap - 1, insertable), 1)
            else:
                term = above - share * total_low
                least = present - min(cap - 1, deletable) + 1
                most = present + min(cap, insertable)
            gain = term / (least if term > 0.0 else most)
            if state == MAYBE_DELETED and empties:
                # all gone, the mean is 0: together the deletions must make up for a negative M0
                gain = max(gain, -share * (share * total_low))
            lines.gain[b, p.slot_pair[k]] += gain
    return count

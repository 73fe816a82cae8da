"""Backward linear bounds of a mean: every flip at its worst, over the number of messages that makes it largest.

Theory: "Linear bound of a mean".
"""

from __future__ import annotations

import numpy as np

from ...problem.layout import MAYBE_DELETED, MAYBE_INSERTED
from ..jit.decorators import kernel, leaf
from ..state.topk import insert_number
from .workspace import start_row, touch


@leaf
def gain_deletions(p, s, linear, v, b, present, most, total_high):
    """Gains where a mean can only lose neighbours, up to `most` of them.

    Without the i of k neighbours in D the mean has changed by no more than the sum over D of q(u, i), with
    q(u, i) = [total_high - i high(u) - (k - i) low(u)] / (k (k - i)), and
    q(u, i) - q(u, 1) = (i - 1) (total_high / k - high(u)) / ((k - i) (k - 1)).
    So a pair gains q(u, 1), and a surplus that all share: the largest, over i, of what the i lowest `high` make of
    that difference, divided by i. Without any neighbour the mean is 0: i = k asks that k shares are worth
    -total_high / k.
    """
    start, end = p.slot_ptr[v], p.slot_ptr[v + 1]
    bottoms, aboves = linear.ends[0, b], linear.ends[1, b]
    if present == 1:
        for j in range(start, end):
            if s.status[j] == MAYBE_DELETED:
                linear.gain[b, p.slot_pair[j]] -= bottoms[j - start]
        return
    k = present
    steps = min(most, k - 1)
    lowest = linear.ranked  # of the `high`, with minus signs
    for r in range(steps):
        lowest[r] = -np.inf
    for j in range(start, end):
        if s.status[j] == MAYBE_DELETED:
            insert_number(lowest, steps, -aboves[j - start])
    middle = total_high / k
    over, surplus = 0.0, 0.0
    for i in range(1, steps + 1):
        over += middle + lowest[i - 1]
        surplus = max(surplus, (i - 1) * over / (i * (k - i) * (k - 1.0)))
    if most == k:
        surplus = max(surplus, -middle / k)
    for j in range(start, end):
        if s.status[j] == MAYBE_DELETED:
            gain = (total_high - aboves[j - start]) / (k * (k - 1.0)) - bottoms[j - start] / k
            linear.gain[b, p.slot_pair[j]] += gain + surplus


@kernel
def backward_mean(p, s, linear, t, v, side, rows, count, cap):
    """Mean aggregation at vertex v. With M0 the mean over the present ones, deleting D and inserting I gives
    M0 + [sum over D of (M0 - s) + sum over I of (s - M0)] / (present - |D| + |I|):
    each bracket term at its worst (`ends`), over the denominator that makes it largest.
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
                count = start_row(linear, 1 - side, count, u, rows, m)
                for b in range(rows):
                    below, a = linear.on[1 - side, u, b], linear.a[b]
                    for j in range(m):
                        below[j] += share * a[j]
        if deletable + insertable == 0:
            return count
    empties = decided == 0 and deletable <= cap and present > 0
    for k in range(start, end):
        if s.status[k] & 2 and cap > 0:
            touch(linear, p.slot_pair[k])
    for b in range(rows):
        bottoms, aboves = linear.ends[0, b], linear.ends[1, b]
        total_low, total_high = 0.0, 0.0
        for k in range(start, end):
            if s.status[k] & 1:
                total_low += bottoms[k - start]
                total_high += aboves[k - start]
        if first:
            linear.const[b] += share * total_high
        if cap == 0:
            continue
        if insertable == 0:
            if deletable > 0:
                gain_deletions(p, s, linear, v, b, present, min(cap, deletable), total_high)
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
            linear.gain[b, p.slot_pair[k]] += gain
    return count

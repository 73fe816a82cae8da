"""Backward linear bounds of a max: one neighbour carries the line above, one the line below, in each coordinate.

Theory: "Linear bound of a max".
"""

from __future__ import annotations

import numpy as np

from ...problem.layout import MAYBE_DELETED, MAYBE_INSERTED
from ..jit.decorators import kernel, leaf
from ..state.rows import dot
from ..state.state import SENT, SENT_HIGH, SENT_LOW
from ..state.topk import insert_number
from .workspace import ABOVE, BELOW, CONSTANT, DROP, FLOOR, LOSS, ROUND, SECOND, SLOPE, start_row, touch


@leaf
def may_lose_all(p, s, v, cap):
    """Whether every sender of v can go, and how many of them are undecided."""
    decided, deletable = 0, 0
    for k in range(p.slot_ptr[v], p.slot_ptr[v + 1]):
        state = s.status[k]
        if state == MAYBE_DELETED and cap > 0:
            deletable += 1
        elif state & 1:
            decided += 1
    return decided == 0 and deletable <= cap, deletable


@leaf
def find_support(p, s, linear, t, v, i, cap, empties, deletable):
    """The same for one coordinate."""
    first = t == 1
    at = 0 if first else t * p.n + v
    numbers, ranked = linear.support_number[at], linear.ranked
    up, high_up, low_up, second, up_open = -1, -np.inf, -np.inf, -np.inf, False
    down, now_down, high_down, down_open, sure = -1, -np.inf, -np.inf, False, -np.inf
    for r in range(cap + 1):
        ranked[r] = -np.inf
    lowest = 0.0
    for k in range(p.slot_ptr[v], p.slot_ptr[v + 1]):
        state = s.status[k]
        if state == 0 or (state == MAYBE_INSERTED and cap == 0):
            continue
        if first:
            bottom = p.raw[p.raw_at[k] + i]
            above = bottom
            now = bottom
        else:
            u = p.slot_source[k]
            bottom = s.boxes[t - 1, u, SENT_LOW, i]
            above = s.boxes[t - 1, u, SENT_HIGH, i]
            now = s.values[t - 1, u, SENT, i]
        if state == MAYBE_INSERTED:
            if cap > deletable:
                lowest = min(lowest, bottom)
            continue
        movable = state == MAYBE_DELETED and cap > 0
        if above > high_up:
            second = max(second, high_up)
            up, high_up, low_up, up_open = k, above, bottom, movable
        else:
            second = max(second, above)
        if now > now_down or (now == now_down and down_open and not movable):
            down, now_down, high_down, down_open = k, now, above, movable
        if movable:
            lowest = min(lowest, bottom)
            insert_number(ranked, cap + 1, bottom)
        else:
            sure = max(sure, bottom)
    linear.support[at, ABOVE, i] = -1
    linear.support[at, BELOW, i] = down
    for number in range(SECOND):
        numbers[number, i] = 0.0
    if up < 0:  # nobody is there: the aggregate is 0, and only insertions move it
        return
    numbers[FLOOR, i] = lowest if empties else max(sure, ranked[cap])
    numbers[LOSS, i] = max(high_down - numbers[FLOOR, i], 0.0) if down_open else 0.0
    if empties:
        second = max(second, 0.0)
    numbers[SECOND, i] = second
    if second >= high_up:
        numbers[CONSTANT, i] = second
        return
    linear.support[at, ABOVE, i] = up
    if low_up >= second:
        numbers[SLOPE, i] = 1.0
        numbers[DROP, i] = low_up - second if up_open and second > -np.inf else 0.0
    else:
        slope = (high_up - second) / (high_up - low_up)
        numbers[SLOPE, i] = slope
        numbers[CONSTANT, i] = max(second - slope * low_up, high_up - slope * high_up)


@kernel
def find_supports(p, s, linear, t, v, cap):
    """Max aggregation at vertex v: for every coordinate, which slot carries the line above and below.

    Above: agg <= max(h of the largest `high`, the second largest `high`), by its chord; if that one is above the
    second anyway, its deletion costs the adversary at least the difference.
    Below: agg >= h of the one that is largest now; if it may go, minus what is lost then, paid by its flip.
    Passes of one round share the supports: they depend on the boxes of the stage below only.
    """
    if linear.support_round[t, v] == linear.counts[ROUND] and t > 1:
        return
    linear.support_round[t, v] = linear.counts[ROUND]
    empties, deletable = may_lose_all(p, s, v, cap)
    m = p.raw_columns_ptr[v, 1] - p.raw_columns_ptr[v, 0] if t == 1 else p.width[t - 1]
    for i in range(m):
        find_support(p, s, linear, t, v, i, cap, empties, deletable)


@kernel
def backward_max(p, s, linear, t, v, side, rows, count, cap):
    """Max aggregation at vertex v."""
    find_supports(p, s, linear, t, v, cap)
    first = t == 1
    at = 0 if first else t * p.n + v
    ups, downs, numbers = linear.support[at, ABOVE], linear.support[at, BELOW], linear.support_number[at]
    slopes, consts, drops = numbers[SLOPE], numbers[CONSTANT], numbers[DROP]
    losses, floors = numbers[LOSS], numbers[FLOOR]
    m = p.raw_columns_ptr[v, 1] - p.raw_columns_ptr[v, 0] if first else p.width[t - 1]
    start, end = p.slot_ptr[v], p.slot_ptr[v + 1]
    for k in range(start, end):
        if s.status[k] & 1 and not first:
            count = start_row(linear, 1 - side, count, p.slot_source[k], rows, m)
        if s.status[k] & 2 and cap > 0:
            touch(linear, p.slot_pair[k])
    for b in range(rows):
        a = linear.a[b]
        const = 0.0
        for i in range(m):
            weight = a[i]
            if weight > 0.0:
                const += weight * consts[i]
                k = ups[i]
                if k >= 0:
                    if first:
                        const += weight * slopes[i] * p.raw[p.raw_at[k] + i]
                    else:
                        linear.on[1 - side, p.slot_source[k], b, i] += weight * slopes[i]
                    if drops[i] > 0.0:
                        linear.gain[b, p.slot_pair[k]] -= weight * drops[i]
            elif weight < 0.0:
                k = downs[i]
                if k >= 0:
                    if first:
                        const += weight * p.raw[p.raw_at[k] + i]
                    else:
                        linear.on[1 - side, p.slot_source[k], b, i] += weight
                    if losses[i] > 0.0:
                        linear.gain[b, p.slot_pair[k]] -= weight * losses[i]
        linear.const[b] += const
    if cap == 0:
        return count
    for k in range(start, end):
        if s.status[k] != MAYBE_INSERTED:
            continue
        pair = p.slot_pair[k]
        for b in range(rows):
            a = linear.a[b]
            gain = 0.0
            for i in range(m):
                if first:
                    bottom = p.raw[p.raw_at[k] + i]
                    above = bottom
                else:
                    bottom = s.boxes[t - 1, p.slot_source[k], SENT_LOW, i]
                    above = s.boxes[t - 1, p.slot_source[k], SENT_HIGH, i]
                if a[i] > 0.0:
                    gain += a[i] * max(above - floors[i], 0.0)
                elif downs[i] < 0:
                    gain += a[i] * min(bottom, 0.0)
            linear.gain[b, pair] += gain
    return count


@kernel
def raw_coefficients(p, linear, v, side, rows):
    """a = A^T G over the raw feature columns that occur around v."""
    offset = p.raw_columns_ptr[v, 0]
    m = p.raw_columns_ptr[v, 1] - offset
    width = p.width[1]
    for b in range(rows):
        row, a = linear.on[side, v, b], linear.a[b]
        for j in range(m):
            a[j] = dot(p.A1T[p.raw_columns[offset + j]], row, width)

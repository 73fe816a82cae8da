"""Backward linear bounds of a sum: a deletion gains minus what was sent, an insertion what is sent, at its worst.

Theory: "Linear bound of a sum".
"""

from __future__ import annotations

import numpy as np

from ...problem.layout import MAYBE_DELETED, MAYBE_INSERTED, PRESENT, SUM
from ..intervals.activation import act_box
from ..intervals.binary_max import COLUMN, COMING, GOING, is_carrier, split_columns
from ..jit.decorators import kernel
from ..state.rows import dot, dot_interval
from ..state.scratch import CENTRE, RADIUS
from .workspace import start_row, touch


@kernel
def backward_sum(p, s, linear, t, v, side, rows, count, cap):
    """Sum aggregation at vertex v, t > 1: a deletion gains -a.h, an insertion a.h, each at its worst (`ends`)."""
    m = p.width[t - 1]
    start = p.slot_ptr[v]
    for k in range(start, p.slot_ptr[v + 1]):
        state = s.status[k]
        u = p.slot_source[k]
        if state & 1:
            count = start_row(linear, 1 - side, count, u, rows, m)
            for b in range(rows):
                below, a = linear.on[1 - side, u, b], linear.a[b]
                for j in range(m):
                    below[j] += a[j]
        if cap > 0 and state & 2:
            pair = p.slot_pair[k]
            touch(linear, pair)
            for b in range(rows):
                linear.gain[b, pair] += -linear.ends[0, b, k - start] if state & 1 else linear.ends[1, b, k - start]
    return count


@kernel
def bound_messages(p, s, linear, t, v, side, rows, cap, carriers):
    """Fill `ends` with the range of a . h, by the boxes, of every slot into v that is there or may be; of a sum's, past
    the first stage, only of those that may flip.
    """
    centre, radius = s.scratch[CENTRE], s.scratch[RADIUS]
    start = p.slot_ptr[v]
    m = p.raw_columns_ptr[v, 1] - p.raw_columns_ptr[v, 0] if t == 1 else p.width[t - 1]
    for k in range(start, p.slot_ptr[v + 1]):
        state = s.status[k]
        if state == 0 or (state == MAYBE_INSERTED and cap == 0):
            continue
        if state == PRESENT and t > 1 and p.how[t] == SUM:
            continue
        u = p.slot_source[k]
        if t > 1:
            act_box(p, s, t - 1, u, centre, radius)
        for b in range(rows):
            if t > 1:
                bottom, above = dot_interval(linear.a[b], centre, radius, m)
            else:
                if p.uniform and carriers:
                    bottom = dot(linear.on[side, v, b], s.carried[k], p.width[1])
                elif p.sends_products[1]:
                    bottom = dot(linear.on[side, v, b], p.sent[u], p.width[1])
                else:
                    bottom = dot(linear.a[b], p.raw[p.raw_at[k] : p.raw_at[k] + m], m)
                above = bottom
            linear.ends[0, b, k - start] = bottom
            linear.ends[1, b, k - start] = above


@kernel
def backward_first_sum(p, s, linear, v, side, rows, cap, carriers):
    """Sum aggregation at the first stage: what neighbours send are numbers."""
    bound_messages(p, s, linear, np.int64(1), v, side, rows, cap, carriers)
    start = p.slot_ptr[v]
    for k in range(start, p.slot_ptr[v + 1]):
        state = s.status[k]
        if state == 0 or (state == MAYBE_INSERTED and cap == 0):
            continue
        pair = p.slot_pair[k]
        moves = cap > 0 and state & 2
        if moves:
            touch(linear, pair)
        for b in range(rows):
            x = linear.ends[0, b, k - start]
            if state & 1:
                linear.const[b] += x
            if moves:
                linear.gain[b, pair] += -x if state & 1 else x


@kernel
def backward_binary_max(p, s, linear, v, side, rows, cap):
    """Max of 0/1 features at the first stage: single carriers are linear, as under a sum. What a crowd of n sends that
    may all go is lost only if all go: its share is at least 1 - (their flips) / n and at most 1; in a crowd that may
    only come, at least (their flips) / n and at most their sum.

    Theory: "Max over 0/1 features".
    """
    groups = split_columns(p, s, v, cap)
    backward_first_sum(p, s, linear, v, side, rows, cap, np.int64(1))
    for b in range(rows):
        linear.const[b] += dot(linear.on[side, v, b], s.carried_const, p.width[1])
    start, end = p.slot_ptr[v], p.slot_ptr[v + 1]
    for c in range(groups):
        j, deletable, insertable = s.group[c, COLUMN], s.group[c, GOING], s.group[c, COMING]
        for b in range(rows):
            linear.shares[b] = dot(linear.on[side, v, b], s.group_sent[c], p.width[1])
        for k in range(start, end):
            if not is_carrier(p, s, j, k):
                continue
            goes = s.status[k] == MAYBE_DELETED
            if goes != (deletable > 0):
                continue  # next to one that is there, an insertion changes nothing at best, and saves it at worst
            pair = p.slot_pair[k]
            for b in range(rows):
                a = linear.shares[b]
                if goes:
                    linear.gain[b, pair] += max(-a, 0.0) / deletable
                else:
                    linear.gain[b, pair] += max(a, 0.0) + min(a, 0.0) / insertable

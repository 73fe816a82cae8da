"""Interval bounds (boxes): both ends of every pre-activation over all graphs below a search node (docs/theory.md).

Theory: "Interval bound propagation".
"""

from __future__ import annotations

import numpy as np

from ...problem.layout import DENSE, GCN, MAYBE_DELETED, MEAN, POOL, SUM
from ..forward.worklist import list_due
from ..jit.decorators import kernel, leaf, loop, part
from ..state.budget import spendable
from ..state.records import parts_used, who_takes_products
from ..state.rows import add, add_interval, copy, copy_record, fill, join_interval, split_interval
from ..state.scratch import (
    AGGREGATE_HIGH,
    AGGREGATE_LOW,
    CENTRE,
    INSERTING,
    NEW_HIGH,
    NEW_LOW,
    PRODUCT_CENTRE,
    PRODUCT_RADIUS,
    RADIUS,
)
from ..state.state import BOX_MARK, HIGH, LOW, OWN_HIGH, OWN_LOW, SENT_HIGH, SENT_LOW, STOP, WORK
from .activation import act_box, act_ends
from .binary_max import GOING, split_columns
from .gather import gather_max, gather_mean, gather_sum, pool_box
from .gcn import gather_gcn


@leaf
def send_box(p, s, record, t, v):
    """From the box of the pre-activation of v, the boxes of what stage t + 1 takes of it."""
    if t == p.T:
        return
    width, following = p.width[t], p.width[t + 1]
    own, heard = who_takes_products(p, t + 1, v)
    if own or heard:
        centre, radius = s.scratch[CENTRE], s.scratch[RADIUS]
        act_box(p, s, t, v, centre, radius)
        skipped = 0 if own else following
        weight = p.both[t + 1] if own else p.AT[t + 1]
        columns = following * (own + heard)
        middle, spread = s.scratch[PRODUCT_CENTRE], s.scratch[PRODUCT_RADIUS]
        fill(middle[skipped:], 0.0, columns)
        fill(spread[skipped:], 0.0, columns)
        add_interval(middle[skipped:], spread[skipped:], weight, centre, radius, s.picked, width, columns)
        if own:
            add(middle, p.bias[t + 1], following)
            join_interval(record[OWN_LOW], record[OWN_HIGH], middle, spread, following)
        if heard:
            join_interval(record[SENT_LOW], record[SENT_HIGH], middle[following:], spread[following:], following)
    if p.kind[t + 1] != DENSE and not p.sends_products[t + 1]:
        act_ends(p, s, t, v, record[SENT_LOW], record[SENT_HIGH])


@loop
def compare_box(low, high, old_low, old_high, slack, inherits, leaks, width):
    """Allow for rounding, and count what differs from the old box: in itself, and in what it sends.

    Theory: "Bounds of a parent hold below it".
    """
    differs, sends = 0, 0
    for i in range(width):
        low[i] -= slack[i]
        high[i] += slack[i]
        if inherits:  # what holds at the parent holds below it, and lines may have tightened it there
            low[i] = max(low[i], old_low[i])
            high[i] = min(high[i], old_high[i])
        moved_low, moved_high = low[i] != old_low[i], high[i] != old_high[i]
        differs += moved_low
        differs += moved_high
        # below zero a ReLU sends the same whatever the bound (asked of the whole stage: one more row to read, and the
        # compiler would not vectorise this loop)
        sends += moved_low and (leaks or max(low[i], old_low[i]) > 0.0)
        sends += moved_high and (leaks or max(high[i], old_high[i]) > 0.0)
    return differs, sends


@leaf
def save_box(p, s, record, t, v):
    """On the trail, from where `undo` takes it."""
    at = s.tally[BOX_MARK]
    s.box_trail_at[at] = t * p.n + v
    copy_record(s.box_trail[at], record, 2 * parts_used(p, t, v))
    s.tally[BOX_MARK] = at + 1


ROOT = 2  # `forced` where there is no earlier box


@part
def gather_box(p, s, options, low, high, below, t, v, m, cap):
    """The box of what v gathers from its in-neighbours, or, at the readout, from all vertices."""
    how, first = p.how[t], t == 1 and not p.sends_products[1]
    start, end, x = p.slot_ptr[v], p.slot_ptr[v + 1], s.scratch[INSERTING]
    if p.kind[t] == POOL:
        pool_box(low, high, m, below, how, p.n)
    elif how == SUM:
        every = cap >= s.open_slots[v]
        gather_sum(
            low, high, m, below, p.slot_source, s.status, p.raw, p.raw_at, first, start, end, cap, every, s.top, x
        )  # fmt: skip
    elif how == MEAN:
        gather_mean(low, high, m, below, p.slot_source, s.status, p.raw, p.raw_at, first, start, end, cap, s.top, x)
    elif how == GCN:
        for side in range(2):
            gather_gcn(p, s, options, high if side else low, m, below, v, cap, side)
        for i in range(m):
            low[i] = -low[i]
    else:
        gather_max(low, high, m, below, p.slot_source, s.status, p.raw, p.raw_at, first, start, end, cap, s.top, x)


@part
def add_columns(p, s, low, high, below, v, cap):
    """Add the box of A times a max over 0/1 features, taken apart by who carries a column (binary_max.py)."""
    width, add_low, add_high = p.width[1], s.scratch[AGGREGATE_LOW], s.scratch[AGGREGATE_HIGH]
    start, end, every = p.slot_ptr[v], p.slot_ptr[v + 1], cap >= s.open_slots[v]
    groups = split_columns(p, s, v, cap)
    gather_sum(
        add_low, add_high, width, below, p.slot_source, s.status, s.carried.reshape(s.carried.size),
        p.carried_at, True, start, end, cap, every, s.top, s.scratch[INSERTING],
    )  # fmt: skip
    for i in range(width):
        low[i] += s.carried_const[i] + add_low[i]
        high[i] += s.carried_const[i] + add_high[i]
    for c in range(groups):
        # all carriers may go, or one may come: the group's share is anything between nothing and all
        sent = s.group_sent[c]
        there = 1.0 if s.group[c, GOING] > 0 else 0.0
        for i in range(width):
            low[i] += min(sent[i], 0.0) - there * sent[i]
            high[i] += max(sent[i], 0.0) - there * sent[i]


@part
def add_aggregate(p, s, low, high, add_low, add_high, t, v, m):
    """Add the box of what was gathered, as it is or times A."""
    width = p.width[t]
    if p.sends_products[t]:
        add(low, add_low, width)
        add(high, add_high, width)
    elif t == 1:
        offset = p.raw_columns_ptr[v, 0]
        for j in range(m):
            centre = 0.5 * (add_low[j] + add_high[j])
            radius = 0.5 * (add_high[j] - add_low[j])
            if centre != 0.0 or radius != 0.0:
                row = p.A1T[p.raw_columns[offset + j]]
                for i in range(width):
                    low[i] += row[i] * centre - abs(row[i]) * radius
                    high[i] += row[i] * centre + abs(row[i]) * radius
    else:
        centre, radius = s.scratch[CENTRE], s.scratch[RADIUS]
        split_interval(centre, radius, add_low, add_high, m)
        middle, spread = s.scratch[PRODUCT_CENTRE], s.scratch[PRODUCT_RADIUS]
        fill(middle, 0.0, width)
        fill(spread, 0.0, width)
        add_interval(middle, spread, p.AT[t], centre, radius, s.picked, m, width)
        for i in range(width):
            low[i] += middle[i] - spread[i]
            high[i] += middle[i] + spread[i]


@part
def width_gathered(p, t, v):
    """How long the rows are that v gathers at a stage."""
    if p.sends_products[t]:
        return p.width[t]
    return p.width[t - 1] if t > 1 else p.raw_columns_ptr[v, 1] - p.raw_columns_ptr[v, 0]


@kernel
def bound_vertex(p, s, options, t, v, forced):
    """Recompute the box of p_t(v); True if what it sends changed (or `forced`), the old record on the trail.

    Theory: "Interval bound propagation", "Max over 0/1 features".
    """
    below, record = s.boxes[t - 1], s.boxes[t, v]
    width = p.width[t]
    low, high = s.scratch[NEW_LOW], s.scratch[NEW_HIGH]
    add_low, add_high = s.scratch[AGGREGATE_LOW], s.scratch[AGGREGATE_HIGH]
    copy(low, below[v, OWN_LOW], width)
    copy(high, below[v, OWN_HIGH], width)
    if p.kind[t] != DENSE:
        start, end, m, cap = p.slot_ptr[v], p.slot_ptr[v + 1], width_gathered(p, t, v), spendable(s, options, v)
        if p.sends_products[t] and not options.reorder_cache and t > 1:
            for k in range(start, end):
                send_box(p, s, below[p.slot_source[k]], t - 1, p.slot_source[k])
        if t == 1 and p.uniform and options.carriers and not p.sends_products[1] and p.kind[1] != POOL:
            add_columns(p, s, low, high, below, v, cap)
        else:
            gather_box(p, s, options, add_low, add_high, below, t, v, m, cap)
            add_aggregate(p, s, low, high, add_low, add_high, t, v, m)
        s.tally[WORK] += (end - start) * m * (1 + min(cap, 8)) >> 12
    s.tally[WORK] += 1
    inherits = options.lines and forced < ROOT
    differs, sends = compare_box(low, high, record[LOW], record[HIGH], s.slack[t, v], inherits, p.leaks[t], width)
    if differs == 0 and not forced:
        return False
    save_box(p, s, record, t, v)
    copy(record[LOW], low, width)
    copy(record[HIGH], high, width)
    if sends == 0 and not forced:
        return False
    send_box(p, s, record, t, v)
    return True


@part
def bound_from(p, s, options, seeds, everything):
    """Bring all boxes up to date after the slots into `seeds`, or what these vertices may spend, changed."""
    forced = 1 if everything or not options.incremental_stop else 0
    before, side = np.int64(0), np.int64(0)  # typed: a literal would compile the callee once more
    for t in range(1, p.T + 1):
        waiting = list_due(p, s, t, seeds, everything, before, side, np.int64(MAYBE_DELETED))
        due = s.changed[1 - side]
        before = np.int64(0)
        for k in range(waiting):
            if s.tally[STOP]:
                return
            v = due[k]
            if bound_vertex(p, s, options, t, v, forced):
                due[before] = v
                before += 1
        side = 1 - side

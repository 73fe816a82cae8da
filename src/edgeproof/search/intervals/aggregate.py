"""Boxes: interval bounds of every pre-activation over all graphs below a search node.

Theory: "Interval bound propagation".
"""

from __future__ import annotations

import numpy as np

from ...problem.layout import DENSE, GCN, MAX, MAYBE_DELETED, MAYBE_INSERTED, MEAN, POOL, PRESENT, SUM
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
from ..state.topk import insert_top
from .activation import act, act_interval
from .binary_max import GOING, split_columns
from .gcn import gather_gcn


@loop
def gather_sum(low, high, m, below, source, status, raw, raw_at, first, start, end, cap, every, top, x):
    """Present ones, plus the `cap` best gains (all positive ones if `every` undecided slot may flip).

    Theory: "Interval of a sum".
    """
    fill(low, 0.0, m)
    fill(high, 0.0, m)
    ranks = 0 if every else cap
    for k in range(ranks):
        fill(top[0, k], 0.0, m)
        fill(top[1, k], 0.0, m)
    for s in range(start, end):
        state = status[s]
        if state == 0 or (state == MAYBE_INSERTED and cap == 0):
            continue
        if first:
            bottom = raw[raw_at[s] : raw_at[s] + m]
            above = bottom
        else:
            bottom = below[source[s], SENT_LOW]
            above = below[source[s], SENT_HIGH]
        if state == PRESENT or cap == 0:
            for i in range(m):
                low[i] += bottom[i]
                high[i] += above[i]
        elif every:  # kept or flipped, whichever is better: either way the term is x or 0
            for i in range(m):
                low[i] += min(bottom[i], 0.0)
                high[i] += max(above[i], 0.0)
        elif state == MAYBE_DELETED:
            for i in range(m):
                low[i] += bottom[i]
                high[i] += above[i]
            insert_top(top[0], ranks, m, bottom, 1.0, x)
            insert_top(top[1], ranks, m, above, -1.0, x)
        else:
            insert_top(top[0], ranks, m, bottom, -1.0, x)
            insert_top(top[1], ranks, m, above, 1.0, x)
    for k in range(ranks):
        less, more = top[0, k], top[1, k]
        for i in range(m):
            low[i] -= less[i]
            high[i] += more[i]


@loop
def gather_mean(low, high, m, below, source, status, raw, raw_at, first, start, end, cap, top, x):
    """The best of all splits into i deletions and j insertions, i + j <= cap; each split is best by rank.

    Theory: "Interval of a mean".
    """
    sum_low, sum_high = top[0, cap + 1], top[1, cap + 1]  # rows past the ranks: free
    fill(sum_low, 0.0, m)
    fill(sum_high, 0.0, m)
    for side in range(4):
        for k in range(cap):
            fill(top[side, k], -np.inf, m)
    present, deletable, insertable = 0, 0, 0
    for s in range(start, end):
        state = status[s]
        if state == 0 or (state == MAYBE_INSERTED and cap == 0):
            continue
        if first:
            bottom = raw[raw_at[s] : raw_at[s] + m]
            above = bottom
        else:
            bottom = below[source[s], SENT_LOW]
            above = below[source[s], SENT_HIGH]
        if state & 1:
            present += 1
            for i in range(m):
                sum_low[i] += bottom[i]
                sum_high[i] += above[i]
        if cap > 0 and state == MAYBE_DELETED:
            deletable += 1
            held = min(cap, deletable)  # ranks that can hold something yet
            insert_top(top[0], held, m, bottom, 1.0, x)
            insert_top(top[1], held, m, above, -1.0, x)
        elif cap > 0 and state == MAYBE_INSERTED:
            insertable += 1
            held = min(cap, insertable)
            insert_top(top[2], held, m, bottom, -1.0, x)
            insert_top(top[3], held, m, above, 1.0, x)
    fill(low, np.inf, m)
    fill(high, -np.inf, m)
    for i in range(min(cap, deletable) + 1):
        if i > 0:
            less, more = top[0, i - 1], top[1, i - 1]
            for k in range(m):
                sum_low[k] -= less[k]
                sum_high[k] += more[k]
        # sums with j insertions on top, in the rows that hold no rank any more
        with_low, with_high = top[2, cap + 1], top[3, cap + 1]
        copy(with_low, sum_low, m)
        copy(with_high, sum_high, m)
        for j in range(min(cap - i, insertable) + 1):
            if j > 0:
                less, more = top[2, j - 1], top[3, j - 1]
                for k in range(m):
                    with_low[k] -= less[k]
                    with_high[k] += more[k]
            count = present - i + j
            if count == 0:
                for k in range(m):
                    low[k] = min(low[k], 0.0)
                    high[k] = max(high[k], 0.0)
            else:
                share = 1.0 / count  # one rounding more than a division, which takes many times as long
                for k in range(m):
                    low[k] = min(low[k], with_low[k] * share)
                    high[k] = max(high[k], with_high[k] * share)


@loop
def gather_max(low, high, m, below, source, status, raw, raw_at, first, start, end, cap, top, x):
    """Upper: the largest that can be present. Lower: what is left when the `cap` best deletable ones go.

    Theory: "Interval of a max".
    """
    fill(low, -np.inf, m)  # best decided one, from below
    fill(high, -np.inf, m)
    lowest = top[1, 0]
    fill(lowest, 0.0, m)
    for k in range(cap + 1):
        fill(top[0, k], -np.inf, m)
    decided, deletable, insertable = 0, 0, 0
    for s in range(start, end):
        state = status[s]
        if state == 0 or (state == MAYBE_INSERTED and cap == 0):
            continue
        if first:
            bottom = raw[raw_at[s] : raw_at[s] + m]
            above = bottom
        else:
            bottom = below[source[s], SENT_LOW]
            above = below[source[s], SENT_HIGH]
        for i in range(m):
            high[i] = max(high[i], above[i])
        if state == PRESENT:
            decided += 1
            for i in range(m):
                low[i] = max(low[i], bottom[i])
        elif state == MAYBE_DELETED:
            deletable += 1
            insert_top(top[0], min(cap + 1, deletable), m, bottom, 1.0, x)
        else:
            insertable += 1
    if decided == 0 and deletable <= cap:  # the neighbourhood can be emptied, or hold any of these alone
        for s in range(start, end):
            state = status[s]
            if state == MAYBE_DELETED or (state == MAYBE_INSERTED and cap > deletable):
                if first:
                    bottom = raw[raw_at[s] : raw_at[s] + m]
                else:
                    bottom = below[source[s], SENT_LOW]
                for i in range(m):
                    lowest[i] = min(lowest[i], bottom[i])
        for i in range(m):
            low[i] = lowest[i]
            high[i] = max(high[i], 0.0)
    else:
        kept = top[0, cap]
        for i in range(m):
            low[i] = max(low[i], kept[i])


@loop
def pool_box(low, high, m, below, how, n):
    """The readout's aggregation: over all vertices, none of them in doubt.

    Theory: "Pooling".
    """
    copy(low, below[0, SENT_LOW], m)
    copy(high, below[0, SENT_HIGH], m)
    for u in range(1, n):
        bottom, above = below[u, SENT_LOW], below[u, SENT_HIGH]
        if how == MAX:
            for i in range(m):
                low[i] = max(low[i], bottom[i])
                high[i] = max(high[i], above[i])
        else:
            for i in range(m):
                low[i] += bottom[i]
                high[i] += above[i]
    if how == MEAN:
        for i in range(m):
            low[i] /= n
            high[i] /= n


@leaf
def send_box(p, s, record, t, v):
    """From the box of the pre-activation of v, the boxes of what stage t + 1 takes of it."""
    if t == p.T:
        return
    width, following, slope = p.width[t], p.width[t + 1], p.slope[t]
    own, heard = who_takes_products(p, t + 1, v)
    if own or heard:
        centre, radius = s.scratch[CENTRE], s.scratch[RADIUS]
        act_interval(centre, radius, record[LOW], record[HIGH], slope, width)
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
        act(record[SENT_LOW], record[LOW], slope, width)
        act(record[SENT_HIGH], record[HIGH], slope, width)


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


@kernel
def bound_vertex(p, s, options, t, v, forced):
    """Recompute the box of p_t(v); True if what it sends changed (or `forced`), the old record on the trail.

    Theory: "Interval bound propagation", "Max over 0/1 features".
    """
    below, record = s.boxes[t - 1], s.boxes[t, v]
    width = p.width[t]
    low, high, add_low, add_high = (
        s.scratch[NEW_LOW],
        s.scratch[NEW_HIGH],
        s.scratch[AGGREGATE_LOW],
        s.scratch[AGGREGATE_HIGH],
    )
    copy(low, below[v, OWN_LOW], width)
    copy(high, below[v, OWN_HIGH], width)
    kind, how, first = p.kind[t], p.how[t], t == 1 and not p.sends_products[1]
    if kind != DENSE:
        start, end = p.slot_ptr[v], p.slot_ptr[v + 1]
        if p.sends_products[t]:
            m = width
            if not options.reorder_cache and t > 1:
                for k in range(start, end):
                    send_box(p, s, below[p.slot_source[k]], t - 1, p.slot_source[k])
        elif first:
            m = p.raw_columns_ptr[v, 1] - p.raw_columns_ptr[v, 0]
        else:
            m = p.width[t - 1]
        cap = spendable(s, options, v)
        if kind == POOL:
            pool_box(add_low, add_high, m, below, how, p.n)
        elif first and p.uniform and options.carriers:
            groups = split_columns(p, s, v, cap)
            gather_sum(
                add_low, add_high, width, below, p.slot_source, s.status, s.carried.reshape(s.carried.size),
                p.carried_at, first, start, end, cap, cap >= s.open_slots[v], s.top, s.scratch[INSERTING],
            )  # fmt: skip
            for i in range(width):
                low[i] += s.carried_const[i] + add_low[i]
                high[i] += s.carried_const[i] + add_high[i]
            for c in range(groups):
                # all carriers may go, or one may come: the crowd's share is anything between nothing and all
                sent = s.group_sent[c]
                there = 1.0 if s.group[c, GOING] > 0 else 0.0
                for i in range(width):
                    low[i] += min(sent[i], 0.0) - there * sent[i]
                    high[i] += max(sent[i], 0.0) - there * sent[i]
        elif how == SUM:
            every = cap >= s.open_slots[v]
            gather_sum(add_low, add_high, m, below, p.slot_source, s.status, p.raw, p.raw_at, first, start, end,
                       cap, every, s.top, s.scratch[INSERTING])  # fmt: skip
        elif how == MEAN:
            gather_mean(add_low, add_high, m, below, p.slot_source, s.status, p.raw, p.raw_at, first, start, end,
                        cap, s.top, s.scratch[INSERTING])  # fmt: skip
        elif how == GCN:
            for side in range(2):
                gather_gcn(p, s, options, add_high if side else add_low, m, below, v, cap, side)
            for i in range(m):
                add_low[i] = -add_low[i]
        else:
            gather_max(add_low, add_high, m, below, p.slot_source, s.status, p.raw, p.raw_at, first, start, end,
                       cap, s.top, s.scratch[INSERTING])  # fmt: skip
        if first and p.uniform and options.carriers:
            pass
        elif p.sends_products[t]:
            add(low, add_low, width)
            add(high, add_high, width)
        elif first:
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

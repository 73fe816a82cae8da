"""What single flips change in the grounding, vertex by vertex, without flipping them.

Theory: "Effects of flips add up, but for pairs".
"""

from __future__ import annotations

import numpy as np

from ...problem.layout import DENSE, GRAPH, MAX, MEAN, POOL, PRESENT, SUM
from ..forward.incremental import add_gathered, aggregate, multiply
from ..forward.worklist import list_due
from ..jit.decorators import kernel, leaf, loop
from ..state.rows import add, copy, fill
from ..state.scratch import ACTIVATION_DELTA, AGGREGATE, DELTA_HIGH, DELTA_LOW, MAX_BEFORE, MAX_DELTA, NO_DELTA, PRODUCT
from ..state.state import EVALUATION_WORK, EVALUATIONS, SENT, WORK, H
from .tables import CHANGE_OWN, CHANGE_SENT, GATHERED, SHIFT, SPREAD


@leaf
def weight_of(how, messages):
    """What one of so many messages counts."""
    if how != MEAN:
        return 1.0
    return 1.0 / messages if messages > 0 else 0.0


@kernel
def record_base(p, s, x):
    """Pre-activations, means and degrees of the grounding."""
    for v in range(p.n):
        x.degree[v] = 0
        for k in range(p.slot_ptr[v], p.slot_ptr[v + 1]):
            x.degree[v] += s.status[k] & 1
    for t in range(1, p.T + 1):
        for v in range(p.active[t]):
            aggregate(p, s, x.base[t, v], s.scratch[AGGREGATE], t, v)
            if p.kind[t] == GRAPH and p.how[t] == SUM:
                fill(x.centre[t, v], 0.0, p.D)
            elif p.kind[t] == GRAPH and (t > 1 or p.sends_products[t]):
                copy(x.centre[t, v], s.scratch[AGGREGATE], p.D)


@loop
def add_scaled(out, row, factor, m):
    for i in range(m):
        out[i] += factor * row[i]


@loop
def is_zero(row, m):
    found = 0
    for i in range(m):
        found += row[i] != 0.0
    return found == 0


@loop
def activation_change(out, base, shift, h, slope, m):
    """act(base + shift) - h"""
    for i in range(m):
        y = base[i] + shift[i]
        out[i] = max(y, 0.0) + slope[i] * min(y, 0.0) - h[i]


@leaf
def slot_into(p, pair, v):
    """The slot by which a flip is at v, or -1."""
    if p.pair_v[pair] == v:
        return p.pair_slot[pair, 0]
    return p.pair_slot[pair, 1] if p.pair_u[pair] == v else np.int64(-1)


@leaf
def sign_of(s, slot):
    """1 where a flip inserts, -1 where it deletes."""
    return 1 - 2 * np.int64(s.status[slot] & 1)


@leaf
def gather_changes(p, s, x, c, pairs, t, v, out):
    """The change of what v gathers at stage t, as the sum of distances from the centre; returns the messages left."""
    width = p.width[t]
    changed = x.row_of[c]
    waited = s.inserted_in[v]
    k, split, end = p.slot_ptr[v], p.slot_split[v], p.slot_ptr[v + 1]
    while k < split or (waited > 0 and k < end):
        if s.status[k] & 1:
            waited -= k >= split
            row = changed[(t - 1) * p.n + p.slot_source[k]]
            if row >= 0:
                add(out, x.rows[row, CHANGE_SENT], width)
        k += 1
    messages = x.degree[v]
    for k in range(pairs.size):
        slot = slot_into(p, pairs[k], v)
        if slot >= 0:
            w, sign = p.slot_source[slot], sign_of(s, slot)
            add_scaled(out, s.values[t - 1, w, SENT], np.float64(sign), width)
            add_scaled(out, x.centre[t, v], np.float64(-sign), width)
            row = changed[(t - 1) * p.n + w]
            if row >= 0:
                add_scaled(out, x.rows[row, CHANGE_SENT], np.float64(sign), width)
            messages += sign
    return messages


@leaf
def is_flipped_by(p, pairs, slot):
    found = False
    for k in range(pairs.size):
        found = found or p.slot_pair[slot] == pairs[k]
    return found


@loop
def take_max(acc, row, change, first, m):
    for i in range(m):
        y = row[i] + change[i]
        acc[i] = y if first else max(acc[i], y)


@loop
def widen(low, high, change, first, m):
    for i in range(m):
        low[i] = change[i] if first else min(low[i], change[i])
        high[i] = change[i] if first else max(high[i], change[i])


@leaf
def gather_max(p, s, x, c, pairs, t, v, gathered, spread):
    """The change of a max at v, and how far apart the changes of its messages are."""
    m, first_stage = p.width[t - 1], t == 1
    if first_stage:
        m = p.raw_columns_ptr[v, 1] - p.raw_columns_ptr[v, 0]
    acc, before, none, low, high = (
        s.scratch[MAX_DELTA],
        s.scratch[MAX_BEFORE],
        s.scratch[NO_DELTA],
        s.scratch[DELTA_LOW],
        s.scratch[DELTA_HIGH],
    )
    fill(none, 0.0, m)
    count, senders = 0, 0
    for k in range(p.slot_ptr[v], p.slot_ptr[v + 1]):
        own = s.status[k] & 2 and is_flipped_by(p, pairs, k)
        there = s.status[k] & 1
        if not (own or there):
            continue
        u = p.slot_source[k]
        row = np.int64(-1) if first_stage else x.row_of[c, (t - 1) * p.n + u]
        change = x.rows[row, CHANGE_SENT] if row >= 0 else none
        message = p.raw[p.raw_at[k] : p.raw_at[k] + m] if first_stage else s.values[t - 1, u, SENT]
        if own != there:  # what is there and stays, or comes
            take_max(acc, message, change, count == 0, m)
            count += 1
        if there:
            if first_stage:
                take_max(before, message, none, senders == 0, m)
            else:
                widen(low, high, change, senders == 0, m)
            senders += 1
    if count == 0:
        fill(acc, 0.0, m)
    if first_stage:
        for i in range(m):
            acc[i] -= before[i] if senders > 0 else 0.0
        return m
    for i in range(m):
        gathered[i] = acc[i] - x.centre[t, v, i]
        spread[i] = high[i] - low[i] if senders > 0 else 0.0
    copy(acc, gathered, m)
    return m


@leaf
def width_gathered(p, t):
    """How much of a row somebody looks at of what is gathered: at the first stage, of a max, nothing."""
    if p.kind[t] != GRAPH or p.sends_products[t]:
        return p.width[t]
    return p.width[t - 1] if t > 1 else np.int64(0)


@kernel
def record_deltas(p, s, x, c, pairs, used):
    """What flipping these together changes, as rows of candidate c from row `used` on; returns where they end."""
    ends = 0
    for k in range(pairs.size):
        s.seeds[ends] = p.pair_v[pairs[k]]
        s.seeds[ends + 1] = p.pair_u[pairs[k]]
        ends += 2 if p.pair_slot[pairs[k], 1] >= 0 else 1
    seeds = s.seeds[:ends]
    before, side = np.int64(0), np.int64(0)
    change = s.scratch[ACTIVATION_DELTA]
    work = s.tally[WORK]
    for t in range(1, p.T + 1):
        width, kind, how = p.width[t], p.kind[t], p.how[t]
        found = s.changed[side]
        waiting = list_due(p, s, t, seeds, np.int64(0), before, side, np.int64(PRESENT))
        due = s.changed[1 - side]
        going = np.int64(0)
        heard = width_gathered(p, t)
        apart = heard if kind == GRAPH and how == MAX else np.int64(0)
        for k in range(waiting):
            v = due[k]
            row = x.rows[used]
            shift, gathered, spread = row[SHIFT], row[GATHERED], row[SPREAD]
            fill(gathered, 0.0, heard)
            fill(spread, 0.0, apart)
            fill(shift, 0.0, width)
            if kind == POOL:
                for j in range(before):
                    add(gathered, x.rows[x.row_of[c, (t - 1) * p.n + found[j]], CHANGE_SENT], width)
                add_scaled(shift, gathered, weight_of(how, p.n), width)
            elif kind == GRAPH and how == MAX:
                m = gather_max(p, s, x, c, pairs, t, v, gathered, spread)
                add_gathered(p, s, shift, s.scratch[MAX_DELTA], t, v, m)
            elif kind == GRAPH:
                messages = gather_changes(p, s, x, c, pairs, t, v, gathered)
                if messages == 0 and how == MEAN:
                    add_scaled(shift, x.centre[t, v], -1.0, width)
                else:
                    add_scaled(shift, gathered, weight_of(how, messages), width)
            below = x.row_of[c, (t - 1) * p.n + v]
            if below >= 0:
                add(shift, x.rows[below, CHANGE_OWN], width)
            s.tally[WORK] += 1
            if is_zero(shift, width) and is_zero(gathered, heard) and is_zero(spread, apart):
                continue
            x.at[used] = t * p.n + v
            x.row_of[c, t * p.n + v] = used
            used += 1
            if t == p.T:
                continue
            following = p.width[t + 1]
            activation_change(change, x.base[t, v], shift, s.values[t, v, H], p.slope[t], width)
            if is_zero(change, width):
                fill(row[CHANGE_SENT], 0.0, p.D)
                fill(row[CHANGE_OWN], 0.0, p.D)
                continue
            own, told = multiply(p, s, change, t, v)
            if own:
                copy(row[CHANGE_OWN], s.scratch[PRODUCT], following)
            if told:
                copy(row[CHANGE_SENT], s.scratch[PRODUCT][following:], following)
            elif p.kind[t + 1] != DENSE:
                copy(row[CHANGE_SENT], change, width)
            due[going] = v
            going += 1
        before, side = going, 1 - side
    s.tally[EVALUATIONS] += 1
    s.tally[EVALUATION_WORK] += 1 + s.tally[WORK] - work
    return used


@leaf
def forget_deltas(x, c):
    places = x.row_of[c]
    for k in range(x.first[c], x.first[c + 1]):
        places[x.at[k]] = -1

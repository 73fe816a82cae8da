"""What single flips change in the grounding, vertex by vertex, without flipping them."""

from __future__ import annotations

import numpy as np

from ..problem import PRESENT
from ..stages import DENSE, GRAPH, MEAN, POOL, SUM
from .compile import kernel, leaf, loop
from .evaluate import gather_values, multiply, pool_values
from .interplay import CHANGE_OWN, CHANGE_SENT, GATHERED, SHIFT
from .multiply import add, copy, fill
from .propagate import list_due
from .state import EVALUATION_WORK, EVALUATIONS, OWN, SENT, WORK, H


@leaf
def weight_of(how, messages):
    """What one of so many messages counts."""
    if how == SUM:
        return 1.0
    return 1.0 / messages if messages > 0 else 0.0


@kernel
def note_base(p, s, x):
    """Pre-activations, means and degrees of the grounding."""
    for v in range(p.n):
        x.degree[v] = 0
        for k in range(p.slot_ptr[v], p.slot_ptr[v + 1]):
            x.degree[v] += s.status[k] & 1
    for t in range(1, p.T + 1):
        width = p.width[t]
        for v in range(p.active[t]):
            row, centre = x.base[t, v], x.centre[t, v]
            copy(row, s.values[t - 1, v, OWN], width)
            if p.kind[t] == DENSE:
                continue
            if p.kind[t] == POOL:
                pool_values(centre, s.values[t - 1], p.how[t], width, p.n)
            else:
                gather_values(p, s, centre, s.values[t - 1], p.how[t], width, False, v)
            add(row, centre, width)
            if p.how[t] == SUM:
                fill(centre, 0.0, width)


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
def bend_change(out, base, shift, h, slope, m):
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
    waited = s.came[v]
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


@kernel
def note_flips(p, s, x, c, pairs, used):
    """What flipping these together changes, as rows of candidate c from row `used` on; returns where they end."""
    ends = 0
    for k in range(pairs.size):
        s.seeds[ends] = p.pair_v[pairs[k]]
        s.seeds[ends + 1] = p.pair_u[pairs[k]]
        ends += 2 if p.pair_slot[pairs[k], 1] >= 0 else 1
    seeds = s.seeds[:ends]
    before, side = np.int64(0), np.int64(0)
    change = s.line[0]
    work = s.tally[WORK]
    for t in range(1, p.T + 1):
        width, kind, how = p.width[t], p.kind[t], p.how[t]
        found = s.changed[side]
        waiting = list_due(p, s, t, seeds, np.int64(0), before, side, np.int64(PRESENT))
        due = s.changed[1 - side]
        going = np.int64(0)
        for k in range(waiting):
            v = due[k]
            row = x.rows[used]
            shift, gathered = row[SHIFT], row[GATHERED]
            fill(gathered, 0.0, width)
            fill(shift, 0.0, width)
            if kind == POOL:
                for j in range(before):
                    add(gathered, x.rows[x.row_of[c, (t - 1) * p.n + found[j]], CHANGE_SENT], width)
                add_scaled(shift, gathered, weight_of(how, p.n), width)
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
            if is_zero(shift, width) and is_zero(gathered, width):
                continue
            x.at[used] = t * p.n + v
            x.row_of[c, t * p.n + v] = used
            used += 1
            if t == p.T:
                continue
            following = p.width[t + 1]
            bend_change(change, x.base[t, v], shift, s.values[t, v, H], p.slope[t], width)
            if is_zero(change, width):
                fill(row[CHANGE_SENT], 0.0, following)
                fill(row[CHANGE_OWN], 0.0, following)
                continue
            own, heard = multiply(p, s, change, t, v)
            if own:
                copy(row[CHANGE_OWN], s.line[2], following)
            if heard:
                copy(row[CHANGE_SENT], s.line[2][following:], following)
            due[going] = v
            going += 1
        before, side = going, 1 - side
    s.tally[EVALUATIONS] += 1
    s.tally[EVALUATION_WORK] += 1 + s.tally[WORK] - work
    return used


@leaf
def forget_flips(x, c):
    places = x.row_of[c]
    for k in range(x.first[c], x.first[c + 1]):
        places[x.at[k]] = -1

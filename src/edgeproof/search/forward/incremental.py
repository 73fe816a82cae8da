"""Values of the grounding, vertex by vertex, computed again only where a flip changes them.

Theory: "Rounding of the grounding".
"""

from __future__ import annotations

import numpy as np

from ...problem.layout import DENSE, GCN, MAX, MEAN, POOL, PRESENT
from ..jit.decorators import entry, kernel, leaf, loop
from ..state.curves import curve_values
from ..state.degrees import gather_normalised
from ..state.records import parts_used, who_takes_products
from ..state.rows import add, add_picked, copy, copy_record, fill, pick_nonzero
from ..state.scratch import AGGREGATE, NEW_VALUES, PRODUCT
from ..state.state import OWN, SENT, VALUE_MARK, WORK, H
from .worklist import list_due


@loop
def add_row(acc, row, how, m, count):
    if how == MAX and count > 0:
        for i in range(m):
            acc[i] = max(acc[i], row[i])
    elif count > 0:
        for i in range(m):
            acc[i] += row[i]
    else:
        for i in range(m):
            acc[i] = row[i]


@leaf
def gather_values(p, s, acc, below, how, m, first, v):
    """Aggregate what the present in-neighbours send (`first`: their raw feature rows) into acc[:m]."""
    count = np.int64(0)
    waited = s.inserted_in[v]  # inserted ones, somewhere among many that are absent
    k, split, end = p.slot_ptr[v], p.slot_split[v], p.slot_ptr[v + 1]
    while k < split or (waited > 0 and k < end):
        if s.status[k] & 1:
            waited -= k >= split
            if first:
                add_row(acc, p.raw[p.raw_at[k] : p.raw_at[k] + m], how, m, count)
            else:
                add_row(acc, below[p.slot_source[k], SENT], how, m, count)
            count += 1
        k += 1
    if count == 0:
        fill(acc, 0.0, m)
    elif how == MEAN and count > 1:
        for i in range(m):
            acc[i] /= count


@loop
def pool_values(acc, below, how, m, n):
    """The readout's aggregation: over all vertices, none of them in doubt."""
    copy(acc, below[0, SENT], m)
    for u in range(1, n):
        row = below[u, SENT]
        if how == MAX:
            for i in range(m):
                acc[i] = max(acc[i], row[i])
        else:
            for i in range(m):
                acc[i] += row[i]
    if how == MEAN:
        for i in range(m):
            acc[i] /= n


@leaf
def multiply(p, s, h, t, v):
    """What stage t + 1 takes of h at v: C h for v itself, and behind it A h for its neighbours, in the scratch
    row PRODUCT. Returns which of the two anybody asks for.
    """
    width, following = p.width[t], p.width[t + 1]
    out = s.scratch[PRODUCT]
    own, heard = who_takes_products(p, t + 1, v)
    if own or heard:
        skipped = 0 if own else following
        weight = p.both[t + 1] if own else p.AT[t + 1]
        columns = following * (own + heard)
        fill(out[skipped:], 0.0, columns)
        count = pick_nonzero(s.picked, h, width)
        add_picked(out[skipped:], weight, h, s.picked, count, columns)
    return own, heard


@leaf
def send_value(p, s, record, t, v):
    """From h_t(v), what stage t + 1 takes of it: C h + b for v itself, A h or h for its neighbours."""
    if t == p.T:
        return
    following = p.width[t + 1]
    own, heard = multiply(p, s, record[H], t, v)
    out = s.scratch[PRODUCT]
    if own:
        bias, kept = p.bias[t + 1], record[OWN]
        for i in range(following):
            kept[i] = out[i] + bias[i]
    if heard:
        copy(record[SENT], out[following:], following)
    if p.kind[t + 1] != DENSE and not p.sends_products[t + 1]:
        copy(record[SENT], record[H], p.width[t])


@loop
def bend_values(h, slope, old, width):
    """Apply the activation; returns how many values differ from the old ones."""
    differs = 0
    for i in range(width):
        h[i] = max(h[i], 0.0) + slope[i] * min(h[i], 0.0)
        differs += h[i] != old[i]
    return differs


@loop
def count_changes(h, old, width):
    """How many values differ from the old ones."""
    differs = 0
    for i in range(width):
        differs += h[i] != old[i]
    return differs


@leaf
def aggregate(p, s, h, acc, t, v):
    """From what v keeps for itself to its pre-activation, with what it gathers in `acc`."""
    below, width = s.values[t - 1], p.width[t]
    kind, how, first = p.kind[t], p.how[t], t == 1 and not p.sends_products[1]
    copy(h, below[v, OWN], width)
    if kind == DENSE:
        return
    if p.sends_products[t]:
        m = width
    elif first:
        m = p.raw_columns_ptr[v, 1] - p.raw_columns_ptr[v, 0]
    else:
        m = p.width[t - 1]
    if kind == POOL:
        pool_values(acc, below, how, m, p.n)
    elif how == GCN:
        gather_normalised(p, s, acc, below, m, v)
    else:
        gather_values(p, s, acc, below, how, m, first, v)
    add_gathered(p, s, h, acc, t, v, m)


@leaf
def add_gathered(p, s, h, acc, t, v, m):
    """Add what was gathered, as it is or times A."""
    width = p.width[t]
    if p.sends_products[t]:
        add(h, acc, width)
    elif t == 1:
        offset = p.raw_columns_ptr[v, 0]
        for j in range(m):
            if acc[j] != 0.0:
                row = p.A1T[p.raw_columns[offset + j]]
                for i in range(width):
                    h[i] += row[i] * acc[j]
    else:
        count = pick_nonzero(s.picked, acc, m)
        add_picked(h, p.AT[t], acc, s.picked, count, width)


@kernel
def evaluate_vertex(p, s, options, t, v, forced):
    """Recompute h_t(v) from stage t - 1; True if it changed (or `forced`), with the old record on the trail."""
    record = s.values[t, v]
    width = p.width[t]
    h = s.scratch[NEW_VALUES]
    if not options.reorder_cache and t > 1 and p.kind[t] != DENSE and p.sends_products[t]:
        for k in range(p.slot_ptr[v], p.slot_ptr[v + 1]):
            send_value(p, s, s.values[t - 1, p.slot_source[k]], t - 1, p.slot_source[k])
    aggregate(p, s, h, s.scratch[AGGREGATE], t, v)
    s.tally[WORK] += 1
    if p.curves[t]:
        curve_values(h, h, p.slope[t], width)
        differs = count_changes(h, record[H], width)
    else:
        differs = bend_values(h, p.slope[t], record[H], width)
    if differs == 0 and not forced:
        return False
    at = s.tally[VALUE_MARK]
    s.value_trail_at[at] = t * p.n + v
    copy_record(s.value_trail[at], record, parts_used(p, t, v))
    s.tally[VALUE_MARK] = at + 1
    copy(record[H], h, width)
    send_value(p, s, record, t, v)
    return True


@entry
def evaluate_from(p, s, options, seeds, everything):
    """Bring all values up to date after the slots into `seeds` changed."""
    forced = 1 if everything or not options.incremental_stop else 0
    before, side = np.int64(0), np.int64(0)  # typed: a literal would compile the callee once more
    for t in range(1, p.T + 1):
        waiting = list_due(p, s, t, seeds, everything, before, side, np.int64(PRESENT))
        due = s.changed[1 - side]
        before = np.int64(0)
        for k in range(waiting):
            v = due[k]
            if evaluate_vertex(p, s, options, t, v, forced):
                due[before] = v
                before += 1
        side = 1 - side

"""The box of what a vertex gathers: the sum, mean or max over its in-neighbours, whichever of them are there.

At most `cap` of its slots are flipped (state/budget.py: spendable), and each coordinate is bounded by itself. So each
takes the flips that move an end of its box most, which lists of top rows hold (state/topk.py).

What a slot sends stands in each loop again: rows that come back from a function cost a third of the loop.
"""

from __future__ import annotations

import numpy as np

from ...problem.layout import MAX, MAYBE_DELETED, MAYBE_INSERTED, MEAN, PRESENT
from ..jit.decorators import loop, part
from ..state.rows import copy, fill
from ..state.state import SENT_HIGH, SENT_LOW
from ..state.topk import DELETED_HIGH, DELETED_LOW, INSERTED_HIGH, INSERTED_LOW, insert_top

# under a sum, deletions and insertions are ranked together: by what a flip takes from the low end or adds to the high
LESS, MORE = 0, 1


@part
def is_silent(state, cap):
    """Whether nothing is ever heard through a slot."""
    return state == 0 or (state == MAYBE_INSERTED and cap == 0)


@loop
def gather_sum(low, high, m, below, source, status, raw, raw_at, first, start, end, cap, every, top, x):
    """Present ones, plus the `cap` best gains (all positive ones if `every` undecided slot may flip).

    Theory: "Interval of a sum".
    """
    fill(low, 0.0, m)
    fill(high, 0.0, m)
    ranks = 0 if every else cap
    for k in range(ranks):
        fill(top[LESS, k], 0.0, m)
        fill(top[MORE, k], 0.0, m)
    for s in range(start, end):
        state = status[s]
        if is_silent(state, cap):
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
            insert_top(top[LESS], ranks, m, bottom, 1.0, x)
            insert_top(top[MORE], ranks, m, above, -1.0, x)
        else:
            insert_top(top[LESS], ranks, m, bottom, -1.0, x)
            insert_top(top[MORE], ranks, m, above, 1.0, x)
    for k in range(ranks):
        less, more = top[LESS, k], top[MORE, k]
        for i in range(m):
            low[i] -= less[i]
            high[i] += more[i]


@loop
def gather_mean(low, high, m, below, source, status, raw, raw_at, first, start, end, cap, top, x):
    """The best over all numbers i of deletions and j of insertions with i + j <= cap. For each (i, j) the flips that
    move the sum most are the first in rank.

    Theory: "Interval of a mean".
    """
    # ranks fill rows 0 .. cap - 1 of `top`, which has two rows more: here they hold sums
    sum_low, sum_high = top[DELETED_LOW, cap + 1], top[DELETED_HIGH, cap + 1]
    fill(sum_low, 0.0, m)
    fill(sum_high, 0.0, m)
    for side in range(4):
        for k in range(cap):
            fill(top[side, k], -np.inf, m)
    present, deletable, insertable = 0, 0, 0
    for s in range(start, end):
        state = status[s]
        if is_silent(state, cap):
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
            insert_top(top[DELETED_LOW], held, m, bottom, 1.0, x)
            insert_top(top[DELETED_HIGH], held, m, above, -1.0, x)
        elif cap > 0 and state == MAYBE_INSERTED:
            insertable += 1
            held = min(cap, insertable)
            insert_top(top[INSERTED_LOW], held, m, bottom, -1.0, x)
            insert_top(top[INSERTED_HIGH], held, m, above, 1.0, x)
    fill(low, np.inf, m)
    fill(high, -np.inf, m)
    for i in range(min(cap, deletable) + 1):
        if i > 0:
            less, more = top[DELETED_LOW, i - 1], top[DELETED_HIGH, i - 1]
            for k in range(m):
                sum_low[k] -= less[k]
                sum_high[k] += more[k]
        # the sums after i deletions, to which insertions are added
        with_low, with_high = top[INSERTED_LOW, cap + 1], top[INSERTED_HIGH, cap + 1]
        copy(with_low, sum_low, m)
        copy(with_high, sum_high, m)
        for j in range(min(cap - i, insertable) + 1):
            if j > 0:
                less, more = top[INSERTED_LOW, j - 1], top[INSERTED_HIGH, j - 1]
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
    lowest = top[DELETED_HIGH, 0]
    fill(lowest, 0.0, m)
    for k in range(cap + 1):
        fill(top[DELETED_LOW, k], -np.inf, m)
    decided, deletable = 0, 0
    for s in range(start, end):
        state = status[s]
        if is_silent(state, cap):
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
            insert_top(top[DELETED_LOW], min(cap + 1, deletable), m, bottom, 1.0, x)
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
        kept = top[DELETED_LOW, cap]
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

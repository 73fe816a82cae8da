"""Interval bounds of a GCN aggregation: of flips at the vertex, and of flips that change its senders' degrees.

With d the in-degree of v, what it hears is  s_v / d + (sum of s_u / sqrt(deg u)) / sqrt(d).  Flips at v change d and
who is in the sum; for a given number of each kind the best choice is by rank, as for a mean. The flips that are left
can change the degrees of senders. 1 / sqrt is convex, so m of up to M deletions at u add no more than m / M of what M
deletions add, and m insertions take no more than m times what the first one takes: flips at senders are ranked too,
each by that share. An undirected flip changes two degrees.

Theory: "Interval of a GCN aggregation", "Normalised sums without the vertex itself".
"""

from __future__ import annotations

import numpy as np

from ...problem.layout import MAYBE_DELETED, MAYBE_INSERTED
from ..jit.decorators import kernel
from ..state.degrees import degrees_of_inserted, flips_left, movable_degree
from ..state.rows import copy, fill
from ..state.scratch import DEGREE_GAIN, INSERTED_GAIN, INSERTING
from ..state.state import DEGREE_RANKS, SENT_HIGH, SENT_LOW
from ..state.topk import insert_top

# lists of `top`: deletions and insertions at the vertex, by what they add; and two single rows
GOING, COMING, TOTAL, WITH_MORE = 0, 1, 2, 3


@kernel
def insert_degree_gains(p, s, options, row, m, u, sign, open_edge, left):
    """Rank what flips at the present sender u add to sign * (what v hears); `row` is the end of its box that counts."""
    ranks = min(left * (1 + p.charge_u), DEGREE_RANKS)
    down, up = movable_degree(p, s, options, u, open_edge, left)
    degree, gain, total = s.degree[u], s.scratch[DEGREE_GAIN], s.degree_top[DEGREE_RANKS + 1]
    for way in range(2):
        flips = down if way == 0 else up
        if flips <= 0:
            continue
        if way == 0:
            share = sign * (p.root[degree - flips] - p.root[degree]) / flips
        else:
            share = sign * (p.root[degree + 1] - p.root[degree])
        for i in range(m):
            gain[i] = max(share * row[i], 0.0)
            total[i] += flips * gain[i]
        for _ in range(min(flips, ranks)):
            insert_top(s.degree_top, ranks, m, gain, 1.0, s.scratch[INSERTING])


@kernel
def sum_degree_gains(s, m):
    """From ranks to sums: row k becomes what the k best flips amount to."""
    for k in range(DEGREE_RANKS, 0, -1):
        copy(s.degree_top[k], s.degree_top[k - 1], m)
    fill(s.degree_top[0], 0.0, m)
    for k in range(2, DEGREE_RANKS + 1):
        row, before = s.degree_top[k], s.degree_top[k - 1]
        for i in range(m):
            row[i] += before[i]


@kernel
def gather_gcn(p, s, options, best, m, below, v, cap, side):
    """The upper end (side 1), or minus the lower end (side 0), of what v hears: the best of all splits into i
    deletions and j insertions at v, i + j <= cap, and the rest of the flips at senders.
    """
    sign, end = (1.0, SENT_HIGH) if side else (-1.0, SENT_LOW)
    left = flips_left(s, options)
    going, coming, total, with_more = s.top[GOING], s.top[COMING], s.top[TOTAL, 0], s.top[WITH_MORE, 0]
    fill(total, 0.0, m)
    for k in range(cap):
        fill(going[k], -np.inf, m)
        fill(coming[k], -np.inf, m)
    for k in range(DEGREE_RANKS + 2):
        fill(s.degree_top[k], 0.0, m)
    inserted, x = s.scratch[INSERTED_GAIN], s.scratch[INSERTING]
    deletable, insertable = 0, 0
    for k in range(p.slot_ptr[v], p.slot_ptr[v + 1]):
        state = s.status[k]
        u = p.slot_source[k]
        if state == 0 or u == v or (state == MAYBE_INSERTED and cap == 0):
            continue
        row = below[u, end]
        if state & 1:
            weight = sign * p.root[s.degree[u]]
            for i in range(m):
                total[i] += weight * row[i]
            if left > 0:
                insert_degree_gains(p, s, options, row, m, u, sign, np.int64(state == MAYBE_DELETED), left)
            if state == MAYBE_DELETED and cap > 0:
                deletable += 1
                insert_top(going, min(cap, deletable), m, row, -weight, x)
        else:
            insertable += 1
            least, most = degrees_of_inserted(p, s, options, u, left)
            strong, weak = sign * p.root[least], sign * p.root[most]
            for i in range(m):
                inserted[i] = max(strong * row[i], weak * row[i])
            insert_top(coming, min(cap, insertable), m, inserted, 1.0, x)
    sum_degree_gains(s, m)
    fill(best, -np.inf, m)
    own, mine = below[v, end], sign * p.counts_itself
    for i in range(min(cap, deletable) + 1):
        if i > 0:
            more = going[i - 1]
            for k in range(m):
                total[k] += more[k]
        copy(with_more, total, m)
        for j in range(min(cap - i, insertable) + 1):
            if j > 0:
                more = coming[j - 1]
                for k in range(m):
                    with_more[k] += more[k]
            here = p.root[s.degree[v] - i + j]
            more = s.degree_top[min((left - i - j) * (1 + p.charge_u), DEGREE_RANKS + 1)]
            for k in range(m):
                best[k] = max(best[k], here * (with_more[k] + more[k] + mine * here * own[k]))

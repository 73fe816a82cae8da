"""All single flips from where one stands, exactly (up to rounding): the best are offered as candidates.

Flips at the node and at its in-neighbours are gone through one by one; each takes a row of H numbers a neighbour. A
flip elsewhere matters under GCN only, and by the degree of its ends only: one partner stands for all.

Theory: "Pass over single flips".
"""

from __future__ import annotations

import numpy as np

from ..jit.decorators import entry, kernel, leaf
from .charges import two_ways
from .layout import DELETE, GCN, INSERT, NEVER, PASSES, STOP, Pass, Star
from .reach import slopes, steps
from .stand import (
    alpha,
    beta,
    combine,
    flip,
    is_edge,
    kind_of,
    list_in,
    margins,
    pre_activation,
    row_kinds,
    sigma,
    take_back,
    weigh,
)


def make_pass(star: Star, near: int, kept: int) -> Pass:
    """`near`: in-neighbours that the node can have; `kept`: how many candidates are remembered."""
    n, H, R = star.n, star.H, star.R
    return Pass(
        value=np.zeros(kept), pair=np.zeros((2, kept), dtype=np.int64), held=np.zeros(2, dtype=np.int64),
        z=np.zeros((near, H)), term=np.zeros((near, R)), after=np.zeros((near, R)),
        second=np.full(n, -1, dtype=np.int64), seconds=np.zeros(n, dtype=np.int64), reach=np.zeros(n),
        mend=np.zeros((n, R)), near=np.zeros(n + 1, dtype=np.int64), around=np.zeros(n + 1, dtype=np.int64),
        heart=np.zeros((R, H)), line=np.zeros((4, H)), sums=np.zeros((4, R)),
    )  # fmt: skip


@leaf
def offer(p, value, x, y):
    """Keep a flip if it is among the best; without order, the worst goes."""
    m, at = p.held[0], p.held[1]
    if m < p.value.size:
        at = m
        p.held[0] = m + 1
    elif value <= p.value[at]:
        return
    p.value[at], p.pair[0, at], p.pair[1, at] = value, x, y
    if p.held[0] == p.value.size:
        worst = 0
        for k in range(1, p.value.size):
            if p.value[k] < p.value[worst]:
                worst = k
        p.held[1] = worst


@leaf
def highest(row, count):
    best = row[0]
    for r in range(1, count):
        best = max(best, row[r])
    return best


@kernel
def try_flip(t, s, p, x, y):
    """Flip, evaluate, take back."""
    flip(t, s, x, y)
    margins(t, s, s.value)
    take_back(t, s)
    offer(p, highest(s.value, t.R), x, y)


@kernel
def survey(t, s, p):
    """In-neighbours of the node, what they add, and theirs; how many of the first and of the second."""
    v, m, count = t.node, np.int64(0), np.int64(0)
    m = list_in(t, s, v, p.near)
    scale = alpha(t.last, s.heard[v], s.loop[v])
    for j in range(m):
        s.place[p.near[j]] = j
    for j in range(m):
        w = p.near[j]
        pre_activation(t, s, w, p.z[j])
        for r in range(t.R):
            p.term[j, r] = 0.0
        weigh(p.term[j], t.take, p.z[j], t.slope, scale * beta(t.last, s.heard[w]), t.R, t.H)
        around = list_in(t, s, w, p.around)
        for e in range(around):
            x = p.around[e]
            if x == v:
                continue
            if p.second[x] < 0:
                p.second[x] = count
                p.seconds[count] = x
                p.reach[count] = 0.0
                for r in range(t.R):
                    p.mend[count, r] = 0.0
                count += 1
    return m, count


@kernel
def reach_of_degrees(t, s, p, m, count):
    """reach: how much one change of its degree can add to a margin, by slopes where another change may come beside it
    (undirected GCN).
    """
    scale = alpha(t.last, s.heard[t.node], s.loop[t.node])
    turn, low, high = p.line[0], p.line[1], p.line[2]
    for j in range(m):
        w = p.near[j]
        share = alpha(t.first, s.heard[w], s.loop[w])
        around = list_in(t, s, w, p.around)
        for i in range(t.H):
            turn[i] = 0.0
        for e in range(around):
            fall, rise = steps(t.first, s.heard[p.around[e]], np.int64(1), np.int64(1))
            for i in range(t.H):
                turn[i] = max(turn[i], max(fall, rise) * abs(t.sent[p.around[e], i]))
        for i in range(t.H):
            radius = 2.0 * share * turn[i]
            low[i], high[i] = slopes(p.z[j, i] - radius, p.z[j, i] + radius, t.slope[i])
        factor = scale * beta(t.last, s.heard[w]) * share
        for e in range(around):
            x = p.around[e]
            if x == t.node:
                continue
            fall, rise = steps(t.first, s.heard[x], np.int64(1), np.int64(1))
            for r in range(t.R):
                up, down = two_ways(t.take[r], t.sent[x], low, high, t.H)
                p.mend[p.second[x], r] += factor * max(fall * down, rise * up, 0.0)
    for k in range(count):
        p.reach[k] = highest(p.mend[k], t.R)
        for r in range(t.R):
            p.mend[k, r] = 0.0


@kernel
def forget(t, s, p, m, count):
    for j in range(m):
        s.place[p.near[j]] = -1
    for k in range(count):
        p.second[p.seconds[k]] = -1


@kernel
def weigh_node(t, s, p, count, z):
    """Weights of the node's own row when it hears `count`, and what they make of z, with the constants."""
    kept = alpha(t.last, count, s.loop[t.node]) * sigma(t.last, count, s.loop[t.node])
    for r in range(t.R):
        for i in range(t.H):
            p.heart[r, i] = t.keep[r, i] + kept * t.take[r, i]
        p.sums[0, r] = t.const[r]
    weigh(p.sums[0], p.heart, z, t.slope, 1.0, t.R, t.H)


@kernel
def mend_newcomers(t, s, p, m, scale, shift):
    """What in-neighbours add once the node hears one more, and how the degree of a newcomer that they hear changes
    it (undirected GCN). shift: the change of what the node's own messages are multiplied with.
    """
    v, row, other = t.node, p.line[0], p.line[1]
    for j in range(m):
        w = p.near[j]
        share = alpha(t.first, s.heard[w], s.loop[w])
        moved = share * shift if is_edge(t, s, v, w) else 0.0
        for i in range(t.H):
            row[i] = p.z[j, i] + moved * t.sent[v, i]
        factor = scale * beta(t.last, s.heard[w])
        for r in range(t.R):
            p.after[j, r] = 0.0
        weigh(p.after[j], t.take, row, t.slope, factor, t.R, t.H)
        if t.first != GCN or t.directed:
            continue
        around = list_in(t, s, w, p.around)
        for e in range(around):
            x = p.around[e]
            if x == v or s.place[x] >= 0:
                continue
            k = p.second[x]
            change = share * (beta(t.first, s.heard[x] + 1) - beta(t.first, s.heard[x]))
            for i in range(t.H):
                other[i] = row[i] + change * t.sent[x, i]
            for r in range(t.R):
                p.sums[1, r] = 0.0
            weigh(p.sums[1], t.take, other, t.slope, factor, t.R, t.H)
            for r in range(t.R):
                p.mend[k, r] += p.sums[1, r] - p.after[j, r]


@kernel
def newcomer_row(t, s, u, count, out):
    """The pre-activation of u once it is an in-neighbour of the node, which then hears `count`."""
    v, both = t.node, not t.directed
    heard = s.heard[u] + both
    there = is_edge(t, s, v, u)  # in a directed graph
    more = beta(t.first, count) if both and not there else 0.0
    if there:
        more = beta(t.first, count) - beta(t.first, s.heard[v])
    scale, kept = alpha(t.first, heard, s.loop[u]), sigma(t.first, heard, s.loop[u])
    combine(out, t.own[u], s.gathered[u], t.sent[u], scale, kept, t.H)
    for i in range(t.H):
        out[i] += scale * more * t.sent[v, i]


@kernel
def pass_newcomers(t, s, p, m):
    """Insertions at the node."""
    v, z, row = t.node, p.line[2], p.line[3]
    count = s.heard[v] + 1
    scale = alpha(t.last, count, s.loop[v])
    mend_newcomers(t, s, p, m, scale, beta(t.first, count) - beta(t.first, s.heard[v]))
    for r in range(t.R):
        p.sums[2, r] = 0.0
        for j in range(m):
            p.sums[2, r] += p.after[j, r]
    own_scale, own_kept = alpha(t.first, count, s.loop[v]), sigma(t.first, count, s.loop[v])
    combine(z, t.own[v], s.gathered[v], t.sent[v], own_scale, own_kept, t.H)
    weigh_node(t, s, p, count, z)
    row_kinds(t, s, v)
    for u in range(t.n):
        if s.tally[STOP]:
            return
        if u == v or s.place[u] >= 0 or s.kinds[u] != INSERT:
            continue
        heard = s.heard[u] + (not t.directed)
        total, factor = s.value, own_scale * beta(t.first, heard)
        for i in range(t.H):
            row[i] = z[i] + factor * t.sent[u, i]
        for r in range(t.R):
            total[r] = t.const[r] + p.sums[2, r]
        weigh(total, p.heart, row, t.slope, 1.0, t.R, t.H)
        newcomer_row(t, s, np.int64(u), count, row)
        weigh(total, t.take, row, t.slope, scale * beta(t.last, heard), t.R, t.H)
        k = p.second[u]
        if k >= 0:
            for r in range(t.R):
                total[r] += p.mend[k, r]
        offer(p, highest(total, t.R), np.int64(u), v)


@kernel
def others_after(t, s, p, m, j, sign, out):
    """Margins without what in-neighbour number j adds, once it hears one more or one less."""
    v, w, row = t.node, p.near[j], p.line[0]
    change = 0.0
    if t.first == GCN:
        change = beta(t.first, s.heard[w] + sign) - beta(t.first, s.heard[w])
    pre_activation(t, s, v, row)
    scale = alpha(t.first, s.heard[v], s.loop[v])
    for i in range(t.H):
        row[i] += scale * change * t.sent[w, i]
    weigh_node(t, s, p, s.heard[v], row)
    for r in range(t.R):
        out[r] = p.sums[0, r]
    for k in range(m):
        x = p.near[k]
        if k == j:
            continue
        if change == 0.0 or not is_edge(t, s, w, x):
            for r in range(t.R):
                out[r] += p.term[k, r]
            continue
        share = change * alpha(t.first, s.heard[x], s.loop[x])
        for i in range(t.H):
            row[i] = p.z[k, i] + share * t.sent[w, i]
        factor = alpha(t.last, s.heard[v], s.loop[v]) * beta(t.last, s.heard[x])
        weigh(out, t.take, row, t.slope, factor, t.R, t.H)


@kernel
def pass_neighbour(t, s, p, m, j, sign, floor):
    """Flips of one sign into in-neighbour number j; those whose other end matters too are evaluated one by one, where
    what that can change leaves them above `floor`.
    """
    v, w, row = t.node, p.near[j], p.line[1]
    both = not t.directed
    count = s.heard[w] + sign
    if count < 0:
        return
    others_after(t, s, p, m, j, sign, p.sums[1])
    own_scale, own_kept = alpha(t.first, count, s.loop[w]), sigma(t.first, count, s.loop[w])
    z = p.line[2]
    combine(z, t.own[w], s.gathered[w], t.sent[w], own_scale, own_kept, t.H)
    factor = alpha(t.last, s.heard[v], s.loop[v]) * beta(t.last, count)
    wanted = INSERT if sign > 0 else DELETE
    many = t.n if sign > 0 else list_in(t, s, w, p.around)
    row_kinds(t, s, w)
    for e in range(many):
        x = np.int64(e) if sign > 0 else p.around[e]
        if s.tally[STOP]:
            return
        if s.kinds[x] != wanted or x == w or (both and (x == v or s.place[x] >= 0)):
            continue
        sender = beta(t.first, s.heard[x] + (sign if both else 0)) if sign > 0 else -beta(t.first, s.heard[x])
        change = own_scale * sender
        for i in range(t.H):
            row[i] = z[i] + change * t.sent[x, i]
        for r in range(t.R):
            s.value[r] = p.sums[1, r]
        weigh(s.value, t.take, row, t.slope, factor, t.R, t.H)
        best, k = highest(s.value, t.R), p.second[x]
        if both and t.first == GCN and k >= 0:
            if best + p.reach[k] > floor:
                try_flip(t, s, p, x, w)
        else:
            offer(p, best, x, w)


@kernel
def bound_inside(t, s, p, j, k, sign, z, scale, own_scale):
    """Most that a flip between in-neighbours number j and k makes of a margin: their rows and the node's as they are
    then, and what their degrees can add where others hear them. z: the node's pre-activation, its weights in p.heart.
    """
    row, total, beside = p.line[1], s.value, 0.0
    for r in range(t.R):
        total[r] = p.sums[3, r] - p.term[j, r] - p.term[k, r]
    for turn in range(2):
        y, x = (p.near[j], p.near[k]) if turn == 0 else (p.near[k], p.near[j])
        count = s.heard[y] + sign
        share, kept = alpha(t.first, count, s.loop[y]), sigma(t.first, count, s.loop[y])
        combine(row, t.own[y], s.gathered[y], t.sent[y], share, kept, t.H)
        message = share * (beta(t.first, s.heard[x] + 1) if sign > 0 else -beta(t.first, s.heard[x]))
        for i in range(t.H):
            row[i] += message * t.sent[x, i]
        weigh(total, t.take, row, t.slope, scale * beta(t.last, count), t.R, t.H)
        if t.first == GCN and p.second[y] >= 0:
            beside += p.reach[p.second[y]]
    if t.first == GCN:
        w, x = p.near[j], p.near[k]
        one = own_scale * (beta(t.first, s.heard[w] + sign) - beta(t.first, s.heard[w]))
        other = own_scale * (beta(t.first, s.heard[x] + sign) - beta(t.first, s.heard[x]))
        for i in range(t.H):
            row[i] = z[i] + one * t.sent[w, i] + other * t.sent[x, i]
        weigh(total, p.heart, row, t.slope, 1.0, t.R, t.H)
        for r in range(t.R):
            total[r] += t.const[r] - p.sums[0, r]
    return highest(total, t.R) + beside


@kernel
def pass_inside(t, s, p, m, floor):
    """Flips between two in-neighbours, which an undirected pair joins both ways, and of their self-loops. Those that
    their bound leaves at or below `floor` are evaluated only if they may be among the best.
    """
    v, z = t.node, p.line[2]
    scale, own_scale = alpha(t.last, s.heard[v], s.loop[v]), alpha(t.first, s.heard[v], s.loop[v])
    pre_activation(t, s, v, z)
    weigh_node(t, s, p, s.heard[v], z)
    for j in range(m):
        w = p.near[j]
        if kind_of(t, s, w, w) == DELETE:
            try_flip(t, s, p, w, w)
        if t.directed:
            continue
        for k in range(j):
            if s.tally[STOP]:
                return
            kind = kind_of(t, s, p.near[k], w)
            if kind == NEVER:
                continue
            sign = np.int64(1) if kind == INSERT else np.int64(-1)
            most = bound_inside(t, s, p, np.int64(j), np.int64(k), sign, z, scale, own_scale)
            is_full = p.held[0] == p.value.size
            if most > floor or (is_full and most > p.value[p.held[1]]):
                try_flip(t, s, p, p.near[k], w)


@kernel
def try_partner(t, s, p, x, wanted):
    """One flip at x whose other end does not matter, if there is any."""
    many = t.n if wanted == INSERT else list_in(t, s, x, p.around)
    for e in range(many):
        y = np.int64(e) if wanted == INSERT else p.around[e]
        if y == x or (not t.directed and (y == t.node or s.place[y] >= 0 or p.second[y] >= 0)):
            continue
        if kind_of(t, s, y, x) == wanted:
            try_flip(t, s, p, y, x)
            return


@kernel
def pass_elsewhere(t, s, p, count, here, floor):
    """Under GCN, flips that change degrees at distance two."""
    most = 0.0
    for k in range(count):
        most = max(most, p.reach[k])
    for k in range(count):
        x = p.seconds[k]
        if s.tally[STOP]:
            return
        if s.place[x] >= 0:
            continue
        if t.directed or here + p.reach[k] > floor:
            try_partner(t, s, p, x, np.int64(INSERT))
            try_partner(t, s, p, x, np.int64(DELETE))
        if t.directed or here + p.reach[k] + most <= floor:
            continue
        for e in range(k):
            y = p.seconds[e]
            if s.place[y] < 0 and here + p.reach[k] + p.reach[e] > floor and kind_of(t, s, y, x) != NEVER:
                try_flip(t, s, p, y, x)


@entry
def pass_single_flips(t, s, p, floor):
    """Offer all single flips; those that stay at or below `floor` may be left out. Returns the margin as it is."""
    v = t.node
    p.held[0] = 0
    s.tally[PASSES] += 1
    margins(t, s, p.sums[3])
    here = highest(p.sums[3], t.R)
    m, count = survey(t, s, p)
    if t.first == GCN and not t.directed:
        reach_of_degrees(t, s, p, m, count)
    if s.spare[v] > 0:
        pass_newcomers(t, s, p, m)
        for j in range(m):
            if s.tally[STOP]:
                break
            if kind_of(t, s, p.near[j], v) == DELETE:
                try_flip(t, s, p, p.near[j], v)
        if kind_of(t, s, v, v) == DELETE:
            try_flip(t, s, p, v, v)
    if t.insert & 1 or t.delete == 1:
        for j in range(m):
            if t.insert & 1:
                pass_neighbour(t, s, p, m, np.int64(j), np.int64(1), floor)
            if t.delete == 1:
                pass_neighbour(t, s, p, m, np.int64(j), np.int64(-1), floor)
        pass_inside(t, s, p, m, floor)
        if t.first == GCN:
            pass_elsewhere(t, s, p, count, here, floor)
    forget(t, s, p, m, count)
    return here

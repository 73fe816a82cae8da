"""value[s, o, u]: the most that a vertex u adds to the margin once it is an in-neighbour of the node, with s flips of
its own with any vertex and o with in-neighbours of the node, for all u at once.

Without flips of its own it is exact but for degrees around it. With some, every coordinate takes what insertions
anywhere and deletions at u can add to it at most.

Theory: "Newcomers".
"""

from __future__ import annotations

import numpy as np

from ..jit.decorators import kernel
from .charges import two_ways
from .layout import GCN, INSERT, NEVER_WORTH, STOP
from .neighbours import bend, best_items, items_at
from .reach import line_slopes, most_changes, slopes, steps
from .stand import alpha, beta, is_edge, list_in, row_kinds


@kernel
def share_lines(t, p, g, near, r):
    """Lines 11 and 12: slopes of the node's own row, for what flips at the node add to it."""
    for j in range(t.H):
        z = g.z[near, j]
        low, high = g.low[near, j] - z, g.high[near, j] - z
        g.line[11, j], g.line[12, j] = line_slopes(p.heart[r, j], z, min(low, 0.0), max(high, 0.0), t.slope[j])


@kernel
def share(t, p, g, r, x, factor):
    """Most that the message of x, times this, adds by the node's own row."""
    up, down = two_ways(p.heart[r], t.sent[x], g.line[11], g.line[12], t.H)
    return factor * up if factor > 0.0 else -factor * down


@kernel
def fill_gone(t, s, p, g, near, r, i, k, m):
    """What deleting an in-neighbour adds."""
    scale = alpha(t.first, s.heard[t.node] + i - k, s.loop[t.node])
    for at in range(near):
        w = p.near[at]
        g.gone[at] = share(t, p, g, r, w, -scale * beta(t.first, s.heard[w])) - g.term[at]
        if not t.directed:
            g.gone[at] += g.less[w]


@kernel
def base_of(t, s, u, a, c, both, change, out):
    """Pre-activation of a newcomer whose own flips insert a and delete c messages that are not counted."""
    count = s.heard[u] + both + a - c
    scale = alpha(t.first, count, s.loop[u])
    kept = 1.0 / (count + 1.0) ** 0.5 if t.first == GCN else 1.0 * s.loop[u]
    own, gathered, sent, other = t.own[u], s.gathered[u], t.sent[u], t.sent[t.node]
    for j in range(t.H):
        out[j] = own[j] + scale * (gathered[j] + kept * sent[j] + change * other[j])
    return scale


@kernel
def turns_around(t, s, p, g, u, r, row, comes, goes):
    """The two largest gains of a change of degree among the senders that u hears, at factor 1; lines 2 and 3 hold
    the slopes that can occur.
    """
    first, second, count = 0.0, 0.0, list_in(t, s, u, p.around)
    for e in range(count):
        x = p.around[e]
        if x == t.node:
            continue
        fall, rise = steps(t.first, s.heard[x], comes, goes)
        up, down = two_ways(row, t.sent[x], g.line[2], g.line[3], t.H)
        gain = max(fall * down, rise * up)
        if gain > first:
            first, second = gain, first
        elif gain > second:
            second = gain
    return first, second


@kernel
def fill_turn_lines(t, s, p, g, u, joins, cuts, turns, comes, goes, both, change):
    """Lines 8, 9 and 10: what one deletion adds to what u gathers and takes from it, and what a change of degree
    does; lines 2 and 3: slopes of u wherever flips elsewhere and its own can bring it.
    """
    lift, drop, turn, row = g.line[8], g.line[9], g.line[10], g.line[0]
    m, deletes = joins + cuts, cuts > 0
    for j in range(t.H):
        lift[j], drop[j], turn[j] = 0.0, 0.0, 0.0
    count = list_in(t, s, u, p.around)
    for e in range(count):
        x = p.around[e]
        here, sent = beta(t.first, s.heard[x]), t.sent[x]
        fall, rise = steps(t.first, s.heard[x], comes, goes)
        most = max(fall, rise) if x != t.node else 0.0
        here = 1.0 if x == t.node and t.first == GCN else here
        for j in range(t.H):
            if deletes:
                lift[j], drop[j] = max(lift[j], -here * sent[j]), max(drop[j], here * sent[j])
            turn[j] = max(turn[j], most * abs(sent[j]))
    if deletes and s.loop[u] and t.first != GCN:
        for j in range(t.H):
            lift[j], drop[j] = max(lift[j], -t.sent[u, j]), max(drop[j], t.sent[u, j])
    for j in range(t.H):
        g.line[6, j], g.line[7, j] = 1e300, -1e300
    for a in range(joins + 1):
        for c in range(cuts + 1):
            if c > s.heard[u] + s.loop[u]:
                continue
            scale = base_of(t, s, u, a, c, both, change, row)
            for j in range(t.H):
                up = g.rise[a, j] + c * lift[j] + g.inside[m, j] + turns * turn[j]
                down = g.fall[a, j] + c * drop[j] + g.inside[m, j] + turns * turn[j]
                g.line[6, j] = min(g.line[6, j], row[j] - scale * down)
                g.line[7, j] = max(g.line[7, j], row[j] + scale * up)
    for j in range(t.H):
        g.line[2, j], g.line[3, j] = slopes(g.line[6, j], g.line[7, j], t.slope[j])


@kernel
def boxed(t, g, r, scale, s_flips, o_flips, inserts, deletes):
    """Most of take . act over what these flips reach from line 0, coordinate by coordinate; whether some of them insert
    and some delete.
    """
    row, z, total = t.take[r], g.line[0], 0.0
    for j in range(t.H):
        up, down = g.inside[o_flips, j], g.inside[o_flips, j]
        for rank in range(1, s_flips + 1):
            rise, fall = 0.0, 0.0
            if inserts:
                rise, fall = g.rise[rank, j] - g.rise[rank - 1, j], g.fall[rank, j] - g.fall[rank - 1, j]
            up += max(rise, g.line[8, j]) if deletes else rise
            down += max(fall, g.line[9, j]) if deletes else fall
        low, high = z[j] - scale * down, z[j] + scale * up
        low, high = max(low, 0.0) + t.slope[j] * min(low, 0.0), max(high, 0.0) + t.slope[j] * min(high, 0.0)
        total += max(row[j] * low, row[j] * high)
    return total


@kernel
def go_through(t, s, p, g, u, r, comes, goes, a, c, count, scale, factor):
    """The items of a newcomer with these flips of its own, into g.top; line 0: u without their messages. Returns what u
    adds without them.
    """
    for j in range(t.H):
        z, slope = g.line[0, j], t.slope[j]
        up, down = scale * (g.rise[a, j] + c * g.line[8, j]), scale * (g.fall[a, j] + c * g.line[9, j])
        g.line[4, j], g.line[5, j] = line_slopes(t.take[r, j], z, -down, up, slope)
        g.line[6, j], g.line[7, j] = g.line[2, j], g.line[3, j]
    every = np.int64(0)
    items_at(t, s, p, g, u, r, a, c, count, scale, factor, comes - a, goes - c, a + c == 1, every)
    return factor * bend(t.take[r], g.line[0], t.sent[u], 0.0, t.slope, t.H)


@kernel
def fill_newcomer(t, s, p, g, near, r, i, k, joins, cuts, u, top_charge, exact):
    """All values of one newcomer; `exact`: one flip of its own is gone through vertex by vertex."""
    v, both, m = t.node, 0 if t.directed else 1, joins + cuts
    count = s.heard[v] + i - k
    last, first = alpha(t.last, count, s.loop[v]), alpha(t.first, count, s.loop[v])
    heard = s.heard[u] + both
    there = is_edge(t, s, v, u)
    change = 0.0
    if both and not there:
        change = beta(t.first, count)
    elif there:
        change = beta(t.first, count) - beta(t.first, s.heard[v])
    turns = 0
    if t.first == GCN:
        turns = m if t.directed else 2 * m + i + k - 1
    own = m if s.spare[u] - both >= m else max(s.spare[u] - both, 0)
    comes, goes = most_changes(t, i - 1, k, joins, cuts)
    one, two = 0.0, 0.0
    if turns > 0 or own > 0:
        fill_turn_lines(t, s, p, g, u, joins, cuts, turns, comes, goes, both, change)
        if turns > 0:
            one, two = turns_around(t, s, p, g, u, r, t.take[r], comes, goes)
    for flips in range(own + 1):
        rest = m - flips
        extra = rest * one if t.directed else rest * (one + two) + (i + k - 1) * one
        for o in range((flips if both else 0) + 1):
            g.value[flips - o, o, u] = NEVER_WORTH
        for c in range(max(flips - joins, 0), min(flips, cuts) + 1):
            a = flips - c
            if c > s.heard[u] + s.loop[u]:
                continue
            scale = base_of(t, s, u, a, c, both, change, g.line[0])
            factor = last * beta(t.last, heard + a - c)
            start = share(t, p, g, r, u, first * beta(t.first, heard + a - c)) + factor * scale * max(extra, 0.0)
            start += g.more[u] if both else 0.0
            alone, most = 0.0, 0.0
            if flips > 0 and c == 0:
                most = factor * bend(t.take[r], g.line[0], t.sent[u], 0.0, t.slope, t.H)
                for rank in range(min(a, t.n)):
                    most += factor * scale * g.key[r, rank]
            if exact and flips > 0:
                alone = go_through(t, s, p, g, u, r, comes, goes, np.int64(a), np.int64(c), count, scale, factor)
            for o in range((flips if both else 0) + 1):
                gain = factor * boxed(t, g, r, scale, flips - o, o, a > 0, c > 0)
                if flips > 0 and c == 0:
                    gain = min(gain, most)
                gain += a * g.more[u] + c * g.less[u] + (flips - o) * top_charge
                if exact and flips > 0:
                    gain = min(gain, alone + best_items(g, a, c, o))
                g.value[flips - o, o, u] = max(g.value[flips - o, o, u], start + gain)


@kernel
def fill_newcomers(t, s, p, g, near, r, i, k, joins, cuts, top_charge):
    """value of every vertex that may come; NEVER_WORTH for the others."""
    v, m = t.node, joins + cuts
    for one in range(m + 1):
        for other in range(m + 1 - one):
            for u in range(t.n):
                g.value[one, other, u] = NEVER_WORTH
    if i == 0:
        return
    row_kinds(t, s, v)
    for u in range(t.n):
        if u != v and s.place[u] < 0 and g.banned[u] == 0 and s.kinds[u] == INSERT:
            fill_newcomer(t, s, p, g, near, r, i, k, joins, cuts, np.int64(u), top_charge, np.int64(0))


@kernel
def refine_newcomers(t, s, p, g, near, r, i, k, joins, cuts, top_charge, floor):
    """Go through the own flips of those that may bring an attack above `floor` by them; how many there were."""
    refined = 0
    for u in range(t.n):
        if g.busy[u] > floor and s.tally[STOP] == 0:
            fill_newcomer(t, s, p, g, near, r, i, k, joins, cuts, np.int64(u), top_charge, np.int64(1))
            refined += 1
    return refined

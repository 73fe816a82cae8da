"""What changes of degree add to a margin under GCN, a vertex: `more[x]` for one in-neighbour more, `less[x]`.

A flip elsewhere changes the degrees of its ends, and so what they send to every in-neighbour of the node that hears
them; one flip can serve many of these, so what it adds is summed over them. Nothing is charged below 0: a vertex that
loses by it may itself be deleted.

Theory: "Slopes that bound an activation", "Changes of degree".
"""

from __future__ import annotations

from ..jit.decorators import kernel, loop
from .layout import GCN
from .reach import most_changes, steps
from .stand import alpha, beta, list_in, weigh


@loop
def two_ways(row, message, slope_low, slope_high, width):
    """Most that row . (act(z + d) - act(z)) is for d = message, and for d = -message, with slopes in these ranges."""
    up, down = 0.0, 0.0
    for j in range(width):
        part = row[j] * message[j]
        low, high = slope_low[j] * part, slope_high[j] * part
        up += max(low, high)
        down -= min(low, high)
    return up, down


@kernel
def charge_at(t, s, p, g, at, w, row, factor, comes, goes):
    """Charge what changes of degree do to w, whose margin is factor * row . act(z) and which hears with alpha = 1."""
    low, high, most = g.line[2], g.line[3], 0.0
    for j in range(t.H):
        slope = t.slope[j]
        low[j] = 1.0 if g.low[at, j] >= 0.0 else slope
        high[j] = slope if g.high[at, j] <= 0.0 else 1.0
    count = list_in(t, s, w, p.around)
    for e in range(count):
        x = p.around[e]
        if x == t.node:
            continue
        fall, rise = steps(t.first, s.heard[x], comes, goes)
        up, down = two_ways(row, t.sent[x], low, high, t.H)
        more, less = max(factor * fall * down, 0.0), max(factor * rise * up, 0.0)
        g.more[x] += more
        g.less[x] += less
        most = max(most, more, less)
    g.turn[at] = most


@kernel
def charge_degrees(t, s, p, g, near, r, i, k, joins, cuts):
    """Terms of in-neighbours, and charges of every vertex that one of them or the node hears."""
    v = t.node
    count = s.heard[v] + i - k
    scale = alpha(t.last, count, s.loop[v])
    comes, goes = most_changes(t, i, k, joins, cuts)
    for at in range(near):
        w = p.near[at]
        s.value[0] = 0.0
        weigh(s.value, t.take[r : r + 1], g.z[at], t.slope, scale * beta(t.last, s.heard[w]), 1, t.H)
        g.term[at] = s.value[0]
        g.turn[at] = 0.0
    if t.first != GCN or comes + goes == 0:
        return
    for at in range(near):
        w = p.near[at]
        factor = scale * beta(t.last, s.heard[w]) * alpha(t.first, s.heard[w], s.loop[w])
        charge_at(t, s, p, g, at, w, t.take[r], factor, comes, goes)
    charge_at(t, s, p, g, near, v, p.heart[r], alpha(t.first, count, s.loop[v]), comes, goes)


@kernel
def clear_charges(t, s, p, g, near, second):
    for at in range(near):
        g.more[p.near[at]] = 0.0
        g.less[p.near[at]] = 0.0
    for e in range(second):
        g.more[p.seconds[e]] = 0.0
        g.less[p.seconds[e]] = 0.0


@kernel
def largest_charges(t, s, p, g, near, second, joins, cuts):
    """The two largest of `more`, where anything may be inserted elsewhere, and of `less`, into g.out[0:4]; what one
    flip elsewhere adds by degrees alone.
    """
    out = g.out
    out[0], out[1], out[2], out[3] = 0.0, 0.0, 0.0, 0.0
    for e in range(second + near):
        # an in-neighbour that others hear too stands in both lists
        x = p.seconds[e] if e < second else p.near[e - second]
        if e >= second and p.second[x] >= 0:
            continue
        if joins == 0:
            pass
        elif g.more[x] > out[0]:
            out[1] = out[0]
            out[0] = g.more[x]
        elif g.more[x] > out[1]:
            out[1] = g.more[x]
        if cuts == 0:
            continue
        if g.less[x] > out[2]:
            out[3] = out[2]
            out[2] = g.less[x]
        elif g.less[x] > out[3]:
            out[3] = g.less[x]
    if t.directed:
        return max(out[0], out[2])
    return max(out[0] + out[1], out[2] + out[3])

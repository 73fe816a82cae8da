"""How far pre-activations of the node and its in-neighbours can move under one shape of attack, and slopes there."""

from __future__ import annotations

from ..jit.decorators import kernel, leaf
from .layout import GCN
from .scratch import BEFORE, TURN
from .stand import alpha, beta, is_edge, list_in, sigma


@leaf
def steps(how, count, most):
    """How much a sender's factor falls if one more in-neighbour comes, and rises on average a step if up to `most` go:
    the factor is convex in the degree, so no number of steps does more than that a step.
    """
    if how != GCN or most < 1:
        return 0.0, 0.0
    here = beta(how, count)
    lowest = min(most, count)
    rise = (beta(how, count - lowest) - here) / lowest if lowest > 0 else 0.0
    return here - beta(how, count + 1), rise


@leaf
def turns_of(t, i, k, m):
    """Changes of degree among the senders that one vertex hears: by flips elsewhere, by flips at the node."""
    if t.first != GCN:
        return 0, 0
    return (m, 0) if t.directed else (2 * m, i + k)


@leaf
def shifted(t, s, g, w, a, c, change, out):
    """Pre-activation of w with a insertions and c deletions at it whose messages are not counted; `change`: of what
    the node's own message to w is multiplied with.
    """
    count, v = s.heard[w] + a - c, t.node
    scale, kept = alpha(t.first, count, s.loop[w]), sigma(t.first, count, s.loop[w])
    own, gathered, sent, other = t.own[w], s.gathered[w], t.sent[w], t.sent[v]
    for j in range(t.H):
        out[j] = own[j] + scale * (gathered[j] + kept * sent[j] + change * other[j])
    return scale


@kernel
def amplitudes(t, s, g, w, most, around, lift, drop, turn):
    """The most that one deletion at w changes what it gathers, and one change of a sender's degree; how many of its
    in-edges can go.
    """
    H, v, count = t.H, t.node, list_in(t, s, w, around)
    for j in range(H):
        lift[j], drop[j], turn[j] = 0.0, 0.0, 0.0
    deletable = 0
    for e in range(count):
        x = around[e]
        row, here = t.sent[x], beta(t.first, s.heard[x])
        if t.delete and (t.directed or x != v):
            deletable += 1
            # the node's own factor also moves with its degree
            factor = 1.0 if x == v and t.first == GCN else here
            for j in range(H):
                lift[j], drop[j] = max(lift[j], -factor * row[j]), max(drop[j], factor * row[j])
        if x != v:
            fall, rise = steps(t.first, s.heard[x], most)
            largest = max(fall, rise)
            for j in range(H):
                turn[j] = max(turn[j], largest * abs(row[j]))
    if s.loop[w] and t.first != GCN and t.delete:
        deletable += 1
        row = t.sent[w]
        for j in range(H):
            lift[j], drop[j] = max(lift[j], -row[j]), max(drop[j], row[j])
    return deletable


@leaf
def quotients(z, low, high, slope):
    """Least and largest (act(z + d) - act(z)) / d over low <= d <= high, where low <= 0 <= high."""
    if z >= 0.0:
        if z + low >= 0.0:
            return 1.0, 1.0
        return (slope * (z + low) - z) / low, 1.0
    if z + high <= 0.0:
        return slope, slope
    return slope, (z + high - slope * z) / high


@leaf
def slopes(low, high, slope):
    """Least and largest slope of a segment of act between low and high."""
    if low >= 0.0:
        return 1.0, 1.0
    if high <= 0.0:
        return slope, slope
    return slope, 1.0


@kernel
def reach_all(t, s, p, g, near, i, k, m):
    """Fill z, low, high, lift and drop of all in-neighbours and of the node (row `near`)."""
    v, H = t.node, t.H
    count = s.heard[v] + i - k
    elsewhere, at_node = turns_of(t, i, k, m)
    touched = m + (1 if i + k > 0 and not t.directed else 0)
    row, turn = g.rows[BEFORE], g.rows[TURN]
    shift = beta(t.first, count) - beta(t.first, s.heard[v]) if t.first == GCN else 0.0
    for at in range(near):
        w = p.near[at]
        change = shift if is_edge(t, s, v, w) else 0.0
        amplitudes(t, s, g, w, touched, p.around, g.lift[at], g.drop[at], turn)
        low, high, z = g.low[at], g.high[at], g.z[at]
        shifted(t, s, g, w, 0, 0, change, z)
        for j in range(H):
            low[j], high[j] = z[j], z[j]
        for a in range(m + 1):
            for c in range(m + 1 - a):
                if c > s.heard[w] + s.loop[w] or (t.insert != 1 and a > 0) or (not t.delete and c > 0):
                    continue
                scale = shifted(t, s, g, w, a, c, change, row)
                turns = elsewhere - (a + c) * (1 if t.directed else 2) + at_node
                for j in range(H):
                    up = g.rise[a, j] + c * g.lift[at, j] + turns * turn[j]
                    down = g.fall[a, j] + c * g.drop[at, j] + turns * turn[j]
                    low[j], high[j] = min(low[j], row[j] - scale * down), max(high[j], row[j] + scale * up)
    reach_node(t, s, p, g, near, i, k, m, count, touched)


@kernel
def reach_node(t, s, p, g, near, i, k, m, count, touched):
    v, H = t.node, t.H
    low, high, z, lift, drop, turn = g.low[near], g.high[near], g.z[near], g.lift[near], g.drop[near], g.rows[TURN]
    scale, kept = alpha(t.first, count, s.loop[v]), sigma(t.first, count, s.loop[v])
    turns = 0 if t.first != GCN else m if t.directed else 2 * m
    for j in range(H):
        z[j] = t.own[v, j] + scale * (s.gathered[v, j] + kept * t.sent[v, j])
        lift[j], drop[j], turn[j] = 0.0, 0.0, 0.0
    for c in range(1, g.B + 1):
        for j in range(H):
            g.inside[c, j] = 0.0
    for at in range(near):
        x = p.near[at]
        row, here = t.sent[x], beta(t.first, s.heard[x])
        fall, rise = steps(t.first, s.heard[x], touched)
        factor = beta(t.first, max(s.heard[x] - touched, 0))
        for j in range(H):
            lift[j], drop[j] = max(lift[j], -here * row[j]), max(drop[j], here * row[j])
            turn[j] = max(turn[j], max(fall, rise) * abs(row[j]))
            g.inside[1, j] = max(g.inside[1, j], factor * abs(row[j]))
    for j in range(H):
        up = g.rise[i, j] + k * lift[j] + turns * turn[j]
        down = g.fall[i, j] + k * drop[j] + turns * turn[j]
        low[j], high[j] = z[j] - scale * down, z[j] + scale * up
        for c in range(2, g.B + 1):
            g.inside[c, j] = c * g.inside[1, j]

"""How far pre-activations of the node and its in-neighbours can move under one shape of attack, and slopes there.

Theory: "Slopes that bound an activation", "Boxes of a shape", "Changes of degree".
"""

from __future__ import annotations

from ..jit.decorators import kernel, leaf
from .layout import GCN
from .stand import alpha, beta, is_edge, list_in, sigma


@leaf
def most_changes(t, i, k, joins, cuts):
    """How many in-neighbours may come to one sender, and go: by flips elsewhere, and by the one that joins it to the
    node or parts it from the node.
    """
    both = 0 if t.directed else 1
    return joins + min(i, both), cuts + min(k, both)


@leaf
def steps(how, count, comes, goes):
    """How much a sender's factor falls an in-neighbour that comes, and rises on average a step if up to `goes` go: the
    factor is convex in the degree, so no number of steps does more than that a step.
    """
    if how != GCN:
        return 0.0, 0.0
    here = beta(how, count)
    fall = here - beta(how, count + 1) if comes > 0 else 0.0
    lowest = min(goes, count)
    rise = (beta(how, count - lowest) - here) / lowest if lowest > 0 else 0.0
    return fall, rise


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
def amplitudes(t, s, g, w, comes, goes, around, lift, drop, turn):
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
            fall, rise = steps(t.first, s.heard[x], comes, goes)
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
def line_slopes(weight, z, low, high, slope):
    """Least and largest slope of lines through z that bound weight * act from above at z + d, low <= d <= high: where
    that is concave, the tangent; else `quotients`.
    """
    if weight < 0.0:
        tangent = 1.0 if z >= 0.0 else slope
        return tangent, tangent
    return quotients(z, low, high, slope)


@leaf
def slopes(low, high, slope):
    """Least and largest slope of a segment of act between low and high."""
    if low >= 0.0:
        return 1.0, 1.0
    if high <= 0.0:
        return slope, slope
    return slope, 1.0


@kernel
def reach_all(t, s, p, g, near, i, k, joins, cuts):
    """Fill z, low, high, lift and drop of all in-neighbours and of the node (row `near`)."""
    v, H = t.node, t.H
    count = s.heard[v] + i - k
    elsewhere, at_node = turns_of(t, i, k, joins + cuts)
    comes, goes = most_changes(t, i, k, joins, cuts)
    row, turn = g.line[0], g.line[1]
    shift = beta(t.first, count) - beta(t.first, s.heard[v]) if t.first == GCN else 0.0
    for at in range(near):
        w = p.near[at]
        change = shift if is_edge(t, s, v, w) else 0.0
        amplitudes(t, s, g, w, comes, goes, p.around, g.lift[at], g.drop[at], turn)
        low, high, z = g.low[at], g.high[at], g.z[at]
        shifted(t, s, g, w, 0, 0, change, z)
        for j in range(H):
            low[j], high[j] = z[j], z[j]
        for a in range(joins + 1):
            for c in range(cuts + 1):
                if c > s.heard[w] + s.loop[w] or (not t.insert & 1 and a > 0) or (not t.delete and c > 0):
                    continue
                scale = shifted(t, s, g, w, a, c, change, row)
                turns = elsewhere - (a + c) * (1 if t.directed else 2) + at_node
                for j in range(H):
                    up = g.rise[a, j] + c * g.lift[at, j] + turns * turn[j]
                    down = g.fall[a, j] + c * g.drop[at, j] + turns * turn[j]
                    low[j], high[j] = min(low[j], row[j] - scale * down), max(high[j], row[j] + scale * up)
    reach_node(t, s, p, g, near, i, k, joins, cuts)


@kernel
def reach_node(t, s, p, g, near, i, k, joins, cuts):
    v, H = t.node, t.H
    low, high, z, lift, drop, turn = g.low[near], g.high[near], g.z[near], g.lift[near], g.drop[near], g.line[1]
    m, count = joins + cuts, s.heard[v] + i - k
    comes, goes = most_changes(t, i, k, joins, cuts)
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
        fall, rise = steps(t.first, s.heard[x], comes, goes)
        factor = beta(t.first, max(s.heard[x] - goes, 0))
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

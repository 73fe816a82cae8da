"""Flipping pairs, taking flips back, and the claim's margins where one stands."""

from __future__ import annotations

import numpy as np

from ..base.evaluate import is_there
from ..jit.decorators import entry, kernel, leaf, loop
from .layout import ARCS, DELETE, EVALUATIONS, FLIPS, GCN, INSERT, MEAN, NEVER, TRAIL


@leaf
def beta(how, count):
    """What a sender's message is multiplied with."""
    return 1.0 / np.sqrt(count + 1.0) if how == GCN else 1.0


@leaf
def alpha(how, count, looped):
    """What all that a vertex hears is multiplied with."""
    if how == GCN:
        return 1.0 / np.sqrt(count + 1.0)
    if how == MEAN:
        return 1.0 / max(count + looped, 1.0)
    return 1.0


@leaf
def sigma(how, count, looped):
    """What a vertex's message to itself is multiplied with."""
    return 1.0 / np.sqrt(count + 1.0) if how == GCN else np.float64(looped)


@leaf
def is_edge(t, s, x, y):
    """Whether x is an in-neighbour of y where one stands; self-loops apart."""
    for k in range(s.made[ARCS]):
        if s.arcs[0, k] == x and s.arcs[1, k] == y:
            return s.arcs[2, k] == 1
    return is_there(t, x, y)


@leaf
def flipped(s, x, y):
    """Whether the arc is flipped, either way."""
    found = False
    for k in range(s.made[ARCS]):
        found = found or (s.arcs[0, k] == x and s.arcs[1, k] == y)
    return found


@leaf
def list_ends(s, ptr, ends, at, own, other, out):
    """The other ends of arcs at a vertex where one stands, itself apart; how many. own, other: which end of an arc the
    vertex is, and they are: 0 its source, 1 its target.
    """
    m = np.int64(0)
    for e in range(ptr[at], ptr[at + 1]):
        gone = False
        for k in range(s.made[ARCS]):
            gone = gone or (s.arcs[own, k] == at and s.arcs[other, k] == ends[e])
        if not gone:
            out[m] = ends[e]
            m += 1
    for k in range(s.made[ARCS]):
        if s.arcs[own, k] == at and s.arcs[2, k] == 1 and s.arcs[other, k] != at:
            out[m] = s.arcs[other, k]
            m += 1
    return m


@kernel
def list_in(t, s, y, out):
    """In-neighbours of y where one stands, itself apart; how many."""
    return list_ends(s, t.in_ptr, t.source, y, 1, 0, out)


@kernel
def list_out(t, s, x, out):
    """Out-neighbours of x, likewise."""
    return list_ends(s, t.out_ptr, t.target, x, 0, 1, out)


@kernel
def kind_of(t, s, x, y):
    """Whether the pair x -> y may flip, and how; a pair that is flipped already may not."""
    if s.spare[y] < 1 or (not t.directed and s.spare[x] < 1) or flipped(s, x, y):
        return NEVER
    for k in range(t.guarded.shape[1]):
        if t.guarded[0, k] == x and t.guarded[1, k] == y:
            return NEVER
    there = s.loop[x] == 1 if x == y else is_edge(t, s, x, y)
    if there:
        return DELETE if t.delete else NEVER
    if x == y or t.insert == 0:
        return NEVER
    if t.insert == 2 and y != t.node and (t.directed or x != t.node):
        return NEVER
    if t.insert == 3 and x < t.fresh and y < t.fresh:
        return NEVER
    return INSERT


@kernel
def row_kinds(t, s, y):
    """s.kinds[x]: how the pair x -> y may flip, as `kind_of` says, for all x at once; barred pairs may not."""
    kinds, both = s.kinds, not t.directed
    usual = INSERT if s.spare[y] > 0 and (t.insert == 1 or (t.insert == 2 and y == t.node)) else NEVER
    if t.insert == 3 and s.spare[y] > 0:
        usual = INSERT
    for x in range(t.n):
        kinds[x] = usual if s.spare[x] > 0 or not both else NEVER
    if t.insert == 3 and y < t.fresh:
        for x in range(t.fresh):
            kinds[x] = NEVER
    kinds[y] = kind_of(t, s, y, y)
    if both and t.insert == 2:
        kinds[t.node] = kind_of(t, s, t.node, y)
    for e in range(t.in_ptr[y], t.in_ptr[y + 1]):
        kinds[t.source[e]] = kind_of(t, s, t.source[e], y)
    for k in range(s.made[ARCS]):
        if s.arcs[1, k] == y:
            kinds[s.arcs[0, k]] = NEVER
    for k in range(t.guarded.shape[1]):
        if t.guarded[1, k] == y:
            kinds[t.guarded[0, k]] = NEVER
    for k in range(s.bars[0]):
        if s.barred[1, k] == y:
            kinds[s.barred[0, k]] = NEVER
        elif both and s.barred[0, k] == y:
            kinds[s.barred[1, k]] = NEVER


@kernel
def keep_row(t, s, y):
    """Remember what y gathers, for the way back."""
    at = s.made[TRAIL]
    s.trail_at[at] = y
    row, kept = s.gathered[y], s.trail[at]
    for i in range(t.H):
        kept[i] = row[i]
    s.made[TRAIL] = at + 1


@leaf
def add_row(t, s, y, factor, x):
    row, other = s.gathered[y], t.sent[x]
    for i in range(t.H):
        row[i] += factor * other[i]


@kernel
def flip_arc(t, s, x, y):
    """Flip the arc x -> y: what y gathers, and as its degree changes, what those gather that hear it."""
    k = s.made[ARCS]
    there = is_edge(t, s, x, y)
    sign = -1 if there else 1
    keep_row(t, s, y)
    add_row(t, s, y, sign * beta(t.first, s.heard[x]), x)
    if t.first == GCN:
        change = beta(t.first, s.heard[y] + sign) - beta(t.first, s.heard[y])
        m = list_out(t, s, y, s.list)
        for e in range(m):
            w = s.list[e]
            keep_row(t, s, w)
            add_row(t, s, w, change, y)
    s.heard[y] += sign
    s.arcs[0, k], s.arcs[1, k], s.arcs[2, k] = x, y, 0 if there else 1
    s.made[ARCS] = k + 1


@kernel
def flip(t, s, x, y):
    """Flip the pair; one unit is taken from those who pay."""
    at = s.made[FLIPS]
    s.flips[0, at], s.flips[1, at] = x, y
    s.marks[2 * at], s.marks[2 * at + 1] = s.made[ARCS], s.made[TRAIL]
    s.made[FLIPS] = at + 1
    s.spare[y] -= 1
    if x == y:
        k = s.made[ARCS]
        s.arcs[0, k], s.arcs[1, k], s.arcs[2, k] = x, y, 1 - s.loop[x]
        s.loop[x] = 1 - s.loop[x]
        s.made[ARCS] = k + 1
        return
    flip_arc(t, s, x, y)
    if not t.directed:
        s.spare[x] -= 1
        flip_arc(t, s, y, x)


@kernel
def take_back(t, s):
    """Undo the last flip: rows are restored as they were, not computed back."""
    at = s.made[FLIPS] - 1
    x, y = s.flips[0, at], s.flips[1, at]
    s.spare[y] += 1
    if not t.directed and x != y:
        s.spare[x] += 1
    k, mark = s.marks[2 * at], s.marks[2 * at + 1]
    if x == y:
        s.loop[x] = 1 - s.loop[x]
    while s.made[ARCS] > k:
        s.made[ARCS] -= 1
        e = s.made[ARCS]
        if s.arcs[0, e] != s.arcs[1, e]:
            s.heard[s.arcs[1, e]] += -1 if s.arcs[2, e] else 1
    while s.made[TRAIL] > mark:
        s.made[TRAIL] -= 1
        e = s.made[TRAIL]
        row, kept = s.gathered[s.trail_at[e]], s.trail[e]
        for i in range(t.H):
            row[i] = kept[i]
    s.made[FLIPS] = at


@loop
def combine(out, own, gathered, sent, scale, kept, width):
    """The pre-activation."""
    for i in range(width):
        out[i] = own[i] + scale * (gathered[i] + kept * sent[i])


@leaf
def pre_activation(t, s, w, out):
    scale = alpha(t.first, s.heard[w], s.loop[w])
    kept = sigma(t.first, s.heard[w], s.loop[w])
    combine(out, t.own[w], s.gathered[w], t.sent[w], scale, kept, t.H)


@loop
def weigh(out, rows, z, slope, factor, count, width):
    """out[r] += factor * rows[r] . act(z)."""
    for r in range(count):
        row, total = rows[r], 0.0
        for i in range(width):
            total += row[i] * (max(z[i], 0.0) + slope[i] * min(z[i], 0.0))
        out[r] += factor * total


@kernel
def margins(t, s, out):
    """f_r where one stands."""
    v, count = t.node, s.heard[t.node]
    s.tally[EVALUATIONS] += 1
    z = s.row[0]
    for r in range(t.R):
        out[r] = 0.0
    m = list_in(t, s, v, s.list)
    for e in range(m):
        w = s.list[e]
        pre_activation(t, s, w, z)
        weigh(out, t.take, z, t.slope, beta(t.last, s.heard[w]), t.R, t.H)
    pre_activation(t, s, v, z)
    weigh(out, t.take, z, t.slope, sigma(t.last, count, s.loop[v]), t.R, t.H)
    scale = alpha(t.last, count, s.loop[v])
    for r in range(t.R):
        out[r] = t.const[r] + scale * out[r]
    weigh(out, t.keep, z, t.slope, 1.0, t.R, t.H)


@entry
def move(t, s, x, y):
    """Flip a pair."""
    flip(t, s, x, y)


@entry
def retreat(t, s):
    """Take the last flip back."""
    take_back(t, s)


@entry
def kind_between(t, s, x, y):
    """How the pair may flip."""
    return kind_of(t, s, x, y)

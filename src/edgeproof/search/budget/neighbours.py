"""psi[w, s, o]: the most that an in-neighbour w of the node gains by s flips with other vertices and o with other
in-neighbours, above what it adds without any.

One flip is gone through exactly, vertex by vertex. Of several, how many insert and how many delete is fixed, so the
degree of w is known; then what a flip adds is bounded by its message times the slopes that can occur on the way.

Theory: "Messages in order", "In-neighbours with flips of their own".
"""

from __future__ import annotations

from ..jit.decorators import kernel, leaf, loop
from .charges import two_ways
from .layout import DELETE, GCN, INSERT, NEVER_WORTH
from .reach import line_slopes, most_changes, shifted, slopes, turns_of
from .stand import alpha, beta, is_edge, list_in, row_kinds, weigh


@leaf
def insert_sorted(row, value, count):
    """Into the `count` largest, row[1] >= row[2] >= ..."""
    for rank in range(1, count + 1):
        if value > row[rank]:
            for back in range(count, rank, -1):
                row[back] = row[back - 1]
            row[rank] = value
            return


@loop
def bend(row, z, message, factor, slope, width):
    """row . act(z + factor * message)."""
    total = 0.0
    for j in range(width):
        value = z[j] + factor * message[j]
        total += row[j] * (max(value, 0.0) + slope[j] * min(value, 0.0))
    return total


@kernel
def item_gain(t, s, g, r, x, exact, scale, factor, least, usual, greatest, base):
    """Most that the message of x, times something between `least` and `greatest`, adds to factor * row . act.

    exact: as it is at the factor `usual`, with what other factors can add by slopes (lines 6 and 7); else by quotients
    (lines 4 and 5). z in line 0, `base` is factor * row . act(z).
    """
    row, message = t.take[r], t.sent[x]
    if exact:
        gain = factor * bend(row, g.line[0], message, scale * usual, t.slope, t.H) - base
        if greatest > usual or least < usual:
            up, down = two_ways(row, message, g.line[6], g.line[7], t.H)
            change = max((greatest - usual) * up, (usual - least) * down)
            gain += factor * scale * max(change, 0.0)
        return gain
    up, down = two_ways(row, message, g.line[4], g.line[5], t.H)
    if least < 0.0:  # a deletion: its factor is known
        return factor * scale * -least * down
    return factor * scale * (greatest * up if up > 0.0 else least * up)


@leaf
def insertion_gain(t, s, g, w, r, x, node_heard, scale, factor, comes, goes, exact, base):
    """Most that x -> w adds at w: `item_gain`, its factor known up to what other flips do to the degree of x."""
    heard = node_heard if x == t.node else s.heard[x] + (1 - t.directed)
    usual = beta(t.first, heard)
    least, greatest = usual, usual
    if t.first == GCN and comes + goes > 0 and x != t.node:
        least, greatest = beta(t.first, heard + comes), beta(t.first, max(heard - goes, 0))
    return item_gain(t, s, g, r, x, exact, scale, factor, least, usual, greatest, base)


@kernel
def items_at(t, s, p, g, w, r, a, c, node_heard, scale, factor, comes, goes, exact, every):
    """The items of w with a insertions and c deletions in all: in g.gain those that were looked at (`every`: all), the
    best in rows 0 to 3 of g.top: insertions and deletions, then the same with in-neighbours. Line 0: w without their
    messages; node_heard: what the node hears; comes, goes: by how much other flips can raise the degree of a sender,
    and lower it.
    """
    v, both = t.node, not t.directed
    base = factor * bend(t.take[r], g.line[0], t.sent[w], 0.0, t.slope, t.H)
    for x in range(t.n):
        g.gain[x] = NEVER_WORTH
    for e in range(4):
        for rank in range(g.B + 1):
            g.top[e, rank] = NEVER_WORTH
    row_kinds(t, s, w)
    if a > 0:
        for e in range(s.heard[v] if both else 0):
            x = p.near[e]
            if s.kinds[x] == INSERT and x != w:
                gain = insertion_gain(t, s, g, w, r, x, node_heard, scale, factor, comes, goes, exact, base)
                g.gain[x] = gain + g.more[w]
                insert_sorted(g.top[2], g.gain[x], a)
        # in the order of what they add at most: those further on add no more than the best that are known
        beside = g.more[w] + (g.out[0] if both else 0.0)
        for rank in range(t.n):
            most = factor * scale * g.key[r, rank]
            if most + beside <= g.top[0, a] and not every:
                break
            x = g.order[r, rank]
            if s.kinds[x] != INSERT or x == w or (both and (x == v or s.place[x] >= 0)):
                continue
            gain = insertion_gain(t, s, g, w, r, x, node_heard, scale, factor, comes, goes, exact, base)
            g.gain[x] = min(gain, most) + g.more[w] + (g.more[x] if both else 0.0)
            insert_sorted(g.top[0], g.gain[x], a)
    if c > 0:
        total = list_in(t, s, w, p.around)
        for e in range(total + 1):
            x = p.around[e] if e < total else w
            if (e == total and (s.loop[w] == 0 or t.first == GCN)) or (both and x == v):
                continue
            if s.kinds[x] != DELETE:
                continue
            usual = beta(t.first, s.heard[x])
            if x == v:
                usual = beta(t.first, node_heard)
            gain = item_gain(t, s, g, r, x, exact, scale, factor, -usual, -usual, -usual, base)
            gain += g.less[w] + (g.less[x] if both and x != w else 0.0)
            inside = both and x != w and s.place[x] >= 0
            if inside:
                gain -= g.less[x]
            g.gain[x] = gain
            insert_sorted(g.top[3 if inside else 1], gain, c)


@kernel
def slopes_at(t, s, g, at, r, a, c, scale):
    """Lines 4 and 5: slopes from line 0 over what a insertions and c deletions reach; 6 and 7: slopes of any segment
    that this vertex can see.
    """
    for j in range(t.H):
        up = scale * (g.rise[a, j] + c * g.lift[at, j])
        down = scale * (g.fall[a, j] + c * g.drop[at, j])
        g.line[4, j], g.line[5, j] = line_slopes(t.take[r, j], g.line[0, j], -down, up, t.slope[j])
        g.line[6, j], g.line[7, j] = slopes(g.low[at, j], g.high[at, j], t.slope[j])


@kernel
def fill_psi(t, s, p, g, near, at, r, i, k, joins, cuts, noting):
    """psi of one in-neighbour; noting: instead, what each of its flips is worth."""
    w, v = p.near[at], t.node
    shift = beta(t.first, s.heard[v] + i - k) - beta(t.first, s.heard[v]) if t.first == GCN else 0.0
    change = shift if is_edge(t, s, v, w) else 0.0
    elsewhere, at_node = turns_of(t, i, k, joins + cuts)
    comes, goes = most_changes(t, i, k, joins, cuts)
    scale_last = alpha(t.last, s.heard[v] + i - k, s.loop[v])
    usual = beta(t.last, s.heard[w]) * alpha(t.first, s.heard[w], s.loop[w])
    for a in range(joins + 1 if t.insert & 1 else 1):
        for c in range(cuts + 1 if t.delete else 1):
            if a + c == 0 or a + c > s.spare[w] or c > s.heard[w] + s.loop[w]:
                continue
            scale = shifted(t, s, g, w, a, c, change, g.line[0])
            count = s.heard[w] + a - c
            slopes_at(t, s, g, at, r, a, c, scale)
            factor, heard = scale_last * beta(t.last, count), s.heard[v] + i - k
            items_at(t, s, p, g, w, r, a, c, heard, scale, factor, comes - a, goes - c, a + c == 1, noting)
            s.value[0] = -g.term[at]
            weigh(s.value, t.take[r : r + 1], g.line[0], t.slope, scale_last * beta(t.last, count), 1, t.H)
            # charges were made at the degree that w has now
            grown = beta(t.last, count) * scale / usual - 1.0 if usual > 0.0 else 0.0
            left = elsewhere - (a + c) * (1 if t.directed else 2) + at_node if t.first == GCN else 0
            start = s.value[0] + max(grown, 0.0) * left * g.turn[at]
            if noting:
                note_worth(t, s, g, at, a, c, joins + cuts, start + g.out[4])
            else:
                combine_items(g, at, a, c, start)


@kernel
def note_worth(t, s, g, at, a, c, m, start):
    """worth of each flip of this in-neighbour: above what all the others reach beside those at w (added later)."""
    others = a + c - 1
    single, inner = NEVER_WORTH, NEVER_WORTH
    if a > 0:
        single, inner = max(single, g.top[0, 1]), max(inner, g.top[2, 1])
    if c > 0:
        single, inner = max(single, g.top[1, 1]), max(inner, g.top[3, 1])
    halves = 1 if not t.directed else 2
    for x in range(t.n):
        if g.gain[x] <= NEVER_WORTH:
            continue
        inside = not t.directed and s.place[x] >= 0
        left = 2 * m - (1 if inside else 2)
        for o in range(others + 1):
            rest = left - 2 * (others - o) - halves * o
            total = start + g.gain[x] + (others - o) * single + o * inner
            if rest >= 0 and total > NEVER_WORTH:
                g.worth[at, x] = max(g.worth[at, x], total + g.spend[0, rest])


@leaf
def best_items(g, a, c, o):
    """The most that a insertions and c deletions amount to, o of them with in-neighbours."""
    best = NEVER_WORTH
    for ins in range(max(o - c, 0), min(a, o) + 1):
        total = 0.0
        for rank in range(1, a + 1):
            total += g.top[2, rank] if rank <= ins else g.top[0, rank - ins]
        for rank in range(1, c + 1):
            total += g.top[3, rank] if rank <= o - ins else g.top[1, rank - (o - ins)]
        best = max(best, total)
    return best


@kernel
def combine_items(g, at, a, c, start):
    """Enter what the best items amount to, for every way to take some of them with in-neighbours."""
    for o in range(a + c + 1):
        total = start + best_items(g, a, c, o)
        g.psi[at, a + c - o, o] = max(g.psi[at, a + c - o, o], total)

"""psi[w, s, o]: the most that an in-neighbour w of the node gains by s flips with other vertices and o with other
in-neighbours, above what it adds without any.

One flip is gone through exactly, vertex by vertex. Of several, how many insert and how many delete is fixed, so the
degree of w is known; then what a flip adds is bounded by its message times the slopes that can occur on the way.
"""

from __future__ import annotations

from ..jit.decorators import kernel, leaf, loop
from .charges import two_ways
from .layout import DELETE, GCN, INSERT, NEVER_WORTH
from .reach import quotients, shifted, slopes, turns_of
from .scratch import (
    BEFORE,
    DELETIONS,
    INNER_DELETIONS,
    INNER_INSERTIONS,
    INSERTIONS,
    LEAST_QUOTIENT,
    LEAST_STEP,
    MOST_QUOTIENT,
    MOST_STEP,
    START,
    TOP_LISTS,
)
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

    exact: as it is at the factor `usual`, with what other factors can add by slopes (LEAST_STEP, MOST_STEP); else by
    quotients. z is in BEFORE, `base` is factor * row . act(z).
    """
    row, message = t.take[r], t.sent[x]
    if exact:
        gain = factor * bend(row, g.rows[BEFORE], message, scale * usual, t.slope, t.H) - base
        if greatest > usual or least < usual:
            up, down = two_ways(row, message, g.rows[LEAST_STEP], g.rows[MOST_STEP], t.H)
            change = max((greatest - usual) * up, (usual - least) * down)
            gain += factor * scale * max(change, 0.0)
        return gain
    up, down = two_ways(row, message, g.rows[LEAST_QUOTIENT], g.rows[MOST_QUOTIENT], t.H)
    if least < 0.0:  # a deletion: its factor is known
        return factor * scale * -least * down
    return factor * scale * (greatest * up if up > 0.0 else least * up)


@kernel
def items_at(t, s, p, g, w, r, a, c, node_heard, scale, factor, others, exact):
    """The items of w with a insertions and c deletions in all: all of them in g.gain, the best in rows 0 to 3 of g.top:
    insertions and deletions, then the same with in-neighbours. Line 0: w without their messages; node_heard: what the
    node hears; others: by how much other flips can change the degree of a sender.
    """
    v, both = t.node, not t.directed
    base = factor * bend(t.take[r], g.rows[BEFORE], t.sent[w], 0.0, t.slope, t.H)
    for x in range(t.n):
        g.gain[x] = NEVER_WORTH
    for e in range(TOP_LISTS):
        for rank in range(g.B + 1):
            g.top[e, rank] = NEVER_WORTH
    row_kinds(t, s, w)
    if a > 0:
        for x in range(t.n):
            if s.kinds[x] != INSERT or x == w or (both and x == v):
                continue
            heard = s.heard[x] + both
            if x == v:
                heard = node_heard
            usual = beta(t.first, heard)
            least, greatest = usual, usual
            if t.first == GCN and others > 0 and x != v:
                least, greatest = beta(t.first, heard + others), beta(t.first, max(heard - others, 0))
            gain = item_gain(t, s, g, r, x, exact, scale, factor, least, usual, greatest, base)
            gain += g.more[w] + (g.more[x] if both else 0.0)
            inside = both and s.place[x] >= 0
            if inside:
                gain -= g.more[x]
            g.gain[x] = gain
            insert_sorted(g.top[INNER_INSERTIONS if inside else INSERTIONS], gain, a)
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
            insert_sorted(g.top[INNER_DELETIONS if inside else DELETIONS], gain, c)


@kernel
def slopes_at(t, s, g, at, a, c, scale):
    """Quotients from BEFORE over what a insertions and c deletions reach, and slopes of any segment that this vertex
    can see.
    """
    for j in range(t.H):
        up = scale * (g.rise[a, j] + c * g.lift[at, j])
        down = scale * (g.fall[a, j] + c * g.drop[at, j])
        g.rows[LEAST_QUOTIENT, j], g.rows[MOST_QUOTIENT, j] = quotients(g.rows[BEFORE, j], -down, up, t.slope[j])
        g.rows[LEAST_STEP, j], g.rows[MOST_STEP, j] = slopes(g.low[at, j], g.high[at, j], t.slope[j])


@kernel
def fill_psi(t, s, p, g, near, at, r, i, k, m, noting):
    """psi of one in-neighbour; noting: instead, what each of its flips is worth."""
    w, v = p.near[at], t.node
    shift = beta(t.first, s.heard[v] + i - k) - beta(t.first, s.heard[v]) if t.first == GCN else 0.0
    change = shift if is_edge(t, s, v, w) else 0.0
    elsewhere, at_node = turns_of(t, i, k, m)
    scale_last = alpha(t.last, s.heard[v] + i - k, s.loop[v])
    usual = beta(t.last, s.heard[w]) * alpha(t.first, s.heard[w], s.loop[w])
    for a in range(m + 1 if t.insert == 1 else 1):
        for c in range(m + 1 - a if t.delete else 1):
            if a + c == 0 or a + c > s.spare[w] or c > s.heard[w] + s.loop[w]:
                continue
            scale = shifted(t, s, g, w, a, c, change, g.rows[BEFORE])
            count = s.heard[w] + a - c
            slopes_at(t, s, g, at, a, c, scale)
            others = m - 1 + (1 if i + k > 0 and not t.directed else 0)
            factor = scale_last * beta(t.last, count)
            items_at(t, s, p, g, w, r, a, c, s.heard[v] + i - k, scale, factor, others, a + c == 1)
            s.value[0] = -g.term[at]
            weigh(s.value, t.take[r : r + 1], g.rows[BEFORE], t.slope, scale_last * beta(t.last, count), 1, t.H)
            # charges were made at the degree that w has now
            grown = beta(t.last, count) * scale / usual - 1.0 if usual > 0.0 else 0.0
            left = elsewhere - (a + c) * (1 if t.directed else 2) + at_node if t.first == GCN else 0
            start = s.value[0] + max(grown, 0.0) * left * g.turn[at]
            if noting:
                note_worth(t, s, g, at, a, c, m, start + g.out[START])
            else:
                combine_items(g, at, a, c, start)


@kernel
def note_worth(t, s, g, at, a, c, m, start):
    """worth of each flip of this in-neighbour: above what all the others reach beside those at w (added later)."""
    others = a + c - 1
    single, inner = NEVER_WORTH, NEVER_WORTH
    if a > 0:
        single, inner = max(single, g.top[INSERTIONS, 1]), max(inner, g.top[INNER_INSERTIONS, 1])
    if c > 0:
        single, inner = max(single, g.top[DELETIONS, 1]), max(inner, g.top[INNER_DELETIONS, 1])
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
            total += g.top[INNER_INSERTIONS, rank] if rank <= ins else g.top[INSERTIONS, rank - ins]
        for rank in range(1, c + 1):
            total += g.top[INNER_DELETIONS, rank] if rank <= o - ins else g.top[DELETIONS, rank - (o - ins)]
        best = max(best, total)
    return best


@kernel
def combine_items(g, at, a, c, start):
    """Enter what the best items amount to, for every way to take some of them with in-neighbours."""
    for o in range(a + c + 1):
        total = start + best_items(g, a, c, o)
        g.psi[at, a + c - o, o] = max(g.psi[at, a + c - o, o], total)

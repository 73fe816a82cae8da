"""Who has to be looked at again when something changed."""

from __future__ import annotations

from ..problem import PRESENT
from ..stages import DENSE, GCN, GRAPH, POOL
from .compile import leaf
from .state import LIMIT, STAMP, USED


@leaf
def spendable(s, options, v):
    """How many of its undecided in-pairs a vertex can see flipped in one admissible graph."""
    if not options.budget_boxes:
        return s.open_slots[v]
    return min(s.open_slots[v], s.spare[v], s.tally[LIMIT] - s.tally[USED])


@leaf
def who_asks(p, t, v):
    """Who takes a product of h(v) at stage t: v itself (C h), its neighbours (A h). Vertices on the rim, which are
    most, do not matter there themselves.
    """
    own = v < p.active[t]
    if p.kind[t] == DENSE or not p.sends_products[t]:
        return own, False
    return own, p.kind[t] == POOL or p.how[t] == GCN or p.out_ptr[v] < p.out_ptr[v + 1]


@leaf
def parts_used(p, t, v):
    """How much of a record of stage t somebody looks at, of: what v is, what it sends, what it keeps for itself."""
    if t == p.T:
        return 1
    return 3 if v < p.active[t + 1] else 2


@leaf
def list_due(p, s, t, seeds, everything, before, side, mask):
    """Write the vertices due at stage t to `changed[1 - side]` and return how many there are.

    A vertex is due if its slots changed (`seeds`), or if itself or an in-neighbour through a slot that matches
    `mask` changed at the stage below; those are `changed[side][:before]`.
    """
    found, due = s.changed[side], s.changed[1 - side]
    active = p.active[t]
    if everything:
        for v in range(active):
            due[v] = v
        return active
    if p.kind[t] == POOL:
        due[0] = 0
        return min(before, 1)
    s.tally[STAMP] += 1
    stamp = s.tally[STAMP]
    waiting = 0
    for k in range(before):
        u = found[k]
        if u < active and s.seen[u] != stamp:
            s.seen[u] = stamp
            due[waiting] = u
            waiting += 1
    if p.kind[t] != GRAPH:
        return waiting
    for k in range(seeds.size):
        v = seeds[k]
        if v < active and s.seen[v] != stamp:
            s.seen[v] = stamp
            due[waiting] = v
            waiting += 1
    # under GCN what the seeds send changed with their degrees, although they did not change themselves
    senders = before + (seeds.size if p.how[t] == GCN else 0)
    for k in range(senders):
        u = found[k] if k < before else seeds[k - before]
        e, split, end = p.out_ptr[u], p.out_split[u], p.out_ptr[u + 1]
        # the grounding has few inserted ones, somewhere among many that are absent
        waited = s.went[u] if mask == PRESENT else end - split
        while e < split or (waited > 0 and e < end):
            if s.status[p.out_slot[e]] & mask:
                waited -= e >= split
                v = p.out_target[e]
                if v < active and s.seen[v] != stamp:
                    s.seen[v] = stamp
                    due[waiting] = v
                    waiting += 1
            e += 1
    return waiting

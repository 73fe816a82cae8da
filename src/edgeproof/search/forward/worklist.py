"""Which vertices have to be computed again at a stage."""

from __future__ import annotations

from ...problem.layout import GCN, GRAPH, POOL, PRESENT
from ..jit.decorators import leaf
from ..state.state import STAMP


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
        waited = s.inserted_out[u] if mask == PRESENT else end - split
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

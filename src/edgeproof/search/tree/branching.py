"""Which pair to decide next.

Theory: "Nothing left that matters".
"""

from __future__ import annotations

from ..jit.decorators import kernel
from ..state.state import STAMP


@kernel
def choose_nearest(p, s):
    """The undecided pair nearest to the node in question, over edges that are there or may be; -1 if none reaches it.

    Walking outwards from the node also keeps to its component: pairs cut off by decisions are never met.
    """
    s.tally[STAMP] += 1
    stamp = s.tally[STAMP]
    queue = s.changed[0]
    queue[0] = 0
    s.seen[0] = stamp
    head, tail, ring = 0, 1, 1
    for _ in range(p.rings):
        while head < ring:
            v = queue[head]
            head += 1
            for k in range(p.slot_ptr[v], p.slot_ptr[v + 1]):
                state = s.status[k]
                if state & 2:
                    return p.slot_pair[k]
                u = p.slot_source[k]
                if state and s.seen[u] != stamp:
                    s.seen[u] = stamp
                    queue[tail] = u
                    tail += 1
        ring = tail
    return -1


@kernel
def choose_first(p, s):
    """The first undecided pair by name."""
    for k in range(p.order.size):
        pair = p.order[k]
        if s.status[p.pair_slot[pair, 0]] & 2:
            return pair
    return -1


@kernel
def choose_by_gain(p, s, linear):
    """The undecided pair with the largest gain for the strongest rival; -1 if no gain is positive."""
    best, at = 0.0, -1
    for pair in range(p.pair_u.size):
        if linear.order[pair] > best and s.status[p.pair_slot[pair, 0]] & 2:
            best, at = linear.order[pair], pair
    return at

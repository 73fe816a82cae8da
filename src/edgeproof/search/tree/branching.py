"""Which pair is decided next (variable selection, also called the branching heuristic).

`choose` in tree/actions.py asks in this order:

1. `choose_by_gain`, with the option `lines`: the pair whose flip may add most to the strongest rival's line.
2. Where no line gives any pair a gain: `choose_nearest` in a node task, with the option `nearest_first`.
3. `choose_first` in graph tasks, and in node tasks without that option.

Nodes that pairwise interactions bound take the pair with the largest bound on its sets instead: `pick_pair` in
tree/screened.py asks `choose_by_set_bound` in pairwise/screening.py.

Any undecided pair is sound: its two children cover all graphs below. Only the answer -1 needs an argument, since it
closes the node. From `choose_by_gain` it does not: the next in order is asked.

Theory: "Which pair is decided next", "Nothing left that matters".
"""

from __future__ import annotations

from ..jit.decorators import kernel
from ..state.state import STAMP


@kernel
def choose_nearest(p, s):
    """The undecided pair nearest to the node in question, over slots that are there, may go or may come. -1 if no
    undecided pair can reach the node: all graphs below have the scores of the grounding.

    The walk goes outwards from the node, so it never meets pairs that decisions have cut off from it.
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
    """The first undecided pair by the numbers of its vertices; -1 if every pair is decided."""
    for k in range(p.order.size):
        pair = p.order[k]
        if s.status[p.pair_slot[pair, 0]] & 2:
            return pair
    return -1


@kernel
def choose_by_gain(p, s, linear):
    """The undecided pair with the largest gain in the line of the strongest rival; -1 if no gain is positive, which
    closes nothing.
    """
    best, at = 0.0, -1
    for pair in range(p.pair_u.size):
        if linear.order[pair] > best and s.status[p.pair_slot[pair, 0]] & 2:
            best, at = linear.order[pair], pair
    return at

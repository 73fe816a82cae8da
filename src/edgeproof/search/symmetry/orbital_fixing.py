"""Orbital fixing: once no attack holds a pair, none holds its images under symmetries that fix the flips made so far.

A search that tries the flip of a pair before its absence meets all attacks in some order. Whatever is left out in the
absence of a pair has an image in which the pair is flipped, or another one that was absent before: an image that comes
earlier. So the first attack of all is not left out, whatever the order of branches.

Theory: "Orbital fixing loses no attack".
"""

from __future__ import annotations

import numpy as np

from ..jit.decorators import leaf
from ..state.state import PAIR_MARK, USED
from ..state.trail import decide


@leaf
def update_stabiliser(s, x):
    """Note which symmetries leave all flips where they are."""
    kept = x.stabilises[s.tally[USED]]
    for k in range(kept.size):
        kept[k] = 1
    for i in range(s.tally[PAIR_MARK]):
        pair = s.pair_trail[i]
        if pair < 0:  # flipped
            for k in range(kept.size):
                kept[k] &= x.image[k, ~pair] == ~pair


@leaf
def extend_stabiliser(s, x, pair):
    """The same for one flip more, which is made next."""
    used = s.tally[USED]
    for k in range(x.image.shape[0]):
        x.stabilises[used + 1, k] = x.stabilises[used, k] & (x.image[k, pair] == pair)


@leaf
def assign_roles(p, s, x):
    """What each vertex is while all that flips are at stay: those with the same number may take each other's place. It
    is itself, one of some twins, or in some place of components that look alike.
    """
    for v in range(p.n):
        x.role[v] = 2 * p.n + x.place[v]
    for i in range(s.tally[PAIR_MARK]):
        pair = s.pair_trail[i]
        if pair < 0:
            for v in range(p.n):
                if x.component[v] == x.component[p.pair_u[~pair]] or x.component[v] == x.component[p.pair_v[~pair]]:
                    x.role[v] = p.n + x.twin[v]
    for i in range(s.tally[PAIR_MARK]):
        pair = s.pair_trail[i]
        if pair < 0:
            x.role[p.pair_u[~pair]] = p.pair_u[~pair]
            x.role[p.pair_v[~pair]] = p.pair_v[~pair]


@leaf
def role_of(p, x, pair):
    """The same number for pairs that exchanges of twins and components take to each other: their ends may take each
    other's place, and are both in one component or in two.
    """
    u, v = p.pair_u[pair], p.pair_v[pair]
    one, two = x.role[u], x.role[v]
    if p.charge_u and one > two:
        one, two = two, one
    together = 2 if u == v else 1 if x.component[u] == x.component[v] else 0
    return (one * 3 * p.n + two) * 3 + together


@leaf
def fix_role(p, s, x, pair):
    """No attack from here holds this pair, nor any with the same role."""
    assign_roles(p, s, x)
    role = role_of(p, x, pair)
    for other in range(p.pair_u.size):
        if s.status[p.pair_slot[other, 0]] & 2 and role_of(p, x, other) == role:
            decide(p, s, other, np.int64(0))


@leaf
def fix_orbit(p, s, x, pair):
    """No attack from here holds this pair, nor its images."""
    fix_role(p, s, x, pair)
    used = s.tally[USED]
    for k in range(x.image.shape[0]):
        other = x.image[k, pair]
        if x.stabilises[used, k] and s.status[p.pair_slot[other, 0]] & 2:
            decide(p, s, other, np.int64(0))

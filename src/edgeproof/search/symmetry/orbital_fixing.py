"""Orbital fixing: a search node that keeps a pair keeps its images as well, under every automorphism that leaves the
flips made so far where they are.

That leaves out attacks that hold an image. Map such an attack back: what comes out is an attack of the same size that
holds the pair itself. It belongs below the other child, in which the pair is flipped, and that child is searched too,
before or after. If a decision nearer to the root leaves it out there, map it again: the theory page proves that this
ends at an attack which is found.

Orbital fixing runs on nodes that pairwise interactions bound (tree/screened.py) and in the enumeration by orbits
(strategies/orbit_kernels.py), where the budget is 3 to 6 flips (worker.py: uses_symmetries).

Theory: "Orbital fixing loses no attack".
"""

from __future__ import annotations

import numpy as np

from ..jit.decorators import leaf
from ..state.state import PAIR_MARK, USED
from ..state.trail import decide


@leaf
def update_stabiliser(s, x):
    """Note which of the listed automorphisms map each flip made so far to itself: the stabiliser of the flips."""
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
    """The same, with `pair` flipped as well: for the child that is entered next."""
    used = s.tally[USED]
    for k in range(x.image.shape[0]):
        x.stabilises[used + 1, k] = x.stabilises[used, k] & (x.image[k, pair] == pair)


@leaf
def assign_roles(p, s, x):
    """`role`: vertices with the same number may take each other's place while every vertex with a flip stays where it
    is. A vertex with a flip has a number of its own; in a component with a flip, twins share a number; elsewhere,
    vertices at the same place of components that are alike.
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
    """A number of the pair. Pairs have the same one if their ends have the same roles, and lie in one component for
    both pairs, or in two for both: then some exchange of twins and components takes one to the other.
    """
    u, v = p.pair_u[pair], p.pair_v[pair]
    one, two = x.role[u], x.role[v]
    if p.charge_u and one > two:
        one, two = two, one
    together = 2 if u == v else 1 if x.component[u] == x.component[v] else 0
    return (one * 3 * p.n + two) * 3 + together


@leaf
def fix_role(p, s, x, pair):
    """Keep this pair and all undecided pairs with the same role: the child with the pair flipped covers an image of
    every attack that holds one of them.
    """
    assign_roles(p, s, x)
    role = role_of(p, x, pair)
    for other in range(p.pair_u.size):
        if s.status[p.pair_slot[other, 0]] & 2 and role_of(p, x, other) == role:
            decide(p, s, other, np.int64(0))


@leaf
def fix_orbit(p, s, x, pair):
    """Keep this pair and its images: the child with the pair flipped covers an image of every attack that holds one."""
    fix_role(p, s, x, pair)
    used = s.tally[USED]
    for k in range(x.image.shape[0]):
        other = x.image[k, pair]
        if x.stabilises[used, k] and s.status[p.pair_slot[other, 0]] & 2:
            decide(p, s, other, np.int64(0))

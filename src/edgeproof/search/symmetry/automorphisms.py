"""Automorphisms: exchanges of vertices that change nothing about a question.

Two atoms of one kind at the same neighbour, the two sides of a ring: every admissible graph has an image that scores
the same. So where no attack holds a pair besides the flips made so far, none holds its image under a symmetry that
leaves these flips where they are (orbital_fixing.py).

Two kinds of exchanges are possible in so many ways that these are not listed:

- Vertices that are the same to all others are twins: any may stand for any other as long as no flip is at either.
- So may components, the parts that edges make of a graph, if they look alike and are the same to all others: vertex by
  vertex, as long as no flip is at any of their vertices.

Theory: "Automorphisms of a question".
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...model.arrays import IntArray
from ...problem.layout import Compiled, Problem

MOST_LISTED = 64  # symmetries that are looked for; any of them may be left out
STEPS = 10_000  # of looking for them
MOST_VERTICES = 128  # vertices up to which they are looked for: some 0.1 s at most


class Symmetries(NamedTuple):
    """S symmetries that are listed, without the one that leaves all where it is; and exchanges that are not."""

    image: IntArray  # (S, pairs) the pair that each pair goes to
    twin: IntArray  # (n,) the first of a vertex's twins
    component: IntArray  # (n,) its component
    place: IntArray  # (n,) of those in the same place of components that look alike, the first; of twins, the first


def no_symmetries(p: Problem) -> Symmetries:
    alone = np.arange(p.n)
    return Symmetries(np.zeros((0, p.pair_u.size), dtype=np.int64), alone, alone, alone)


def find_symmetries(compiled: Compiled) -> Symmetries:
    p = compiled.problem
    if p.n > MOST_VERTICES:
        return no_symmetries(p)
    table = _table(p)
    kinds = _refine_colours(table, _first_colours(compiled, table))
    twin = _twins(table, kinds)
    component = _components(table)
    found = Symmetries(no_symmetries(p).image, twin, component, _places(table, kinds, component, twin))
    listed = _exchanges(table, kinds)
    if not listed:
        return found
    name = np.full((p.n, p.n), -1, dtype=np.int64)
    name[p.pair_u, p.pair_v] = np.arange(p.pair_u.size)
    if p.charge_u:
        name[p.pair_v, p.pair_u] = name[p.pair_u, p.pair_v]
    to = np.array(listed)
    return found._replace(image=np.ascontiguousarray(name[to[:, p.pair_u], to[:, p.pair_v]]))


def _table(p: Problem) -> IntArray:
    """What each vertex is to each other: absent, there, or one of the two that may be flipped."""
    table = np.zeros((p.n, p.n), dtype=np.int64)
    table[p.slot_source, np.repeat(np.arange(p.n), np.diff(p.slot_ptr))] = p.slot_start
    return table


def _first_colours(compiled: Compiled, table: IntArray) -> IntArray:
    """Colours to begin with: features and budgets, and how often a vertex is looked at."""
    p = compiled.problem
    features = compiled.query.graph.features.dense(compiled.vertices)
    looked_at = (np.arange(p.n)[:, None] < p.active[1:]).sum(axis=1) if p.node_task else np.zeros(p.n)
    asked = np.arange(p.n) == 0 if p.node_task else np.zeros(p.n)
    return _number(np.column_stack([features, p.local, looked_at, asked, table.diagonal()]))


def _number(rows: NDArray[np.generic]) -> IntArray:
    """The same number for equal rows."""
    numbers: IntArray = np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)
    return numbers


def _refine_colours(table: IntArray, kinds: IntArray) -> IntArray:
    """Colour refinement (1-WL), to its fixpoint: equal colours see equal numbers of each colour."""
    while True:
        seen = (4 * table + table.T) * (kinds.max() + 1) + kinds[:, None]
        finer = _number(np.column_stack([kinds, np.sort(seen, axis=0).T]))
        if finer.max() == kinds.max():
            return kinds
        kinds = finer


def _exchanges(table: IntArray, kinds: IntArray) -> list[tuple[int, ...]]:
    """Where each vertex goes: exchanges of two first, since many of these could hide all others."""
    sizes = np.bincount(kinds)
    loose = [int(v) for v in np.flatnonzero(sizes[kinds] > 1)]
    found: dict[tuple[int, ...], None] = {}
    identity = np.arange(kinds.size)
    for u, v in combinations(loose, 2):
        if kinds[u] == kinds[v] and len(found) < MOST_LISTED and _are_alike(table, u, v):
            to = identity.copy()
            to[[u, v]] = v, u
            found[tuple(to.tolist())] = None
    for to in _maps(table, kinds, _in_reach(table, sizes[kinds], loose), identity, MOST_LISTED + 1):
        if len(found) >= MOST_LISTED:
            break
        if (to != identity).any():
            found[tuple(to.tolist())] = None
    return list(found)


def _twins(table: IntArray, kinds: IntArray) -> IntArray:
    """The first of each vertex's twins. Who is a twin of one of them is so of all: exchanges make exchanges."""
    first = np.arange(kinds.size)
    for v in range(kinds.size):
        for u in np.flatnonzero((kinds[:v] == kinds[v]) & (first[:v] == np.arange(v))):
            if _are_alike(table, int(u), v):
                first[v] = u
                break
    return first


def _are_alike(table: IntArray, u: int, v: int) -> bool:
    """Whether two vertices of one kind are the same to each other and to all others."""
    same = (table[u] == table[v]) & (table[:, u] == table[:, v])
    same[[u, v]] = table[u, v] == table[v, u]
    return bool(same.all())


def _components(table: IntArray) -> IntArray:
    """The first vertex of each vertex's component."""
    edges = ((table | table.T) & 1).astype(np.bool_)
    np.fill_diagonal(edges, True)
    first = np.arange(len(table))
    while True:
        nearer = np.where(edges, first, len(table)).min(axis=1)
        if (nearer == first).all():
            return first
        first = nearer


def _places(table: IntArray, kinds: IntArray, component: IntArray, twin: IntArray) -> IntArray:
    """Where each vertex is in the first component that its own may be exchanged with. Who may be exchanged with one of
    them may be so with all: exchanges make exchanges.
    """
    place = twin.copy()
    firsts: dict[tuple[int, ...], list[IntArray]] = {}  # by the kinds in them
    for c in np.unique(component):
        here = np.flatnonzero(component == c)
        alike = firsts.setdefault(tuple(sorted(kinds[here].tolist())), [])
        for there in alike:
            onto = _fit(table, kinds, here, there)
            if onto is not None and _may_be_exchanged(table, here, onto):
                place[here] = twin[onto]
                break
        else:
            alike.append(here)
    return place


def _fit(table: IntArray, kinds: IntArray, here: IntArray, there: IntArray) -> IntArray | None:
    """Where the vertices of one component may go in another, if they fit."""
    sizes = np.bincount(kinds)[kinds]
    found = _maps(table, kinds, _in_reach(table, sizes, here.tolist()), there, 1)
    return found[0][here] if found else None


def _may_be_exchanged(table: IntArray, here: IntArray, there: IntArray) -> bool:
    """Whether all stays as it is if each of these takes the place of the one in the same position there."""
    to = np.arange(len(table))
    to[here], to[there] = there, here
    return bool((table[np.ix_(to, to)] == table).all())


def _in_reach(table: IntArray, sizes: IntArray, loose: list[int]) -> list[int]:
    """An order in which most vertices are at one that was before: there a wrong turn shows early."""
    order: list[int] = []
    edges = (table & 1) | (table.T & 1)
    left = set(loose)
    while left:
        near = {v for v in left if edges[order, v].any()} if order else left
        order.append(min(near or left, key=lambda v: (sizes[v], v)))
        left.remove(order[-1])
    return order


def _maps(table: IntArray, kinds: IntArray, order: list[int], onto: IntArray, most: int) -> list[IntArray]:
    """Up to so many maps of some vertices onto others that keep what they are to each other, by going back from every
    contradiction; vertices that are not in `order` stay.
    """
    out: list[IntArray] = []
    to, steps = np.arange(kinds.size), 0
    taken = np.zeros(kinds.size, dtype=np.bool_)
    choices = [iter(onto[kinds[onto] == kinds[v]].tolist()) for v in order[:1]]
    while choices and steps < STEPS and len(out) < most:
        k = len(choices) - 1
        v = order[k]
        before = np.array(order[:k], dtype=np.int64)
        for w in choices[-1]:
            steps += 1
            fits = (table[before, v] == table[to[before], w]).all() and (table[v, before] == table[w, to[before]]).all()
            if not taken[w] and fits:
                break
        else:
            choices.pop()
            if choices:
                taken[to[order[k - 1]]] = False
            continue
        to[v] = w
        if k + 1 == len(order):
            out.append(to.copy())
            continue
        taken[w] = True
        choices.append(iter(onto[kinds[onto] == kinds[order[k + 1]]].tolist()))
    return out

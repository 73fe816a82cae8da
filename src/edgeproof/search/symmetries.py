"""Symmetries: ways to exchange vertices that change nothing about a question.

Two atoms of one kind at the same neighbour, the two sides of a ring: every admissible graph has an image that scores
the same. So where no attack holds a pair besides the flips made so far, none holds its image under a symmetry that
leaves these flips where they are (mirror.py).

Vertices that are the same to all others are twins. They may be exchanged in so many ways that these are not listed: any
of them may stand for any other as long as no flip is at either.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ..arrays import IntArray
from ..problem import Compiled, Problem

MOST = 64  # symmetries that are looked for; any of them may be left out
STEPS = 10_000  # of looking for them
LARGE = 128  # vertices up to which they are looked for: some 0.1 s at most


def find_symmetries(compiled: Compiled) -> tuple[IntArray, IntArray]:
    """(symmetries, pairs): the pair that each pair goes to; without the one that leaves all where it is. And, of every
    vertex, the first of its twins.
    """
    p = compiled.problem
    none, alone = np.zeros((0, p.pair_u.size), dtype=np.int64), np.arange(p.n)
    if p.n > LARGE:
        return none, alone
    table = _table(p)
    kinds = _refine(table, _kinds(compiled, table))
    twins = _twins(table, kinds)
    found = _exchanges(table, kinds)
    if not found:
        return none, twins
    name = np.full((p.n, p.n), -1, dtype=np.int64)
    name[p.pair_u, p.pair_v] = np.arange(p.pair_u.size)
    if p.charge_u:
        name[p.pair_v, p.pair_u] = name[p.pair_u, p.pair_v]
    to = np.array(found)
    return np.ascontiguousarray(name[to[:, p.pair_u], to[:, p.pair_v]]), twins


def _table(p: Problem) -> IntArray:
    """What each vertex is to each other: absent, there, or one of the two that may be flipped."""
    table = np.zeros((p.n, p.n), dtype=np.int64)
    table[p.slot_source, np.repeat(np.arange(p.n), np.diff(p.slot_ptr))] = p.slot_start
    return table


def _kinds(compiled: Compiled, table: IntArray) -> IntArray:
    """Vertices that differ by themselves: by their features and budgets, by how often they are looked at."""
    p = compiled.problem
    features = compiled.query.graph.features.dense(compiled.vertices)
    looked_at = (np.arange(p.n)[:, None] < p.active[1:]).sum(axis=1) if p.node_task else np.zeros(p.n)
    asked = np.arange(p.n) == 0 if p.node_task else np.zeros(p.n)
    return _number(np.column_stack([features, p.local, looked_at, asked, table.diagonal()]))


def _number(rows: NDArray[np.generic]) -> IntArray:
    """The same number for equal rows."""
    numbers: IntArray = np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)
    return numbers


def _refine(table: IntArray, kinds: IntArray) -> IntArray:
    """Vertices are of different kinds if they are so to different numbers of a kind."""
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
        if kinds[u] == kinds[v] and len(found) < MOST and _are_alike(table, u, v):
            to = identity.copy()
            to[[u, v]] = v, u
            found[tuple(to.tolist())] = None
    for to in _maps(table, kinds, _in_reach(table, sizes[kinds], loose)):
        if len(found) >= MOST:
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


def _maps(table: IntArray, kinds: IntArray, order: list[int]) -> list[IntArray]:
    """Maps onto itself, by going back from every contradiction; vertices that are alone of their kind stay."""
    out: list[IntArray] = []
    to, steps = np.arange(kinds.size), 0
    taken = np.zeros(kinds.size, dtype=np.bool_)
    choices = [iter(np.flatnonzero(kinds == kinds[v]).tolist()) for v in order[:1]]
    while choices and steps < STEPS and len(out) <= MOST:
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
        choices.append(iter(np.flatnonzero(kinds == kinds[order[k + 1]]).tolist()))
    return out

"""Which vertices and pairs can matter to a claim, found anew by the checker.

What a vertex sends reaches the node in question over one edge a layer. With `k` insertions allowed, a way may use up
to k absent pairs. A flip of a pair into v costs one unit itself, so it matters only if v reaches the node with one
insertion less.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..clock import UNLIMITED, Clock
from ..errors import TooLargeError
from ..model.arrays import BoolArray, IntArray
from ..model.graph import Graph, Pair
from ..model.query import Query

MOST_PAIRS = 400_000
STRIDE = 1 << 12  # pairs between two looks at the clock


class Group(NamedTuple):
    """Vertices with equally many slots, so that arrays over them are rectangular."""

    vertices: IntArray  # (m,)
    slots: IntArray  # (m, k)


class Region(NamedTuple):
    """Axes: n vertices (the node in question first, then by distance), S slots (possible in-neighbours, sorted by
    target, edges first), F fragile pairs that can matter.
    """

    vertices: IntArray  # names in the graph
    distance: IntArray
    source: IntArray  # (S,)
    target: IntArray
    ptr: IntArray  # (n + 1,) slots into v are ptr[v] : ptr[v + 1]
    pair: IntArray  # (S,) number of the fragile pair; F where the slot is an edge that never flips
    F: int
    pairs: IntArray  # (F, 2) names in the graph
    ends: IntArray  # (F, 2) the same in the numbers of this region
    present: BoolArray  # (F,) an edge in the input graph
    limit: int  # flips in all
    local: IntArray | None  # (n,) flips at each vertex
    both_pay: bool  # undirected: a flip costs a unit at both ends

    @property
    def n(self) -> int:
        return int(self.vertices.size)

    def number(self) -> dict[Pair, int]:
        return {(u, v): e for e, (u, v) in enumerate(self.pairs.tolist())}

    def groups(self, active: int) -> list[Group]:
        """The first `active` vertices by their number of slots; those without slots are left out."""
        counts = np.diff(self.ptr)[:active]
        found = []
        for k in sorted(set(counts.tolist()) - {0}):
            vertices = np.flatnonzero(counts == k)
            found.append(Group(vertices, self.ptr[vertices][:, None] + np.arange(k)))
        return found


def find_region(query: Query, depth: int, clock: Clock = UNLIMITED) -> Region:
    """Raises `TimeUpError` in the middle where the time is up."""
    graph, threat, node = query.graph, query.threat, query.claim.node
    fragile = _Fragile(query)
    budget = threat.budget
    if node is None:
        distance = dict.fromkeys(range(graph.num_vertices), 0)
        movable = set(distance) if depth else set()
    else:
        insertions = depth if budget is None else min(budget, depth)
        rings = _rings(graph, fragile, node, depth, insertions, clock)
        distance = rings[-1]
        movable = {v for v, steps in rings[max(insertions - 1, 0)].items() if steps < depth}
    if budget == 0:
        movable = set()
    flippable: set[Pair] = set()
    for v in sorted(movable):
        clock.look()
        flippable |= {graph.pair(u, v) for u in fragile.into(v)}
    if len(flippable) > MOST_PAIRS:
        raise TooLargeError(f"{len(flippable):,} pairs can matter, the checker takes up to {MOST_PAIRS:,}")
    pairs = sorted(flippable)
    slots: list[tuple[int, int, int]] = []  # target, source, pair
    present: list[bool] = []
    for e, (u, v) in enumerate(pairs):
        if e % STRIDE == 0:
            clock.look()
        present.append(graph.has_edge(u, v))
        slots.append((v, u, e))
        if not graph.directed and u != v:
            slots.append((u, v, e))
    for v in distance:
        if node is None or distance[v] < depth:
            fixed = (u for u in graph.in_neighbours(v).tolist() if graph.pair(u, v) not in flippable)
            slots.extend((v, u, len(pairs)) for u in fixed)
    if node is not None:
        distance = _over_slots(slots, node, distance)
    vertices = sorted(distance, key=lambda v: (distance[v], v))
    number = {v: k for k, v in enumerate(vertices)}
    clock.look()
    # edges come first: where slots tie, the line of a max goes to the one that the search takes as well
    there = [*present, True]
    rows = sorted((number[v], not there[e], number[u], e) for v, u, e in slots)
    clock.look()
    table = np.array([(v, u, e) for v, _, u, e in rows], dtype=np.int64).reshape(-1, 3)
    names = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    order = np.array(vertices, dtype=np.int64)
    return Region(
        vertices=order,
        distance=np.array([distance[v] for v in vertices], dtype=np.int64),
        source=table[:, 1].copy(),
        target=table[:, 0].copy(),
        ptr=np.searchsorted(table[:, 0], np.arange(order.size + 1)).astype(np.int64),
        pair=table[:, 2].copy(),
        F=len(pairs),
        pairs=names,
        ends=np.array([[number[u], number[v]] for u, v in pairs], dtype=np.int64).reshape(-1, 2),
        present=np.array(present, dtype=np.bool_),
        limit=len(pairs) if budget is None else min(budget, len(pairs)),
        local=_local(query, order, len(pairs)),
        both_pay=not graph.directed,
    )


def _over_slots(slots: list[tuple[int, int, int]], node: int, before: dict[int, int]) -> dict[int, int]:
    """Steps to the node over slots, whatever they cost. Over a slot whose own flip takes the last unit, a vertex may
    be nearer than over ways that the budget pays; a source is then still at most one step further than its target.
    """
    sources: dict[int, list[int]] = {}
    for v, u, _ in slots:
        sources.setdefault(v, []).append(u)
    found, ring, steps = {node: 0}, [node], 0
    while ring:
        steps += 1
        ring = [u for u in dict.fromkeys(u for v in ring for u in sources.get(v, ())) if u not in found]
        found |= dict.fromkeys(ring, steps)
    return {v: min(far, found.get(v, far)) for v, far in before.items()}


def _local(query: Query, vertices: IntArray, most: int) -> IntArray | None:
    """More than `most` flips are never at a vertex."""
    if query.threat.local_budget is None:
        return None
    limits = (query.threat.local_budget_of(v) for v in vertices.tolist())
    return np.array([most if limit is None else min(limit, most) for limit in limits], dtype=np.int64)


class _Fragile:
    """The pairs into a vertex that may flip, by the definition of the threat."""

    def __init__(self, query: Query) -> None:
        self.graph, self.threat, self.node = query.graph, query.threat, query.claim.node
        self.protected = self.threat.protected_pairs(self.graph)
        self.listed = self.threat.listed_sources(self.graph)

    def into(self, v: int) -> list[int]:
        """Sources u for which the pair (u, v) is fragile."""
        if self.listed is not None:
            return self.listed.get(v, [])
        there = set(self.graph.in_neighbours(v).tolist())
        found = sorted(there) if self.threat.delete else []
        if self.threat.insert is True or (self.threat.insert == "target" and v == self.node):
            found += [u for u in range(self.graph.num_vertices) if u != v and u not in there]
        elif self.threat.insert == "target" and not self.graph.directed and self.node is not None:
            # an undirected pair with the node is also a way from the node into v
            found += [self.node] if v != self.node and self.node not in there else []
        if self.protected:
            found = [u for u in found if self.graph.pair(u, v) not in self.protected]
        return found

    def absent_into(self, v: int) -> list[int]:
        if self.listed is None and not self.threat.insert:
            return []
        there = set(self.graph.in_neighbours(v).tolist())
        return [u for u in self.into(v) if u not in there]


def _rings(
    graph: Graph, fragile: _Fragile, node: int, depth: int, insertions: int, clock: Clock
) -> list[dict[int, int]]:
    """rings[k][v]: fewest steps from v to the node, at most `depth`, with at most k insertions on the way."""
    rings: list[dict[int, int]] = []
    for k in range(insertions + 1):
        found = {node: 0}
        for steps in range(1, depth + 1):
            for v in [v for v, far in found.items() if far == steps - 1]:
                for u in graph.in_neighbours(v).tolist():
                    found.setdefault(u, steps)
            if k > 0:
                for v in [v for v, far in rings[k - 1].items() if far == steps - 1]:
                    clock.look()
                    if len(found) < graph.num_vertices:
                        for u in fragile.absent_into(v):
                            found.setdefault(u, steps)
        rings.append(found)
        if k > 0 and rings[k] == rings[k - 1]:
            rings += [found] * (insertions - k)
            break
    return rings

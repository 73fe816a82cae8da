"""Which vertices and pairs can matter to the claim.

Theory: "Pairs that can matter".
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import TooLargeError
from ..model.arrays import IntArray
from ..model.graph import Graph
from ..model.injection import NewEnds
from ..model.network import Aggregation
from ..model.query import Query
from ..model.threat import Threat

# pairs up to which all sources and targets are looked at together
GRID = 1 << 23


class Surroundings(NamedTuple):
    """Vertices in order of distance to the node in question (graph tasks: as they are, all at distance 0)."""

    vertices: IntArray  # original numbers
    distance: IntArray
    fixed: IntArray  # (2, edges) present and not fragile: source, target, renumbered
    degree: IntArray  # in-degree in G, with one self-loop
    ends: IntArray  # (F, 2) fragile pairs (u, v), renumbered; a directed pair points u -> v
    pairs: IntArray  # the same, under the graph's names
    present: NDArray[np.bool_]


def find_surroundings(query: Query, looking: list[Aggregation], budget: int | None, limit: int) -> Surroundings:
    """`looking`: how the layers that look at neighbours aggregate, the first one first."""
    graph, threat, node = query.graph, query.threat, query.claim.node
    depth, rings = len(looking), count_rings(looking)
    # GCN gives every vertex a self-loop, so that flipping one matters to other layers only
    loops = not all(how.normalises for how in looking)
    fragile = _Fragile(graph, threat, node, loops)
    if node is None:
        distance = dict.fromkeys(range(graph.num_vertices), 0)
        movable = distance if depth else {}
    else:
        most = 0 if fragile.only_edges else rings if budget is None else min(budget, rings)
        levels = _distances(graph, fragile, node, depth, most)
        # a flip into v matters if v reaches the node with the insertions that are left for the way
        movable = {v: k for v, k in levels[max(most - 1, 0)].items() if k < rings}
        if budget == 0:
            movable = {}
        distance = _with_far_sources(levels[-1], fragile, movable, depth)
    order = np.array(sorted(distance, key=lambda v: (distance[v], v)), dtype=np.int64)
    number = np.full(graph.num_vertices, -1, dtype=np.int64) if graph.num_vertices < 1 << 16 else _Numbers()
    number[order] = np.arange(order.size)
    pairs, present = _fragile_pairs(graph, fragile, movable, number, limit)
    far = np.array([distance[v] for v in order.tolist()], dtype=np.int64)
    inner = order if node is None else order[: np.searchsorted(far, depth)]
    return Surroundings(
        vertices=order,
        distance=far,
        fixed=_fixed_edges(graph, fragile, inner, movable, pairs, number),
        degree=_degrees(graph, order) if any(how.normalises for how in looking) else np.ones_like(order),
        ends=np.stack([number[pairs[:, 0]], number[pairs[:, 1]]], axis=1),
        pairs=pairs,
        present=present,
    )


def _fixed_edges(
    graph: Graph, fragile: _Fragile, inner: IntArray, movable: dict[int, int], pairs: IntArray, number: _Numbering
) -> IntArray:
    """Edges into these vertices that are not fragile, renumbered."""
    # with insertions, vertices of a node task that may be flipped at are not all that are looked at
    every_edge = fragile.only_edges or (fragile.everything and fragile.threat.delete and fragile.node is None)
    if every_edge and fragile.loops and inner.size == len(movable):
        return np.zeros((2, 0), dtype=np.int64)  # the same vertices, and every edge into them is fragile
    sources, targets = graph.edges_into(inner)
    kept = ~np.isin(_name(graph, sources, targets), _name(graph, pairs[:, 0], pairs[:, 1]))
    return np.stack([number[sources[kept]], number[targets[kept]]])


def count_rings(looking: list[Aggregation]) -> int:
    """Flips into vertices at smaller distances can matter. Under GCN a message depends on its sender's degree, so
    flips into the farthest senders matter too.
    """
    return len(looking) + (len(looking) > 0 and looking[0].normalises)


def _with_far_sources(
    distance: dict[int, int], fragile: _Fragile, movable: dict[int, int], depth: int
) -> dict[int, int]:
    """Sources of pairs that matter only to the degree of their target: they send nothing, but may be charged."""
    out = dict(distance)
    for v, k in movable.items():
        if k == depth and len(out) < fragile.graph.num_vertices:
            for sources in fragile.sources(v):
                for u in sources:
                    out.setdefault(int(u), depth + 1)
    return out


def _degrees(graph: Graph, vertices: IntArray) -> IntArray:
    sources, targets = graph.edges_into(vertices)
    looped = np.isin(vertices, targets[sources == targets])
    return graph.in_ptr[vertices + 1] - graph.in_ptr[vertices] + ~looped


class _Numbers(dict[int, int]):
    """A sparse stand-in for a renumbering array, so that a question costs nothing on a graph of millions."""

    def __setitem__(self, vertices: IntArray, numbers: IntArray) -> None:  # type: ignore[override]
        self.update(zip(vertices.tolist(), numbers.tolist(), strict=True))

    def __getitem__(self, vertices: IntArray) -> IntArray:  # type: ignore[override]
        return np.array([self.get(v, -1) for v in vertices.tolist()], dtype=np.int64)


_Numbering = IntArray | _Numbers


def _name(graph: Graph, u: IntArray, v: IntArray) -> IntArray:
    """One number a pair: the same for both directions of an undirected one."""
    if not graph.directed:
        u, v = np.minimum(u, v), np.maximum(u, v)
    return u * graph.num_vertices + v


class _Fragile:
    """Answers which pairs into a vertex may flip, without listing the pairs of the whole graph."""

    def __init__(self, graph: Graph, threat: Threat, node: int | None, loops: bool) -> None:
        self.graph, self.threat, self.node, self.loops = graph, threat, node, loops
        self.protected = threat.protected_pairs(graph)
        # the common case: every edge may go, nothing may come
        self.only_edges = threat.delete and not threat.insert and threat.fragile is None and not self.protected
        self.everything = threat.insert is True and threat.fragile is None and not self.protected
        self.listed = threat.listed_sources(graph)

    def sources(self, v: int) -> tuple[list[int], IntArray | list[int]]:
        """(sources of fragile edges into v, sources of fragile absent pairs into v)."""
        inside = self.graph.in_neighbours(v)
        if self.listed is not None:
            there = set(inside.tolist())
            listed = [u for u in self.listed.get(v, []) if u != v or self.loops]
            return [u for u in listed if u in there], [u for u in listed if u not in there]
        deletable = inside[(inside != v) | self.loops].tolist() if self.threat.delete else []
        insertable: IntArray | list[int] = []
        if self.threat.insert is True or (self.threat.insert == "target" and v == self.node):
            free = np.ones(self.graph.num_vertices, dtype=np.bool_)
            free[inside] = False
            free[v] = False
            insertable = np.flatnonzero(free)
        elif self.threat.insert == "target" and not self.graph.directed and self.node is not None:
            # undirected, the pair (v, node) is also a way from the node into v
            insertable = [self.node] if v != self.node and not self.graph.has_edge(self.node, v) else []
        elif isinstance(self.threat.insert, NewEnds):
            free = np.arange(self.graph.num_vertices) >= (
                0 if v >= self.threat.insert.first else self.threat.insert.first
            )
            free[inside] = False
            free[v] = False
            insertable = np.flatnonzero(free)
        if self.protected:
            deletable = [u for u in deletable if self.graph.pair(u, v) not in self.protected]
            insertable = [int(u) for u in insertable if self.graph.pair(int(u), v) not in self.protected]
        return deletable, insertable

    def count(self, v: int) -> int:
        if self.only_edges or self.everything:
            edges, looped = int(self.graph.in_ptr[v + 1] - self.graph.in_ptr[v]), self.graph.has_edge(v, v)
            gone = edges - (looped and not self.loops) if self.threat.delete else 0
            return gone + (self.graph.num_vertices - edges - (not looped) if self.everything else 0)
        deletable, insertable = self.sources(v)
        return len(deletable) + len(insertable)


def _distances(graph: Graph, fragile: _Fragile, node: int, depth: int, most: int) -> list[dict[int, int]]:
    """levels[i][v]: length of the shortest way from v to the node with at most i inserted pairs on it."""
    levels: list[dict[int, int]] = []
    for inserted in range(most + 1):
        found = {node: 0}
        before = levels[-1] if levels else {}
        for length in range(1, depth + 1):
            layer = [v for v, k in found.items() if k == length - 1]
            for v in layer:
                for u in graph.in_neighbours(v).tolist():
                    found.setdefault(u, length)
            if inserted:
                for v in [v for v, k in before.items() if k == length - 1]:
                    if len(found) == graph.num_vertices:
                        break  # who is found is found at the smallest length
                    for u in fragile.sources(v)[1]:
                        found.setdefault(int(u), length)
        levels.append(found)
        if inserted and found == before:
            levels += [found] * (most - inserted)
            break
    return levels


def _fragile_pairs(
    graph: Graph, fragile: _Fragile, movable: dict[int, int], number: _Numbering, limit: int
) -> tuple[IntArray, NDArray[np.bool_]]:
    """Fragile pairs into movable vertices and whether they are edges, those close to the node first."""
    total = len(movable) * graph.num_vertices  # no more than that
    if total > limit:
        total = sum(fragile.count(v) for v in movable)
    if total > limit and not graph.directed:
        total -= _both_ends(graph, fragile, movable)
    if total > limit:
        raise TooLargeError(
            f"{total:,} pairs can matter to this claim, the search takes up to {limit:,}: "
            "lower the budget, or restrict the pairs (fragile=, protected=, insert='target')"
        )
    if fragile.only_edges:
        sources, targets = graph.edges_into(np.fromiter(movable, np.int64, len(movable)))
        kept = (sources != targets) | fragile.loops
        sources, targets = sources[kept], targets[kept]
        near = np.lexsort((number[sources], number[targets]))
        pairs, present = np.stack([sources[near], targets[near]], axis=1), np.ones(sources.size, dtype=np.bool_)
        return _without_reverses(graph, pairs, present)
    if fragile.everything and len(movable) * graph.num_vertices <= GRID:
        return _every_pair(graph, fragile, movable, number)
    blocks, edges = [], []
    for v in sorted(movable, key=lambda v: (movable[v], v)):
        deletable, insertable = fragile.sources(v)
        u = np.concatenate([np.asarray(deletable, dtype=np.int64), np.asarray(insertable, dtype=np.int64)])
        near = np.argsort(number[u], kind="stable")
        blocks.append(np.stack([u[near], np.full(u.size, v)], axis=1))
        edges.append((np.arange(u.size) < len(deletable))[near])
    if not blocks:
        return np.zeros((0, 2), dtype=np.int64), np.zeros(0, dtype=np.bool_)
    return _without_reverses(graph, np.concatenate(blocks), np.concatenate(edges))


def _every_pair(
    graph: Graph, fragile: _Fragile, movable: dict[int, int], number: _Numbering
) -> tuple[IntArray, NDArray[np.bool_]]:
    """The same where every pair is fragile, laid out as a grid."""
    n = graph.num_vertices
    targets = np.array(sorted(movable, key=lambda v: (movable[v], v)), dtype=np.int64)
    row = np.full(n, -1)
    row[targets] = np.arange(targets.size)
    sources = np.argsort(number[np.arange(n)], kind="stable")
    place = np.empty(n, dtype=np.int64)
    place[sources] = np.arange(n)
    present = np.zeros((targets.size, n), dtype=np.bool_)
    there, into = graph.edges_into(targets)
    present[row[into], place[there]] = True
    kept = np.ones_like(present)
    looped = np.arange(targets.size), place[targets]
    kept[looped] = present[looped] & fragile.loops  # an absent self-loop is not inserted
    if not fragile.threat.delete:
        kept &= ~present
    whole = not graph.directed and np.array_equal(sources, targets)
    if whole:
        kept = np.triu(kept)  # what is below are reverses
    at, source = np.nonzero(kept)
    pairs = np.stack([sources[source], targets[at]], axis=1)
    return (np.sort(pairs, axis=1), present[kept]) if whole else _without_reverses(graph, pairs, present[kept])


def _both_ends(graph: Graph, fragile: _Fragile, movable: dict[int, int]) -> int:
    """How many undirected pairs have been counted into both of their ends."""
    seen = np.zeros(graph.num_vertices, dtype=np.bool_)
    twice = 0
    for v in movable:
        for sources in fragile.sources(v):
            twice += int(seen[np.asarray(sources, dtype=np.int64)].sum())
        seen[v] = True
    return twice


def _without_reverses(graph: Graph, pairs: IntArray, present: NDArray[np.bool_]) -> tuple[IntArray, NDArray[np.bool_]]:
    """Every undirected pair once, where it comes first."""
    if graph.directed:
        return pairs, present
    pairs = np.sort(pairs, axis=1)
    _, first = np.unique(_name(graph, pairs[:, 0], pairs[:, 1]), return_index=True)
    first.sort()
    return pairs[first], present[first]

"""Which vertices and pairs can matter to the claim."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .arrays import IntArray
from .errors import TooLargeError
from .graph import Graph, Pair
from .query import Query
from .threat import Threat


class Surroundings(NamedTuple):
    """Vertices in order of distance to the node in question (graph tasks: as they are, all at distance 0)."""

    vertices: IntArray  # original numbers
    distance: IntArray
    fixed: IntArray  # (2, edges) present and not fragile: source, target, renumbered
    ends: list[Pair]  # fragile pairs (u, v), renumbered; a directed pair points u -> v
    pairs: list[Pair]  # the same, under the graph's names
    present: NDArray[np.bool_]


def find_surroundings(query: Query, depth: int, budget: int | None, limit: int) -> Surroundings:
    """`depth` counts the layers that look at neighbours."""
    graph, threat, node = query.graph, query.threat, query.claim.node
    fragile = _Fragile(graph, threat, node)
    if node is None:
        distance = dict.fromkeys(range(graph.num_vertices), 0)
        movable = distance if depth else {}
    else:
        most = depth if budget is None else min(budget, depth)
        levels = _distances(graph, fragile, node, depth, most)
        distance = levels[-1]
        # a flip into v matters if v reaches the node with the insertions that are left for the way
        movable = {v: k for v, k in levels[max(most - 1, 0)].items() if k < depth}
        if budget == 0:
            movable = {}
    order = sorted(distance, key=lambda v: (distance[v], v))
    number = {v: i for i, v in enumerate(order)}
    moved = _fragile_pairs(graph, fragile, movable, number, limit)
    pairs = list(moved)
    fixed = []
    for v in order:
        if node is None or distance[v] < depth:
            fixed += [(number[u], number[v]) for u in graph.in_neighbours(v).tolist() if graph.pair(u, v) not in moved]
    return Surroundings(
        vertices=np.array(order, dtype=np.int64),
        distance=np.array([distance[v] for v in order], dtype=np.int64),
        fixed=np.array(fixed, dtype=np.int64).reshape(-1, 2).T,
        ends=[(number[u], number[v]) for u, v in pairs],
        pairs=pairs,
        present=np.array(list(moved.values()), dtype=np.bool_),
    )


class _Fragile:
    """Answers which pairs into a vertex may flip, without listing the pairs of the whole graph."""

    def __init__(self, graph: Graph, threat: Threat, node: int | None) -> None:
        self.graph, self.threat, self.node = graph, threat, node
        self.protected = threat.protected_pairs(graph)
        self.listed: dict[int, list[int]] | None = None
        explicit = threat.explicit_pairs(graph)
        if explicit is not None:
            self.listed = {}
            for u, v in sorted(explicit):
                self.listed.setdefault(v, []).append(u)
                if not graph.directed and u != v:
                    self.listed.setdefault(u, []).append(v)

    def sources(self, v: int) -> tuple[list[int], IntArray | list[int]]:
        """(sources of fragile edges into v, sources of fragile absent pairs into v)."""
        inside = self.graph.in_neighbours(v)
        if self.listed is not None:
            there = set(inside.tolist())
            listed = self.listed.get(v, [])
            return [u for u in listed if u in there], [u for u in listed if u not in there]
        deletable = inside.tolist() if self.threat.delete else []
        insertable: IntArray | list[int] = []
        if self.threat.insert is True or (self.threat.insert == "target" and v == self.node):
            free = np.ones(self.graph.num_vertices, dtype=np.bool_)
            free[inside] = False
            free[v] = False
            insertable = np.flatnonzero(free)
        elif self.threat.insert == "target" and not self.graph.directed and self.node is not None:
            # undirected, the pair (v, node) is also a way from the node into v
            insertable = [self.node] if v != self.node and not self.graph.has_edge(self.node, v) else []
        if self.protected:
            deletable = [u for u in deletable if self.graph.pair(u, v) not in self.protected]
            insertable = [int(u) for u in insertable if self.graph.pair(int(u), v) not in self.protected]
        return deletable, insertable

    def count(self, v: int) -> int:
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
                    for u in fragile.sources(v)[1]:
                        found.setdefault(int(u), length)
        levels.append(found)
        if inserted and found == before:
            levels += [found] * (most - inserted)
            break
    return levels


def _fragile_pairs(
    graph: Graph, fragile: _Fragile, movable: dict[int, int], number: dict[int, int], limit: int
) -> dict[Pair, bool]:
    """Fragile pairs into movable vertices and whether they are edges, those close to the node first."""
    total = 0
    for v in movable:
        total += fragile.count(v)
        if total > 2 * limit:
            break
    if total > 2 * limit or (graph.directed and total > limit):
        total = sum(fragile.count(v) for v in movable)
        raise TooLargeError(
            f"{total:,} pairs can matter to this claim, the search takes up to {limit:,}: "
            "lower the budget, or restrict the pairs (fragile=, protected=, insert='target')"
        )
    found: dict[Pair, bool] = {}
    for v in sorted(movable, key=lambda v: (movable[v], v)):
        deletable, insertable = fragile.sources(v)
        both = [(number[u], u, True) for u in deletable] + [(number[int(u)], int(u), False) for u in insertable]
        for _, u, present in sorted(both):
            found.setdefault(graph.pair(u, v), present)
    return found

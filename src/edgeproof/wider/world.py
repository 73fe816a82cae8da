"""The graph with the vertices that may be added, and which sets of flips of it are admissible.

Theory: "New vertices as isolated ones", "Costs by relaxation".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement
from math import comb

import numpy as np

from ..errors import TooLargeError
from ..model.arrays import IntArray
from ..model.graph import Graph, Pair
from ..model.injection import NewEnds
from ..model.perturb import with_vertices
from ..model.query import Query
from ..model.threat import Threat
from ..model.verdict import Attack

# of a local budget that is none
ENDLESS = 1 << 40
# pairs that are listed, in all
MOST_PAIRS = 400_000
# ways to give new vertices their rows
MOST_WORLDS = 20_000


@dataclass(frozen=True, eq=False)
class World:
    """`rows[k]`: the row of the pool that vertex `first + k` has; at most `used` of these may have edges, and if
    `everybody`, each must.
    """

    query: Query
    graph: Graph
    first: int
    rows: tuple[int, ...]
    used: int
    everybody: bool
    costs: dict[Pair, int]

    def pairs_at(self, vertex: int) -> list[Pair]:
        """All pairs that may flip at a new vertex."""
        others = [u for u in range(self.graph.num_vertices) if u != vertex]
        found = [self.graph.pair(u, vertex) for u in others]
        return found + [(vertex, u) for u in others] if self.graph.directed else found

    def new_ends(self, pair: Pair) -> list[int]:
        return [v for v in set(pair) if v >= self.first]

    def cost(self, pairs: Iterable[Pair]) -> int:
        return sum(self.costs.get(pair, 1) for pair in pairs)

    def spent(self, pairs: Iterable[Pair]) -> Counter[int]:
        """What flips cost at each old vertex that pays, and at each new one its number of edges."""
        spent: Counter[int] = Counter()
        for u, v in pairs:
            payers = {v} if self.graph.directed else {u, v}
            for w in {w for w in payers if w < self.first}:
                spent[w] += self.costs.get((u, v), 1)
            for w in self.new_ends((u, v)):
                spent[w] += 1
        return spent

    def limit(self, vertex: int) -> int | None:
        inject = self.query.threat.inject
        if vertex >= self.first and inject is not None:
            return inject.edges
        return self.query.threat.local_budget_of(vertex)

    def overspent(self, pairs: Iterable[Pair]) -> list[int]:
        """Vertices at which these flips cost too much."""
        told = ((w, cost, self.limit(w)) for w, cost in self.spent(pairs).items())
        return sorted(w for w, cost, limit in told if limit is not None and cost > limit)

    def with_edges(self, pairs: Iterable[Pair]) -> list[int]:
        """The new vertices that have edges."""
        return sorted({w for pair in pairs for w in self.new_ends(pair)})

    def attack(self, pairs: Iterable[Pair]) -> Attack:
        """In the user's numbers: new vertices without edges are left out."""
        flips = list(pairs)
        there = range(self.first, self.graph.num_vertices) if self.everybody else self.with_edges(flips)
        number = {v: self.first + k for k, v in enumerate(there)}
        inject = self.query.threat.inject
        return Attack(
            [(number.get(u, u), number.get(v, v)) for u, v in flips],
            injected=[self.rows[v - self.first] for v in there], cost=self.cost(flips),
            pool=None if inject is None else inject.features,
        )  # fmt: skip

    # --- a question that an engine knows ---

    def threat(
        self, flipped: frozenset[Pair], kept: frozenset[Pair], closed: frozenset[int], budget: int | None, unit: int
    ) -> Threat:
        """What is left when these pairs are decided and these new vertices stay without edges, where every flip takes
        at least `unit`: a threat that admits all that is admissible, in which each flip takes one.
        """
        given = self.query.threat
        threat = replace(given.edges_only(), protected=given.protected | flipped | kept)
        if self.rows:
            threat = self._with_new_pairs(threat, closed)
        left = None if budget is None else max(budget - self.cost(flipped), 0) // unit
        return replace(threat, budget=left, local_budget=self._local_left(flipped, closed, unit))

    def _with_new_pairs(self, threat: Threat, closed: frozenset[int]) -> Threat:
        """Undirected, a new vertex is closed by a local budget of 0."""
        if threat.fragile is None and threat.insert != "target" and not (closed and self.graph.directed):
            return threat if threat.insert else replace(threat, insert=NewEnds(self.first))
        if threat.insert is True:
            return replace(threat, protected=threat.protected.union(*(self.pairs_at(v) for v in closed)))
        open_ones = [v for v in range(self.first, self.graph.num_vertices) if v not in closed]
        listed = self.old_pairs().union(*(self.pairs_at(v) for v in open_ones))
        fragile = {pair for pair in listed if closed.isdisjoint(pair)}
        return replace(threat, delete=True, insert=False, fragile=frozenset(fragile) - threat.protected)

    def old_pairs(self) -> set[Pair]:
        """Pairs of old vertices that may flip, as a list."""
        threat, graph, node = self.query.threat, self.query.graph, self.query.claim.node
        listed = threat.explicit_pairs(graph)
        if listed is not None:
            return set(listed)
        edges = set(graph.edge_pairs())
        found = set(edges) if threat.delete else set()
        if threat.insert == "target" and node is not None:
            found |= {graph.pair(u, node) for u in range(graph.num_vertices) if u != node} - edges
        return found

    def _local_left(self, flipped: frozenset[Pair], closed: frozenset[int], unit: int) -> int | IntArray | None:
        """Local budgets less what these flips cost, in flips that cost `unit` each."""
        given, spent = self.query.threat.local_budget, self.spent(flipped)
        if not self.rows and (given is None or (isinstance(given, int) and not spent)):
            return None if given is None else given // unit
        n, inject = self.graph.num_vertices, self.query.threat.inject
        left = np.full(n, 0 if inject is None else inject.edges, dtype=np.int64)
        left[: self.first] = ENDLESS if given is None else given
        for w, cost in spent.items():
            left[w] -= cost
        left[: self.first] //= unit
        left[list(closed)] = 0
        return left


def worlds(query: Query) -> Iterator[World]:
    """Every admissible graph is one of these with an admissible set of flips.

    A vertex without edges is none at all for a question about a node: one graph holds all rows of the pool. A question
    about a whole graph pools over them, so there each way to give rows to 0, 1, .. vertices is one of its own.
    """
    inject, first = query.threat.inject, query.graph.num_vertices
    costs = query.threat.costs(query.graph)
    if inject is None:
        yield World(query, query.graph, first, (), 0, False, costs)
        return
    pool, kinds = inject.features, _kinds(inject.features)
    if query.claim.node is not None:
        rows = tuple(row for row in kinds for _ in range(inject.count))
        if len(rows) * first > MOST_PAIRS:
            _refuse_pairs(len(rows) * first)
        yield World(query, with_vertices(query.graph, pool[list(rows)]), first, rows, inject.count, False, costs)
        return
    number = sum(comb(len(kinds) + size - 1, size) for size in range(inject.count + 1))
    if number > MOST_WORLDS:
        raise TooLargeError(
            f"inject: there are {number:,} ways to give new vertices their rows, the limit is {MOST_WORLDS:,}: "
            "give fewer rows, or a smaller count"
        )
    for size in range(inject.count + 1):
        for rows in combinations_with_replacement(kinds, size):
            graph = with_vertices(query.graph, pool[list(rows)]) if rows else query.graph
            yield World(query, graph, first, rows, size, True, costs)


def _refuse_pairs(number: int) -> None:
    raise TooLargeError(
        f"inject: new vertices make {number:,} pairs, the limit is {MOST_PAIRS:,}: give fewer rows, or a smaller count"
    )


def _kinds(pool: np.ndarray) -> list[int]:
    """Of equal rows the first."""
    seen: dict[bytes, int] = {}
    for number, row in enumerate(pool + 0.0):
        seen.setdefault(row.tobytes(), number)
    return list(seen.values())

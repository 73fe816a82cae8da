"""Networks with attention that no bound speaks of: every admissible graph is looked at, where they are few.

Theory: "Every graph with attention".
"""

from __future__ import annotations

from collections.abc import Iterator
from math import comb

from ...arithmetic.decide import Decider
from ...errors import TooLargeError
from ...model.graph import Pair
from ...model.query import Query
from ..deadline import Alarm
from .branch import OutOfNodesError
from .from_base import FromBase
from .surroundings import local_budgets

# graphs of one size that are looked at one by one; the same where base values help; and pairs that are listed
MOST_GRAPHS, MOST_FROM_BASE, MOST_PAIRS = 200_000, 20_000_000, 20_000


def pairs_that_matter(query: Query) -> list[Pair]:
    """Fragile pairs into vertices near enough to reach the node in question; all of them in graph tasks."""
    graph, node, both = query.graph, query.claim.node, not query.graph.directed
    listed = _fragile_pairs(query)
    hearing = [one for one in query.network.layers if not one.is_dense]
    if all(one.attention is not None and one.attention.self_loops for one in hearing):
        listed = {(u, v) for u, v in listed if u != v}
    if node is None:
        return sorted(listed)
    near, into = {node}, dict[int, set[int]]()
    for u, v in listed:
        into.setdefault(v, set()).add(u)
        if both:
            into.setdefault(u, set()).add(v)
    for _ in range(len(hearing) - 1 + query.network.normalises):
        near = near.union(*(graph.in_neighbours(v).tolist() for v in near), *(into.get(v, set()) for v in near))
    return sorted((u, v) for u, v in listed if v in near or (both and u in near))


def _fragile_pairs(query: Query) -> set[Pair]:
    graph, threat, node, n = query.graph, query.threat, query.claim.node, query.graph.num_vertices
    explicit = threat.explicit_pairs(graph)
    if explicit is not None:
        return set(explicit)
    if threat.insert is True and threat.count_fragile(graph, node) > MOST_PAIRS:
        raise TooLargeError(_refusal(f"any of {threat.count_fragile(graph, node):,} pairs may flip"))
    listed = set(graph.edge_pairs()) if threat.delete else set()
    if threat.insert is True:
        apart = ((u, v) for u in range(n) for v in range(n) if u != v and not graph.has_edge(u, v))
        listed |= {graph.pair(u, v) for u, v in apart}
    elif threat.insert == "target" and node is not None:
        listed |= {graph.pair(u, node) for u in range(n) if u != node and not graph.has_edge(u, node)}
    return listed - threat.protected_pairs(graph)


class IncompleteError(Exception):
    """Graphs with so many flips are too many, and nothing bounds them."""


class EveryGraph:
    """The same calls as `TwoLayers`; sizes of flip sets are settled one after the other."""

    def __init__(self, query: Query, alarm: Alarm, node_limit: int | None) -> None:
        self.query, self.alarm, self._node_limit = query, alarm, node_limit
        self._budgets = local_budgets(query, query.graph)
        self._local: list[int] = self._budgets.tolist()
        self.pairs = [pair for pair in pairs_that_matter(query) if all(self._local[w] > 0 for w in self._payers(pair))]
        self._decider = Decider(query.network, query.graph)
        self._from_base = FromBase.make(query, self.pairs, self._budgets, alarm, self._decide)
        self._most = MOST_GRAPHS if self._from_base is None else MOST_FROM_BASE
        self.done = -1
        self.nodes, self.leaves, self._decided = 0, 0, 0

    @property
    def evaluations(self) -> int:
        return self._decided + (0 if self._from_base is None else self._from_base.evaluations)

    def _payers(self, pair: Pair) -> tuple[int, ...]:
        u, v = pair
        return (v,) if self.query.graph.directed or u == v else (u, v)

    def _decide(self, flips: tuple[Pair, ...]) -> int | None:
        if self._node_limit is not None and self.nodes >= self._node_limit:
            raise OutOfNodesError
        self.nodes += 1
        self._decided += 1
        claim = self.query.claim
        return self._decider.rival(claim.node, claim.label, self.query.rivals, flips, self.alarm)

    def decide(self, budget: int) -> tuple[list[Pair], int] | None:
        """An attack and the class that wins; None: there is none. `IncompleteError`: no attack was found."""
        budget = min(budget, len(self.pairs))
        for size in range(self.done + 1, budget + 1):
            if comb(len(self.pairs), size) > self._most:
                found = self.follow_gains(budget)
                if found is None:
                    raise IncompleteError
                return found
            found = self._look_at(size)
            if found is not None:
                return found
            self.done = size
        return None

    def follow_gains(self, budget: int) -> tuple[list[Pair], int] | None:
        """An attack from what single flips gain, if any is found so."""
        return None if self._from_base is None else self._from_base.follow_gains(budget)

    def _look_at(self, size: int) -> tuple[list[Pair], int] | None:
        if self._from_base is not None and size > 0:
            return self._from_base.look_at(size)
        for flips in self._sets(size, 0):
            self.alarm.look()
            rival = self._decide(flips)
            if rival is not None:
                return list(flips), rival
        return None

    def _sets(self, size: int, start: int) -> Iterator[tuple[Pair, ...]]:
        if size == 0:
            yield ()
            return
        for at in range(start, len(self.pairs) - size + 1):
            payers = self._payers(self.pairs[at])
            if any(self._local[w] < 1 for w in payers):
                continue
            for w in payers:
                self._local[w] -= 1
            try:
                for rest in self._sets(size - 1, at + 1):
                    yield (self.pairs[at], *rest)
            finally:
                for w in payers:
                    self._local[w] += 1


def _refusal(why: str) -> str:
    return (
        f"attention: {why}; networks other than two layers of GATConv or GATv2Conv with one output head are decided "
        "graph by graph, from a list of pairs; give Threat(fragile=...) or insert='target'"
    )

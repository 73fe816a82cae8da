"""The flips that can matter to a node two attention layers deep: those into it, and into what it hears or may hear."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...model.graph import Graph, Pair
from ...model.query import Query
from .program import FIXED, MAY_COME, MAY_GO

FREE = 1 << 60


class TooManyPairsError(Exception):
    """More pairs can matter than are listed."""


class Sender(NamedTuple):
    vertex: int
    pair: int  # number of the pair whose flip decides whether it is heard; -1: it is heard for good
    there: bool


class Surroundings:
    """`into[w]`: who sends to w, or may; for the target and every vertex that it hears or may hear.

    Self-loops are left out: with attention every vertex hears itself once, whatever the graph says.
    """

    def __init__(self, query: Query, most: int) -> None:
        assert query.claim.node is not None
        self.node, self.graph, self._threat = query.claim.node, query.graph, query.threat
        self.pairs: list[Pair] = []
        self._number: dict[Pair, int] = {}
        self._most = most
        self._listed = query.threat.listed_sources(query.graph)
        self._protected = query.threat.protected_pairs(query.graph)
        self.into = {self.node: self._senders(self.node)}
        for sender in list(self.into[self.node]):
            self.into[sender.vertex] = self._senders(sender.vertex)

    @property
    def heard(self) -> list[Sender]:
        return self.into[self.node]

    def kind(self, sender: Sender) -> int:
        if sender.pair < 0:
            return FIXED
        return MAY_GO if sender.there else MAY_COME

    def payers(self, pair: int) -> tuple[int, ...]:
        u, v = self.pairs[pair]
        return (v,) if self.graph.directed else (u, v)

    def _senders(self, v: int) -> list[Sender]:
        graph = self.graph
        there = [u for u in graph.in_neighbours(v).tolist() if u != v]
        out = [Sender(u, self._pair(u, v, True), True) for u in there]
        out += [Sender(u, self._pair(u, v, False), False) for u in self._may_come(v, set(there))]
        return [one for one in out if one.there or one.pair >= 0]

    def _may_come(self, v: int, there: set[int]) -> list[int]:
        if self._listed is not None:
            return [u for u in self._listed.get(v, []) if u != v and u not in there]
        threat, n = self._threat, self.graph.num_vertices
        if threat.insert is True or (threat.insert == "target" and v == self.node):
            return [u for u in range(n) if u != v and u not in there]
        if threat.insert == "target" and not self.graph.directed and self.node != v and self.node not in there:
            return [self.node]
        return []

    def _pair(self, u: int, v: int, there: bool) -> int:
        """The pair's number; -1 if it may not flip."""
        pair = self.graph.pair(u, v)
        known = self._number.get(pair)
        if known is not None:
            return known
        if self._listed is not None:
            fragile = u in self._listed.get(v, ()) or (not self.graph.directed and v in self._listed.get(u, ()))
        else:
            fragile = (self._threat.delete if there else True) and pair not in self._protected
        if fragile and any(self._threat.local_budget_of(w) == 0 for w in ((v,) if self.graph.directed else (u, v))):
            fragile = False
        if not fragile:
            return -1
        if len(self.pairs) >= self._most:
            raise TooManyPairsError
        self._number[pair] = len(self.pairs)
        self.pairs.append(pair)
        return self._number[pair]


def local_budgets(query: Query, graph: Graph) -> np.ndarray:
    """What each vertex may pay."""
    local = query.threat.local_budget
    if local is None:
        return np.full(graph.num_vertices, FREE, dtype=np.int64)
    return np.broadcast_to(np.asarray(local, dtype=np.int64), (graph.num_vertices,)).copy()

"""The part of the graph that the claim can see, and the pairs that may flip in it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ...errors import TooLargeError
from ...model.arrays import IntArray
from ...model.graph import Pair
from ...model.injection import NewEnds
from ...model.query import Query
from .features import Free, free_features

PAIR_LIMIT = 100_000
FIXED = -1  # in place of a pair's number: an edge that never flips


class Arc(NamedTuple):
    """A possible message u -> v: an edge that never flips, or one end of a fragile pair."""

    source: int
    pair: int  # FIXED, or its number among the arena's pairs
    present: bool  # in the input graph


@dataclass(frozen=True)
class Arena:
    """needed[k]: the vertices whose values after k layers are looked at; arcs[v]: all possible messages into v."""

    needed: list[list[int]]
    arcs: dict[int, list[Arc]]
    pairs: list[Pair]
    payers: list[tuple[int, ...]]  # the vertices whose local budget a flip of this pair is charged to
    local: dict[int, int]  # local budgets, where there are any
    budget: int  # most pairs that flip
    costs: list[int]  # of each pair
    total: int | None  # what they, and features that share it, may cost
    free: Free | None  # features that may change; then `needed` begins with a ring for a layer that hands them on

    def with_budget(self, budget: int) -> Arena:
        return replace(self, budget=min(budget, len(self.pairs)), total=budget)

    @property
    def most(self) -> int:
        """What all of it costs together."""
        shared = self.free.row.size if self.free is not None and self.free.shared else 0
        return sum(self.costs) + shared


def survey(query: Query, budget: int | None) -> Arena:
    """Walk from the claim against the messages, over every edge that is there or may be inserted."""
    fragile = _Fragile(query)
    graph, node = query.graph, query.claim.node
    needed = [list(range(graph.num_vertices)) if node is None else [node]]
    arcs: dict[int, list[Arc]] = {}
    numbers: dict[Pair, int] = {}
    for layer in reversed(query.network.layers):
        found = dict.fromkeys(needed[0])
        if not layer.is_dense:
            for v in needed[0]:
                if v not in arcs:
                    arcs[v] = fragile.arcs(v, numbers, flippable=budget != 0)
                found.update(dict.fromkeys(arc.source for arc in arcs[v]))
        needed.insert(0, list(found))
    pairs = list(numbers)
    payers = [fragile.payers(pair) for pair in pairs]
    local = {w: limit for some in payers for w in some if (limit := query.threat.local_budget_of(w)) is not None}
    prices = query.threat.costs(query.graph)
    free = free_features(query, needed[0])
    if free is not None:
        needed.insert(0, list(needed[0]))
    most = len(pairs) if budget is None else min(budget, len(pairs))
    return Arena(needed, arcs, pairs, payers, local, most, [prices.get(pair, 1) for pair in pairs], budget, free)


class _Fragile:
    """Which pairs may flip at all: fragile, and with a local budget to pay for them."""

    def __init__(self, query: Query) -> None:
        self._graph, self._threat, self._node = query.graph, query.threat, query.claim.node
        self._protected = self._threat.protected_pairs(query.graph)
        self._listed = self._threat.listed_sources(query.graph)

    def payers(self, pair: Pair) -> tuple[int, ...]:
        u, v = pair
        return (v,) if self._graph.directed or u == v else (u, v)

    def _may_flip(self, u: int, v: int, present: bool) -> bool:
        pair = self._graph.pair(u, v)
        if any(self._threat.local_budget_of(w) == 0 for w in self.payers(pair)):
            return False
        if self._listed is not None:
            return u in self._listed.get(v, ())
        if pair in self._protected:
            return False
        if present:
            return self._threat.delete
        if self._threat.insert == "target":
            return u != v and (v == self._node or (not self._graph.directed and u == self._node))
        if isinstance(self._threat.insert, NewEnds) and max(u, v) < self._threat.insert.first:
            return False
        return bool(self._threat.insert) and u != v

    def _sources(self, v: int, inside: set[int]) -> list[int]:
        """Every u for which u -> v is an edge or could be inserted."""
        if self._listed is not None:
            return sorted(inside.union(self._listed.get(v, ())))
        if isinstance(self._threat.insert, NewEnds):
            first = self._threat.insert.first
            return sorted(inside.union(range(0 if v >= first else first, self._graph.num_vertices)))
        if self._threat.insert is True or (self._threat.insert == "target" and v == self._node):
            return list(range(self._graph.num_vertices))
        if self._threat.insert == "target" and not self._graph.directed and self._node is not None:
            return sorted(inside | {self._node})
        return sorted(inside)

    def arcs(self, v: int, numbers: dict[Pair, int], flippable: bool) -> list[Arc]:
        """All possible messages into v; pairs that are met for the first time get a number."""
        inside = set(self._graph.in_neighbours(v).tolist())
        out = []
        for u in self._sources(v, inside):
            present = u in inside
            if flippable and self._may_flip(u, v, present):
                number = numbers.setdefault(self._graph.pair(u, v), len(numbers))
                if number >= PAIR_LIMIT:
                    raise TooLargeError(
                        f"more than {PAIR_LIMIT:,} pairs can matter to this claim, the mip engine takes no more: "
                        "restrict the pairs (fragile=, protected=, insert='target')"
                    )
                out.append(Arc(u, number, present))
            elif present:
                out.append(Arc(u, FIXED, True))
        return out


NOBODY: IntArray = np.zeros(0, dtype=np.int64)


class Around(NamedTuple):
    """The possible in-neighbours of one vertex, as rows of the layer below, and how many of its pairs may flip."""

    fixed: IntArray
    deletable: IntArray
    insertable: IntArray
    spend: int

    @property
    def degrees(self) -> range:
        """How many neighbours there can be."""
        most = self.fixed.size + self.deletable.size
        return range(most - min(self.deletable.size, self.spend), most + min(self.insertable.size, self.spend) + 1)


UNDECIDED = -1  # in place of 1 (flipped) and 0 (as in the input graph)


def look_around(arena: Arena, v: int, row_of: dict[int, int], flips: IntArray) -> Around:
    """`flips`: what is decided about every pair."""
    fixed, deletable, insertable, spent = list[int](), list[int](), list[int](), 0
    for arc in arena.arcs[v]:
        flip = 0 if arc.pair == FIXED else int(flips[arc.pair])
        spent += flip == 1
        if flip == UNDECIDED:
            (deletable if arc.present else insertable).append(row_of[arc.source])
        elif arc.present != (flip == 1):
            fixed.append(row_of[arc.source])
    left = arena.budget - int((flips == 1).sum())
    spend = max(0, min(left, arena.local.get(v, left + spent) - spent))
    if spend == 0:
        fixed, deletable, insertable = fixed + deletable, [], []
    rows = [np.array(some, dtype=np.int64) for some in (fixed, deletable, insertable)]
    return Around(rows[0], rows[1], rows[2], spend)

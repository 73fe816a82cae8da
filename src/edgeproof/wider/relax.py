"""Costs of flips, and what new vertices may do, by branch and bound over questions in which every flip costs one unit.

A node has some pairs decided. Where every flip that is left is taken to cost the least that one costs, and what binds
new vertices is left out, an engine answers; that proves the node, or gives flips. Flips that are admissible are an
attack; others break a rule, and the node is split where they do.

Theory: "Costs by relaxation".
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from math import log2
from typing import Any, TypeVar

from ..errors import Interrupted
from ..model.graph import Pair
from ..model.query import Query
from ..model.verdict import Attack, Radius, Stats, Verdict
from .world import World, worlds

_Answer = TypeVar("_Answer", Verdict, Radius)
Ask = Callable[[str, Query, float | None, int | None], Any]
"""What an engine says to "verify" or "radius" within so many seconds and nodes."""


@dataclass(frozen=True)
class Node:
    """flipped and kept: pairs that are decided. chosen: new vertices of those that may have edges; where there are as
    many as may, no others have any; closed: some that have none.
    """

    world: World
    flipped: frozenset[Pair] = frozenset()
    kept: frozenset[Pair] = frozenset()
    chosen: frozenset[int] = frozenset()
    closed: frozenset[int] = frozenset()

    def flip(self, pair: Pair) -> Node:
        ends = self.world.new_ends(pair)
        return Node(self.world, self.flipped | {pair}, self.kept, self.chosen.union(ends), self.closed)

    def keep(self, *pairs: Pair) -> Node:
        return Node(self.world, self.flipped, self.kept.union(pairs), self.chosen, self.closed)

    def choose(self, vertex: int) -> Node:
        return Node(self.world, self.flipped, self.kept, self.chosen | {vertex}, self.closed)

    def close(self, vertex: int) -> Node:
        return Node(self.world, self.flipped, self.kept, self.chosen, self.closed | {vertex})

    @property
    def cost(self) -> int:
        return self.world.cost(self.flipped)

    def is_possible(self) -> bool:
        """Whether what is decided breaks no rule."""
        if self.world.overspent(self.flipped) or len(self.chosen) > self.world.used:
            return False
        return self.chosen.isdisjoint(self.closed)

    def question(self, budget: int | None) -> tuple[Query, int]:
        """The relaxed question with what is left of this budget, and the least that a flip costs in it."""
        world, given = self.world, self.world.query
        left = None if budget is None else budget - self.cost
        unit = least_cost(world)
        dear = {pair for pair, cost in world.costs.items() if left is not None and cost > left}
        closed = self.closed
        if world.rows and len(self.chosen) == world.used:
            closed = frozenset(range(world.first, world.graph.num_vertices)) - self.chosen
        threat = world.threat(self.flipped, self.kept | dear, closed, budget, unit)
        graph = world.graph.flip(self.flipped) if self.flipped else world.graph
        return Query(given.network, graph, threat, given.claim), unit

    def children(self, flips: Attack) -> list[Node]:
        """None if these flips are admissible, budget aside; else nodes that hold all that is admissible here."""
        world, every = self.world, self.flipped.union(flips)
        over = world.overspent(every)
        if over:
            return self._split_at(flips, over[0])
        edged = world.with_edges(every)
        if len(edged) > world.used:
            vertex = next(v for v in edged if v not in self.chosen)
            return [self.choose(vertex), self.close(vertex)]
        if world.everybody:
            lonely = [v for v in range(world.first, world.graph.num_vertices) if v not in edged]
            if lonely:
                return list(self._first_edges(lonely[0]))
        return []

    def _split_at(self, flips: Attack, vertex: int) -> list[Node]:
        return self.split(self.dearest(pair for pair in flips if vertex in pair))

    def dearest(self, pairs: Iterable[Pair]) -> Pair:
        return max(pairs, key=lambda pair: self.world.costs.get(pair, 1))

    def split(self, pair: Pair) -> list[Node]:
        return [self.flip(pair), self.keep(pair)]

    def _first_edges(self, vertex: int) -> Iterator[Node]:
        """By the first of its pairs that is flipped."""
        before: list[Pair] = []
        for pair in self.world.pairs_at(vertex):
            if pair not in self.kept:
                yield self.keep(*before).flip(pair)
                before.append(pair)


def least_cost(world: World) -> int:
    """Of any pair that may flip."""
    threat, graph, node = world.query.threat, world.query.graph, world.query.claim.node
    if not world.costs or world.rows:
        return 1
    fragile = [cost for pair, cost in world.costs.items() if threat.admits(graph, pair, node)]
    return min(fragile) if fragile and len(fragile) == threat.count_fragile(graph, node) else 1


class Relaxation:
    """Answers one query by asking an engine many."""

    def __init__(self, query: Query, ask: Ask, timeout: float | None, node_limit: int | None) -> None:
        self.query, self._ask = query, ask
        self.started = time.perf_counter()
        self._deadline = None if timeout is None else self.started + timeout
        self._node_limit = node_limit
        self.attack: Attack | None = None
        self.rival: int | None = None
        self.reason: str | None = None
        self.interrupted = False
        self.nodes = self.leaves = self.evaluations = self.questions = self.fragile = 0

    def _put(self, what: str, query: Query) -> Any:
        """What the engine says; None where limits leave nothing to ask with."""
        left = None if self._deadline is None else self._deadline - time.perf_counter()
        if left is not None and left <= 0.0:
            self.reason = "timeout"
            return None
        if self._node_limit is not None and self.nodes >= self._node_limit:
            self.reason = "node limit"
            return None
        nodes = None if self._node_limit is None else self._node_limit - self.nodes
        try:
            found = self._ask(what, query, left, nodes)
        except Interrupted as stop:
            self.interrupted, found = True, stop.answer
        except KeyboardInterrupt:
            self.interrupted, self.reason = True, "interrupted"
            return None
        self.questions += 1
        for name in ("nodes", "leaves", "evaluations"):
            setattr(self, name, getattr(self, name) + int(found.stats.get(name, 0)))
        self.fragile = max(self.fragile, int(found.stats.get("fragile", 0)))
        if found.reason is not None:
            self.reason = found.reason
        return found

    def _note(self, node: Node, flips: Attack, rival: int) -> None:
        attack = node.world.attack(node.flipped.union(flips))
        if self.attack is None or attack.cost < self.attack.cost:
            self.attack, self.rival = attack, rival

    def decide(self, budget: int | None) -> None:
        """Any attack of at most this cost, or none; `reason` where that is not known."""
        open_ones = [Node(world) for world in worlds(self.query)][::-1]
        while open_ones and self.attack is None and self.reason is None:
            node = open_ones.pop()
            if not node.is_possible() or (budget is not None and node.cost > budget):
                continue
            query, _ = node.question(budget)
            found = self._put("verify", query)
            if found is None or found.attack is None:
                continue
            self.reason = None
            children = self._children(node, found.attack, budget)
            if not children:
                self._note(node, found.attack, found.rival)
            open_ones += children[::-1]
        if self.attack is not None:
            self.reason = None

    def _children(self, node: Node, flips: Attack, budget: int | None) -> list[Node]:
        """Where these flips are not admissible within this budget."""
        children = node.children(flips)
        if children or budget is None or node.world.cost(node.flipped.union(flips)) <= budget:
            return children
        return node.split(node.dearest(flips))

    def find_cheapest(self) -> int:
        """The cheapest attack within the threat's budget; returns up to which cost there is none for certain.

        Nodes wait with a bound: what is admissible in them costs at least so much. The least is taken first.
        """
        cap, claim = self.query.threat.budget, self.query.claim
        most = self.query.threat.total_cost(self.query.graph, claim.node) if cap is None else cap
        held = [(0, order, Node(world)) for order, world in enumerate(worlds(self.query))]
        order = len(held)
        while held:
            bound, _, node = heapq.heappop(held)
            limit = most if self.attack is None else self.attack.cost - 1
            if bound > limit:
                break
            if not node.is_possible() or node.cost > limit:
                continue
            query, unit = node.question(limit)
            found = self._put("radius", query)
            least = bound if found is None else max(bound, node.cost + unit * (found.lower + 1))
            children: list[Node] = []
            if found is not None and found.attack is not None:
                children = self._children(node, found.attack, limit)
                if not children:
                    self._note(node, found.attack, found.rival)
                    if node.world.cost(node.flipped.union(found.attack)) > least:
                        children = node.split(node.dearest(found.attack))
            if found is None or not found.exact:
                return min([least, *(waiting for waiting, _, _ in held)]) - 1
            for child in children:
                order += 1
                heapq.heappush(held, (max(least, child.cost), order, child))
        return most if self.attack is None else self.attack.cost - 1

    def stats(self) -> Stats:
        return Stats(
            nodes=self.nodes, seconds=time.perf_counter() - self.started, leaves=self.leaves, fragile=self.fragile,
            exploration=log2(max(self.nodes, 1)) / (self.fragile + 1), evaluations=self.evaluations,
            questions=self.questions,
        )  # fmt: skip


def verify(query: Query, ask: Ask, timeout: float | None, node_limit: int | None) -> Verdict:
    search = Relaxation(query, ask, timeout, node_limit)
    search.decide(query.threat.budget)
    found = search.attack is not None
    answer = Verdict(
        "vulnerable" if found else "robust" if search.reason is None else "unknown", query.claim.label, search.attack,
        search.rival, None if found else search.reason, query.claim.node, query.graph.directed, search.stats(),
    )  # fmt: skip
    return _unless_interrupted(search, answer)


def radius(query: Query, ask: Ask, timeout: float | None, node_limit: int | None) -> Radius:
    search = Relaxation(query, ask, timeout, node_limit)
    lower = search.find_cheapest()
    upper = None if search.attack is None else search.attack.cost - 1
    exact = search.reason is None or (upper is not None and lower >= upper)
    robust = exact and upper is None
    answer = Radius(
        lower, upper, exact, robust, query.claim.label, search.attack, search.rival, None if exact else search.reason,
        query.claim.node, query.graph.directed, search.stats(),
    )  # fmt: skip
    return _unless_interrupted(search, answer)


def _unless_interrupted(search: Relaxation, answer: _Answer) -> _Answer:
    if search.interrupted:
        raise Interrupted(answer)
    return answer

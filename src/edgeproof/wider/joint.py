"""Flips of features together with flips of edges: each set of edges that may flip leaves a graph that stays.

Theory: "Features and edges together".
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from math import log2
from typing import TypeVar

from ..clock import Clock, TimeUpError
from ..errors import InputError, Interrupted
from ..model.feature_threats import FeatureFlips
from ..model.graph import Pair
from ..model.query import Query
from ..model.verdict import Attack, Radius, Stats, Verdict
from ..problem.receptive_field import find_surroundings
from .feature_flips import Entry, FeatureSearch, UnboundedError

# sets of edges that are looked at
MOST_SETS = 1 << 20
MOST_PAIRS = 1 << 16

_Answer = TypeVar("_Answer", Verdict, Radius)


class OutOfNodesError(Exception):
    """The limit of search nodes is reached."""


class JointSearch:
    """proved: no attack costs so much or less."""

    def __init__(self, query: Query, timeout: float | None, node_limit: int | None) -> None:
        if query.threat.inject is not None:
            raise InputError("features: together with inject only the engine 'brute' knows them")
        flips = query.threat.features
        assert isinstance(flips, FeatureFlips)
        self.query, self.flips = query, flips
        self.started = time.perf_counter()
        self._clock = Clock(None if timeout is None else self.started + timeout)
        self._node_limit = node_limit
        self.attack: Attack | None = None
        self.rival: int | None = None
        self.reason: str | None = None
        self.proved, self.nodes, self.evaluations, self.sets = -1, 0, 0, 0
        self._costs = query.threat.costs(query.graph)
        self._pairs = self._matter()

    def _matter(self) -> list[Pair]:
        if self.query.threat.budget == 0:
            return []
        looking = [layer.aggregation for layer in self.query.network.layers if not layer.is_dense]
        around = find_surroundings(self.query, looking, self.query.threat.budget, MOST_PAIRS)
        return [(int(u), int(v)) for u, v in around.pairs]

    def _tell(self, nodes: int) -> None:
        self.nodes += nodes
        self.evaluations += 1 - nodes
        if self._node_limit is not None and self.nodes > self._node_limit:
            raise OutOfNodesError

    # --- sets of edges ---

    def _edge_sets(self, cost: int) -> Iterator[tuple[Pair, ...]]:
        """All that cost exactly this, within the local budgets."""
        yield from self._extend(0, (), cost, Counter())

    def _extend(self, at: int, chosen: tuple[Pair, ...], cost: int, spent: Counter[int]) -> Iterator[tuple[Pair, ...]]:
        if cost == 0:
            yield chosen
            return
        graph, threat = self.query.graph, self.query.threat
        for k in range(at, len(self._pairs)):
            (u, v), one = self._pairs[k], self._costs.get(self._pairs[k], 1)
            if one > cost:
                continue
            more = spent + Counter(dict.fromkeys({v} if graph.directed else {u, v}, one))
            limits = ((more[w], threat.local_budget_of(w)) for w in ({v} if graph.directed else {u, v}))
            if all(limit is None or used <= limit for used, limit in limits):
                yield from self._extend(k + 1, (*chosen, (u, v)), cost - one, more)

    def _most(self) -> int:
        """What flipping all that can matter costs."""
        return sum(self._costs.get(pair, 1) for pair in self._pairs)

    # --- answers ---

    def _try(self, cost: int, left: int) -> bool:
        """Whether sets of edges of this cost and so many flips of features break the claim."""
        for pairs in self._edge_sets(cost):
            self.sets += 1
            if self.sets > MOST_SETS:
                self.reason = "incomplete"
                return True
            self._clock.look()
            graph = self.query.graph.flip(pairs) if pairs else self.query.graph
            search = FeatureSearch(self.query, graph, self._clock, self._tell)
            found = search.find(left)
            if found is not None:
                self._note(pairs, found, cost, search.rival)
                return True
        return False

    def _note(self, pairs: tuple[Pair, ...], found: tuple[Entry, ...], cost: int, rival: int | None) -> None:
        total = cost + (len(found) if self.flips.budget is None else 0)
        self.attack, self.rival = Attack(pairs, features=found, cost=total), rival

    def _shared(self) -> bool:
        return self.flips.budget is None

    def run(self, cheapest: bool) -> None:
        """Any attack, or the cheapest."""
        try:
            self._run(cheapest)
        except (TimeUpError, OutOfNodesError) as stop:
            self.reason = "timeout" if isinstance(stop, TimeUpError) else "node limit"
        except UnboundedError:
            self.reason = "incomplete"
        except KeyboardInterrupt:
            self.reason = "interrupted"
        if self.attack is not None and not cheapest:
            self.reason = None

    def _run(self, cheapest: bool) -> None:
        budget, every = self.query.threat.budget, self.flips.count(self.query.graph)
        edges = self._most() if budget is None else min(budget, self._most())
        if not self._shared():
            for cost in range(edges + 1):
                if self._try(cost, self.flips.budget or 0):
                    return
                self.proved = cost
            return
        cap = self._most() + every if budget is None else min(budget, self._most() + every)
        if not cheapest or budget is None:
            broken = any(self._try(cost, cap - cost) for cost in range(edges + 1))
            if not broken:
                self.proved = cap
            if not broken or not cheapest or self.reason is not None:
                return

        for total in range(cap + 1):
            if any(self._try(cost, total - cost) for cost in range(min(total, edges) + 1)):
                return
            self.proved = total

    def stats(self) -> Stats:
        fragile = len(self._pairs)
        return Stats(
            nodes=self.nodes, seconds=time.perf_counter() - self.started, leaves=0, fragile=fragile,
            exploration=log2(max(self.nodes, 1)) / (fragile + 1), evaluations=self.evaluations, questions=self.sets,
        )  # fmt: skip


def verify(query: Query, timeout: float | None, node_limit: int | None) -> Verdict:
    search = JointSearch(query, timeout, node_limit)
    search.run(cheapest=False)
    status = "vulnerable" if search.attack is not None else "robust" if search.reason is None else "unknown"
    answer = Verdict(
        status, query.claim.label, search.attack, search.rival, search.reason, query.claim.node, query.graph.directed,  # type: ignore[arg-type]
        search.stats(),
    )  # fmt: skip
    return _unless_interrupted(answer)


def radius(query: Query, timeout: float | None, node_limit: int | None) -> Radius:
    search = JointSearch(query, timeout, node_limit)
    search.run(cheapest=True)
    attack, cap = search.attack, query.threat.budget
    lower, upper = search.proved, None if attack is None else attack.cost - 1
    exact = search.reason is None
    if attack is None and exact:
        lower = query.threat.total_cost(query.graph, query.claim.node) if cap is None else cap
    elif exact:
        lower = attack.cost - 1 if attack is not None else lower
    answer = Radius(
        lower, upper, exact, attack is None and exact, query.claim.label, attack, search.rival, search.reason,
        query.claim.node, query.graph.directed, search.stats(),
    )  # fmt: skip
    return _unless_interrupted(answer)


def _unless_interrupted(answer: _Answer) -> _Answer:
    if answer.reason == "interrupted":
        raise Interrupted(answer)
    return answer

"""Questions about networks with attention: no search tree, by tables and a program or graph by graph.

Theory: "Branch and bound on the program", "Every graph with attention".
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache

from ...clock import TimeUpError
from ...errors import InputError, TooLargeError
from ...model.graph import Pair
from ...model.injection import NewEnds
from ...model.query import Query
from ...model.verdict import Attack, Radius, Stats, Verdict
from ..attention.branch import NoBoundError, Node, OutOfNodesError, TwoLayers, knows
from ..attention.every_graph import EveryGraph, IncompleteError
from ..attention.options import MOST_SETS, FarApartError
from ..attention.surroundings import TooManyPairsError
from ..deadline import Alarm
from ..strategy import exploration

Progress = Callable[[int, int | None], None]

# after proofs of these budgets a radius search tries the whole cap, with so many search nodes
TRY_CAP_AFTER, TRY = (0, 2), 16


def is_for(query: Query) -> bool:
    return query.network.attends


class Attended:
    """lower: largest budget proved; attack: smallest known."""

    def __init__(self, query: Query, alarm: Alarm, node_limit: int | None, progress: Progress | None = None) -> None:
        if isinstance(query.threat.insert, NewEnds):
            raise InputError("inject: networks with attention know no new vertices")
        self.query, self.alarm, self._node_limit, self._progress = query, alarm, node_limit, progress
        self.started = time.perf_counter()
        self.lower = -1
        self.attack: list[Pair] | None = None
        self.rival: int | None = None
        self.reason: str | None = None
        self._way: TwoLayers | EveryGraph | None = None

    def run(self, first_only: bool) -> None:
        """Until the question is settled; with `first_only`, by any attack."""
        try:
            self._run(first_only)
        except KeyboardInterrupt:
            self.alarm.interrupted, self.reason = True, "interrupted"
        except TimeUpError:
            self.reason = self.alarm.reason
        except OutOfNodesError:
            self.reason = "node limit"
        except IncompleteError:
            self.reason = "incomplete"
            assert isinstance(self._way, EveryGraph)
            self.lower = max(self.lower, self._way.done)

    def _run(self, first_only: bool) -> None:
        self._way = self._choose()
        cap = self._cap()
        if first_only:
            self._try(cap)
            return
        while self.lower < (cap if self.attack is None else len(self.attack) - 1):
            if not self._try(self.lower + 1) and self.lower in TRY_CAP_AFTER and self.attack is None:
                self._try_cap(cap)

    def _choose(self) -> TwoLayers | EveryGraph:
        if self.query.claim.node is not None and knows(self.query.network):
            try:
                return TwoLayers(self.query, self.alarm, self._node_limit)
            except TooManyPairsError:
                raise TooLargeError(
                    "attention: more than 65,536 pairs can matter; insertions are listed one by one, so allow fewer: "
                    "insert='target', or Threat(fragile=...)"
                ) from None
        return EveryGraph(self.query, self.alarm, self._node_limit)

    def _cap(self) -> int:
        assert self._way is not None
        budget, pairs = self.query.threat.budget, len(self._way.pairs)
        return pairs if budget is None else min(budget, pairs)

    def _try(self, budget: int) -> bool:
        """Whether an attack of up to so many flips was found; otherwise there is none."""
        found = self._decide(budget)
        if found is None:
            self.lower = budget
        else:
            self.attack, self.rival = found
        if self._progress is not None:
            self._progress(self.lower, None if self.attack is None else len(self.attack) - 1)
        return found is not None

    def _try_cap(self, cap: int) -> None:
        """A little work: an attack from above, or the proof that there is none at all."""
        assert self._way is not None
        if not isinstance(self._way, TwoLayers):
            return
        before = self._way.limit_nodes(self._way.nodes + TRY)
        try:
            self._try(cap)
        except OutOfNodesError:
            if before is not None and self._way.nodes >= before:
                raise
        finally:
            self._way.node_limit = before

    def _decide(self, budget: int) -> tuple[list[Pair], int] | None:
        assert self._way is not None
        try:
            return self._way.decide(budget)
        except (NoBoundError, FarApartError):
            if isinstance(self._way, EveryGraph):
                raise
            self._way = EveryGraph(self.query, self.alarm, self._node_limit)
            return self._way.decide(budget)

    @property
    def _all_pairs(self) -> int:
        return self.query.threat.count_fragile(self.query.graph, self.query.claim.node)

    def _stats(self) -> Stats:
        way, seconds = self._way, time.perf_counter() - self.started
        if way is None:
            return Stats(nodes=0, seconds=seconds, leaves=0, fragile=0, exploration=0.0, evaluations=0)
        return Stats(
            nodes=way.nodes, seconds=seconds, leaves=way.leaves, fragile=len(way.pairs),
            exploration=exploration(max(way.nodes, 1), len(way.pairs)), evaluations=way.evaluations,
        )  # fmt: skip

    def verdict(self) -> Verdict:
        found, claim = self.attack is not None, self.query.claim
        reason = self.reason or ("tie" if self.alarm.tied is not None else None)
        return Verdict(
            status="vulnerable" if found else "unknown" if reason is not None else "robust",
            label=claim.label,
            attack=None if self.attack is None else Attack(self.attack),
            rival=self.rival,
            reason=None if found else reason,
            node=claim.node,
            directed=self.query.graph.directed,
            stats=self._stats(),
        )

    def radius(self) -> Radius:
        claim, lower, reason, tied = self.query.claim, self.lower, self.reason, self.alarm.tied
        if tied is not None and tied <= lower:  # whether so many flips break the claim is open
            lower, reason = tied - 1, reason or "tie"
        settled = reason is None
        robust = settled and self.attack is None
        if robust:
            lower = self._all_pairs if self.query.threat.budget is None else self.query.threat.budget
        return Radius(
            lower=lower,
            upper=None if self.attack is None else len(self.attack) - 1,
            exact=settled,
            robust=robust,
            label=claim.label,
            attack=None if self.attack is None else Attack(self.attack),
            rival=self.rival,
            reason=reason,
            node=claim.node,
            directed=self.query.graph.directed,
            stats=self._stats(),
        )


@cache
def warm_up_attention() -> None:
    """Load the kernels, or compile them, before any clock runs: on three vertices, with and without linear bounds."""
    from ...model.attention import Attention
    from ...model.graph import Graph
    from ...model.network import Layer, Network
    from ...model.query import make_query
    from ...model.threat import Threat

    one = Attention("gat", [[[1.0]]], [[1.0]], target=[[1.0]])
    two = Attention("gat", [[[1.0], [2.0]]], [[1.0, 0.0]], target=[[1.0, 0.0]])
    layers = [
        Layer([[0.0]], [[1.0]], [0.0], "attention", "relu", attention=one),
        Layer([[0.0], [0.0]], [[1.0, 0.0], [0.0, 1.0]], [1.5, 0.0], "attention", "none", attention=two),
    ]
    graph = Graph([[0, 1, 1, 2], [1, 0, 2, 1]], [[1.0], [1.0], [2.0]], directed=False)
    query = make_query(Network(layers), graph, Threat(1), node=1, label=0)
    for most in (MOST_SETS, 0):
        with Alarm() as alarm:
            TwoLayers(query, alarm, None, most_sets=most).bound(Node(frozenset(), frozenset()), 0, 1)
    with Alarm() as alarm:
        graphs = EveryGraph(query, alarm, None)
        graphs.decide(1)
        graphs.follow_gains(1)

"""Questions about a node where any pair of the graph may come: sizes of attacks are settled one after another.

The pairs are never listed (search/budget). What is settled when time ends stays settled: an interval.

Theory: "Sizes of attacks".
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from math import log2

from ...arithmetic.decide import Decider
from ...clock import TimeUpError
from ...model.graph import Pair
from ...model.query import Query
from ...model.verdict import Radius, Stats, Verdict
from ..answers import radius_of, verdict_of
from ..base.values import knows
from ..budget.limits import IncompleteError, OutOfNodesError, OutOfTimeError
from ..budget.question import make_question
from ..budget.search import SizeSearch
from ..deadline import Alarm
from ..deep.search import AnyDepthSearch
from ..maxima.search import MaxSizeSearch
from ..maxima.setting import make_max_question

Progress = Callable[[int, int | None], None]

# vertices from which on this is faster than listing pairs, where any may come and where only those at the node may
MANY, MANY_AT_NODE = 100, 200
# no sizes beyond this are tried: their number of shapes grows with the cube
LARGEST = 12


def is_for(query: Query, options: Mapping[str, bool]) -> bool:
    """Whether this strategy answers the query, by its size."""
    threat = query.threat
    if query.claim.node is None or not threat.insert or threat.fragile is not None or not options["by_size"]:
        return False
    if not knows(query.network):
        return False
    many = MANY_AT_NODE if threat.insert == "target" else MANY
    return options["by_size_at_once"] or query.graph.num_vertices >= many


_warm = False


def warm_up_sizes() -> None:
    """Load the kernels of this strategy, or compile them, before a clock runs: on three vertices."""
    global _warm  # noqa: PLW0603
    if _warm:
        return
    _warm = True
    from ...model.graph import Graph
    from ...model.network import Layer, Network
    from ...model.query import make_query
    from ...model.threat import Threat

    layer = Layer([[0.0], [0.0]], [[1.0], [-1.0]], [1.0, 1.0], "gcn", "relu")
    last = Layer([[0.0, 0.0], [0.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]], [1.0, 0.0], "gcn", "none")
    graph = Graph([[0, 1, 1, 2], [1, 0, 2, 1]], [[1.0], [1.0], [0.0]], directed=False)
    query = make_query(Network([layer, last]), graph, Threat(2, insert=True), node=0, label=0)
    largest = [Layer(one.C, one.A, one.b, "max", "relu" if one is layer else "none") for one in (layer, last)]
    under_a_max = make_query(Network(largest), graph, Threat(2, insert=True), node=0, label=0)
    with Alarm(time.perf_counter() + 3600.0) as alarm:
        sizes, other = BySize(query, alarm, None), BySize(under_a_max, alarm, None)
        for search in (sizes._search, other._search, AnyDepthSearch(query, alarm, None, lambda _: None)):
            search.beam(2)
            search.settle(1)
        sizes._search.settle(2)
        other._search.settle(2)


class BySize:
    """lower: largest size settled without an attack; attack: smallest known; both are true at any time."""

    def __init__(self, query: Query, alarm: Alarm, node_limit: int | None, progress: Progress | None = None) -> None:
        self.query, self._alarm, self._progress = query, alarm, progress
        self.started = time.perf_counter()
        self._pairs = query.threat.count_fragile(query.graph, query.claim.node)
        cap = query.threat.budget
        self.cap = self._pairs if cap is None else min(cap, self._pairs)
        self.lower, self.attack, self.rival = -1, None, None
        self.reason: str | None = None
        self.robust = False
        self._search = self._choose(max(min(self.cap, LARGEST), 1), node_limit)

    def _choose(self, most: int, node_limit: int | None) -> SizeSearch | AnyDepthSearch:
        question = make_question(self.query, most)
        if question is not None:
            return SizeSearch(question, self._alarm, node_limit, self._note)
        largest = make_max_question(self.query, most)
        if largest is not None:
            return MaxSizeSearch(largest, self._alarm, node_limit, self._note)
        return AnyDepthSearch(self.query, self._alarm, node_limit, self._note)

    attack: list[Pair] | None
    rival: int | None

    @property
    def incomplete(self) -> bool:
        """Whether no bound of this strategy applies to what is left."""
        return self.reason == "incomplete"

    def _note(self, flips: list[Pair]) -> None:
        if self.attack is None or len(flips) < len(self.attack):
            self.attack, self.rival = flips, self._search.rival
            self._tell()

    def _tell(self) -> None:
        if self._progress is not None:
            self._progress(self.lower, None if self.attack is None else len(self.attack) - 1)

    def _settled(self) -> bool:
        return self.lower >= (self.cap if self.attack is None else len(self.attack) - 1)

    def run(self, first_only: bool) -> None:
        """Until the smallest attack is known; with `first_only`, until any is."""
        try:
            self._run(first_only)
        except KeyboardInterrupt:
            self._alarm.interrupted, self.reason = True, "interrupted"
        except (OutOfTimeError, TimeUpError):
            self.reason = self._alarm.reason
        except OutOfNodesError:
            self.reason = "node limit"
        except IncompleteError:
            self.reason = "incomplete"

    def _run(self, first_only: bool) -> None:
        search, claim = self._search, self.query.claim
        decider = Decider(self.query.network, self.query.graph)
        rival = decider.rival(claim.node, claim.label, self.query.rivals, [], self._alarm)
        if rival is not None:
            self.attack, self.rival = [], rival
            return
        self.lower = 0
        looked = False
        while not self._settled():
            if self.attack is not None and first_only:
                return
            size = self.lower + 1
            if size > LARGEST:
                raise IncompleteError
            if size > 1 and not looked:
                looked = True
                search.beam(min(self.cap, LARGEST))
                continue
            if not search.settle(size):
                self.lower = size
                self._tell()
        self.robust = self.attack is None

    def _stats(self) -> Stats:
        counts = self._search.counts()
        nodes = counts.pop("nodes")
        seconds = time.perf_counter() - self.started
        exploration = log2(max(nodes, 1)) / (self._pairs + 1)
        return Stats(nodes=nodes, seconds=seconds, leaves=nodes, fragile=self._pairs, exploration=exploration, **counts)

    def verdict(self) -> Verdict:
        return verdict_of(self.query, self.attack, self.rival, self.reason, self._stats())

    def radius(self) -> Radius:
        return radius_of(
            self.query, self.lower, self.attack, self.rival, self.reason, self._stats(), robust=self.robust
        )

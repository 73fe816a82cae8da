"""The radius: attacks push its upper end down, proofs push its lower end up."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from ..graph import Pair
from ..problem import compile_problem
from ..query import Query
from ..verdict import Attack, Radius, Stats
from .solve import Search, exploration

Progress = Callable[[int, int | None], None]

# search nodes for a first try at the whole cap: enough for claims that are never broken, or broken easily
FIRST_TRY = 64


class Climb:
    """lower: largest budget proved; attack: smallest known; both are true at any time."""

    def __init__(
        self,
        query: Query,
        options: Mapping[str, bool],
        deadline: float | None,
        node_limit: int | None,
        threads: int,
        progress: Progress | None,
    ) -> None:
        """`progress` is told both ends whenever one of them moves; the upper one is None while no attack is known."""
        self.query, self.options, self.deadline, self.node_limit = query, options, deadline, node_limit
        self.threads, self._progress = threads, progress
        self.cap = query.threat.budget
        self.lower = -1
        self._smallest: int | None = None  # flips of the smallest attack that any search has met
        self.attack: Attack | None = None
        self.rival: int | None = None
        self.robust = False
        self.reason: str | None = None
        self.compiled = compile_problem(query, options, self.cap)
        self._stats: list[Stats] = []

    @property
    def _most(self) -> int:
        """No more flips than this can matter."""
        pairs = len(self.compiled.pairs)
        return pairs if self.cap is None else min(self.cap, pairs)

    def _nodes(self) -> int:
        return sum(stats.nodes for stats in self._stats)

    def _note_attack(self, flips: list[Pair]) -> None:
        if self._smallest is None or len(flips) < self._smallest:
            self._smallest = len(flips)
            self._tell()

    def _tell(self) -> None:
        if self._progress is not None:
            self._progress(self.lower, None if self._smallest is None else self._smallest - 1)

    def _search(self, budget: int, first_only: bool, nodes: int | None) -> str | None:
        """One search; notes an attack if it finds one. The reason why it is not finished, or None."""
        if self.node_limit is not None:
            left = self.node_limit - self._nodes()
            if left < 1:
                return "node limit"
            nodes = left if nodes is None else min(nodes, left)
        started = time.perf_counter()
        compiled = self.compiled
        if budget < self._most and self.query.threat.insert and self.query.claim.node is not None:
            compiled = compile_problem(self.query, self.options, budget)  # fewer insertions reach less far
        search = Search(compiled, budget, self.options, self.threads, self._note_attack)
        reason = search.run(deadline=self.deadline, node_limit=nodes, first_only=first_only)
        self._stats.append(search.stats(started))
        if search.attack is not None and (self.attack is None or len(search.attack) < len(self.attack)):
            self.attack, self.rival = Attack(search.attack), search.rival
        if search.attack is not None and first_only:
            return None
        return reason

    def from_above(self) -> None:
        """The paper's variant: one search, in which every attack lowers the budget for what is left."""
        self.reason = self._search(self._most, first_only=False, nodes=None)
        if self.reason is None:
            self.robust = self.attack is None
            self.lower = self._most if self.attack is None else len(self.attack) - 1

    def from_below(self) -> None:
        """A short try at the cap, then one budget after the other until a proof meets an attack."""
        reason = self._search(self._most, first_only=True, nodes=FIRST_TRY)
        if reason is None and self.attack is None:
            self.robust = True
            return
        while self.attack is None or self.lower < len(self.attack) - 1:
            budget = self.lower + 1
            before = self.attack
            self.reason = self._search(budget, first_only=True, nodes=None)
            if self.reason is not None:
                return
            if self.attack is before:
                self.lower = budget
                self._tell()
            if self.lower >= self._most:
                self.robust = True
                return

    def result(self, started: float) -> Radius:
        exact = self.reason is None
        upper = None if self.attack is None else len(self.attack) - 1
        lower = self.lower
        if self.robust:
            whole = self.query.threat.count_fragile(self.query.graph, self.query.claim.node)
            lower = whole if self.cap is None else self.cap
        return Radius(
            lower=lower,
            upper=upper,
            exact=exact,
            robust=self.robust,
            label=self.query.claim.label,
            attack=self.attack,
            rival=self.rival,
            reason=self.reason,
            node=self.query.claim.node,
            directed=self.query.graph.directed,
            stats=self._total(started),
        )

    def _total(self, started: float) -> Stats:
        """What all searches took together."""
        whole = dict(self._stats[0]) if self._stats else {}
        for stats in self._stats[1:]:
            whole.update(
                {key: whole[key] + value for key, value in stats.items() if key not in ("fragile", "exploration")}
            )
        fragile = len(self.compiled.pairs)
        whole.update(seconds=time.perf_counter() - started, fragile=fragile, searches=len(self._stats))
        if whole.get("nodes"):
            whole["exploration"] = exploration(whole["nodes"], fragile)
        return Stats(**whole)

"""The radius: attacks lower its upper end, proofs raise its lower end.

Theory: "Branch and bound covers every admissible graph".
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from ..model.graph import Pair
from ..model.query import Query
from ..model.verdict import Attack, Radius, Stats
from ..problem.compile import compile_problem
from .strategy import Search, exploration

Progress = Callable[[int, int | None], None]

# search nodes of the first turns: enough for claims that are never broken, or broken easily
FIRST_TURN = 64


class RadiusSearch:
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
        self._started = time.perf_counter()
        self.cap = query.threat.budget
        self.lower = -1
        self._smallest: int | None = None  # flips of the smallest attack that any search has met
        self.attack: Attack | None = None
        self.rival: int | None = None
        self.robust = False
        self.reason: str | None = None
        self.compiled = compile_problem(query, options, self.cap)
        self._open: list[Search] = []
        self._stats: list[Stats] = []  # of those that are closed; their arrays are given back

    @property
    def _most(self) -> int:
        """No more flips than this can matter."""
        pairs = len(self.compiled.pairs)
        return pairs if self.cap is None else min(self.cap, pairs)

    def _note_attack(self, flips: list[Pair]) -> None:
        if self._smallest is None or len(flips) < self._smallest:
            self._smallest = len(flips)
            self._tell()

    def _tell(self) -> None:
        if self._progress is not None:
            self._progress(self.lower, None if self._smallest is None else self._smallest - 1)

    def _start(self, budget: int) -> Search:
        compiled = self.compiled
        if budget < self._most and self.query.threat.insert and self.query.claim.node is not None:
            compiled = compile_problem(self.query, self.options, budget)  # fewer insertions reach less far
        search = Search(compiled, budget, self.options, self.threads, self._note_attack, None, self.deadline)
        self._open.append(search)
        return search

    def _close(self, search: Search) -> None:
        self._open.remove(search)
        self._stats.append(search.stats(self._started))

    def _nodes(self) -> int:
        closed: int = sum(stats.nodes for stats in self._stats)
        return closed + sum(search.all_nodes for search in self._open)

    def _go_on(self, search: Search, first_only: bool, turn: int | None = None) -> str | None:
        """Let a search go on, for `turn` nodes at most; notes an attack if it finds one.

        The reason why it is not finished, or None; "node limit" is also that of the turn.
        """
        if self.node_limit is not None:
            left = self.node_limit - self._nodes()
            if left < 1:
                return "node limit"
            turn = left if turn is None else min(turn, left)
        most = None if turn is None else search.all_nodes + turn
        reason = search.run(node_limit=most, first_only=first_only)
        if search.attack is not None and (self.attack is None or len(search.attack) < len(self.attack)):
            self.attack, self.rival = Attack(search.attack), search.rival
        return None if search.attack is not None and first_only else reason

    def _out_of_nodes(self) -> bool:
        return self.node_limit is not None and self._nodes() >= self.node_limit

    def from_above(self) -> None:
        """The paper's variant: one search, in which every attack lowers the budget for what is left."""
        self.reason = self._go_on(self._start(self._most), first_only=False)
        if self.reason is None:
            self._settle()

    def _settle(self) -> None:
        """The search over the whole cap is finished: its smallest attack is a smallest one."""
        self.robust = self.attack is None
        self.lower = self._most if self.attack is None else len(self.attack) - 1
        self._tell()

    def from_both_ends(self) -> None:
        """Two searches in turns that double: one over the whole cap, as from above, and one at the smallest budget
        that is not yet proved. A claim that nothing breaks is settled by the first, one with a small radius by the
        second, and neither waits for the other longer than it works itself.
        """
        above, below = self._start(self._most), None
        turn = FIRST_TURN
        while True:
            self.reason = self._go_on(above, False, turn)
            if self.reason is None:
                self._settle()
                return
            left = turn
            while self.reason != "timeout" and left > 0 and not self._closed() and not self._out_of_nodes():
                below = below or self._start(self.lower + 1)
                before = below.all_nodes
                self.reason = self._go_on(below, True, left)
                left -= max(below.all_nodes - before, 1)
                if self.reason is None and below.attack is None:
                    self.lower += 1
                    self._tell()
                    self._close(below)
                    below = None
            if self._closed():
                self.robust, self.reason = self.attack is None, None
                return
            if self.reason == "timeout" or self._out_of_nodes():
                self.reason = self.reason or "node limit"
                return
            turn *= 2

    def _closed(self) -> bool:
        """Whether proofs have met the smallest attack, or the cap."""
        return self.lower >= (self._most if self.attack is None else len(self.attack) - 1)

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
        every = [*self._stats, *(search.stats(started) for search in self._open)]
        whole = dict(every[0])
        for stats in every[1:]:
            whole.update(
                {key: whole[key] + value for key, value in stats.items() if key not in ("fragile", "exploration")}
            )
        fragile = len(self.compiled.pairs)
        whole.update(seconds=time.perf_counter() - started, fragile=fragile, searches=len(every))
        if whole["nodes"]:
            whole["exploration"] = exploration(whole["nodes"], fragile)
        return Stats(**whole)

"""The radius: attacks lower its upper end, proofs raise its lower end.

Theory: "Branch and bound covers every admissible graph".
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from math import inf

from ..arithmetic.predict import holds_as_it_is
from ..model.graph import Pair
from ..model.query import Query
from ..model.verdict import Attack, Radius, Stats
from ..problem.compile import compile_problem
from ..problem.layout import Compiled
from ..progress import Nodes, Watcher
from .answers import radius_of
from .deadline import Alarm
from .strategy import Search, exploration, no_stats

Progress = Callable[[int, int | None], None]

# search nodes of the first turns: enough for claims that are never broken, or broken easily
FIRST_TURN = 64


class RadiusSearch:
    """lower: largest budget proved; attack: smallest known; both are true at any time."""

    def __init__(
        self,
        query: Query,
        options: Mapping[str, bool],
        alarm: Alarm,
        node_limit: int | None,
        threads: int,
        progress: Progress | None,
    ) -> None:
        """`progress` is told both ends whenever one of them moves; the upper one is None while no attack is known."""
        self.query, self.options, self.alarm, self.node_limit = query, options, alarm, node_limit
        self.threads, self._progress = threads, progress
        self._started = time.perf_counter()
        self.cap = query.threat.budget
        self.lower = -1
        self._smallest: int | None = None  # flips of the smallest attack that any search has met
        self.attack: Attack | None = None
        self.rival: int | None = None
        self.robust = False
        self.reason: str | None = None
        self._kept: Compiled | None = None
        self._above: Search | None = None
        self._below: Search | None = None
        self._half, self._is_given_up = alarm, False
        self._open: list[Search] = []
        self._stats: list[Stats] = []  # of those that are closed; their arrays are given back

    def begin_with(self, lower: int, attack: list[Pair] | None, rival: int | None) -> None:
        """What is known already."""
        self.lower = lower
        if attack is not None:
            self.attack, self.rival, self._smallest = Attack(attack), rival, len(attack)

    @property
    def compiled(self) -> Compiled:
        """For the whole cap."""
        if self._kept is None:
            self._kept = compile_problem(self.query, self.options, self.cap, self.alarm)
        return self._kept

    @property
    def _most(self) -> int:
        """No more flips than this can matter."""
        pairs = len(self.compiled.pairs)
        return pairs if self.cap is None else min(self.cap, pairs)

    def _note_attack(self, flips: list[Pair]) -> None:
        if self._smallest is None or len(flips) < self._smallest:
            self._smallest = len(flips)
            self._tell()

    def _note_nodes(self, nodes: Nodes) -> None:
        """For who watches; a callable of the user's is told of the interval alone."""
        if isinstance(self._progress, Watcher):
            self._progress.note(Nodes(self._nodes(), nodes.behind))

    def _tell(self) -> None:
        if self._progress is not None:
            self._progress(self.lower, None if self._smallest is None else self._smallest - 1)

    def _start(self, budget: int, alarm: Alarm | None = None) -> Search:
        compiled = self.compiled
        if budget < self._most and self.query.threat.insert and self.query.claim.node is not None:
            compiled = compile_problem(self.query, self.options, budget, self.alarm)  # fewer insertions reach less far
        search = Search(
            compiled, budget, self.options, self.threads, self._note_attack, None, alarm or self.alarm, self._note_nodes
        )  # fmt: skip
        self._open.append(search)
        return search

    def _close(self, search: Search) -> None:
        self._open.remove(search)
        self._stats.append(search.stats(self._started))

    def _nodes(self) -> int:
        closed: int = sum(stats.nodes for stats in self._stats)
        return closed + sum(search.all_nodes for search in self._open)

    def _go_on(self, search: Search, first_only: bool, turn: int | None = None, work: float = inf) -> str | None:
        """Let a search go on, for `turn` nodes and about as much `work` at most; notes an attack if it finds one.

        The reason why it is not finished, or None; "node limit" is also that of the turn.
        """
        if self.node_limit is not None:
            left = self.node_limit - self._nodes()
            if left < 1:
                return "node limit"
            turn = left if turn is None else min(turn, left)
        most = None if turn is None else search.all_nodes + turn
        try:
            reason = search.run(node_limit=most, first_only=first_only, most_work=search.work + work)
        finally:  # an interrupt may come
            if self._half.tied is not None:
                self.alarm.note_tie(self._half.tied)
            if search.attack is not None and (self.attack is None or len(search.attack) < len(self.attack)):
                self.attack, self.rival = Attack(search.attack), search.rival
        return None if search.attack is not None and first_only else reason

    def _out_of_nodes(self) -> bool:
        return self.node_limit is not None and self._nodes() >= self.node_limit

    def run(self) -> None:
        claim = self.query.claim
        parts = self.query.network, self.query.graph, claim.node, claim.label, self.query.rivals
        if holds_as_it_is(*parts, self.alarm):
            self.lower = 0  # before anything that may take long
            self._tell()
        with ExitStack() as self._stack:
            if self.options["radius_from_below"]:
                self.from_both_ends()
            else:
                self.from_above()

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
        """Two searches in turns that double: one at the smallest budget that is not yet proved, and one over the whole
        cap, as from above. A claim that nothing breaks is settled by the second, one with a small radius by the first,
        and neither waits for the other longer than it works itself.

        Where time is limited, a large budget must not take the time in which a small one is proved: there the search
        over the whole cap waits until the first turn at the smallest one is over, and is done no more work for.
        """
        limited = self.alarm.deadline is not None
        turn, work = FIRST_TURN, inf
        if limited and self._most > 1:
            work = self._prove(turn)
        while not self._ended():
            if not self._is_given_up:
                if self._above is None:
                    self._above = self._start(self._most, self._alarm_above())
                self.reason = self._go_on(self._above, False, turn, work)
                if self.reason is None:
                    self._settle()
                    return
                if self._half.interrupted:
                    self.alarm.interrupted = True
                self._is_given_up = self._half.is_up()  # a kernel that was stopped cannot go on
            worked = self._prove(2 * turn if limited else turn)
            work = worked if limited else inf
            turn *= 2
        if self._closed():
            self.robust, self.reason = self.attack is None, None
        else:
            self.reason = self.alarm.reason if self.alarm.is_up() else "node limit"

    def _alarm_above(self) -> Alarm:
        """One action of the search over the whole cap may take all the time there is: it gets half of what is left."""
        deadline = self.alarm.deadline
        if deadline is not None:
            now = time.perf_counter()
            self._half = self._stack.enter_context(Alarm(now + (deadline - now) / 2))
        return self._half

    def _ended(self) -> bool:
        return self._closed() or self.alarm.is_up() or self._out_of_nodes()

    def _prove(self, turn: int) -> float:
        """Go on at the smallest budgets that are not proved, for so many nodes; the work that it took."""
        left, worked = turn, 0.0
        while left > 0 and not self._ended():
            below = self._below = self._below or self._start(self.lower + 1)
            nodes, work = below.all_nodes, below.work
            reason = self._go_on(below, True, left)
            left -= max(below.all_nodes - nodes, 1)
            worked += max(below.work - work, 1)
            if reason is None and below.attack is None:
                self.lower += 1
                self._tell()
                self._close(below)
                self._below = None
                del below  # its arrays are given back before the next one's are made
        return worked

    def _closed(self) -> bool:
        """Whether proofs have met the smallest attack, or the cap."""
        return self.lower >= (self._most if self.attack is None else len(self.attack) - 1)

    def is_finished(self) -> bool:
        return self.reason is None and (self.robust or self.attack is not None) and self._closed()

    def result(self, started: float) -> Radius:
        return radius_of(
            self.query, self.lower, self.attack, self.rival, self.reason, self._total(started), robust=self.robust
        )

    def _total(self, started: float) -> Stats:
        """What all searches took together."""
        every = [*self._stats, *(search.stats(started) for search in self._open)]
        if not every:  # it ended before the first search began
            return no_stats(started, fragile=0 if self._kept is None else len(self._kept.pairs), searches=0)
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

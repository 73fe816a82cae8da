"""One search: runs the kernel, answers its questions in exact arithmetic, and escalates where a query is hard."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from math import log2
from typing import NamedTuple

import numpy as np

from ..exact import ExactEvaluator
from ..graph import Pair
from ..problem import Compiled, Problem
from ..verdict import Stats
from .lend import Lent
from .lines import make_lines
from .portfolio import Portfolio
from .round import rounding_slacks
from .run import CANDIDATE, FINISHED, PAUSED, restart, run
from .state import (
    BOX_PRUNES,
    CANDIDATES,
    EVALUATIONS,
    FRESH,
    LEAVES,
    LIMIT,
    LINE_PASSES,
    LINE_PRUNES,
    LONELY_LEAVES,
    NODES,
    PAIR_MARK,
    SPENT_LEAVES,
    SWEPT_LEAVES,
    TIGHTENINGS,
    UNDECIDED,
    WORK,
    Options,
    State,
    make_state,
    with_longer_trails,
)  # fmt: skip
from .trace import Trace

# work between two looks at the clock: some 10 to 50 ms
QUOTA = 20_000
# tighten at every k-th level: measured on five datasets, 2 beats 1 by 1.2-1.7x and is level with 4
TIGHTEN_EVERY = 2


def exploration(nodes: int, fragile: int) -> float:
    """The paper's exploration ratio."""
    return log2(max(nodes, 1)) / (fragile + 1)


class Step(NamedTuple):
    """What to do once the search has seen so many nodes: start again with tightening, or look for attacks."""

    nodes: int
    tighten: bool = False
    width: int = 0


# Most queries end within a few nodes, so what is expensive waits. Bounds are weak on graph tasks with insertions and
# attacks are easy to find: there they come first.
NODE_PLAN = (Step(16, tighten=True), Step(64, width=1), Step(600, width=6), Step(5000, width=24))
GRAPH_PLAN = (Step(1, width=1), Step(1, width=5), Step(16, tighten=True), Step(200, width=24))


def make_root(p: Problem, budget: int, most: int) -> State:
    """A state at the root; `most` is how many flips a box may have to rank."""
    state = make_state(p, max((min(budget, 10) + 6) * (p.T + 1) * p.n, 1024), most, budget)
    state.tally[LIMIT] = min(budget, p.pair_u.size)
    state.tally[UNDECIDED] = p.pair_u.size
    state.tally[FRESH] = 1
    np.add.at(state.open_slots, p.pair_v, 1)
    two = p.pair_slot[:, 1] >= 0
    np.add.at(state.open_slots, p.pair_u[two], 1)
    return state


class Search:
    """One search over a compiled problem; `attack` and `limit` hold what is known so far.

    Invariant: every admissible graph with at most `limit` flips that the search has left behind keeps the claim.
    """

    def __init__(
        self, compiled: Compiled, budget: int, options: Mapping[str, bool], trace: Trace | None = None
    ) -> None:
        self.compiled = compiled
        self._trace = trace
        self.evaluator = ExactEvaluator(compiled.query.network, compiled.query.graph)
        p = compiled.problem
        self.options = Options(**{name: int(options[name]) for name in Options._fields})._replace(tighten=0)
        self._most = budget if options["budget_boxes"] else len(compiled.pairs)
        self._budget = budget
        self.state = make_root(p, budget, self._most)
        if trace is not None:
            trace.pairs = compiled.pairs
            self.state = trace.attach(self.state)
        self._problem, self._state = Lent(p), Lent(self.state)
        self._lines = Lent(make_lines(p, self.state.line.shape[1], used=options["lines"]))
        if not rounding_slacks(self._problem, self._state, self.options):
            # nothing can be bounded: every grounding is decided exactly, and no bound is trusted
            self.state.boxes[:] = np.nan
            self.options = self.options._replace(lines=0)
        self._plan = self._make_plan(options)
        self._portfolio: Portfolio | None = None
        self.attack: list[Pair] | None = None
        self.rival: int | None = None
        self.exact_checks = 0

    def _make_plan(self, options: Mapping[str, bool]) -> list[Step]:
        p = self.compiled.problem
        plan: tuple[Step, ...] = NODE_PLAN if p.node_task else GRAPH_PLAN
        if not p.node_task and not p.pair_present.all():
            # with an insertion possible at every vertex, boxes are too wide for any neuron to be tightened
            plan = tuple(step for step in plan if not step.tighten)
        steps = [Step(0, width=4)] * options["attack_at_once"]
        if options["tighten_at_once"]:
            steps.append(Step(0, tighten=True))
        steps += plan
        if not (options["tighten"] and self.options.lines):
            steps = [step for step in steps if not step.tighten]
        if not options["attacks"]:
            steps = [step for step in steps if not step.width]
        return steps

    def flips(self) -> list[int]:
        """The pairs that are flipped where the search stands."""
        trail = self.state.pair_trail[: self.state.tally[PAIR_MARK]]
        return [~pair for pair in trail.tolist() if pair < 0]

    def breaks(self, pairs: Sequence[int]) -> bool:
        """Whether these flips break the claim, in exact arithmetic; if so, they are the best attack so far."""
        claim = self.compiled.query.claim
        flips = [(int(u), int(v)) for u, v in self.compiled.pairs[list(pairs)]]
        self.exact_checks += 1
        margin, rival = self.evaluator.margin(claim.node, claim.label, self.compiled.rival_classes, flips)
        if not margin > 0:
            return False
        self.attack, self.rival = flips, rival
        self.state.tally[LIMIT] = len(flips) - 1
        return True

    def _take(self, step: Step, deadline: float | None) -> None:
        if step.tighten:
            # not an easy one: start again with the expensive oracle, which pays off from the root on
            restart(self._problem, self._state)
            if self._trace is not None:
                self._trace.clear()
            self.options = self.options._replace(tighten=TIGHTEN_EVERY)
        elif self.limit > 1 or (step.nodes == 0 and self.limit > 0):
            if self._portfolio is None:
                root = make_root(self.compiled.problem, self._budget, self._most)
                rounding_slacks(self._problem, Lent(root), self.options)
                self._portfolio = Portfolio(self._problem, root, self.options, self.breaks)
            self._portfolio.deadline = deadline
            while self.limit > 0 and self._portfolio.search(self.limit, step.width) and not self._first_only:
                pass  # a smaller one may be found the same way

    def run(self, *, deadline: float | None, node_limit: int | None, first_only: bool) -> str | None:
        """Search to the end (None) or to a limit (its name); with `first_only`, the first attack ends it too."""
        self._first_only = first_only
        most_nodes = np.iinfo(np.int64).max if node_limit is None else node_limit
        while True:
            while self._plan and self.state.tally[NODES] >= self._plan[0].nodes:
                self._take(self._plan.pop(0), deadline)
            if self.attack is not None and (first_only or not self.attack):
                return None
            pause = min(most_nodes, self._plan[0].nodes) if self._plan else most_nodes
            code = run(self._problem, self._state, self._lines, self.options, QUOTA, pause)
            if self._trace is not None:
                self._trace.drain(self.state)
            if code == FINISHED:
                return None
            if code == CANDIDATE:
                self.breaks(self.flips())
            elif code == PAUSED:
                if self.state.tally[NODES] >= most_nodes:
                    return "node limit"
            else:
                self.state = with_longer_trails(self.state)
                self._state = Lent(self.state)
            if deadline is not None and time.perf_counter() > deadline:
                return None if self.attack is not None and first_only else "timeout"

    @property
    def limit(self) -> int:
        return int(self.state.tally[LIMIT])

    def stats(self, started: float) -> Stats:
        tally, fragile = self.state.tally, len(self.compiled.pairs)
        nodes = int(tally[NODES])
        return Stats(
            nodes=nodes,
            seconds=time.perf_counter() - started,
            leaves=int(tally[LEAVES]),
            fragile=fragile,
            exploration=exploration(nodes, fragile),
            evaluations=int(tally[EVALUATIONS]) + (self._portfolio.evaluations if self._portfolio else 0),
            box_prunes=int(tally[BOX_PRUNES]),
            line_prunes=int(tally[LINE_PRUNES]),
            swept_leaves=int(tally[SWEPT_LEAVES]),
            line_passes=int(tally[LINE_PASSES]),
            tightenings=int(tally[TIGHTENINGS]),
            spent_leaves=int(tally[SPENT_LEAVES]),
            lonely_leaves=int(tally[LONELY_LEAVES]),
            candidates=int(tally[CANDIDATES]),
            exact_checks=self.exact_checks,
            work=int(tally[WORK]),
        )

"""One search: runs the kernel, answers its questions in exact arithmetic, and escalates where a query is hard."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from math import inf, log2
from typing import NamedTuple, Protocol

import numpy as np

from ..clock import TimeUpError
from ..model.graph import Pair
from ..model.verdict import Attack, Lead, Stats
from ..problem.layout import Compiled
from ..progress import Nodes
from .attacks.beam_search import BeamSearch
from .attacks.extensions import Extensions, Flips
from .attacks.local_search import LocalSearch
from .deadline import Alarm
from .forward.claim import grounding_may_break
from .intervals.rounding import evaluate_root
from .jit.by_address import Bundle
from .parallel import WorkerPool
from .state.state import (
    ACTION,
    BOX_PRUNES,
    CANDIDATES,
    ENUMERATED_LEAVES,
    EVALUATION_WORK,
    EVALUATIONS,
    FRESH,
    LEAVES,
    LINE_PASSES,
    LINE_PRUNES,
    LONELY_LEAVES,
    NODES,
    PAIR_MARK,
    SCREENED_LEAVES,
    SCREENINGS,
    SPENT_LEAVES,
    TIGHTENINGS,
    WORK,
)  # fmt: skip
from .strategies.forks import FORK_FLIPS, FORK_WORK, Forks, count_forks, forks_apply
from .strategies.orbits import Orbits, are_few
from .trace import Trace
from .tree.codes import CANDIDATE, ENTER, FINISHED, PAUSED, STOPPED
from .tree.node_loop import restart
from .worker import Worker, make_root

# search nodes after which a query is hard enough to be shared between threads
SHARE_AFTER = 1000
# times as many evaluations as flips, in a local search: most are for swaps
SWAPS = 4
# tighten at every k-th level: measured on five datasets, 2 beats 1 by 1.2-1.7x and is level with 4
TIGHTEN_EVERY = 2


def exploration(nodes: int, fragile: int) -> float:
    """The paper's exploration ratio."""
    return log2(max(nodes, 1)) / (fragile + 1)


def no_stats(started: float, **more: int) -> Stats:
    """Of a question that ended before a search began."""
    found = {"nodes": 0, "leaves": 0, "fragile": 0, "exploration": 0.0, "evaluations": 0, **more}
    return Stats(seconds=time.perf_counter() - started, **found)


class Step(NamedTuple):
    """What to do once the search has seen so many nodes: start again with tightening, interplay, orbits or forks; or
    look for attacks. Some of it not before it has also done `patience` times as much work as that takes.
    """

    nodes: int
    tighten: bool = False
    interplay: bool = False
    orbits: bool = False
    forks: bool = False
    width: int = 0
    restarts: int = 0
    patience: float = 0

    @property
    def attacks(self) -> bool:
        return self.width > 0 or self.restarts > 0


# Most queries end within a few nodes, so what is expensive waits. Bounds are weak on graph tasks with insertions and
# attacks are easy to find: there they come first.
WIDE = (
    Step(1, restarts=5, patience=0.5), Step(200, restarts=25, patience=0.25), Step(200, width=100, patience=0.5),
    Step(200, restarts=150, patience=0.25),
)  # fmt: skip
LONG = (Step(200, restarts=600, patience=2),)
GRAPH_PLAN = (Step(1, width=1), Step(1, width=5), Step(16, tighten=True), *WIDE, *LONG)
# with an insertion possible at every vertex, boxes are too wide for any neuron to be tightened
INSERTION_PLAN = (
    Step(0, width=1), Step(1, width=5), Step(1, interplay=True), Step(1, orbits=True), *WIDE,
    Step(200, forks=True, patience=0.05), *LONG,
)  # fmt: skip
# around a node, bounds are strong and most that is left is robust; a unit of work is also done faster in a line
NODE_PLAN = (
    Step(16, tighten=True), Step(64, width=1), Step(600, width=6), Step(600, width=24, patience=10),
    Step(600, width=100, patience=10), Step(600, width=600, patience=10),
)  # fmt: skip


class Looking(NamedTuple):
    """Ways to look for attacks, which share their evaluations."""

    extensions: Extensions
    beam: BeamSearch
    local: LocalSearch


class Strategy(Protocol):
    """A way to settle the question: the tree (worker.py), forks or orbits (strategies/)."""

    def advance(self, most_nodes: int) -> int:
        """Move on for a while; why it came back (tree/codes.py)."""


class Search:
    """One query from the first node to the verdict: a plan says what to try as it proves harder.

    It has one worker, and a strategy that moves it.
    """

    def __init__(
        self,
        compiled: Compiled,
        budget: int,
        options: Mapping[str, bool],
        threads: int = 1,
        on_attack: Callable[[list[Pair]], None] | None = None,
        trace: Trace | None = None,
        alarm: Alarm | None = None,
        progress: Callable[[Nodes], None] | None = None,
    ) -> None:
        self.worker = Worker(compiled, budget, options, on_attack, trace, alarm, later=True)
        self._asked, self._threads = options, threads
        self._plan = self._make_plan(options)
        self._looking: Looking | None = None
        self._progress = progress
        self._looked: list[Extensions] = []
        self._refuted: set[Flips] = set()
        self._strategy: Strategy = self.worker  # the tree, as long as nothing promises more
        # what workers have counted that this search was shared with
        self._others = np.zeros_like(self.worker.state.tally)
        self._others_checks = 0

    def _make_plan(self, options: Mapping[str, bool]) -> list[Step]:
        p = self.worker.compiled.problem
        plan: tuple[Step, ...] = NODE_PLAN if p.node_task else GRAPH_PLAN
        if not p.node_task and not p.pair_present.all():
            plan = INSERTION_PLAN
        steps = [Step(0, width=4)] * options["attack_at_once"]
        if options["tighten_at_once"]:
            steps.append(Step(0, tighten=True))
        if options["interplay_at_once"] or options["orbits_at_once"] or options["forks_at_once"]:
            steps.append(Step(0, interplay=True))
        if options["orbits_at_once"]:
            steps.append(Step(0, orbits=True))
        if options["forks_at_once"]:
            steps.append(Step(0, forks=True))
        steps += plan
        if not (options["lines_tighten"] and self.worker.options.lines):
            steps = [step for step in steps if not step.tighten]
        if not options["attacks"]:
            steps = [step for step in steps if not step.attacks]
        if not options["interplay"]:
            steps = [step for step in steps if not (step.interplay or step.orbits or step.forks)]
        if not (options["interplay_orbits"] and self.worker.uses_symmetries):
            steps = [step for step in steps if not step.orbits]
        if any(step.forks for step in steps) and not (
            options["interplay_forks"] and self.worker.budget >= FORK_FLIPS and forks_apply(p)
        ):
            steps = [step for step in steps if not step.forks]
        return steps

    def _is_due(self, step: Step) -> bool:
        if self.worker.nodes < step.nodes or not step.patience:
            return self.worker.nodes >= step.nodes
        tally = self.worker.state.tally
        if step.forks:
            return bool(tally[WORK] >= step.patience * FORK_WORK * count_forks(self.worker.compiled.problem) ** 2)
        evaluations = (step.width + SWAPS * step.restarts) * self.worker.limit * len(self.worker.compiled.pairs)
        price = tally[EVALUATION_WORK] / max(tally[EVALUATIONS], 1)
        return bool(tally[WORK] >= step.patience * evaluations * max(price, 1.0))

    def _take(self, step: Step) -> None:
        if step.tighten:
            if not self.worker.options.lines:
                return  # nothing can be bounded
            # not an easy one: start again with the expensive oracle, which pays off from the root on
            restart(self.worker._problem, self.worker._state)
            if self.worker.trace is not None:
                self.worker.trace.clear()
            # around a node, passes inside passes shrink trees tenfold; of a whole graph, where everybody matters, they
            # shrank them by a fifth and took three times as long (MUTAG, mean, deletions)
            p = self.worker.compiled.problem
            narrow = self._asked["lines_nested"] and p.T > 1 and p.node_task
            self.worker.follow(self.worker.options._replace(lines_tighten=TIGHTEN_EVERY, lines_nested=int(narrow)))
        elif step.interplay:
            if not self.worker.options.interplay and self.worker.can_screen():
                restart(self.worker._problem, self.worker._state)
                self.worker.follow(self.worker.options._replace(interplay=1))
        elif step.orbits:
            at_once = self._asked["orbits_at_once"]
            if self.worker.options.interplay and (
                at_once or are_few(self.worker.compiled.problem, self.worker.symmetries(), self.worker.limit)
            ):
                self._strategy = Orbits(self.worker)
        elif step.forks:
            if self._strategy is self.worker and self.worker.options.interplay and self.worker.limit == FORK_FLIPS:
                self._strategy = Forks(self.worker)
        elif self.worker.limit > (0 if self._asked["attack_at_once"] else 1):
            looking = self._look_from_root()
            while self.worker.limit > 0 and self._look(looking, step) and not self._first_only:
                pass  # a smaller one may be found the same way

    def _look(self, looking: Looking, step: Step) -> Flips | None:
        if step.restarts:
            return looking.local.search(self.worker.limit, step.restarts)
        return looking.beam.search(self.worker.limit, step.width)

    def _look_from_root(self) -> Looking:
        """One that evaluates where the search is about to begin, while that is so; then one with a state of its own."""
        if self._looking is None:
            state, here = self.worker.state, self.worker.nodes == 0 and self.worker.state.tally[PAIR_MARK] == 0
            if not here:
                state = make_root(self.worker.compiled.problem, self.worker.budget, self.worker.most)
                evaluate_root(self.worker._problem, Bundle(state), self.worker.options)
            extensions = Extensions(
                self.worker._problem,
                state,
                self.worker.options,
                self.worker.breaks,
                self._refuted,
                self.worker.alarm,
            )
            found = Looking(extensions, BeamSearch(extensions), LocalSearch(extensions))
            self._looked.append(extensions)
            if here:
                return found
            self._looking = found
        return self._looking

    @property
    def attack(self) -> list[Pair] | None:
        """The best one so far."""
        return self.worker.attack

    @property
    def rival(self) -> int | None:
        return self.worker.rival

    def _is_broken(self) -> bool:
        """Whether the graph as it is may break the claim, which the kernel asks before all else."""
        fresh = self.worker.state.tally[FRESH] == 1
        return fresh and bool(
            grounding_may_break(self.worker._problem, self.worker._state, self.worker.state.frame_excluded[0])
        )

    def _is_done(self) -> bool:
        """Whether there is an attack, and no smaller one is asked for, or none is possible."""
        return self.worker.attack is not None and (self._first_only or not self.worker.attack)

    def run(self, *, node_limit: int | None, first_only: bool, most_work: float = inf) -> str | None:
        """Search to the end (None) or to a limit (its name); with `first_only`, the first attack ends it too.

        most_work: about so much of it in all; "work" says that it was reached.
        """
        try:
            return self._run(node_limit, first_only, most_work)
        except TimeUpError:
            return None if self.worker.attack is not None and first_only else self.worker.alarm.reason

    def _run(self, node_limit: int | None, first_only: bool, most_work: float) -> str | None:
        self._first_only = first_only
        most_nodes = np.iinfo(np.int64).max if node_limit is None else node_limit
        while True:
            shared = self._threads > 1 and self.worker.nodes >= SHARE_AFTER and self.worker.state.tally[ACTION] == ENTER
            while self._plan and not self._is_done() and (shared or self._is_due(self._plan[0])):
                if self._plan[0].attacks and self._is_broken():
                    break  # the kernel asks next whether the flips where it stands are an attack
                step = self._plan.pop(0)
                if step.nodes > 0 or not step.attacks:
                    self.worker.prepare()
                if not step.patience or self._is_due(step):  # otherwise threads would wait for it
                    self._take(step)
            if self._is_done():
                return None
            if shared and self._strategy is self.worker:
                return self._share(most_nodes)
            self.worker.prepare()
            # a step that waits for work is looked at again whenever the kernel comes back, as it often does
            later = [step.nodes for step in self._plan[:1] if step.nodes > self.worker.nodes]
            pause = min([most_nodes, *later])
            if self._threads > 1 and self._strategy is self.worker:
                pause = min(pause, SHARE_AFTER)
            code = self._strategy.advance(pause)
            if code == FINISHED:
                return None
            if code == CANDIDATE:
                self.worker.breaks(self.worker.flips())
            elif code == PAUSED and self.worker.nodes >= most_nodes:
                return "node limit"
            if code == STOPPED or self.worker.alarm.is_up():
                return None if self.worker.attack is not None and first_only else self.worker.alarm.reason
            if code == PAUSED and self.work >= most_work:
                return "work"
            if self._progress is not None:
                self._progress(Nodes(self.all_nodes, self.behind))

    def _share(self, most_nodes: int) -> str | None:
        """Leave what is open to several workers."""
        pool = WorkerPool(self.worker, self._asked, self._threads, self._first_only)
        reason = pool.run(most_nodes - int(self._others[NODES]))
        for worker in pool.workers:
            self._others += worker.state.tally
            self._others_checks += worker.exact_checks
        return reason

    @property
    def lead(self) -> Lead | None:
        """What comes closest to an attack among all that were looked at from the root."""
        found = max((one.lead for one in self._looked if one.lead is not None), default=None)
        if found is None:
            return None
        margin, flips = found
        return Lead(Attack(map(tuple, self.worker.compiled.pairs[list(flips)].tolist())), margin)

    @property
    def behind(self) -> float | None:
        """By how much a rival misses the label under `lead`."""
        found = [one.lead[0] for one in self._looked if one.lead is not None]
        return max(-max(found), 0.0) if found else None

    @property
    def work(self) -> int:
        return int(self.worker.state.tally[WORK] + self._others[WORK])

    @property
    def all_nodes(self) -> int:
        return self.worker.nodes + int(self._others[NODES])

    def stats(self, started: float) -> Stats:
        tally = self.worker.state.tally + self._others
        fragile = len(self.worker.compiled.pairs)
        nodes = int(tally[NODES])
        return Stats(
            nodes=nodes,
            seconds=time.perf_counter() - started,
            leaves=int(tally[LEAVES]),
            fragile=fragile,
            exploration=exploration(nodes, fragile),
            evaluations=int(tally[EVALUATIONS]) + (self._looking.extensions.evaluations if self._looking else 0),
            box_prunes=int(tally[BOX_PRUNES]),
            line_prunes=int(tally[LINE_PRUNES]),
            swept_leaves=int(tally[ENUMERATED_LEAVES]),
            line_passes=int(tally[LINE_PASSES]),
            tightenings=int(tally[TIGHTENINGS]),
            screenings=int(tally[SCREENINGS]),
            screened_leaves=int(tally[SCREENED_LEAVES]),
            spent_leaves=int(tally[SPENT_LEAVES]),
            lonely_leaves=int(tally[LONELY_LEAVES]),
            candidates=int(tally[CANDIDATES]),
            exact_checks=self.worker.exact_checks + self._others_checks,
            work=int(tally[WORK]),
        )

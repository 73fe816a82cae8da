"""The search engine: prepares a problem, runs the kernel, answers its questions in exact arithmetic."""

from __future__ import annotations

import time
from collections.abc import Mapping
from math import log2
from typing import Any

import numpy as np

from ..exact import ExactEvaluator
from ..graph import Pair
from ..options import resolve
from ..problem import Compiled, compile_problem
from ..query import Query
from ..verdict import Attack, Radius, Stats, Verdict
from .bound_lines import make_lines
from .lend import Lent
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
    make_state,
    with_longer_trails,
)  # fmt: skip
from .warm import warm_up

# work between two looks at the clock: some 10 to 50 ms
QUOTA = 20_000
# search nodes before tightening is switched on: easy queries end before it would pay
EASY_NODES = 16
# tighten at every k-th level
TIGHTEN_EVERY = 2


class Search:
    """One search over a compiled problem; `attack` and `limit` hold what is known so far.

    Invariant: every admissible graph with at most `limit` flips that the search has left behind keeps the claim.
    """

    def __init__(self, compiled: Compiled, options: Mapping[str, bool], budget: int, evaluator: ExactEvaluator) -> None:
        self.compiled, self.evaluator = compiled, evaluator
        p = compiled.problem
        self.options = Options(**{name: int(options[name]) for name in Options._fields})
        self._tighten = TIGHTEN_EVERY if options["tighten"] and options["lines"] else 0
        self.options = self.options._replace(tighten=0)
        most = budget if options["budget_boxes"] else len(compiled.pairs)
        self.state = make_state(p, max(6 * (p.T + 1) * p.n, 1024), most)
        tally = self.state.tally
        tally[LIMIT] = min(budget, len(compiled.pairs))
        tally[UNDECIDED] = len(compiled.pairs)
        tally[FRESH] = 1
        np.add.at(self.state.open_slots, p.pair_v, 1)
        two = p.pair_slot[:, 1] >= 0
        np.add.at(self.state.open_slots, p.pair_u[two], 1)
        self._problem, self._state = Lent(p), Lent(self.state)
        self._lines = Lent(make_lines(p, self.state.line.shape[1], used=options["lines"]))
        if not rounding_slacks(self._problem, self._state, self.options):
            # nothing can be bounded: every grounding is decided exactly, and no bound is trusted
            self.state.boxes[:] = np.nan
            self.options = self.options._replace(lines=0)
        self.attack: list[Pair] | None = None
        self.rival: int | None = None
        self.exact_checks = 0

    def flips(self) -> list[Pair]:
        """The pairs that are flipped where the search stands."""
        trail = self.state.pair_trail[: self.state.tally[PAIR_MARK]]
        return [self.compiled.pairs[~pair] for pair in trail.tolist() if pair < 0]

    def run(self, *, deadline: float | None, node_limit: int | None, first_only: bool) -> str | None:
        """Search to the end (None) or to a limit (its name); with `first_only`, the first attack ends it too."""
        claim = self.compiled.query.claim
        most_nodes = np.iinfo(np.int64).max if node_limit is None else node_limit
        while True:
            if self.state.tally[NODES] >= EASY_NODES and self.options.tighten != self._tighten:
                # not an easy one: start again with the expensive oracle, which pays off from the root on
                restart(self._problem, self._state)
                self.options = self.options._replace(tighten=self._tighten)
            most = most_nodes if self.options.tighten == self._tighten else min(most_nodes, EASY_NODES)
            code = run(self._problem, self._state, self._lines, self.options, QUOTA, most)
            if code == FINISHED:
                return None
            if code == CANDIDATE:
                flips = self.flips()
                self.exact_checks += 1
                margin, rival = self.evaluator.margin(claim.node, claim.label, self.compiled.rival_classes, flips)
                if margin > 0:
                    self.attack, self.rival = flips, rival
                    self.state.tally[LIMIT] = len(flips) - 1
                    if first_only or not flips:
                        return None
            elif code == PAUSED:
                if self.state.tally[NODES] >= most_nodes:
                    return "node limit"
            else:
                self.state = with_longer_trails(self.state)
                self._state = Lent(self.state)
            if deadline is not None and time.perf_counter() > deadline:
                return "timeout"

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
            exploration=log2(max(nodes, 1)) / (fragile + 1),
            evaluations=int(tally[EVALUATIONS]),
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


def _start(query: Query, options: Mapping[str, Any] | None) -> tuple[Compiled, dict[str, bool], int]:
    chosen = resolve(options)
    budget = query.threat.budget
    compiled = compile_problem(query, chosen, budget)
    return compiled, chosen, len(compiled.pairs) if budget is None else budget


def verify(
    query: Query, *, timeout: float | None, node_limit: int | None, options: Mapping[str, Any] | None
) -> Verdict:
    """Is the claim kept by every admissible graph?"""
    warm_up()
    started = time.perf_counter()
    deadline = None if timeout is None else started + timeout
    compiled, chosen, budget = _start(query, options)
    search = Search(compiled, chosen, budget, ExactEvaluator(query.network, query.graph))
    reason = search.run(deadline=deadline, node_limit=node_limit, first_only=True)
    found = search.attack is not None
    return Verdict(
        status="vulnerable" if found else "robust" if reason is None else "unknown",
        label=query.claim.label,
        attack=Attack(search.attack) if search.attack is not None else None,
        rival=search.rival,
        reason=None if found else reason,
        node=query.claim.node,
        directed=query.graph.directed,
        stats=search.stats(started),
    )


def radius(query: Query, *, timeout: float | None, node_limit: int | None, options: Mapping[str, Any] | None) -> Radius:
    """The paper's variant: whenever an attack is found, go on looking for a smaller one only."""
    warm_up()
    started = time.perf_counter()
    deadline = None if timeout is None else started + timeout
    compiled, chosen, budget = _start(query, options)
    search = Search(compiled, chosen, budget, ExactEvaluator(query.network, query.graph))
    reason = search.run(deadline=deadline, node_limit=node_limit, first_only=False)
    found = search.attack is not None
    upper = len(search.attack) - 1 if search.attack is not None else None
    if reason is not None:
        lower = 0 if not found or len(search.attack or ()) > 0 else -1
    elif upper is not None:
        lower = upper
    else:
        budget = query.threat.budget
        lower = query.threat.count_fragile(query.graph, query.claim.node) if budget is None else budget
    return Radius(
        lower=lower,
        upper=upper,
        exact=reason is None,
        robust=reason is None and not found,
        label=query.claim.label,
        attack=Attack(search.attack) if search.attack is not None else None,
        rival=search.rival,
        reason=reason,
        node=query.claim.node,
        directed=query.graph.directed,
        stats=search.stats(started),
    )

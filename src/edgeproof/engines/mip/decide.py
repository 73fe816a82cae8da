"""One budget, one rival after the other: is there a set of flips that puts the rival ahead?"""

from __future__ import annotations

import time
from dataclasses import dataclass
from math import log2

import numpy as np

from ...arithmetic.decide import Decider
from ...arithmetic.float64 import evaluate
from ...clock import Clock, TimeUpError
from ...model.arrays import FloatArray, IntArray
from ...model.perturb import with_features
from ...model.query import Query
from ...model.verdict import Attack, Stats
from . import solve_gurobi, solve_highs, solve_scip
from .arena import UNDECIDED, Arena
from .boxes import Encloser, Enclosure
from .doubt import doubt_of_goal
from .encode import Encoder, OutOfTimeError, Watched
from .objective import objective_of, smallest_gap
from .outcome import Outcome
from .program import ROOM, Program
from .settings import Settings

CANDIDATES = 200
"""Graphs too close to a tie for the solver, each evaluated exactly, before the answer is `unknown`."""


@dataclass
class Effort:
    """What was spent so far, and what may be spent."""

    deadline: float | None
    node_limit: int | None
    nodes: int = 0
    evaluations: int = 0
    programs: int = 0
    columns: int = 0
    rows: int = 0

    def exhausted(self) -> str | None:
        if self.deadline is not None and time.perf_counter() >= self.deadline:
            return "timeout"
        if self.node_limit is not None and self.nodes >= self.node_limit:
            return "node limit"
        return None

    def stats(self, started: float, arena: Arena, settings: Settings) -> Stats:
        fragile = len(arena.pairs)
        return Stats(
            nodes=self.nodes, seconds=time.perf_counter() - started, leaves=0, fragile=fragile,
            exploration=log2(max(self.nodes, 1)) / (fragile + 1), evaluations=self.evaluations,
            programs=self.programs, columns=self.columns, rows=self.rows, solver=settings.solver,
        )  # fmt: skip


@dataclass(frozen=True)
class Decision:
    """An attack and its winner; or nothing, which is a proof unless there is a reason."""

    attack: Attack | None = None
    rival: int | None = None
    reason: str | None = None


def decide(query: Query, arena: Arena, settings: Settings, effort: Effort) -> Decision:
    """Rivals that are close on the input graph come first: they are the likelier winners."""
    claim, decider = query.claim, Decider(query.network, query.graph)
    effort.evaluations += 1
    try:
        winner = decider.rival(claim.node, claim.label, query.rivals, (), Clock(effort.deadline))
    except TimeUpError:
        return Decision(reason="timeout")
    if winner is not None:
        return Decision(Attack([], cost=0), winner)
    scores = evaluate(query.network, query.graph, claim.node)
    gap = smallest_gap(query, arena)
    for rival in sorted(query.rivals, key=lambda rival: -scores[rival]):
        found = _decide_rival(query, arena, rival, gap, decider, settings, effort)
        if found.attack is not None or found.reason is not None:
            return found
    return Decision()


def _decide_rival(
    query: Query, arena: Arena, rival: int, gap: float, decider: Decider, settings: Settings, effort: Effort
) -> Decision:
    if not arena.pairs and (arena.free is None or not arena.free.row.size):
        return Decision()
    objective = objective_of(query, rival)
    encloser = Encloser(query, arena, objective)
    with np.errstate(over="ignore", invalid="ignore"):
        boxes = encloser(np.full(len(arena.pairs), UNDECIDED))
    if boxes.objective.hi[0, 0] <= 0:
        return Decision()
    if not _finite(boxes):
        return Decision(reason="overflow")
    encoder = Encoder(arena, objective, boxes, effort.deadline)
    try:
        program = encoder.program(gap, doubt_of_goal(arena, objective, boxes))
    except OutOfTimeError:
        return Decision(reason="timeout")
    for _ in range(CANDIDATES):
        reason = effort.exhausted()
        if reason is not None:
            return Decision(reason=reason)
        outcome = _solve(program, settings, effort, encloser, encoder.watched)
        if outcome.answer == "none":
            return Decision()
        if outcome.flips is None:
            return Decision(reason=outcome.answer)
        attack, judge = _attack(query, arena, outcome), decider
        if attack.features:
            judge = Decider(query.network, with_features(query.graph, attack.features, attack.values))
        effort.evaluations += 1
        try:
            winner = judge.rival(query.claim.node, query.claim.label, query.rivals, attack, Clock(effort.deadline))
        except TimeUpError:
            return Decision(reason="timeout")
        if winner is not None:
            return Decision(attack, winner)
        if program.free:
            break  # what is next to it cannot be cut off one by one
        program = program.without(outcome.flips)
    return Decision(reason="tolerance")


def _attack(query: Query, arena: Arena, outcome: Outcome) -> Attack:
    """What the solver found, in the user's numbers."""
    assert outcome.flips is not None
    count, free = len(arena.pairs), arena.free
    chosen = np.flatnonzero(outcome.flips[:count] == 1)
    pairs, cost = [arena.pairs[at] for at in chosen], sum(arena.costs[at] for at in chosen)
    if free is None:
        return Attack(pairs, cost=cost)
    if free.flips:
        values = np.where(outcome.flips[count:] == 1, 1.0 - free.start, free.start)
    else:
        assert outcome.values is not None
        values = np.clip(outcome.values, free.low, free.high)
    places, moved = free.attack(values)
    return Attack(pairs, features=places, values=moved, cost=cost + len(places) * free.shared)


def _finite(boxes: Enclosure) -> bool:
    every = [*boxes.before, *boxes.after, boxes.objective]
    return all(bool(np.isfinite(box.magnitude).all()) for box in every)


def _solve(program: Program, settings: Settings, effort: Effort, encloser: Encloser, watched: list[Watched]) -> Outcome:
    seconds = None if effort.deadline is None else effort.deadline - time.perf_counter()
    nodes = None if effort.node_limit is None else effort.node_limit - effort.nodes
    if settings.solver == "scip":
        tighten = _tightening(program, encloser, watched) if settings.bounds == "aggressive" else None
        outcome = solve_scip.solve(program, seconds, nodes, tighten)
    else:
        outcome = {"highs": solve_highs, "gurobi": solve_gurobi}[settings.solver].solve(program, seconds, nodes)
    effort.nodes += outcome.nodes
    effort.programs += 1
    effort.columns, effort.rows = program.lower.size, program.row_lower.size
    return outcome


def _tightening(program: Program, encloser: Encloser, watched: list[Watched]) -> solve_scip.Tighten:
    columns = [*(one.column for one in watched), program.goal]
    offset, scale = program.offset[columns], program.scale[columns]

    def tighten(flips: IntArray) -> tuple[list[int], FloatArray, FloatArray] | None:
        boxes = encloser(flips)
        found = [(boxes.after if one.after else boxes.before)[one.layer] for one in watched]
        lo = [box.lo[one.row, one.at] for box, one in zip(found, watched, strict=True)] + [boxes.objective.lo[0, 0]]
        hi = [box.hi[one.row, one.at] for box, one in zip(found, watched, strict=True)] + [boxes.objective.hi[0, 0]]
        lower, upper = ((np.array(ends) - offset) / scale for ends in (lo, hi))
        if upper[-1] < program.lower[program.goal]:
            return None
        return columns, lower - ROOM, upper + ROOM

    return tighten

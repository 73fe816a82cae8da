"""Flips of 0/1 features on a fixed graph: branch and bound over single flips.

Theory: "Features on a fixed graph".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..arithmetic.decide import Decider
from ..clock import Clock
from ..model.arrays import FloatArray, IntArray
from ..model.feature_threats import FeatureFlips
from ..model.graph import Graph
from ..model.perturb import with_features
from ..model.query import Query
from .fixed import FAINT, Fixed, fix
from .linear import Gains, Range, bound_leads, ranges, through

Entry = tuple[int, int]


class UnboundedError(Exception):
    """Numbers are too large for any bound."""


class Candidates(NamedTuple):
    """Flips that may be made: `at` is the row of the vertex, `sign` what the feature moves by."""

    at: IntArray
    column: IntArray
    sign: FloatArray

    def take(self, kept: IntArray) -> Candidates:
        return Candidates(self.at[kept], self.column[kept], self.sign[kept])


class State(NamedTuple):
    """x: features with what is flipped; left: flips left at each vertex."""

    x: FloatArray
    flipped: tuple[Entry, ...]
    candidates: Candidates
    budget: int
    left: IntArray


class FeatureSearch:
    """One graph whose edges stay."""

    def __init__(self, query: Query, graph: Graph, clock: Clock, tell: Callable[[int], None]) -> None:
        flips = query.threat.features
        assert isinstance(flips, FeatureFlips)
        self.query, self._graph, self._clock, self._tell = query, graph, clock, tell
        self.fixed: Fixed = fix(query, graph)
        self._flips = flips
        self.rival: int | None = None

    def find(self, budget: int) -> tuple[Entry, ...] | None:
        """An attack of at most so many flips, or None: then there is none."""
        state = self._start(budget)
        rival = self._decide(state.flipped)
        if rival is not None:
            return self._done((), rival)
        waiting = [state]
        while waiting:
            self._clock.look()
            self._tell(1)
            found = self._visit(waiting.pop(), waiting)
            if found is not None:
                return found
        return None

    def _done(self, flipped: tuple[Entry, ...], rival: int) -> tuple[Entry, ...]:
        self.rival = rival
        return flipped

    def _start(self, budget: int) -> State:
        vertices = self.fixed.vertices
        x = self._graph.features.dense(vertices)
        at, column = np.nonzero(self._flips.allowed(self._graph, vertices))
        local = self._flips.local_budget
        most = at.size if local is None else local
        if local == 0:
            at, column = at[:0], column[:0]
        candidates = Candidates(at, column, 1.0 - 2.0 * x[at, column])
        return State(x, (), candidates, min(budget, at.size), np.full(vertices.size, most))

    def _bounded(self, state: State) -> tuple[FloatArray, FloatArray]:
        with np.errstate(over="ignore", invalid="ignore"):
            here, each = self._evaluate(bound_leads(self.fixed, ranges(self.fixed, self._first(state))), state)
        if not (np.isfinite(here).all() and np.isfinite(each).all()):
            raise UnboundedError
        return here, each

    def _visit(self, state: State, waiting: list[State]) -> tuple[Entry, ...] | None:
        """Bounds a node, tries the best flips, and splits on the best of them."""
        while state.budget and state.candidates.at.size:
            here, each = self._bounded(state)
            top = self._best(each, state)
            if (here + top.sum(axis=1) <= 0.0).all():
                return None
            found = self._try(each, state, here)
            if found is not None:
                return found
            kept = self._in_doubt(here, each, top, state)
            if kept.size > 0.75 * state.candidates.at.size:
                break
            state = state._replace(candidates=state.candidates.take(kept))
        if not state.budget or not state.candidates.at.size:
            return None  # without more flips it was looked at when it was made
        order = np.argsort(-each.max(axis=0), kind="stable")
        if state.budget == 1:
            return self._each(state, order)
        return self._split(state, order, waiting)

    def _split(self, state: State, order: IntArray, waiting: list[State]) -> tuple[Entry, ...] | None:
        best = int(order[0])
        rest = state.candidates.take(np.delete(np.arange(order.size), best))
        waiting.append(state._replace(candidates=rest))
        v, c = int(state.candidates.at[best]), int(state.candidates.column[best])
        x, left = state.x.copy(), state.left.copy()
        x[v, c] = 1.0 - x[v, c]
        left[v] -= 1
        if not left[v]:
            rest = rest.take(np.flatnonzero(rest.at != v))
        flipped = (*state.flipped, (v, c))
        waiting.append(State(x, flipped, rest, state.budget - 1, left))
        rival = self._look(flipped)
        return None if rival is None else self._done(self._named(flipped), rival)

    def _each(self, state: State, order: IntArray) -> tuple[Entry, ...] | None:
        """One flip left: all that are in doubt, best first."""
        for k in order:
            self._clock.look()
            flipped = (*state.flipped, (int(state.candidates.at[k]), int(state.candidates.column[k])))
            rival = self._look(flipped)
            if rival is not None:
                return self._done(self._named(flipped), rival)
        return None

    # --- bounds ---

    def _first(self, state: State) -> Range:
        """Pre-activations of the first stage: each is linear in the features, so the best flips are the largest."""
        stage, some, b = self.fixed.stages[0], state.candidates, state.budget
        z = through(stage, state.x)
        up, down = np.zeros_like(z), np.zeros_like(z)
        own, heard = stage.C[:, some.column].T * some.sign[:, None], stage.A[:, some.column].T * some.sign[:, None]
        for row in range(z.shape[0]):
            mine = some.at == stage.keep[row]
            weight = np.zeros(some.at.size) if stage.S is None else stage.S[row, some.at]
            which = np.flatnonzero(mine | (weight != 0.0))
            if not which.size:
                continue
            effect = own[which] * mine[which][:, None] + heard[which] * weight[which][:, None]
            if which.size > b:
                up[row] = np.maximum(-np.partition(-effect, b - 1, axis=0)[:b], 0.0).sum(axis=0)
                down[row] = np.minimum(np.partition(effect, b - 1, axis=0)[:b], 0.0).sum(axis=0)
            else:
                up[row], down[row] = np.maximum(effect, 0.0).sum(axis=0), np.minimum(effect, 0.0).sum(axis=0)
        ones = np.ones_like(state.x)
        size = through(stage, np.maximum(ones, abs(state.x)), magnitudes=True)
        doubt = self.fixed.gamma * size + FAINT
        return Range(z + down - doubt, z + up + doubt, size)

    @staticmethod
    def _evaluate(gains: Gains, state: State) -> tuple[FloatArray, FloatArray]:
        """The bound without flips, and what each candidate adds to it, for each rival."""
        some = state.candidates
        rows, columns = np.nonzero(state.x)
        here = gains.const + (gains.slope[:, rows, columns] * state.x[rows, columns]).sum(axis=1)
        return here, gains.slope[:, some.at, some.column] * some.sign

    @staticmethod
    def _best(each: FloatArray, state: State) -> FloatArray:
        """(R, budget): the largest gains that may be had together, local budgets aside."""
        b = min(state.budget, each.shape[1])
        return np.maximum(-np.partition(-each, b - 1, axis=1)[:, :b], 0.0)

    @staticmethod
    def _in_doubt(here: FloatArray, each: FloatArray, top: FloatArray, state: State) -> IntArray:
        """Candidates that may stand in an attack: with the best others they leave the bound above 0."""
        others = top.sum(axis=1) - top.min(axis=1) if top.shape[1] == state.budget else top.sum(axis=1)
        return np.flatnonzero((here[:, None] + others[:, None] + each > 0.0).any(axis=0))

    # --- attacks ---

    def _try(self, each: FloatArray, state: State, here: FloatArray) -> tuple[Entry, ...] | None:
        """The flips with the largest gains for the rival that is nearest."""
        some = state.candidates
        rival = int(np.argmax(here + self._best(each, state).sum(axis=1)))
        left, chosen = state.left.copy(), list(state.flipped)
        for k in np.argsort(-each[rival], kind="stable"):
            if len(chosen) == len(state.flipped) + state.budget or each[rival, k] <= 0.0:
                break
            if left[some.at[k]]:
                left[some.at[k]] -= 1
                chosen.append((int(some.at[k]), int(some.column[k])))
        winner = self._look(tuple(chosen))
        return None if winner is None else self._done(self._named(tuple(chosen)), winner)

    def _look(self, flipped: tuple[Entry, ...]) -> int | None:
        """In floating point first: what is far from an attack needs no exact numbers."""
        x = self._graph.features.dense(self.fixed.vertices)
        for v, c in flipped:
            x[v, c] = 1.0 - x[v, c]
        with np.errstate(over="ignore", invalid="ignore"):
            size = np.maximum(np.ones_like(x), abs(x))
            for number, stage in enumerate(self.fixed.stages):
                x, size = through(stage, x), through(stage, size, magnitudes=True)
                if number < len(self.fixed.stages) - 1:
                    x = np.where(x >= 0, x, stage.slope * x)
        self._tell(0)
        if (x + 8.0 * self.fixed.gamma * size + FAINT < 0.0).all():
            return None
        return self._decide(self._named(flipped))

    def _named(self, flipped: tuple[Entry, ...]) -> tuple[Entry, ...]:
        return tuple((int(self.fixed.vertices[v]), c) for v, c in flipped)

    def _decide(self, flipped: tuple[Entry, ...]) -> int | None:
        graph = with_features(self._graph, flipped) if flipped else self._graph
        claim, query = self.query.claim, self.query
        return Decider(query.network, graph).rival(claim.node, claim.label, query.rivals, (), self._clock)

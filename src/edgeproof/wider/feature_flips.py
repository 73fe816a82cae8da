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
from .linear import Lines, Range, bound_above, magnitudes, propagate, through

Entry = tuple[int, int]
# candidates up to which the last flip is looked at without a bound
FEW = 256
# candidates are bounded again where no more than this share of them stays in doubt
SHRUNK = 0.75
# numbers that are evaluated together
CHUNK = 1 << 20
# products of two numbers that linear bounds of one stage may take
MOST_PRODUCTS = 1 << 32


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
    """z: pre-activations of the first stage with what is flipped; known: ranges of all stages, which hold below, too;
    left: flips left at each vertex.
    """

    z: FloatArray
    flipped: tuple[Entry, ...]
    candidates: Candidates
    budget: int
    left: IntArray
    known: list[Range]


class FeatureSearch:
    """One graph whose edges stay."""

    def __init__(self, query: Query, graph: Graph, clock: Clock, tell: Callable[[int], None]) -> None:
        flips = query.threat.features
        assert isinstance(flips, FeatureFlips)
        self.query, self._graph, self._clock, self._tell = query, graph, clock, tell
        self.fixed: Fixed = fix(query, graph)
        self._flips = flips
        self._x = graph.features.dense(self.fixed.vertices)
        with np.errstate(over="ignore", invalid="ignore"):
            self._sizes = magnitudes(self.fixed, np.maximum(1.0, abs(self._x)))
        self.rival: int | None = None

    def find(self, budget: int) -> tuple[Entry, ...] | None:
        """An attack of at most so many flips, or None: then there is none."""
        rival = self._decide(())
        if rival is not None:
            return self._done((), rival)
        waiting = [self.start(budget)]
        while waiting:
            self._clock.look()
            self._tell(1)
            with np.errstate(over="ignore", invalid="ignore"):
                found = self._visit(waiting.pop(), waiting)
            if found is not None:
                return found
        return None

    def start(self, budget: int) -> State:
        vertices = self.fixed.vertices
        at, column = np.nonzero(self._flips.allowed(self._graph, vertices))
        local = self._flips.local_budget
        if local == 0:
            at, column = at[:0], column[:0]
        candidates = Candidates(at, column, 1.0 - 2.0 * self._x[at, column])
        left = np.full(vertices.size, at.size if local is None else local)
        z = through(self.fixed.stages[0], self._x)
        return State(z, (), candidates, min(budget, at.size), left, [])

    def _done(self, flipped: tuple[Entry, ...], rival: int) -> tuple[Entry, ...]:
        self.rival = rival
        return flipped

    def _visit(self, state: State, waiting: list[State]) -> tuple[Entry, ...] | None:
        """Bounds a node, tries the best flips, and splits on the best of them."""
        while state.budget and state.candidates.at.size:
            if state.budget == 1 and state.candidates.at.size <= FEW:
                return self._each(state)
            state = state._replace(known=self.ranges(state))
            here, each = self.leads(state)
            top = _best(each, state.budget)
            if (here + top.sum(axis=1) <= 0.0).all():
                return None
            found = self._try(each, state, here)
            if found is not None:
                return found
            kept = _in_doubt(here, each, top, state.budget)
            settled = kept.size > SHRUNK * state.candidates.at.size
            order = np.argsort(-each[:, kept].max(axis=0, initial=-np.inf), kind="stable")
            state = state._replace(candidates=state.candidates.take(kept[order]))
            if settled and state.budget == 1:
                return self._each(state)
            if settled:
                return self._split(state, waiting)
        return None  # without more flips it was looked at when it was made

    def _split(self, state: State, waiting: list[State]) -> tuple[Entry, ...] | None:
        """On the first candidate."""
        rest = state.candidates.take(np.arange(1, state.candidates.at.size))
        waiting.append(state._replace(candidates=rest))
        v, c, sign = int(state.candidates.at[0]), int(state.candidates.column[0]), float(state.candidates.sign[0])
        left = state.left.copy()
        left[v] -= 1
        if not left[v]:
            rest = rest.take(np.flatnonzero(rest.at != v))
        z = state.z + sign * self._effects(np.array([v]), np.array([c]))[0]
        flipped = (*state.flipped, (v, c))
        waiting.append(State(z, flipped, rest, state.budget - 1, left, state.known))
        return self._look(z[None], [flipped])

    def _each(self, state: State) -> tuple[Entry, ...] | None:
        """One flip left: each of them."""
        some = state.candidates
        step = max(1, CHUNK // state.z.size)
        for begin in range(0, some.at.size, step):
            self._clock.look()
            part = some.take(np.arange(begin, min(begin + step, some.at.size)))
            z = state.z + part.sign[:, None, None] * self._effects(part.at, part.column)
            pairs = zip(part.at.tolist(), part.column.tolist(), strict=True)
            found = self._look(z, [(*state.flipped, pair) for pair in pairs])
            if found is not None:
                return found
        return None

    # --- bounds ---

    def _effects(self, at: IntArray, column: IntArray) -> FloatArray:
        """(flips, rows, width): what raising each of these features by 1 does to the first pre-activations."""
        stage = self.fixed.stages[0]
        mine = (stage.keep[None] == at[:, None]).astype(np.float64)
        found: FloatArray = mine[:, :, None] * stage.C[:, column].T[:, None]
        if stage.S is not None:
            found += stage.S[:, at].T[:, :, None] * stage.A[:, column].T[:, None]
        return found

    def ranges(self, state: State) -> list[Range]:
        """Of all stages but the last: what holds already, and what these candidates and flips still reach."""
        out = [_met(self._first(state), state.known, 0)]
        for number in range(1, len(self.fixed.stages) - 1):
            self._clock.look()
            found = _met(propagate(self.fixed, number, out[-1], self._sizes), state.known, number)
            out.append(self._tightened(state, number, found, out))
        return out

    def _first(self, state: State) -> Range:
        """Each pre-activation is linear in the features, so the best flips are those with the largest effects."""
        stage, some, b = self.fixed.stages[0], state.candidates, state.budget
        up, down = np.zeros_like(state.z), np.zeros_like(state.z)
        own, heard = stage.C[:, some.column].T * some.sign[:, None], stage.A[:, some.column].T * some.sign[:, None]
        for row in range(state.z.shape[0]):
            mine = some.at == stage.keep[row]
            weight = np.zeros(some.at.size) if stage.S is None else stage.S[row, some.at]
            which = np.flatnonzero(mine | (weight != 0.0))
            if which.size:
                effect = own[which] * mine[which][:, None] + heard[which] * weight[which][:, None]
                up[row], down[row] = _best(effect.T, b).sum(axis=1), -_best(-effect.T, b).sum(axis=1)
        doubt = self.fixed.gamma * self._sizes[0] + FAINT
        return Range(state.z + down - doubt, state.z + up + doubt)

    def _tightened(self, state: State, number: int, found: Range, known: list[Range]) -> Range:
        """Linear bounds of the neurons whose sign is open, where these are not too many."""
        rows, at = np.nonzero((found.low < 0) & (found.high > 0))
        if not rows.size or rows.size * state.candidates.at.size * state.z.shape[1] > MOST_PRODUCTS:
            return found
        low, high = found.low.copy(), found.high.copy()
        for sign, ends in ((1.0, high), (-1.0, low)):
            start = np.zeros((rows.size, *low.shape))
            start[np.arange(rows.size), rows, at] = sign
            here, each = self._along(bound_above(self.fixed, number, start, known, self._sizes), state)
            most = here + _best(each, state.budget).sum(axis=1)
            better = np.minimum(most, sign * ends[rows, at])
            ends[rows, at] = sign * np.where(np.isfinite(most), better, sign * ends[rows, at])
        return Range(low, high)

    def leads(self, state: State) -> tuple[FloatArray, FloatArray]:
        """The bound without flips, and what each candidate adds to it, for each rival."""
        last = len(self.fixed.stages) - 1
        rivals = self.fixed.stages[last].b.size
        start = np.eye(rivals)[:, None, :]
        here, each = self._along(bound_above(self.fixed, last, start, state.known, self._sizes), state)
        if not (np.isfinite(here).all() and np.isfinite(each).all()):
            raise UnboundedError
        return here, each

    def _along(self, lines: Lines, state: State) -> tuple[FloatArray, FloatArray]:
        """Lines without flips, and what each candidate adds to each of them."""
        stage, some = self.fixed.stages[0], state.candidates
        here = lines.const + (lines.slope * state.z).sum(axis=(1, 2))
        own = np.zeros((len(lines.const), self.fixed.vertices.size, stage.C.shape[0]))
        own[:, stage.keep] = lines.slope
        each = np.zeros((len(lines.const), some.at.size))
        heard = None if stage.S is None else np.einsum("vu,kvj->kuj", stage.S, lines.slope)
        for vertex in np.unique(some.at):
            which = np.flatnonzero(some.at == vertex)
            each[:, which] = own[:, vertex] @ stage.C[:, some.column[which]]
            if heard is not None:
                each[:, which] += heard[:, vertex] @ stage.A[:, some.column[which]]
        return here, each * some.sign

    # --- attacks ---

    def _try(self, each: FloatArray, state: State, here: FloatArray) -> tuple[Entry, ...] | None:
        """The flips with the largest gains for the rival that is nearest."""
        some = state.candidates
        rival = int(np.argmax(here + _best(each, state.budget).sum(axis=1)))
        left, chosen, z = state.left.copy(), list(state.flipped), state.z
        for k in np.argsort(-each[rival], kind="stable"):
            if len(chosen) == len(state.flipped) + state.budget or each[rival, k] <= 0.0:
                break
            if left[some.at[k]]:
                left[some.at[k]] -= 1
                chosen.append((int(some.at[k]), int(some.column[k])))
                z = z + some.sign[k] * self._effects(some.at[[k]], some.column[[k]])[0]
        return self._look(z[None], [tuple(chosen)])

    def _look(self, z: FloatArray, flipped: list[tuple[Entry, ...]]) -> tuple[Entry, ...] | None:
        """In floating point first: what is far from an attack needs no exact numbers. z: (sets, rows, width)."""
        with np.errstate(over="ignore", invalid="ignore"):
            for below, stage in zip(self.fixed.stages, self.fixed.stages[1:], strict=False):
                h = np.where(z >= 0, z, below.slope * z)
                z = h[:, stage.keep] @ stage.C.T + stage.b
                if stage.S is not None:
                    z = z + np.einsum("vu,kui->kvi", stage.S, h @ stage.A.T)
            lead = z[:, 0] + 8.0 * self.fixed.gamma * self._sizes[-1][0] + FAINT
        for k in np.flatnonzero(~(lead < 0.0).all(axis=1)):
            self._tell(0)
            rival = self._decide(self._named(flipped[k]))
            if rival is not None:
                return self._done(self._named(flipped[k]), rival)
        return None

    def _named(self, flipped: tuple[Entry, ...]) -> tuple[Entry, ...]:
        return tuple((int(self.fixed.vertices[v]), c) for v, c in flipped)

    def _decide(self, flipped: tuple[Entry, ...]) -> int | None:
        self._clock.look()
        graph = with_features(self._graph, flipped) if flipped else self._graph
        claim, query = self.query.claim, self.query
        return Decider(query.network, graph).rival(claim.node, claim.label, query.rivals, (), self._clock)


def _best(each: FloatArray, budget: int) -> FloatArray:
    """The largest gains of each line that may be had together, local budgets aside."""
    b = min(budget, each.shape[1])
    if not b:
        return np.zeros((len(each), 0))
    return np.maximum(-np.partition(-each, b - 1, axis=1)[:, :b], 0.0)


def _in_doubt(here: FloatArray, each: FloatArray, top: FloatArray, budget: int) -> IntArray:
    """Candidates that may stand in an attack: with the best others they leave the bound above 0."""
    others = top.sum(axis=1) - top.min(axis=1) if top.shape[1] == budget else top.sum(axis=1)
    return np.flatnonzero((here[:, None] + others[:, None] + each > 0.0).any(axis=0))


def _met(found: Range, known: list[Range], number: int) -> Range:
    """Both hold."""
    if not known:
        return found
    return Range(np.maximum(found.low, known[number].low), np.minimum(found.high, known[number].high))

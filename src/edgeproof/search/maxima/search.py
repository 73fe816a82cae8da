"""Sizes of attacks under layers that take a max: the splitting of `budget/search.py` over the bounds of this room.

Theory: "Single flips under a max".
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...model.arrays import FloatArray, IntArray
from ...model.graph import Pair
from ..base.evaluator import FlipEvaluator
from ..budget.layout import DELETE, NEVER_WORTH
from ..budget.search import Shape, SizeSearch
from ..budget.tables import make_tables
from ..deadline import Alarm
from ..jit.by_address import Bundle
from .bounds import ShapeBound
from .setting import MaxQuestion
from .vertex import Vertices

# single flips that are evaluated though no bound asks for it, for beams
LOOKED_AT = 24


class MaxSizeSearch(SizeSearch):
    """`SizeSearch` where some layer takes a max: single flips are bounded together, and evaluated where in doubt."""

    def __init__(
        self,
        question: MaxQuestion,
        alarm: Alarm,
        node_limit: int | None,
        on_attack: Callable[[list[Pair]], None],
    ) -> None:
        super().__init__(question, alarm, node_limit, on_attack)
        self._vertices = Vertices(question, self.stand, self._star, self._stand)
        self._evaluator = FlipEvaluator(question.query)
        self.evaluations = 0
        self._certain = False  # whether what was evaluated last is an attack
        self._make_tables(2)

    def _make_tables(self, most: int) -> None:
        self._tables = Bundle(make_tables(self.question, self._near, most))

    def _fill(self, shape: Shape, rivals: IntArray, floor: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Bounds of these rivals; what is reached with each newcomer, and with each in-neighbour gone."""
        assert self._tables is not None
        star, tables = self.question.star, self._tables.bundle
        lent = (self._star, self._stand, self._found, self._tables)
        bounds, totals = np.full(star.R, NEVER_WORTH), np.full(star.n, NEVER_WORTH)
        tables.worth[:] = NEVER_WORTH
        one = ShapeBound(self._vertices, self.found, tables, lent, shape, self._look_at_clock)
        gone = np.full(one.count, NEVER_WORTH)
        try:
            for r in np.flatnonzero(rivals).tolist():
                self._look_at_clock()
                bounds[r] = one.bound(r, floor)
                if bounds[r] > floor:
                    if shape[0]:
                        totals = np.maximum(totals, tables.total)
                    gone = np.maximum(gone, one.start + tables.gone[: one.count])
        finally:
            one.close()
        return bounds, totals, gone

    def _bound(self, shape: Shape, rivals: IntArray) -> tuple[IntArray, FloatArray, float]:
        self._look_at_clock()
        self.nodes += 1
        bounds, totals, _ = self._fill(shape, rivals, self.floor)
        return (bounds > self.floor).astype(np.int64), totals, NEVER_WORTH

    def _pass(self, floor: float) -> list[tuple[float, Pair]]:
        """The best single flips from here, best first: all that are above `floor`, and some others."""
        self._look_at_clock()
        self.nodes += 1
        assert self._tables is not None
        star, name = self.question.star, self.question.query.graph.pair
        every, tables = np.ones(star.R, dtype=np.int64), self._tables.bundle
        known: dict[Pair, float] = {}
        totals = self._fill((1, 0, 0, 0), every, NEVER_WORTH)[1]
        for u in _best(totals, floor):
            known[name(u, star.node)] = float(totals[u])
        found = self._evaluate(known, floor)
        if found and self._certain:
            return found
        known.clear()
        if star.delete:
            gone = self._fill((0, 1, 0, 0), every, NEVER_WORTH)[2]
            kinds = self._vertices.kinds(star.node)
            for w, value in zip(self.found.near[: gone.size].tolist(), gone.tolist(), strict=True):
                if kinds[w] == DELETE:
                    known[name(w, star.node)] = value
        for shape in ((0, 0, 1, 0),) * (star.insert & 1) + ((0, 0, 0, 1),) * star.delete:
            self._fill(shape, every, NEVER_WORTH)
            near = self.found.near[: self._heard()].tolist()
            for at, w in enumerate(near):
                for x in _best(tables.worth[at], floor):
                    pair = name(x, w)
                    known[pair] = max(known.get(pair, NEVER_WORTH), float(tables.worth[at, x]))
        return sorted(found + self._evaluate(known, floor), key=lambda one: -one[0])

    def _evaluate(self, known: dict[Pair, float], floor: float) -> list[tuple[float, Pair]]:
        """Of flips with these bounds, the values of those above `floor`, and of the best, up to the first attack."""
        here = self.flips()
        found: list[tuple[float, Pair]] = []
        self._certain = False
        for at, pair in enumerate(sorted(known, key=lambda one: -known[one])):
            if known[pair] <= floor and at >= LOOKED_AT:
                break
            self._look_at_clock()
            margins, error = self._evaluator.margins([*here, pair])
            self.evaluations += 1
            value = float(margins.max()) + error
            found.append((value, pair))
            self._certain = value > 2.0 * error
            if self._certain:
                break
        return sorted(found, key=lambda one: -one[0])

    def settle(self, size: int) -> bool:
        """Whether an attack of exactly this size exists; none smaller does."""
        if size == 1:
            return self._finish()
        assert self._tables is not None
        if size > self._tables.bundle.B:
            self._make_tables(size)
        return self._search_all(size, np.ones(self.question.star.R, dtype=np.int64))

    def counts(self) -> dict[str, int]:
        return super().counts() | {"evaluations": self.evaluations}


def _best(values: FloatArray, floor: float) -> list[int]:
    """Those above `floor`, and some of the best beside."""
    some = np.flatnonzero(values > NEVER_WORTH)
    ordered = some[np.argsort(-values[some], kind="stable")]
    above = int((values[ordered] > floor).sum())
    return [int(one) for one in ordered[: max(above, LOOKED_AT)]]

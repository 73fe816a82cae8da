"""Flip sets of one node, evaluated in floating point: largest margin of a rival, and how far it may be off.

Theory: "Values of a flip set from the whole graph".
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ...model.arrays import FloatArray
from ...model.graph import Pair
from ...model.query import Query
from ..deadline import Alarm
from ..jit.by_address import Bundle
from .evaluate import CROWDED, evaluate_flips, set_near
from .layout import LATE, Base, Overlay
from .overlay import FAR, MOST_FLIPS, make_overlay
from .values import base_values

FIRST_ROOM = 256


class FlipEvaluator:
    """`margins` of the graph with some pairs flipped; one a thread."""

    def __init__(self, query: Query) -> None:
        assert query.claim.node is not None
        self.query, self.node = query, query.claim.node
        self.base: Base = base_values(query.network, query.graph)
        self.lent = Bundle(self.base)
        self.rivals = np.array(query.rivals, dtype=np.int64)
        self._arcs = np.zeros((3, 2 * MOST_FLIPS), dtype=np.int64)
        self._alarm: Alarm | None = None
        self._make_room(FIRST_ROOM)

    def _make_room(self, room: int) -> None:
        self.overlay: Overlay = make_overlay(self.base, room)
        self.held = Bundle(self.overlay)
        set_near(self.lent, self.overlay.near, self.overlay.touched, self.node, FAR)
        if self._alarm is not None:
            self._alarm.watch(self.overlay.tally, LATE)

    def watch(self, alarm: Alarm) -> None:
        """From now on, when time is up an evaluation ends at once, and its error is infinite."""
        self._alarm = alarm
        alarm.watch(self.overlay.tally, LATE)

    def make_more_room(self) -> None:
        self._make_room(min(4 * self.overlay.rows.shape[1], self.base.n + 1))

    def margins(self, flips: Iterable[Pair]) -> tuple[FloatArray, float]:
        """score[rival] - score[label] of every rival, and a bound on the error of each; inf where there is none."""
        count = self._lay_arcs(flips)
        sources, targets, inserted = self._arcs
        error = float(evaluate_flips(self.lent, self.held, self.node, sources, targets, inserted, count))
        while error == CROWDED:
            self.make_more_room()
            error = float(evaluate_flips(self.lent, self.held, self.node, sources, targets, inserted, count))
        late, scores = error < 0.0, self.overlay.score
        label = scores[self.query.claim.label]
        margins = scores[self.rivals] - label
        error = 2.0 * error + 2.0**-51 * float(abs(scores[: self.base.width[-1]]).max())
        return margins, error if not late and np.isfinite(error) and np.isfinite(margins).all() else np.inf

    def _lay_arcs(self, flips: Iterable[Pair]) -> int:
        count, graph = 0, self.query.graph
        for u, v in flips:
            for s, t in ((u, v),) if graph.directed or u == v else ((u, v), (v, u)):
                self._arcs[:, count] = s, t, not graph.has_edge(s, t)
                count += 1
        return count

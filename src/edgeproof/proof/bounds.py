"""Which rivals a box or a line excludes at some nodes of the tree, and boxes tightened by lines."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..model.arrays import BoolArray, FloatArray, IntArray
from ..model.network import Aggregation
from .boxes import Box, activate, bound_stage, is_wide
from .chain import Kind
from .enclose import Enclosure
from .evaluate import evaluate_graphs
from .lines import ROWS, Pass
from .setting import PRESENT, Batch, Setting
from .spend import Line, spend

# A bound is widened where it is computed and where it is used, here and in the search that wrote the proof.
ROUNDED = 4.0


class Shown(NamedTuple):
    """Rivals by their place in `query.rivals`. excluded: their objective is at most 0 in every graph below a node.
    nearly: it is, or only rounding keeps it from being shown.
    """

    excluded: frozenset[int] = frozenset()
    nearly: frozenset[int] = frozenset()

    def __or__(self, other: Shown) -> Shown:
        return Shown(self.excluded | other.excluded, self.nearly | other.nearly)


class Bounds:
    """Boxes of some nodes (intersected with what they inherit) and what follows from them."""

    def __init__(self, enclosure: Enclosure, batch: Batch, inherited: list[Box]) -> None:
        """inherited: boxes that hold at these nodes because they hold above them, index t - 1."""
        self.enclosure, self.batch, self.inherited = enclosure, batch, inherited
        self.setting = enclosure.setting
        self.boxes: list[Box] = [(np.zeros((0, 0, 0)), np.zeros((0, 0, 0)))]
        self._walk: Pass | None = None

    def _pass(self) -> Pass:
        """Only a max of neighbours looks at the grounding: it guides which one carries a line."""
        if self._walk is None:
            stages = self.setting.chain.stages
            looks = any(stage.how is Aggregation.MAX and stage.kind is Kind.GRAPH for stage in stages)
            there = (self.batch.status & PRESENT) != 0
            values = evaluate_graphs(self.setting, there) if looks else []
            self._walk = Pass(self.enclosure, self.batch, self.boxes, values)
        return self._walk

    def propagate(self, tighten: bool) -> None:
        """Boxes stage by stage; with `tighten`, lines for every neuron whose sign is open, before the next stage."""
        setting = self.setting
        below: Box | None = None
        for t in range(1, setting.T + 1):
            stage, slack = setting.stage(t), self.enclosure.slack[t]
            low, high = bound_stage(setting, self.batch, t, below)
            low = np.maximum(low - slack, self.inherited[t - 1][0])
            high = np.minimum(high + slack, self.inherited[t - 1][1])
            self.boxes.append((low, high))
            exact = t == 1 and (stage.kind is Kind.DENSE or stage.how is Aggregation.SUM)
            if tighten and t < setting.T and not stage.linear and not exact:
                self._tighten(t, low, high)
            below = activate(low, stage.slope), activate(high, stage.slope)

    def _tighten(self, t: int, low: FloatArray, high: FloatArray) -> None:
        """In place: a row of +-1 for every neuron of stage t that may have either sign, or that a max ranks, and that
        still matters.
        """
        worth = (low < 0.0) & (self.setting.stage(t).slope < 1.0)
        after = self.setting.stage(t + 1)
        if t > 1 and after.kind is Kind.GRAPH and after.how is Aggregation.MAX:
            worth |= is_wide(low, high)
        node, vertex, neuron = np.nonzero(worth & (high > 0.0) & self._matters(t)[..., None])
        for begin in range(0, len(node), ROWS // 2):
            some = slice(begin, begin + ROWS // 2)
            b, v, i = node[some], vertex[some], neuron[some]
            rows = np.zeros((2 * len(b), low.shape[2]))
            rows[np.arange(len(b)), i] = 1.0
            rows[len(b) + np.arange(len(b)), i] = -1.0
            line = self._pass().descend(t, np.tile(b, 2), np.tile(v, 2), rows)
            bound = spend(self.batch, self.setting.region.ends[:, 1], np.tile(b, 2), line)
            high[b, v, i] = np.minimum(high[b, v, i], bound[: len(b)])
            low[b, v, i] = np.maximum(low[b, v, i], -bound[len(b) :])

    def _matters(self, t: int) -> BoolArray:
        """(B, active[t]): whether a vertex still reaches the node in question from stage t."""
        setting, count = self.setting, self.setting.active[t]
        if setting.query.claim.node is None:
            return np.ones((self.batch.size, count), dtype=np.bool_)
        later = sum(setting.stage(k).kind is Kind.GRAPH for k in range(t + 1, setting.T + 1))
        return distances(self.setting, self.batch)[:, :count] <= later

    def above_by_boxes(self) -> FloatArray:
        """(B, rivals): upper bounds of the objectives."""
        rows, slope = self.setting.chain.objective, self.setting.stage(self.setting.T).slope
        low, high = (end[:, 0] for end in self.boxes[-1])
        bends = (slope > 0.0) & (slope < 1.0)
        # slope times an end was rounded
        low, high = activate(low, slope), activate(high, slope)
        low, high = low - abs(low) * bends * 2.0**-52, high + abs(high) * bends * 2.0**-52
        above: FloatArray = high @ np.maximum(rows, 0.0).T + low @ np.minimum(rows, 0.0).T
        return above

    def shown_by_boxes(self) -> list[Shown]:
        """For every node what its boxes show."""
        places = range(len(self.setting.query.rivals))
        return [self._shown(dict(zip(places, row, strict=True))) for row in self.above_by_boxes().tolist()]

    def objective_lines(self, node: IntArray, rival: IntArray) -> Line:
        rows = self.setting.chain.objective[rival]
        walk = self._pass()
        on, const = walk.relaxed_start(node, rows)
        line = walk.descend(self.setting.T, node, np.zeros(len(node), dtype=np.int64), on)
        return line._replace(const=line.const + const, error=line.error + abs(line.const + const) * 2.0**-52)

    def bounds_by_lines(self, node: IntArray, rival: IntArray) -> FloatArray:
        """An upper bound of the objective of rival[r] below node[r], for every r."""
        most = max(1, min(ROWS, 4_000_000 // max(self.setting.region.F, 1)))
        found = [np.zeros(0)]
        for begin in range(0, len(node), most):
            b, r = node[begin : begin + most], rival[begin : begin + most]
            found.append(spend(self.batch, self.setting.region.ends[:, 1], b, self.objective_lines(b, r)))
        return np.concatenate(found)

    def shown_by_lines(self, asked: list[frozenset[int]]) -> list[Shown]:
        """For every node what lines show of the rivals asked about; of others nothing."""
        rows = [(b, r) for b, rivals in enumerate(asked) for r in sorted(rivals)]
        node, rival = np.array(rows, dtype=np.int64).reshape(-1, 2).T
        above: list[dict[int, float]] = [{} for _ in asked]
        for (b, r), bound in zip(rows, self.bounds_by_lines(node, rival).tolist(), strict=True):
            above[b][r] = bound
        return [self._shown(one) for one in above]

    def _shown(self, above: dict[int, float]) -> Shown:
        room = (ROUNDED * self.enclosure.error).tolist()
        excluded = frozenset(r for r, bound in above.items() if bound <= 0.0)
        return Shown(excluded, frozenset(r for r, bound in above.items() if bound <= room[r]))


def distances(setting: Setting, batch: Batch) -> IntArray:
    """(B, n): steps to the node in question over edges that are there or may be, depth + 1 if more than depth."""
    region, far = setting.region, setting.chain.depth + 1
    near = np.full((batch.size, region.n), far, dtype=np.int64)
    near[:, 0] = 0
    usable = batch.status != 0
    for _ in range(setting.chain.depth):
        before = near.copy()
        for s, (u, v) in enumerate(zip(region.source.tolist(), region.target.tolist(), strict=True)):
            near[:, u] = np.minimum(near[:, u], np.where(usable[:, s], before[:, v] + 1, far))
    return near

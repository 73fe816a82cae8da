"""How far a computed number of the checker can lie from the one it stands for (docs/proofs.md, "Rounding").

Every number of one stage is added up from terms (weight times feature) whose magnitudes, taken over the whole box of
the root, sum to no more than a few times `size`. No term passes more than `roundings` operations, each of which is off
by at most u = 2**-53 of its result. So 8 * roundings * u * size bounds the error, whatever order NumPy sums in.
"""

from __future__ import annotations

import numpy as np

from ..model.arrays import FloatArray
from ..model.network import Aggregation
from .boxes import Box, activate, bound_stage
from .chain import Kind
from .setting import MOVABLE, PRESENT, Setting, root_batch

TINY = 1e-300  # more than all underflows of one stage together
# Below the smallest normal number rounding is absolute: half of a value may not be a float, and is multiplied next.
NORMAL = 2.0**-1022
# Past this nothing is bounded. It keeps every number far from overflow, and what an underflowing coefficient of a line
# can cost, 2**-1074 times such a number, far below FAINT.
LARGE = 1e100
FAINT = 1e-200


class Enclosure:
    """line_size, slack, magnitude: index t, (active[t], D). line_size also covers the gains of as many flips as a
    vertex can see; magnitude is that of h_t in the root's boxes. error: (rivals,) of the objectives of any admissible
    graph. finite: whether anything may be bounded.
    """

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        region = setting.region
        widest = max(stage.width for stage in setting.chain.stages)
        most_in = int(np.diff(region.ptr).max(initial=0))
        most_out = int(np.bincount(region.source, minlength=1).max(initial=0))
        self.roundings = 2 * setting.most_nonzero + 3 * widest + 2 * most_in + most_out + region.n + 64
        unit = 8.0 * self.roundings * 2.0**-53
        self.unit = unit / (1.0 - unit)
        self.line_size: list[FloatArray] = [np.zeros((0, 0))]
        self.slack: list[FloatArray] = [np.zeros((0, 0))]
        self.magnitude: list[FloatArray] = [np.maximum(abs(setting.features), NORMAL)]
        self.finite = True
        with np.errstate(over="ignore", invalid="ignore"):
            self.error = self._fill()
            self.finite = self.finite and bool((self.error < LARGE).all())
        if not self.finite:
            self.error = np.full(len(setting.query.rivals), np.inf)

    def _fill(self) -> FloatArray:
        setting = self.setting
        root = root_batch(setting)
        below: Box | None = None
        magnitude = error = np.zeros((0, 0))
        for t in range(1, setting.T + 1):
            setting.clock.look()
            stage, count = setting.stage(t), setting.active[t]
            if t == 1:
                own = abs(setting.features[:count]) @ stage.C_abs.T + stage.b_abs
                passed = self.magnitude[0] @ stage.A_abs.T if stage.kind is Kind.GRAPH else None
                off = np.zeros_like(own)
            else:
                own = magnitude[:count] @ stage.C_abs.T + stage.b_abs
                off = error[:count] @ stage.C_abs.T
                passed = magnitude @ stage.A_abs.T if stage.kind is not Kind.DENSE else None
            around = np.zeros_like(own)
            if passed is not None:
                around = self._gathered(t, passed)
                if t > 1:
                    off = off + self._gathered(t, error @ stage.A_abs.T)
            size = own + around
            factor = np.ones((count, 1))
            if stage.kind is Kind.GRAPH and stage.how is not Aggregation.SUM:
                factor = 1.0 + root.cap[0, :count, None]
            slack = size * self.unit + TINY
            self.slack.append(slack)
            self.line_size.append(own + factor * around)
            self.finite = self.finite and bool((self.line_size[-1] < LARGE).all())
            if not self.finite:
                return np.zeros(0)
            low, high = bound_stage(setting, root, t, below)
            low, high = low - slack, high + slack
            self.finite = self.finite and bool((np.maximum(abs(low), abs(high)) < LARGE).all())
            below = activate(low, stage.slope), activate(high, stage.slope)
            magnitude = np.maximum(np.maximum(abs(below[0]), abs(below[1]))[0], NORMAL)
            self.magnitude.append(magnitude)
            error = off + slack
        rows = abs(setting.chain.objective)
        total: FloatArray = 2.0 * (rows @ error[0] + self.unit * (rows @ magnitude[0]))
        return total

    def _gathered(self, t: int, rows: FloatArray) -> FloatArray:
        """What an aggregation can add up to: all that are there, and as many of the largest others as can come.

        A mean is taken back from a sum before it is divided, and a max over raw features is taken apart column by
        column, so for both the terms count in full.
        """
        setting = self.setting
        count, region = setting.active[t], setting.region
        if setting.stage(t).kind is Kind.POOL:
            whole: FloatArray = rows.sum(axis=0, keepdims=True)
            return whole
        out = np.zeros((count, rows.shape[1]))
        root = root_batch(setting)
        for group in setting.groups[t]:
            status = root.status[0, group.slots]
            around = rows[region.source[group.slots]]
            there = ((status & PRESENT) != 0)[..., None]
            comes = ((status & MOVABLE) != 0)[..., None] & ~there
            largest = np.where(comes, around, 0.0).max(axis=1)
            moves = ((status & MOVABLE) != 0).sum(axis=1, keepdims=True)
            out[group.vertices] = (around * there).sum(axis=1) + largest * np.minimum(moves, region.limit)
        return out

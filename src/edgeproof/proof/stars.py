"""Which neighbours carry the lines of a max, and the gains of flips at it (docs/proofs.md, "Lines")."""

from __future__ import annotations

import numpy as np

from ..model.arrays import FloatArray, IntArray
from .boxes import can_empty, kept_after
from .setting import MOVABLE, PRESENT


class Stars:
    """A max, coordinate by coordinate: which slot carries the line above it and which the line below.

    low, high, now: (B, slots, D), the box of every slot and its value in the grounding (which only guides the choice
    of `below`). above, below: (B, D) slot numbers, -1 for none. Above: max(h_star, second) by its chord, slope h +
    rise; where the star stays above the second anyway, deleting it costs the adversary `drop`. Below: h_star minus
    `loss` if it is deleted; `floor` is what is there at least, whatever goes.
    """

    def __init__(self, low: FloatArray, high: FloatArray, now: FloatArray, status: np.ndarray, cap: IntArray) -> None:
        there, moves = (status & PRESENT) != 0, (status & MOVABLE) != 0
        self.low, self.high, self.there, self.moves = low, high, there, moves
        goes = there & moves
        here = there[..., None]
        upper = np.where(here, high, -np.inf)
        self.above = upper.argmax(axis=1)
        top = np.take_along_axis(upper, self.above[:, None], axis=1)[:, 0]
        others = upper.copy()
        np.put_along_axis(others, self.above[:, None], -np.inf, axis=1)
        second = others.max(axis=1)
        bottom = np.take_along_axis(low, self.above[:, None], axis=1)[:, 0]
        self.empties = can_empty(status, cap)
        # of equal ones, one that stays
        value = np.where(here, now, -np.inf)
        largest = value.max(axis=1, keepdims=True)
        rank = (value == largest) & here
        self.below = (rank * (1 + ~goes[..., None])).argmax(axis=1)
        alone = goes | (~there & moves & (cap > goes.sum(axis=1))[:, None])
        lowest = np.minimum(np.where(alone[..., None], low, np.inf).min(axis=1), 0.0)
        sure = np.where((there & ~moves)[..., None], low, -np.inf).max(axis=1)
        kept = np.maximum(sure, kept_after(low, goes, cap))
        nobody = ~there.any(axis=1)[:, None]
        self.floor = np.where(nobody, 0.0, np.where(self.empties[:, None], lowest, kept))
        reach = np.take_along_axis(high, self.below[:, None], axis=1)[:, 0]
        goes_below = np.take_along_axis(goes, self.below, axis=1)
        self.loss = np.where(goes_below & ~nobody, np.maximum(reach - self.floor, 0.0), 0.0)
        self.second = second = np.where(self.empties[:, None], np.maximum(second, 0.0), second)
        with np.errstate(over="ignore", invalid="ignore"):  # where nothing bends, of numbers that nobody takes
            flat = second >= top
            clear = ~flat & (bottom >= second)
            bends = ~flat & ~clear
            slope = (top - second) / np.where(bends, top - bottom, 1.0)
            chord = np.maximum(second - slope * bottom, top - slope * top)
            goes_above = np.take_along_axis(goes, self.above, axis=1)
            drop = np.where(clear & goes_above & np.isfinite(second), bottom - second, 0.0)
        self.slope = np.where(nobody | flat, 0.0, np.where(clear, 1.0, np.where(bends, slope, 0.0)))
        self.rise = np.where(nobody, 0.0, np.where(flat, second, np.where(bends, chord, 0.0)))
        self.drop = np.where(nobody, 0.0, drop)
        self.above = np.where(nobody | flat, -1, self.above)
        self.below = np.where(nobody, -1, self.below)

    def carried_values(self) -> tuple[FloatArray, FloatArray]:
        """Where slots are numbers: those of the slots that carry the lines, 0 for none."""
        above, below = (
            np.take_along_axis(self.low, np.maximum(star, 0)[:, None], axis=1)[:, 0] * (star >= 0)
            for star in (self.above, self.below)
        )
        return above, below

    def gains(self, node: IntArray, a: FloatArray) -> FloatArray:
        """(rows, slots) for coefficients a (rows, D) on the aggregate below node[row]."""
        up, down = np.maximum(a, 0.0), np.minimum(a, 0.0)
        gains = np.zeros((len(a), self.there.shape[1]))
        paid, lost = up * self.drop[node], -down * self.loss[node]
        above, below = self.above[node], self.below[node]
        for k in np.flatnonzero((self.there & self.moves).any(axis=0)).tolist():
            gains[:, k] = (lost * (below == k) - paid * (above == k)).sum(axis=1)
        comes = ~self.there & self.moves
        if comes.any():
            rises = np.maximum(self.high - self.floor[:, None], 0.0)[node]
            falls = (np.minimum(self.low, 0.0) * (self.below < 0)[:, None])[node]
            entering = np.einsum("kd,ksd->ks", up, rises) + np.einsum("kd,ksd->ks", down, falls)
            gains = np.where(comes[node], entering, gains)
        return np.where(self.moves[node], gains, 0.0)

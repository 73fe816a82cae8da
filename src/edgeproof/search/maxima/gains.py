"""What a vertex adds to a margin as a function of its pre-activation, coordinate by coordinate, and what flips make of
it at most.

Theory: "What flips add to a margin under a max", "Several flips at one vertex under a max".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...model.arrays import FloatArray
from .vertex import Items


@dataclass(frozen=True)
class Gain:
    """The sum over coordinates of

        peak * max(h - top, 0) + loss * min(most, max(here - h, 0)) + line * h,   h = act(z).

    Every coordinate has one of the three at most, and `loss` >= 0: each is monotone.
    """

    top: FloatArray
    peak: FloatArray
    loss: FloatArray
    most: FloatArray
    here: FloatArray
    line: FloatArray
    slope: FloatArray

    def act(self, z: FloatArray) -> FloatArray:
        return np.maximum(z, 0.0) + self.slope * np.minimum(z, 0.0)

    def parts(self, z: FloatArray) -> FloatArray:
        h = self.act(z)
        fallen = np.minimum(np.maximum(self.here - h, 0.0), self.most)
        return self.peak * np.maximum(h - self.top, 0.0) + self.loss * fallen + self.line * h

    def value(self, z: FloatArray) -> FloatArray:
        """Of one row or of each."""
        return np.asarray(self.parts(z).sum(axis=-1))

    def most_in(self, low: FloatArray, high: FloatArray) -> FloatArray:
        """The most between two rows."""
        return np.asarray(np.maximum(self.parts(low), self.parts(high)).sum(axis=-1))

    def by_item(self, z: FloatArray, items: Items, low: FloatArray, high: FloatArray, exact: bool) -> FloatArray:
        """What each flip adds to the value at z at most, if all together stay between `low` and `high`; exact: there
        is one only.
        """
        if exact:
            return np.asarray(self.value(z + items.up) - self.value(z))
        least, greatest = self.quotients(z, low, high)
        span = np.maximum(high - z, 1e-300)
        top = self.top
        rise = np.maximum(self.peak, 0.0) * (
            np.maximum(self.act(high) - top, 0.0) - np.maximum(self.act(z) - top, 0.0)
        ) / span  # fmt: skip
        # below z nothing falls by more than its pre-activation does, and by nothing where it is at its lowest
        steep = np.where((z > 0.0) | (self.slope > 0.0), np.maximum(self.slope, 1.0), 0.0)
        fall = steep * (self.loss + np.maximum(-self.peak, 0.0) * (self.act(z) > top))
        out = np.maximum(items.up, 0.0) @ rise + np.maximum(items.down, 0.0) @ fall
        for rows, weight in ((items.up, np.maximum(self.line, 0.0)), (items.down, np.maximum(-self.line, 0.0))):
            if weight.any():
                out = out + np.maximum(rows, 0.0) @ (weight * greatest) + np.minimum(rows, 0.0) @ (weight * least)
        return np.asarray(out)

    def quotients(self, z: FloatArray, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Least and largest (act(z + d) - act(z)) / d between these: act is convex."""
        with np.errstate(invalid="ignore", divide="ignore"):
            before = np.where(low < z, (self.act(z) - self.act(low)) / (z - low), np.where(z > 0.0, 1.0, self.slope))
            after = np.where(high > z, (self.act(high) - self.act(z)) / (high - z), np.where(z >= 0.0, 1.0, self.slope))
        # a rounding step more, since these are differences of what may be close
        steps = 2.0**-40
        return np.maximum(np.minimum(before, after) - steps, 0.0), np.minimum(np.maximum(before, after) + steps, 1.0)


def old_neighbour(take: FloatArray, top: FloatArray, most: FloatArray, here: FloatArray, is_top: FloatArray) -> Gain:
    """Of an in-neighbour under a last layer that takes a max: above the largest, or where it is the largest, below."""
    zero = np.zeros_like(take)
    loss = np.where(is_top, np.maximum(-take, 0.0), 0.0)
    return Gain(top, np.maximum(take, 0.0), loss, most, here, zero, zero)


def newcomer(take: FloatArray, top: FloatArray, share: float) -> Gain:
    """Of a newcomer under a last layer that takes a max; what it spoils, others may spoil too: `share` counts."""
    zero = np.zeros_like(take)
    return Gain(top, np.where(take > 0.0, take, share * take), zero, zero, zero, zero, zero)


def linear(weight: FloatArray, slope: FloatArray) -> Gain:
    zero = np.zeros_like(weight)
    return Gain(zero, zero, zero, zero, zero, weight, slope)

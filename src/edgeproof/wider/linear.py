"""Upper bounds of leads that are linear in the features: interval bounds forward, linear bounds backward (CROWN).

Theory: "Features on a fixed graph".
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..model.arrays import FloatArray
from .fixed import FAINT, Fixed, Stage


class Range(NamedTuple):
    """Of the pre-activations of one stage."""

    low: FloatArray
    high: FloatArray


class Lines(NamedTuple):
    """what is bounded <= const + sum of slope * z over the pre-activations z of the first stage, for each line."""

    const: FloatArray  # (K,)
    slope: FloatArray  # (K, rows, width)


def magnitudes(fixed: Fixed, x: FloatArray) -> list[FloatArray]:
    """Of each stage: no sum of magnitudes is larger, on features of these magnitudes at most."""
    sizes = [through(fixed.stages[0], x, magnitudes=True)]
    for stage in fixed.stages[1:]:
        sizes.append(through(stage, sizes[-1], magnitudes=True))
    return sizes


def propagate(fixed: Fixed, number: int, below: Range, sizes: list[FloatArray]) -> Range:
    """Interval bounds of stage `number` from those of the stage below."""
    stage, bent = fixed.stages[number], fixed.stages[number - 1]
    low, high = _bent(bent, below.low), _bent(bent, below.high)
    middle, half = (low + high) / 2, (high - low) / 2
    spread = through(stage._replace(b=np.zeros_like(stage.b)), half, magnitudes=True)
    z, doubt = through(stage, middle), fixed.gamma * sizes[number] + FAINT
    return Range(z - spread - doubt, z + spread + doubt)


def through(stage: Stage, h: FloatArray, magnitudes: bool = False) -> FloatArray:
    """Pre-activations; with `magnitudes`, of a network with all signs made positive."""
    C, A, b = (stage.C, stage.A, stage.b) if not magnitudes else (abs(stage.C), abs(stage.A), abs(stage.b))
    z = h[stage.keep] @ C.T + b
    return z if stage.S is None else z + stage.S @ (h @ A.T)


def _bent(stage: Stage, z: FloatArray) -> FloatArray:
    return np.where(z >= 0, z, stage.slope * z)


def bound_above(fixed: Fixed, number: int, start: FloatArray, known: list[Range], sizes: list[FloatArray]) -> Lines:
    """Of start * z at stage `number`, (K, rows, width), one line each; `known` has the stages before it. `const` holds
    all that rounding can cost.
    """
    slope, const = start, np.zeros(len(start))
    doubt = (abs(slope) * sizes[number]).sum(axis=(1, 2))
    for at in range(number, 0, -1):
        stage = fixed.stages[at]
        const += (slope * stage.b).sum(axis=(1, 2))
        passed = np.zeros((len(start), fixed.stages[at - 1].keep.size, stage.C.shape[1]))
        passed[:, stage.keep] += slope @ stage.C
        if stage.S is not None:
            passed += np.einsum("vu,kvi->kui", stage.S, slope) @ stage.A
        slope, more = _relaxed(fixed.stages[at - 1], known[at - 1], passed)
        const += more
        doubt += (abs(passed) * sizes[at - 1]).sum(axis=(1, 2)) + (abs(slope) * sizes[at - 1]).sum(axis=(1, 2))
    return Lines(const + 8.0 * fixed.gamma * doubt + FAINT, slope)


def _relaxed(stage: Stage, z: Range, slope: FloatArray) -> tuple[FloatArray, FloatArray]:
    """From values after the activation to pre-activations: a chord above, one of the two pieces below."""
    leak, low, high = stage.slope, z.low, z.high
    open_ones = (low < 0) & (high > 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        chord = np.where(open_ones, (high - leak * low) / (high - low), np.where(low >= 0, 1.0, leak))
    above = np.where(open_ones, high - chord * high, 0.0)
    piece = np.where(open_ones, np.where(high > -low, 1.0, leak), chord)
    rising = slope > 0
    const = np.where(rising, slope * above, 0.0).sum(axis=(1, 2))
    return np.where(rising, slope * chord, slope * piece), const

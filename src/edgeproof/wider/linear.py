"""Upper bounds of leads that are linear in the features: interval bounds forward, linear bounds backward (CROWN).

Theory: "Features on a fixed graph".
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..model.arrays import FloatArray
from .fixed import FAINT, Fixed, Stage


class Range(NamedTuple):
    """Of the pre-activations of one stage; size: at least the sum of magnitudes of what one is computed from."""

    low: FloatArray
    high: FloatArray
    size: FloatArray


class Gains(NamedTuple):
    """lead <= const + sum of slope * x over all features, for each rival."""

    const: FloatArray  # (R,)
    slope: FloatArray  # (R, vertices, columns)


def ranges(fixed: Fixed, first: Range) -> list[Range]:
    """Interval bounds of all stages but the last, whose leads are bounded backward."""
    out = [first]
    for below, stage in zip(fixed.stages, fixed.stages[1:-1], strict=False):
        low, high = _bent(below, out[-1].low), _bent(below, out[-1].high)
        middle, half = (low + high) / 2, (high - low) / 2
        size = through(stage, out[-1].size, magnitudes=True)
        z = through(stage, middle)
        spread = through(stage._replace(b=np.zeros_like(stage.b)), half, magnitudes=True)
        doubt = fixed.gamma * size + FAINT
        out.append(Range(z - spread - doubt, z + spread + doubt, size))
    return out


def through(stage: Stage, h: FloatArray, magnitudes: bool = False) -> FloatArray:
    """Pre-activations; with `magnitudes`, of a network with all signs made positive."""
    C, A, b = (stage.C, stage.A, stage.b) if not magnitudes else (abs(stage.C), abs(stage.A), abs(stage.b))
    z = h[stage.keep] @ C.T + b
    return z if stage.S is None else z + stage.S @ (h @ A.T)


def _bent(stage: Stage, z: FloatArray) -> FloatArray:
    return np.where(z >= 0, z, stage.slope * z)


def bound_leads(fixed: Fixed, known: list[Range]) -> Gains:
    """One backward pass for all rivals. `const` holds all that rounding can cost."""
    stages = fixed.stages
    rivals = stages[-1].b.size
    slope = np.eye(rivals)[:, None, :]  # (R, rows, width) on pre-activations of the stage
    const, doubt = np.zeros(rivals), np.zeros(rivals)
    for number in range(len(stages) - 1, -1, -1):
        stage = stages[number]
        const += (slope * stage.b).sum(axis=(1, 2))
        below = known[number - 1] if number else None
        rows = stages[number - 1].keep.size if number else fixed.vertices.size
        passed = np.zeros((rivals, rows, stage.C.shape[1]))
        passed[:, stage.keep] += slope @ stage.C
        if stage.S is not None:
            passed += np.einsum("vu,rvi->rui", stage.S, slope) @ stage.A
        if number < len(stages) - 1:
            doubt += (abs(slope) * known[number].size).sum(axis=(1, 2))
        else:
            doubt += (abs(slope) * _last_size(fixed, known)).sum(axis=(1, 2))
        if below is None:
            return Gains(const + 8.0 * fixed.gamma * doubt + FAINT, passed)
        slope, more = _relaxed(stages[number - 1], below, passed)
        const += more
        doubt += (abs(passed) * below.size).sum(axis=(1, 2))
    raise AssertionError("the first stage returns")


def _last_size(fixed: Fixed, known: list[Range]) -> FloatArray:
    if len(fixed.stages) == 1:
        return np.zeros((1, fixed.stages[-1].b.size))
    return through(fixed.stages[-1], known[-1].size, magnitudes=True)


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

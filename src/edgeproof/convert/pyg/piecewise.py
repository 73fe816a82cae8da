"""Activations that are piecewise linear, as ReLUs between affine maps: exact in real arithmetic, whatever their bends.

A Network bends at 0, with a slope from 0 to 1 on negative numbers. A bend elsewhere is a ReLU of a shifted input, and
each further bend takes one more entry of the hidden state for every entry that is bent.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .expressions import Expression, activate, add, scale
from .refuse import refusal


def relu(x: Expression) -> Expression:
    return activate(x, 0.0)


def leaky_relu(x: Expression, slopes: Any, where: str, what: str) -> Expression:
    """Any slope: outside [0, 1] it is relu(x) - slope relu(-x)."""
    given = np.asarray(slopes, dtype=np.float64).reshape(-1)
    if given.size not in (1, x.width):
        raise refusal(where, what, f"it has {given.size} slopes for {x.width} entries")
    if not np.isfinite(given).all():
        raise refusal(where, what, f"expected finite slopes, got {given[~np.isfinite(given)][0]:g}")
    spread = np.broadcast_to(given, x.width)
    if ((spread >= 0) & (spread <= 1)).all():
        return activate(x, spread)
    return add(relu(x), scale(relu(scale(x, -1.0)), -spread))


def clamp(x: Expression, low: float | None, high: float | None, where: str, what: str) -> Expression:
    """low + relu(x - low) - relu(x - high)."""
    if low is None and high is None:
        raise refusal(where, what, "expected a lower or an upper end")
    if low is not None and high is not None and low > high:
        raise refusal(where, what, f"its lower end {low:g} is above its upper end {high:g}")
    if low is None:
        assert high is not None
        return scale(relu(scale(x, -1.0, high)), -1.0, high)
    up = scale(relu(scale(x, 1.0, -low)), 1.0, low)
    return up if high is None else add(up, scale(relu(scale(x, 1.0, -high)), -1.0))


def hardsigmoid(x: Expression, where: str) -> Expression:
    return scale(clamp(scale(x, 1.0, 3.0), 0.0, 6.0, where, "hardsigmoid"), 1.0 / 6.0)


def absolute(x: Expression) -> Expression:
    return add(relu(x), relu(scale(x, -1.0)))


def softshrink(x: Expression, width: float) -> Expression:
    """x moved towards 0 by `width`, and 0 where it is closer than that."""
    return add(relu(scale(x, 1.0, -width)), scale(relu(scale(x, -1.0, -width)), -1.0))

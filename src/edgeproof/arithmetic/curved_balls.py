"""Activations of balls (python-flint): each holds the value of every number that the argument holds.

Theory: "Ties of curved activations".
"""

from __future__ import annotations

from typing import Any

import flint

from ..model.activation import (
    ELU,
    FIRST_CODE,
    GELU,
    GELU_CUBE,
    GELU_TANH,
    SELU,
    SELU_ALPHA,
    SELU_SCALE,
    SIGMOID,
    SILU,
    SOFTPLUS,
    TANH,
)  # fmt: skip

Ball = Any  # flint.arb


def activate_ball(x: Ball, bend: float) -> Ball:
    """By a slope on negative numbers or a code (`model/activation.py`), in the precision of the context."""
    code = int(bend)
    if bend < FIRST_CODE:
        return x.max(x * bend)
    zero = flint.arb(0)
    if code in (ELU, SELU):
        above, below = x.max(zero), x.min(zero).expm1()
        if code == ELU:
            return above + below
        return SELU_SCALE * above + flint.arb(SELU_SCALE) * SELU_ALPHA * below
    if code == GELU:
        return x * (-x / flint.arb(2).sqrt()).erfc() / 2
    if code == GELU_TANH:
        return x * _sigmoid_ball(2 * (2 / flint.arb.pi()).sqrt() * (x + x * x * x * GELU_CUBE))
    if code == SILU:
        return x * _sigmoid_ball(x)
    if code == TANH:
        return x.tanh()
    if code == SIGMOID:
        return _sigmoid_ball(x)
    assert code == SOFTPLUS
    # log(1 + e^x) = max(x, 0) + log(1 + e^-|x|), which never overflows
    return x.max(zero) + (-abs(x)).exp().log1p()


def _sigmoid_ball(x: Ball) -> Ball:
    if x < 0:
        small = x.exp()
        return small / (1 + small)
    if x > 0:
        return 1 / (1 + (-x).exp())
    return ((x / 2).tanh() + 1) / 2

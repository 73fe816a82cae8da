"""What a layer may apply to its pre-activations, entry by entry, and the number that stands for it in arrays.

Piecewise linear activations are told by their slope on negative numbers, which lies from 0 to 1. The curved ones have
codes from 2 on, so that one number an output says what bends it.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from .arrays import FloatArray, frozen_floats


class Activation(StrEnum):
    """Exactly, in real arithmetic:

    relu max(x, 0); leaky_relu max(x, slope x); none x; elu x for x > 0, else e^x - 1; selu s x for x > 0, else
    s a (e^x - 1), where s and a are the floats `SELU_SCALE` and `SELU_ALPHA`; gelu x (1 + erf(x / sqrt 2)) / 2;
    gelu_tanh x (1 + tanh(sqrt(2 / pi) (x + c x^3))) / 2 with the float c = `GELU_CUBE`; silu x / (1 + e^-x); tanh;
    sigmoid 1 / (1 + e^-x); softplus log(1 + e^x).
    """

    RELU = "relu"
    LEAKY_RELU = "leaky_relu"
    NONE = "none"
    ELU = "elu"
    SELU = "selu"
    GELU = "gelu"
    GELU_TANH = "gelu_tanh"
    SILU = "silu"
    TANH = "tanh"
    SIGMOID = "sigmoid"
    SOFTPLUS = "softplus"

    @property
    def is_smooth(self) -> bool:
        """Whether it is curved somewhere, so that exact numbers do not reach its values."""
        return self in CODES


SELU_SCALE, SELU_ALPHA = 1.0507009873554805, 1.6732632423543772
GELU_CUBE = 0.044715

ELU, SELU, GELU, GELU_TANH, SILU, TANH, SIGMOID, SOFTPLUS = range(2, 10)
CODES = {
    Activation.ELU: ELU, Activation.SELU: SELU, Activation.GELU: GELU, Activation.GELU_TANH: GELU_TANH,
    Activation.SILU: SILU, Activation.TANH: TANH, Activation.SIGMOID: SIGMOID, Activation.SOFTPLUS: SOFTPLUS,
}  # fmt: skip
# the least number that is a code and no slope
FIRST_CODE = ELU
# By code: no difference of two values is larger than this many times that of the arguments.
STEEPEST = {
    ELU: 1.0, SELU: 1.7581, GELU: 1.13, GELU_TANH: 1.13, SILU: 1.1, TANH: 1.0, SIGMOID: 0.25, SOFTPLUS: 1.0,
}  # fmt: skip
# By code: more than the magnitude at 0.
AT_ZERO = dict.fromkeys(STEEPEST, 0.0) | {SIGMOID: 0.5, SOFTPLUS: 0.6932}


def bends_of(activations: Activation | tuple[Activation, ...], slope: float | FloatArray, width: int) -> FloatArray:
    """(width,): the slope on negative numbers of each output, or the code of what bends it."""
    each = activations if isinstance(activations, tuple) else (activations,) * width
    slopes = np.broadcast_to(np.asarray(slope, dtype=np.float64), (width,))
    fixed = {Activation.RELU: 0.0, Activation.NONE: 1.0, **{one: float(code) for one, code in CODES.items()}}
    out: FloatArray = np.array([fixed.get(one, own) for one, own in zip(each, slopes.tolist(), strict=True)])
    out.setflags(write=False)
    return out


def largest_of(bends: FloatArray, known: dict[int, float], otherwise: float) -> FloatArray:
    """For each output what `known` says of its code; `otherwise` for those with a slope."""
    return np.array([known.get(int(bend), otherwise) if bend >= FIRST_CODE else otherwise for bend in bends.tolist()])


def read_activation(value: str | Iterable[str], width: int) -> Activation | tuple[Activation, ...]:
    """One for all outputs, or one for each; one where all are equal."""
    if isinstance(value, str):
        return _one(value)
    each = tuple(_one(one) for one in value)
    if len(each) != width:
        raise InputError(f"activation: expected one, or one for each of {width} outputs, got {len(each)}")
    return each[0] if len(set(each)) == 1 else each


def _one(value: object) -> Activation:
    if value not in tuple(Activation):
        raise InputError(f"activation: expected one of {', '.join(Activation)}, got {value!r}")
    return Activation(str(value))


def read_slope(value: float | ArrayLike, width: int) -> float | FloatArray:
    """One number where one is given or all are equal, else one for each output."""
    if isinstance(value, int | float):
        if not 0 <= value <= 1:
            raise InputError(f"slope: expected a number from 0 to 1, got {value!r}")
        return float(value)
    slopes = frozen_floats(value, "slope", (width,))
    outside = (slopes < 0) | (slopes > 1)
    if outside.any():
        raise InputError(f"slope: expected numbers from 0 to 1, got {slopes[outside][0]}")
    return float(slopes[0]) if (slopes == slopes[0]).all() else slopes

"""Curved activations in float64, and how far off they are.

The C library's exp, expm1, tanh, erfc and log1p, and NumPy's, are within 4 units in the last place: glibc documents
at most 2 on x86-64 and AArch64, and `tests/arithmetic/test_transcendental.py` measures them against python-flint.

An activation made of them with a few more operations is then off by less than PAD (|x| + c), where c is its magnitude
at 0. Where errors are amplified, as in erfc far out, what is amplified is small.

Theory: "Curved activations in floating point".
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

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
from ..model.arrays import FloatArray
from .padding import ROOT_HALF, TANH_FACTOR

# numbers that erfc is asked of in one go
SLICE = 1 << 20

_erfc = np.frompyfunc(math.erfc, 1, 1)


def _exp_negative(x: FloatArray) -> FloatArray:
    out: FloatArray = np.exp(-np.abs(x))
    return out


def _sigmoid(x: FloatArray) -> FloatArray:
    small = _exp_negative(x)
    out: FloatArray = np.where(x >= 0.0, 1.0, small) / (1.0 + small)
    return out


def _gelu(x: FloatArray) -> FloatArray:
    out, flat = np.empty(x.size), x.ravel()
    for start in range(0, x.size, SLICE):  # each number is an object on the way
        some = slice(start, start + SLICE)
        out[some] = _erfc(-ROOT_HALF * flat[some])
    found: FloatArray = 0.5 * x * out.reshape(x.shape)
    return found


def _gelu_tanh(x: FloatArray) -> FloatArray:
    out: FloatArray = x * _sigmoid(2.0 * TANH_FACTOR * (x + GELU_CUBE * x * x * x))
    return out


def _softplus(x: FloatArray) -> FloatArray:
    out: FloatArray = np.maximum(x, 0.0) + np.log1p(_exp_negative(x))
    return out


_CURVES: dict[int, Callable[[FloatArray], FloatArray]] = {
    ELU: lambda x: np.maximum(x, 0.0) + np.expm1(np.minimum(x, 0.0)),
    SELU: lambda x: SELU_SCALE * np.maximum(x, 0.0) + SELU_SCALE * SELU_ALPHA * np.expm1(np.minimum(x, 0.0)),
    GELU: _gelu,
    GELU_TANH: _gelu_tanh,
    SILU: lambda x: x * _sigmoid(x),
    TANH: np.tanh,
    SIGMOID: _sigmoid,
    SOFTPLUS: _softplus,
}


def activate(values: FloatArray, bends: FloatArray) -> FloatArray:
    """The activations of rows (..., width), each column by its slope or its code (`model/activation.py`)."""
    curved = bends >= FIRST_CODE
    if not curved.any():
        return np.where(values >= 0, values, bends * values)
    out = np.where(values >= 0, values, np.where(curved, 0.0, bends) * values)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        for code in np.unique(bends[curved]).tolist():
            columns = bends == code
            out[..., columns] = _CURVES[int(code)](values[..., columns])
    return out

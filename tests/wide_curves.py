"""Activations of numbers in the widest floats there are, curved ones by python-flint; written apart from the engine."""

from __future__ import annotations

import flint
import numpy as np

from edgeproof.engines.brute_balls import _act
from edgeproof.model.activation import CODES, FIRST_CODE, SELU_ALPHA, SELU_SCALE, Activation

Wide = np.longdouble


def activate_wide(values: np.ndarray, bends: np.ndarray) -> np.ndarray:
    """values: (..., width); bends: (width,), slopes on negative numbers or codes."""
    slopes = np.where(bends < FIRST_CODE, bends, 0.0).astype(Wide)
    out = np.where(values >= 0, values, slopes * values)
    names = {code: how for how, code in CODES.items()}
    for column in np.flatnonzero(bends >= FIRST_CODE):
        distinct, back = np.unique(values[..., column], return_inverse=True)
        bent = [_one(names[int(bends[column])], x) for x in distinct]
        out[..., column] = np.array(bent, dtype=Wide)[back].reshape(values[..., column].shape)
    return out


def _far_out(how: Activation, x: Wide) -> Wide:
    """Where e^-|x| is nothing in these floats."""
    if x > 0:
        return {"tanh": Wide(1), "sigmoid": Wide(1), "selu": Wide(SELU_SCALE) * x}.get(how.value, x)
    return {"elu": Wide(-1), "tanh": Wide(-1), "selu": -Wide(SELU_SCALE) * Wide(SELU_ALPHA)}.get(how.value, Wide(0))


def _one(how: Activation, x: Wide) -> Wide:
    high = float(x)
    if abs(high) > 1e5:
        return _far_out(how, x)
    with flint.ctx.workprec(160):
        y = _act(how, 0.0, flint.arb(high) + float(x - Wide(high)))
        first = float(y.mid())
        return Wide(first) + Wide(float((y - first).mid()))

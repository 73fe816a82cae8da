"""Submodules, one after the other: what each makes of an expression. Decided by class; a subclass may do anything."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy as np

from .convolutions import AGGREGATIONS, CONVOLUTIONS, bias_of, check_width, linear, numbers
from .expressions import Expression, activate, concatenate, maximum, pool, scale
from .refuse import refusal, refused_module

SOFTMAX = ("Softmax", "LogSoftmax")
POOLS = {"global_add_pool": "sum", "global_mean_pool": "mean", "global_max_pool": "max"}


class Ranked(Expression):
    """Scores behind a softmax: their order is that of what went in, and their order is all that a verdict is about."""

    __slots__ = ()


def batch_norm(module: Any, x: Expression, where: str) -> Expression:
    """With the statistics of training: a scale and a shift for each entry."""
    inner = getattr(module, "module", module)  # PyG wraps torch's
    if inner.running_mean is None or inner.running_var is None:
        raise refusal(where, type(module).__name__, "track_running_stats=False takes statistics of the data it sees")
    mean, var = numbers(inner.running_mean, where), numbers(inner.running_var, where)
    check_width(x, len(mean), where, module)
    factor = 1.0 / np.sqrt(var + inner.eps)
    if inner.weight is not None:
        factor = factor * numbers(inner.weight, where)
    return scale(x, factor, bias_of(inner.bias, len(mean), where) - mean * factor)


def slope_of(values: Any, where: str, what: str) -> np.ndarray[Any, Any]:
    slopes = np.asarray(values, dtype=np.float64)
    if not ((slopes >= 0) & (slopes <= 1)).all():
        raise refusal(where, what, f"expected slopes from 0 to 1 on negative numbers, got {slopes.ravel()[0]:g}")
    return slopes


def leaky_relu(x: Expression, slopes: Any, where: str, what: str) -> Expression:
    slopes = slope_of(slopes, where, what)
    return activate(x, slopes if slopes.size > 1 else float(slopes.reshape(-1)[0]))


def jumping_knowledge(mode: str, parts: Sequence[Expression], where: str) -> Expression:
    if mode == "cat":
        return concatenate(list(parts))
    if mode == "max":
        return reduce(maximum, parts)
    raise refusal(where, "JumpingKnowledge", f"mode {mode!r} is not piecewise linear; use 'cat' or 'max'")


_PLAIN: dict[str, Callable[[Any, Expression, str], Expression]] = {
    "Linear": linear,
    "BatchNorm1d": batch_norm,
    "BatchNorm": batch_norm,
    "ReLU": lambda module, x, where: activate(x, 0.0),
    "LeakyReLU": lambda module, x, where: leaky_relu(x, module.negative_slope, where, "LeakyReLU"),
    "PReLU": lambda module, x, where: leaky_relu(x, numbers(module.weight, where), where, "PReLU"),
    "Identity": lambda module, x, where: x,
    "Dropout": lambda module, x, where: x,  # in evaluation it does nothing
    "AlphaDropout": lambda module, x, where: x,
    "FeatureAlphaDropout": lambda module, x, where: x,
}


def is_theirs(module: Any) -> bool:
    """A class of torch or PyG itself."""
    return type(module).__module__.split(".")[0] in ("torch", "torch_geometric")


def is_plain(module: Any) -> bool:
    """Takes one expression and gives one."""
    return is_theirs(module) and type(module).__name__ in _PLAIN


def is_convolution(module: Any) -> bool:
    return is_theirs(module) and type(module).__name__ in CONVOLUTIONS


def is_pool(module: Any) -> bool:
    return is_theirs(module) and type(module).__name__ in AGGREGATIONS


def apply_plain(module: Any, x: Expression, where: str) -> Expression:
    _not_ranked(x, where, type(module).__name__)
    name = type(module).__name__
    if is_plain(module):
        return _PLAIN[name](module, x, where)
    if is_theirs(module) and name in SOFTMAX:
        return Ranked(*x)
    raise refused_module(where, module)


def apply_convolution(
    module: Any, x: Expression, where: str, run: Callable[[Any, Expression, str], Expression]
) -> Expression:
    _not_ranked(x, where, type(module).__name__)
    if not is_convolution(module):
        raise refused_module(where, module)
    if x.place != "vertex":
        raise refusal(
            where, type(module).__name__, "it passes messages behind the pooling, where there is one vertex left"
        )
    return CONVOLUTIONS[type(module).__name__](module, x, where, run)


def apply_pool(x: Expression, how: str, where: str) -> Expression:
    _not_ranked(x, where, "pooling")
    if x.place != "vertex":
        raise refusal(where, "pooling", "it pools twice")
    return pool(x, how)


def _not_ranked(x: Expression, where: str, what: str) -> None:
    if isinstance(x, Ranked):
        raise refusal(
            where, what, "it works on the result of a softmax, which is not piecewise linear; a final one is fine"
        )


def features_of(module: Any) -> int | None:
    """The width that a module expects of its input: its own, or that of the first layer in it."""
    for field in ("in_channels", "in_features", "num_features"):
        width = getattr(module, field, None)
        width = width[0] if isinstance(width, tuple | list) else width
        if isinstance(width, int) and width > 0:
            return width
    children = module.children() if hasattr(module, "children") else ()
    return next((width for one in children if (width := features_of(one)) is not None), None)

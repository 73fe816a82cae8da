"""Submodules, one after the other: what each makes of an expression. Decided by class; a subclass may do anything."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy as np

from .attention import gat, gatv2
from .convolutions import AGGREGATIONS, Call, bias_of, check_width, combined, gin, graph, linear, numbers, sage, simple
from .curved import OF_MODULES, of_module
from .expressions import Expression, concatenate, maximum, pool, scale
from .piecewise import clamp, hardsigmoid, leaky_relu, relu, softshrink
from .propagation import appnp, arma, cheb, gcn, gcn2, light, mixhop, sgc, ssgc, tag
from .refuse import refusal, refused_module

POOLS = {"global_add_pool": "sum", "global_mean_pool": "mean", "global_max_pool": "max"}

CONVOLUTIONS: dict[str, Callable[[Call, Expression], Expression]] = {
    "SAGEConv": sage,
    "GraphConv": graph,
    "GINConv": gin,
    "GCNConv": gcn,
    "SimpleConv": simple,
    "SGConv": sgc,
    "SSGConv": ssgc,
    "APPNP": appnp,
    "GCN2Conv": gcn2,
    "MixHopConv": mixhop,
    "LGConv": light,
    "TAGConv": tag,
    "ChebConv": cheb,
    "ARMAConv": arma,
    "GATConv": gat,
    "GATv2Conv": gatv2,
}


class Ranked(Expression):
    """Scores behind something that keeps their order, which is all that a verdict is about: `through` is what it was,
    and takes a tensor. Anything but the very last step is `refused`.
    """

    through: Callable[[Any], Any]
    name: str
    refused: Exception

    @classmethod
    def of(cls, x: Expression, through: Callable[[Any], Any], name: str, refused: Exception) -> Ranked:
        made = cls(*x)
        made.through, made.name, made.refused = through, name, refused
        return made


class Bent(Expression):
    """What a monotone curve gives. As the very last step it may be left out, as Ranked is; `before` is what is left."""

    before: Ranked | None = None  # of this very expression; not of what is made of it

    @classmethod
    def of(cls, bent: Expression, before: Ranked) -> Bent:
        made = cls(*bent)
        made.before = before
        return made


def last_step(x: Expression) -> Expression:
    """What decides the order of the scores."""
    return x.before if isinstance(x, Bent) and x.before is not None else x


# functions that keep the order of scores, by name
MONOTONE = (
    "softmax", "log_softmax", "sigmoid", "tanh", "logsigmoid", "elu", "celu", "selu", "softplus", "softsign",
)  # fmt: skip


def batch_norm(module: Any, x: Expression, where: str) -> Expression:
    """With the statistics of training: a scale and a shift for each entry."""
    inner = getattr(module, "module", module)  # PyG wraps torch's
    if inner.running_mean is None or inner.running_var is None:
        why = "track_running_stats=False takes statistics of the data it sees; train with track_running_stats=True"
        raise refusal(where, type(module).__name__, why)
    mean, var = numbers(inner.running_mean, where), numbers(inner.running_var, where)
    check_width(x, len(mean), where, module)
    factor = 1.0 / np.sqrt(var + inner.eps)
    if inner.weight is not None:
        factor = factor * numbers(inner.weight, where)
    return scale(x, factor, bias_of(inner.bias, len(mean), where) - mean * factor)


def jumping_knowledge(module: Any, parts: Sequence[Expression], where: str) -> Expression:
    if module.mode == "cat":
        return concatenate(list(parts))
    if module.mode == "max":
        return reduce(maximum, parts)
    raise refusal(where, "JumpingKnowledge", f"mode {module.mode!r} is not piecewise linear; use 'cat' or 'max'")


def _clamped(low: str, high: str) -> Callable[[Any, Expression, str], Expression]:
    return lambda module, x, where: clamp(x, getattr(module, low), getattr(module, high), where, type(module).__name__)


PLAIN: dict[str, Callable[[Any, Expression, str], Expression]] = {
    "Linear": linear,
    "NonDynamicallyQuantizableLinear": linear,
    "BatchNorm1d": batch_norm,
    "BatchNorm": batch_norm,
    "ReLU": lambda module, x, where: relu(x),
    "LeakyReLU": lambda module, x, where: leaky_relu(x, module.negative_slope, where, "LeakyReLU"),
    "RReLU": lambda module, x, where: leaky_relu(x, (module.lower + module.upper) / 2, where, "RReLU"),
    "PReLU": lambda module, x, where: leaky_relu(x, numbers(module.weight, where), where, "PReLU"),
    "ReLU6": _clamped("min_val", "max_val"),
    "Hardtanh": _clamped("min_val", "max_val"),
    "Hardsigmoid": lambda module, x, where: hardsigmoid(x, where),
    "Softshrink": lambda module, x, where: softshrink(x, module.lambd),
    "Identity": lambda module, x, where: x,
    "Dropout": lambda module, x, where: x,  # in evaluation it does nothing
    "Dropout1d": lambda module, x, where: x,
    "AlphaDropout": lambda module, x, where: x,
    "FeatureAlphaDropout": lambda module, x, where: x,
}


def is_theirs(module: Any) -> bool:
    """A class of torch or PyG itself."""
    return type(module).__module__.split(".")[0] in ("torch", "torch_geometric")


def is_plain(module: Any) -> bool:
    """Takes one expression and gives one."""
    return is_theirs(module) and type(module).__name__ in PLAIN


def is_convolution(module: Any) -> bool:
    return is_theirs(module) and type(module).__name__ in CONVOLUTIONS


def is_pool(module: Any) -> bool:
    return is_theirs(module) and (type(module).__name__ in AGGREGATIONS or type(module).__name__ == "MultiAggregation")


def apply_plain(module: Any, x: Expression, where: str) -> Expression:
    name = type(module).__name__
    if isinstance(x, Ranked) and name in ("Identity", "Dropout"):
        return x
    not_ranked(x)
    if is_plain(module):
        return PLAIN[name](module, x, where)
    if is_theirs(module) and name in OF_MODULES:
        bent = of_module(module, x, where)
        kept = OF_MODULES[name][0]
        return Bent.of(bent, Ranked.of(x, module, kept, refused_module(where, module))) if kept in MONOTONE else bent
    flat = name.lower().removesuffix("module")
    kept = {"logsoftmax": "log_softmax"}.get(flat, flat)
    if is_theirs(module) and kept in MONOTONE:
        if kept.endswith("softmax") and module.dim not in (1, -1, None):
            raise refusal(where, name, f"expected dim=-1 (over the classes), got dim={module.dim}")
        return Ranked.of(x, module, kept, refused_module(where, module))
    raise refused_module(where, module)


def apply_convolution(call: Call, x: Expression) -> Expression:
    not_ranked(x)
    if not is_convolution(call.module):
        raise refused_module(call.where, call.module)
    if x.place != "vertex":
        raise call.refuse(
            "it passes messages behind the pooling, where there is one vertex left; move it before the pooling"
        )
    return CONVOLUTIONS[type(call.module).__name__](call, x)


def apply_pool(x: Expression, how: str, where: str) -> Expression:
    not_ranked(x)
    if x.place != "vertex":
        raise refusal(where, "pooling", "it pools twice; leave the second pooling out")
    return pool(x, how)


def apply_pooling_module(module: Any, x: Expression, where: str) -> Expression:
    """An aggregation module, of all vertices."""
    call = Call(module, where, lambda one, y, name: y)
    return combined(module, x, lambda sent, how: apply_pool(sent, how, where), call)


def not_ranked(x: Any) -> None:
    """A curved function is fine as the very last step only."""
    if isinstance(x, Ranked):
        raise x.refused


def features_of(module: Any) -> int | None:
    """The width that a module expects of its input: its own, or that of the first layer in it."""
    for field in ("in_channels", "in_features", "num_features"):
        width = getattr(module, field, None)
        width = width[0] if isinstance(width, tuple | list) else width
        if isinstance(width, int) and width > 0:
            return width
    children = module.children() if hasattr(module, "children") else ()
    return next((width for one in children if (width := features_of(one)) is not None), None)

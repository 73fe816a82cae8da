"""Curved activations: those that a Network knows by name, and what torch calls otherwise, rewritten with these."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..raw import CURVES
from .expressions import Expression, activate, add, scale
from .piecewise import relu
from .refuse import refusal

# torch goes on with a straight line past its threshold; from here on that is no farther off than 2.1e-9 / beta
THRESHOLD = 20.0


def curve(x: Expression, name: str) -> Expression:
    return activate(x, float(CURVES[name]))


def elu(x: Expression, where: str, alpha: float = 1.0, **_: Any) -> Expression:
    """With another alpha, alpha elu(x) + (1 - alpha) relu(x)."""
    bent = curve(x, "elu")
    return bent if alpha == 1.0 else add(scale(bent, float(alpha)), scale(relu(x), 1.0 - float(alpha)))


def celu(x: Expression, where: str, alpha: float = 1.0, **_: Any) -> Expression:
    """alpha elu(x / alpha)."""
    if not alpha > 0:
        raise refusal(where, "CELU", f"expected alpha above 0, got {alpha!r}; use ELU")
    return curve(x, "elu") if alpha == 1.0 else scale(curve(scale(x, 1.0 / alpha), "elu"), float(alpha))


def gelu(x: Expression, where: str, approximate: str = "none", **_: Any) -> Expression:
    return curve(x, "gelu_tanh" if approximate == "tanh" else "gelu")


def softplus(x: Expression, where: str, beta: float = 1.0, threshold: float = THRESHOLD, **_: Any) -> Expression:
    """log(1 + e^(beta x)) / beta."""
    if not beta > 0:
        raise refusal(where, "Softplus", f"expected beta above 0, got {beta!r}; use ELU")
    if threshold < THRESHOLD:
        why = f"past its threshold {threshold:g} torch takes a straight line, which jumps there; use threshold=20"
        raise refusal(where, "Softplus", why)
    return curve(x, "softplus") if beta == 1.0 else scale(curve(scale(x, float(beta)), "softplus"), 1.0 / beta)


def logsigmoid(x: Expression, where: str, **_: Any) -> Expression:
    return scale(curve(scale(x, -1.0), "softplus"), -1.0)


def tanhshrink(x: Expression, where: str, **_: Any) -> Expression:
    return add(x, scale(curve(x, "tanh"), -1.0))


def _named(name: str) -> Callable[..., Expression]:
    return lambda x, where, **_: curve(x, name)


# by torch's function; arguments by name
CURVED: dict[str, Callable[..., Expression]] = {
    "elu": elu,
    "celu": celu,
    "gelu": gelu,
    "softplus": softplus,
    "logsigmoid": logsigmoid,
    "log_sigmoid": logsigmoid,
    "tanhshrink": tanhshrink,
    **{name: _named(name) for name in ("selu", "silu", "tanh", "sigmoid")},
}
# arguments that come by position behind the input
POSITIONS = {"elu": ("alpha",), "celu": ("alpha",), "softplus": ("beta", "threshold")}
# of modules: the attributes that matter, under the names of arguments
OF_MODULES = {
    "ELU": ("elu", ("alpha",)), "CELU": ("celu", ("alpha",)), "SELU": ("selu", ()), "GELU": ("gelu", ("approximate",)),
    "SiLU": ("silu", ()), "Tanh": ("tanh", ()), "Sigmoid": ("sigmoid", ()), "LogSigmoid": ("logsigmoid", ()),
    "Softplus": ("softplus", ("beta", "threshold")), "Tanhshrink": ("tanhshrink", ()),
}  # fmt: skip


def of_module(module: Any, x: Expression, where: str) -> Expression:
    name, fields = OF_MODULES[type(module).__name__]
    return CURVED[name](x, where, **{field: getattr(module, field) for field in fields})


def of_function(name: str, x: Expression, where: str, args: list[Any], kwargs: dict[str, Any]) -> Expression:
    """args: those behind the input."""
    given = dict(zip(POSITIONS.get(name, ()), args, strict=False)) | kwargs
    wanted = {key: given[key] for key in (*POSITIONS.get(name, ()), "approximate") if key in given}
    return CURVED[name](x, where, **wanted)

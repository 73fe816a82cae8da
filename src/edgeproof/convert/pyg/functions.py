"""Functions and methods on tensors, by name: what each makes of an expression."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .expressions import Expression, activate, add, concatenate, maximum, scale, transform
from .modules import Ranked, apply_pool, leaky_relu
from .refuse import refusal


def _expression(value: Any, where: str, name: str) -> Expression:
    if not isinstance(value, Expression):
        raise refusal(where, name, "it is not applied to the features of the vertices alone")
    return value


def _relu(where: str, x: Any, inplace: bool = False) -> Expression:
    return activate(_expression(x, where, "relu"), 0.0)


def _leaky(where: str, x: Any, negative_slope: float = 0.01, inplace: bool = False) -> Expression:
    return leaky_relu(_expression(x, where, "leaky_relu"), negative_slope, where, "leaky_relu")


def _prelu(where: str, x: Any, weight: Any) -> Expression:
    return leaky_relu(_expression(x, where, "prelu"), weight, where, "prelu")


def _dropout(where: str, x: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Expression:
    if training and p > 0:
        why = "it drops in evaluation too; give it training=self.training"
        raise refusal(where, "dropout", why)
    return _expression(x, where, "dropout")


def _softmax(where: str, x: Any, dim: int | None = None, *args: Any, **kwargs: Any) -> Expression:
    if dim not in (1, -1):
        raise refusal(where, "softmax", f"expected dim=-1 (over the classes), got dim={dim}")
    return Ranked(*_expression(x, where, "softmax"))


def _identity(where: str, x: Any, *args: Any, **kwargs: Any) -> Expression:
    return _expression(x, where, "contiguous")


def _add(where: str, first: Any, second: Any, alpha: float = 1.0) -> Expression:
    if not isinstance(first, Expression):
        first, second = second, first
    if isinstance(second, Expression):
        if first.place != second.place or first.width != second.width:
            raise refusal(where, "add", f"expected equal shapes, got {first.width} and {second.width} entries")
        return add(first, scale(second, alpha) if alpha != 1.0 else second)
    return scale(first, 1.0, alpha * _constant(first, second, where, "add"))


def _sub(where: str, first: Any, second: Any, alpha: float = 1.0) -> Expression:
    if isinstance(second, Expression):
        return _add(where, first, scale(second, -alpha))
    return scale(first, 1.0, -alpha * _constant(first, second, where, "sub"))


def _mul(where: str, first: Any, second: Any) -> Expression:
    if not isinstance(first, Expression):
        first, second = second, first
    if isinstance(second, Expression):
        raise refusal(where, "mul", "a product of two computed tensors is not piecewise linear")
    return scale(first, _constant(first, second, where, "mul"))


def _div(where: str, first: Any, second: Any) -> Expression:
    if not isinstance(first, Expression) or isinstance(second, Expression):
        raise refusal(where, "div", "a division by a computed tensor is not piecewise linear")
    return scale(first, 1.0 / _constant(first, second, where, "div"))


def _linear(where: str, x: Any, weight: Any, bias: Any = None) -> Expression:
    x = _expression(x, where, "linear")
    if not isinstance(weight, np.ndarray) or weight.ndim != 2 or weight.shape[1] != x.width:
        raise refusal(where, "linear", f"expected a weight for {x.width} inputs")
    return transform(x, weight, 0.0 if bias is None else bias)


def _matmul(where: str, x: Any, weight: Any) -> Expression:
    return _linear(where, x, weight.T if isinstance(weight, np.ndarray) else weight)


def _neg(where: str, x: Any) -> Expression:
    return scale(_expression(x, where, "neg"), -1.0)


def _constant(x: Expression, value: Any, where: str, name: str) -> Any:
    """A number, or one for each entry."""
    array = np.asarray(value, dtype=np.float64) if isinstance(value, int | float | np.ndarray) else None
    if array is None or (array.size > 1 and array.shape[-1] != x.width) or (array.size > 1 and array.size != x.width):
        raise refusal(where, name, f"expected a number or {x.width} of them, got {type(value).__name__}")
    return array.reshape(-1) if array.size > 1 else float(array.reshape(-1)[0])


def _cat(where: str, parts: Any, dim: int = 0, **kwargs: Any) -> Expression:
    dim = kwargs.get("axis", dim)
    parts = [_expression(one, where, "cat") for one in parts]
    if dim not in (1, -1) or len({one.place for one in parts}) > 1:
        raise refusal(where, "cat", f"expected features side by side (dim=-1), got dim={dim}")
    return concatenate(parts)


def _maximum(where: str, first: Any, second: Any) -> Expression:
    first, second = _expression(first, where, "maximum"), _expression(second, where, "maximum")
    if first.place != second.place or first.width != second.width:
        raise refusal(where, "maximum", f"expected equal shapes, got {first.width} and {second.width} entries")
    return maximum(first, second)


def _minimum(where: str, first: Any, second: Any) -> Expression:
    return _neg(where, _maximum(where, _neg(where, first), _neg(where, second)))


def _pooling(where: str, x: Any, batch: Any = None, reduce: str = "sum") -> Expression:
    return apply_pool(_expression(x, where, "pooling"), reduce, where)


def _reduction(how: str) -> Callable[..., Any]:
    """x.sum(dim=0) and its like: a pooling without batch."""

    def reduced(where: str, x: Any, dim: Any = None, keepdim: Any = False, **kwargs: Any) -> Any:
        if isinstance(dim, Expression) and how == "max":
            return _maximum(where, x, dim)
        if dim not in (0, -2) or _expression(x, where, how).place != "vertex":
            raise refusal(where, how, f"expected it over the vertices (dim=0), got dim={dim}")
        pooled = apply_pool(x, how, where)
        return [pooled] if how == "max" else pooled  # torch gives the largest, and where they are

    return reduced


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "dim": lambda where, x: 2,
    "relu": _relu,
    "leaky_relu": _leaky,
    "prelu": _prelu,
    "dropout": _dropout,
    "softmax": _softmax,
    "log_softmax": _softmax,
    "contiguous": _identity,
    "clone": _identity,
    "detach": _identity,
    "add": _add,
    "iadd": _add,
    "radd": _add,
    "sub": _sub,
    "mul": _mul,
    "imul": _mul,
    "truediv": _div,
    "div": _div,
    "neg": _neg,
    "linear": _linear,
    "matmul": _matmul,
    "cat": _cat,
    "concat": _cat,
    "maximum": _maximum,
    "minimum": _minimum,
    "pooling": _pooling,
    "sum": _reduction("sum"),
    "mean": _reduction("mean"),
    "max": _reduction("max"),
}

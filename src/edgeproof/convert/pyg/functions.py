"""Functions and methods on tensors, by name: what each makes of an expression."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from itertools import pairwise
from typing import Any

import numpy as np

from .expressions import Expression, add, columns, concatenate, maximum, scale, transform
from .modules import POOLS, apply_pool, not_ranked
from .piecewise import absolute, clamp, hardsigmoid, leaky_relu, relu, softshrink
from .refuse import refusal


class Stacked(list[Any]):
    """Tensors of equal shape along a new dimension, which something then sums up."""


def expression_of(value: Any, where: str, name: str) -> Expression:
    not_ranked(value)
    if not isinstance(value, Expression):
        raise refusal(where, name, "it is not applied to the features of the vertices alone; compute with those only")
    return value


def _slopes(where: str, x: Any, slopes: Any, name: str) -> Expression:
    return leaky_relu(expression_of(x, where, name), slopes, where, name)


def _leaky(where: str, x: Any, negative_slope: float = 0.01, inplace: bool = False) -> Expression:
    return _slopes(where, x, negative_slope, "leaky_relu")


def _rrelu(
    where: str, x: Any, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False, inplace: bool = False
) -> Expression:
    if training:
        raise refusal(where, "rrelu", "it draws slopes in evaluation too; give it training=self.training")
    return _slopes(where, x, (lower + upper) / 2, "rrelu")


def _dropout(where: str, x: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    if training and p > 0:
        raise refusal(where, "dropout", "it drops in evaluation too; give it training=self.training")
    return x


def _identity(where: str, x: Any, *args: Any, **kwargs: Any) -> Any:
    return x


def _shape(name: str) -> Callable[..., Any]:
    def reshaped(where: str, x: Any, *shape: Any, **kwargs: Any) -> Any:
        """What leaves (vertices, features) as they are, or drops the one column of a single score."""
        given = shape[0] if len(shape) == 1 and isinstance(shape[0], list | tuple) else shape
        wide = isinstance(x, Expression) and x.width != 1
        keeps = name == "flatten" and (1 in given[:1] or kwargs.get("start_dim") == 1)
        keeps |= name == "squeeze" and isinstance(x, Expression) and x.place == "graph"
        keeps |= name in ("view", "reshape") and bool(given) and isinstance(x, Expression) and given[-1] == x.width
        if wide and not keeps:
            why = (
                "it changes the shape of the features; keep them as (vertices, features); one score may lose its column"
            )
            raise refusal(where, name, why)
        return x

    return reshaped


def _add(where: str, first: Any, second: Any, alpha: float = 1.0) -> Expression:
    if not isinstance(first, Expression):
        if not isinstance(second, Expression):
            raise refusal(where, "add", "it does not add up features of vertices; compute with those only")
        return scale(scale(second, alpha), 1.0, _constant(second, first, where, "add"))
    not_ranked(first)
    if isinstance(second, Expression):
        not_ranked(second)
        if first.place != second.place or first.width != second.width:
            raise refusal(where, "add", f"expected equal shapes, got {first.width} and {second.width} entries")
        return add(first, scale(second, alpha) if alpha != 1.0 else second)
    return scale(first, 1.0, alpha * _constant(first, second, where, "add"))


def _sub(where: str, first: Any, second: Any, alpha: float = 1.0) -> Expression:
    if isinstance(second, Expression):
        return _add(where, first, scale(expression_of(second, where, "sub"), -alpha))
    first = expression_of(first, where, "sub")
    return scale(first, 1.0, -alpha * _constant(first, second, where, "sub"))


def _rsub(where: str, first: Any, second: Any, alpha: float = 1.0) -> Expression:
    return _sub(where, second, first, alpha)


def _mul(where: str, first: Any, second: Any) -> Expression:
    if not isinstance(first, Expression):
        first, second = second, first
    if isinstance(second, Expression):
        why = "a product of two computed tensors is not piecewise linear; multiply with fixed weights only"
        raise refusal(where, "mul", why)
    first = expression_of(first, where, "mul")
    return scale(first, _constant(first, second, where, "mul"))


def _div(where: str, first: Any, second: Any) -> Expression:
    if not isinstance(first, Expression) or isinstance(second, Expression):
        why = "a division by a computed tensor is not piecewise linear; divide by fixed numbers only"
        raise refusal(where, "div", why)
    first = expression_of(first, where, "div")
    return scale(first, 1.0 / _constant(first, second, where, "div"))


def _pow(where: str, x: Any, exponent: Any) -> Any:
    if exponent != 1:
        raise refusal(where, "**", "a power is curved, and a verdict needs pieces that are linear; use abs or relu")
    return x


def _lerp(where: str, first: Any, second: Any, weight: Any) -> Expression:
    """first + weight (second - first)."""
    return _add(where, first, _mul(where, _sub(where, second, first), weight))


def _linear(where: str, x: Any, weight: Any, bias: Any = None) -> Expression:
    x, weight = expression_of(x, where, "linear"), _array(weight)
    if weight is None or weight.ndim != 2 or weight.shape[1] != x.width:
        raise refusal(where, "linear", f"expected a fixed weight for {x.width} inputs")
    return transform(x, weight, 0.0 if bias is None else _array(bias))


def _matmul(where: str, x: Any, weight: Any) -> Expression:
    held = _array(weight)
    return _linear(where, x, None if held is None else held.T)


def _addmm(where: str, added: Any, x: Any, weight: Any, *, beta: float = 1, alpha: float = 1) -> Expression:
    product = scale(_matmul(where, x, weight), alpha)
    return _add(where, product, scale(added, beta) if isinstance(added, Expression) else beta * _array(added))


def _neg(where: str, x: Any) -> Expression:
    return scale(expression_of(x, where, "neg"), -1.0)


def _array(value: Any) -> Any:
    """A parameter, a tensor or a number as an array; None if it is neither."""
    if hasattr(value, "detach"):
        value = value.detach().cpu().double().numpy()
    return np.asarray(value, dtype=np.float64) if isinstance(value, int | float | np.ndarray) else None


def _constant(x: Expression, value: Any, where: str, name: str) -> Any:
    """A number, or one for each entry."""
    array = _array(value)
    if array is None or (array.size > 1 and (array.shape[-1] != x.width or array.size != x.width)):
        what = "something that depends on the data" if array is None else f"numbers of shape {array.shape}"
        raise refusal(where, name, f"expected a fixed number or {x.width} of them, got {what}")
    return array.reshape(-1) if array.size > 1 else float(array.reshape(-1)[0])


def _cat(where: str, parts: Any, dim: int = 0, **kwargs: Any) -> Expression:
    dim = kwargs.get("axis", dim)
    parts = [expression_of(one, where, "cat") for one in parts]
    if dim not in (1, -1) or len({one.place for one in parts}) > 1:
        raise refusal(where, "cat", f"expected features side by side (dim=-1) of the same vertices, got dim={dim}")
    return concatenate(parts)


def _stack(where: str, parts: Any, dim: int = 0) -> Stacked:
    return Stacked(expression_of(one, where, "stack") for one in parts)


def _maximum(where: str, first: Any, second: Any) -> Expression:
    if isinstance(first, Expression) and not isinstance(second, Expression):
        return _clamp(where, first, min=second)
    first, second = expression_of(first, where, "maximum"), expression_of(second, where, "maximum")
    if first.place != second.place or first.width != second.width:
        raise refusal(where, "maximum", f"expected equal shapes, got {first.width} and {second.width} entries")
    return maximum(first, second)


def _minimum(where: str, first: Any, second: Any) -> Expression:
    if isinstance(first, Expression) and not isinstance(second, Expression):
        return _clamp(where, first, max=second)
    return _neg(where, _maximum(where, _neg(where, first), _neg(where, second)))


def _clamp(where: str, x: Any, min: Any = None, max: Any = None) -> Expression:
    ends = [None if end is None else _array(end) for end in (min, max)]
    if any(given is not None and (end is None or end.size != 1) for given, end in zip((min, max), ends, strict=True)):
        raise refusal(where, "clamp", "expected fixed numbers as its ends")
    low, high = (None if end is None else float(end.reshape(-1)[0]) for end in ends)
    return clamp(expression_of(x, where, "clamp"), low, high, where, "clamp")


def _hardtanh(where: str, x: Any, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Expression:
    return clamp(expression_of(x, where, "hardtanh"), min_val, max_val, where, "hardtanh")


def _on_one(name: str, through: Callable[[Expression], Expression]) -> Callable[..., Expression]:
    return lambda where, x, *args, **kwargs: through(expression_of(x, where, name))


def pooled(how: str) -> Callable[..., Expression]:
    return lambda where, x, *args, **kwargs: apply_pool(expression_of(x, where, "pooling"), how, where)


def _pooling(where: str, x: Any, batch: Any = None, reduce: str = "sum") -> Expression:
    return apply_pool(expression_of(x, where, "pooling"), reduce, where)


def _reduction(how: str) -> Callable[..., Any]:
    """x.sum(dim=0) and its like: a pooling without batch; of stacked tensors, entry by entry."""

    def reduced(where: str, x: Any, dim: Any = None, keepdim: Any = False, **kwargs: Any) -> Any:
        if isinstance(x, Stacked | list):
            return _of_stacked(where, x, how)
        if isinstance(dim, Expression) and how in ("max", "min"):
            return (_maximum if how == "max" else _minimum)(where, x, dim)
        if dim not in (0, -2) or expression_of(x, where, how).place != "vertex":
            raise refusal(where, how, f"expected it over the vertices (dim=0), got dim={dim}")
        found = apply_pool(x, how, where)
        return [found] if how in ("max", "min") else found  # torch gives the largest, and where they are

    return reduced


def _of_stacked(where: str, parts: list[Any], how: str) -> Any:
    first, *others = (expression_of(one, where, how) for one in parts)
    if how in ("max", "min"):
        found = reduce(lambda a, b: (_maximum if how == "max" else _minimum)(where, a, b), others, first)
        return [found]
    total = reduce(lambda a, b: _add(where, a, b), others, first)
    return scale(total, 1.0 / len(parts)) if how == "mean" else total


def getitem(where: str, x: Any, picked: Any) -> Any:
    """An element of a list, or columns of features."""
    if isinstance(x, list):
        return x[picked]
    rows, chosen = picked if isinstance(picked, list | tuple) and len(picked) == 2 else (picked, slice(None))
    if rows is Ellipsis or (isinstance(rows, slice) and rows == slice(None)):
        if isinstance(chosen, slice) or (isinstance(chosen, list) and all(isinstance(k, int) for k in chosen)):
            return columns(expression_of(x, where, "indexing"), np.arange(x.width)[chosen])
        if isinstance(chosen, int):
            return columns(expression_of(x, where, "indexing"), [chosen])
    why = "forward picks out some of the vertices; return the scores of all, a question says which vertex it is about"
    raise refusal(where, "indexing", why)


def _pieces(where: str, x: Any, sizes: Any, dim: int = 0) -> list[Expression]:
    x = expression_of(x, where, "split")
    if dim not in (1, -1):
        raise refusal(where, "split", f"expected pieces of the features (dim=-1), got dim={dim}")
    sizes = [sizes] * -(-x.width // sizes) if isinstance(sizes, int) else list(sizes)
    ends = np.minimum(np.cumsum([0, *sizes]), x.width)
    return [columns(x, np.arange(a, b)) for a, b in pairwise(ends)]


def _chunk(where: str, x: Any, chunks: int, dim: int = 0) -> list[Expression]:
    return _pieces(where, x, -(-expression_of(x, where, "chunk").width // chunks), dim)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "dim": lambda where, x: 2,
    "relu": _on_one("relu", relu),
    "leaky_relu": _leaky,
    "prelu": lambda where, x, weight: _slopes(where, x, _array(weight), "prelu"),
    "rrelu": _rrelu,
    "relu6": _on_one("relu6", lambda x: clamp(x, 0.0, 6.0, "", "relu6")),
    "hardtanh": _hardtanh,
    "hardsigmoid": _on_one("hardsigmoid", lambda x: hardsigmoid(x, "")),
    "softshrink": lambda where, x, lambd=0.5: softshrink(expression_of(x, where, "softshrink"), lambd),
    "abs": _on_one("abs", absolute),
    "absolute": _on_one("abs", absolute),
    "clamp": _clamp,
    "clip": _clamp,
    "clamp_min": lambda where, x, min: _clamp(where, x, min=min),
    "clamp_max": lambda where, x, max: _clamp(where, x, max=max),
    **dict.fromkeys(("dropout", "alpha_dropout", "feature_alpha_dropout", "dropout1d"), _dropout),
    **dict.fromkeys(
        ("contiguous", "clone", "detach", "float", "double", "to", "type", "type_as", "cpu", "cuda", "requires_grad"),
        _identity,
    ),
    **{name: _shape(name) for name in ("view", "reshape", "squeeze", "flatten")},
    **dict.fromkeys(("add", "iadd", "radd"), _add),
    **dict.fromkeys(("sub", "isub", "subtract"), _sub),
    **dict.fromkeys(("rsub", "rsub_"), _rsub),
    **dict.fromkeys(("mul", "imul", "rmul", "multiply"), _mul),
    **dict.fromkeys(("truediv", "div", "itruediv", "divide"), _div),
    "pow": _pow,
    "lerp": _lerp,
    **dict.fromkeys(("neg", "negative"), _neg),
    "pos": _identity,
    "linear": _linear,
    "matmul": _matmul,
    "mm": _matmul,
    "addmm": _addmm,
    "cat": _cat,
    "concat": _cat,
    "concatenate": _cat,
    "hstack": lambda where, parts: _cat(where, parts, 1),
    "stack": _stack,
    "maximum": _maximum,
    "minimum": _minimum,
    "pooling": _pooling,
    **{name: pooled(how) for name, how in POOLS.items()},
    **{how: _reduction(how) for how in ("sum", "mean", "max", "min")},
    "amax": lambda where, x, dim=None, keepdim=False: _reduction("max")(where, x, dim)[0],
    "amin": lambda where, x, dim=None, keepdim=False: _reduction("min")(where, x, dim)[0],
    "getitem": getitem,
    "chunk": _chunk,
    **dict.fromkeys(("split", "tensor_split"), _pieces),
}

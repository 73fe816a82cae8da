"""Message-passing layers of PyTorch Geometric that hear once, one function each: what they compute."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .expressions import (
    Expression,
    Matrix,
    activate,
    add,
    aggregate,
    concatenate,
    is_nonnegative,
    maximum,
    scale,
    transform,
)
from .reasons import MODULES
from .refuse import refusal

AGGREGATIONS = {
    "SumAggregation": "sum", "MeanAggregation": "mean", "MaxAggregation": "max", "MinAggregation": "min",
}  # fmt: skip
Run = Callable[[Any, Expression, str], Expression]  # applies a submodule


class Call(NamedTuple):
    """One message-passing layer as it is called. `loops`: what `forward` did to the self-loops of the edges before:
    "" (nothing), "added" (one more at every vertex), "completed" (where there was none) or "removed".
    """

    module: Any
    where: str
    run: Run
    start: Expression | None = None  # what GCN2Conv calls x_0
    loops: str = ""

    def refuse(self, why: str) -> Exception:
        return refusal(self.where, type(self.module).__name__, why)


def numbers(tensor: Any, where: str = "") -> Matrix:
    """A parameter in float64, from whatever device; parameters that were never used have no shape yet."""
    if type(tensor).__name__.startswith("Uninitialized"):
        raise refusal(where, type(tensor).__name__, "its width is not known yet; run the module once on data")
    return np.asarray(tensor.detach().cpu().double().numpy(), dtype=np.float64)


def bias_of(tensor: Any, width: int, where: str) -> Matrix:
    return np.zeros(width) if tensor is None else numbers(tensor, where).reshape(-1)


def linear(module: Any, x: Expression, where: str) -> Expression:
    W = numbers(module.weight, where)
    check_width(x, W.shape[1], where, module)
    return transform(x, W, bias_of(module.bias, W.shape[0], where))


def shifted(call: Call, x: Expression) -> Expression:
    """x plus the layer's own bias."""
    return scale(x, 1.0, bias_of(call.module.bias, x.width, call.where))


def check_width(x: Expression, width: int, where: str, module: Any) -> None:
    if x.width != width:
        raise refusal(where, type(module).__name__, f"expected {width} inputs, gets {x.width}")


def check_flow(call: Call) -> None:
    if call.module.flow != "source_to_target":
        raise call.refuse(f"flow={call.module.flow!r} is not supported; reverse edge_index instead")


def combined(
    aggregation: Any, x: Expression, through: Callable[[Expression, str], Expression], call: Call
) -> Expression:
    """What an aggregation module of PyG makes of all that is sent; `through` does it for one of sum, mean, max, min."""
    name = type(aggregation).__name__
    if name in AGGREGATIONS:
        return through(x, AGGREGATIONS[name])
    if name == "MultiAggregation":
        parts = [combined(one, x, through, call) for one in aggregation.aggrs]
        mode = aggregation.mode
        if mode == "cat":
            return concatenate(parts)
        if mode in ("sum", "mean", "max", "min"):
            return _merged(parts, mode)
        raise call.refuse(f"it combines its aggregations by {mode!r}, which is curved; use mode='cat'")
    why = MODULES.get(name, "a Network aggregates by sum, mean, max and min")
    raise call.refuse(f"aggr={name.removesuffix('Aggregation').lower() or name!r} is not supported: {why}")


def _merged(parts: list[Expression], mode: str) -> Expression:
    out = parts[0]
    for part in parts[1:]:
        if mode == "min":
            out = scale(maximum(scale(out, -1.0), scale(part, -1.0)), -1.0)
        else:
            out = maximum(out, part) if mode == "max" else add(out, part)
    return scale(out, 1.0 / len(parts)) if mode == "mean" else out


def hear(call: Call, x: Expression) -> Expression:
    """What a vertex hears through a layer that does nothing to its messages but aggregate them."""
    check_flow(call)
    return combined(call.module.aggr_module, x, lambda sent, how: hear_one(call, sent, how), call)


def hear_one(call: Call, x: Expression, how: str) -> Expression:
    if how == "min":
        return scale(hear_one(call, scale(x, -1.0), "max"), -1.0)
    heard = aggregate(x, how)
    if not call.loops:
        return heard
    if how == "sum" and call.loops == "added":
        return add(heard, x)
    if how == "max" and call.loops in ("added", "completed"):
        if not is_nonnegative(x):
            raise call.refuse(
                "it takes a max over neighbours and the vertex itself, which is read only where what is sent is never "
                "negative; put a ReLU before this layer"
            )
        return maximum(heard, x)
    if call.loops == "removed":
        raise call.refuse(
            "it does not hear the self-loops, which forward removes; remove them from the Data instead "
            "(torch_geometric.transforms.RemoveSelfLoops), and leave remove_self_loops out of forward"
        )
    if how == "sum":
        raise call.refuse(
            "it adds up over neighbours and the vertex itself once, whether or not the data has a self-loop there; use "
            "add_self_loops instead of add_remaining_self_loops, or GCNConv, which completes self-loops itself"
        )
    raise call.refuse(
        "it takes a mean over neighbours and the vertex itself, which no aggregation of a Network does; give "
        "SAGEConv the "
        "edges as they are (it adds the vertex itself by root_weight), or put self-loops into the Data and "
        "protect them "
        "with Threat(protected=...)"
    )


def sage(call: Call, x: Expression) -> Expression:
    """lin_l(agg x) + lin_r(x); with `project`, neighbours send relu(lin(x))."""
    module, where = call.module, call.where
    if module.normalize:
        raise call.refuse(
            "normalize=True divides by a norm, which no layer of a Network can; train with normalize=False"
        )
    sent = x
    if getattr(module, "project", False):
        sent = activate(linear(module.lin, x, f"{where}.lin"), 0.0)
    out = linear(module.lin_l, hear(call, sent), f"{where}.lin_l")
    return add(out, linear(module.lin_r, x, f"{where}.lin_r")) if module.root_weight else out


def graph(call: Call, x: Expression) -> Expression:
    """lin_rel(agg x) + lin_root(x)."""
    heard = linear(call.module.lin_rel, hear(call, x), f"{call.where}.lin_rel")
    return add(heard, linear(call.module.lin_root, x, f"{call.where}.lin_root"))


def gin(call: Call, x: Expression) -> Expression:
    """nn(agg x + (1 + eps) x)."""
    eps = float(numbers(call.module.eps, call.where).reshape(-1)[0])
    return call.run(call.module.nn, add(hear(call, x), scale(x, 1.0 + eps)), f"{call.where}.nn")


def simple(call: Call, x: Expression) -> Expression:
    """agg x, with x itself added or put before it."""
    root = call.module.combine_root
    if root == "self_loop":
        return hear(call._replace(loops="added"), x)
    heard = hear(call, x)
    if root is None:
        return heard
    return concatenate([x, heard]) if root == "cat" else add(heard, x)

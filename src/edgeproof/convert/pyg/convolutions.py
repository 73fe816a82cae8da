"""Message-passing layers of PyTorch Geometric, one function each: the expression of what they compute."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .expressions import Expression, Matrix, activate, add, aggregate, concatenate, scale, transform
from .refuse import refusal

AGGREGATIONS = {"SumAggregation": "sum", "MeanAggregation": "mean", "MaxAggregation": "max"}
Run = Callable[[Any, Expression, str], Expression]  # applies a submodule


def numbers(tensor: Any, where: str = "") -> Matrix:
    """A parameter in float64, from whatever device; parameters that were never used have no shape yet."""
    if type(tensor).__name__.startswith("Uninitialized"):
        raise refusal(where, type(tensor).__name__, "its width is not known yet; run the module once on data")
    return np.asarray(tensor.detach().cpu().double().numpy(), dtype=np.float64)


def bias_of(tensor: Any, width: int, where: str) -> Matrix:
    return np.zeros(width) if tensor is None else numbers(tensor, where)


def linear(module: Any, x: Expression, where: str) -> Expression:
    W = numbers(module.weight, where)
    check_width(x, W.shape[1], where, module)
    return transform(x, W, bias_of(module.bias, W.shape[0], where))


def check_width(x: Expression, width: int, where: str, module: Any) -> None:
    if x.width != width:
        raise refusal(where, type(module).__name__, f"expected {width} inputs, gets {x.width}")


def aggregation(module: Any, where: str) -> str:
    """The aggregation of a message-passing layer that does nothing else to its messages."""
    name = type(module).__name__
    if module.flow != "source_to_target":
        raise refusal(where, name, f"flow={module.flow!r} is not supported; reverse edge_index instead")
    how = AGGREGATIONS.get(type(module.aggr_module).__name__)
    if how is None:
        raise refusal(where, name, f"aggr: expected one of sum, add, mean, max, got {module.aggr!r}")
    return how


def sage(module: Any, x: Expression, where: str, run: Run) -> Expression:
    """lin_l(agg x) + lin_r(x); with `project`, neighbours send relu(lin(x))."""
    if module.normalize:
        raise refusal(where, "SAGEConv", "normalize=True divides by a norm, which no layer of a Network can")
    sent = x
    if getattr(module, "project", False):
        sent = activate(linear(module.lin, x, f"{where}.lin"), 0.0)
    out = linear(module.lin_l, aggregate(sent, aggregation(module, where)), f"{where}.lin_l")
    return add(out, linear(module.lin_r, x, f"{where}.lin_r")) if module.root_weight else out


def graph(module: Any, x: Expression, where: str, run: Run) -> Expression:
    """lin_rel(agg x) + lin_root(x)."""
    heard = linear(module.lin_rel, aggregate(x, aggregation(module, where)), f"{where}.lin_rel")
    return add(heard, linear(module.lin_root, x, f"{where}.lin_root"))


def gin(module: Any, x: Expression, where: str, run: Run) -> Expression:
    """nn(agg x + (1 + eps) x)."""
    eps = float(numbers(module.eps, where).reshape(-1)[0])
    return run(module.nn, add(aggregate(x, aggregation(module, where)), scale(x, 1.0 + eps)), f"{where}.nn")


def gcn(module: Any, x: Expression, where: str, run: Run) -> Expression:
    """gcn(lin(x)) + bias. A cache that training filled is not looked at: it would ignore every change of the graph."""
    how = aggregation(module, where)
    if how != "sum":
        raise refusal(where, "GCNConv", f"aggr={module.aggr!r} is not supported; GCNConv adds up")
    if module.normalize:
        how = "gcn"
        if module.improved:
            raise refusal(where, "GCNConv", "improved=True (self-loops of weight 2) is not supported")
        if not module.add_self_loops:
            raise refusal(where, "GCNConv", "add_self_loops=False is not supported with normalize=True")
    sent = linear(module.lin, x, f"{where}.lin")
    width = sent.width
    return add(aggregate(sent, how), Expression({}, {}, "", bias_of(module.bias, width, where), x.place))


def simple(module: Any, x: Expression, where: str, run: Run) -> Expression:
    """agg x, with x itself added or put before it."""
    how = aggregation(module, where)
    heard = aggregate(x, how)
    if module.combine_root is None:
        return heard
    if module.combine_root == "cat":
        return concatenate([x, heard])
    if module.combine_root == "self_loop" and how != "sum":
        raise refusal(where, "SimpleConv", f"combine_root='self_loop' is supported for sums only, it takes the {how}")
    return add(heard, x)


CONVOLUTIONS: dict[str, Callable[[Any, Expression, str, Run], Expression]] = {
    "SAGEConv": sage,
    "GraphConv": graph,
    "GINConv": gin,
    "GCNConv": gcn,
    "SimpleConv": simple,
}

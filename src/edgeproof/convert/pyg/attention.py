"""GATConv and GATv2Conv: attention over neighbours, as a Network's layer has it."""

from __future__ import annotations

import numpy as np

from ..raw import RawAttention
from .convolutions import Call, bias_of, check_flow, check_width, numbers
from .expressions import Attending, Expression, add, attended, transform


def gat(call: Call, x: Expression) -> Expression:
    """softmax over neighbours of LeakyReLU(att_src . W h_u + att_dst . W h_v), times W h_u."""
    module, where = call.module, call.where
    loops = _self_loops(call)
    if module.lin is None:
        raise call.refuse("in_channels is a pair, for graphs of two kinds of vertices; give it one number")
    values = _of_heads(call, numbers(module.lin.weight, f"{where}.lin"), x)
    source, target = (numbers(one, where)[0] for one in (module.att_src, module.att_dst))
    raw = RawAttention(
        "gat", values, source, target=target, slope=float(module.negative_slope), mean=not module.concat,
        self_loops=loops,
    )  # fmt: skip
    return _with_rest(call, x, raw)


def gatv2(call: Call, x: Expression) -> Expression:
    """softmax over neighbours of att . LeakyReLU(W_l h_u + W_r h_v), times W_l h_u; both products with biases."""
    module, where = call.module, call.where
    loops = _self_loops(call)
    weights = [_of_heads(call, numbers(one.weight, where), x) for one in (module.lin_l, module.lin_r)]
    shape = weights[0].shape[:2]
    biases = [bias_of(one.bias, shape[0] * shape[1], where).reshape(shape) for one in (module.lin_l, module.lin_r)]
    raw = RawAttention(
        "gatv2", weights[0], numbers(module.att, where)[0], target_values=weights[1], values_bias=biases[0],
        target_bias=biases[1], slope=float(module.negative_slope), mean=not module.concat, self_loops=loops,
    )  # fmt: skip
    return _with_rest(call, x, raw)


def _self_loops(call: Call) -> bool:
    """Whether a vertex hears itself once, whatever the data says; refuses what the layer's settings add."""
    module = call.module
    check_flow(call)
    if module.edge_dim is not None:
        raise call.refuse("edge_dim is set, and a pair that an adversary inserts has no features; leave edge_dim out")
    if not 0 <= module.negative_slope <= 1:
        raise call.refuse(f"negative_slope={module.negative_slope} is not from 0 to 1; train with one that is")
    if type(module.aggr_module).__name__ != "SumAggregation":
        raise call.refuse("aggr is not 'add', under which alone the weights of attention add up to 1; use aggr='add'")
    if module.add_self_loops or call.loops == "completed":
        return True
    if call.loops:
        raise call.refuse(
            "forward changes the self-loops of the edges that it gets; use add_self_loops=True of the layer itself"
        )
    return False


def _of_heads(call: Call, weight: np.ndarray, x: Expression) -> np.ndarray:
    check_width(x, weight.shape[1], call.where, call.module)
    return weight.reshape(call.module.heads, call.module.out_channels, -1)


def _with_rest(call: Call, x: Expression, raw: RawAttention) -> Expression:
    """What is heard, plus the bias and the residual connection."""
    module, where = call.module, call.where
    width = int(raw.values.shape[1]) * (1 if raw.mean else int(raw.values.shape[0]))
    heard = attended(x, Attending(raw, width))
    heard = heard._replace(b=bias_of(module.bias, width, where))
    residual = getattr(module, "res", None)
    return heard if residual is None else add(heard, transform(x, numbers(residual.weight, f"{where}.res")))

"""Layers of PyTorch Geometric that pass messages by a fixed normalisation, once or K times.

K hops are K layers of a Network: each sends what it holds as it is, without an activation, and carries along what is
added up behind the last. So the receptive field reaches K hops, and a question costs what a K-layer network costs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .convolutions import Call, bias_of, check_flow, check_width, hear_one, linear, numbers, shifted
from .expressions import Expression, Matrix, add, aggregate, computed, concatenate, just, scale, transform


def hop(call: Call, normalize: bool = True, self_loops: bool = True) -> Callable[[Expression], Expression]:
    """One step: a sum, weighed by 1 / sqrt(deg u deg v) where it normalises; every vertex counts itself or not."""
    check_flow(call)
    if type(call.module.aggr_module).__name__ != "SumAggregation":
        raise call.refuse(f"aggr={call.module.aggr!r} is not supported here; this layer adds up")
    if not normalize:
        return lambda x: hear_one(call, x, "sum")
    if self_loops:  # whatever forward did to self-loops: it takes them away and puts one at every vertex
        return lambda x: aggregate(x, "gcn")
    if call.loops in ("added", "completed"):
        raise call.refuse("it is given edges to which forward added self-loops, and adds none; use add_self_loops=True")
    return lambda x: aggregate(x, "sym")


def gcn(call: Call, x: Expression) -> Expression:
    """gcn(lin(x)) + bias. A cache that training filled is not looked at: it would ignore every change of the graph."""
    module = call.module
    sent = linear(module.lin, x, f"{call.where}.lin")
    return shifted(call, hop(call, module.normalize, module.add_self_loops)(sent))


def _before(call: Call, lin: Any, name: str, x: Expression) -> tuple[Expression, Matrix]:
    """What a linear layer behind the hops makes of what is in front of them, and its bias: hops are linear in every
    entry alone, so the two may change places, and what is sent is as narrow as what comes out.
    """
    W = numbers(lin.weight, f"{call.where}.{name}")
    check_width(x, W.shape[1], f"{call.where}.{name}", lin)
    return transform(x, W), bias_of(lin.bias, W.shape[0], f"{call.where}.{name}")


def sgc(call: Call, x: Expression) -> Expression:
    """lin(gcn^K x)."""
    step = hop(call, True, call.module.add_self_loops)
    x, bias = _before(call, call.module.lin, "lin", x)
    for _ in range(call.module.K):
        x = step(x)
    return scale(x, 1.0, bias)


def ssgc(call: Call, x: Expression) -> Expression:
    """lin(alpha x + (1 - alpha) / K sum of gcn^k x over k = 1..K)."""
    module = call.module
    step = hop(call, True, module.add_self_loops)
    x, bias = _before(call, module.lin, "lin", x)
    out = scale(x, module.alpha)
    for _ in range(module.K):
        x = step(x)
        out = add(out, scale(x, (1 - module.alpha) / module.K))
    return scale(out, 1.0, bias)


def light(call: Call, x: Expression) -> Expression:
    """One step without weights, which counts no vertex itself."""
    return hop(call, call.module.normalize, False)(x)


def appnp(call: Call, x: Expression) -> Expression:
    """K times (1 - alpha) gcn(x) + alpha x_0."""
    module = call.module
    step, start = hop(call, module.normalize, module.add_self_loops), x
    for _ in range(module.K):
        x = add(scale(step(x), 1 - module.alpha), scale(start, module.alpha))
    return x


def gcn2(call: Call, x: Expression) -> Expression:
    """(1 - beta) h + beta W h of h = (1 - alpha) gcn(x) + alpha x_0; with weights of its own for x_0."""
    module, start = call.module, call.start
    if start is None or start.width != x.width:
        raise call.refuse("it is not given the initial features x_0 of the vertices as its second argument")
    step = hop(call, module.normalize, module.add_self_loops)
    check_width(x, module.channels, call.where, module)
    heard, first = scale(step(x), 1 - module.alpha), scale(start, module.alpha)
    beta = module.beta

    def mixed(part: Expression, weight: Any) -> Expression:
        W = (1.0 - beta) * np.eye(part.width) + beta * numbers(weight, call.where).T
        return transform(part, W)

    if module.weight2 is None:
        return mixed(add(heard, first), module.weight1)
    return add(mixed(heard, module.weight1), mixed(first, module.weight2))


def tag(call: Call, x: Expression) -> Expression:
    """The sum of lin_k(sym^k x) over k = 0..K, from the innermost: W_0 x + sym(W_1 x + sym(W_2 x + ...))."""
    step = hop(call, call.module.normalize, False)
    parts, bias = _parts(call, x)
    out = parts[-1]
    for part in reversed(parts[:-1]):
        out = add(part, step(out))
    return shifted(call, scale(out, 1.0, bias))


def _parts(call: Call, x: Expression) -> tuple[list[Expression], Matrix]:
    """W_k x for every power k, and the biases of all: what is sent then is as narrow as the result. All but the last
    two wait for others, so that they become vectors, which is narrower than to keep x where x is wide.
    """
    lins = call.module.lins
    found = [_before(call, one, f"lins.{k}", x) for k, one in enumerate(lins)]
    parts = [part if k >= len(lins) - 2 else just(computed(part)) for k, (part, _) in enumerate(found)]
    return parts, np.sum([bias for _, bias in found], axis=0)


def mixhop(call: Call, x: Expression) -> Expression:
    """lin_k(gcn^k x) side by side, for the chosen powers k."""
    module = call.module
    step, outs = hop(call, True, module.add_self_loops), {}
    for k in dict.fromkeys(module.powers):
        outs[k], bias = _before(call, module.lins[k], f"lins.{k}", x)
        for _ in range(k):
            outs[k] = step(outs[k])
        outs[k] = scale(outs[k], 1.0, bias)
    return shifted(call, concatenate([outs[k] for k in module.powers]))


def cheb(call: Call, x: Expression) -> Expression:
    """The sum of lin_k(T_k(S) x) for the Chebyshev polynomials T_k of the scaled Laplacian S, by Clenshaw's recurrence.
    With lambda_max = 2, as it is for normalization="sym", S is minus the normalised adjacency.
    """
    if call.module.normalization != "sym":
        raise call.refuse(
            f"normalization={call.module.normalization!r} scales by the largest eigenvalue or by senders' "
            f"degrees, which "
            "no aggregation of a Network does; train with normalization='sym'"
        )
    if call.loops:  # a Laplacian has none of its own
        call = call._replace(loops="removed")
    step = hop(call, True, False)
    parts, bias = _parts(call, x)
    if len(parts) == 1:
        return shifted(call, scale(parts[0], 1.0, bias))
    now, before = parts[-1], None  # b_k and b_{k+1} of b_k = W_k x + 2 S b_{k+1} - b_{k+2}
    for part in reversed(parts[1:-1]):
        after = add(part, scale(step(now), -2.0))
        if before is not None:
            after = add(after, scale(before, -1.0))
        now, before = after, now
    out = add(parts[0], scale(step(now), -1.0))
    if before is not None:
        out = add(out, scale(before, -1.0))
    return shifted(call, scale(out, 1.0, bias))


def arma(call: Call, x: Expression) -> Expression:
    """The mean over stacks of T times act(sym(h) W + x V + b)."""
    module, step, stacks = call.module, hop(call, True, False), []
    act = module.act
    first, weight, root = (numbers(one, call.where) for one in (module.init_weight, module.weight, module.root_weight))
    bias = None if module.bias is None else numbers(module.bias, call.where)
    for k in range(module.num_stacks):
        h = x
        for t in range(module.num_layers):
            at = 0 if module.shared_weights else t
            W = first[k] if t == 0 else weight[0 if module.shared_weights else t - 1, k]
            b = np.zeros(W.shape[1]) if bias is None else bias[at, k, 0]
            h = add(step(transform(h, W.T)), transform(x, root[at, k].T, b))
            if act is not None:
                h = call.run(act, h, f"{call.where}.act")
        stacks.append(h)
    out = stacks[0]
    for h in stacks[1:]:
        out = add(out, h)
    return scale(out, 1.0 / len(stacks))

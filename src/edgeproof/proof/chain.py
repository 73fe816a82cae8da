"""The checker's view of a network: a chain of stages whose last one gives what decides the claim.

Stages 1..T are layers, then the readout of a graph task (one vertex that sees all), then its head. Where the scores
are an affine function of the last features, the last stage gives the differences `score[rival] - score[label]`, and a
linear layer under a linear pool is one map with it: both only make bounds tighter, neither changes a value.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import NamedTuple

import numpy as np

from ..errors import InputError
from ..model.arrays import FloatArray
from ..model.network import Aggregation, Layer, Readout
from ..model.query import Query

SUPPORTED = (Aggregation.SUM, Aggregation.MEAN, Aggregation.MAX)


class Kind(Enum):
    """Who a vertex listens to besides itself."""

    GRAPH = "in-neighbours"
    POOL = "every vertex"
    DENSE = "nobody"


class Stage(NamedTuple):
    """`act(C h(v) + A agg + b)`. The stored weights are rounded; C_abs, A_abs, b_abs bound the magnitudes that they
    were added up from, so that |C - true C| <= (roundings) u C_abs.
    """

    kind: Kind
    how: Aggregation
    slope: FloatArray  # (out,) factor on negative numbers
    C: FloatArray
    A: FloatArray
    b: FloatArray
    C_abs: FloatArray
    A_abs: FloatArray
    b_abs: FloatArray

    @property
    def width(self) -> int:
        return int(self.b.size)

    @property
    def linear(self) -> bool:
        return bool((self.slope == 1.0).all())

    @property
    def products(self) -> bool:
        """Whether A h is aggregated (sum, mean) rather than h (max)."""
        return self.how is not Aggregation.MAX


class Chain(NamedTuple):
    """`stages[t - 1]` is stage t. objective: (rivals, out) rows on what the last stage gives, to be kept <= 0."""

    stages: tuple[Stage, ...]
    objective: FloatArray
    depth: int  # stages that look at in-neighbours


def make_chain(query: Query, differences: bool = True) -> Chain:
    """`differences`: let the last stage give score differences where it can, rather than scores."""
    network = query.network
    for layer in (*network.layers, *network.head):
        if layer.is_smooth:
            raise InputError(f"{layer!r}: curved activations have no proof rules and no float32 bounds yet")
    stages = [_of_layer(layer) for layer in network.layers]
    if network.readout is not None:
        stages += _of_readout(network.readout, network.head)
    for stage in stages:
        if stage.how not in SUPPORTED and stage.kind is not Kind.DENSE:
            raise InputError(f"layers with {stage.how.value} aggregation have no proof rules and no float32 bounds yet")
    depth = sum(stage.kind is Kind.GRAPH for stage in stages)
    rows = np.zeros((len(query.rivals), stages[-1].width))
    rows[np.arange(len(rows)), list(query.rivals)] = 1.0
    rows[:, query.claim.label] = -1.0
    if differences and stages[-1].linear:
        stages[-1] = _differences(stages[-1], query)
        rows = np.eye(len(rows))
        if len(stages) > 1 and stages[-1].kind is Kind.POOL and stages[-1].products and stages[-2].linear:
            stages[-2:] = _merged(stages[-2], stages[-1])
    return Chain(tuple(stages), rows, depth)


def _of_layer(layer: Layer) -> Stage:
    kind = Kind.DENSE if layer.is_dense else Kind.GRAPH
    return _stage(kind, layer.aggregation, layer.negative_slopes, layer.C, layer.A, layer.b)


def _of_readout(readout: Readout, head: tuple[Layer, ...]) -> list[Stage]:
    """A readout that hands on what it pooled is one stage with the first layer of the head."""
    C, b, slope = readout.C, readout.b, np.ones(readout.b.size)
    if head and np.array_equal(C, np.eye(len(C))) and not b.any():
        (C, b, slope), head = (head[0].C, head[0].b, head[0].negative_slopes), head[1:]
    pool = _stage(Kind.POOL, readout.pool, slope, np.zeros_like(C), C, b)
    return [pool, *(_of_layer(layer) for layer in head)]


def _stage(kind: Kind, how: Aggregation, slope: FloatArray, C: FloatArray, A: FloatArray, b: FloatArray) -> Stage:
    return Stage(kind, how, slope, C, A, b, abs(C), abs(A), abs(b))


def _differences(last: Stage, query: Query) -> Stage:
    """One output a rival: its score minus the label's."""
    rivals, label = list(query.rivals), query.claim.label

    def minus(weight: FloatArray) -> FloatArray:
        out: FloatArray = weight[rivals] - weight[label]
        return out

    def plus(weight: FloatArray) -> FloatArray:
        out: FloatArray = weight[rivals] + weight[label]
        return out

    return _changed(last, minus, plus)


def _merged(below: Stage, pool: Stage) -> list[Stage]:
    """Pooling what a linear layer gives is pooling its products with the pool's own matrix."""
    weight, weight_abs = pool.A, pool.A_abs
    merged = _changed(below, lambda one: weight @ one, lambda one: weight_abs @ one)
    rivals = len(weight)
    one, zero = np.eye(rivals), np.zeros((rivals, rivals))
    return [merged, pool._replace(C=zero, A=one, C_abs=zero, A_abs=one)]


def _changed(
    stage: Stage, value: Callable[[FloatArray], FloatArray], magnitude: Callable[[FloatArray], FloatArray]
) -> Stage:
    C, A, b = (value(weight) for weight in (stage.C, stage.A, stage.b))
    sizes = (magnitude(weight) for weight in (stage.C_abs, stage.A_abs, stage.b_abs))
    return Stage(stage.kind, stage.how, np.ones(b.size), C, A, b, *sizes)

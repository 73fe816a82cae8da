"""The network as a chain of stages that ends in what decides the claim.

The readout of a graph task is a stage of its own: one vertex whose in-neighbours are all vertices, and the head's
layers are dense stages at that vertex. So the engine knows one shape of network only.

Theory: "Score differences as one row".
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..model.arrays import FloatArray
from ..model.network import Aggregation, Layer, Readout
from ..model.query import Query
from .layout import DENSE, GCN, GRAPH, MAX, MEAN, POOL, SUM

# sym is GCN with other roots of degrees and without the vertex itself (`Problem.counts_itself`)
_HOW = {
    Aggregation.SUM: SUM, Aggregation.MEAN: MEAN, Aggregation.MAX: MAX,
    Aggregation.GCN: GCN, Aggregation.SYM: GCN,
}  # fmt: skip


class Stage(NamedTuple):
    """`*_abs` bound the sum of magnitudes from which a weight was computed; |C| where it is as stored."""

    kind: int
    how: int
    sends_products: int
    slope: FloatArray  # (out,): on negative numbers, or the code of a curve (model/activation.py)
    C: FloatArray
    A: FloatArray
    b: FloatArray
    C_abs: FloatArray
    A_abs: FloatArray
    b_abs: FloatArray


def compile_stages(query: Query, *, fold: bool, reorder: bool) -> tuple[list[Stage], bool]:
    """Stages 1..T and whether the last one gives score differences (folded) or scores."""
    network = query.network
    stages = [_layer_stage(layer, reorder) for layer in network.layers]
    if network.readout is not None:
        stages += _readout_stages(network.readout, network.head, reorder)
    # a final activation bends the scores, so their difference is not a row of the last layer
    folded = fold and _is_linear(stages[-1])
    if folded:
        stages[-1] = _fold(stages[-1], query.claim.label, query.rivals)
        if len(stages) > 1 and _merges(stages[-2], stages[-1], reorder):
            stages[-2:] = _merge(stages[-2], stages[-1])
    return stages, folded


def _layer_stage(layer: Layer, reorder: bool) -> Stage:
    kind = DENSE if layer.is_dense else GRAPH
    return _stage(kind, _HOW[layer.aggregation], reorder, layer.bends, layer.C, layer.A, layer.b)


def _readout_stages(readout: Readout, head: tuple[Layer, ...], reorder: bool) -> list[Stage]:
    """A readout that hands on what it pooled is one stage with the first layer of the head."""
    C, b, slope = readout.C, readout.b, np.ones_like(readout.b)
    if head and np.array_equal(C, np.eye(len(C))) and not b.any():
        (C, b, slope), head = (head[0].C, head[0].b, head[0].bends), head[1:]
    pool = _stage(POOL, _HOW[readout.pool], reorder, slope, np.zeros_like(C), C, b)
    return [pool, *(_layer_stage(layer, reorder) for layer in head)]


def _is_linear(stage: Stage) -> bool:
    return bool((stage.slope == 1.0).all())


def _stage(kind: int, how: int, reorder: bool, slope: FloatArray, C: FloatArray, A: FloatArray, b: FloatArray) -> Stage:
    # a message of GCN is scaled by two degrees, a product on the way changes nothing: always products
    sends = int((reorder and how != MAX) or how == GCN)
    return Stage(kind, how, sends, slope, C, A, b, abs(C), abs(A), abs(b))


def _fold(last: Stage, label: int, rivals: tuple[int, ...]) -> Stage:
    """One row for each rival: its row minus the label's. The claim holds where all outputs are <= 0."""
    chosen = list(rivals)

    def minus(weight: FloatArray) -> FloatArray:
        return np.ascontiguousarray(weight[chosen] - weight[label])

    def plus(weight: FloatArray) -> FloatArray:
        return np.ascontiguousarray(abs(weight[chosen]) + abs(weight[label]))

    return last._replace(
        C=minus(last.C), A=minus(last.A), b=minus(last.b), C_abs=plus(last.C), A_abs=plus(last.A), b_abs=plus(last.b),
        slope=last.slope[chosen],
    )  # fmt: skip


def _merges(below: Stage, last: Stage, reorder: bool) -> bool:
    """A linear layer under a linear pool: both are one map, and only score differences need to be pooled."""
    return last.kind == POOL and last.how != MAX and _is_linear(below) and reorder


def _merge(below: Stage, last: Stage) -> list[Stage]:
    W, W_abs = last.A, last.A_abs
    rivals = W.shape[0]
    merged = below._replace(
        C=W @ below.C, A=W @ below.A, b=W @ below.b,
        C_abs=W_abs @ below.C_abs, A_abs=W_abs @ below.A_abs, b_abs=W_abs @ below.b_abs,
        sends_products=int(below.how != MAX), slope=last.slope,
    )  # fmt: skip
    one, zero = np.eye(rivals), np.zeros((rivals, rivals))
    return [merged, last._replace(C=zero, A=one, C_abs=zero, A_abs=one)]

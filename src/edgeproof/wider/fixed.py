"""A network on a graph whose edges stay, as stages between matrices: one row a vertex that still matters.

Theory: "Features on a fixed graph".
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..errors import InputError
from ..model.arrays import FloatArray, IntArray
from ..model.graph import Graph
from ..model.network import Aggregation, Layer
from ..model.query import Query

UNIT = 2.0**-53
FAINT = 1e-280  # more than underflow can cost


class Stage(NamedTuple):
    """z = h[keep] C^T + S h A^T + b, then the activation; S is None where nobody is heard."""

    keep: IntArray
    S: FloatArray | None
    C: FloatArray
    A: FloatArray
    b: FloatArray
    slope: FloatArray


class Fixed(NamedTuple):
    """vertices: those whose features matter, by the graph's numbers; the last stage gives one lead a rival, in one row.
    gamma: relative error of anything computed along the stages, of the sum of magnitudes of its terms.
    """

    vertices: IntArray
    stages: tuple[Stage, ...]
    gamma: float


def fix(query: Query, graph: Graph) -> Fixed:
    """The network of the query on this graph, as far as the claim sees it."""
    network, node = query.network, query.claim.node
    if not network.has_exact_scores:
        raise _unknown("attention" if network.attends else "a curved activation")
    needed = [np.arange(graph.num_vertices) if node is None else np.array([node])]
    for layer in reversed(network.layers):
        sources = graph.edges_into(needed[0])[0] if not layer.is_dense else np.zeros(0, dtype=np.int64)
        needed.insert(0, np.union1d(needed[0], sources))
    stages = [
        _stage(layer, graph, before, after)
        for layer, before, after in zip(network.layers, needed, needed[1:], strict=False)
    ]
    first = np.zeros(1, dtype=np.int64)
    if network.readout is not None:
        n, readout = graph.num_vertices, network.readout
        if readout.pool is Aggregation.MAX:
            raise _unknown("a readout that takes the max")
        share = 1.0 / n if readout.pool is Aggregation.MEAN else 1.0
        flat = np.ones(readout.b.size)
        stages.append(Stage(first, np.full((1, n), share), np.zeros_like(readout.C), readout.C, readout.b, flat))
        stages += [_dense(layer.C, layer.b, layer.negative_slopes) for layer in network.head]
    lead = np.eye(network.num_classes)
    rivals = lead[list(query.rivals)] - lead[query.claim.label]
    stages.append(_dense(rivals, np.zeros(len(rivals)), np.ones(len(rivals))))
    held = graph.features.take(needed[0])
    steps = network.num_features + graph.num_vertices + held.values.size
    steps += sum(one.b.size * one.keep.size + one.C.shape[1] for one in stages)
    return Fixed(needed[0], tuple(stages), 8.0 * UNIT * (2 * steps + 64 * len(stages)))


def _dense(C: FloatArray, b: FloatArray, slope: FloatArray) -> Stage:
    return Stage(np.zeros(1, dtype=np.int64), None, C, np.zeros_like(C), b, slope)


def _unknown(what: str) -> InputError:
    return InputError(
        f"features: the engine 'search' knows sums, means, GCN and sym under ReLU, got {what}; engine='brute' knows it"
    )


def _stage(layer: Layer, graph: Graph, before: IntArray, after: IntArray) -> Stage:
    keep = np.searchsorted(before, after)
    S = None if layer.is_dense else _weights(layer.aggregation, graph, before, after)
    return Stage(keep, S, layer.C, layer.A, layer.b, layer.negative_slopes)


def _weights(how: Aggregation, graph: Graph, before: IntArray, after: IntArray) -> FloatArray:
    """(after, before): what a message counts."""
    if how is Aggregation.MAX:
        raise _unknown("a layer that takes the max")
    sources, targets = graph.edges_into(after)
    S = np.zeros((after.size, before.size))
    S[np.searchsorted(after, targets), np.searchsorted(before, sources)] = 1.0
    if how is Aggregation.MEAN:
        S /= np.maximum(S.sum(axis=1, keepdims=True), 1.0)
    if how.normalises:
        degree = np.diff(graph.in_ptr).astype(np.float64)
        if how is Aggregation.GCN:
            S[np.arange(after.size), np.searchsorted(before, after)] = 1.0
            looped = graph.targets[graph.sources == graph.targets]
            degree += 1.0
            degree[looped] -= 1.0
        root = np.sqrt(np.maximum(degree, 1.0))
        S /= root[after][:, None] * root[before][None, :]
    return S

"""Scores in balls of any precision (python-flint): where float64 does not tell them apart, and exact numbers are long.

A ball holds the true number, whatever its precision; more bits make it smaller.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import flint
import numpy as np

from ..clock import Clock
from ..model.attention import Attention
from ..model.graph import Graph
from ..model.network import Aggregation, Layer, Network, Readout
from .attention import stacked_biases, stacked_weights
from .curved_balls import activate_ball
from .receptive_field import Field

Ball = Any  # flint.arb
Rows = list[list[Ball]]
# products of two balls between two looks at the clock: some hundredths of a second
PIECE = 1 << 18


def ball_scores(
    network: Network, graph: Graph, field: Field, bits: int, clock: Clock, less: int | None = None
) -> list[Ball]:
    """Scores. With `less`, where the last layer is linear, each less the score of that class: rows of weights are
    subtracted first, so that what two classes have in common leaves no doubt.

    Theory: "Ties of curved activations".
    """
    with flint.ctx.workprec(bits):
        rows: Rows | None = None
        final = last_part(network)
        for layer, count in zip(network.layers, field.sizes[1:], strict=True):
            rows = _layer(layer, graph, field, rows, count, clock, less if layer is final else None)
        assert rows is not None
        if network.readout is None:
            return rows[0]
        rows = [_pool(network.readout.pool, rows, clock)]
        parts: tuple[Layer | Readout, ...] = (network.readout, *network.head)
        for part in parts:
            minus = less if part is final else None
            rows = [_bent(part, row) for row in _times(rows, part.C, part.b, clock, minus)]
        return rows[0]


def last_part(network: Network) -> Layer | Readout | None:
    """What gives the scores; None where an activation bends them."""
    readout = network.readout
    last: Layer | Readout = network.head[-1] if network.head else network.layers[-1] if readout is None else readout
    return None if isinstance(last, Layer) and not last.is_linear else last


def _layer(
    layer: Layer, graph: Graph, field: Field, rows: Rows | None, count: int, clock: Clock, less: int | None
) -> Rows:
    """h of the first `count` vertices; rows: what they hold before, None for features."""
    groups = None if layer.is_dense else [field.sources[a:b] for a, b in _spans(field, count)]
    if rows is None:
        own, rows = _features(graph, field.vertices[:count]), None
    else:
        own = rows[:count]
    before = _times(own, layer.C, layer.b, clock, less)
    if groups is not None and layer.attention is not None:
        senders = _features(graph, field.vertices[: field.sizes[0]]) if rows is None else rows
        added = _times(_attended(layer.attention, senders, groups, clock), layer.A, None, clock, less)
        before = [[x + y for x, y in zip(*both, strict=True)] for both in zip(before, added, strict=True)]
    elif groups is not None:
        heard = _heard_features(layer, graph, field, groups, clock) if rows is None else None
        if heard is None:
            assert rows is not None
            heard = _heard(layer.aggregation, rows, groups, field, clock)
        added = _times(heard, layer.A, None, clock, less)
        before = [[x + y for x, y in zip(*both, strict=True)] for both in zip(before, added, strict=True)]
    return [_bent(layer, row) for row in before]


def _spans(field: Field, count: int) -> Iterator[tuple[int, int]]:
    ends = field.ptr[: count + 1].tolist()
    return pairwise(ends)


def _features(graph: Graph, vertices: np.ndarray) -> Rows:
    return [[flint.arb(x) for x in row] for row in graph.features.dense(vertices).tolist()]


def _heard_features(layer: Layer, graph: Graph, field: Field, groups: list[np.ndarray], clock: Clock) -> Rows:
    """Features have no rounding to lose, so a max selects among floats."""
    if layer.aggregation is not Aggregation.MAX:
        senders = np.arange(field.sizes[0])
        return _heard(layer.aggregation, _features(graph, field.vertices[senders]), groups, field, clock)
    out: Rows = []
    for group in groups:
        clock.look()
        peak = graph.features.dense(field.vertices[group]).max(axis=0, initial=-np.inf)
        out.append([flint.arb(x) for x in (peak if group.size else np.zeros_like(peak)).tolist()])
    return out


def _heard(how: Aggregation, rows: Rows, groups: list[np.ndarray], field: Field, clock: Clock) -> Rows:
    out: Rows = []
    if how.normalises:
        degrees = field.degree[: len(rows)] - (how is Aggregation.SYM)  # which come with one self-loop
        roots = [flint.arb(max(degree, 1)).rsqrt() for degree in degrees.tolist()]
        rows = [[x * root for x in row] for row, root in zip(rows, roots, strict=True)]
    for v, group in enumerate(groups):
        clock.look()
        around = group.tolist()
        if how is Aggregation.GCN:
            around = [v, *(u for u in around if u != v)]
        if not around:
            out.append([flint.arb(0)] * len(rows[0]))
            continue
        total = _combined(how, [rows[u] for u in around])
        if how is Aggregation.MEAN:
            total = [x / len(around) for x in total]
        out.append([x * roots[v] for x in total] if how.normalises else total)
    return out


def _attended(attention: Attention, rows: Rows, groups: list[np.ndarray], clock: Clock) -> Rows:
    """What each of the first vertices gathers: softmax needs no shift, as balls have exponents of any size."""
    products = _times(rows, stacked_weights(attention), stacked_biases(attention), clock)
    heads, channels, slope = attention.heads, attention.channels, flint.arb(attention.slope)
    source = [[flint.arb(x) for x in row] for row in attention.source.tolist()]
    target = None if attention.target is None else [[flint.arb(x) for x in row] for row in attention.target.tolist()]
    out: Rows = []

    def bent(x: Ball) -> Ball:
        return x.max(slope * x)

    def weight(head: int, u: int, v: int) -> Ball:
        mine = slice(head * channels, (head + 1) * channels)
        if target is not None:
            return bent(_dot(source[head], products[u][mine]) + _dot(target[head], products[v][mine])).exp()
        heard = products[v][heads * channels + mine.start : heads * channels + mine.stop]
        channel = [bent(x + y) for x, y in zip(products[u][mine], heard, strict=True)]
        return _dot(source[head], channel).exp()

    for v, group in enumerate(groups):
        clock.look()
        around = group.tolist()
        if attention.self_loops:
            around = [v, *(u for u in around if u != v)]
        means: Rows = []
        for head in range(heads):
            weights = [weight(head, u, v) for u in around]
            total = sum(weights, flint.arb(0))
            columns = range(head * channels, (head + 1) * channels)
            summed = [_dot(weights, [products[u][c] for u in around]) for c in columns]
            means.append([x / total for x in summed] if around else summed)
        if attention.mean:
            out.append([sum(column, flint.arb(0)) / heads for column in zip(*means, strict=True)])
        else:
            out.append([x for one in means for x in one])
    return out


def _dot(first: list[Ball], second: list[Ball]) -> Ball:
    return sum((x * y for x, y in zip(first, second, strict=True)), flint.arb(0))


def _combined(how: Aggregation, rows: Rows) -> list[Ball]:
    if how is Aggregation.MAX:
        total = rows[0]
        for row in rows[1:]:
            total = [x.max(y) for x, y in zip(total, row, strict=True)]
        return total
    return [sum(column[1:], column[0]) for column in zip(*rows, strict=True)]


def _pool(how: Aggregation, rows: Rows, clock: Clock) -> list[Ball]:
    clock.look()
    total = _combined(how, rows)
    return [x / len(rows) for x in total] if how is Aggregation.MEAN else total


def _times(rows: Rows, weight: np.ndarray, bias: np.ndarray | None, clock: Clock, less: int | None = None) -> Rows:
    """rows @ weight.T + bias, in pieces; with `less`, that row of the weights, and of the bias, is subtracted first."""
    matrix = flint.arb_mat(weight.T.tolist())
    if less is not None:
        own = flint.arb_mat([[row[less]] * len(weight) for row in matrix.tolist()])
        matrix = matrix - own
    out: Rows = []
    step = max(1, PIECE // weight.size)
    for start in range(0, len(rows), step):
        clock.look()
        out += (flint.arb_mat(rows[start : start + step]) * matrix).tolist()
    if bias is None:
        return out
    added = [flint.arb(x) for x in bias.tolist()]
    if less is not None:
        added = [x - added[less] for x in added]
    return [[x + y for x, y in zip(row, added, strict=True)] for row in out]


def _bent(part: Layer | Readout, row: list[Ball]) -> list[Ball]:
    if isinstance(part, Readout) or part.is_linear:
        return row
    return [activate_ball(x, bend) for x, bend in zip(row, part.bends.tolist(), strict=True)]

"""Layers that attend or are dense, and the field around a node, as arrays for `evaluate.py`.

Theory: "Scores after flips".
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arithmetic.attention import EXP_OFF, EXTRA, SAFETY, TINY, UNIT, growth, stacked_biases, stacked_weights
from ...model.arrays import FloatArray, IntArray
from ...model.graph import Pair
from ...model.network import Layer, Network
from ...model.query import Query
from .options import BEND
from .subsets import ELU

# bytes of rows of one question
MOST_BYTES = 1 << 30


class Stack(NamedTuple):
    """By layer: size (how many vertices matter behind it; they are numbered by distance), heads, channels, of_logit,
    out, width (of a row of z), mean, loops, slope, factor, weight and bias (what makes a row of a hidden row; nothing
    for the first layer), spread (A), bends. By vertex: potential edges into it (`ptr`, `source`, `pair`, `there`) and
    out of it (`out_ptr`, `receiver`). By pair: `ends` whose in-neighbours change and `payer`, -1 where there is none.
    """

    size: IntArray
    heads: IntArray
    channels: IntArray
    of_logit: IntArray
    out: IntArray
    width: IntArray
    mean: IntArray
    loops: IntArray
    slope: FloatArray
    factor: FloatArray
    weight: FloatArray
    bias: FloatArray
    spread: FloatArray
    bends: FloatArray
    ptr: IntArray
    source: IntArray
    pair: IntArray
    there: np.ndarray
    out_ptr: IntArray
    receiver: IntArray
    ends: IntArray
    payer: IntArray
    local: IntArray
    z: FloatArray
    changed: FloatArray
    stamp: IntArray
    listed: IntArray
    list: IntArray
    flipped: np.ndarray
    tally: IntArray
    logits: FloatArray
    heard: IntArray
    sums: FloatArray
    weights: FloatArray
    gathered: FloatArray
    h: FloatArray
    score: FloatArray
    base_score: FloatArray


def knows(network: Network) -> bool:
    """Whether a network classifies vertices by layers that attend or are dense, with activations of slopes up to 1."""
    every = all((one.attention is not None or one.is_dense) and (one.bends <= ELU).all() for one in network.layers)
    return network.readout is None and every


def row_weights(layer: Layer, magnitudes: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """What makes a row of z of a hidden row: weights, biases, and of each row the largest sum of magnitudes behind it,
    for inputs of these magnitudes.
    """

    def reach(W: FloatArray, b: FloatArray) -> FloatArray:
        largest: FloatArray = (magnitudes @ abs(W).T).max(axis=0) * SAFETY + abs(b)
        return largest

    attention = layer.attention
    if attention is None:
        return layer.C, layer.b, reach(layer.C, layer.b)
    stacked, biases = stacked_weights(attention), stacked_biases(attention)
    inner, count = reach(stacked, biases), attention.heads * attention.channels
    sent, sent_bias, sent_size = stacked[:count], biases[:count], inner[:count]
    if attention.target is None:
        parts = [(sent, sent_bias, sent_size)] * 2 + [(stacked[count:], biases[count:], inner[count:])]
    else:
        parts = [(sent, sent_bias, sent_size)]
        for ends in (attention.source, attention.target):
            by_head = np.zeros((attention.heads, count))
            for k in range(attention.heads):
                by_head[k, k * attention.channels : (k + 1) * attention.channels] = ends[k]
            parts.append((by_head @ sent, by_head @ sent_bias, abs(by_head) @ sent_size))
    parts.append((layer.C, layer.b, reach(layer.C, layer.b)))
    weight, bias, size = (np.concatenate(one) for one in zip(*parts, strict=True))
    return weight, bias, size


class Field(NamedTuple):
    """Vertices that can matter, nearest first, how many after each layer, and who may send to whom."""

    vertices: list[int]
    sizes: list[int]
    into: dict[int, list[tuple[int, int, bool]]]  # by vertex: sender, number of the pair or -1, whether it is there


def find_reach(query: Query, pairs: list[Pair]) -> Field:
    graph, both = query.graph, not query.graph.directed
    may: dict[int, list[tuple[int, int]]] = {}
    for number, (u, v) in enumerate(pairs):
        may.setdefault(v, []).append((u, number))
        if both and u != v:
            may.setdefault(u, []).append((v, number))
    assert query.claim.node is not None
    vertices, place, sizes = [query.claim.node], {query.claim.node: 0}, []
    into: dict[int, list[tuple[int, int, bool]]] = {}
    for layer in reversed(query.network.layers):
        sizes.append(len(vertices))
        if layer.is_dense:
            continue
        for v in vertices[: sizes[-1]]:
            if v in into:
                continue
            numbers = dict(may.get(v, ()))
            there = graph.in_neighbours(v).tolist()
            into[v] = [(u, numbers.get(u, -1), True) for u in there]
            into[v] += [(u, number, False) for u, number in numbers.items() if u not in set(there)]
            for u, _, _ in into[v]:
                if u not in place:
                    place[u] = len(vertices)
                    vertices.append(u)
    return Field(vertices, sizes[::-1], into)


def make_stack(query: Query, pairs: list[Pair], local: IntArray) -> tuple[Stack, float] | None:
    """With a bound on the error of a lead, after any flips; None where rows would take too much."""
    network, field = query.network, find_reach(query, pairs)
    layers, n = network.layers, len(field.vertices)
    features = query.graph.features.dense(field.vertices)
    inputs = [abs(features), *(np.ones((1, layer.width_in)) for layer in layers[1:])]
    made = [row_weights(layer, given) for layer, given in zip(layers, inputs, strict=True)]
    widths = np.array([len(weight) for weight, _, _ in made])
    depth, W = len(layers), int(max(network.widths[1:]))
    if 2 * 8 * depth * n * int(widths.max()) > MOST_BYTES:
        return None
    held = [layer.attention for layer in layers]
    heads = np.array([0 if one is None else one.heads for one in held])
    channels = np.array([0 if one is None else one.channels for one in held])
    of_logit = np.array([0 if one is None else 1 if one.target is not None else one.channels for one in held])
    weight, bias = np.zeros((depth, int(widths.max()), W)), np.zeros((depth, int(widths.max())))
    heard_width = max(1, int((heads * channels).max()))
    spread, bends = np.zeros((depth, W, heard_width)), np.ones((depth, W))
    factor = np.ones((depth, max(1, int((heads * of_logit).max()))))
    for t, layer in enumerate(layers):
        if t > 0:
            weight[t, : widths[t], : layer.width_in], bias[t, : widths[t]] = made[t][0], made[t][1]
        attention = layer.attention
        if attention is not None:
            spread[t, : layer.width_out, : attention.width] = layer.A
            if attention.target is None:
                factor[t, : attention.source.size] = attention.source.ravel()
        bends[t, : layer.width_out] = layer.bends
    z = np.zeros((depth, n, int(widths.max())))
    z[0, :, : widths[0]] = features @ made[0][0].T + made[0][1]
    place = {v: k for k, v in enumerate(field.vertices)}
    listed = [field.into.get(v, []) for v in field.vertices]
    ptr = np.concatenate([[0], np.cumsum([len(one) for one in listed])]).astype(np.int64)
    arcs = [(place[u], pair, there) for one in listed for u, pair, there in one]
    source, pair, there = (np.array([arc[k] for arc in arcs], dtype=np.int64) for k in range(3))
    target = np.repeat(np.arange(n), np.diff(ptr))
    order = np.argsort(source, kind="stable")
    out_ptr = np.concatenate([[0], np.cumsum(np.bincount(source, minlength=n))]).astype(np.int64)
    directed = query.graph.directed
    ends, payer = np.full((2, len(pairs)), -1), np.full((2, len(pairs)), -1)
    for number, (u, v) in enumerate(pairs):
        ends[0, number] = place.get(v, -1)
        payer[0, number] = v
        if not directed and u != v:
            ends[1, number], payer[1, number] = place.get(u, -1), u
    most = int(np.diff(ptr).max(initial=0)) + 1
    stack = Stack(
        size=np.array(field.sizes), heads=heads, channels=channels, of_logit=of_logit,
        out=np.array([layer.width_out for layer in layers]), width=widths,
        mean=np.array([int(one is not None and one.mean) for one in held]),
        loops=np.array([int(one is not None and one.self_loops) for one in held]),
        slope=np.array([0.0 if one is None else one.slope for one in held]), factor=factor, weight=weight, bias=bias,
        spread=spread, bends=bends, ptr=ptr, source=source, pair=pair, there=there.astype(np.bool_), out_ptr=out_ptr,
        receiver=target[order], ends=ends, payer=payer, local=local, z=z, changed=np.zeros_like(z),
        stamp=np.zeros((depth, n), dtype=np.int64), listed=np.zeros((depth, n), dtype=np.int64),
        list=np.zeros((depth, n), dtype=np.int64), flipped=np.zeros(max(1, len(pairs)), dtype=np.bool_),
        tally=np.zeros(1, dtype=np.int64), logits=np.zeros((most, max(1, int(heads.max())))),
        heard=np.zeros(most, dtype=np.int64), sums=np.zeros(heard_width), weights=np.zeros(max(1, int(heads.max()))),
        gathered=np.zeros(heard_width), h=np.zeros(W), score=np.zeros(W), base_score=np.zeros(W),
    )  # fmt: skip
    return stack, _error(layers, made, most)


def _error(layers: tuple[Layer, ...], made: list[tuple[FloatArray, FloatArray, FloatArray]], most: int) -> float:
    """How far a difference of two scores can be off after any flips: one number a layer, for all vertices alike.

    A weighted mean is no larger than the largest message, whoever is heard, so magnitudes do not depend on flips.
    """
    size, error = 0.0, 0.0  # sizes of rows of the first layer are of its features as they are
    with np.errstate(over="ignore", invalid="ignore"):
        for layer, (weight, _, row_size) in zip(layers, made, strict=True):
            largest, terms = float(row_size.max()), 2 * weight.shape[1] + EXTRA
            attention = layer.attention
            if attention is not None:
                terms += 2 * attention.channels
            reach = largest * (size + 1.0)
            off = SAFETY * (largest * error + growth(terms) * reach) + TINY
            if attention is None:
                heard = heard_off = 0.0
                norm = 0.0
            else:
                ends = 2.0 * off
                scale = 2.0 * reach
                if attention.target is None:
                    by = float(abs(attention.source).sum(axis=1).max())
                    ends, scale = by * ends, by * scale
                spread = ends + growth(2 * attention.channels + EXTRA) * scale + EXP_OFF
                rounding = growth(2 * (most + attention.heads) + EXTRA)
                heard, heard_off = reach, off + (np.expm1(2.0 * spread) + 2.0 * rounding) * reach + TINY * most
                norm = float(abs(layer.A).sum(axis=1).max())
            inner = growth(2 * layer.A.shape[1] + EXTRA) * (norm * heard + reach)
            error = SAFETY * (off + norm * heard_off + inner + BEND * (norm * heard + reach + 1.0))
            size = norm * heard + reach + error
    return SAFETY * (2.0 * error + UNIT * 4.0 * size)

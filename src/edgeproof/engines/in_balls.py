"""The definition of networks with attention, evaluated in balls: what brute force asks where scores hold exponentials.

Written without looking at `arithmetic/`: every other evaluation is compared with it. More bits make balls smaller; no
number of bits tells a tie, so after the last of them a claim is left open.
"""

from __future__ import annotations

from typing import Any

import flint
import numpy as np

from ..clock import UNLIMITED, Clock
from ..model.graph import Pair
from ..model.network import Aggregation, Layer
from ..model.query import Query
from .brute import UndecidedError
from .brute_balls import _act

BITS = (200, 1000, 4096)
Ball = Any  # flint.arb


class BallEvaluator:
    def __init__(self, query: Query, clock: Clock = UNLIMITED) -> None:
        self._query = query
        self._definitions = [_Definition(query, bits, clock) for bits in BITS]

    def winner(self, flips: tuple[Pair, ...]) -> int | None:
        """The best rival that beats the label, as far as balls tell them apart; None if the claim holds."""
        label = self._query.claim.label
        for definition, bits in zip(self._definitions, BITS, strict=True):
            with flint.ctx.workprec(bits):
                scores = definition.scores(flips)
                if all(_same(definition.network_rows, rival, label) or scores[rival] <= scores[label]
                       for rival in self._query.rivals):  # fmt: skip
                    return None
                winning = [rival for rival in self._query.rivals if scores[rival] > scores[label]]
                if winning:
                    return max(winning, key=lambda rival: (float(scores[rival].mid()), -rival))
        raise UndecidedError

    def scores(self, flips: tuple[Pair, ...]) -> list[Ball]:
        with flint.ctx.workprec(BITS[-1]):
            return self._definitions[-1].scores(flips)


def _same(rows: list[Any], first: int, second: int) -> bool:
    return bool(rows[first] == rows[second])


def _rows_of_classes(query: Query) -> list[Any]:
    """What the score of each class is made of in the last layer: equal where two scores are the same expression."""
    network = query.network
    last: Any = network.head[-1] if network.head else network.readout or network.layers[-1]
    rows = []
    for c in range(network.num_classes):
        row = [last.C[c].tolist(), float(last.b[c])]
        if isinstance(last, Layer):
            row += [float(last.bends[c]), _heard_by(last, c)]
        rows.append(row)
    return rows


def _heard_by(last: Layer, c: int) -> list[Any]:
    attention = last.attention
    if attention is None:
        heard: list[Any] = last.A[c].tolist()
        return heard
    weighed = []
    for column in np.flatnonzero(last.A[c]).tolist():
        head, channel = divmod(column, attention.channels)
        for k in range(attention.heads) if attention.mean else [head]:
            sent = attention.values[k, channel].tolist(), float(attention.values_bias[k, channel])
            weighed.append((k, float(last.A[c, column]), *sent))
    return sorted(weighed)


class _Definition:
    """The network at one precision; what a layer made of given vectors is remembered from graph to graph."""

    def __init__(self, query: Query, bits: int, clock: Clock) -> None:
        self._query, self._bits, self._clock = query, bits, clock
        self.network_rows = _rows_of_classes(query)
        graph = query.graph
        self._incoming = [frozenset(graph.in_neighbours(v).tolist()) for v in range(graph.num_vertices)]
        self._vectors: dict[int, list[Ball]] = {}
        self._known: dict[Any, int] = {}

    def scores(self, flips: tuple[Pair, ...]) -> list[Ball]:
        incoming: dict[int, frozenset[int]] = {}
        for u, v in flips:
            incoming[v] = incoming.get(v, self._incoming[v]) ^ {u}
            if not self._query.graph.directed and u != v:
                incoming[u] = incoming.get(u, self._incoming[u]) ^ {v}
        network, node, done = self._query.network, self._query.claim.node, dict[tuple[int, int], int]()
        depth = len(network.layers)
        if network.readout is None:
            assert node is not None
            return self._vectors[self._number(node, depth, incoming, done)]
        rows = [self._vectors[self._number(v, depth, incoming, done)] for v in range(self._query.graph.num_vertices)]
        columns = [list(column) for column in zip(*rows, strict=True)]
        if network.readout.pool is Aggregation.MAX:
            pooled = [_largest(column) for column in columns]
        else:
            pooled = [sum(column, flint.arb(0)) for column in columns]
            if network.readout.pool is Aggregation.MEAN:
                pooled = [x / len(rows) for x in pooled]
        scores = _affine(network.readout.C, pooled, network.readout.b)
        for layer in network.head:
            scores = _bent(layer, _affine(layer.C, scores, layer.b))
        return scores

    def _number(self, v: int, depth: int, incoming: dict[int, frozenset[int]], done: dict[tuple[int, int], int]) -> int:
        """The number of h_depth(v)."""
        if depth == 0:
            if v not in self._vectors:
                self._vectors[v] = [flint.arb(x) for x in self._query.graph.features.dense([v])[0].tolist()]
            return v
        if (v, depth) not in done:
            layer = self._query.network.layers[depth - 1]
            own = self._number(v, depth - 1, incoming, done)
            senders = set() if layer.is_dense else set(incoming.get(v, self._incoming[v]))
            weights: dict[int, int] = {}
            if (layer.attention is not None and layer.attention.self_loops) or layer.aggregation is Aggregation.GCN:
                senders = senders | {v}
            if layer.aggregation.normalises:
                loop = layer.aggregation is Aggregation.GCN
                degree = {u: len(incoming.get(u, self._incoming[u]) | ({u} if loop else set())) for u in {*senders, v}}
                weights = {u: degree[u] * degree[v] for u in senders}
            heard = sorted((self._number(u, depth - 1, incoming, done), weights.get(u, 1)) for u in senders)
            key = (depth, own, tuple(heard))
            if key not in self._known:
                self._clock.look()
                self._known[key] = self._query.graph.num_vertices + len(self._known)
                self._vectors[self._known[key]] = self._layer(layer, own, heard)
            done[v, depth] = self._known[key]
        return done[v, depth]

    def _layer(self, layer: Layer, own: int, heard: list[tuple[int, int]]) -> list[Ball]:
        """act(C h(v) + A agg{h(u)} + b)."""
        mine = self._vectors[own]
        before = _affine(layer.C, mine, layer.b)
        if heard:
            rows = [self._vectors[number] for number, _ in heard]
            if layer.attention is not None:
                gathered = _attend(layer, mine, rows)
            elif layer.aggregation is Aggregation.MAX:
                gathered = [_largest(list(column)) for column in zip(*rows, strict=True)]
            else:
                if layer.aggregation.normalises:
                    rows = [
                        [x / flint.arb(weight).sqrt() for x in row]
                        for row, (_, weight) in zip(rows, heard, strict=True)
                    ]
                gathered = [sum(column, flint.arb(0)) for column in zip(*rows, strict=True)]
                if layer.aggregation is Aggregation.MEAN:
                    gathered = [x / len(rows) for x in gathered]
            before = [x + y for x, y in zip(before, _affine(layer.A, gathered, np.zeros(len(before))), strict=True)]
        return _bent(layer, before)


def _attend(layer: Layer, mine: list[Ball], rows: list[list[Ball]]) -> list[Ball]:
    """Of each head the mean of messages, weighted with exponentials of logits."""
    attention = layer.attention
    assert attention is not None
    slope, heads = flint.arb(attention.slope), []

    def act(x: Ball) -> Ball:
        return x if x >= 0 else slope * x if x <= 0 else x.union(slope * x)

    for k in range(attention.heads):
        messages = [_affine(attention.values[k], row, attention.values_bias[k]) for row in rows]
        total, sums = flint.arb(0), [flint.arb(0)] * attention.channels
        for message in messages:
            if attention.target is not None:
                here = _affine(attention.values[k], mine, attention.values_bias[k])
                logit = act(_product(attention.source[k], message) + _product(attention.target[k], here))
            else:
                assert attention.target_values is not None
                assert attention.target_bias is not None
                here = _affine(attention.target_values[k], mine, attention.target_bias[k])
                logit = _product(attention.source[k], [act(x + y) for x, y in zip(message, here, strict=True)])
            weight = logit.exp()
            total += weight
            sums = [x + weight * y for x, y in zip(sums, message, strict=True)]
        heads.append([x / total for x in sums])
    if not attention.mean:
        return [x for head in heads for x in head]
    return [sum(column, flint.arb(0)) / attention.heads for column in zip(*heads, strict=True)]


def _product(weights: np.ndarray, balls: list[Ball]) -> Ball:
    return sum((flint.arb(x) * y for x, y in zip(weights.tolist(), balls, strict=True)), flint.arb(0))


def _affine(weight: np.ndarray, balls: list[Ball], bias: np.ndarray) -> list[Ball]:
    return [_product(row, balls) + flint.arb(x) for row, x in zip(weight, bias.tolist(), strict=True)]


def _largest(balls: list[Ball]) -> Ball:
    out = balls[0]
    for ball in balls[1:]:
        out = out.max(ball)
    return out


def _bent(layer: Layer, balls: list[Ball]) -> list[Ball]:
    each = layer.activation if isinstance(layer.activation, tuple) else (layer.activation,) * layer.width_out
    slopes = np.broadcast_to(layer.slope, layer.width_out).tolist()
    return [_act(how, slope, x) for how, slope, x in zip(each, slopes, balls, strict=True)]

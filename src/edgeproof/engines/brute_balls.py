"""Brute force where activations are curved: the network's definition in balls of growing precision (python-flint).

The formulas are the textbook's, written without a look at `arithmetic/`. What no precision up to `PRECISIONS[-1]` bits
tells apart is a tie, and brute force says so.
"""

from __future__ import annotations

from math import isqrt
from typing import Any

import flint
import numpy as np

from ..clock import UNLIMITED, Clock
from ..model.activation import GELU_CUBE, SELU_ALPHA, SELU_SCALE, Activation
from ..model.graph import Pair
from ..model.network import Aggregation, Layer, Network, Readout
from ..model.query import Query
from .brute import Evaluator, Message, UndecidedError, Vector

PRECISIONS = (192, 1024, 4096)
Ball = Any  # flint.arb


class CurvedEvaluator:
    """Like `brute.Evaluator`, which says what the network's definition is; one for each precision."""

    def __init__(self, query: Query, clock: Clock = UNLIMITED) -> None:
        self._query = query
        self._rivals = tuple(r for r in query.rivals if not _alike(query.network, r, query.claim.label))
        self._known = [_InBalls(query, bits, clock) for bits in PRECISIONS]

    def winner(self, flips: tuple[Pair, ...]) -> int | None:
        """The best rival that beats the label once these pairs are flipped; None if the claim holds."""
        label, beating = self._query.claim.label, -1
        for one in self._known:
            scores = one.scores(flips)
            winning = [r for r in self._rivals if scores[r] > scores[label]]
            best = max(winning, key=lambda r: (scores[r].mid(), -r), default=None)
            if best is None:
                if all(scores[r] <= scores[label] for r in self._rivals):
                    return None
                continue
            beating = best
            if all(scores[best] > scores[r] or (best <= r and scores[best] >= scores[r]) for r in self._rivals):
                return best
        if beating >= 0:
            return beating
        raise UndecidedError

    def scores(self, flips: tuple[Pair, ...]) -> list[Ball]:
        return self._known[-1].scores(flips)


def _last(network: Network) -> Layer | Readout:
    return network.head[-1] if network.head else network.readout or network.layers[-1]


def _alike(network: Network, one: int, other: int) -> bool:
    """Whether two classes have the same weights, so that they tie in every graph."""
    last = _last(network)
    rows = [np.r_[last.C[c], last.b[c]] for c in (one, other)]
    if isinstance(last, Layer):
        rows = [np.r_[row, last.A[c], last.bends[c]] for row, c in zip(rows, (one, other), strict=True)]
    return bool((rows[0] == rows[1]).all())


class _InBalls(Evaluator):
    """Vectors are columns of balls. Where the last layer is linear, scores are differences from the label's."""

    def __init__(self, query: Query, bits: int, clock: Clock) -> None:
        self._bits = bits
        network, label = query.network, query.claim.label
        last = _last(network)
        with flint.ctx.workprec(bits):
            super().__init__(query, clock)
            self._head = [(_matrix(one.C), _matrix_column(one.b)) for one in network.head]
            readout = network.readout
            self._readout = None if readout is None else (_matrix(readout.C), _matrix_column(readout.b))
            if isinstance(last, Layer) and not last.is_linear:
                return
            if network.head:
                C, b = self._head[-1]
                self._head[-1] = _less(C, label), _less(b, label)
            elif self._readout is not None:
                C, b = self._readout
                self._readout = _less(C, label), _less(b, label)
            else:
                C, A, b = self._weights[-1]
                self._weights[-1] = _less(C, label), _less(A, label), _less(b, label)

    def scores(self, flips: tuple[Pair, ...]) -> list[Any]:
        with flint.ctx.workprec(self._bits):
            return super().scores(flips)

    def _of_column(self, values: np.ndarray) -> Vector:
        return _matrix_column(values)

    def _of_matrix(self, values: np.ndarray) -> Any:
        return _matrix(values)

    def _scores_of(self, pooled: Vector) -> list[Any]:
        assert self._readout is not None
        C, b = self._readout
        scores = C * pooled + b
        for layer, (weight, bias) in zip(self._query.network.head, self._head, strict=True):
            scores = self._bend(layer, weight * scores + bias)
        return list(scores.entries())

    def _combine(self, how: Aggregation, columns: list[Vector]) -> Vector:
        total = columns[0]
        for one in columns[1:]:
            if how is Aggregation.MAX:
                pairs = zip(total.entries(), one.entries(), strict=True)
                total = flint.arb_mat(total.nrows(), 1, [x.max(y) for x, y in pairs])
            else:
                total = total + one
        return total * (flint.arb(1) / len(columns)) if how is Aggregation.MEAN else total

    def _over_roots(self, heard: list[Vector], others: tuple[Message, ...]) -> list[Vector]:
        return [one * (1 / _root(weight)) for one, (_, weight) in zip(heard, others, strict=True)]

    def _bend(self, layer: Layer, column: Vector) -> Vector:
        each = layer.activation if isinstance(layer.activation, tuple) else (layer.activation,) * layer.width_out
        slopes = np.broadcast_to(layer.slope, layer.width_out).tolist()
        bent = [_act(how, slope, x) for how, slope, x in zip(each, slopes, column.entries(), strict=True)]
        return flint.arb_mat(len(bent), 1, bent)


def _matrix(values: np.ndarray) -> Any:
    return flint.arb_mat(values.shape[0], values.shape[1], [flint.arb(x) for row in values.tolist() for x in row])


def _matrix_column(values: np.ndarray) -> Any:
    return flint.arb_mat(len(values), 1, [flint.arb(x) for x in values.tolist()])


def _less(weight: Any, row: int) -> Any:
    """Every row minus this one."""
    rows = weight.tolist()
    return flint.arb_mat([[x - y for x, y in zip(one, rows[row], strict=True)] for one in rows])


def _root(number: int) -> Ball:
    exact = isqrt(number)
    return flint.arb(exact) if exact * exact == number else flint.arb(number).sqrt()


def _less_one(x: Ball) -> Ball:
    """e^x - 1, without losing what is small: e^(x / 2) (e^(x / 2) - e^(-x / 2))."""
    return 2 * (x / 2).exp() * (x / 2).sinh() if x > -1 else x.exp() - 1


def _act(how: Activation, slope: float, x: Ball) -> Ball:
    zero = flint.arb(0)
    above, below = x.max(zero), x.min(zero)
    if how is Activation.NONE:
        return x
    if how is Activation.RELU:
        return above
    if how is Activation.LEAKY_RELU:
        return above + slope * below
    if how is Activation.ELU:
        return above + _less_one(below)
    if how is Activation.SELU:
        return SELU_SCALE * (above + SELU_ALPHA * _less_one(below))
    if how is Activation.GELU:
        return x / 2 * (-x / flint.arb(2).sqrt()).erfc()  # 1 + erf would lose everything far below zero
    if how is Activation.TANH:
        return x.tanh()
    if how is Activation.SOFTPLUS:
        return x.exp().log1p()
    if how is Activation.GELU_TANH:  # 1 + tanh(y) = 2 sigmoid(2 y)
        return x / (1 + (-2 * (2 / flint.arb.pi()).sqrt() * (x + flint.arb(GELU_CUBE) * x * x * x)).exp())
    sigmoid = 1 / (1 + (-x).exp())
    return x * sigmoid if how is Activation.SILU else sigmoid

"""Layers without rounding where square roots of degrees come in: one `surds.Column` a vertex."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import flint
import numpy as np

from ..model.network import Aggregation, Layer
from .surds import Column, largest

Values = dict[int, Column]
Neighbours = dict[int, list[int]]


def _no_look() -> None:
    pass


class SurdWeights(NamedTuple):
    """One layer, or the readout, over the rationals."""

    C: flint.fmpq_mat
    A: flint.fmpq_mat
    b: Column


def rational(value: float) -> flint.fmpq:
    return flint.fmpq(*value.as_integer_ratio())


def rational_matrix(weight: np.ndarray) -> flint.fmpq_mat:
    rows, columns = weight.shape
    return flint.fmpq_mat(rows, columns, [rational(x) for x in weight.ravel().tolist()])


def surd_weights(C: np.ndarray, A: np.ndarray, b: np.ndarray) -> SurdWeights:
    return SurdWeights(rational_matrix(C), rational_matrix(A), Column.of(rational_matrix(b[:, None])))


def surd_layer(
    layer: Layer,
    weights: SurdWeights,
    values: Values,
    ring: list[int],
    neighbours: Neighbours,
    degree: Callable[[int], int],
    look: Callable[[], None] = _no_look,
) -> Values:
    """h'(v) for the vertices of `ring`; `look` is called now and then, and may raise."""
    before, sent = {}, {}
    for v in ring:
        look()
        before[v] = weights.C * values[v] + weights.b
    if not layer.is_dense and layer.aggregation.normalises:
        for u, value in values.items():
            look()
            sent[u] = weights.A * value
        before = normalised(layer.aggregation, before, sent, neighbours, degree, look)
    elif not layer.is_dense:
        for v in ring:
            look()
            around = [values[u] for u in neighbours[v]]
            if around:
                before[v] = before[v] + weights.A * combined(layer.aggregation, around)
    return {v: activated(layer, column) for v, column in before.items()}


def normalised(
    how: Aggregation,
    own: Values,
    sent: Values,
    neighbours: Neighbours,
    degree: Callable[[int], int],
    look: Callable[[], None] = _no_look,
) -> Values:
    """own(v) + sum of sent(u) / sqrt(deg u deg v) over the in-neighbours u of v and, for GCN, v itself, once.

    degree: with one self-loop, which `sym` takes away again.
    """
    alone = how is Aggregation.GCN
    less = 0 if alone else 1
    scaled = {u: column.over_root(max(degree(u) - less, 1)) for u, column in sent.items()}
    out = {}
    for v, column in own.items():
        look()
        heard = [scaled[v]] * alone + [scaled[u] for u in neighbours[v] if u != v]
        if heard:
            total = heard[0]
            for one in heard[1:]:
                total = total + one
            out[v] = column + total.over_root(degree(v) - less)
        else:
            out[v] = column
    return out


def combined(how: Aggregation, columns: list[Column]) -> Column:
    """Sum, max or mean of at least one column."""
    if how is Aggregation.MAX:
        return largest(columns)
    total = columns[0]
    for column in columns[1:]:
        total = total + column
    return total * flint.fmpq(1, len(columns)) if how is Aggregation.MEAN else total


def activated(layer: Layer, column: Column) -> Column:
    if layer.is_linear:
        return column
    slopes = [rational(slope) for slope in layer.negative_slopes.tolist()]
    bent = zip(column.entries(), slopes, strict=True)
    return Column.from_entries([entry if entry.sign() >= 0 else entry * slope for entry, slope in bent])

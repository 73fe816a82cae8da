"""What the solver maximises: how far one rival is ahead of the label. Above 0 the claim is broken."""

from __future__ import annotations

from math import lcm
from typing import NamedTuple

import numpy as np

from ...model.arrays import FloatArray
from ...model.network import Aggregation, Layer
from ...model.query import Query
from .arena import UNDECIDED, Arena, look_around
from .features import with_first_layer


class Objective(NamedTuple):
    """`signs . x`, where x is what the last layer gives at the node; in graph tasks, what `tail` makes of the pool."""

    layers: tuple[Layer, ...]
    pool: Aggregation | None
    tail: tuple[Layer, ...]  # dense: the readout, and the head behind it
    signs: FloatArray


def objective_of(query: Query, rival: int) -> Objective:
    network = query.network
    if network.readout is None:
        *layers, last = network.layers
        cut, signs = _cut(last, rival, query.claim.label)
        return Objective(with_first_layer(query, (*layers, cut)), None, (), signs)
    readout = Layer.dense(network.readout.C, network.readout.b, "none")
    *tail, last = (readout, *network.head)
    cut, signs = _cut(last, rival, query.claim.label)
    return Objective(with_first_layer(query, network.layers), network.readout.pool, (*tail, cut), signs)


def _cut(last: Layer, rival: int, label: int) -> tuple[Layer, FloatArray]:
    """Two scores are looked at; where no activation bends them they fold into one row, their difference."""
    two = [rival, label]
    slopes = last.negative_slopes[two]
    if (slopes == 1.0).all():
        C, A = ((weight[rival] - weight[label])[None] for weight in (last.C, last.A))
        return Layer(C, A, [last.b[rival] - last.b[label]], last.aggregation, "none"), np.ones(1)
    cut = Layer(last.C[two], last.A[two], last.b[two], last.aggregation, "leaky_relu", slopes)
    return cut, np.array([1.0, -1.0])


_FINEST = 20  # numbers that need more binary digits after the point leave no gap that a solver could see


def smallest_gap(query: Query, arena: Arena) -> float:
    """A positive number that every positive objective reaches, 0.0 if none is known.

    Weights and features that are multiples of a power of two make scores multiples of another; a mean divides by
    degrees. The gap tells a tie from an attack where a solver's tolerance cannot.
    """
    if arena.free is not None and not arena.free.flips:
        return 0.0
    digits = _digits(query.graph.features.values)
    rings = arena.needed if arena.free is None else arena.needed[1:]
    divisor = 1
    nothing = np.full(len(arena.pairs), UNDECIDED)
    for number, layer in enumerate(query.network.layers):
        digits += _digits(layer.C, layer.A, layer.b) + _digits(layer.negative_slopes)
        if layer.aggregation is Aggregation.MEAN and not layer.is_dense:
            row_of = {u: row for row, u in enumerate(rings[number])}
            degrees = {k for v in rings[number + 1] for k in look_around(arena, v, row_of, nothing).degrees if k}
            divisor *= lcm(*degrees)
    readout = query.network.readout
    if readout is not None:
        digits += _digits(readout.C, readout.b)
        divisor *= query.graph.num_vertices if readout.pool is Aggregation.MEAN else 1
    for layer in query.network.head:
        digits += _digits(layer.C, layer.b) + _digits(layer.negative_slopes)
    return 0.0 if digits > 2 * _FINEST else 1.0 / (divisor << digits)


def _digits(*arrays: FloatArray) -> int:
    """Binary digits after the point that all numbers get by with."""
    for digits in range(_FINEST + 1):
        if all((np.ldexp(array, digits) % 1 == 0).all() for array in arrays):
            return digits
    return 10 * _FINEST

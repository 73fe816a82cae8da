"""How far a solver's tolerances can move the goal: what lies closer to a tie than this, the solver cannot tell.

A row may be off by the tolerance times its largest term, and every value that is computed from it inherits that.
"""

from __future__ import annotations

import numpy as np

from ...model.arrays import FloatArray
from ...model.network import Aggregation, Layer
from .arena import UNDECIDED, Arena, look_around
from .boxes import Box, Enclosure, times
from .objective import Objective
from .program import FEASIBLE


def doubt_of_goal(arena: Arena, objective: Objective, boxes: Enclosure) -> float:
    """In the units of the goal. Constants are in no doubt: what rounding did to them is in their boxes."""
    doubt = np.zeros_like(boxes.features.lo)
    for number, layer in enumerate(objective.layers):
        doubt = _through_layer(arena, number, layer, boxes, doubt)
    if objective.pool is Aggregation.MAX:
        last = boxes.after[len(objective.layers) - 1]
        doubt = (doubt.max(axis=0) + FEASIBLE * last.width.max(axis=0))[None]
    elif objective.pool is not None:
        doubt = doubt.sum(axis=0)[None] / (len(doubt) if objective.pool is Aggregation.MEAN else 1)
    for number, layer in enumerate(objective.tail, len(objective.layers)):
        before = boxes.before[number]
        doubt = _bent(layer, before, doubt @ np.abs(layer.C).T + FEASIBLE * before.magnitude)
    return float(doubt[0] @ np.abs(objective.signs) + FEASIBLE * boxes.objective.width[0, 0])


def _through_layer(arena: Arena, number: int, layer: Layer, boxes: Enclosure, doubt: FloatArray) -> FloatArray:
    row_of = {v: row for row, v in enumerate(arena.needed[number])}
    below, before = boxes.below(number), boxes.before[number]
    C, A = np.abs(layer.C), np.abs(layer.A)
    multiplied = number == 0 and layer.aggregation is not Aggregation.MAX
    messages = times(layer.A, below) if multiplied else below
    flips = np.full(len(arena.pairs), UNDECIDED)
    out = np.zeros_like(before.lo)
    for row, v in enumerate(arena.needed[number + 1]):
        own = row_of[v]
        inherited = C @ doubt[own]
        peak = np.maximum(before.width[row], (C * below.width[own]).max(axis=1))
        if not layer.is_dense:
            around = look_around(arena, v, row_of, flips)
            everyone = np.concatenate([around.fixed, around.deletable, around.insertable])
            fragile = messages.rows(everyone[around.fixed.size :]).magnitude.sum(axis=0)
            theirs = np.zeros((everyone.size, fragile.size)) if multiplied else doubt[everyone]
            together = theirs.sum(axis=0) if layer.aggregation is Aggregation.SUM else theirs.max(axis=0, initial=0.0)
            together = together + FEASIBLE * fragile
            inherited = inherited + (together if multiplied else A @ together)
            peak = np.maximum(peak, fragile if multiplied else (A * fragile).max(axis=1))
        out[row] = inherited + FEASIBLE * peak
    return _bent(layer, before, out)


def _bent(layer: Layer, before: Box, doubt: FloatArray) -> FloatArray:
    """Past the activation: where its sign is open, its own rows add to the doubt."""
    open_sign = (before.lo < 0) & (before.hi > 0) & (layer.negative_slopes != 1.0)
    return np.where(before.hi <= 0, layer.negative_slopes * doubt, doubt + open_sign * FEASIBLE * before.magnitude)

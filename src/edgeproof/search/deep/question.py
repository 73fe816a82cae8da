"""From a query to the layers that bounds of single insertions go through."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...model.arrays import FloatArray, IntArray
from ...model.network import Layer
from ...model.query import Query
from ..base.layout import ALONE, GCN, MAX, MEAN, OWN, OWN_ERROR, SENT, SENT_ERROR, Base
from ..base.values import base_values, view

# more than rounding in bounds adds to that of an evaluation
SPREAD = 256.0


@dataclass(frozen=True)
class Scales:
    """What a layer multiplies with, for every vertex: all that it hears (`alpha`), what it sends (`beta`), and what it
    sends to itself (`kept`).
    """

    alpha: FloatArray
    beta: FloatArray
    kept: FloatArray


def scales(how: int, heard: IntArray, loop: IntArray) -> Scales:
    n = heard.size
    if how == GCN:
        beta = 1.0 / np.sqrt(heard + 1.0)
        return Scales(beta, beta, beta)
    kept = loop.astype(np.float64)
    if how == MEAN:
        return Scales(1.0 / np.maximum(heard + loop, 1), np.ones(n), kept)
    return Scales(np.ones(n), np.ones(n), kept)


@dataclass(frozen=True)
class Question:
    """`first` and `second`: the first two layers that hear neighbours; `rows`: one a rival, its score less the label's.
    `sent`, `own`: what every vertex sends and keeps in the first of them, which no flip changes.
    """

    query: Query
    base: Base
    layers: tuple[Layer, ...]
    first: int
    second: int
    depth: int
    rows: FloatArray
    sent: FloatArray
    own: FloatArray

    @property
    def node(self) -> int:
        assert self.query.claim.node is not None
        return self.query.claim.node

    def hears(self, layer: int) -> bool:
        return bool(self.base.how[layer] != ALONE)

    def left(self, layer: int) -> int:
        """How many layers above this one hear neighbours."""
        return int(self.base.depth[layer + 1])


def make_question(query: Query) -> Question | None:
    """None where these bounds say nothing: layers that take a max, or fewer than two that hear neighbours."""
    base, layers = base_values(query.network, query.graph), query.network.layers
    hearing = np.flatnonzero(base.how != ALONE)
    if query.claim.node is None or hearing.size < 2 or (base.how == MAX).any():
        return None
    rows = np.zeros((len(query.rivals), layers[-1].width_out))
    rows[np.arange(len(query.rivals)), list(query.rivals)] = 1.0
    rows[:, query.claim.label] -= 1.0
    first = int(hearing[0])
    sent = view(base, first, SENT)
    own = view(base, first, OWN) if base.has_own[first] else np.broadcast_to(layers[first].b, sent.shape)
    return Question(query, base, layers, first, int(hearing[1]), hearing.size, rows, sent, own)


def errors(question: Question, gain: dict[int, float]) -> FloatArray:
    """How far values of each layer, and bounds that are made of them, may be off: rounding of a layer is `unit` times
    the magnitudes that it adds up, and what is off below comes out larger by the same row sums. `gain`: the most that a
    vertex weighs all that it hears with, of each layer.

    Theory: "Rounding through any depth".
    """
    base, first, layers = question.base, question.first, question.layers
    below = base.bounds[first]
    size = float(abs(question.own).max()) + gain[first] * float(abs(question.sent).max())
    error = float(below[OWN_ERROR].max()) + gain[first] * float(below[SENT_ERROR].max()) + base.unit[first] * size
    out = np.zeros(len(layers))
    out[first] = error
    for number in range(first + 1, len(layers)):
        norm_c, norm_a, norm_b = base.norm[number]
        factor = norm_c + (norm_a * gain[number] if question.hears(number) else 0.0)
        size = factor * size + norm_b
        error = factor * error + base.unit[number] * size
        out[number] = error
    return SPREAD * out + 1e-280

"""Values around the node when one vertex counts an in-neighbour more, of which nothing is heard yet.

Theory: "Single insertions through any depth".
"""

from __future__ import annotations

import numpy as np

from ...model.arrays import FloatArray
from .question import Scales
from .stand import Stand, activate, sum_rows


class Raised:
    """What does not depend on who is inserted at `vertex`; None: nobody counts more.

    `weight[l]` of a layer that hears: of each local arc into where its values matter. `pre[l]`: pre-activations there.
    `passed`: what the second layer that hears takes.
    """

    def __init__(self, stand: Stand, vertex: int | None) -> None:
        self.stand, self.vertex = stand, vertex
        self.scales = {layer: self._around(layer) for layer in stand.scales}
        self.weight = {layer: self._weights(layer) for layer in stand.scales}
        self.pre: dict[int, FloatArray] = {}
        self._go_up()

    def _around(self, layer: int) -> Scales:
        stand, held, more = self.stand, self.stand.scales[layer], self.stand.raised[layer]
        alpha, beta, kept = (one[stand.order].copy() for one in (held.alpha, held.beta, held.kept))
        if self.vertex is not None and stand.place[self.vertex] >= 0:
            at = stand.place[self.vertex]
            alpha[at], beta[at], kept[at] = (one[self.vertex] for one in (more.alpha, more.beta, more.kept))
        return Scales(alpha, beta, kept)

    def _weights(self, layer: int) -> FloatArray:
        stand, held, arcs = self.stand, self.scales[layer], self.stand.arcs_into(layer)
        source, target = stand.source[:arcs], stand.target[:arcs]
        factor = np.where(stand.to_itself[:arcs], held.kept[target], held.beta[source])
        weights: FloatArray = held.alpha[target] * factor
        return weights

    def _first(self) -> FloatArray:
        stand, question, w = self.stand, self.stand.question, self.vertex
        first = question.first
        inner = stand.order[: stand.count[question.left(first)]]
        pre = stand.pre[inner].copy()
        if w is None:
            return pre
        held, more = stand.scales[first], stand.raised[first]
        if stand.sender_counts[first]:
            arcs = stand.arcs_into(first)
            heard = stand.target[:arcs][stand.source[:arcs] == stand.place[w]]
            factor = held.alpha[inner[heard]] * (more.beta[w] - held.beta[w])
            pre[heard] += factor[:, None] * question.sent[w]
        at = stand.place[w]
        if 0 <= at < inner.size:
            pre[at] = question.own[w] + more.alpha[w] * (stand.gathered[w] + more.kept[w] * question.sent[w])
        return pre

    def _go_up(self) -> None:
        stand, question = self.stand, self.stand.question
        first = question.first
        self.pre[first] = self._first()
        hidden = activate(self.pre[first], question.layers[first].negative_slopes)
        for number in range(first + 1, len(question.layers)):
            if number == question.second:
                self.passed = hidden
            layer, size = question.layers[number], stand.count[question.left(number)]
            pre = hidden[:size] @ layer.C.T + layer.b
            if question.hears(number):
                arcs = stand.arcs_into(number)
                sent = (hidden @ layer.A.T)[stand.source[:arcs]]
                pre += sum_rows(stand.ptr[: size + 1], self.weight[number][:, None] * sent)
            self.pre[number] = pre
            hidden = activate(pre, layer.negative_slopes)
        self.margins = question.rows @ hidden[0]

    def everybody(self) -> FloatArray:
        """What the second layer that hears takes, of all vertices of the graph."""
        stand, question, w = self.stand, self.stand.question, self.vertex
        passed = stand.passed.copy()
        first = question.first
        if w is not None and stand.sender_counts[first]:
            heard = stand.arcs[1][stand.arcs[0] == w]
            factor = stand.scales[first].alpha[heard] * (stand.raised[first].beta[w] - stand.scales[first].beta[w])
            passed[heard] = stand.pass_on(stand.pre[heard] + factor[:, None] * question.sent[w])
        inner = stand.order[: self.passed.shape[0]]
        passed[inner] = self.passed
        return passed

"""Where insertions start from: the graph with some pairs flipped already, its values, and what is near the node.

Theory: "Single insertions through any depth".
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ...model.arrays import FloatArray, IntArray
from ...model.graph import Pair
from ..base.layout import GCN
from .question import Question, Scales, errors, scales

BEYOND = 1 << 20


def sum_rows(ptr: IntArray, rows: FloatArray) -> FloatArray:
    """Row t: the sum of rows[ptr[t]:ptr[t + 1]]."""
    out = np.zeros((ptr.size - 1, *rows.shape[1:]))
    some = np.flatnonzero(np.diff(ptr))
    if some.size:
        out[some] = np.add.reduceat(rows[: ptr[-1]], ptr[some])
    return out


class Stand:
    """`arcs`: (source, target), loops apart, sorted by target. `order`: vertices by their distance to the node, of
    which `count[k]` are no farther than k; `place`: the other way round. Around the node, arcs are local: `source`,
    `target` are numbers in `order`, vertices hear themselves, and `ptr` says where a target's arcs begin.
    """

    def __init__(self, question: Question, flips: Iterable[Pair] = ()) -> None:
        self.question = question
        base, directed = question.base, bool(question.base.directed)
        self.directed = directed
        self._take(base.source, np.repeat(np.arange(base.n), np.diff(base.in_ptr)), list(flips))
        more = self.heard + 1
        kinds = {layer: int(base.how[layer]) for layer in range(question.first, base.L) if question.hears(layer)}
        self.scales: dict[int, Scales] = {layer: scales(how, self.heard, self.loop) for layer, how in kinds.items()}
        self.raised: dict[int, Scales] = {layer: scales(how, more, self.loop) for layer, how in kinds.items()}
        self.sender_counts = {layer: how == GCN for layer, how in kinds.items()}
        self.errors = errors(question, {layer: self._gain(layer) for layer in kinds})
        self._find_near()
        self._values()

    def _take(self, source: IntArray, target: IntArray, flips: list[Pair]) -> None:
        base = self.question.base
        loop, n = base.loop.copy(), base.n
        keys = target * n + source
        for u, v in flips:
            if u == v:
                loop[u] = 1 - loop[u]
                continue
            for s, t in ((u, v),) if self.directed else ((u, v), (v, u)):
                key = t * n + s
                keys = keys[keys != key] if (keys == key).any() else np.append(keys, key)
        keys = np.sort(keys)
        self.arcs = np.stack([keys % n, keys // n])
        self.ptr_all = np.searchsorted(self.arcs[1], np.arange(n + 1))
        self.heard, self.loop = np.diff(self.ptr_all), loop

    def _gain(self, layer: int) -> float:
        """One more in-neighbour adds no more than 2 to it."""
        held = self.scales[layer]
        heard = sum_rows(self.ptr_all, held.beta[self.arcs[0]]) + held.kept
        return float((held.alpha * heard).max()) + 2.0

    def _find_near(self) -> None:
        question, n = self.question, self.heard.size
        depth, (source, target) = question.depth, self.arcs
        near = np.full(n, BEYOND)
        near[question.node] = 0
        for distance in range(1, depth + 1):
            found = source[near[target] == distance - 1]
            near[found] = np.minimum(near[found], distance)
        self.near = near
        self.order = np.argsort(near, kind="stable")[: int((near <= depth).sum())]
        self.count = np.searchsorted(near[self.order], np.arange(depth + 1), side="right")
        self.place = np.full(n, -1)
        self.place[self.order] = np.arange(self.order.size)
        hears = near[target] < depth
        inner = self.order[: self.count[depth - 1]]
        s = np.concatenate([self.place[source[hears]], self.place[inner]])
        t = np.concatenate([self.place[target[hears]], self.place[inner]])
        order = np.lexsort((s, t))
        self.source, self.target = s[order], t[order]
        self.to_itself = self.source == self.target
        self.ptr = np.searchsorted(self.target, np.arange(inner.size + 1))

    def _values(self) -> None:
        """Of all vertices: what they gather and what comes out of the first layer that hears, and what the second one
        takes from them.
        """
        question, held = self.question, self.scales[self.question.first]
        beta = held.beta[self.arcs[0]][:, None]
        self.gathered = sum_rows(self.ptr_all, beta * question.sent[self.arcs[0]])
        self.pre = question.own + held.alpha[:, None] * (self.gathered + held.kept[:, None] * question.sent)
        self.passed = self.pass_on(self.pre)

    def pass_on(self, pre: FloatArray) -> FloatArray:
        """From pre-activations of the first layer that hears to what the second one takes."""
        question = self.question
        hidden = activate(pre, question.layers[question.first].negative_slopes)
        for layer in question.layers[question.first + 1 : question.second]:
            hidden = activate(hidden @ layer.C.T + layer.b, layer.negative_slopes)
        return hidden

    def arcs_into(self, layer: int) -> int:
        """How many of the local arcs end where this layer's values matter."""
        return int(self.ptr[self.count[self.question.left(layer)]])


def activate(pre: FloatArray, slope: FloatArray) -> FloatArray:
    return np.maximum(pre, 0.0) + slope * np.minimum(pre, 0.0)

"""What vertices that hear an end of an inserted pair feel of its degree, whoever the partner is.

Theory: "Single insertions through any depth".
"""

from __future__ import annotations

import numpy as np

from ...model.arrays import FloatArray, IntArray
from .stand import Stand


class Degrees:
    """One end x counts an in-neighbour more: `step[l]` is the change of its factor, not positive; 0 where no degree of
    a sender counts, and where pairs are directed and x's degree stays.

    `low`, `high`: how pre-activations of the first layer that hears may change at vertices that hear x, for x at
    distance `depth - 1` at least. `shaken[k]`: the same of the second layer, in magnitude, for x at distance k.
    """

    def __init__(self, stand: Stand) -> None:
        self.stand, question = stand, stand.question
        self.step = {
            layer: np.zeros(stand.near.size) if stand.directed else stand.raised[layer].beta - held.beta
            for layer, held in stand.scales.items()
        }
        self.works = {layer: bool(step.any()) for layer, step in self.step.items()}
        depth, first = question.depth, question.first
        inner = stand.count[depth - 1]
        shape = (inner, question.sent.shape[1])
        self.low, self.high = np.zeros(shape), np.zeros(shape)
        self.shaken = {
            distance: np.zeros((stand.count[depth - 2], question.layers[question.second].width_out))
            for distance in (depth - 1, depth)
        }
        if not self.works[first]:
            return
        alpha = stand.scales[first].alpha[stand.order]
        outer = stand.near[stand.order[stand.source]] >= depth - 1
        outer &= ~stand.to_itself
        self.sources, self.targets = stand.source[outer], stand.target[outer]
        self.message = self.step[first][stand.order, None] * question.sent[stand.order]
        change = alpha[self.targets, None] * self.message[self.sources]
        np.minimum.at(self.low, self.targets, change)
        np.maximum.at(self.high, self.targets, change)
        for distance in self.shaken:
            self._shake(distance, alpha)

    def _shake(self, distance: int, alpha: FloatArray) -> None:
        """What hears those who hear x, added up before the largest x is taken; slopes are at most 1."""
        stand, question, out = self.stand, self.stand.question, self.shaken[distance]
        second = question.second
        size = abs(self.message)
        for layer in question.layers[question.first + 1 : second]:
            size = size @ abs(layer.C).T
        kept, sent = size @ abs(question.layers[second].C).T, size @ abs(question.layers[second].A).T
        held, local = stand.scales[second], stand.order
        a, b, k = held.alpha[local], held.beta[local], held.kept[local]
        chosen = stand.near[local[self.sources]] == distance
        sources, targets = self.sources[chosen], self.targets[chosen]
        ptr = np.searchsorted(targets, np.arange(stand.count[question.depth - 1] + 1))
        for y in range(out.shape[0]):
            into = slice(stand.ptr[y], stand.ptr[y + 1])
            u = stand.source[into]
            weight = a[y] * np.where(u == y, k[y], b[u]) * alpha[u]
            xs, at = _ranges(ptr, u, sources)
            if xs.size:
                total = np.bincount(xs, weight[at], minlength=int(xs.max()) + 1)
                some = np.flatnonzero(total)
                if some.size:
                    out[y] = (total[some, None] * sent[some]).max(axis=0)
            direct = sources[ptr[y] : ptr[y + 1]]
            if direct.size:
                out[y] += alpha[y] * kept[direct].max(axis=0)


def _ranges(ptr: IntArray, rows: IntArray, values: IntArray) -> tuple[IntArray, IntArray]:
    """values[ptr[r]:ptr[r + 1]] of all rows one after the other, and which row each comes from."""
    sizes = ptr[rows + 1] - ptr[rows]
    at = np.repeat(np.arange(rows.size), sizes)
    start = np.repeat(ptr[rows] - np.concatenate([[0], np.cumsum(sizes)[:-1]]), sizes)
    return values[start + np.arange(at.size)], at

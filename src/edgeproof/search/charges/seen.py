"""The graph's values as the charges see them: with some edges gone, rows that this changes lie beside those of all.

Theory: "Two deletions".
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from ...model.arrays import FloatArray, IntArray
from ...model.network import Network
from ..base.layout import BLOCKS, GATHERED, GCN, HIDDEN, MEAN, OWN, SENT, Base
from ..jit.by_address import Bundle
from .norms import Lengths, row_lengths
from .rows import Seen, regather


class View:
    """What one bound is about: base values, and the edges that are gone."""

    def __init__(self, base: Base, lengths: Lengths) -> None:
        at, place = np.full((base.L, BLOCKS), -1), 0
        for layer in range(base.L):
            for kind in range(BLOCKS):
                if base.block[layer, kind] >= 0:
                    at[layer, kind] = place
                    place += int(base.width[layer + 1])
        shared = {name: getattr(base, name) for name in Seen._fields if name in Base._fields}
        self.base, self.lengths = base, lengths
        self.seen = Seen(**shared, place=np.zeros(base.n, dtype=np.int64), patch=np.zeros((1, place)), patch_at=at)
        self.lent, self.lent_lengths = Bundle(self.seen), Bundle(lengths)

    def row(self, layer: int, kind: int, v: int) -> FloatArray:
        width, at = int(self.base.width[layer + 1]), int(self.seen.place[v])
        if at > 0:
            start = int(self.seen.patch_at[layer, kind])
            return self.seen.patch[at - 1, start : start + width]
        start = int(self.base.block[layer, kind]) + v * width
        return self.base.rows[start : start + width]

    def take(self, layer: int, kind: int, vertices: IntArray) -> FloatArray:
        return np.array([self.row(layer, kind, v) for v in vertices.tolist()]).reshape(
            vertices.size, int(self.base.width[layer + 1])
        )

    def without(
        self, network: Network, slots: Iterable[int], targets: IntArray, near: IntArray, status: NDArray[np.int8]
    ) -> View:
        """The same when the edges at these slots (both of an undirected one) are gone, which `status` says already.

        Rows are those of vertices that reach the node by the layers that are left, as `near` says; all others may be
        out of date, and nobody looks at them.
        """
        gone, base = list(slots), self.base
        assert not self.seen.place.any(), "edges go one set at a time, from the graph as it is"
        ends = np.unique(targets[gone])
        heard = base.heard.copy()
        np.subtract.at(heard, targets[gone], 1)
        touched, before = [], np.zeros(0, dtype=np.int64)
        for layer in range(base.L):
            senders = np.union1d(before, ends) if base.how[layer] == GCN else before
            found = np.unique(np.concatenate([before, ends, _heard_by(base, senders)]))
            before = found[near[found] <= base.L - 1 - layer]
            touched.append(before)
        every = np.unique(np.concatenate(touched))
        place = np.zeros(base.n, dtype=np.int64)
        place[every] = np.arange(1, every.size + 1)
        patch = np.empty((every.size, self.seen.patch.shape[1]))
        for layer in range(base.L):
            for kind in range(BLOCKS):
                at, width = int(self.seen.patch_at[layer, kind]), int(base.width[layer + 1])
                if at >= 0:
                    start = int(base.block[layer, kind])
                    patch[:, at : at + width] = base.rows[start : start + base.n * width].reshape(base.n, width)[every]
        out = View.__new__(View)
        out.base = base
        out.seen = self.seen._replace(heard=heard, place=place, patch=patch)
        out.lent = Bundle(out.seen)
        out.lengths = Lengths(*(one.copy() for one in self.lengths))
        for layer, changed in enumerate(touched):
            if layer:
                out._send(network, layer, touched[layer - 1])
            out._hear(layer, changed, status)
        for layer in range(base.L):
            for kind, lengths in (
                (SENT, out.lengths.sent),
                (GATHERED, out.lengths.gathered),
                (HIDDEN, out.lengths.hidden),
            ):
                lengths[layer, every] = row_lengths(out._block(layer, kind))
        out.lent_lengths = Bundle(out.lengths)
        return out

    def _block(self, layer: int, kind: int) -> FloatArray:
        start = int(self.seen.patch_at[layer, kind])
        return self.seen.patch[:, start : start + int(self.base.width[layer + 1])]

    def _send(self, network: Network, layer: int, changed: IntArray) -> None:
        rows, weights = self.seen.place[changed] - 1, network.layers[layer]
        hidden = self._block(layer - 1, HIDDEN)[rows]
        self._block(layer, SENT)[rows] = hidden @ weights.A.T
        if self.base.has_own[layer]:
            self._block(layer, OWN)[rows] = hidden @ weights.C.T + weights.b

    def _hear(self, layer: int, changed: IntArray, status: NDArray[np.int8]) -> None:
        """What these gather from all who are left, and their new hidden rows."""
        how, width = int(self.base.how[layer]), int(self.base.width[layer + 1])
        gathered = np.zeros((changed.size, width))
        regather(self.lent, layer, changed, status, gathered)
        rows = self.seen.place[changed] - 1
        self._block(layer, GATHERED)[rows] = gathered
        count = self.seen.heard[changed]
        scale = np.ones(changed.size)
        if how == GCN:
            scale = 1.0 / np.sqrt(count + 1.0)
            gathered += scale[:, None] * self._block(layer, SENT)[rows]
        elif how == MEAN:
            scale = 1.0 / np.maximum(count, 1)
        z = scale[:, None] * gathered
        z += self._block(layer, OWN)[rows] if self.base.has_own[layer] else self.base.bias[layer, :width]
        slope = self.base.slope[layer, :width]
        self._block(layer, HIDDEN)[rows] = np.maximum(z, 0.0) + slope * np.minimum(z, 0.0)


def _heard_by(base: Base, senders: IntArray) -> IntArray:
    counts = base.out_ptr[senders + 1] - base.out_ptr[senders]
    rank = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    found: IntArray = base.target[np.repeat(base.out_ptr[senders], counts) + rank]
    return found

"""First-layer products C x + b and A x, computed once a vertex, network and graph, and shared by all queries."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arithmetic.float64 import times
from ..model.arrays import FloatArray, IntArray
from ..model.features import Features
from ..model.graph import Graph
from ..model.memo import Memo
from ..model.network import Aggregation, Network
from ..model.query import Query
from .layout import DENSE
from .stages import Stage


class _Rows:
    """Rows are filled when first asked for; untouched rows cost no memory (the pages are never written)."""

    def __init__(self, weights: list[FloatArray], magnitudes: list[FloatArray], features: Features) -> None:
        """Products of `weights` with features, and beside them of `magnitudes` with what the features amount to."""
        self.columns = np.ascontiguousarray(np.concatenate([*weights, *magnitudes]).T)
        self.width = self.columns.shape[1] // 2
        self.features = features
        self.rows = np.zeros((features.num_rows, self.columns.shape[1]))
        self.done = np.zeros(features.num_rows, dtype=np.bool_)

    def take(self, vertices: IntArray) -> tuple[FloatArray, FloatArray]:
        new = vertices[~self.done[vertices]]
        if new.size:
            features = self.features.take(new)
            found = times(features, self.columns)
            if (features.values < 0).any():
                found[:, self.width :] = times(features.magnitudes(), self.columns[:, self.width :])
            self.rows[new] = found  # right at once: other threads may have found the same, and use it
            self.done[new] = True
        found = self.rows[vertices]
        return found[:, : self.width], found[:, self.width :]


def _make_rows(network: Network, graph: Graph) -> _Rows:
    first = network.layers[0]
    weights = [first.C]
    if not first.is_dense and first.aggregation is not Aggregation.MAX:
        weights.append(first.A)
    return _Rows(weights, [abs(weight) for weight in weights], graph.features)


_kept: Memo[_Rows] = Memo(_make_rows)


def first_products(query: Query, first: Stage, vertices: IntArray, looked_at: int, D: int) -> dict[str, Any]:
    """own = C x + b, sent = A x (zero where stage 1 sends raw features), and their magnitudes.

    Only the first `looked_at` vertices keep or send anything; the others get zeros.
    """
    network, graph = query.network, query.graph
    weights, magnitudes = [first.C], [first.C_abs]
    sends = bool(first.sends_products) and first.kind != DENSE
    if sends:
        weights.append(first.A)
        magnitudes.append(first.A_abs)
    if first.C is network.layers[0].C:
        rows, sizes = _kept(network, graph).take(vertices[:looked_at])
    else:  # the only layer, folded for this claim
        rows, sizes = _Rows(weights, magnitudes, graph.features).take(vertices[:looked_at])
    own, own_abs, sent, sent_abs = (np.zeros((vertices.size, D)) for _ in range(4))
    width = first.b.size
    own[:looked_at, :width] = rows[:, :width] + first.b
    own_abs[:looked_at, :width] = sizes[:, :width] + first.b_abs
    if sends:
        sent[:looked_at, :width], sent_abs[:looked_at, :width] = rows[:, width:], sizes[:, width:]
    return {"own": own, "own_abs": own_abs, "sent": sent, "sent_abs": sent_abs}

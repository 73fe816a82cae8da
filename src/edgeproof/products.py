"""First-layer products C x + b and A x, computed once a vertex, network and graph, and shared by all queries."""

from __future__ import annotations

from typing import Any

import numpy as np

from .arrays import FloatArray, IntArray
from .evaluate import times
from .features import Features
from .graph import Graph
from .memo import Memo
from .network import Aggregation, Network
from .query import Query
from .stages import DENSE, Stage


class _Rows:
    """Rows are filled when first asked for; untouched rows cost no memory (the pages are never written)."""

    def __init__(self, weights: list[FloatArray], features: Features) -> None:
        """Weights alternate: one that takes the features as they are, one that takes their magnitudes."""
        self.weights = weights
        self.features = features
        self.rows = [np.zeros((features.num_rows, weight.shape[0])) for weight in weights]
        self.done = np.zeros(features.num_rows, dtype=np.bool_)

    def take(self, vertices: IntArray) -> list[FloatArray]:
        new = vertices[~self.done[vertices]]
        if new.size:
            signed = self.features.take(new)
            positive = Features(signed.ptr, signed.columns, abs(signed.values), signed.num_columns)
            for which, (out, weight) in enumerate(zip(self.rows, self.weights, strict=True)):
                out[new] = times(positive if which % 2 else signed, weight)
            self.done[new] = True
        return [out[vertices] for out in self.rows]


def _make_rows(network: Network, graph: Graph) -> _Rows:
    first = network.layers[0]
    weights = [first.C, abs(first.C)]
    if not first.is_dense and first.aggregation is not Aggregation.MAX:
        weights += [first.A, abs(first.A)]
    return _Rows(weights, graph.features)


_kept: Memo[_Rows] = Memo(_make_rows)


def first_products(query: Query, first: Stage, vertices: IntArray, D: int) -> dict[str, Any]:
    """own = C x + b, sent = A x (zero where stage 1 sends raw features), and their magnitudes."""
    network, graph = query.network, query.graph
    weights = [first.C, first.C_abs]
    sends = bool(first.sends_products) and first.kind != DENSE
    if sends:
        weights += [first.A, first.A_abs]
    if first.C is network.layers[0].C:
        rows = _kept(network, graph).take(vertices)
    else:  # the only layer, folded for this claim
        rows = _Rows(weights, graph.features).take(vertices)
    own, own_abs, sent, sent_abs = (np.zeros((vertices.size, D)) for _ in range(4))
    width = first.b.size
    own[:, :width] = rows[0] + first.b
    own_abs[:, :width] = rows[1] + first.b_abs
    if sends:
        sent[:, :width], sent_abs[:, :width] = rows[2:4]
    return {"own": own, "own_abs": own_abs, "sent": sent, "sent_abs": sent_abs}

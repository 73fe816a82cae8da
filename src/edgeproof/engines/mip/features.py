"""Features that may change, as columns of the program. The network gets a first layer that hands features on as they
are, so that all other layers stay what they are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...model.arrays import FloatArray, IntArray
from ...model.feature_threats import FeatureFlips
from ...model.network import Layer
from ...model.query import Query


class Free(NamedTuple):
    """Entries that may change: of the vertex in this row of `vertices`, in this column, from low to high.

    flips: they are one end or the other. budget, local: most that flip, in all and at a vertex; shared: each takes a
    unit of the threat's budget.
    """

    vertices: IntArray
    row: IntArray
    column: IntArray
    start: FloatArray
    low: FloatArray
    high: FloatArray
    flips: bool
    budget: int | None
    local: int | None
    shared: bool

    def attack(self, values: FloatArray) -> tuple[tuple[tuple[int, int], ...], tuple[float, ...] | None]:
        """What these values change: the places, and what they become where they do not flip."""
        moved = np.flatnonzero(values != self.start)
        places = tuple((int(self.vertices[self.row[at]]), int(self.column[at])) for at in moved)
        return places, None if self.flips else tuple(float(values[at]) for at in moved)


def free_features(query: Query, vertices: list[int]) -> Free | None:
    """Of these vertices."""
    features, graph = query.threat.features, query.graph
    if features is None:
        return None
    chosen = np.array(vertices, dtype=np.int64)
    x = graph.features.dense(chosen)
    if isinstance(features, FeatureFlips):
        most = 0 if features.local_budget == 0 or features.budget == 0 else 1
        row, column = np.nonzero(features.allowed(graph, chosen) & bool(most))
        start = x[row, column]
        nothing, one = np.zeros(row.size), np.ones(row.size)
        shared = features.budget is None
        return Free(chosen, row, column, start, nothing, one, True, features.budget, features.local_budget, shared)
    low, high = features.bounds(graph, chosen)
    row, column = np.nonzero(low < high)
    return Free(chosen, row, column, x[row, column], low[row, column], high[row, column], False, None, None, False)


def with_first_layer(query: Query, layers: tuple[Layer, ...]) -> tuple[Layer, ...]:
    if query.threat.features is None:
        return layers
    width = query.network.num_features
    return (Layer.dense(np.eye(width), np.zeros(width), "none"), *layers)

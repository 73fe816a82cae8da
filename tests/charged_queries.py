"""Random questions that charges can answer: deletions around a node of a small graph."""

from __future__ import annotations

import numpy as np

from edgeproof import Graph, Layer, Network, Threat
from edgeproof.model.query import Query, make_query


def draw(seed: int) -> Query:
    """Up to seven vertices, widths up to four, two or three layers; some graphs directed."""
    rng = np.random.default_rng(seed)
    layers_count, how = int(rng.choice([2, 3, 3])), str(rng.choice(["gcn", "gcn", "mean", "sum", "mixed"]))
    directed = bool(rng.random() < 0.25)
    n, width = int(rng.integers(3, 8)), int(rng.integers(2, 5))
    there = np.triu(rng.random((n, n)) < rng.choice([0.3, 0.5, 0.8]), 1)
    there[0, 1] = True
    there |= np.tril(rng.random((n, n)) < 0.5, -1) if directed else there.T
    features, classes = int(rng.integers(1, 4)), int(rng.integers(2, 4))
    widths = [features, *([width] * (layers_count - 1)), classes]
    layers = []
    for at in range(layers_count):
        shape = widths[at + 1], widths[at]
        kind = str(rng.choice(["gcn", "mean", "sum"])) if how == "mixed" else how
        C = rng.normal(size=shape) * (rng.random() < (0.2 if kind == "gcn" else 0.9))
        act = "none" if at == layers_count - 1 else str(rng.choice(["relu", "relu", "leaky_relu"]))
        bias = rng.normal(size=shape[0]) * rng.choice([0, 1])
        layers.append(Layer(C, rng.normal(size=shape), bias, kind, act, 0.2))
    graph = Graph(np.array(np.nonzero(there)), rng.normal(size=(n, features)) + rng.choice([0, 1]), directed=directed)
    budget = int(rng.choice([1, 2, 3]))
    return make_query(Network(layers), graph, Threat(budget), int(rng.integers(n)))

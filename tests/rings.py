"""Graph tasks whose questions are small enough to be answered with every option on and off."""

from __future__ import annotations

import numpy as np

import edgeproof as ep


def ring(n: int) -> ep.Graph:
    edges = [(v, (v + 1) % n) for v in range(n)]
    features = np.eye(3)[np.arange(n) % 3]
    return ep.Graph(np.array([*edges, *((v, u) for u, v in edges)]).T, features, directed=False)


def small_network(aggregation: str, seed: int) -> ep.Network:
    rng = np.random.default_rng(seed)
    layers = [
        ep.Layer(rng.normal(size=(4, w)), rng.normal(size=(4, w)) / 2, rng.normal(size=4), aggregation, "relu")
        for w in (3, 4)
    ]
    head = ep.Layer(rng.normal(size=(2, 4)), np.zeros((2, 4)), np.zeros(2), "sum", "none")
    return ep.Network([*layers, head], readout=ep.Readout(np.eye(2), np.zeros(2), "sum"))

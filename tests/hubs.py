"""A hub whose class changes only once most of its edges are gone: it counts its neighbours."""

from __future__ import annotations

import numpy as np

from edgeproof import Graph, Layer, Network

LEAVES, RADIUS = 33, 23


def graph() -> Graph:
    """Vertex 0 with its leaves, every third of class 1, and a path through ten of them."""
    edges = [(0, v) for v in range(1, LEAVES + 1)] + [(v, v + 1) for v in range(1, 10)]
    ends = np.array([*edges, *((v, u) for u, v in edges)]).T
    return Graph(ends, np.ones((LEAVES + 1, 1)), labels=np.arange(LEAVES + 1) % 3 // 2, name="hub")


def network() -> Network:
    """Class 0 by the number of neighbours, against 9.5 for class 1."""
    return Network([Layer([[0.0], [0.0]], [[1.0], [0.0]], [0.0, 9.5], activation="none")], name="counts")

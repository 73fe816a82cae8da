"""The edges of a graph both ways, and what vertices count: in-neighbours, self-loops."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...model.arrays import IntArray
from ...model.graph import Graph


class Adjacency(NamedTuple):
    """Self-loops stand apart: every layer treats what a vertex sends to itself in its own way.

    In-neighbours of v: `source[in_ptr[v]:in_ptr[v + 1]]`, ascending; out-neighbours: `target[out_ptr[v]:...]`.
    """

    in_ptr: IntArray  # (n + 1,)
    source: IntArray  # (E,)
    out_ptr: IntArray  # (n + 1,)
    target: IntArray  # (E,)
    heard: IntArray  # (n,) in-neighbours other than the vertex itself
    loop: IntArray  # (n,) 1: the vertex has a self-loop

    @property
    def most(self) -> int:
        return int(self.heard.max(initial=0))


def make_adjacency(graph: Graph) -> Adjacency:
    n = graph.num_vertices
    apart = graph.sources != graph.targets
    source, into = graph.sources[apart], graph.targets[apart]
    loop = np.zeros(n, dtype=np.int64)
    loop[graph.sources[~apart]] = 1
    order = np.lexsort((into, source))
    every = np.arange(n + 1)
    in_ptr = np.searchsorted(into, every).astype(np.int64)
    out_ptr = np.searchsorted(source[order], every).astype(np.int64)
    return Adjacency(in_ptr, source.copy(), out_ptr, into[order].copy(), np.diff(in_ptr), loop)

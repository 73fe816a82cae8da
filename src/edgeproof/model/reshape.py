"""Graphs made of a graph: with every edge in both directions, and of one component."""

from __future__ import annotations

import numpy as np

from .arrays import IntArray
from .graph import Graph


def undirected(graph: Graph) -> Graph:
    """Each edge with its reverse; self-loops stay single."""
    n = graph.num_vertices
    forward = graph.sources * n + graph.targets
    both = np.union1d(forward, graph.targets * n + graph.sources)
    edges = np.stack([both // n, both % n])
    return Graph(
        edges, graph.features, directed=False, labels=graph.labels, masks=graph.masks, name=graph.name,
        original=_origin(graph, np.arange(n)),
    )  # fmt: skip


def largest_component(graph: Graph) -> Graph:
    """The largest weakly connected component, of several that are equally large the one with the first vertex."""
    root = components(graph)
    kept = np.flatnonzero(root == np.argmax(np.bincount(root)))
    number = np.full(graph.num_vertices, -1)
    number[kept] = np.arange(kept.size)
    inside = number[graph.targets] >= 0
    labels = graph.labels
    return Graph(
        number[np.stack([graph.sources[inside], graph.targets[inside]])],
        graph.features.take(kept),
        directed=graph.directed,
        labels=labels if labels is None or labels.ndim == 0 else labels[kept],
        masks={key: mask[kept] for key, mask in graph.masks.items()},
        name=graph.name,
        original=_origin(graph, kept),
    )


def components(graph: Graph) -> IntArray:
    """For each vertex the smallest vertex of its weakly connected component."""
    root = np.arange(graph.num_vertices)
    while True:
        lower = np.minimum(root[graph.sources], root[graph.targets])
        before = root.copy()
        for ends in (graph.sources, graph.targets):
            np.minimum.at(root, root[ends], lower)
            np.minimum.at(root, ends, lower)
        root = root[root]
        if (root == before).all():
            return root


def _origin(graph: Graph, kept: IntArray) -> IntArray:
    """What these vertices were called in the graph that the first of a chain of changes was made to."""
    return kept if graph.original is None else graph.original[kept]

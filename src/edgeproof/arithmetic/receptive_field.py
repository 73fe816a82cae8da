"""What reaches a vertex, or the graph, through the layers once some pairs are flipped: vertices and edges as arrays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from ..model.arrays import IntArray
from ..model.graph import Graph, Pair
from ..model.network import Layer

# of graphs that are alive
_known_degrees: WeakKeyDictionary[Graph, IntArray] = WeakKeyDictionary()


class Field(NamedTuple):
    """Vertices are numbered by their places in `vertices`; those that matter after layer k are the first sizes[k], for
    k = 0 those whose features matter. Edges into place v: `sources[ptr[v]:ptr[v + 1]]`, places again.
    """

    vertices: IntArray
    sizes: list[int]
    sources: IntArray
    ptr: IntArray
    flipped: IntArray  # ascending: places of targets whose in-neighbours are not those of the graph
    degree: IntArray  # in-degree with one self-loop; empty where nobody asks


def find_field(
    graph: Graph, layers: Sequence[Layer], node: int | None, flips: Iterable[Pair], *, degrees: bool
) -> Field:
    changed = flips_by_target(graph, flips)
    if node is None:
        return _whole(graph, layers, changed, degrees)
    place = np.full(graph.num_vertices, -1, dtype=np.int64)
    vertices = np.array([node], dtype=np.int64)
    place[node] = 0
    sizes, sources, counts = [1], [], []
    looked_at = 0
    for layer in reversed(layers):
        new = vertices[looked_at:]
        if not layer.is_dense and new.size:
            looked_at = vertices.size
            found, count = _edges_into(graph, new, changed)
            sources.append(found)
            counts.append(count)
            fresh = found[place[found] < 0]
            if fresh.size:
                fresh = np.unique(fresh)
                place[fresh] = np.arange(vertices.size, vertices.size + fresh.size)
                vertices = np.concatenate([vertices, fresh])
        sizes.append(vertices.size)
    every = np.concatenate(sources) if sources else np.zeros(0, dtype=np.int64)
    ptr = np.zeros(looked_at + 1, dtype=np.int64)
    if counts:
        np.cumsum(np.concatenate(counts), out=ptr[1:])
    flipped = np.sort(place[list(changed)]) if changed else np.zeros(0, dtype=np.int64)
    flipped = flipped[(flipped >= 0) & (flipped < looked_at)]
    return Field(vertices, sizes[::-1], place[every], ptr, flipped, _degrees(graph, vertices, changed, degrees))


def flips_by_target(graph: Graph, flips: Iterable[Pair]) -> dict[int, set[int]]:
    """For every vertex whose in-neighbours change: which of them come or go."""
    changed: dict[int, set[int]] = {}
    for u, v in flips:
        changed.setdefault(v, set()).add(u)
        if not graph.directed and u != v:
            changed.setdefault(u, set()).add(v)
    return changed


def _whole(graph: Graph, layers: Sequence[Layer], changed: dict[int, set[int]], degrees: bool) -> Field:
    vertices = np.arange(graph.num_vertices)
    sources, ptr = graph.sources, graph.in_ptr
    if changed:
        sources, counts = _edges_into(graph, vertices, changed)
        ptr = np.zeros(vertices.size + 1, dtype=np.int64)
        np.cumsum(counts, out=ptr[1:])
    flipped = np.array(sorted(changed), dtype=np.int64)
    sizes = [vertices.size] * (len(layers) + 1)
    return Field(vertices, sizes, sources, ptr, flipped, _degrees(graph, vertices, changed, degrees))


def _edges_into(graph: Graph, vertices: IntArray, changed: dict[int, set[int]]) -> tuple[IntArray, IntArray]:
    """Sources of the edges into these vertices after the flips, and how many each has."""
    begin = graph.in_ptr[vertices]
    counts = graph.in_ptr[vertices + 1] - begin
    ends = np.cumsum(counts)
    sources = graph.sources[np.repeat(begin - ends + counts, counts) + np.arange(int(ends[-1]))]
    touched = np.flatnonzero((vertices[:, None] == np.array(list(changed))).any(axis=1))
    if not touched.size:
        return sources, counts
    pieces, at = [], 0
    for k in touched.tolist():
        end = int(ends[k])
        pieces.append(sources[at : end - int(counts[k])])
        pieces.append(_after(graph, int(vertices[k]), changed))
        at = end
        counts[k] = pieces[-1].size
    return np.concatenate([*pieces, sources[at:]]), counts


def _after(graph: Graph, v: int, changed: dict[int, set[int]]) -> IntArray:
    """The in-neighbours of v after the flips."""
    return np.array(sorted(set(graph.in_neighbours(v).tolist()) ^ changed[v]), dtype=np.int64)


def _degrees(graph: Graph, vertices: IntArray, changed: dict[int, set[int]], wanted: bool) -> IntArray:
    if not wanted:
        return np.zeros(0, dtype=np.int64)
    before = _known_degrees.get(graph)
    if before is None:
        before = np.diff(graph.in_ptr) + 1
        before[graph.targets[graph.sources == graph.targets]] -= 1
        _known_degrees[graph] = before
    degree = before[vertices]
    for v in changed:
        around = _after(graph, v, changed)
        degree[vertices == v] = around.size + int(v not in around)
    return degree

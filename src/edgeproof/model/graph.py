"""Vertices, edges, features; directed (messages flow source -> target) or undirected."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from .arrays import BoolArray, IntArray, content_hash, frozen_ints
from .features import Features

if TYPE_CHECKING:
    from ..convert.raw import RawGraph

Pair = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Graph:
    """A featured graph. Edges are kept sorted by target, then source.

    edges: (2, E), row 0 sources, row 1 targets; an undirected graph lists both directions of every edge and
    each self-loop once. `directed=None`: undirected if every edge has its reverse; a graph without edges must be told.
    `labels`: true classes, one a vertex (node tasks) or a single number (graph tasks); never used for a verdict.
    `original`: in a graph that was made of another one, what each vertex was called there; else None.

    >>> Graph(edges=[[0, 1], [1, 0]], features=[[1.0], [0.0]])
    Graph(2 vertices, 1 undirected edge, 1 feature)
    """

    num_vertices: int
    sources: IntArray
    targets: IntArray
    features: Features
    directed: bool
    labels: IntArray | None
    masks: Mapping[str, BoolArray]
    name: str
    original: IntArray | None

    def __init__(
        self,
        edges: ArrayLike,
        features: ArrayLike | Features,
        *,
        directed: bool | None = None,
        labels: ArrayLike | None = None,
        masks: Mapping[str, ArrayLike] | None = None,
        name: str = "",
        original: ArrayLike | None = None,
    ) -> None:
        put = object.__setattr__
        held = features if isinstance(features, Features) else Features.from_dense(features)
        n = held.num_rows
        if n < 1:
            raise InputError("graph: expected at least one vertex, got none")
        index = frozen_ints(edges, "edges")
        if index.size == 0:
            index = index.reshape(2, 0)
        if index.ndim != 2 or index.shape[0] != 2:
            raise InputError(f"edges: expected shape 2 x E, got {'x'.join(map(str, index.shape))}")
        outside = (index < 0) | (index >= n)
        if outside.any():
            u, v = index[:, np.argmax(outside.any(axis=0))]
            raise InputError(f"edges: ({u}, {v}) is out of range, there are {n} vertices")
        order = np.lexsort((index[0], index[1]))
        sources, targets = index[0, order], index[1, order]
        again = (np.diff(sources) == 0) & (np.diff(targets) == 0)
        if again.any():
            at = int(np.argmax(again))
            raise InputError(f"edges: ({sources[at]}, {targets[at]}) is given twice")
        for array in (sources, targets):
            array.setflags(write=False)
        put(self, "num_vertices", n)
        put(self, "sources", sources)
        put(self, "targets", targets)
        put(self, "features", held)
        put(self, "directed", self._direction(directed))
        put(self, "labels", self._labels(labels))
        put(self, "masks", MappingProxyType({key: self._mask(key, mask) for key, mask in (masks or {}).items()}))
        put(self, "name", str(name))
        put(self, "original", self._original(original))

    def _direction(self, directed: bool | None) -> bool:
        if directed:
            return True
        if directed is None and self.sources.size == 0:
            raise InputError("edges: a graph without edges must be told directed=True or directed=False")
        order = np.lexsort((self.targets, self.sources))
        same = (self.sources[order] == self.targets) & (self.targets[order] == self.sources)
        if directed is None:
            return not bool(same.all())
        if not same.all():
            forward = self.sources * self.num_vertices + self.targets
            reverse = self.targets * self.num_vertices + self.sources
            lonely = int(np.argmin(np.isin(reverse, forward)))
            u, v = self.sources[lonely], self.targets[lonely]
            raise InputError(f"edges: the graph is undirected, but ({u}, {v}) has no reverse ({v}, {u})")
        return False

    def _labels(self, labels: ArrayLike | None) -> IntArray | None:
        if labels is None:
            return None
        array = frozen_ints(labels, "labels")
        if array.ndim > 1 or (array.ndim == 1 and array.size != self.num_vertices):
            raise InputError(f"labels: expected one number or {self.num_vertices} of them, got shape {array.shape}")
        return array

    def _mask(self, key: str, mask: ArrayLike) -> BoolArray:
        array = np.array(mask)
        if array.dtype != np.bool_ or array.shape != (self.num_vertices,):
            raise InputError(f"mask {key}: expected {self.num_vertices} booleans, got {array.dtype} {array.shape}")
        array.setflags(write=False)
        return array

    def _original(self, original: ArrayLike | None) -> IntArray | None:
        if original is None:
            return None
        array = frozen_ints(original, "original")
        if array.shape != (self.num_vertices,):
            raise InputError(f"original: expected {self.num_vertices} numbers, one a vertex, got shape {array.shape}")
        return array

    @cached_property
    def in_ptr(self) -> IntArray:
        """In-neighbours of v are `sources[in_ptr[v]:in_ptr[v + 1]]`."""
        return np.searchsorted(self.targets, np.arange(self.num_vertices + 1)).astype(np.int64)

    def in_neighbours(self, vertex: int) -> IntArray:
        return self.sources[self.in_ptr[vertex] : self.in_ptr[vertex + 1]]

    def edges_into(self, vertices: IntArray) -> tuple[IntArray, IntArray]:
        """Sources and targets of all edges into these vertices, vertex by vertex."""
        counts = self.in_ptr[vertices + 1] - self.in_ptr[vertices]
        rank = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        return self.sources[np.repeat(self.in_ptr[vertices], counts) + rank], np.repeat(vertices, counts)

    @cached_property
    def num_loops(self) -> int:
        return int((self.sources == self.targets).sum())

    @cached_property
    def _out_order(self) -> tuple[IntArray, IntArray]:
        order = np.lexsort((self.targets, self.sources))
        ptr = np.searchsorted(self.sources[order], np.arange(self.num_vertices + 1)).astype(np.int64)
        return ptr, self.targets[order]

    def out_neighbours(self, vertex: int) -> IntArray:
        ptr, targets = self._out_order
        return targets[ptr[vertex] : ptr[vertex + 1]]

    def has_edge(self, source: int, target: int) -> bool:
        found = self.in_neighbours(target)
        at = int(np.searchsorted(found, source))
        return at < found.size and int(found[at]) == source

    def pair(self, u: int, v: int) -> Pair:
        """The name of a pair: as given in a directed graph, smaller vertex first in an undirected one."""
        for vertex in (u, v):
            if not 0 <= vertex < self.num_vertices:
                raise InputError(f"pair ({u}, {v}) is out of range, there are {self.num_vertices} vertices")
        return (int(u), int(v)) if self.directed or u <= v else (int(v), int(u))

    def edge_pairs(self) -> list[Pair]:
        """Every edge once, under its name."""
        kept = slice(None) if self.directed else self.sources <= self.targets
        return list(zip(self.sources[kept].tolist(), self.targets[kept].tolist(), strict=True))

    def flip(self, pairs: Iterable[Pair]) -> Graph:
        """The graph with these pairs flipped: edges deleted where they are, inserted where they are not."""
        edges = set(zip(self.sources.tolist(), self.targets.tolist(), strict=True))
        for u, v in {self.pair(u, v) for u, v in pairs}:
            edges ^= {(u, v)} if self.directed else {(u, v), (v, u)}
        index = np.array(sorted(edges), dtype=np.int64).reshape(-1, 2).T
        return Graph(
            index, self.features, directed=self.directed, labels=self.labels, masks=self.masks, name=self.name,
            original=self.original,
        )  # fmt: skip

    def to_undirected(self) -> Graph:
        """The graph with every edge in both directions; self-loops stay single.

        >>> Graph([[0, 2], [1, 2]], [[1.0]] * 3).to_undirected()
        Graph(3 vertices, 2 undirected edges, 1 feature)
        """
        from .reshape import undirected

        return undirected(self)

    def largest_component(self) -> Graph:
        """The largest component (directions aside), its vertices numbered anew; `original` says what they were called.

        >>> Graph([[1, 2], [2, 1]], [[1.0]] * 3).largest_component().original
        array([1, 2])
        """
        from .reshape import largest_component

        return largest_component(self)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of everything that determines a verdict."""
        held = self.features
        return content_hash(
            self.num_vertices, self.directed, self.sources, self.targets,
            held.ptr, held.columns, held.values, held.num_columns,
        )  # fmt: skip

    def __getstate__(self) -> dict[str, Any]:
        """For other processes: a read-only view of a dict cannot travel."""
        return {**self.__dict__, "masks": dict(self.masks)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, masks=MappingProxyType(state["masks"]))

    @classmethod
    def from_raw(cls, raw: RawGraph, *, directed: bool | None = None) -> Graph:
        """Validate what a reader of `convert/` found in a file."""
        try:
            features = Features(*raw.features)
            if features.num_rows != raw.num_vertices:
                raise InputError(f"features: expected {raw.num_vertices} rows, got {features.num_rows}")
            sources, targets = frozen_ints(raw.sources, "edges"), frozen_ints(raw.targets, "edges")
            if sources.ndim != 1 or sources.shape != targets.shape:
                raise InputError("edges: expected as many sources as targets")
            said = raw.directed if directed is None else directed
            edges = np.stack([sources, targets])
            return cls(
                edges, features, directed=said, labels=raw.labels, masks=raw.masks, name=raw.name,
                original=raw.original,
            )  # fmt: skip
        except InputError as problem:
            raise InputError(f"{raw.origin}: {problem}") from None

    @classmethod
    def load(cls, path: str | PathLike[str], *, directed: bool | None = None, index: int | None = None) -> Graph:
        """Read `.npz`, or `.graph` with its `.feat` beside it; `index` picks one graph of a graph-level file."""
        from ..convert.files import read_graph

        return cls.from_raw(read_graph(path, index), directed=directed)

    def save(self, path: str | PathLike[str]) -> None:
        """Write `.npz`, or `.graph` with its `.feat` beside it; the latter carry neither labels nor masks."""
        from ..convert.files import write_graphs

        write_graphs([self.to_raw()], path)

    def to_raw(self) -> RawGraph:
        """Plain arrays for the writers of `convert/`."""
        from ..convert.raw import RawGraph

        held = self.features
        features = (held.ptr, held.columns, held.values, held.num_columns)
        return RawGraph(
            self.num_vertices, self.sources, self.targets, features, self.labels, self.directed, dict(self.masks),
            self.name, origin=self.name or "graph", original=self.original,
        )  # fmt: skip

    def __repr__(self) -> str:
        edges = len(self.edge_pairs()) if not self.directed else self.sources.size
        kind = "directed" if self.directed else "undirected"
        name = f"{self.name!r}, " if self.name else ""
        columns = self.features.num_columns
        return (
            f"Graph({name}{self.num_vertices} vert{'ices' if self.num_vertices != 1 else 'ex'}, "
            f"{edges} {kind} edge{'s' if edges != 1 else ''}, {columns} feature{'s' if columns != 1 else ''})"
        )

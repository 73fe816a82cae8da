"""Datasets as NumPy archives: one graph (node tasks), or many in one file (graph tasks), with 0/1 features."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, overload

import numpy as np

from ..errors import InputError
from .npz import Archive
from .raw import RawGraph

# A count in a damaged file must not allocate: past this, every vertex needs an edge or a feature in the file.
_BARE_VERTICES = 1_000_000

_Array = np.ndarray[Any, Any]


def read(path: Path) -> Sequence[RawGraph]:
    """The graphs of the file: one of a node-level file, all of a graph-level file."""
    archive = Archive(path)
    common = _read_common(archive)
    if "node_ptr" not in archive and "edge_ptr" not in archive:
        whole = np.array([0, common.num_vertices]), np.array([0, common.edges.shape[1]])
        return _Slices(path, common, *whole, per_vertex=True)
    num_graphs = archive.whole("num_graphs")
    node_ptr = _pointers(archive, "node_ptr", num_graphs, common.num_vertices)
    edge_ptr = _pointers(archive, "edge_ptr", num_graphs, common.edges.shape[1])
    return _Slices(path, common, node_ptr, edge_ptr, per_vertex=False)


class _Common(NamedTuple):
    """feature_ptr and columns are the compressed rows of all vertices of the file."""

    num_vertices: int
    edges: _Array
    feature_ptr: _Array
    columns: _Array
    num_features: int
    labels: _Array


class _Slices(Sequence[RawGraph]):
    """Cuts a graph out of the file's arrays when it is asked for."""

    def __init__(self, path: Path, common: _Common, node_ptr: _Array, edge_ptr: _Array, *, per_vertex: bool) -> None:
        things = common.num_vertices if per_vertex else len(node_ptr) - 1
        if common.labels.size != things:
            raise InputError(f"{path}: y: expected {things} classes, got {common.labels.size}")
        self._path, self._common, self._per_vertex = path, common, per_vertex
        self._node_ptr, self._edge_ptr = node_ptr, edge_ptr

    def __len__(self) -> int:
        return len(self._node_ptr) - 1

    @overload
    def __getitem__(self, index: int) -> RawGraph: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[RawGraph]: ...
    def __getitem__(self, index: int | slice) -> RawGraph | Sequence[RawGraph]:
        if isinstance(index, slice):
            return [self[one] for one in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        index %= len(self)
        held = self._common
        first, last = (int(at) for at in self._node_ptr[index : index + 2])
        edges = held.edges[:, self._edge_ptr[index] : self._edge_ptr[index + 1]]
        ptr = held.feature_ptr[first : last + 1]
        columns = held.columns[ptr[0] : ptr[-1]]
        alone = self._per_vertex
        return RawGraph(
            num_vertices=last - first,
            sources=edges[0],
            targets=edges[1],
            features=(ptr - ptr[0], columns, np.ones(columns.size), held.num_features),
            labels=held.labels if alone else held.labels[index],
            directed=None,
            masks={},
            name=self._path.stem if alone else f"{self._path.stem}[{index}]",
            origin=str(self._path) if alone else f"{self._path}: graph {index}",
        )


def _read_common(archive: Archive) -> _Common:
    path = archive.path
    n, num_features = archive.whole("num_nodes"), archive.whole("num_features")
    edges = archive.array("edge_index", "iu", 2)
    rows, columns = archive.array("x_row", "iu", 1), archive.array("x_col", "iu", 1)
    labels = archive.array("y", "iu", 1)
    if edges.shape[0] != 2:
        raise InputError(f"{path}: edge_index: expected shape 2xE, got {'x'.join(map(str, edges.shape))}")
    if n < 1:
        raise InputError(f"{path}: num_nodes: expected at least one vertex, got {n}")
    if n > _BARE_VERTICES + edges.size + rows.size:
        raise InputError(f"{path}: num_nodes: {n} vertices do not fit {edges.shape[1]} edges and {rows.size} features")
    if rows.size != columns.size:
        raise InputError(f"{path}: x_row, x_col: expected equal lengths, got {rows.size} and {columns.size}")
    if rows.size and not (rows.min() >= 0 and rows.max() < n):
        bad = int(rows.min()) if rows.min() < 0 else int(rows.max())
        raise InputError(f"{path}: x_row: {bad} is out of range, there are {n} vertices")
    if columns.size and not (columns.min() >= 0 and columns.max() < num_features):
        bad = int(columns.min()) if columns.min() < 0 else int(columns.max())
        raise InputError(f"{path}: x_col: {bad} is out of range, there are {num_features} features")
    order = np.lexsort((columns, rows))
    rows, columns = rows[order].astype(np.int64), columns[order].astype(np.int64)
    again = (np.diff(rows) == 0) & (np.diff(columns) == 0)
    if again.any():
        at = int(np.argmax(again))
        raise InputError(f"{path}: x_row, x_col: feature ({rows[at]}, {columns[at]}) is given twice")
    return _Common(n, edges, np.searchsorted(rows, np.arange(n + 1)), columns, num_features, labels)


def _pointers(archive: Archive, field: str, num_graphs: int, total: int) -> _Array:
    ptr = archive.array(field, "iu", 1)
    if ptr.size != num_graphs + 1 or num_graphs < 1:
        raise InputError(f"{archive.path}: {field}: expected num_graphs + 1 entries, got {ptr.size} for {num_graphs}")
    if ptr[0] != 0 or ptr[-1] != total or (ptr[1:] < ptr[:-1]).any():
        raise InputError(f"{archive.path}: {field}: expected numbers that rise from 0 to {total}")
    return ptr.astype(np.int64)

"""Datasets as NumPy archives: one graph (node tasks), or many in one file (graph tasks).

Features are 0 and 1 unless `x_val` gives their values. `y`, `directed`, `name`, `original` and masks
(`train_mask`, ...) may be missing.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, overload

import numpy as np

from ..errors import InputError
from .disk import write_all
from .npz import Archive
from .raw import RawGraph

# A count in a damaged file must not allocate: past this, every vertex needs an edge or a feature in the file.
_BARE_VERTICES = 1_000_000

_MASK = "_mask"

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
    """feature_ptr, columns and values are the compressed rows of all vertices of the file."""

    num_vertices: int
    edges: _Array
    feature_ptr: _Array
    columns: _Array
    values: _Array
    num_features: int
    labels: _Array | None
    directed: bool | None
    masks: dict[str, _Array]
    name: str
    original: _Array | None


class _Slices(Sequence[RawGraph]):
    """Cuts a graph out of the file's arrays when it is asked for."""

    def __init__(self, path: Path, common: _Common, node_ptr: _Array, edge_ptr: _Array, *, per_vertex: bool) -> None:
        things = common.num_vertices if per_vertex else len(node_ptr) - 1
        if common.labels is not None and common.labels.size != things:
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
        stored = slice(ptr[0], ptr[-1])
        alone = self._per_vertex
        labels = held.labels if alone or held.labels is None else held.labels[index]
        return RawGraph(
            num_vertices=last - first,
            sources=edges[0],
            targets=edges[1],
            features=(ptr - ptr[0], held.columns[stored], held.values[stored], held.num_features),
            labels=labels,
            directed=held.directed,
            masks={key: mask[first:last] for key, mask in held.masks.items()},
            original=None if held.original is None else held.original[first:last],
            name=held.name or self._path.stem if alone else f"{self._path.stem}[{index}]",
            origin=str(self._path) if alone else f"{self._path}: graph {index}",
        )


def _read_common(archive: Archive) -> _Common:
    path = archive.path
    n, num_features = archive.whole("num_nodes"), archive.whole("num_features")
    edges = archive.array("edge_index", "iu", 2)
    rows, columns = archive.array("x_row", "iu", 1), archive.array("x_col", "iu", 1)
    values = archive.array("x_val", "f", 1) if "x_val" in archive else np.ones(rows.size)
    if edges.shape[0] != 2:
        raise InputError(f"{path}: edge_index: expected shape 2xE, got {'x'.join(map(str, edges.shape))}")
    if n < 1:
        raise InputError(f"{path}: num_nodes: expected at least one vertex, got {n}")
    if n > _BARE_VERTICES + edges.size + rows.size:
        raise InputError(f"{path}: num_nodes: {n} vertices do not fit {edges.shape[1]} edges and {rows.size} features")
    if rows.size != columns.size:
        raise InputError(f"{path}: x_row, x_col: expected equal lengths, got {rows.size} and {columns.size}")
    if values.size != rows.size:
        raise InputError(f"{path}: x_val: expected {rows.size} values, one a feature, got {values.size}")
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
    return _Common(
        n, edges, np.searchsorted(rows, np.arange(n + 1)), columns, values[order], num_features,
        labels=archive.array("y", "iu", 1) if "y" in archive else None,
        directed=bool(archive.array("directed", "b", 0)[()]) if "directed" in archive else None,
        masks=dict(_read_masks(archive, n)),
        name=archive.text("name") if "name" in archive else "",
        original=_read_original(archive, n),
    )  # fmt: skip


def _read_original(archive: Archive, n: int) -> _Array | None:
    if "original" not in archive:
        return None
    original = archive.array("original", "iu", 1)
    if original.size != n:
        raise InputError(f"{archive.path}: original: expected {n} numbers, one a vertex, got {original.size}")
    return original


def _read_masks(archive: Archive, n: int) -> Iterator[tuple[str, _Array]]:
    for field in archive.fields():
        if field.endswith(_MASK):
            mask = archive.array(field, "b", 1)
            if mask.size != n:
                raise InputError(f"{archive.path}: {field}: expected {n} booleans, one a vertex, got {mask.size}")
            yield field.removesuffix(_MASK), mask


def _pointers(archive: Archive, field: str, num_graphs: int, total: int) -> _Array:
    ptr = archive.array(field, "iu", 1)
    if ptr.size != num_graphs + 1 or num_graphs < 1:
        raise InputError(f"{archive.path}: {field}: expected num_graphs + 1 entries, got {ptr.size} for {num_graphs}")
    if ptr[0] != 0 or ptr[-1] != total or (ptr[1:] < ptr[:-1]).any():
        raise InputError(f"{archive.path}: {field}: expected numbers that rise from 0 to {total}")
    return ptr.astype(np.int64)


def write(raws: Sequence[RawGraph], path: Path) -> None:
    """One graph, or many of one kind; nothing but the names of many stays behind."""
    first = raws[0]
    for raw in raws:
        if raw.directed != first.directed or raw.features[3] != first.features[3] or set(raw.masks) != set(first.masks):
            raise InputError(f"{path}: expected graphs with the same direction, number of features and masks")
    arrays = _common_arrays(raws)
    labels = [None if raw.labels is None else np.asarray(raw.labels) for raw in raws]
    if len(raws) == 1 and (labels[0] is None or labels[0].ndim == 1):
        if first.name:
            arrays["name"] = np.array(first.name)
        known = labels[0]
    else:
        if any(one is not None and one.ndim for one in labels) or len({one is None for one in labels}) > 1:
            raise InputError(f"{path}: labels: expected one class a graph, or none at all")
        arrays["num_graphs"] = np.array(len(raws))
        arrays["node_ptr"] = _cumulated([raw.num_vertices for raw in raws])
        arrays["edge_ptr"] = _cumulated([len(raw.sources) for raw in raws])
        known = None if labels[0] is None else np.array(labels)
    if known is not None:
        arrays |= {"y": known, "num_classes": np.array(known.max() + 1)}
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    write_all({path: [file.getvalue()]})


def _common_arrays(raws: Sequence[RawGraph]) -> dict[str, Any]:
    counts = np.concatenate([np.diff(raw.features[0]) for raw in raws])
    values = np.concatenate([np.asarray(raw.features[2], np.float64) for raw in raws])
    arrays: dict[str, Any] = {
        "num_nodes": np.array(counts.size),
        "num_features": np.array(raws[0].features[3]),
        "edge_index": np.concatenate([np.stack([raw.sources, raw.targets]) for raw in raws], axis=1),
        "x_row": np.repeat(np.arange(counts.size), counts),
        "x_col": np.concatenate([np.asarray(raw.features[1], np.int64) for raw in raws]),
    }
    if (values != 1).any():
        arrays["x_val"] = values
    if raws[0].directed is not None:
        arrays["directed"] = np.array(raws[0].directed)
    if all(raw.original is not None for raw in raws):
        arrays["original"] = np.concatenate([np.asarray(raw.original, np.int64) for raw in raws])
    for key in raws[0].masks:
        arrays[key + _MASK] = np.concatenate([np.asarray(raw.masks[key], np.bool_) for raw in raws])
    return arrays


def _cumulated(counts: Sequence[int]) -> _Array:
    return np.cumsum([0, *counts])

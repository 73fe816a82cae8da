"""Vertex features, stored sparse: one row a vertex."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from .arrays import FloatArray, IntArray, frozen_floats, frozen_ints


@dataclass(frozen=True, eq=False)
class Features:
    """Compressed rows: vertex v has `values[ptr[v]:ptr[v+1]]` at `columns[ptr[v]:ptr[v+1]]`, ascending."""

    ptr: IntArray
    columns: IntArray
    values: FloatArray
    num_columns: int

    def __init__(self, ptr: ArrayLike, columns: ArrayLike, values: ArrayLike, num_columns: int) -> None:
        put = object.__setattr__
        put(self, "ptr", frozen_ints(ptr, "feature rows"))
        put(self, "columns", frozen_ints(columns, "feature columns"))
        put(self, "values", frozen_floats(values, "feature values", (self.columns.size,)))
        put(self, "num_columns", int(num_columns))
        if self.num_columns < 1:
            raise InputError(f"features: expected at least one column, got {num_columns}")
        if self.ptr.ndim != 1 or self.ptr.size < 1 or self.ptr[0] != 0 or (np.diff(self.ptr) < 0).any():
            raise InputError("features: row pointers must start at 0 and never fall")
        if self.ptr[-1] != self.columns.size or self.columns.ndim != 1:
            raise InputError(f"features: expected {self.ptr[-1]} entries, got {self.columns.size}")
        if self.columns.size and not (self.columns.min() >= 0 and self.columns.max() < self.num_columns):
            raise InputError(
                f"features: column {int(self.columns.max())} is out of range, there are {self.num_columns} columns"
            )
        rows = np.repeat(np.arange(self.num_rows), np.diff(self.ptr))
        falling = (np.diff(self.columns) <= 0) & (np.diff(rows) == 0)
        if falling.any():
            row = int(rows[1:][falling][0])
            raise InputError(f"features: columns of row {row} must ascend without repeats")

    @classmethod
    def from_dense(cls, matrix: ArrayLike) -> Features:
        dense = frozen_floats(matrix, "features", (None, None))
        rows, columns = np.nonzero(dense)
        ptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=dense.shape[0]))])
        return cls(ptr, columns, dense[rows, columns], dense.shape[1])

    @property
    def num_rows(self) -> int:
        return int(self.ptr.size - 1)

    def row(self, vertex: int) -> tuple[IntArray, FloatArray]:
        """Columns and values of one vertex."""
        span = slice(self.ptr[vertex], self.ptr[vertex + 1])
        return self.columns[span], self.values[span]

    def _entries(self, chosen: IntArray) -> tuple[IntArray, IntArray]:
        """How many entries these rows have, and where those stand: start of the row plus rank within it."""
        counts = self.ptr[chosen + 1] - self.ptr[chosen]
        rank = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        return counts, np.repeat(self.ptr[chosen], counts) + rank

    def take(self, vertices: IntArray) -> Features:
        """The rows of these vertices."""
        counts, at = self._entries(vertices)
        ptr = np.concatenate([[0], np.cumsum(counts)])
        return self._with(ptr, self.columns[at], self.values[at])

    def magnitudes(self) -> Features:
        return self._with(self.ptr, self.columns, abs(self.values))

    def _with(self, ptr: IntArray, columns: IntArray, values: FloatArray) -> Features:
        """Made of what has been checked: checking takes longer than what is done with a few rows."""
        out, put = object.__new__(Features), object.__setattr__
        for name, array in (("ptr", ptr), ("columns", columns), ("values", values)):
            array.setflags(write=False)
            put(out, name, array)
        put(out, "num_columns", self.num_columns)
        return out

    def dense(self, vertices: ArrayLike | None = None) -> FloatArray:
        """The rows of these vertices (all by default) as a matrix."""
        chosen = np.arange(self.num_rows) if vertices is None else np.asarray(vertices, dtype=np.int64)
        out = np.zeros((chosen.size, self.num_columns))
        counts, at = self._entries(chosen)
        rows = np.repeat(np.arange(chosen.size), counts)
        out[rows, self.columns[at]] = self.values[at]
        return out

    def __repr__(self) -> str:
        return f"Features({self.num_rows} x {self.num_columns}, {self.values.size} nonzero)"

"""Sums over in-neighbours, for all vertices at once."""

from __future__ import annotations

from ..jit.decorators import entry


@entry
def gather_weighted(in_ptr, source, weight, rows, out):
    """out[v] = sum of weight[x] * rows[x] over the in-neighbours x of v; rows, out: (n, m)."""
    m = rows.shape[1]
    for v in range(out.shape[0]):
        row = out[v]
        for i in range(m):
            row[i] = 0.0
        for k in range(in_ptr[v], in_ptr[v + 1]):
            x = source[k]
            other, factor = rows[x], weight[x]
            for i in range(m):
                row[i] += factor * other[i]


@entry
def gather_largest(in_ptr, source, rows, out):
    """out[v] = largest rows[x] over the in-neighbours x of v, entry by entry, 0 where there are none."""
    m = rows.shape[1]
    for v in range(out.shape[0]):
        row = out[v]
        for i in range(m):
            row[i] = 0.0
        for k in range(in_ptr[v], in_ptr[v + 1]):
            other = rows[source[k]]
            for i in range(m):
                row[i] = other[i] if k == in_ptr[v] else max(row[i], other[i])

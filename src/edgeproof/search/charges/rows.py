"""Rows of a graph some of whose edges may be gone (seen.py)."""

from __future__ import annotations

from ..base.layout import SENT
from ..jit.decorators import entry, leaf
from .layout import GONE
from .scales import beta


@leaf
def row_of(b, layer, kind, v):
    width, at = b.width[layer + 1], b.place[v]
    if at > 0:
        start = b.patch_at[layer, kind]
        return b.patch[at - 1, start : start + width]
    start = b.block[layer, kind] + v * width
    return b.rows[start : start + width]


@entry
def regather(b, layer, vertices, status, out):
    """out[r] = sum of beta(x) * sent(x) over the in-neighbours x of vertices[r] that are left."""
    width = b.width[layer + 1]
    for r in range(vertices.size):
        v, row = vertices[r], out[r]
        for k in range(b.in_ptr[v], b.in_ptr[v + 1]):
            if status[k] == GONE:
                continue
            x = b.source[k]
            other, factor = row_of(b, layer, SENT, x), beta(b, b.how[layer], x, 0)
            for i in range(width):
                row[i] += factor * other[i]

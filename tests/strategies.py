"""Hypothesis strategies: small networks and graphs of every kind, and damaged bytes."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import strategies as st

from edgeproof import Graph, Layer, Network, Readout

POOLS = ("sum", "max", "mean")
AGGREGATIONS = (*POOLS, "gcn")
ACTIVATIONS = ("relu", "leaky_relu", "none")
weights = st.floats(-1e300, 1e300) | st.floats(-4, 4, width=32) | st.integers(-3, 3).map(float)


def matrices(rows: int, columns: int) -> st.SearchStrategy[np.ndarray]:
    size = rows * columns
    return st.lists(weights, min_size=size, max_size=size).map(lambda flat: np.array(flat).reshape(rows, columns))


def vectors(size: int) -> st.SearchStrategy[np.ndarray]:
    return matrices(1, size).map(lambda matrix: matrix[0])


def slopes(size: int) -> st.SearchStrategy[float | list[float]]:
    """Of an activation on negative numbers: one for all, or one an output."""
    return st.floats(0, 1) | st.lists(st.floats(0, 1), min_size=size, max_size=size)


@st.composite
def networks(draw: st.DrawFn, *, paper: bool = False) -> Network:
    """Any network; paper: one that `.gnnx` can carry."""
    widths = draw(st.lists(st.integers(1, 3), min_size=1, max_size=4))
    is_graph = draw(st.booleans())
    widths.append(draw(st.integers(1 if is_graph else 2, 3)))
    shared = draw(st.sampled_from(POOLS))
    layers = []
    for at, (width, out) in enumerate(pairwise(widths), 1):
        aggregation = shared if paper else draw(st.sampled_from(AGGREGATIONS))
        activation = ("relu" if at < len(widths) - 1 else "none") if paper else draw(st.sampled_from(ACTIVATIONS))
        C, A, b = draw(matrices(out, width)), draw(matrices(out, width)), draw(vectors(out))
        layers.append(Layer(C, A, b, aggregation, activation, draw(slopes(out))))
    readout, head = None, []
    if is_graph:
        widths = [widths[-1], *draw(st.lists(st.integers(1, 3), max_size=0 if paper else 2)), draw(st.integers(2, 3))]
        pool = "sum" if paper else draw(st.sampled_from(POOLS))
        readout = Readout(draw(matrices(widths[1], widths[0])), draw(vectors(widths[1])), pool)
        for width, out in pairwise(widths[1:]):
            activation = draw(st.sampled_from(ACTIVATIONS))
            head.append(Layer.dense(draw(matrices(out, width)), draw(vectors(out)), activation, draw(slopes(out))))
    return Network(layers, readout, draw(st.text(max_size=5)), head)


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    n = draw(st.integers(1, 5))
    directed = draw(st.booleans())
    chosen = draw(st.sets(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=8))
    if not directed:
        chosen |= {(v, u) for u, v in chosen}
    edges = np.array(sorted(chosen), dtype=np.int64).reshape(-1, 2).T
    return Graph(edges, draw(matrices(n, draw(st.integers(1, 3)))), directed=directed)


@st.composite
def damaged(draw: st.DrawFn, data: bytes) -> bytes:
    """Truncated, with bytes changed, or with a piece cut out, repeated or put elsewhere."""
    places = st.integers(0, len(data))
    kind = draw(st.sampled_from(("truncate", "change", "splice", "append")))
    if kind == "truncate":
        return data[: draw(places)]
    if kind == "append":
        return data + draw(st.binary(min_size=1, max_size=20))
    if kind == "splice":
        first, last, put = *sorted((draw(places), draw(places))), draw(places)
        return data[:put] + data[first:last] + data[draw(st.sampled_from((put, last))) :]
    changed = bytearray(data)
    for at in draw(st.lists(st.integers(0, max(0, len(data) - 1)), min_size=1, max_size=4)):
        if changed:
            changed[at] = draw(st.integers(0, 255) | st.sampled_from(b" \n-0129.eEinfna,"))
    return bytes(changed)

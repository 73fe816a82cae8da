"""Where the vertices of a picture go: distances on paper follow distances in the graph.

Stress majorisation (Gansner, Koren, North: Graph drawing by stress majorization, 2004) from a start by classical
scaling, so that the same graph gives the same picture.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Positions = NDArray[np.float64]
ROUNDS = 60


def place(count: int, edges: Sequence[tuple[int, int]]) -> Positions:
    """One point a vertex, spread over the unit square; `edges` are pairs of numbers below `count`."""
    if count == 1:
        return np.full((1, 2), 0.5)
    wanted = _distances(count, edges)
    points = _scale(wanted)
    np.fill_diagonal(wanted, 1.0)
    weights = wanted**-2.0
    np.fill_diagonal(weights, 0.0)
    for _ in range(ROUNDS):
        gaps = points[:, None] - points[None]
        lengths = np.maximum(np.sqrt((gaps**2).sum(axis=2)), 1e-9)
        pull = points[None] + gaps * (wanted / lengths)[:, :, None]
        points = (weights[:, :, None] * pull).sum(axis=1) / weights.sum(axis=1)[:, None]
    points = points - points.min(axis=0)
    span = points.max(axis=0)
    # an axis without extent stays in the middle
    return np.where(span > 1e-6, points / np.maximum(span, 1e-6), 0.5)


def _distances(count: int, edges: Sequence[tuple[int, int]]) -> Positions:
    """Steps between all vertices; parts that are not connected stand a little further apart than the widest."""
    steps = np.full((count, count), np.inf)
    np.fill_diagonal(steps, 0.0)
    for u, v in edges:
        if u != v:
            steps[u, v] = steps[v, u] = 1.0
    for k in range(count):
        np.minimum(steps, steps[:, k, None] + steps[None, k], out=steps)
    widest = steps[np.isfinite(steps)].max()
    steps[np.isinf(steps)] = widest + 1.0
    return steps


def _scale(wanted: Positions) -> Positions:
    """The two main directions of the distances; a small spiral on top keeps twins apart."""
    count = len(wanted)
    squares = wanted**2
    centred = -0.5 * (squares - squares.mean(axis=0) - squares.mean(axis=1)[:, None] + squares.mean())
    values, vectors = np.linalg.eigh(centred)
    points = vectors[:, [-1, -2]] * np.sqrt(np.maximum(values[[-1, -2]], 0.0))
    points *= np.where(points[np.abs(points).argmax(axis=0), [0, 1]] < 0, -1.0, 1.0)  # eigenvectors have no sign
    angle = 2.4 * np.arange(count)
    spiral = np.stack([np.cos(angle), np.sin(angle)], axis=1) * (0.05 + 0.1 * np.arange(count)[:, None] / count)
    return np.asarray(points + spiral)

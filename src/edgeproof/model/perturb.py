"""A graph after an attack: pairs flipped, features changed, vertices added."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .arrays import FloatArray
from .features import Features
from .graph import Graph

if TYPE_CHECKING:
    from .verdict import Attack


def perturb(graph: Graph, attack: Attack, pool: FloatArray | None) -> Graph:
    """`pool`: rows of new vertices, which come behind the old ones; true classes and masks leave them out."""
    if attack.injected and pool is not None:
        graph = with_vertices(graph, pool[list(attack.injected)])
    if attack.features:
        graph = with_features(graph, attack.features, attack.values)
    return graph.flip(attack)


def with_vertices(graph: Graph, rows: FloatArray) -> Graph:
    """The graph and one isolated vertex a row. It has no true classes and masks: the new ones have none."""
    held, more = graph.features, Features.from_dense(rows)
    features = Features(
        np.concatenate([held.ptr, held.ptr[-1] + more.ptr[1:]]),
        np.concatenate([held.columns, more.columns]),
        np.concatenate([held.values, more.values]),
        held.num_columns,
    )
    labels = graph.labels if graph.labels is not None and graph.labels.ndim == 0 else None
    edges = np.stack([graph.sources, graph.targets])
    return Graph(edges, features, directed=graph.directed, labels=labels, name=graph.name)


def with_features(graph: Graph, places: tuple[tuple[int, int], ...], values: tuple[float, ...] | None = None) -> Graph:
    """With these features flipped between 0 and 1 or, with `values`, replaced."""
    changed: dict[int, dict[int, float]] = {}
    for at, (vertex, column) in enumerate(places):
        if vertex not in changed:
            columns, held = graph.features.row(vertex)
            changed[vertex] = dict(zip(columns.tolist(), held.tolist(), strict=True))
        row = changed[vertex]
        row[column] = (0.0 if row.get(column, 0.0) else 1.0) if values is None else values[at]
    rows = [graph.features.row(v) if v not in changed else _sorted(changed[v]) for v in range(graph.num_vertices)]
    features = Features(
        np.concatenate([[0], np.cumsum([columns.size for columns, _ in rows])]),
        np.concatenate([columns for columns, _ in rows]),
        np.concatenate([held for _, held in rows]),
        graph.features.num_columns,
    )
    edges = np.stack([graph.sources, graph.targets])
    return Graph(
        edges, features, directed=graph.directed, labels=graph.labels, masks=graph.masks, name=graph.name,
        original=graph.original,
    )  # fmt: skip


def _sorted(row: dict[int, float]) -> tuple[np.ndarray, np.ndarray]:
    columns = sorted(column for column, value in row.items() if value != 0.0)
    return np.array(columns, dtype=np.int64), np.array([row[column] for column in columns], dtype=np.float64)

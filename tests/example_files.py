"""Small files of every kind, for tests that load them or damage them."""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from edgeproof import Graph, Layer, Network, Readout


def a_network(pool: str = "sum") -> Network:
    first = Layer([[1.0, -2.0], [0.5, 1e-3]], [[1.0, 0.0], [-0.25, 3.0]], [0.0, 1.0], "mean", "relu")
    last = Layer([[1.0, 1.0], [0.0, 2.0]], [[0.0, 1.0], [1.0, 0.5]], [0.5, -0.5], "mean", "none")
    return Network([first, last], Readout([[1.0, 0.0], [0.0, 1.0]], [0.0, 0.1], pool), "small")


def a_graph() -> Graph:
    return Graph([[0, 1, 1, 2, 2], [1, 0, 2, 1, 2]], [[1.0, 0.5], [0.0, 0.0], [-3.0, 1e-9]], directed=False)


def model_arrays() -> dict[str, Any]:
    network = a_network()
    arrays: dict[str, Any] = {"aggr": "mean", "task": "graph", "dataset": "small", "dims": np.array([2, 2, 2, 2])}
    for at, layer in enumerate(network.layers, 1):
        arrays |= {f"C{at}": layer.C, f"A{at}": layer.A, f"b{at}": layer.b}
    assert network.readout is not None
    return arrays | {"C_out": network.readout.C, "b_out": network.readout.b}


def node_arrays() -> dict[str, Any]:
    return {
        "edge_index": np.array([[0, 1, 2], [1, 2, 2]], dtype=np.int32),
        "x_row": np.array([0, 1, 1], dtype=np.int32), "x_col": np.array([1, 0, 1], dtype=np.int32),
        "y": np.array([0, 1, 1]), "num_nodes": np.int64(3), "num_features": np.int64(2), "num_classes": np.int64(2),
    }  # fmt: skip


def graph_arrays() -> dict[str, Any]:
    changed = {
        "edge_index": np.array([[0, 1, 0], [1, 0, 0]], dtype=np.int32), "y": np.array([1, 0]),
        "node_ptr": np.array([0, 2, 3], dtype=np.int32), "edge_ptr": np.array([0, 2, 3], dtype=np.int32),
        "num_graphs": np.int64(2),
    }  # fmt: skip
    return node_arrays() | changed


def saved_arrays() -> dict[str, Any]:
    """With everything that a file may have besides."""
    return node_arrays() | {
        "x_val": np.array([0.5, 1.0, -2.0]), "directed": np.array(True), "name": np.array("small"),
        "train_mask": np.array([True, False, True]),
    }  # fmt: skip


def npz(arrays: dict[str, Any]) -> bytes:
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()

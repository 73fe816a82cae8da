"""The paper's datasets from PyTorch Geometric's own classes, where there is a network; kept as `.npz`."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from ..convert.disk import tell, write_all
from ..convert.pyg.graphs import read_data
from ..convert.pyg.networks import require_torch
from ..convert.raw import RawGraph
from ..errors import InputError

CLASSES = {
    "Cora": "AttributedGraphDataset",
    "CiteSeer": "AttributedGraphDataset",
    "Cornell": "WebKB",
    "Texas": "WebKB",
    "Wisconsin": "WebKB",
    "MUTAG": "TUDataset",
    "ENZYMES": "TUDataset",
}


def fetch_dataset(name: str, path: Path) -> None:
    """Download it and write it to `path`."""
    try:
        require_torch()
    except InputError as problem:
        raise InputError(f"{path}: expected this file, or PyTorch Geometric to download it; {problem}") from None
    from torch_geometric import datasets

    with TemporaryDirectory() as root:
        try:
            found = list(getattr(datasets, CLASSES[name])(root, name))
        except Exception as problem:  # without a network, every class fails in its own way
            raise InputError(
                f"{path}: expected this file; downloading {name} failed ({tell(problem)}): a network connection is "
                "needed, or --data with a folder that has it"
            ) from None
    graphs = [_plain(data) for data in found]
    path.parent.mkdir(parents=True, exist_ok=True)
    write_all({path: [pack(graphs, together=CLASSES[name] != "TUDataset")]})


def _plain(data: Any) -> RawGraph:
    data.edge_attr = None  # bonds of MUTAG: no model here reads them
    (graph,), _ = read_data(data)
    return graph


def pack(graphs: Sequence[RawGraph], *, together: bool) -> bytes:
    """The archive that `convert/dataset_npz.py` reads. `together`: one graph with a class a vertex."""
    labels = [np.asarray(graph.labels).reshape(-1) for graph in graphs]
    num_vertices = np.array([graph.num_vertices for graph in graphs])
    rows, columns, edges = [], [], []
    for graph, first in zip(graphs, np.cumsum(num_vertices) - num_vertices, strict=True):
        ptr, cols, values, _ = graph.features
        if not (np.asarray(values) == 1).all():
            raise InputError(f"{graph.origin}: x: expected features of 0 and 1")
        rows.append(first + np.repeat(np.arange(graph.num_vertices), np.diff(ptr)))
        columns.append(cols)
        edges.append(np.unique(np.stack([graph.sources, graph.targets]), axis=1))  # sorted, each once
    fields: dict[str, Any] = {
        "edge_index": np.concatenate(edges, axis=1).astype(np.int32),
        "x_row": np.concatenate(rows).astype(np.int32),
        "x_col": np.concatenate(columns).astype(np.int32),
        "y": np.concatenate(labels).astype(np.int64),
        "num_nodes": np.int64(num_vertices.sum()),
        "num_features": np.int64(graphs[0].features[3]),
        "num_classes": np.int64(np.concatenate(labels).max() + 1),
    }
    if not together:
        fields["node_ptr"] = np.concatenate([[0], np.cumsum(num_vertices)]).astype(np.int32)
        fields["edge_ptr"] = np.cumsum([0, *(one.shape[1] for one in edges)]).astype(np.int32)
        fields["num_graphs"] = np.int64(len(graphs))
    out = io.BytesIO()
    np.savez_compressed(out, **fields)
    return out.getvalue()

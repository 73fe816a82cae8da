"""Data and Batch objects become graphs, and attacks go back into them."""

from __future__ import annotations

import pytest

pytest.importorskip("torch_geometric", reason="needs torch and torch_geometric: pip install 'edgeproof[pyg]'")

from typing import Any

import numpy as np
import torch
from torch_geometric.data import Batch, Data, HeteroData

import edgeproof as ep

PATH = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
X = torch.tensor([[0.5, 0.0], [0.0, -1.25], [0.0, 0.0], [1.0, 3.0]])


def data(**changes: Any) -> Data:
    return Data(**({"x": X, "edge_index": PATH} | changes))


def test_features_edges_classes_and_masks_are_kept() -> None:
    test = torch.tensor([True, False, False, True])
    splits = torch.stack([test, ~test], dim=1)
    graph = ep.graph_from_pyg(data(y=torch.tensor([0, 1, 1, 0]), test_mask=test, val_mask=splits))
    assert (graph.num_vertices, graph.directed, graph.edge_pairs()) == (4, False, [(0, 1), (1, 2)])
    assert np.array_equal(graph.features.dense(), X.double().numpy())
    assert graph.labels is not None
    assert graph.labels.tolist() == [0, 1, 1, 0]
    assert {name: mask.tolist() for name, mask in graph.masks.items()} == {
        "test": test.tolist(), "val_0": test.tolist(), "val_1": (~test).tolist()
    }  # fmt: skip


def test_direction_is_seen_or_said() -> None:
    assert ep.graph_from_pyg(data(edge_index=PATH[:, :3])).directed
    assert ep.graph_from_pyg(data(), directed=True).directed
    loops = torch.tensor([[0, 1, 2, 2], [1, 0, 2, 3]])
    assert ep.graph_from_pyg(data(edge_index=loops)).has_edge(2, 2)
    with pytest.raises(ep.InputError, match="data: edges: a graph without edges must be told"):
        ep.graph_from_pyg(data(edge_index=torch.zeros((2, 0), dtype=torch.int64)))


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        (data(edge_attr=torch.ones(4, 1)), r"data.edge_attr: weights and features of edges .* data.edge_attr = None"),
        (data(edge_weight=torch.ones(4)), "data.edge_weight: weights and features of edges"),
        (data(x=None), "data.x: expected a tensor, there is none"),
        (data(edge_index=None), "data.edge_index: expected a tensor, there is none"),
        (data(edge_index=torch.cat([PATH, PATH[:, :1]], dim=1)), r"data: edges: \(0, 1\) is given twice"),
        (data(edge_index=PATH + 2), r"data: edges: \(3, 4\) is out of range"),
        (data(x=X[0]), "data.x: expected real numbers, one row a vertex"),
        (HeteroData(), "expected a Data or Batch object, got HeteroData"),
    ],
)
def test_graphs_are_refused_by_name(given: Any, complaint: str) -> None:
    with pytest.raises(ep.InputError, match=complaint):
        ep.graph_from_pyg(given)


def test_a_batch_becomes_the_graphs_that_it_is_made_of() -> None:
    one, other = data(y=torch.tensor([1])), Data(x=X[:2], edge_index=PATH[:, :2], y=torch.tensor([0]))
    graphs = ep.graph_from_pyg(Batch.from_data_list([one, other]))
    assert isinstance(graphs, tuple)
    assert [graph.num_vertices for graph in graphs] == [4, 2]
    assert [int(graph.labels) for graph in graphs] == [1, 0]
    assert graphs[1].fingerprint == ep.graph_from_pyg(other).fingerprint
    with pytest.raises(ep.InputError, match=r"data\[0\].edge_weight"):
        ep.graph_from_pyg(Batch.from_data_list([data(edge_weight=torch.ones(4))] * 2))


@pytest.mark.parametrize("directed", [True, False])
def test_attacks_go_back_into_the_data(directed: bool) -> None:
    attack = ep.Attack([(0, 1), (0, 3)])
    given = data()
    flipped = attack.to_pyg(given, directed=directed)
    graph = attack.apply(ep.graph_from_pyg(given, directed=directed))
    assert ep.graph_from_pyg(flipped, directed=directed).fingerprint == graph.fingerprint
    assert torch.equal(given.edge_index, PATH)
    assert flipped.edge_index.dtype == torch.int64
    assert (0, 3) in set(map(tuple, flipped.edge_index.t().tolist()))

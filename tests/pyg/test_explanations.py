"""Attacks as explanations of PyTorch Geometric, and the page about them."""

from __future__ import annotations

import pytest

pytest.importorskip("torch_geometric", reason="needs torch and torch_geometric: pip install 'edgeproof[pyg]'")

import re
from pathlib import Path

import torch
from torch_geometric.data import Data

import edgeproof as ep

PAGE = Path(__file__).parents[2] / "docs" / "explanations.md"


def path() -> Data:
    edges = torch.tensor([[0, 1, 1, 2, 2, 3], [1, 0, 2, 1, 3, 2]])
    return Data(x=torch.eye(4), edge_index=edges, y=torch.tensor([0, 0, 1, 1]))


def test_the_mask_is_on_the_deleted_edges_and_the_complement_is_the_graph_after_the_attack() -> None:
    data, attack = path(), ep.Attack([(1, 2)])
    explanation = attack.to_explanation(data)
    assert explanation.validate()
    assert explanation.edge_mask.tolist() == [0.0, 0.0, 1.0, 1.0, 0.0, 0.0]
    assert torch.equal(explanation.get_complement_subgraph().edge_index, attack.to_pyg(data).edge_index)
    assert torch.equal(explanation.y, data.y)


def test_a_directed_graph_loses_one_direction() -> None:
    explanation = ep.Attack([(2, 1)]).to_explanation(path(), directed=True)
    assert explanation.edge_mask.tolist() == [0.0, 0.0, 0.0, 1.0, 0.0, 0.0]


def test_an_insertion_is_refused() -> None:
    with pytest.raises(ep.InputError, match=r"the attack inserts the edge \(0, 3\), expected deletions"):
        ep.Attack([(0, 3), (1, 2)]).to_explanation(path())


def test_the_page_runs_and_prints_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    first, second = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    scope: dict = {}
    exec(first, scope)
    found = scope["r"]
    assert found.exact
    assert int(scope["explanation"].edge_mask.sum()) == 2 * len(found.attack)
    exec(second, scope)
    assert capsys.readouterr().out == "True True\n"

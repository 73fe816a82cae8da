"""The code in docs/pyg.md runs, on a small graph that is generated instead of downloaded."""

from __future__ import annotations

import pytest

pytest.importorskip("torch_geometric", reason="needs torch and torch_geometric: pip install 'edgeproof[pyg]'")

import re
from pathlib import Path

import torch
import torch_geometric.datasets
from torch_geometric.data import Data

PAGE = Path(__file__).parents[2] / "docs" / "pyg.md"


def communities(*args: object) -> list[Data]:
    """Three communities of ten vertices, with features that tell them apart most of the time."""
    torch.manual_seed(0)
    y = torch.arange(30) // 10
    there = torch.rand(30, 30) < torch.where(y[:, None] == y[None], 0.3, 0.03)
    there = torch.triu(there, 1)
    x = torch.nn.functional.one_hot(y, 3).float() + 0.6 * torch.randn(30, 3)
    train = torch.arange(30) % 3 == 0
    return [Data(x=x, edge_index=(there | there.T).nonzero().T, y=y, train_mask=train, test_mask=~train)]


def test_the_page_runs_and_prints_what_it_says(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(torch_geometric.datasets, "Planetoid", communities)
    first, second = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert len(first.splitlines()) < 30
    scope: dict = {}
    exec(first, scope)
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "certified accuracy of 20 nodes"
    assert re.fullmatch(r"     0  \d+\.\d%", printed[2])
    assert len(printed) == 6 + 5
    assert all(" survives " in line for line in printed[6:])
    exec(second, scope)
    assert scope["before"] == scope["broken"].label
    assert scope["after"] == scope["broken"].rival

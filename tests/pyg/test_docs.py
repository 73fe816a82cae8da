"""The code in docs/pyg.md runs, on a small graph that is generated instead of downloaded."""

from __future__ import annotations

import pytest

pytest.importorskip("torch_geometric", reason="needs torch and torch_geometric: pip install 'edgeproof[pyg]'")

import re
import sys
from pathlib import Path

import torch
import torch_geometric.datasets
import torch_geometric.nn
from click.testing import CliRunner
from torch_geometric.data import Data

import edgeproof as ep
from edgeproof.cli import main
from edgeproof.convert.pyg.curved import OF_MODULES
from edgeproof.convert.pyg.modules import PLAIN

ROOT = Path(__file__).parents[2]
PAGE, README = ROOT / "docs" / "pyg.md", ROOT / "README.md"


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


def test_the_tables_are_those_of_the_code() -> None:
    sys.path.insert(0, str(ROOT / "tools"))
    from write_pyg_table import OTHERS, page

    text = PAGE.read_text(encoding="utf-8")
    assert page(text) == text, "docs/pyg.md: run tools/write_pyg_table.py"
    assert {name for some in OTHERS for name in some} == {*PLAIN, *OF_MODULES}


def test_the_readme_s_first_lines_print_what_stands_beside_them(
    capsys: pytest.CaptureFixture[str],
) -> None:
    (lines,) = re.findall(r"```python\n(import torch.*?)```", README.read_text(encoding="utf-8"), flags=re.DOTALL)
    said = re.findall(r"^print\(.*\)  # (.*?)(?::.*)?$", lines, flags=re.MULTILINE)
    exec(lines, {})
    printed = capsys.readouterr().out.splitlines()
    assert printed[: len(said)] == said == ["1 True 2", "True"]
    (table,) = re.findall(r"```text\n(certified accuracy.*?)```", README.read_text(encoding="utf-8"), flags=re.DOTALL)
    found, wanted = printed[len(said) :], table.splitlines()
    assert found[:2] == wanted[:2]
    for row, beside in zip(found[2:], wanted[2:], strict=True):  # training differs a little from processor to processor
        (budget, share), (same, near) = row.split(), beside.split()
        assert budget == same
        assert abs(float(share[:-1]) - float(near[:-1])) < 6.0  # two of 34 members


def test_the_readme_s_lines_run_and_their_files_are_what_a_sweep_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (lines,) = re.findall(
        r"```python\n(net = ep\.from_pyg\(model\).*?)```", README.read_text(encoding="utf-8"), re.DOTALL
    )
    (data,) = communities()
    exec(lines, {"ep": ep, "model": torch_geometric.nn.GraphSAGE(3, 8, num_layers=2, out_channels=3), "data": data})
    assert capsys.readouterr().out.startswith("certified accuracy of 20 nodes\n")
    (words,) = re.findall(r"# edgeproof (sweep .*) \.\.\.", lines)
    done = CliRunner().invoke(main, [*words.split(), "--budget", "1", "--workers", "0", "--out", "out"])
    assert done.exit_code == 0, done.output
    assert "20 questions" in done.stdout

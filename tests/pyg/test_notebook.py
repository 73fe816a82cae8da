"""The notebook of the documentation runs from its first cell to its last."""

from __future__ import annotations

import pytest

pytest.importorskip("torch_geometric", reason="needs torch and torch_geometric: pip install 'edgeproof[pyg]'")

import json
from pathlib import Path

NOTEBOOK = Path(__file__).parents[2] / "docs" / "training-to-report.ipynb"


def test_the_notebook_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pandas", reason="the notebook shows tables of pandas")
    monkeypatch.chdir(tmp_path)
    scope: dict = {}
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    for cell in cells:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), scope)
            assert cell["outputs"] == []  # they would differ from processor to processor
    assert "<table>" in scope["accuracy"]._repr_html_()
    assert len(scope["table"]) == 34
    page = (tmp_path / "both.html").read_text(encoding="utf-8")
    assert "Both sweeps" in page
    assert (tmp_path / "accuracy").is_dir()

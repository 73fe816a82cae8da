"""The README's figures come from the raw logs."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import pytest

from blocks import ROOT
from edgeproof.bench.instance import Instance, write_instances

WRITE = runpy.run_path(str(ROOT / "benchmarks" / "write_readme.py"))


def test_the_readme_s_figures_are_those_of_the_logs() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    _, start, rest = text.partition(WRITE["START"])
    shown, end, _ = rest.partition(WRITE["END"])
    assert start
    assert end
    if shown.strip():  # none are shown until there are logs of a run worth showing
        assert WRITE["rewritten"](text, WRITE["figures"]()) == text
        assert (ROOT / "docs" / "speed.svg").read_text(encoding="utf-8") == WRITE["chart"](WRITE["all_rows"]())
        results = runpy.run_path(str(ROOT / "benchmarks" / "write_results.py"))
        assert (ROOT / "docs" / "results.md").read_text(encoding="utf-8") == results["summary"]()


def test_engines_are_shown_side_by_side_on_what_both_were_asked(tmp_path: Path) -> None:
    def one(index: int, variant: str, status: str, seconds: float) -> Instance:
        return Instance("Cora", "sum", variant, index, (1, 1), 20.0, status, seconds, 1, 5, 0.1, None)

    write_instances(
        [one(0, "search", "robust", 0.002), one(1, "search", "vulnerable", 0.004), one(2, "search", "robust", 0.5),
         one(0, "mip", "robust", 3.0), one(1, "mip", "unknown", 20.0)],
        tmp_path / "node.csv",
    )  # fmt: skip
    (tmp_path / "runs.json").write_text(json.dumps({"node": {"machine": "a machine", "commit": "abc", "note": ""}}))
    made = WRITE["table"](tmp_path).splitlines()
    assert made[2:5] == [
        "| verdicts on nodes | search | 2 of 2 | 3 ms | 3 ms | 4 ms |",
        "| verdicts on nodes | mip | 1 of 2 | 3 s | 3 s | 3 s |",
        "| verdicts on nodes, more of them | search | 1 of 1 | 0.5 s | 0.5 s | 0.5 s |",
    ]
    assert made[-1].endswith("a machine, commit abc.")
    with pytest.raises(SystemExit, match="expected the marks"):
        WRITE["rewritten"]("no marks here", "figures")

"""docs/results-tables.md: written by its script, and complete."""

from __future__ import annotations

import csv
import re
import runpy
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_results_page_is_what_the_script_writes_from_the_logs():
    """And every table and figure of the paper has its counterpart under the same name."""
    made = runpy.run_path(str(ROOT / "benchmarks" / "write_results.py"))
    page = (ROOT / "docs" / "results-tables.md").read_text(encoding="utf-8")
    assert page == made["page"]()
    tables = {path.stem for path in (ROOT / "benchmarks" / "paper").glob("*.csv")} | {"benchmarks"}
    assert tables <= set(re.findall(r"^### (\w+)$", page, flags=re.MULTILINE))
    for figure in ("node", "prof", "graph"):
        assert f"figures/{figure}.svg" in page
        assert (ROOT / "docs" / "figures" / f"{figure}.svg").is_file()


def test_what_is_quoted_adds_up():
    """The paper's overview is the sum of its tables for single budgets: a slip in taking them over would show."""
    for kind, parts in (("node", (1, 2, 5, 10)), ("graph", range(1, 7))):
        total: Counter[tuple[str, ...]] = Counter()
        for part in parts:
            for row, dataset, tool, solved, *_, robust, _, _ in quoted(f"{kind}_all_{part}"):
                done, asked = solved.split("/")
                total.update({(row, dataset, tool, "solved"): int(done), (row, dataset, tool, "asked"): int(asked)})
                total[row, dataset, tool, "robust"] += int(robust)
        for row, dataset, tool, solved, *_, robust, _, _ in quoted(f"{kind}_simple"):
            seen = [total[row, dataset, tool, what] for what in ("solved", "asked", "robust")]
            assert seen == [*map(int, solved.split("/")), int(robust)], (kind, row, dataset, tool)


def quoted(name: str) -> list[list[str]]:
    with (ROOT / "benchmarks" / "paper" / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))[1:]

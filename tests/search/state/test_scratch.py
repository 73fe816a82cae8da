"""Scratch rows and counters go by names: a number says nothing of what else is alive in a row."""

from __future__ import annotations

import ast
from pathlib import Path

import edgeproof
from edgeproof.search.state import scratch

NAMED = {"scratch", "counts", "tally", "rates", "support_number"}


def test_rows_have_names_of_their_own() -> None:
    rows = [value for name, value in vars(scratch).items() if name.isupper() and name != "SCRATCH_ROWS"]
    assert sorted(rows) == list(range(scratch.SCRATCH_ROWS))


def test_no_kernel_takes_a_row_by_its_number() -> None:
    for path in (Path(edgeproof.__file__).parent / "search").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute) and node.value.attr in NAMED:
                assert not isinstance(node.slice, ast.Constant), f"{path.name}:{node.lineno}: {ast.unparse(node)}"

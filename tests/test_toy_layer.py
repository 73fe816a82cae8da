"""CONTRIBUTING.md tells how to add a layer; a toy is added so, and compared with brute force."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from toy_layer import EDITS, PACKAGE, write_copy

TESTS = Path(__file__).parent
COMPARE = """
from dataclasses import replace
import edgeproof.search.engine as engine
from differential import check
from random_queries import EVERYTHING
small = replace(EVERYTHING, vertices=(2, 3, 4, 4, 5), layers=(1, 2, 2, 3), budgets=(1, 2, 3, None))
grid = replace(small, aggregations=("double",))
for index in range(60):
    report = check(engine, 31, index, grid, shrinking=0)
    assert report is None, report
"""


def compare(folder: Path) -> subprocess.CompletedProcess[str]:
    """In plain Python: nothing has to be compiled, and indices are looked at."""
    paths = os.pathsep.join([str(folder), str(TESTS)])
    environment = {**os.environ, "PYTHONPATH": paths, "EDGEPROOF_KERNELS": "python"}
    program = [sys.executable, "-c", COMPARE]
    return subprocess.run(program, env=environment, capture_output=True, text=True, check=False)


def test_a_layer_that_is_added_everywhere_agrees_with_brute_force(tmp_path: Path) -> None:
    write_copy(tmp_path)
    done = compare(tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    "forgotten", ["search/forward/incremental.py", "search/intervals/aggregate.py", "search/linear/step.py"]
)
def test_a_place_that_is_forgotten_is_seen(forgotten: str, tmp_path: Path) -> None:
    write_copy(tmp_path, forgotten)
    assert "AssertionError: seed 31" in compare(tmp_path).stderr


def test_the_guide_names_the_places() -> None:
    guide = (TESTS.parent / "CONTRIBUTING.md").read_text(encoding="utf-8").split("## How to add a layer")[1]
    named = set(re.findall(r"`((?:model|arithmetic|engines|problem|search)/[\w/]+\.py)`", guide))
    edited = {edit.file for edit in EDITS}
    assert edited <= named
    assert all((PACKAGE / file).is_file() or file in edited for file in named), named

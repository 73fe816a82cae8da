"""`--engine mip` on the command line: its settings are its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_cli import files, refusal, run  # noqa: F401

pytest.importorskip("pyscipopt", reason="needs the solver scip")


@pytest.mark.parametrize("setting", ["solver=scip", "bounds=aggressive"])
def test_verify_and_radius_take_the_engine(files: tuple[Path, Path], setting: str) -> None:  # noqa: F811
    words = (*files, "--node", 2, "--engine", "mip", "--option", setting)
    assert run("verify", *words, "--budget", 1).stdout.startswith("vulnerable: node 2, class 0, against 1 flip")
    assert run("verify", *words, "--budget", 0).stdout.startswith("robust: node 2")
    assert "radius 0" in run("radius", *words).stdout


def test_settings_of_another_engine_are_refused(files: tuple[Path, Path]) -> None:  # noqa: F811
    assert "unknown name 'lines'" in refusal(
        "verify", *files, "--node", 2, "--budget", 1, "--engine", "mip", "--option", "lines=off"
    )
    assert "unknown name 'solver'" in refusal("verify", *files, "--node", 2, "--budget", 1, "--option", "solver=highs")
    assert "solver is one of scip, highs, gurobi" in refusal(
        "verify", *files, "--node", 2, "--budget", 1, "--engine", "mip", "--option", "solver=cplex"
    )
    assert "solver=scip|highs|gurobi" in run("verify", "--help-options").stdout

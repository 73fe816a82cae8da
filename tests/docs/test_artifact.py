"""The page for artifact reviewers: every claim has a command that exists, and a time that was measured or explained."""

from __future__ import annotations

import json
import re
import runpy
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from blocks import ROOT
from edgeproof.cli import main

MEASURE = runpy.run_path(str(ROOT / "benchmarks" / "measure_claims.py"))
PAGE = (ROOT / "docs" / "artifact.md").read_text(encoding="utf-8")
COMMANDS = [command for claim in MEASURE["CLAIMS"] for command in claim.commands]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_claim_s_command_exists(command: str) -> None:
    program, *words = shlex.split(command)
    if program == "pytest":
        assert all((ROOT / word).exists() for word in words)
        return
    assert program == "edgeproof"
    found = main
    while words and words[0] in getattr(found, "commands", {}):
        found = found.commands[words.pop(0)]
    known = {option for parameter in found.params for option in parameter.opts}
    assert {word for word in words if word.startswith("--")} <= known


def test_the_table_is_what_was_measured() -> None:
    kept = re.search(r"<!-- measured: (.*?) -->", PAGE)
    assert kept is not None
    known = json.loads(kept[1])
    assert set(known) == {claim.key for claim in MEASURE["CLAIMS"] if claim.estimate is None}
    assert all(taken["seconds"] > 0 and taken["gigabytes"] > 0 for taken in known.values())
    assert MEASURE["table"](known) in PAGE


def test_what_a_command_takes_is_what_its_processes_took(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    command = "python3 -c 'x = bytearray(300_000_000); sum(range(3_000_000))'"
    # asked by a small process: what a process holds that starts another counts as that one's memory
    program = (
        "import pathlib, runpy, sys; run = runpy.run_path(sys.argv[1])['run']; "
        "print(*run(sys.argv[2], pathlib.Path(sys.argv[3])))"
    )
    script = str(ROOT / "benchmarks" / "measure_claims.py")
    answer = subprocess.run(
        [sys.executable, "-c", program, script, command, str(tmp_path)], capture_output=True, text=True, check=True
    )
    seconds, gigabytes = (float(word) for word in answer.stdout.split())
    assert 0.3 < gigabytes < 0.6
    assert 0 < seconds < 30
    with pytest.raises(SystemExit, match="false: exit status 1"):
        MEASURE["run"]("false", tmp_path)

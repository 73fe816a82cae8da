"""The container file cannot be built where there is no engine; what it says is held against the repository."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tomllib

import pytest

from blocks import ROOT
from edgeproof.cli import main

STEPS = re.findall(r"^(FROM|COPY|RUN|ENV|ENTRYPOINT|CMD) (.*)$", (ROOT / "Dockerfile").read_text(), flags=re.MULTILINE)
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_its_python_is_one_that_the_package_takes() -> None:
    (image,) = [rest for step, rest in STEPS if step == "FROM"]
    version = tuple(map(int, re.fullmatch(r"python:(\d+)\.(\d+)-slim", image).groups()))  # type: ignore[union-attr]
    least = tuple(map(int, PROJECT["requires-python"].removeprefix(">=").split(".")))
    assert version >= least


def test_nothing_that_it_copies_and_needs_is_ignored() -> None:
    assert ("COPY", ". .") in STEPS
    ignored = (ROOT / ".dockerignore").read_text().split()
    for needed in ("pyproject.toml", "README.md", "LICENSE", "src", "tests", "docs", "benchmarks"):
        assert (ROOT / needed).exists()
        assert needed not in ignored


def test_it_installs_extras_that_exist() -> None:
    (install,) = [shlex.split(rest)[-1] for step, rest in STEPS if step == "RUN" and rest.startswith("pip ")]
    extras = re.fullmatch(r"\.\[(.*)\]", install)
    assert extras is not None
    assert set(extras[1].split(",")) <= set(PROJECT["optional-dependencies"])


def test_what_it_runs_are_commands_that_exist() -> None:
    (run,) = [rest for step, rest in STEPS if step == "RUN" and rest.startswith("edgeproof ")]
    command = shlex.split(run.split(" > ")[0])
    done = subprocess.run(
        [sys.executable, "-c", "from edgeproof.cli import main; main()", *command[1:], "--help"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert command[0] in done.stdout
    assert ("ENTRYPOINT", '["edgeproof"]') in STEPS
    assert PROJECT["scripts"] == {"edgeproof": "edgeproof.cli:main"}
    assert main.name == "main"


@pytest.mark.parametrize("page", ["README.md", "docs/artifact.md"])
def test_pages_that_tell_of_it_name_its_image(page: str) -> None:
    for command in re.findall(r"docker run [^`\n]*", (ROOT / page).read_text()):
        assert re.search(r" edgeproof( |$)", command)

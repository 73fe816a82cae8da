"""Kernels are compiled once: the first process says so, the next one finds them."""

from __future__ import annotations

import os
import select
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from edgeproof.search import warm
from edgeproof.search.compile import kernel_folder
from edgeproof.search.warm import warm_up

QUESTION = """
import edgeproof as ep
from edgeproof.demo.karate import karate_graph, karate_network
print(ep.verify(karate_network(), karate_graph(), ep.Threat(2), 19).status)
"""

COUNT_MISSES = """
import sys
from numba.core.dispatcher import Dispatcher
found = {
    id(value): value
    for name, module in list(sys.modules.items()) if name.startswith("edgeproof.search")
    for value in vars(module).values() if isinstance(value, Dispatcher)
}
print(len(found), sum(sum(kernel.stats.cache_misses.values()) for kernel in found.values()))
"""


def test_a_second_process_compiles_nothing() -> None:
    warm_up()
    program = [sys.executable, "-c", QUESTION + COUNT_MISSES]
    done = subprocess.run(program, check=True, capture_output=True, text=True)
    status, counts = done.stdout.splitlines()
    kernels, misses = counts.split()
    assert done.stderr == ""
    assert status == "vulnerable"
    assert int(kernels) > 10
    assert misses == "0"


def said_at_the_start(cache: Path) -> bytes:
    """What a process says first; the compilation itself takes a minute and is not waited for."""
    environment = {**os.environ, "EDGEPROOF_CACHE": str(cache)}
    with subprocess.Popen([sys.executable, "-c", QUESTION], env=environment, stderr=subprocess.PIPE) as run:
        assert run.stderr is not None
        said = run.stderr.readline() if select.select([run.stderr], [], [], 20)[0] else b""
        run.kill()
    return said


def test_the_first_process_says_that_it_compiles(tmp_path: Path) -> None:
    assert said_at_the_start(tmp_path) == b"edgeproof: compiling kernels, once (about a minute)\n"


def test_so_does_the_next_one_if_the_first_was_stopped(tmp_path: Path) -> None:
    folder = tmp_path / "edgeproof" / kernel_folder().name
    folder.mkdir(parents=True)
    (folder / "half.nbi").touch()
    assert said_at_the_start(tmp_path) == b"edgeproof: compiling kernels, once (about a minute)\n"


@pytest.mark.parametrize("program", ["/nowhere/python3", sys.prefix + "/no-interpreter"])
def test_where_no_second_process_can_be_started_one_compiles(program: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", program)
    assert warm._start_helper() is None


def test_the_second_process_compiles_what_the_search_calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where everything is compiled it finds its half, by the types that the search has: nothing new is kept.

    In a copy of the cache, since tests beside this one may keep kernels that only they call.
    """
    warm_up()
    kept = kernel_folder()
    monkeypatch.setenv("EDGEPROOF_CACHE", str(tmp_path))
    folder = shutil.copytree(kept, tmp_path / "edgeproof" / kept.name)
    before = sorted(folder.rglob("*.nbc"))
    assert before
    helper = warm._start_helper()
    if helper is None:
        pytest.skip("one core")
    assert helper.wait() == 0
    assert sorted(folder.rglob("*.nbc")) == before

"""Kernels are compiled once: the first process says so, the next one finds them."""

from __future__ import annotations

import ast
import importlib
import os
import select
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from edgeproof.search import warm_up as warm
from edgeproof.search.jit.cache import PACKAGE, cache_root, compiled_mark, sources_of
from edgeproof.search.jit.linking import ON_DEMAND, LinkedKernel
from edgeproof.search.warm_up import warm_up

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
    program = "from edgeproof.search.warm_up import warm_up; warm_up()"
    with subprocess.Popen([sys.executable, "-c", program], env=environment, stderr=subprocess.PIPE) as run:
        assert run.stderr is not None
        said = run.stderr.readline() if select.select([run.stderr], [], [], 60)[0] else b""
        run.send_signal(signal.SIGINT)  # with it ends the process that compiles
    return said


def test_the_first_process_says_that_it_compiles(tmp_path: Path) -> None:
    assert said_at_the_start(tmp_path) == b"edgeproof: compiling kernels, once (about a minute)\n"


def test_so_does_the_next_one_if_the_first_was_stopped(tmp_path: Path) -> None:
    folder = tmp_path / compiled_mark().parent.relative_to(cache_root().parent)
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
    kept = cache_root()
    monkeypatch.setenv("EDGEPROOF_CACHE", str(tmp_path))
    folder = shutil.copytree(kept, tmp_path / "edgeproof")
    before = sorted(folder.rglob("*.nbc"))
    assert before
    helper = warm._start_helper()
    if helper is None:
        pytest.skip("one core")
    assert helper.wait() == 0
    assert sorted(folder.rglob("*.nbc")) == before


CALLER = """
from ..state.rows import fill
from ..jit.decorators import leaf

@leaf
def filled(row):
    fill(row, 2.0, 1)
    return row[0]
"""
ASK_CALLER = """
import numpy as np
from edgeproof.search.forward.caller import filled
from edgeproof.search.state.topk import insert_top
row = np.zeros(1)
insert_top(np.zeros((1, 1)), 1, 1, row, 1.0, np.zeros(1))
print(filled(row), *(sum(one.stats.cache_misses.values()) for one in (filled, insert_top)))
"""


def test_an_edit_in_a_nested_file_is_seen_by_kernels_of_other_folders(tmp_path: Path) -> None:
    """What is pasted into a kernel is part of it; what has nothing to do with the edit is not compiled again."""
    package = shutil.copytree(PACKAGE, tmp_path / "edgeproof", ignore=shutil.ignore_patterns("__pycache__"))
    (package / "search" / "forward" / "caller.py").write_text(CALLER)
    rows, decorators = package / "search" / "state" / "rows.py", package / "search" / "jit" / "decorators.py"
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "EDGEPROOF_CACHE": str(tmp_path)}

    def ask() -> list[str]:
        program = [sys.executable, "-B", "-c", ASK_CALLER]
        return subprocess.run(program, env=environment, check=True, capture_output=True, text=True).stdout.split()

    assert ask() == ["2.0", "1", "1"]
    assert ask() == ["2.0", "0", "0"]
    text = rows.read_text()
    assert text.count("out[i] = value") == 1
    rows.write_text(text.replace("out[i] = value", "out[i] = value + 1.0"))
    assert ask() == ["3.0", "1", "0"]
    decorators.write_text(decorators.read_text() + "# edited\n")
    assert ask() == ["3.0", "1", "1"]


# their kernels are compiled before the first search
ALWAYS = {"attacks", "forward", "intervals", "linear", "pairwise", "state", "strategies", "symmetry", "tree"}


def test_every_room_is_compiled_at_once_or_known_to_come_on_demand() -> None:
    """Kernels of a room that comes on demand and is not known to do so would be taken for lost where they were never
    needed before, and all others thrown away with them.
    """
    for source in (PACKAGE / "search").glob("*/*.py"):
        importlib.import_module(".".join(["edgeproof.search", source.parent.name, source.stem]))
    symbols = [kernel.symbol for kernel in LinkedKernel.every if kernel.symbol.startswith("edgeproof.search.")]
    rooms = {symbol.split(".")[2] for symbol in symbols}
    on_demand = {name.split(".")[2] for name in ON_DEMAND}
    assert "lengths" in rooms
    assert rooms <= ALWAYS | on_demand
    assert not ALWAYS & on_demand


def test_kernels_use_names_of_files_that_are_hashed_only() -> None:
    """Every name of the package that a file with kernels imports comes by a relative import at the top level."""
    for source in (PACKAGE / "search").rglob("*.py"):
        tree = ast.parse(source.read_text(encoding="utf-8"))
        named = {source}
        for node in tree.body:
            if isinstance(node, ast.ImportFrom) and node.level > 0:
                folder = source.parents[node.level - 1].joinpath(*(node.module or "").split("."))
                files = [folder.with_suffix(".py"), *(folder / f"{alias.name}.py" for alias in node.names)]
                there = [file for file in files if file.is_file()]
                assert there, f"{source.name}:{node.lineno}"
                named |= set(there)
        assert named <= sources_of(source)
        absolute = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.level == 0]
        assert not [node for node in absolute if (node.module or "").split(".")[0] == "edgeproof"], source


def test_an_edit_of_a_layout_is_seen_by_kernels_that_do_not_import_it(tmp_path: Path) -> None:
    """They are compiled for one layout of the bundles that they are given; two would be two signatures."""
    package = shutil.copytree(PACKAGE, tmp_path / "edgeproof", ignore=shutil.ignore_patterns("__pycache__"))
    program = """
from pathlib import Path
from edgeproof.search.jit.cache import PACKAGE, kernel_folder, sources_of
source = PACKAGE / "search" / "state" / "topk.py"
assert PACKAGE / "problem" / "layout.py" not in sources_of(source)
print(kernel_folder(source).name)
"""

    def folder() -> str:
        environment = {**os.environ, "PYTHONPATH": str(tmp_path), "EDGEPROOF_CACHE": str(tmp_path)}
        command = [sys.executable, "-B", "-c", program]
        return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout

    before, layout = folder(), package / "problem" / "layout.py"
    assert folder() == before
    layout.write_text(layout.read_text() + "# edited\n")
    assert folder() != before

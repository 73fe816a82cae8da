"""Kernels are compiled once and find each other through slots, whoever compiled them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from edgeproof.search.jit.cache import cache_root, compiled_mark, kernel_folder
from edgeproof.search.jit.decorators import entry, kernel
from edgeproof.search.jit.linking import LinkedKernel
from edgeproof.search.warm_up import warm_up

QUESTION = "from edgeproof.search.warm_up import warm_up; warm_up()"


@kernel
def halve(x):
    if x < 0:
        raise ValueError("halve takes no debts")
    return x / 2.0


@entry
def halve_twice(x):
    return halve(halve(x))


def test_a_kernel_calls_another() -> None:
    assert halve_twice(5.0) == 1.25


def test_what_a_kernel_raises_passes_through_its_callers() -> None:
    with pytest.raises(ValueError, match="no debts"):
        halve_twice(-1.0)


def test_python_is_told_that_it_cannot_call_an_inner_kernel() -> None:
    with pytest.raises(TypeError, match="halve is called by kernels only"):
        halve(1.0)


def test_a_second_signature_is_refused() -> None:
    halve_twice(1.0)
    with pytest.raises(TypeError, match="second signature"):
        halve_twice(np.ones(2))
    assert halve_twice(3.0) == 0.75


def test_all_slots_are_filled_once_a_search_has_run() -> None:
    warm_up()
    ours = [one for one in LinkedKernel.every if one.is_always_there]
    assert len(ours) > 30
    assert [one.symbol for one in ours if not one.cell] == []


def test_only_rooms_on_demand_have_kernels_that_nobody_compiles_ahead() -> None:
    """Others would be missed, in the cache of a fresh install, by whoever imports their room: a cache that is whole."""
    warm_up()
    program = """
import pkgutil, sys
import edgeproof.search
from edgeproof.search.jit.linking import LinkedKernel
from edgeproof.search.warm_up import load_or_compile
load_or_compile()
for module in pkgutil.walk_packages(edgeproof.search.__path__, "edgeproof.search."):
    __import__(module.name)
sys.exit(", ".join(one.symbol for one in LinkedKernel.every if one.is_always_there and not one.cell) or 0)
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


def test_kernels_are_stale_together_or_not_at_all() -> None:
    """A file's date must not make one of them stale: its callers would be loaded and not find it."""
    warm_up()
    for one in LinkedKernel.every:
        folder = kernel_folder(Path(one.py_func.__code__.co_filename))
        assert one._cache._cache_file._source_stamp == folder.name


def run_with(cache: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "EDGEPROOF_CACHE": str(cache)}
    return subprocess.run(
        [sys.executable, "-c", QUESTION], env=environment, capture_output=True, text=True, check=False
    )


def test_a_kernel_that_is_gone_from_the_cache_is_named(tmp_path: Path) -> None:
    """Not called through an empty slot: that would end the process without a word."""
    warm_up()
    copy = shutil.copytree(cache_root(), tmp_path / "edgeproof")
    assert run_with(tmp_path).returncode == 0
    # as if it had never been complete: else all would be compiled again (test_damaged_cache.py)
    (tmp_path / compiled_mark().relative_to(cache_root().parent)).unlink()
    files = list(copy.rglob("aggregate.bound_vertex-*"))
    assert files
    for file in files:
        file.unlink()
    done = run_with(tmp_path)
    assert done.returncode == 1
    assert "RuntimeError: edgeproof.search.intervals.aggregate.bound_vertex is missing" in done.stderr

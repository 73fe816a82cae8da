"""Kernels in plain Python give the same answers, and look at every index and at what loops promise."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from edgeproof.search.jit.interpreted import CheckedArray, check_indices, interpreted_entry, interpreted_loop

TESTS = Path(__file__).parents[2]


def run_interpreted(*command: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "EDGEPROOF_KERNELS": "python"}
    return subprocess.run([sys.executable, *command], env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("seed", [1, 2])
def test_random_queries_agree_with_brute_force(seed: int) -> None:
    done = run_interpreted(str(TESTS / "campaign.py"), "--count", "40", "--seed", str(seed))
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"seed {seed}: 40 queries, 0 failures" in done.stdout


def test_no_kernel_is_compiled() -> None:
    program = """
import numba.core.dispatcher, edgeproof as ep
from edgeproof.demo.karate import karate_graph, karate_network
from edgeproof.search.tree.node_loop import run
assert not isinstance(run, numba.core.dispatcher.Dispatcher)
print(ep.verify(karate_network(), karate_graph(), ep.Threat(2), 19).status)
"""
    done = run_interpreted("-c", program)
    assert (done.stdout, done.stderr) == ("vulnerable\n", "")


@pytest.mark.parametrize("at", [-1, (0, -1), slice(-2, None), slice(0, -1)])
def test_an_index_that_counts_from_the_end_is_refused(at) -> None:
    array = check_indices(np.zeros((3, 3)))
    with pytest.raises(IndexError):
        array[at]
    with pytest.raises(IndexError):
        array[at] = 1.0


def test_rows_are_checked_too_and_numbers_are_as_wide_as_in_a_kernel() -> None:
    array = check_indices(np.zeros((3, 3), dtype=np.int8))
    assert isinstance(array[1], CheckedArray)
    assert type(array[1][2]) is np.int64
    with pytest.raises(IndexError):
        array[1][3]


def test_an_entry_checks_the_arrays_that_it_is_given() -> None:
    @interpreted_entry
    def last_of(row):
        return row[row.size - 2]

    assert last_of(np.arange(2.0)) == 0.0
    with pytest.raises(IndexError):
        last_of(np.arange(1.0))


def test_an_entry_divides_as_a_compiled_one() -> None:
    assert interpreted_entry(lambda row: row[0] / row[1])(np.array([1.0, 0.0])) == np.inf


def test_a_loop_that_writes_to_what_it_reads_is_refused() -> None:
    @interpreted_loop
    def double(out, row, m):
        held = out[0]
        for i in range(m):
            held[i] = 2.0 * row[i]

    rows = np.ones((2, 3))
    double(rows[:1], rows[1], 3)
    assert rows[0].tolist() == [2.0, 2.0, 2.0]
    with pytest.raises(ValueError, match="out and row share memory"):
        double(rows, rows[1], 3)


def test_an_unknown_kind_of_kernels_is_refused() -> None:
    environment = {**os.environ, "EDGEPROOF_KERNELS": "pyhton"}
    program = [sys.executable, "-c", "import edgeproof.search.jit.decorators"]
    done = subprocess.run(program, env=environment, capture_output=True, text=True, check=False)
    assert "InputError: EDGEPROOF_KERNELS: expected numba, python or python-unchecked, got 'pyhton'" in done.stderr

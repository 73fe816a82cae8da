"""Kernels are compiled once: the first process says so, the next one finds them."""

from __future__ import annotations

import os
import select
import subprocess
import sys
from pathlib import Path

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


def test_the_first_process_says_that_it_compiles(tmp_path: Path) -> None:
    program = [sys.executable, "-c", QUESTION]
    environment = {**os.environ, "EDGEPROOF_CACHE": str(tmp_path)}
    with subprocess.Popen(program, env=environment, stderr=subprocess.PIPE) as run:
        assert run.stderr is not None
        said = select.select([run.stderr], [], [], 20)[0] and run.stderr.readline()
        run.kill()  # the compilation itself takes a minute
    assert said == b"edgeproof: compiling kernels, once (about a minute)\n"

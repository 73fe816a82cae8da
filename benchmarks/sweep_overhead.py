"""What a sweep costs beyond the verification itself, and what its driver holds.

    python benchmarks/sweep_overhead.py [--questions 20000] [--workers 2]

CPU seconds of driver and workers together, minus those of `edgeproof.verify` in a plain loop over the same questions;
so the figures hold on a machine that others use too. Start-up (imports, kernels) is measured apart, with one question.
"""

from __future__ import annotations

import argparse
import resource
import shutil
import tempfile
import time
from pathlib import Path

import numpy as np

import edgeproof as ep
from edgeproof.sweep.many import make_sweep

BUDGETS = (1, 2, 3, 4)


def case(vertices: int) -> tuple[ep.Network, ep.Graph]:
    """Every vertex has two in-neighbours: trivial questions."""
    rng = np.random.default_rng(0)
    layers = [
        ep.Layer(rng.normal(size=(8, 4)), rng.normal(size=(8, 4)), rng.normal(size=8)),
        ep.Layer(rng.normal(size=(3, 8)), rng.normal(size=(3, 8)), rng.normal(size=3), activation="none"),
    ]
    targets = np.repeat(np.arange(vertices), 2)
    sources = (targets + np.tile([1, 2], vertices)) % vertices
    return ep.Network(layers), ep.Graph([sources, targets], rng.normal(size=(vertices, 4)), directed=True)


def cpu_seconds() -> float:
    """Of this process and of the children that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def resident_megabytes() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


def sweep(network: ep.Network, graph: ep.Graph, nodes: int, workers: int, folder: Path) -> tuple[float, float, float]:
    """CPU seconds, wall seconds, and how much the driver grew, in megabytes."""
    plan = ep.Plan([ep.Threat(budget) for budget in BUDGETS], nodes=range(nodes))
    shutil.rmtree(folder, ignore_errors=True)
    started, clock = cpu_seconds(), time.perf_counter()
    run = make_sweep(network, graph, plan, workers=workers, store=folder, passes=False, share=False)
    before = resident_megabytes()
    largest, count = before, 0
    for _ in run.settled():
        count += 1
        if count % 1000 == 0:
            largest = max(largest, resident_megabytes())
    assert count == nodes * len(BUDGETS)
    assert run.counts["error"] == 0
    return cpu_seconds() - started, time.perf_counter() - clock, largest - before


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=int, default=20_000)
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()
    nodes = args.questions // len(BUDGETS)
    network, graph = case(10 * nodes)
    folder = Path(tempfile.mkdtemp())
    ep.verify(network, graph, ep.Threat(1), 0)
    started = cpu_seconds()
    for node in range(nodes):
        for budget in BUDGETS:
            ep.verify(network, graph, ep.Threat(budget), node)
    alone = cpu_seconds() - started
    questions = nodes * len(BUDGETS)
    print(f"{questions} questions, verification alone: {1e3 * alone / questions:.3f} ms of CPU each")
    for workers in sorted({0, args.workers}):
        start_up, _, _ = sweep(network, graph, 1, workers, folder)
        used, clock, grown = sweep(network, graph, nodes, workers, folder)
        _, _, grown_more = sweep(network, graph, 4 * nodes, workers, folder)
        print(
            f"workers {workers}: {1e3 * (used - start_up - alone) / questions:.3f} ms of CPU each beyond it; "
            f"{clock:.1f} s by the clock, {start_up:.1f} s of CPU to start; driver grew by {grown:.0f} MB, "
            f"with 4 times as many questions by {grown_more:.0f} MB"
        )
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()

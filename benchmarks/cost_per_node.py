"""What a search node costs with the paper's bounds alone, next to the paper's C program on the same instances.

python benchmarks/cost_per_node.py [--only MUTAG] [--nodes 300000] [--seconds 5] [--repeat 2]

Everything beyond the paper is switched off, on one thread. Seconds are of CPU time, as the C program's are, and include
the preparation of the arrays. Figures of different machines compare through the calibration: a fixed Numba loop that
is timed in the same run.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from collections import defaultdict
from statistics import median
from typing import NamedTuple

import numba
import numpy as np

import edgeproof as ep
import shared_data
from edgeproof.options import PAPER


class Instance(NamedTuple):
    dataset: str
    aggregation: str
    index: int
    budget: int
    local: int | None


# Node tasks: deletions. MUTAG: deletions and insertions. Each is a third of a second of search or more; on the first
# the C program visits 9.16 million search nodes.
INSTANCES = (
    Instance("Wisconsin", "sum", 32, 5, None),
    Instance("Wisconsin", "sum", 2, 5, 5),
    Instance("Wisconsin", "sum", 172, 10, 10),
    Instance("Wisconsin", "sum", 149, 10, 10),
    Instance("Texas", "sum", 62, 10, 10),
    Instance("Cora", "sum", 1872, 5, 5),
    Instance("Cora", "sum", 190, 10, 10),
    Instance("Wisconsin", "mean", 172, 10, 10),
    Instance("Wisconsin", "mean", 2, 10, 10),
    Instance("Texas", "mean", 62, 5, 5),
    Instance("Texas", "mean", 62, 10, 10),
    Instance("Cora", "mean", 1872, 5, 5),
    Instance("Cora", "mean", 190, 10, 10),
    Instance("Wisconsin", "max", 149, 5, 5),
    Instance("Wisconsin", "max", 172, 5, 5),
    Instance("Wisconsin", "max", 2, 5, 5),
    Instance("Texas", "max", 116, 5, 5),
    Instance("Texas", "max", 62, 5, 5),
    Instance("Cora", "max", 1414, 10, 10),
    Instance("Cora", "max", 190, 5, 5),
    Instance("MUTAG", "sum", 136, 2, 2),
    Instance("MUTAG", "sum", 23, 2, 2),
    Instance("MUTAG", "sum", 120, 2, 2),
    Instance("MUTAG", "max", 15, 2, 2),
    Instance("MUTAG", "max", 136, 2, 2),
    Instance("MUTAG", "mean", 127, 2, 2),
    Instance("MUTAG", "mean", 15, 2, 2),
    Instance("MUTAG", "mean", 136, 2, 2),
)

# µs a search node that the C program needs on such a machine
GOALS = {
    ("node", "sum"): 4, ("node", "mean"): 10, ("node", "max"): 50,
    ("graph", "sum"): 45, ("graph", "max"): 15, ("graph", "mean"): 30,
}  # fmt: skip


@numba.njit(error_model="numpy")
def multiply_again_and_again(weight, x, y, times):
    """y = W x in column order, then x from y: nothing that a compiler can leave out."""
    for _ in range(times):
        y[:] = 0.0
        for j in range(32):
            row, factor = weight[j], x[j]
            for i in range(32):
                y[i] += row[i] * factor
        for i in range(32):
            x[i] = max(y[i], 0.0) + 0.125


def calibrate(times: int = 200_000) -> float:
    """µs for one 32 x 32 matrix-vector product, the best of five runs."""
    weight, x, y = np.full((32, 32), 1 / 64), np.ones(32), np.zeros(32)
    multiply_again_and_again(weight, x, y, 1)
    best = np.inf
    for _ in range(5):
        started = time.process_time()
        multiply_again_and_again(weight, x, y, times)
        best = min(best, time.process_time() - started)
    return best / times * 1e6


def reference() -> dict[Instance, dict[str, object]]:
    path = shared_data.data_folder() / "reference" / "c_tool.jsonl"
    rows = (json.loads(line) for line in path.open())
    return {
        Instance(row["dataset"], row["aggr"], row["index"], row["budget"], row["local_budget"]): row for row in rows
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="dataset, or dataset_aggregation")
    parser.add_argument("--nodes", type=int, default=300_000, help="search nodes at most, an instance")
    parser.add_argument("--seconds", type=float, default=5.0, help="seconds at most, an instance")
    parser.add_argument("--repeat", type=int, default=2, help="the best of so many runs")
    args = parser.parse_args()
    theirs = reference()
    print(
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, Numba {numba.__version__}"
    )
    print(f"calibration: {calibrate():.3f} µs for a 32 x 32 matrix-vector product\n")
    print(
        f"{'instance':15} {'index':>5} {'budget':>6} {'local':>5}  {'status':24}"
        f" {'seconds':>8} {'nodes':>9} {'µs/node':>8}   {'C: status':10} {'seconds':>8} {'nodes':>10} {'µs/node':>8}"
    )
    costs: dict[tuple[str, str], list[float]] = defaultdict(list)
    for one in INSTANCES:
        name = f"{one.dataset}_{one.aggregation}"
        if not name.startswith(args.only):
            continue
        task = "node" if one.dataset in shared_data.NODE_DATASETS else "graph"
        threat = ep.Threat(one.budget, one.local, insert=task == "graph")

        def run(node_limit: int, one: Instance = one, threat: ep.Threat = threat) -> tuple[float, float, ep.Verdict]:
            started = time.process_time()
            verdict = shared_data.verify(
                one.dataset, one.aggregation, one.index, threat,
                timeout=args.seconds, node_limit=node_limit, options=PAPER,
            )  # fmt: skip
            seconds = time.process_time() - started
            return seconds / max(verdict.stats.nodes, 1) * 1e6, seconds, verdict

        run(1)  # loads and compiles
        cost, seconds, verdict = min((run(args.nodes) for _ in range(args.repeat)), key=lambda found: found[0])
        costs[task, one.aggregation].append(cost)
        status = verdict.status + (f" ({verdict.reason})" if verdict.reason else "")
        line = (
            f"{name:15} {one.index:5} {one.budget:6} {one.local or '-':>5}  {status:24}"
            f" {seconds:8.3f} {verdict.stats.nodes:9,} {cost:8.2f}"
        )
        row = theirs.get(one)
        if row is not None:
            line += f"   {row['status']:10} {row['seconds']:8.3f} {row['nodes']:10,}"
            line += f" {row['seconds'] / row['nodes'] * 1e6:8.2f}"
        print(line, flush=True)
    print(f"\n{'task':6} {'':5} {'median µs/node':>15} {'goal':>5}")
    for (task, aggregation), found in costs.items():
        print(f"{task:6} {aggregation:5} {median(found):15.2f} {GOALS[task, aggregation]:5}")
    print(f"\ncalibration again: {calibrate():.3f} µs")


if __name__ == "__main__":
    main()

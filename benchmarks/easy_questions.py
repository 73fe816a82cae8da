"""What a question costs that ends at the root, as most of a sweep do: this version and another, by turns.

    python benchmarks/easy_questions.py [--against FOLDER] [--turns 5] [--reference]

FOLDER: a checkout of another version (`git archive VERSION | tar -x -C FOLDER`). CPU seconds of one thread, without
imports and kernels, but with all that is computed once a network and graph; the median over the turns. Each turn runs
every version in a process of its own. --reference: also the instances of the reference file, beside the C program.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from math import exp, log
from pathlib import Path

import shared_data

BUDGETS = (1, 2, 5, 10)
HERE = Path(__file__).resolve()
# seconds that are added to both sides of a ratio: below this nobody waits, and clocks tell little
GRAIN = 1e-4


def ask_all(dataset: str, aggregation: str, budgets: tuple[int, ...], through: str) -> float:
    """CPU seconds for all nodes and budgets, asked one after another, or by a sweep that stores its lines."""
    import edgeproof as ep
    from edgeproof.sweep.many import make_sweep

    network, graph = shared_data.network(dataset, aggregation), shared_data.graphs(dataset)[0]
    small = ep.Graph([[0, 1], [1, 2]], [[1.0], [0.0], [1.0]], directed=True)
    layer = ep.Layer([[1.0], [0.0]], [[1.0], [-1.0]], [0.0, 0.5], "sum", "none")
    ep.verify(ep.Network([layer]), small, ep.Threat(1), 1)  # loads the kernels
    threats = [ep.Threat(budget) for budget in budgets]
    folder = Path(tempfile.mkdtemp())
    started = time.process_time()
    if through == "verify":
        for node in range(graph.num_vertices):
            for threat in threats:
                ep.verify(network, graph, threat, node)
    else:
        sweep = make_sweep(network, graph, ep.Plan(threats), workers=0, store=folder, share=through == "shared sweep")
        for _ in sweep.settled():
            pass
    used = time.process_time() - started
    shutil.rmtree(folder)
    return used


def compare_reference() -> tuple[float, dict[str, float]]:
    """Total seconds; by row of the node tasks, the geometric mean of the C program's seconds over ours."""
    import edgeproof as ep

    rows = [json.loads(line) for line in (shared_data.data_folder() / "reference" / "c_tool.jsonl").open()]
    shared_data.verify("Cornell", "sum", 0, ep.Threat(1))
    total, logs = 0.0, {}
    for row in rows:
        threat = ep.Threat(row["budget"], row["local_budget"], insert=row["insert"])
        verdict = shared_data.verify(row["dataset"], row["aggr"], row["index"], threat, timeout=row["limit"])
        seconds = verdict.stats.seconds
        total += seconds
        if not row["insert"]:
            logs.setdefault(f"{row['dataset']}_{row['aggr']}", []).append(
                log((row["seconds"] + GRAIN) / (seconds + GRAIN))
            )
    return total, {name: exp(statistics.fmean(values)) for name, values in logs.items()} | {
        "all": exp(statistics.fmean([value for values in logs.values() for value in values]))
    }


def measure(what: str) -> object:
    if what == "reference":
        return compare_reference()
    through, dataset, aggregation, budgets = json.loads(what)
    return ask_all(dataset, aggregation, tuple(budgets), through)


def run_in(folder: Path, cache: str, what: str) -> object:
    """In a process that imports the version in this folder."""
    paths = [str(folder / "src"), str(HERE.parent)]
    env = os.environ | {
        "PYTHONPATH": os.pathsep.join(paths), "EDGEPROOF_CACHE": cache, "OMP_NUM_THREADS": "1",
        "EDGEPROOF_DATA": str(shared_data.data_folder()),
    }  # fmt: skip
    told = subprocess.run(
        [sys.executable, str(HERE), "--measure", what], env=env, check=True, capture_output=True, text=True
    )
    return json.loads(told.stdout.splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--against", type=Path, help="a checkout of another version")
    parser.add_argument("--against-cache", help="where it keeps its kernels; default: beside it")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--model", default="Cora_sum")
    parser.add_argument("--through", nargs="*", default=["verify", "sweep"], help="verify, sweep, 'shared sweep'")
    parser.add_argument("--reference", action="store_true")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.measure:
        print(json.dumps(measure(args.measure)))
        return
    versions = {"this": (HERE.parents[1], os.environ.get("EDGEPROOF_CACHE", str(HERE.parents[1] / ".cache")))}
    if args.against:
        versions["other"] = args.against.resolve(), args.against_cache or str(args.against.resolve() / ".cache")
    dataset, aggregation = args.model.split("_")
    nodes = shared_data.graphs(dataset)[0].num_vertices
    for through in args.through:
        for budgets in (BUDGETS[:1], BUDGETS):
            found: dict[str, list[float]] = {name: [] for name in versions}
            for _ in range(args.turns):
                for name, where in versions.items():
                    found[name].append(float(run_in(*where, json.dumps([through, dataset, aggregation, budgets]))))
            each = {name: statistics.median(values) for name, values in found.items()}
            told = ", ".join(f"{name} {1e3 * used / nodes / len(budgets):.3f} ms" for name, used in each.items())
            ratio = f", ratio {each['other'] / each['this']:.2f}" if args.against else ""
            print(f"{through}, {args.model}, budgets {budgets}: {told} of CPU a question{ratio}", flush=True)
    if args.reference:
        totals: dict[str, list[float]] = {name: [] for name in versions}
        means: dict[str, list[dict[str, float]]] = {name: [] for name in versions}
        for _ in range(args.turns):
            for name, where in versions.items():
                total, rows = run_in(*where, "reference")
                totals[name].append(total)
                means[name].append(rows)
        for name in versions:
            row = {key: statistics.median(one[key] for one in means[name]) for key in means[name][0]}
            told = ", ".join(f"{key} {value:.2f}" for key, value in row.items())
            print(f"reference, {name}: total {statistics.median(totals[name]):.2f} s; C seconds over ours: {told}")


if __name__ == "__main__":
    main()

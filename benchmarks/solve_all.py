"""Every node (or graph) of a dataset, every budget, each query alone: what is solved, and how fast.

    python benchmarks/solve_all.py --out results.jsonl Wisconsin_sum Cora_mean            # all nodes, budgets 1 2 5 10
    python benchmarks/solve_all.py --out results.jsonl --sample 60 MUTAG_sum              # six budget pairs
    python benchmarks/solve_all.py --out longer.jsonl --limit 600 --again results.jsonl   # what was left open there
    python benchmarks/solve_all.py --show results.jsonl

Queries whose line is in the file already are not repeated.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections import defaultdict
from pathlib import Path

import edgeproof as ep
import shared_data

NODE_BUDGETS = [(b, b) for b in (1, 2, 5, 10)]
GRAPH_BUDGETS = [(1, 1), (2, 1), (2, 2), (5, 1), (5, 2), (5, 5)]


def instances(name: str, sample: int | None, weak: bool) -> list[dict]:
    dataset, aggregation = name.split("_")
    node_task = dataset in shared_data.NODE_DATASETS
    graphs = shared_data.graphs(dataset)
    count = graphs[0].num_vertices if node_task else len(graphs)
    chosen = list(range(count))
    if sample is not None and sample < count:
        chosen = sorted(random.Random(f"{name} 1").sample(chosen, sample))
    budgets = NODE_BUDGETS if node_task else GRAPH_BUDGETS
    return [
        {"row": name + " weak" * weak, "dataset": dataset, "aggr": aggregation, "index": i, "budget": b, "local": d}
        for b, d in budgets
        for i in chosen
    ]


def left_open(path: Path, rows: list[str]) -> list[dict]:
    """What a file says was not solved, in some rows or all, without what was found there."""
    asked = [json.loads(line) for line in path.read_text().splitlines()]
    wanted = [one for one in asked if one["status"] == "unknown" and (not rows or one["row"] in rows)]
    return [{key: one[key] for key in ("row", "dataset", "aggr", "index", "budget", "local")} for one in wanted]


def solve(one: dict, limit: float) -> dict:
    node_task = one["dataset"] in shared_data.NODE_DATASETS
    threat = ep.Threat(one["budget"], one["local"], insert=not node_task)
    extra: dict = {}
    if one["row"].endswith("weak"):
        net = shared_data.network(one["dataset"], one["aggr"])
        graphs = shared_data.graphs(one["dataset"])
        graph, node = (graphs[0], one["index"]) if node_task else (graphs[one["index"]], None)
        extra["target"] = (int(net.predict(graph, node)) + 1) % net.num_classes
    verdict = shared_data.verify(one["dataset"], one["aggr"], one["index"], threat, timeout=limit, **extra)
    stats = verdict.stats
    return {
        **one, "status": verdict.status, "seconds": stats.seconds, "nodes": stats.nodes,
        "evaluations": stats.evaluations, "fragile": stats.fragile,
    }  # fmt: skip


def show(path: Path) -> None:
    rows = defaultdict(list)
    for line in path.read_text().splitlines():
        one = json.loads(line)
        rows[one["row"], one["budget"], one["local"]].append(one)
        rows[one["row"], "all", ""].append(one)
    print(
        f"{'row':20} {'budget':>7} {'n':>6} {'robust':>7} {'vuln.':>7} {'open':>5} {'<1 s':>7}"
        f" {'seconds':>9} {'median':>9} {'longest':>9}"
    )
    for (row, budget, local), some in rows.items():
        seconds = sorted(one["seconds"] for one in some)
        count = [sum(one["status"] == status for one in some) for status in ("robust", "vulnerable", "unknown")]
        fast = sum(one["seconds"] < 1 and one["status"] != "unknown" for one in some) / len(some)
        label = f"{budget}" + (f",{local}" if local != "" else "")
        print(
            f"{row:20} {label:>7} {len(some):6} {count[0]:7} {count[1]:7} {count[2]:5} {fast:7.2%} {sum(seconds):9.2f}"
            f" {1e3 * seconds[len(seconds) // 2]:7.2f}ms {seconds[-1]:8.2f}s"
        )
        for one in some:
            if one["status"] == "unknown" and budget != "all":
                print(f"{'':20} open: {one['index']} after {one['seconds']:.0f} s, {one['nodes']} search nodes")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="*", help="like Wisconsin_sum")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--show", type=Path)
    parser.add_argument("--sample", type=int)
    parser.add_argument("--again", type=Path, help="only what this file has left open")
    parser.add_argument("--weak", action="store_true", help="against class (label + 1) mod classes only")
    parser.add_argument("--limit", type=float, help="seconds a query; default 300 for node tasks, 600 for graph tasks")
    args = parser.parse_args()
    if args.show:
        show(args.show)
        return
    done = set()
    if args.out.exists():
        for line in args.out.read_text().splitlines():
            one = json.loads(line)
            done.add((one["row"], one["index"], one["budget"], one["local"]))
    shared_data.verify("Cornell", "sum", 0, ep.Threat(1))  # compiles, loads
    wanted = left_open(args.again, args.rows) if args.again else []
    for name in () if args.again else args.rows:
        wanted += instances(name, args.sample, args.weak)
    started = time.perf_counter()
    with args.out.open("a") as out:
        for one in wanted:
            if (one["row"], one["index"], one["budget"], one["local"]) in done:
                continue
            limit = args.limit or (300 if one["dataset"] in shared_data.NODE_DATASETS else 600)
            out.write(json.dumps(solve(one, limit)) + "\n")
            out.flush()
    print(f"{time.perf_counter() - started:.1f} s", flush=True)
    show(args.out)


if __name__ == "__main__":
    main()

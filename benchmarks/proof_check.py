"""Proofs of the paper's instances: does the checker accept every one, how large are they, what do they cost?

    OMP_NUM_THREADS=1 python benchmarks/proof_check.py --out proofs.jsonl          # the mixed sample of 300
    OMP_NUM_THREADS=1 python benchmarks/proof_check.py --out proofs.jsonl --per 40 # more of each kind
    python benchmarks/proof_check.py --show proofs.jsonl

Node datasets: deletions, global and local budgets 1, 2 and 5; MUTAG: insertions and deletions, budgets (1, 1).
Times are CPU seconds of one process, so that other work on the machine does not count; a search runs twice, with and
without a trace.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from pathlib import Path
from statistics import median
from typing import Any

import edgeproof as ep
import shared_data
from edgeproof.model.query import Query, make_query
from edgeproof.proof.write import write_proof
from edgeproof.search import engine
from edgeproof.search.trace import Trace

KINDS = [
    *((dataset, aggregation, budget) for dataset in shared_data.NODE_DATASETS
      for aggregation in shared_data.AGGREGATIONS for budget in (1, 2, 5)),
    *(("MUTAG", aggregation, 1) for aggregation in shared_data.AGGREGATIONS),
]  # fmt: skip


def queries(per: int, seed: int) -> list[tuple[dict[str, Any], Query]]:
    found = []
    for dataset, aggregation, budget in KINDS:
        net, graphs = shared_data.network(dataset, aggregation), shared_data.graphs(dataset)
        on_nodes = dataset in shared_data.NODE_DATASETS
        count = graphs[0].num_vertices if on_nodes else len(graphs)
        chosen = random.Random(f"{dataset} {aggregation} {budget} {seed}").sample(range(count), min(per, count))
        for index in chosen:
            name = {"dataset": dataset, "aggr": aggregation, "budget": budget, "index": index}
            threat = ep.Threat(budget, budget, insert=not on_nodes)
            graph, node = (graphs[0], index) if on_nodes else (graphs[index], None)
            found.append((name, make_query(net, graph, threat, node)))
    return found


def measure(query: Query, limit: float) -> dict[str, Any]:
    def search(trace: Trace | None) -> tuple[ep.Verdict, float]:
        begin = time.process_time()
        verdict = engine.verify(query, timeout=limit, node_limit=None, options=None, trace=trace)
        return verdict, time.process_time() - begin

    verdict, seconds = search(None)
    if verdict.status != "robust":
        return {"status": verdict.status, "search": seconds}
    trace = Trace()
    _, traced = search(trace)
    begin = time.process_time()
    data = write_proof(query, trace.records, trace.pairs)
    written = time.process_time() - begin
    begin = time.process_time()
    try:
        ep.check(data, query.network, query.graph)
        problem = None
    except ep.RejectedError as rejected:
        problem = str(rejected)
    return {
        "status": "robust", "search": seconds, "traced": traced, "write": written, "check": time.process_time() - begin,
        "problem": problem, "nodes": len(trace.records), "bytes": len(data), "tree": int(_tree_bytes(data)),
    }  # fmt: skip


def _tree_bytes(data: bytes) -> int:
    from edgeproof.proof.format import unpack

    return len(unpack(data).body)


def show(path: Path) -> None:
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    robust = [row for row in rows if row["status"] == "robust"]
    accepted = [row for row in robust if row["problem"] is None]
    print(f"{len(rows)} instances, {len(robust)} robust, {len(accepted)} proofs accepted")
    for row in robust:
        if row["problem"] is not None:
            print(f"  rejected: {row['dataset']}_{row['aggr']} {row['index']} budget {row['budget']}: {row['problem']}")
    for least in (0.0, 0.02, 0.1):
        some = [row for row in robust if row["search"] >= least]
        if some:
            ratio = sorted(row["check"] / row["search"] for row in some)
            extra = sorted(row["traced"] / row["search"] - 1 for row in some)
            print(
                f"searches of {least:g} s and more: {len(some)}; check / search: median {median(ratio):.1f}, "
                f"largest {ratio[-1]:.1f}; tracing costs {median(extra):+.1%} (median)"
            )
    large = [row for row in robust if row["nodes"] >= 100]
    if large:
        print(f"bytes of the tree a node, {len(large)} trees of 100 nodes and more: "
              f"{sum(row['tree'] for row in large) / sum(row['nodes'] for row in large):.2f}")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--show", type=Path)
    parser.add_argument("--per", type=int, default=7, help="instances of each kind: 48 kinds, so 7 make 336")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=float, default=60.0)
    args = parser.parse_args()
    if args.show:
        show(args.show)
        return
    shared_data.verify("Cornell", "sum", 0, ep.Threat(1))  # compiles, loads
    with args.out.open("a") as out:
        for name, query in queries(args.per, args.seed):
            _ = query.network.fingerprint, query.graph.fingerprint  # hashed once, not on the clock of a search
            out.write(json.dumps({**name, **measure(query, args.limit)}) + "\n")
            out.flush()
    show(args.out)


if __name__ == "__main__":
    main()

"""Exact radii when new vertices may come: undirected citation graphs, GCN of benchmarks/insertions.py.

    python benchmarks/injections.py                       # Cora, GCN 16, one vertex with 1 to 3 edges, 100 nodes
    python benchmarks/injections.py --edges 1 --pool 50

One JSON line a node, one at the end. The pool holds the rows of vertices that the network was not trained on.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from pathlib import Path

import numpy as np

import edgeproof as ep
from insertions import network, undirected


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dataset", default="Cora")
    parser.add_argument("--kind", default="gcn16")
    parser.add_argument("--count", type=int, default=1)
    parser.add_argument("--edges", type=int, default=3)
    parser.add_argument("--pool", type=int, default=100, help="rows")
    parser.add_argument("--sample", type=int, default=100)
    parser.add_argument("--limit", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--networks", type=Path, default=Path("networks"))
    args = parser.parse_args()
    graph = undirected(args.dataset)
    net = network(args.networks, graph, args.dataset, args.kind, 2, args.seed)
    order = random.Random(args.seed)
    nodes = order.sample(range(graph.num_vertices), min(args.sample, graph.num_vertices))
    rows = graph.features.dense(np.array(order.sample(range(graph.num_vertices), args.pool)))
    inject = ep.Injection(args.count, args.edges, features=rows)
    threat = ep.Threat(args.count * args.edges, delete=False, inject=inject)
    exact, seconds = 0, []
    for node in nodes:
        started = time.perf_counter()
        found = ep.radius(net, graph, threat, node, timeout=args.limit)
        seconds.append(time.perf_counter() - started)
        exact += found.exact
        line = {"node": node, "degree": len(graph.in_neighbours(node)), "seconds": round(seconds[-1], 3),
                "lower": found.lower, "upper": found.upper, "robust": found.robust, "exact": found.exact,
                "reason": found.reason, "stats": dict(found.stats)}  # fmt: skip
        print(json.dumps(line), flush=True)
    total = {"nodes": len(nodes), "exact": exact, "median": float(np.median(seconds)), "longest": max(seconds),
             **vars(args), "networks": None}  # fmt: skip
    print(json.dumps(total))


if __name__ == "__main__":
    main()

"""Networks deeper than anything published, on Cora: what is solved, and how fast.

    python benchmarks/deep_cora.py                            # 6 layers x 64, sum; 100 nodes, budget 5, 60 s a query
    python benchmarks/deep_cora.py --layers 8 --width 32 --aggregation max
    python benchmarks/deep_cora.py --network deep.safetensors # trains once, then reads this file

Trained by the code of `edgeproof bench train`, on the splits of the 4-layer models in models/. The sample is of nodes
with 20 or more fragile pairs that can matter. Seconds are CPU seconds of this process, so that a busy machine changes
little; the limit is of wall-clock time. Needs torch and torch_geometric.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import time
from pathlib import Path
from typing import Any, TextIO

import numpy as np

import edgeproof as ep
import shared_data
from edgeproof.bench.train import PARTS, known_parts, train


def trained(graph: ep.Graph, args: argparse.Namespace) -> ep.Network:
    """What `edgeproof bench train` gives, on the splits of the 4-layer models."""
    known = known_parts(shared_data.data_folder() / "models")
    parts = {part: known[f"Cora_{part}"] for part in PARTS}
    shape = args.layers, args.width
    found = train("Cora", (graph,), parts, args.aggregation, shape, args.epochs, args.seed, lambda *news: None)
    right = ", ".join(f"{found.accuracy[part]:.3f} {part}" for part in PARTS)
    print(f"trained: accuracy {right}, epoch {found.epoch}")
    return ep.Network(
        ep.Layer(
            *(found.fields[f"{name}{at}"] for name in "CAb"), args.aggregation, "relu" if at < args.layers else "none"
        )
        for at in range(1, args.layers + 1)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="the folder with datasets/ and models/; default: EDGEPROOF_DATA")
    parser.add_argument("--network", type=Path, help="read the trained network from here, or keep it here")
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--aggregation", choices=shared_data.AGGREGATIONS, default="sum")
    parser.add_argument("--epochs", type=int, default=200)
    parser.add_argument("--sample", type=int, default=100)
    parser.add_argument("--least", type=int, default=20, help="fragile pairs that a node of the sample has at least")
    parser.add_argument("--budget", type=int, default=5)
    parser.add_argument("--limit", type=float, default=60.0, help="seconds a query")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, help="a line of JSON for every node")
    args = parser.parse_args()
    if args.data:
        os.environ["EDGEPROOF_DATA"] = str(args.data)
    graph = shared_data.graphs("Cora")[0]
    if args.network and args.network.exists():
        network = ep.Network.load(args.network)
    else:
        network = trained(graph, args)
        if args.network:
            network.save(args.network)
    pairs = count_pairs(graph, args.layers)
    eligible = [node for node, count in enumerate(pairs) if count >= args.least]
    nodes = random.Random(args.seed).sample(eligible, min(args.sample, len(eligible)))
    print(f"{network}\n{len(eligible)} nodes have {args.least} or more fragile pairs, {len(nodes)} of them taken")
    ep.verify(network, graph, ep.Threat(1), nodes[0])  # compiles, loads
    with open(args.out or os.devnull, "w") as out:
        answers = [ask(network, graph, node, args, out) for node in nodes]
    show(answers)


def count_pairs(graph: ep.Graph, layers: int) -> list[int]:
    """For every node, the edges whose deletion can matter: those into vertices at distance less than `layers`."""
    into: list[list[int]] = [[] for _ in range(graph.num_vertices)]
    for u, v in zip(graph.sources.tolist(), graph.targets.tolist(), strict=True):
        into[v].append(u)
    counts = []
    for node in range(graph.num_vertices):
        ring, seen, count = {node}, {node}, 0
        for _ in range(layers):
            count += sum(len(into[v]) for v in ring)
            ring = {u for v in ring for u in into[v]} - seen
            seen |= ring
        counts.append(count)
    return counts


def ask(network: ep.Network, graph: ep.Graph, node: int, args: argparse.Namespace, out: TextIO) -> dict[str, object]:
    started = time.process_time()
    verdict = ep.verify(network, graph, ep.Threat(args.budget), node, timeout=args.limit)
    answer = {
        "node": node, "status": verdict.status, "cpu_seconds": time.process_time() - started,
        **verdict.stats,
    }  # fmt: skip
    out.write(json.dumps(answer) + "\n")
    out.flush()
    return answer


def show(answers: list[dict[str, Any]]) -> None:
    solved = [one for one in answers if one["status"] != "unknown"]
    print(f"solved {len(solved)} of {len(answers)}: {len(solved) / len(answers):.1%}")
    print(f"{'':11} {'n':>4} {'median s':>9} {'mean s':>9} {'longest':>8} {'med. nodes':>11} {'med. pairs':>11}")
    for status in ("robust", "vulnerable", "unknown"):
        some = [one for one in answers if one["status"] == status]
        if some:
            seconds = [one["cpu_seconds"] for one in some]
            print(
                f"{status:11} {len(some):4} {np.median(seconds):9.3f} {np.mean(seconds):9.3f} {max(seconds):8.2f}"
                f" {np.median([one['nodes'] for one in some]):11.0f}"
                f" {np.median([one['fragile'] for one in some]):11.0f}"
            )
    for one in answers:
        if one["status"] == "unknown":
            print(f"open: node {one['node']}, {one['nodes']} search nodes, {one['fragile']} fragile pairs")


if __name__ == "__main__":
    main()

"""Networks deeper than anything published, on Cora: what is solved, and how fast.

    python benchmarks/deep_cora.py                            # 6 layers x 64, sum; 100 nodes, budget 5, 60 s a query
    python benchmarks/deep_cora.py --layers 8 --width 32 --aggregation max
    python benchmarks/deep_cora.py --network deep.safetensors # trains once, then reads this file

Layers are SAGEConv with ReLU between them; edges, splits, optimiser and weight decay are those of the 4-layer models,
and so is what is kept of the training. The sample is of nodes with 20 or more fragile pairs that can matter. Seconds
are CPU seconds of this process, so that a busy machine changes little; the limit is of wall-clock time. Needs torch and
torch_geometric.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import time
from itertools import pairwise
from pathlib import Path
from typing import Any, TextIO

import numpy as np

import edgeproof as ep
import shared_data


def train(graph: ep.Graph, args: argparse.Namespace) -> ep.Network:
    """Adam on the full batch; kept is the state with the best accuracy on the validation nodes."""
    import torch
    from torch.nn import functional
    from torch_geometric.nn import BatchNorm, SAGEConv

    torch.manual_seed(args.seed)
    torch.set_flush_denormal(True)
    with np.load(shared_data.data_folder() / "models" / "splits.npz") as splits:
        seen, held, kept_back = (torch.tensor(splits[f"Cora_{part}"]).long() for part in ("train", "val", "test"))
    x = torch.tensor(graph.features.dense(), dtype=torch.float32)
    edges = torch.tensor(np.stack([graph.sources, graph.targets]))
    y = torch.tensor(np.asarray(graph.labels))
    widths = [x.shape[1], *[args.width] * (args.layers - 1), int(y.max()) + 1]
    convs = [SAGEConv(*pair, aggr=args.aggregation) for pair in pairwise(widths)]
    norms = [BatchNorm(args.width) if args.norm else torch.nn.Identity() for _ in convs[1:]]
    pieces = torch.nn.ModuleList([*convs, *norms])
    optimizer = torch.optim.Adam(pieces.parameters(), lr=args.rate, weight_decay=args.decay)

    def forward(training: bool) -> torch.Tensor:
        pieces.train(training)
        h = x
        for conv, norm in zip(convs[:-1], norms, strict=True):
            h = functional.dropout(norm(conv(h, edges)).relu(), args.dropout, training)
        return convs[-1](h, edges)

    best, state = (-1.0, 0.0), {}
    for epoch in range(args.epochs):
        optimizer.zero_grad()
        loss = functional.cross_entropy(forward(True)[seen], y[seen])
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            scores = forward(False)
            found = (
                float((scores[held].argmax(1) == y[held]).float().mean()),
                -float(functional.cross_entropy(scores[held], y[held])),
            )
            if found > best:
                best, at = found, epoch
                state = {name: value.clone() for name, value in pieces.state_dict().items()}
    pieces.load_state_dict(state)
    with torch.no_grad():
        right = forward(False).argmax(1) == y
    print(
        f"trained: accuracy {right[seen].float().mean():.3f} train, {right[held].float().mean():.3f} validation,"
        f" {right[kept_back].float().mean():.3f} test, epoch {at}"
    )
    pieces.eval()
    chain: list[object] = []
    for conv, norm in zip(convs[:-1], norms, strict=True):
        chain += [conv, norm, torch.relu]
    return ep.from_pyg([*chain, convs[-1]])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="the folder with datasets/ and models/; default: EDGEPROOF_DATA")
    parser.add_argument("--network", type=Path, help="read the trained network from here, or keep it here")
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--aggregation", choices=shared_data.AGGREGATIONS, default="sum")
    parser.add_argument("--norm", action="store_true", help="BatchNorm before every ReLU; from_pyg folds it away")
    parser.add_argument("--rate", type=float, default=0.001, help="learning rate")
    parser.add_argument("--decay", type=float, default=5e-5, help="weight decay; the 4-layer models have 5e-5")
    parser.add_argument("--dropout", type=float, default=0.0)
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
        network = train(graph, args)
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

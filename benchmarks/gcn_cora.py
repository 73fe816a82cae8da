"""A GCN as PyTorch Geometric's example trains it, on an undirected citation graph: what is solved, and how fast.

    python benchmarks/gcn_cora.py                       # 2 layers, 300 random nodes, budgets 1 2 5, 60 s a query
    python benchmarks/gcn_cora.py --layers 3 --sample 100
    python benchmarks/gcn_cora.py --layers 3 --width 512
    python benchmarks/gcn_cora.py --dataset PubMed --width 256
    python benchmarks/gcn_cora.py --network gcn.safetensors   # trains once, then reads this file

Both directions of every citation are edges, features are rows that sum to 1, 20 nodes of each class are for training.
Seconds are CPU seconds of this process, so that a busy machine changes little. Needs torch and torch_geometric.
"""

from __future__ import annotations

import argparse
import os
import random
import time
from itertools import pairwise
from pathlib import Path

import numpy as np

import edgeproof as ep
import shared_data

EPOCHS, PER_CLASS = 200, 20


def undirected(name: str) -> ep.Graph:
    given = ep.Graph.load(shared_data.data_folder() / "datasets" / f"{name}.npz", directed=True)
    edges = {(u, v) for u, v in zip(given.sources.tolist(), given.targets.tolist(), strict=True) if u != v}
    edges |= {(v, u) for u, v in edges}
    rows = given.features.dense()
    rows /= np.maximum(rows.sum(axis=1, keepdims=True), 1e-9)
    return ep.Graph(np.array(sorted(edges)).T, rows, directed=False, labels=given.labels, name=f"{name}, undirected")


def train(graph: ep.Graph, layers: int, width: int, seed: int) -> ep.Network:
    """Adam, 0.01, weight decay 5e-4 in the first layer, dropout 0.5 before every layer."""
    import torch
    from torch.nn import functional
    from torch_geometric.nn import GCNConv

    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    labels = np.asarray(graph.labels)
    chosen = np.concatenate([rng.permutation(np.flatnonzero(labels == c))[:PER_CLASS] for c in np.unique(labels)])
    x = torch.tensor(graph.features.dense(), dtype=torch.float32)
    edges = torch.tensor(np.stack([graph.sources, graph.targets]))
    y, seen = torch.tensor(labels), torch.tensor(chosen)
    widths = [x.shape[1], *[width] * (layers - 1), int(labels.max()) + 1]
    stack = torch.nn.ModuleList([GCNConv(*pair) for pair in pairwise(widths)])
    groups = [{"params": one.parameters(), "weight_decay": 0 if at else 5e-4} for at, one in enumerate(stack)]
    optimizer = torch.optim.Adam(groups, lr=0.01)

    def forward(training: bool) -> torch.Tensor:
        h = x
        for at, one in enumerate(stack, 1):
            h = one(functional.dropout(h, 0.5, training), edges)
            h = h.relu() if at < layers else h
        return h

    for _ in range(EPOCHS):
        optimizer.zero_grad()
        functional.cross_entropy(forward(True)[seen], y[seen]).backward()
        optimizer.step()
    with torch.no_grad():
        right = forward(False).argmax(1) == y
        rest = torch.ones(len(y), dtype=torch.bool)
        rest[seen] = False
        print(f"{layers} layers trained, accuracy {right[rest].float().mean():.3f} on the nodes not trained on")
        weights = [(one.lin.weight.double().numpy(), one.bias.double().numpy()) for one in stack]
    return ep.Network(
        ep.Layer(np.zeros_like(A), A, b, "gcn", "relu" if at < layers else "none")
        for at, (A, b) in enumerate(weights, 1)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="the folder with datasets/ and models/; default: EDGEPROOF_DATA")
    parser.add_argument("--network", type=Path, help="read the trained network from here, or keep it here")
    parser.add_argument("--dataset", default="Cora")
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--width", type=int, default=16)
    parser.add_argument("--sample", type=int, default=300)
    parser.add_argument("--budget", type=int, nargs="+", default=[1, 2, 5])
    parser.add_argument("--limit", type=float, default=60.0, help="seconds a query")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    if args.data:
        os.environ["EDGEPROOF_DATA"] = str(args.data)
    graph = undirected(args.dataset)
    if args.network and args.network.exists():
        network = ep.Network.load(args.network)
    else:
        network = train(graph, args.layers, args.width, args.seed)
        if args.network:
            network.save(args.network)
    nodes = random.Random(args.seed).sample(range(graph.num_vertices), min(args.sample, graph.num_vertices))
    print(f"{network}\n{graph}, {len(nodes)} nodes")
    ep.verify(network, graph, ep.Threat(1), nodes[0])  # compiles, loads
    print(
        f"{'budget':>6} {'robust':>7} {'vuln.':>6} {'open':>5} {'solved':>7} {'median':>10} {'mean':>10} {'longest':>9}"
    )
    for budget in args.budget:
        seconds, count, left = [], dict.fromkeys(("robust", "vulnerable", "unknown"), 0), []
        for node in nodes:
            started = time.process_time()
            verdict = ep.verify(network, graph, ep.Threat(budget), node, timeout=args.limit)
            seconds.append(time.process_time() - started)
            count[verdict.status] += 1
            if verdict.status == "unknown":
                left.append((node, verdict.stats.nodes, verdict.stats.fragile))
        solved = 1 - len(left) / len(nodes)
        print(
            f"{budget:6} {count['robust']:7} {count['vulnerable']:6} {count['unknown']:5} {solved:7.1%}"
            f" {1e3 * np.median(seconds):8.2f}ms {1e3 * np.mean(seconds):8.2f}ms {max(seconds):8.2f}s",
            flush=True,
        )
        for node, searched, fragile in left:
            print(f"       open: node {node}, {searched} search nodes, {fragile} fragile pairs")


if __name__ == "__main__":
    main()

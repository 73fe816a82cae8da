"""Models as people write them, on undirected Cora: which share of nodes is decided under deletions, by budget.

    python benchmarks/written_models.py                        # all five; 100 nodes, budgets 1, 2 and 5, 60 s a query
    python benchmarks/written_models.py --models sgc sage-gelu --sample 20 --limit 10
    python benchmarks/written_models.py --keep networks        # trains once, then reads this folder

APPNP (K = 10), SGC (K = 2), GCN2 with 8 layers, and GraphSAGE with ELU and with GELU, two layers of 16. Trained with
Adam on 20 vertices a class and converted by `from_pyg`. Seconds are of the processor; the limit is of wall-clock time.
For each question that stays open: how many search nodes and pairs there were, and the lead of the best graph found.
Needs torch and torch_geometric.
"""

from __future__ import annotations

import argparse
import os
import random
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import edgeproof as ep
from gcn_cora import undirected

EPOCHS, PER_CLASS, WIDTH = 100, 20, 16


def makers(features: int, classes: int) -> dict[str, Callable[[], Any]]:
    import torch
    import torch_geometric.nn as g
    from torch import nn

    class Predicted(nn.Module):
        """APPNP: a perceptron, whose scores are propagated."""

        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = nn.Linear(features, WIDTH), nn.Linear(WIDTH, classes)
            self.propagate_scores = g.APPNP(K=10, alpha=0.1)

        def forward(self, x: torch.Tensor, edge_index: torch.Tensor) -> torch.Tensor:
            hidden = self.first(nn.functional.dropout(x, 0.5, self.training)).relu()
            return self.propagate_scores(self.second(hidden), edge_index)

    class Initial(nn.Module):
        """GCN2: eight layers that each see the first hidden state."""

        def __init__(self) -> None:
            super().__init__()
            self.first, self.last = nn.Linear(features, WIDTH), nn.Linear(WIDTH, classes)
            self.layers = nn.ModuleList(g.GCN2Conv(WIDTH, 0.1, 0.5, layer + 1) for layer in range(8))

        def forward(self, x: torch.Tensor, edge_index: torch.Tensor) -> torch.Tensor:
            hidden = start = self.first(nn.functional.dropout(x, 0.5, self.training)).relu()
            for layer in self.layers:
                hidden = layer(hidden, start, edge_index).relu()
            return self.last(hidden)

    def sage(act: str) -> Callable[[], Any]:
        return lambda: g.GraphSAGE(features, WIDTH, 2, classes, dropout=0.5, act=act)

    return {
        "appnp": Predicted,
        "sgc": lambda: g.Sequential("x, edge_index", [(g.SGConv(features, classes, K=2), "x, edge_index -> x")]),
        "gcn2": Initial,
        "sage-elu": sage("elu"),
        "sage-gelu": sage("gelu"),
    }


def trained(name: str, graph: ep.Graph, seed: int) -> ep.Network:
    import torch

    torch.manual_seed(seed)
    rng, labels = np.random.default_rng(seed), np.asarray(graph.labels)
    chosen = np.concatenate([rng.permutation(np.flatnonzero(labels == c))[:PER_CLASS] for c in np.unique(labels)])
    x = torch.tensor(graph.features.dense(), dtype=torch.float32)
    edges = torch.tensor(np.stack([graph.sources, graph.targets]))
    y, seen = torch.tensor(labels), torch.tensor(chosen)
    model = makers(x.shape[1], int(labels.max()) + 1)[name]()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)
    for _ in range(EPOCHS):
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x, edges)[seen], y[seen]).backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        right = model(x, edges).argmax(1) == y
    rest = torch.ones(len(y), dtype=torch.bool)
    rest[seen] = False
    print(f"{name}: trained, accuracy {right[rest].float().mean():.3f} on the nodes not trained on", flush=True)
    return ep.from_pyg(model, num_features=x.shape[1], name=name)


def network_of(name: str, graph: ep.Graph, args: argparse.Namespace) -> ep.Network:
    kept = None if args.keep is None else args.keep / f"{name}.safetensors"
    if kept is not None and kept.exists():
        return ep.Network.load(kept)
    network = trained(name, graph, args.seed)
    if kept is not None:
        kept.parent.mkdir(parents=True, exist_ok=True)
        network.save(kept)
    return network


def measure(network: ep.Network, graph: ep.Graph, nodes: list[int], budget: int, limit: float) -> None:
    seconds, count, left = [], Counter[str](), []
    for node in nodes:
        started = time.process_time()
        verdict = ep.verify(network, graph, ep.Threat(budget), node, timeout=limit)
        seconds.append(time.process_time() - started)
        count[verdict.status] += 1
        if verdict.status == "unknown":
            lead = "" if verdict.lead is None else f", best lead of a rival {verdict.lead.margin:.3g}"
            left.append(
                f"node {node}: {verdict.reason}, {verdict.stats.nodes} nodes, {verdict.stats.fragile} pairs{lead}"
            )
    decided = 1 - count["unknown"] / len(nodes)
    print(
        f"{budget:6} {count['robust']:7} {count['vulnerable']:6} {count['unknown']:5} {decided:8.1%}"
        f" {np.median(seconds):9.3f}s {max(seconds):8.2f}s",
        flush=True,
    )
    for line in left:
        print(f"       open: {line}", flush=True)


def main() -> None:
    every = ("sgc", "sage-elu", "sage-gelu", "appnp", "gcn2")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="the folder with datasets/ and models/; default: EDGEPROOF_DATA")
    parser.add_argument("--models", nargs="+", choices=every, default=every)
    parser.add_argument("--keep", type=Path, help="read trained networks from this folder, or keep them there")
    parser.add_argument("--sample", type=int, default=100)
    parser.add_argument("--budget", type=int, nargs="+", default=[1, 2, 5])
    parser.add_argument("--limit", type=float, default=60.0, help="seconds a query")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    if args.data:
        os.environ["EDGEPROOF_DATA"] = str(args.data)
    graph = undirected("Cora")
    nodes = random.Random(args.seed).sample(range(graph.num_vertices), min(args.sample, graph.num_vertices))
    print(f"{graph}, {len(nodes)} nodes, {args.limit:g} s a query")
    for name in args.models:
        network = network_of(name, graph, args)
        print(network)
        print(f"{'budget':>6} {'robust':>7} {'vuln.':>6} {'open':>5} {'decided':>8} {'median':>10} {'longest':>9}")
        ep.verify(network, graph, ep.Threat(1), nodes[0], timeout=args.limit)  # compiles, loads
        for budget in args.budget:
            measure(network, graph, nodes, budget, args.limit)


if __name__ == "__main__":
    main()

"""GAT on Cora: how many nodes are decided, and in what time.

Trains the original GAT (8 heads of 8, ELU, one output head) with PyTorch Geometric, seeded, on undirected Cora with
features scaled to sums of 1, and asks about its predictions:

    python benchmarks/attention.py --data ../shared --out DIR                        # two layers, deletions, 1, 2 and 5
    python benchmarks/attention.py --data ../shared --out DIR --layers 3 --count 100 --budget 1 --budget 2
    python benchmarks/attention.py --data ../shared --out DIR --kind gatv2 --insert --count 100 --budget 1

Times are of the processor, one thread.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

import edgeproof as ep
from edgeproof.search.strategies.attended import warm_up_attention


def load_cora(data: Path) -> ep.Graph:
    graph = ep.Graph.load(data / "datasets" / "Cora.npz").to_undirected()
    rows = graph.features.dense().astype(np.float32)
    rows /= np.maximum(rows.sum(axis=1, keepdims=True), 1).astype(np.float32)
    edges = np.stack([graph.sources, graph.targets])
    return ep.Graph(edges, rows, directed=False, labels=graph.labels)


def train(graph: ep.Graph, kind: str, layers: int, epochs: int, seed: int) -> Any:
    """Twenty vertices of each class are labelled."""
    import torch
    from torch_geometric import nn

    torch.manual_seed(seed)
    assert graph.labels is not None
    classes = int(graph.labels.max()) + 1
    model = nn.GAT(graph.features.num_columns, 64, layers, classes, dropout=0.6, act="elu", heads=8, v2=kind == "gatv2")
    last = (nn.GATv2Conv if kind == "gatv2" else nn.GATConv)(64, classes, heads=1, concat=False, dropout=0.6)
    model.convs[-1] = last
    x = torch.tensor(graph.features.dense(), dtype=torch.float32)
    edges = torch.tensor(np.stack([graph.sources, graph.targets]))
    rng = np.random.default_rng(seed)
    chosen = [rng.choice(np.flatnonzero(graph.labels == c), 20, replace=False) for c in range(classes)]
    shown, classes_of = torch.tensor(np.concatenate(chosen)), torch.tensor(graph.labels)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)
    for _ in range(epochs):
        model.train()
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x, edges)[shown], classes_of[shown]).backward()
        optimizer.step()
    return model.eval()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True, help="where trained networks are kept")
    parser.add_argument("--kind", choices=["gat", "gatv2"], default="gat")
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--epochs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, help="random nodes; all without it")
    parser.add_argument("--budget", type=int, action="append", help="1, 2 and 5 without it")
    parser.add_argument("--insert", action="store_true", help="insertions at the node, too")
    parser.add_argument("--timeout", type=float, default=60.0)
    given = parser.parse_args()
    graph = load_cora(given.data)
    path = given.out / f"{given.kind}{given.layers}-{given.epochs}-{given.seed}.safetensors"
    if not path.exists():
        given.out.mkdir(parents=True, exist_ok=True)
        ep.from_pyg(train(graph, given.kind, given.layers, given.epochs, given.seed), name=path.stem).save(path)
    network = ep.Network.load(path)
    warm_up_attention()
    accuracy = float((network.predict(graph) == graph.labels).mean())
    print(f"{network}, accuracy {accuracy:.3f}")
    nodes = np.arange(graph.num_vertices)
    if given.count is not None:
        nodes = np.random.default_rng(given.seed).permutation(nodes)[: given.count]
    for budget in given.budget or [1, 2, 5]:
        threat = ep.Threat(budget, insert="target" if given.insert else False)
        said: Counter[str] = Counter()
        seconds, searched = [], []
        for node in nodes.tolist():
            began = time.process_time()
            verdict = ep.verify(network, graph, threat, node=node, timeout=given.timeout)
            seconds.append(time.process_time() - began)
            searched.append(verdict.stats.nodes)
            said[verdict.status if verdict.reason is None else f"unknown ({verdict.reason})"] += 1
        found = ", ".join(f"{count} {name}" for name, count in sorted(said.items()))
        times = f"{sum(seconds):.1f} s in all, median {np.median(seconds):.4f}, longest {max(seconds):.2f}"
        nodes_of_search = f"search nodes {np.mean(searched):.1f}, at most {max(searched)}"
        print(f"budget {budget}: {nodes.size} nodes, {found}; {times}; {nodes_of_search}", flush=True)


if __name__ == "__main__":
    main()

"""Exact radii when edges may go and any absent pair may come: undirected citation graphs, networks trained here.

    python benchmarks/insertions.py                               # every row, 60 nodes each, radii up to 5, 60 s a node
    python benchmarks/insertions.py --row Cora/gcn16 --sample 300
    python benchmarks/insertions.py --row Cora/max32              # layers that take a max
    python benchmarks/insertions.py --row Cora/mean32/3 --cap 1   # three layers
    python benchmarks/insertions.py --insert target               # pairs at the node in question only

One JSON line a node and one a row. Seconds are wall seconds of one thread; `cpu` are those that the
process was given, on a machine with other work far fewer. Networks are trained once and kept in the folder of
--networks: Adam, 200 epochs, 20 nodes of each class, dropout 0.5. Needs torch and torch_geometric.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import sys
import time
from itertools import pairwise
from pathlib import Path

import numpy as np

import edgeproof as ep
import shared_data

EPOCHS, PER_CLASS = 200, 20
ROWS = [f"{data}/{kind}" for data in ("Cora", "CiteSeer", "CoraML") for kind in ("gcn16", "gcn64", "mean32", "sum32")]


def undirected(name: str) -> ep.Graph:
    """Both directions of every edge, without self-loops; features are rows that sum to 1."""
    given = ep.Graph.load(shared_data.data_folder() / "datasets" / f"{name}.npz", directed=True)
    edges = {(u, v) for u, v in zip(given.sources.tolist(), given.targets.tolist(), strict=True) if u != v}
    edges |= {(v, u) for u, v in edges}
    rows = given.features.dense()
    rows /= np.maximum(rows.sum(axis=1, keepdims=True), 1e-9)
    return ep.Graph(np.array(sorted(edges)).T, rows, directed=False, labels=given.labels, name=f"{name}, undirected")


def train(graph: ep.Graph, kind: str, layers: int, seed: int) -> ep.Network:
    import torch
    from torch.nn import functional
    from torch_geometric.nn import GCNConv, SAGEConv

    aggregation, hidden = kind.rstrip("0123456789"), int(kind.lstrip("abcdefghijklmnopqrstuvwxyz"))
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    labels = np.asarray(graph.labels)
    chosen = np.concatenate([rng.permutation(np.flatnonzero(labels == c))[:PER_CLASS] for c in np.unique(labels)])
    x = torch.tensor(graph.features.dense(), dtype=torch.float32)
    edges, y = torch.tensor(np.stack([graph.sources, graph.targets])), torch.tensor(labels)
    seen = torch.tensor(chosen)
    widths = [x.shape[1], *[hidden] * (layers - 1), int(labels.max()) + 1]
    stack = torch.nn.ModuleList(
        GCNConv(*pair) if aggregation == "gcn" else SAGEConv(*pair, aggr=aggregation) for pair in pairwise(widths)
    )
    optimizer = torch.optim.Adam(stack.parameters(), lr=0.01, weight_decay=5e-4)

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
        print(f"{kind}: accuracy {right[rest].float().mean():.3f} on the nodes not trained on", file=sys.stderr)
    return ep.from_pyg(module_of(stack, layers))


def module_of(stack: object, layers: int) -> object:
    import torch

    class Module(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.stack = stack

        def forward(self, x: torch.Tensor, edge_index: torch.Tensor) -> torch.Tensor:
            for at, one in enumerate(self.stack, 1):
                x = one(x, edge_index)
                x = x.relu() if at < layers else x
            return x

    return Module().eval()


def network(folder: Path, graph: ep.Graph, data: str, kind: str, layers: int, seed: int) -> ep.Network:
    path = folder / f"{data}_{kind}_{layers}_{seed}.safetensors"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        train(graph, kind, layers, seed).save(path)
    return ep.Network.load(path)


def measure(row: str, args: argparse.Namespace) -> None:
    data, kind, *rest = row.split("/")
    layers = int(rest[0]) if rest else 2
    graph = undirected(data)
    net = network(args.networks, graph, data, kind, layers, args.seed)
    nodes = random.Random(args.seed).sample(range(graph.num_vertices), min(args.sample, graph.num_vertices))
    insert = {"any": True, "target": "target"}[args.insert]
    threat = ep.Threat(args.cap, insert=insert)
    ep.radius(net, graph, ep.Threat(1, insert="target"), nodes[0])  # compiles, loads
    seconds, busy, exact, counts, left = [], [], 0, {}, []
    for node in nodes:
        started, before = time.perf_counter(), time.process_time()
        found = ep.radius(net, graph, threat, node, timeout=args.limit)
        seconds.append(time.perf_counter() - started)
        busy.append(time.process_time() - before)
        exact += found.exact
        if found.exact:
            key = f">={args.cap}" if found.robust else str(found.lower)
            counts[key] = counts.get(key, 0) + 1
        else:
            left.append(node)
        degree = len(graph.in_neighbours(node))
        line = {"row": row, "node": node, "degree": degree, "seconds": round(seconds[-1], 4),
                "cpu": round(busy[-1], 4), "exact": found.exact,
                "lower": found.lower, "upper": found.upper, "robust": found.robust, "reason": found.reason,
                "stats": dict(found.stats)}  # fmt: skip
        print(json.dumps(line), flush=True)
    total = {"row": row, "seed": args.seed, "insert": args.insert, "cap": args.cap, "limit": args.limit,
             "nodes": len(nodes), "exact": exact, "share": round(exact / len(nodes), 4),
             "median": round(float(np.median(seconds)), 4), "mean": round(float(np.mean(seconds)), 4),
             "longest": round(max(seconds), 2), "median_cpu": round(float(np.median(busy)), 4),
             "mean_cpu": round(float(np.mean(busy)), 4), "longest_cpu": round(max(busy), 2),
             "radii": dict(sorted(counts.items())), "open": left,
             "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10}  # fmt: skip
    print(json.dumps(total), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="the folder with datasets/ and models/; default: EDGEPROOF_DATA")
    parser.add_argument("--networks", type=Path, default=Path("networks"), help="where trained networks are kept")
    parser.add_argument("--row", nargs="+", default=ROWS, help="dataset/kind, or dataset/kind/layers")
    parser.add_argument("--sample", type=int, default=60)
    parser.add_argument("--cap", type=int, default=5, help="radii are asked for up to here")
    parser.add_argument("--insert", choices=("any", "target"), default="any")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds a node")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    if args.data:
        os.environ["EDGEPROOF_DATA"] = str(args.data)
    for row in args.row:
        measure(row, args)


if __name__ == "__main__":
    main()

"""Exact radii when edges may go and any absent pair may come: undirected citation graphs, networks trained here.

    python benchmarks/insertions.py                               # every row, 60 nodes each, radii up to 5, 60 s a node
    python benchmarks/insertions.py --row Cora/gcn16 --sample 300
    python benchmarks/insertions.py --row Cora/max32              # layers that take a max
    python benchmarks/insertions.py --row Cora/mean32/3 --cap 1   # three layers
    python benchmarks/insertions.py --insert target               # pairs at the node in question only
    python benchmarks/insertions.py --row Cora/gcn16 --sweep 2 --store cora   # all nodes, in one sweep of two workers

One JSON line a node and one a row. The limit counts processor seconds of this process, which work of others on the
machine does not change; lines have both these (`cpu`) and wall seconds. Networks are trained once and kept in the
folder of --networks: Adam, 200 epochs, 20 nodes of each class, dropout 0.5. Needs torch and torch_geometric.
`benchmarks/write_insertions.py` makes docs/insertions.md from these lines.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import signal
import sys
import threading
import time
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

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


def radius_within(limit: float, net: ep.Network, graph: ep.Graph, threat: ep.Threat, node: int) -> ep.Radius:
    """The radius, or what is known of it when this process has been given so many processor seconds."""
    end, done = time.process_time() + limit, threading.Event()

    def watch() -> None:
        while not done.wait(0.05):
            if time.process_time() > end:
                os.kill(os.getpid(), signal.SIGINT)
                return

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        return ep.radius(net, graph, threat, node)
    except ep.Interrupted as stopped:
        return stopped.answer
    finally:
        done.set()
        watcher.join()


class Row(NamedTuple):
    """One network on one graph, and what is asked of its nodes."""

    name: str
    net: ep.Network
    graph: ep.Graph
    threat: ep.Threat
    degrees: np.ndarray

    def line(self, node: int, found: ep.Radius | ep.Answer, seconds: float, cpu: float | None) -> dict[str, object]:
        """`hub`: the largest degree of an in-neighbour."""
        near = self.graph.in_neighbours(node)
        return {
            "row": self.name, "node": node, "degree": len(near), "hub": int(self.degrees[near].max(initial=0)),
            "seconds": round(seconds, 4), "cpu": None if cpu is None else round(cpu, 4), "exact": found.exact,
            "lower": found.lower, "upper": found.upper, "robust": found.robust, "reason": found.reason,
            "nodes": found.stats.nodes,
        }  # fmt: skip


def make_row(name: str, args: argparse.Namespace) -> Row:
    data, kind, *rest = name.split("/")
    graph = undirected(data)
    net = network(args.networks, graph, data, kind, int(rest[0]) if rest else 2, args.seed)
    threat = ep.Threat(args.cap, insert={"any": True, "target": "target"}[args.insert])
    return Row(name, net, graph, threat, np.bincount(graph.targets, minlength=graph.num_vertices))


def total(row: Row, lines: list[dict[str, object]], args: argparse.Namespace, megabytes: int) -> dict[str, object]:
    counts: dict[str, int] = {}
    for line in lines:
        if line["exact"]:
            key = f">={args.cap}" if line["robust"] else str(line["lower"])
            counts[key] = counts.get(key, 0) + 1
    exact, made = sum(bool(line["exact"]) for line in lines), {}
    for name in ("seconds", "cpu"):
        times = [line[name] for line in lines if line[name] is not None]
        if times:
            made[name] = {
                "median": round(float(np.median(times)), 4), "mean": round(float(np.mean(times)), 4),
                "longest": round(max(times), 2),
            }  # fmt: skip
    return {
        "row": row.name, "seed": args.seed, "insert": args.insert, "cap": args.cap, "limit": args.limit,
        "workers": args.sweep, "vertices": row.graph.num_vertices, "nodes": len(lines), "exact": exact,
        "share": round(exact / len(lines), 4), **made, "radii": dict(sorted(counts.items())),
        "open": [line["node"] for line in lines if not line["exact"]], "megabytes": megabytes,
    }  # fmt: skip


def measure(name: str, args: argparse.Namespace) -> None:
    row = make_row(name, args)
    nodes = random.Random(args.seed).sample(range(row.graph.num_vertices), min(args.sample, row.graph.num_vertices))
    ep.radius(row.net, row.graph, ep.Threat(1, insert="target"), nodes[0])  # compiles, loads
    lines = []
    for node in nodes:
        started, before = time.perf_counter(), time.process_time()
        found = radius_within(args.limit, row.net, row.graph, row.threat, node)
        lines.append(row.line(node, found, time.perf_counter() - started, time.process_time() - before))
        print(json.dumps(lines[-1]), flush=True)
    print(json.dumps(total(row, lines, args, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10)), flush=True)


def sweep(name: str, args: argparse.Namespace) -> None:
    """All nodes; the limit is that of a sweep, wall seconds a question."""
    row, started, lines = make_row(name, args), time.perf_counter(), []
    plan = ep.Plan([row.threat], radius=True)
    for answer in ep.verify_many(row.net, row.graph, plan, workers=args.sweep, store=args.store, timeout=args.limit):
        if answer.status == "error":
            raise SystemExit(f"node {answer.node}: {answer.result}")
        lines.append(row.line(answer.node, answer, answer.stats.seconds, None))
        print(json.dumps(lines[-1]), flush=True)
    used = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    print(
        json.dumps(total(row, lines, args, used >> 10) | {"wall": round(time.perf_counter() - started, 1)}), flush=True
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="the folder with datasets/ and models/; default: EDGEPROOF_DATA")
    parser.add_argument("--networks", type=Path, default=Path("networks"), help="where trained networks are kept")
    parser.add_argument("--row", nargs="+", default=ROWS, help="dataset/kind, or dataset/kind/layers")
    parser.add_argument("--sample", type=int, default=60)
    parser.add_argument("--cap", type=int, default=5, help="radii are asked for up to here")
    parser.add_argument("--insert", choices=("any", "target"), default="any")
    parser.add_argument("--limit", type=float, default=60.0, help="processor seconds a node")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--sweep", type=int, metavar="WORKERS", help="all nodes by a sweep; its limit is of wall seconds"
    )
    parser.add_argument("--store", type=Path, help="the folder of that sweep, so that it can be resumed")
    args = parser.parse_args()
    if args.data:
        os.environ["EDGEPROOF_DATA"] = str(args.data)
    for row in args.row:
        (measure if args.sweep is None else sweep)(row, args)


if __name__ == "__main__":
    main()

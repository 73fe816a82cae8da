"""Networks and graphs of real size: three layers of 256 on 170,000 vertices, and what changes with each factor.

    python benchmarks/real_size.py [--aggregation gcn] [--width 256] [--layers 3] [--vertices 169343] [--budget 1 2]

Generates a graph like those that people train on (degrees Pareto 1.6 capped at 3,000, 40 classes, homophily 0.65,
128 real features), trains a network with BatchNorm on it, and asks whether random nodes survive deletions. Graph and
weights are kept under --cache, so that a second run begins with the questions. A line says what the questions took;
seconds are wall time, or the processor's (cpu); memory is the peak of the process that verifies, which is a process of
its own.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

import edgeproof as ep

CLASSES, FEATURES, HOMOPHILY, SHAPE, CAP, DEGREE = 40, 128, 0.65, 1.6, 3000, 13.8
# of the features, what tells the classes apart; of the vertices, those whose class is none that anybody could learn
SIGNAL, NOISE = 0.15, 0.2


def generate(
    vertices: int, degree: float = DEGREE, cap: int = CAP, seed: int = 0, centres: np.ndarray | None = None
) -> tuple[np.ndarray, ...]:
    """Edges (2, E) with both directions of each, features, classes, and the features' centres of the classes.

    Ends of edges are drawn with probability proportional to a Pareto weight; of 65 in 100 edges, the other end is
    drawn from the same class. centres: those of another graph, whose classes these are.
    """
    rng = np.random.default_rng((seed, vertices))
    classes = rng.integers(CLASSES, size=vertices)
    weight = (1 - rng.random(vertices)) ** (-1 / SHAPE)
    weight = np.minimum(weight * degree / weight.mean(), cap)
    by_class = np.argsort(classes, kind="stable")
    bounds = np.searchsorted(classes[by_class], np.arange(CLASSES + 1))
    mass = np.concatenate([[0.0], np.cumsum(weight[by_class])])
    wanted, found = int(vertices * degree / 2), np.zeros(0, dtype=np.int64)
    while found.size < wanted:
        m = int(1.1 * (wanted - found.size)) + 16
        u = by_class[np.searchsorted(mass, rng.random(m) * mass[-1], side="right") - 1]
        same = rng.random(m) < HOMOPHILY
        low, high = mass[bounds[classes[u]]], mass[bounds[classes[u] + 1]]
        low, high = np.where(same, low, 0.0), np.where(same, high, mass[-1])
        at = np.searchsorted(mass, low + rng.random(m) * (high - low), side="right") - 1
        v = by_class[np.minimum(at, vertices - 1)]
        a, b = np.minimum(u, v), np.maximum(u, v)
        fresh = (a * vertices + b)[a != b]
        found = np.unique(np.concatenate([found, fresh]))
    found = np.sort(rng.permutation(found)[:wanted])
    a, b = found // vertices, found % vertices
    if centres is None:
        centres = rng.normal(size=(CLASSES, FEATURES))
    features = SIGNAL * centres[classes] + rng.normal(size=(vertices, FEATURES))
    noisy = rng.random(vertices) < NOISE
    classes[noisy] = rng.integers(CLASSES, size=int(noisy.sum()))
    edges = np.stack([np.concatenate([a, b]), np.concatenate([b, a])])
    return edges, features.astype(np.float32), classes, centres


def train(
    edges: np.ndarray, features: np.ndarray, classes: np.ndarray, how: str, width: int, layers: int, epochs: int
) -> tuple[list[dict[str, np.ndarray]], float]:
    """Full batch; weights with BatchNorm folded in, and the accuracy on vertices that were not trained on."""
    import torch

    torch.manual_seed(0)
    torch.set_num_threads(2)
    n = len(features)
    source, target = (torch.from_numpy(row) for row in edges)
    loops = torch.arange(n)
    if how == "gcn":
        root = torch.rsqrt(torch.bincount(target, minlength=n).float() + 1)
        index = torch.stack([torch.cat([target, loops]), torch.cat([source, loops])])
        values = root[index[0]] * root[index[1]]
    else:
        index = torch.stack([target, source])
        degree = torch.bincount(target, minlength=n).clamp(min=1).float()
        values = 1 / degree[target] if how == "mean" else torch.ones(target.numel())
    adjacency = torch.sparse_coo_tensor(index, values, (n, n)).coalesce().to_sparse_csr()
    widths = [FEATURES, *([width] * (layers - 1)), CLASSES]
    sends = [torch.nn.Linear(into, out) for into, out in pairwise(widths)]
    keeps = [torch.nn.Linear(into, out, bias=False) for into, out in pairwise(widths)]
    norms = [torch.nn.BatchNorm1d(width) for _ in range(layers - 1)]
    every = torch.nn.ModuleList([*sends, *norms, *([] if how == "gcn" else keeps)])
    x, y = torch.from_numpy(features), torch.from_numpy(classes)
    trained = torch.from_numpy(np.random.default_rng(1).random(n) < 0.54)

    def aggregate(h: torch.Tensor) -> torch.Tensor:
        if how == "max":
            sent = torch.full_like(h, -torch.inf).index_reduce(0, target, h[source], "amax")
            return torch.where(torch.isinf(sent), 0.0, sent)
        return _Product.apply(adjacency, h, how == "mean") if how == "mean" else _Symmetric.apply(adjacency, h)

    class _Symmetric(torch.autograd.Function):
        @staticmethod
        def forward(ctx, matrix, h):
            ctx.matrix = matrix
            return matrix @ h

        @staticmethod
        def backward(ctx, gradient):
            return None, ctx.matrix @ gradient

    class _Product(torch.autograd.Function):
        @staticmethod
        def forward(ctx, matrix, h, mean):
            return matrix @ h

        @staticmethod
        def backward(ctx, gradient):
            return None, plain @ (gradient / degree[:, None]), None

    plain = (
        torch.sparse_coo_tensor(index, torch.ones(target.numel()), (n, n)).coalesce().to_sparse_csr()
        if how == "mean"
        else None
    )

    def forward(h: torch.Tensor) -> torch.Tensor:
        for at in range(layers):
            if how == "gcn":
                h = aggregate(h @ sends[at].weight.T) + sends[at].bias
            elif how == "max":
                h = sends[at](aggregate(h)) + keeps[at](h)
            else:
                h = aggregate(h @ sends[at].weight.T) + sends[at].bias + keeps[at](h)
            if at < layers - 1:
                h = torch.nn.functional.dropout(norms[at](h).relu(), 0.3, every.training)
        return h

    optimizer = torch.optim.Adam(every.parameters(), lr=0.01)
    for epoch in range(epochs):
        every.train()
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(forward(x)[trained], y[trained])
        loss.backward()
        optimizer.step()
        print(f"epoch {epoch + 1}: loss {float(loss.detach()):.3f}", file=sys.stderr, flush=True)
    every.eval()
    with torch.no_grad():
        right = float((forward(x).argmax(1) == y)[~trained].float().mean())
    folded = []
    for at in range(layers):
        A, b = (one.detach().double().numpy() for one in (sends[at].weight, sends[at].bias))
        C = np.zeros_like(A) if how == "gcn" else keeps[at].weight.detach().double().numpy()
        if at < layers - 1:
            norm = norms[at]
            mean, var, gain, shift = (
                one.detach().double().numpy() for one in (norm.running_mean, norm.running_var, norm.weight, norm.bias)
            )
            scale = gain / np.sqrt(var + norm.eps)
            A, C, b = A * scale[:, None], C * scale[:, None], (b - mean) * scale + shift
        folded.append({"A": A.astype(np.float32), "C": C.astype(np.float32), "b": b.astype(np.float32)})
    return folded, right


def prepare(
    cache: Path, how: str, width: int, layers: int, vertices: int, degree: float, epochs: int, trained_on: int
) -> Path:
    """A file with graph and weights; made in a process of its own, whose memory is given back."""
    path = cache / f"{how}-{layers}x{width}-{vertices}-{degree:g}-{min(trained_on, vertices)}.npz"
    if not path.exists():
        cache.mkdir(parents=True, exist_ok=True)
        arguments = [how, str(width), str(layers), str(vertices), str(degree), str(epochs), str(trained_on)]
        subprocess.run([sys.executable, __file__, "--prepare", str(path), *arguments], check=True)
    return path


def write(
    path: Path, how: str, width: int, layers: int, vertices: int, degree: float, epochs: int, trained_on: int
) -> None:
    """The graph, and weights from training on it, or on a smaller one of the same classes."""
    edges, features, classes, centres = generate(min(trained_on, vertices), degree)
    weights, accuracy = train(edges, features, classes, how, width, layers, epochs)
    if trained_on < vertices:
        edges, features, classes, _ = generate(vertices, degree, centres=centres)
    print(f"{path.name}: accuracy {accuracy:.3f}", flush=True)
    parts = {f"{name}{at}": one for at, layer in enumerate(weights) for name, one in layer.items()}
    unfinished = path.with_suffix(".part.npz")
    np.savez(unfinished, edges=edges.astype(np.int32), features=features, classes=classes, accuracy=accuracy, **parts)
    unfinished.rename(path)


def load(path: Path, how: str, layers: int) -> tuple[ep.Network, ep.Graph]:
    with np.load(path) as held:
        graph = ep.Graph(
            held["edges"].astype(np.int64), held["features"].astype(np.float64), directed=False, labels=held["classes"]
        )
        network = ep.Network(
            [
                ep.Layer(
                    *(held[f"{name}{at}"].astype(np.float64) for name in "CAb"),
                    how, "relu" if at < layers - 1 else "none",
                )
                for at in range(layers)
            ]
        )  # fmt: skip
    return network, graph


def ask(path: Path, args: argparse.Namespace) -> None:
    """The questions; one line of JSON for each budget."""
    started = time.perf_counter()
    network, graph = load(path, args.aggregation, args.layers)
    loaded = time.perf_counter() - started
    nodes = np.random.default_rng(args.seed).choice(graph.num_vertices, size=args.nodes, replace=False)
    for budget in args.budget if args.nodes else []:
        seconds, busy, found = [], [], Counter()
        for node in nodes.tolist():
            started, worked = time.perf_counter(), time.process_time()
            verdict = ep.verify(network, graph, ep.Threat(budget), node, timeout=args.timeout)
            seconds.append(time.perf_counter() - started)
            busy.append(time.process_time() - worked)
            found[verdict.status] += 1
            if args.verbose:
                print(node, verdict, round(busy[-1], 3), dict(verdict.stats), file=sys.stderr, flush=True)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        ordered = np.sort(seconds)
        line = {
            "aggregation": args.aggregation, "width": args.width, "layers": args.layers, "vertices": args.vertices,
            "degree": args.degree, "trained_on": min(args.trained_on, args.vertices), "budget": budget,
            "nodes": len(seconds), "timeout": args.timeout, "load": round(loaded, 2), "first": round(seconds[0], 2),
            "cpu_first": round(busy[0], 2), "median": round(float(np.median(ordered)), 3),
            "p90": round(float(ordered[int(0.9 * (ordered.size - 1))]), 3), "longest": round(float(ordered[-1]), 2),
            "cpu_median": round(float(np.median(busy)), 3), "cpu_longest": round(max(busy), 2),
            **found, "decided": round(1 - found["unknown"] / len(seconds), 3), "peak_gb": round(peak, 2),
        }  # fmt: skip
        print(json.dumps(line), flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--aggregation", default="gcn", choices=("gcn", "mean", "sum", "max"))
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--layers", type=int, default=3)
    parser.add_argument("--vertices", type=int, default=169_343)
    parser.add_argument("--degree", type=float, default=DEGREE, help="edges into a vertex, on average")
    parser.add_argument("--budget", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--nodes", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--timeout", type=float, default=60)
    parser.add_argument("--epochs", type=int, default=40)
    parser.add_argument("--trained-on", type=int, default=200_000, help="vertices of the graph to train on, at most")
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "edgeproof-real-size")
    parser.add_argument("--verbose", action="store_true", help="every answer, to standard error")
    parser.add_argument("--prepare", nargs=8, help=argparse.SUPPRESS)
    args = parser.parse_args(arguments)
    if args.prepare:
        path, how, width, layers, vertices, degree, epochs, trained_on = args.prepare
        sizes = int(width), int(layers), int(vertices), float(degree)
        write(Path(path), how, *sizes, int(epochs), int(trained_on))
        return
    sizes = args.width, args.layers, args.vertices, args.degree, args.epochs, args.trained_on
    ask(prepare(args.cache, args.aggregation, *sizes), args)


if __name__ == "__main__":
    main()

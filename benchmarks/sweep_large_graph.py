"""Node questions on power-law graphs of growing size: what they cost should follow the neighbourhood, not the graph.

    python benchmarks/sweep_large_graph.py [--vertices 10000 100000 1000000] [--questions 1000]

Each graph has ten edges a vertex, is written as `.npz`, loaded, and asked about random vertices (deletions, budget 2,
two layers). Overhead is what a question costs on the graph beyond what it costs on its neighbourhood cut out as a
graph of its own. CPU seconds, so that the figures hold on a machine that others use too; memory is the peak of the
process.
"""

from __future__ import annotations

import argparse
import itertools
import resource
import tempfile
import time
from pathlib import Path

import numpy as np

import edgeproof as ep
from edgeproof.arithmetic.float64 import neighbourhood

EDGES, FEATURES, ONES = 10, 64, 5


def write_power_law(path: Path, vertices: int) -> None:
    """Both ends of an edge are drawn with weights that fall like a power of the rank; degrees have a heavy tail."""
    rng = np.random.default_rng(vertices)
    found = np.zeros(0, dtype=np.int64)
    wanted = EDGES * vertices
    while found.size < wanted:
        # the k-th of n with probability about k^-0.45: inverse of the cumulative sum
        ends = np.floor(vertices * rng.random((2, wanted - found.size)) ** (1 / 0.55)).astype(np.int64)
        ends = ends[:, ends[0] != ends[1]]
        found = np.unique(np.concatenate([found, ends[0] * vertices + ends[1]]))
    names = rng.permutation(vertices)
    edges = np.stack([names[found // vertices], names[found % vertices]]).astype(np.int32)
    rows = np.repeat(np.arange(vertices), ONES)
    columns = np.tile(np.arange(ONES), vertices) * (FEATURES // ONES) + rng.integers(FEATURES // ONES, size=rows.size)
    np.savez_compressed(
        path, edge_index=edges[:, np.lexsort(edges[::-1])], x_row=rows.astype(np.int32),
        x_col=columns.astype(np.int32), y=np.zeros(vertices, dtype=np.int64), num_nodes=np.int64(vertices),
        num_features=np.int64(FEATURES), num_classes=np.int64(4),
    )  # fmt: skip


def network() -> ep.Network:
    rng = np.random.default_rng(0)
    widths = (FEATURES, 16, 4)
    return ep.Network(
        [
            ep.Layer(
                rng.normal(size=(out, into)), rng.normal(size=(out, into)) / 4, rng.normal(size=out),
                "mean", "relu" if out == 16 else "none",
            )
            for into, out in itertools.pairwise(widths)
        ]
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vertices", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--questions", type=int, default=1000)
    parser.add_argument("--sizes", action="store_true", help="also: cost by size of the neighbourhood")
    args = parser.parse_args()
    net = network()
    threat = ep.Threat(2)
    ep.verify(net, ep.Graph([[0], [1]], np.ones((2, FEATURES)), directed=True), threat, 1)
    for vertices in args.vertices:
        path = Path(tempfile.mkdtemp()) / "graph.npz"
        write_power_law(path, vertices)
        started = time.process_time()
        graph = ep.Graph.load(path, directed=True)
        loaded = time.process_time() - started
        path.unlink()
        started = time.process_time()
        ep.verify(net, graph, threat, 0)
        first = time.process_time() - started
        nodes = np.random.default_rng(1).choice(vertices, size=args.questions, replace=False)
        whole, alone, sizes = [], [], []
        for node in nodes.tolist():
            part, at = neighbourhood(net, graph, node)
            ep.verify(net, part, threat, at, timeout=10)  # what is kept for a network and graph is kept for both
            started = time.process_time()
            small = ep.verify(net, part, threat, at, timeout=10)
            alone.append(time.process_time() - started)
            started = time.process_time()
            large = ep.verify(net, graph, threat, node, timeout=10)
            whole.append(time.process_time() - started)
            sizes.append(part.num_vertices)
            assert "unknown" in (small.status, large.status) or small.status == large.status
        over = 1e3 * (np.array(whole) - np.array(alone))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        print(
            f"{vertices:>9,} vertices, {graph.sources.size:>10,} edges: load {loaded:5.1f} s, first question"
            f" {first:5.2f} s; then {1e3 * np.mean(whole):6.2f} ms each (median {1e3 * np.median(whole):.2f}), overhead"
            f" {over.mean():5.2f} ms (median {np.median(over):.2f}); peak {peak:.2f} GB"
        )
        if args.sizes:
            order = np.argsort(sizes)
            for some in np.array_split(order, 5):
                low, high = (pick(sizes[k] for k in some) for pick in (min, max))
                print(
                    f"    neighbourhoods of {low:>5} to {high:>5} vertices:"
                    f" {1e3 * np.mean([whole[k] for k in some]):8.2f} ms, overhead {over[some].mean():6.2f} ms"
                )


if __name__ == "__main__":
    main()

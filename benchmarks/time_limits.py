"""How long after its time limit does a query end? On the largest instances of every dataset.

python benchmarks/time_limits.py [--limit 1] [--count 3] [--only Cora]

Node tasks: the vertices with the most fragile pairs that can matter, deletions, and insertions as well where they are
not refused; graph tasks: the largest graphs, every pair fragile. Only queries that run into the limit count. Seconds
are of wall time for the whole call; what a busy machine adds is in them.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator

import edgeproof as ep
import shared_data
from edgeproof.errors import TooLargeError
from edgeproof.options import PAPER


def largest(dataset: str, aggregation: str, count: int) -> list[int]:
    """The nodes with the most pairs that can matter, or the graphs with the most vertices."""
    graphs = shared_data.graphs(dataset)
    if dataset not in shared_data.NODE_DATASETS:
        sizes = [graph.num_vertices for graph in graphs]
    else:
        sizes = [
            shared_data.verify(dataset, aggregation, node, ep.Threat(1), node_limit=1).stats.fragile
            for node in range(graphs[0].num_vertices)
        ]
    return sorted(range(len(sizes)), key=lambda i: -sizes[i])[:count]


def instances(only: str | None, count: int) -> Iterator[tuple[str, str, int, ep.Threat]]:
    for dataset in ("Cora", "CiteSeer", "Wisconsin", "MUTAG", "ENZYMES"):
        if only not in (None, dataset):
            continue
        chosen = largest(dataset, "sum", count)
        for aggregation in ("sum", "max", "mean"):
            for index in chosen:
                if dataset in shared_data.NODE_DATASETS:
                    yield dataset, aggregation, index, ep.Threat(10)
                    yield dataset, aggregation, index, ep.Threat(50)
                yield dataset, aggregation, index, ep.Threat(2, insert=True)
                yield dataset, aggregation, index, ep.Threat(10, insert=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=float, default=1.0)
    parser.add_argument("--count", type=int, default=3)
    parser.add_argument("--only", help="dataset")
    args = parser.parse_args()
    shared_data.verify("Cornell", "sum", 0, ep.Threat(1))  # compiles, loads
    late: list[float] = []
    for dataset, aggregation, index, threat in instances(args.only, args.count):
        for name, options in (("defaults", None), ("paper", PAPER)):
            started = time.perf_counter()
            try:
                verdict = shared_data.verify(dataset, aggregation, index, threat, timeout=args.limit, options=options)
            except TooLargeError:
                continue
            took = time.perf_counter() - started
            if verdict.reason == "timeout":
                late.append(took - args.limit)
            print(
                f"{dataset + '_' + aggregation:14} {index:5} budget {threat.budget:2} insert {threat.insert!s:5}"
                f" {name:8} {verdict.stats.fragile:7} pairs {verdict.status:10} {took:6.3f} s",
                flush=True,
            )
    print(f"{len(late)} timeouts, late by {max(late, default=0.0):.3f} s at most")


if __name__ == "__main__":
    main()

"""Compare an engine with brute force on many random queries.

python tests/campaign.py --count 20000 --seed 1 --jobs 2
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, as_completed

import click

from differential import check, draw_options
from random_queries import draw

CHUNK = 50


def run(module: str, seed: int, first: int, last: int) -> tuple[Counter[str], list[str]]:
    """Queries first..last-1: what they were about, and the reports of the failures."""
    engine = importlib.import_module(module)
    seen, failures = Counter[str](), list[str]()
    for index in range(first, last):
        report = check(engine, seed, index)
        if report is not None:
            failures.append(report)
        query = draw(seed, index)
        aggregations = {layer.aggregation.value for layer in query.network.layers if not layer.is_dense}
        seen.update(
            [
                f"task {query.network.task}",
                f"directed {query.graph.directed}",
                f"layers {len(query.network.layers)}",
                f"aggregation {'/'.join(sorted(aggregations)) or 'none'}",
                f"options {'default' if not draw_options(seed, index) else 'varied'}",
            ]
        )
    return seen, failures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="index of the first query")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--engine", default="edgeproof.search.engine", help="module with verify and radius")
    parser.add_argument("--stop", type=int, default=3, help="stop after this many failures")
    chosen = parser.parse_args()
    begin, seen, failures, done = time.monotonic(), Counter[str](), 0, 0
    with ProcessPoolExecutor(chosen.jobs) as pool:
        end = chosen.first + chosen.count
        starts = range(chosen.first, end, CHUNK)
        jobs = [pool.submit(run, chosen.engine, chosen.seed, at, min(at + CHUNK, end)) for at in starts]
        for job in as_completed(jobs):
            counted, reports = job.result()
            seen += counted
            done += sum(count for name, count in counted.items() if name.startswith("task"))
            failures += len(reports)
            for report in reports:
                click.echo(f"\n--- disagreement ---\n{report}")
            if sys.stdout.isatty() or done % 1000 < CHUNK:
                rate = done / (time.monotonic() - begin)
                click.echo(f"{done}/{chosen.count} queries, {failures} failures, {rate:.0f} a second")
            if failures >= chosen.stop:
                pool.shutdown(wait=False, cancel_futures=True)
                break
    click.echo(f"seed {chosen.seed}: {done} queries, {failures} failures, {time.monotonic() - begin:.0f} s")
    click.echo(", ".join(f"{name}: {count}" for name, count in sorted(seen.items())))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

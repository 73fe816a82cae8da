"""Certifications of random questions: the checker accepts whatever the search proves or breaks.

python tests/honest.py --count 20000 --seed 1 --jobs 2
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace

import click

from differential import draw_options
from edgeproof import certify
from edgeproof.model.query import Query
from random_queries import CROWDED, RATIONAL, Grid, draw

CHUNK = 50
GRIDS: tuple[Grid, ...] = (
    RATIONAL,
    replace(RATIONAL, tasks=("graph",), pools=("max", "max", "mean", "sum")),
    replace(RATIONAL, layers=(3, 3, 4), directed=(True, False), flips=("list", "list", "insert", "both", "target")),
    CROWDED,
)


def question(seed: int, index: int) -> Query:
    return draw(seed, index, GRIDS[index % len(GRIDS)])


def rejected(seed: int, index: int) -> str | None:
    """What keeps the verdict from being certified; None if nothing does."""
    query, options = question(seed, index), draw_options(seed, index)
    try:
        found = certify.verify_with_certificate(
            query, timeout=60, node_limit=None, options=options, proof=None, certify=True
        )
    except Exception:  # a crash is a finding like any other
        return f"seed {seed}, index {index}, options {options}\n{traceback.format_exc()}"
    if found.certified and found.status in ("robust", "vulnerable"):
        return None
    return f"seed {seed}, index {index}, options {options}\n{found}: {found.reason}"


def about(query: Query) -> list[str]:
    kinds = "/".join(sorted({layer.aggregation.value for layer in query.network.layers if not layer.is_dense}))
    pool = query.network.readout.pool.value if query.network.readout is not None else "none"
    return [
        f"aggregation {kinds or 'none'}",
        f"task {query.network.task}",
        f"pool {pool}",
        f"directed {query.graph.directed}",
        f"local budget {query.threat.local_budget is not None}",
        f"insertions {bool(query.threat.insert) or query.threat.fragile is not None}",
        f"weak {query.claim.target is not None}",
    ]


def run(seed: int, first: int, last: int) -> tuple[Counter[str], list[str]]:
    """Questions first..last-1: what they were about, and what was not certified."""
    seen, failures = Counter[str](), list[str]()
    for index in range(first, last):
        problem = rejected(seed, index)
        failures += [] if problem is None else [problem]
        seen.update(about(question(seed, index)))
    return seen, failures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    asked = parser.parse_args()
    begin, seen, failed, done = time.monotonic(), Counter[str](), 0, 0
    with ProcessPoolExecutor(asked.jobs) as pool:
        starts = range(0, asked.count, CHUNK)
        jobs = [pool.submit(run, asked.seed, at, min(at + CHUNK, asked.count)) for at in starts]
        for job in as_completed(jobs):
            counted, problems = job.result()
            seen += counted
            done += sum(count for name, count in counted.items() if name.startswith("task"))
            failed += len(problems)
            for problem in problems:
                click.echo(f"\n--- not certified ---\n{problem}")
            if done % 1000 < CHUNK:
                click.echo(
                    f"{done}/{asked.count}, {failed} not certified, {done / (time.monotonic() - begin):.0f} a second"
                )
    click.echo(f"seed {asked.seed}: {done} certifications, {failed} not certified, {time.monotonic() - begin:.0f} s")
    click.echo(", ".join(f"{name}: {count}" for name, count in sorted(seen.items())))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

"""Writes the figures of the README from the raw logs in benchmarks/results, which `benchmarks/write_results.py` keeps.

python benchmarks/write_readme.py README.md
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from statistics import mean, median

from edgeproof.bench.instance import Instance, read_instances

LOGS = Path(__file__).parent / "results"
START, END = "<!-- figures: written by benchmarks/write_readme.py -->", "<!-- end of figures -->"
EXPERIMENTS = {"node": "verdicts on nodes", "radius": "exact radii of nodes", "graph": "verdicts on graphs"}


def figures(logs: Path = LOGS) -> str:
    """What stands between the marks."""
    runs = json.loads((logs / "runs.json").read_text(encoding="utf-8"))
    rows, limits = [], set()
    for name, says in EXPERIMENTS.items():
        if not (logs / f"{name}.csv").exists():
            continue
        instances = read_instances(logs / f"{name}.csv")
        limits |= {one.limit for one in instances}
        rows += list(_rows(says, instances))
    made = sorted({f"{runs[name]['machine']}, commit {runs[name]['commit']}" for name in EXPERIMENTS if name in runs})
    limit = " or ".join(f"{one:g}" for one in sorted(limits))
    return "\n".join(
        [
            "| the paper's experiments, a sample | engine | solved | median | mean | longest |",
            "|---|---|---|---|---|---|",
            *(f"| {' | '.join(row)} |" for row in rows),
            "",
            f"`mip` is Edgeproof's own MIP engine, on SCIP. One core, at most {limit} s an instance; engines with the "
            "same words before them got the same instances. "
            f"Times are over what was solved; [Results](docs/results.md) says how they were taken. {'; '.join(made)}.",
        ]
    )


def _rows(says: str, instances: Sequence[Instance]) -> Iterator[tuple[str, ...]]:
    """Engines beside one another on what all of them were asked; what only the search was asked in a row of its own."""
    engines = list(dict.fromkeys(one.variant for one in instances))
    common = set.intersection(*({_question(one) for one in instances if one.variant == engine} for engine in engines))
    for engine in engines:
        yield _row(says, engine, [one for one in instances if one.variant == engine and _question(one) in common])
    alone = [one for one in instances if one.variant == "search" and _question(one) not in common]
    if alone:
        yield _row(f"{says}, more of them", "search", alone)


def _question(one: Instance) -> tuple[object, ...]:
    return one.dataset, one.row, one.index, one.budget, one.limit


def _row(says: str, engine: str, instances: Iterable[Instance]) -> tuple[str, ...]:
    asked = list(instances)
    spent = [one.seconds for one in asked if one.solved]
    times = [_tell(what(spent)) if spent else "" for what in (median, mean, max)]
    return says, engine, f"{len(spent):,} of {len(asked):,}", *times


def _tell(seconds: float) -> str:
    if seconds < 0.0995:
        return f"{1000 * seconds:.2g} ms"
    return f"{seconds:.2g} s" if seconds < 9.95 else f"{seconds:.0f} s"


def rewritten(text: str, made: str) -> str:
    before, start, rest = text.partition(START)
    _, end, after = rest.partition(END)
    if not start or not end:
        raise SystemExit(f"expected the marks {START} and {END}")
    return f"{before}{START}\n\n{made}\n\n{END}{after}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("readme", type=Path)
    args = parser.parse_args()
    text = args.readme.read_text(encoding="utf-8")
    args.readme.write_text(rewritten(text, figures()), encoding="utf-8")


if __name__ == "__main__":
    main()

"""Writes the figures of the README from the raw logs in benchmarks/results, which `benchmarks/write_results.py` keeps.

python benchmarks/write_readme.py README.md

The chart is docs/speed.svg; the table behind it stands in docs/results.md.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator, Sequence
from math import ceil, log10
from pathlib import Path
from statistics import mean, median
from typing import NamedTuple

from edgeproof.bench.instance import Instance, read_instances
from edgeproof.picture.style import INK, LINES, PAPER

LOGS = Path(__file__).parent / "results"
CHART = Path(__file__).parents[1] / "docs" / "speed.svg"
START, END = "<!-- figures: written by benchmarks/write_readme.py -->", "<!-- end of figures -->"
EXPERIMENTS = {"node": "verdicts on nodes", "radius": "exact radii of nodes", "graph": "verdicts on graphs"}


class Row(NamedTuple):
    """What one engine did on one set of questions; seconds: of those that it solved."""

    says: str
    engine: str
    asked: int
    seconds: list[float]


def figures(logs: Path = LOGS) -> str:
    """What stands between the marks: the chart in words, and where the table is."""
    runs = json.loads((logs / "runs.json").read_text(encoding="utf-8"))
    made = sorted({runs[name]["machine"] for name in EXPERIMENTS if name in runs})
    rows = all_rows(logs)
    told = "; ".join(f"{row.says}, {row.engine}: {len(row.seconds):,} of {row.asked:,} solved" for row in rows)
    return (
        f"![Median time of a question. {told}](docs/speed.svg)\n\n"
        "The paper's experiments, a sample: half of the solved questions took less than the bar says, on one core; "
        "`mip` is Edgeproof's own MIP engine, on SCIP, and was asked the same. [Results](docs/results.md) has the "
        f"table, all others, and how they were taken. {'; '.join(made)}."
    )


def all_rows(logs: Path = LOGS) -> list[Row]:
    found = {name: logs / f"{name}.csv" for name in EXPERIMENTS}
    return [
        row for name, path in found.items() if path.exists() for row in _rows(EXPERIMENTS[name], read_instances(path))
    ]


def table(logs: Path = LOGS) -> str:
    """The same with all numbers, for docs/results.md."""
    runs = json.loads((logs / "runs.json").read_text(encoding="utf-8"))
    limits = set()
    for name in EXPERIMENTS:
        if not (logs / f"{name}.csv").exists():
            continue
        limits |= {one.limit for one in read_instances(logs / f"{name}.csv")}
    made = sorted({f"{runs[name]['machine']}, commit {runs[name]['commit']}" for name in EXPERIMENTS if name in runs})
    limit = " or ".join(f"{one:g}" for one in sorted(limits))
    return "\n".join(
        [
            "| the paper's experiments, a sample | engine | solved | median | mean | longest |",
            "|---|---|---|---|---|---|",
            *(f"| {' | '.join(_cells(row))} |" for row in all_rows(logs)),
            "",
            f"`mip` is Edgeproof's own MIP engine, on SCIP. One core, at most {limit} s an instance; engines with the "
            "same words before them got the same instances. "
            f"Times are over what was solved. {'; '.join(made)}.",
        ]
    )


def _rows(says: str, instances: Sequence[Instance]) -> Iterator[Row]:
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


def _row(says: str, engine: str, instances: Iterable[Instance]) -> Row:
    asked = list(instances)
    return Row(says, engine, len(asked), [one.seconds for one in asked if one.solved])


def _cells(row: Row) -> tuple[str, ...]:
    times = [_tell(what(row.seconds)) if row.seconds else "" for what in (median, mean, max)]
    return row.says, row.engine, f"{len(row.seconds):,} of {row.asked:,}", *times


def chart(rows: Sequence[Row]) -> str:
    """Bars on a logarithmic axis, one an engine and set of questions; what only the search was asked is left out."""
    shown = [row for row in rows if not row.says.endswith("more of them")]
    left, right, tall = 190, 130, 26
    low, high = -3, max(ceil(log10(max(median(row.seconds) for row in shown if row.seconds))), 0)
    width, height = 640, tall * len(shown) + 46

    def place(seconds: float) -> float:
        return left + (width - left - right) * (log10(max(seconds, 10.0**low)) - low) / (high - low)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'font-family="system-ui,sans-serif" font-size="12" fill="{INK}"><title>Median time of a question</title>'
        f'<rect width="{width}" height="{height}" fill="{PAPER}"/>'
    ]
    for power in range(low, high + 1):
        x = place(10.0**power)
        parts.append(
            f'<line x1="{x:.1f}" x2="{x:.1f}" y1="8" y2="{height - 34}" stroke="#d9dee6"/>'
            f'<text x="{x:.1f}" y="{height - 18}" text-anchor="middle">{_tell(10.0**power)}</text>'
        )
    for at, row in enumerate(shown):
        y = 12 + tall * at
        name = f"{row.says}, {row.engine}"
        parts.append(f'<text x="{left - 8}" y="{y + 13}" text-anchor="end">{name}</text>')
        end = place(median(row.seconds)) if row.seconds else left
        colour = LINES[1] if row.engine == "search" else LINES[2]
        parts.append(f'<rect x="{left}" y="{y}" width="{end - left:.1f}" height="{tall - 8}" fill="{colour}"/>')
        told = f"{_tell(median(row.seconds))}, " if row.seconds else ""
        solved = f"{len(row.seconds):,} of {row.asked:,} solved" if row.seconds else f"none of {row.asked:,} in time"
        parts.append(f'<text x="{end + 6:.1f}" y="{y + 13}">{told}{solved}</text>')
    parts.append(
        f'<text x="{(left + width - right) / 2}" y="{height - 3}" text-anchor="middle">median time</text></svg>'
    )
    return "".join(parts) + "\n"


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
    CHART.write_text(chart(all_rows()), encoding="utf-8")


if __name__ == "__main__":
    main()

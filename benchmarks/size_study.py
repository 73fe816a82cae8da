"""How the cost of a question grows with width, layers, vertices and degree, one at a time, from one base case.

    python benchmarks/size_study.py [--vertices 169343] [--nodes 20] [--cache FOLDER]    # measures what is missing
    python benchmarks/size_study.py --write    # docs/real-size.md and its figure, from what was measured

Every point is a run of benchmarks/real_size.py in a process of its own; its lines are kept in
benchmarks/results/real_size.jsonl.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from real_size import DEGREE

ROOT = Path(__file__).parents[1]
LOG = ROOT / "benchmarks" / "results" / "real_size.jsonl"
PAGE, FIGURE = ROOT / "docs" / "real-size.md", ROOT / "docs" / "figures" / "real-size.svg"
START, END = "<!-- table: written by benchmarks/size_study.py -->", "<!-- end of table -->"
FACTORS: dict[str, tuple[float, ...]] = {
    "width": (64, 128, 256, 512), "layers": (2, 3, 4), "vertices": (10_000, 40_000, 169_343, 1_000_000),
    "degree": (DEGREE / 2, DEGREE, 2 * DEGREE),
}  # fmt: skip

Point = dict[str, Any]


def points(base: Point, most: int) -> list[Point]:
    """The base case, and those that differ from it in one factor."""
    found = [base]
    for factor, values in FACTORS.items():
        found += [{**base, factor: value} for value in values if value != base[factor]]
    return [one for one in found if one["vertices"] <= most]


def read() -> list[Point]:
    return [json.loads(line) for line in LOG.read_text(encoding="utf-8").splitlines()] if LOG.exists() else []


def measure(point: Point, args: argparse.Namespace) -> None:
    known = [line for line in read() if all(line[name] == value for name, value in point.items())]
    budgets = [budget for budget in args.budget if budget not in {line["budget"] for line in known}]
    if not budgets:
        return
    command = [sys.executable, str(ROOT / "benchmarks" / "real_size.py")]
    command += [word for name, value in point.items() for word in (f"--{name}", str(value))]
    command += ["--nodes", str(args.nodes), "--timeout", str(args.timeout), "--trained-on", str(args.trained_on)]
    command += ["--epochs", str(args.epochs), "--cache", str(args.cache), "--budget", *map(str, budgets)]
    told = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    with LOG.open("a", encoding="utf-8") as log:
        log.writelines(f"{line}\n" for line in told.splitlines() if line.startswith("{"))


def table(lines: list[Point]) -> str:
    """Processor seconds, which other work on the machine changes least."""
    head = "| layers x width | vertices | degree | budget | first question | median | longest | decided | peak |"
    rows = [head, "|" + "---|" * 9]
    order = sorted(
        lines, key=lambda one: (*(one[name] for name in ("vertices", "degree", "layers", "width", "budget")),)
    )
    for one in order:
        rows.append(
            f"| {one['layers']} x {one['width']} | {one['vertices']:,} | {one['degree']:g} | {one['budget']} "
            f"| {one['cpu_first']:.2g} s | {one['cpu_median']:.2g} s | {one['cpu_longest']:.2g} s "
            f"| {round(one['decided'] * one['nodes'])} of {one['nodes']} | {one['peak_gb']:.2g} GB |"
        )
    return "\n".join(rows)


def draw(lines: list[Point], base: Point) -> None:
    """A panel a factor: the median question, by budget, over what varies."""
    import matplotlib.pyplot as plt

    plt.rcParams["svg.hashsalt"] = "edgeproof"
    figure, panels = plt.subplots(1, len(FACTORS), figsize=(9, 2.4), sharey=True, layout="constrained")
    for panel, factor in zip(panels, FACTORS, strict=True):
        for budget in sorted({line["budget"] for line in lines}):
            some = sorted(
                (line[factor], line["cpu_median"])
                for line in lines
                if line["budget"] == budget and all(line[name] == base[name] for name in base if name != factor)
            )
            panel.plot(*zip(*some, strict=True), marker="o", label=f"budget {budget}")
        panel.set(xlabel=factor, xscale="log", yscale="log")
    panels[0].set_ylabel("median, s of CPU")
    panels[0].legend(frameon=False)
    figure.savefig(FIGURE, metadata={"Date": None})


def write(base: Point) -> None:
    lines = [line for line in read() if sum(line[name] != value for name, value in base.items()) <= 1]
    text = PAGE.read_text(encoding="utf-8")
    before, after = text[: text.index(START) + len(START)], text[text.index(END) :]
    picture = f"![Median processor seconds over {', '.join(FACTORS)}](figures/{FIGURE.name})"
    PAGE.write_text(f"{before}\n{table(lines)}\n\n{picture}\n{after}", encoding="utf-8")
    draw(lines, base)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vertices", type=int, default=169_343, help="of the base case")
    parser.add_argument("--most-vertices", type=int, default=169_343, help="leave out points with more")
    parser.add_argument("--budget", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--nodes", type=int, default=20)
    parser.add_argument("--timeout", type=float, default=60)
    parser.add_argument("--trained-on", type=int, default=200_000)
    parser.add_argument("--epochs", type=int, default=40)
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "edgeproof-real-size")
    parser.add_argument("--write", action="store_true", help="measure nothing")
    args = parser.parse_args()
    base = {"aggregation": "gcn", "width": 256, "layers": 3, "vertices": args.vertices, "degree": DEGREE}
    if args.write:
        write(base)
        return
    for point in points(base, args.most_vertices):
        measure(point, args)
    write(base)


if __name__ == "__main__":
    main()

"""Takes the published figures out of the paper's LaTeX source, as CSV with the headings of our own tables.

python benchmarks/quote_paper.py PAPER.tex benchmarks/paper

The figures are the paper's: its tools, its weights, its machine (Intel Xeon Platinum 8268, one thread, 8 GB).
"""

from __future__ import annotations

import argparse
import csv
import re
from pathlib import Path

from edgeproof.bench.tables import RADIUS, SOLVED, VARIANTS, WEAK

TOOL = "the paper's tool"
COMPARED = {"node": (TOOL, "GNNev", "SCIP-MPNN"), "graph": (TOOL, "SCIP-MPNN")}
ABLATION = (
    TOOL,
    *(
        f"{TOOL}, {less}"
        for less in (
            "w/o incremental computation", "w/o operator reorder", "w/o bound tightening", "w/o heuristic picking",
            "w/o all optimisations",
        )
    ),
)  # fmt: skip
DATASETS = ("Cora", "CiteSeer", "Cornell", "Texas", "Wisconsin", "MUTAG", "ENZYMES")
ROWS = ("weak sum", "sum", "max", "mean")


def body(text: str, label: str) -> list[tuple[str, str, list[str]]]:
    """Row, dataset and figures of every line of the table with this label."""
    start = text.index(rf"\label{{tab:{label}}}")
    lines = text[start : text.index(r"\end{tblr}", start)].split(r"\midrule")[1:]
    found = []
    kinds = ROWS if len(lines) == len(ROWS) or label == "node_weak" else ROWS[1:]
    for kind, block in zip(kinds, lines, strict=False):
        for line in re.findall(r"&\s*(\w+)\s*&(.*?)\\\\", block):
            if line[0] in DATASETS:
                cells = [cell.strip().replace(",", "") for cell in line[1].split("&")]
                found.append((kind, line[0], cells))
    return found


def compared(text: str, label: str) -> list[tuple[str, ...]]:
    rows = []
    for row, dataset, (count, *cells) in body(text, label):
        for at, tool in enumerate(COMPARED[label.split("_", maxsplit=1)[0]]):
            some = cells[6 * at : 6 * at + 6]
            if some:
                rows.append((row, dataset, tool, f"{some[0]}/{count}", *some[1:]))
    return rows


def weak(text: str) -> list[tuple[str, ...]]:
    rows = []
    for row, dataset, cells in body(text, "node_weak"):
        for at, tool in enumerate(COMPARED["node"][:2]):
            some = cells[4 * at : 4 * at + 4]
            rows.append((row, dataset, tool, "", *some[:2], "", *some[2:]))
    return rows


def variants(text: str) -> list[tuple[str, ...]]:
    return [
        (row, dataset, variant, "", *cells[3 * at : 3 * at + 3])
        for row, dataset, cells in body(text, "variants")
        for at, variant in enumerate(ABLATION)
    ]


def radius(text: str) -> list[tuple[str, ...]]:
    rows = []
    for row, dataset, (timeouts, *cells) in body(text, "radius"):
        pairs = list(zip(cells[::2], cells[1::2], strict=True))
        nodes = int(timeouts) + sum(int(number) for number, _ in pairs if number != "--")
        told = ["-" if number == "--" else f"{number} ({seconds})" for number, seconds in pairs]
        rows.append((row, dataset, TOOL, str(nodes), timeouts, *told))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paper", type=Path)
    parser.add_argument("out", type=Path)
    args = parser.parse_args()
    text = args.paper.read_text(encoding="utf-8")
    labels = ["node_simple", *(f"node_all_{b}" for b in (1, 2, 5, 10))]
    labels += ["graph_simple", *(f"graph_all_{k}" for k in range(1, 7))]
    tables = {label: (SOLVED, compared(text, label)) for label in labels}
    tables |= {"node_weak": (WEAK, weak(text)), "variants": (VARIANTS, variants(text))}
    most = max(len(row) for row in radius(text)) - len(RADIUS)
    tables["radius"] = ((*RADIUS, *(f"r = {r}" for r in range(most))), radius(text))
    args.out.mkdir(parents=True, exist_ok=True)
    for name, (headings, rows) in tables.items():
        if any(len(row) != len(headings) for row in rows):
            raise SystemExit(f"{name}: a line of the table has other columns than {', '.join(headings)}")
        with (args.out / f"{name}.csv").open("w", newline="", encoding="utf-8") as out:
            csv.writer(out, lineterminator="\n").writerows([headings, *rows])
        print(f"{name}: {len(rows)} lines")


if __name__ == "__main__":
    main()

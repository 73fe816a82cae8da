"""Writes docs/insertions.md from benchmarks/results/insertions.json: what is exact where any pair may come.

python benchmarks/write_insertions.py                                        # from what is there
python benchmarks/write_insertions.py --take LOG .. --note "a busy machine"  # first takes logs of insertions.py

Of a row that is there already, the new one takes the place.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from write_results import DOCS, LOGS, commit, machine

KEPT = LOGS / "insertions.json"
Made = dict[str, Any]

HEAD = """# Insertions on whole graphs

Written by `benchmarks/write_insertions.py` from the logs of `benchmarks/insertions.py`; not edited by hand.

The threat is that of the attack literature: any edge may go **and any absent pair may come**, undirected, up to a
budget. On Cora these are 3.67 million pairs, on PubMed 194 million. They are never listed: sizes of attacks are settled
one after another, by bounds of all attacks of one shape ([theory](theory/insertions.md)). The networks are trained by
the script (Adam, 200 epochs, 20 nodes of each class); a radius is asked for up to the cap.

*Exact* are radii that are known, or known to be at least the cap. What is open is an interval. Times are processor
seconds of one thread; nodes are drawn at random.
"""

WHERE = """## What stands in the way

An open node, with the size that was being settled when its time ended. Either the node has many in-neighbours, or one
of these has (*hub* is the largest degree among them): then tables are long and pairs of in-neighbours many. Or the
radius is 3 and more: several insertions at one vertex are bounded by slopes, and what these leave open is split. In
three layers there is no bound of two flips together: from size 2 on, attacks are looked for, and nothing is proved but
by the engine that lists pairs.
"""


def read(paths: Iterable[Path]) -> list[Made]:
    """What a log says of each row, with the lines of its nodes that are open."""
    totals, nodes = list[Made](), list[Made]()
    for path in paths:
        for text in path.read_text(encoding="utf-8").splitlines():
            one = json.loads(text)
            if "node" in one:
                nodes.append(one)
                continue
            one["left"] = [line for line in nodes if not line["exact"]]
            totals.append(one)
            nodes = []
    return totals


def key(one: Made) -> tuple[str, ...]:
    return one["row"], one["insert"], str(one["cap"]), "sweep" if one["workers"] is not None else "sample"


def order(one: Made) -> tuple[Any, ...]:
    data, kind, *layers = one["row"].split("/")
    return one["insert"] == "target", one["workers"] is not None, len(layers), one["cap"], one["vertices"], data, kind


def take(paths: Iterable[Path], note: str) -> None:
    kept = json.loads(KEPT.read_text()) if KEPT.exists() else []
    new = read(paths)
    for one in new:
        one |= {"machine": machine(), "commit": commit(), "note": note}
    found = {key(one): one for one in [*kept, *new]}
    KEPT.write_text(json.dumps(sorted(found.values(), key=order), indent=1) + "\n")


def seconds(value: float) -> str:
    return f"{1000 * value:.0f} ms" if value < 1 else f"{value:.1f} s"


def asked(one: Made) -> str:
    text = one["row"].replace("/3", ", three layers").replace("/", ", ", 1)
    if one["insert"] == "target":
        text += ", insertions at the node only"
    return text


def table(rows: Iterable[Iterable[str]], headings: tuple[str, ...]) -> list[str]:
    lines = [headings, ("---",) * len(headings), *rows]
    return [f"| {' | '.join(line)} |" for line in lines]


def summary(kept: list[Made]) -> list[str]:
    rows = list[tuple[str, ...]]()
    for one in kept:
        times = one.get("cpu", one.get("seconds"))
        radii = ", ".join(f"{radius}: {count}" for radius, count in one["radii"].items())
        rows.append((
            asked(one), str(one["cap"]), f"{one['exact']} of {one['nodes']}", f"{100 * one['share']:.1f} %",
            seconds(times["median"]), seconds(times["longest"]), f"{one['limit']:.0f} s", radii,
            f"{one['megabytes']} MB",
        ))  # fmt: skip
    headings = ("network", "cap", "exact", "share", "median", "longest", "limit", "radii", "peak memory")
    return table(rows, headings)


def left_open(kept: list[Made]) -> list[str]:
    rows = list[tuple[str, ...]]()
    for one in kept:
        for line in one["left"]:
            upper = f"at most {line['upper']}" if line["upper"] is not None else "no attack known"
            rows.append((
                asked(one), str(line["node"]), str(line["degree"]), str(line["hub"]),
                f"at least {line['lower']}, {upper}", str(line["lower"] + 1),
            ))  # fmt: skip
    return table(rows, ("network", "node", "degree", "hub", "radius", "size in question"))


def about(kept: list[Made]) -> list[str]:
    made = dict.fromkeys((one["machine"], one["commit"], one["note"]) for one in kept)
    return [f"- {name}, commit {at}{': ' + note if note else ''}" for name, at, note in made]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--take", nargs="+", type=Path, default=[], help="logs of insertions.py")
    parser.add_argument("--note", default="", help="what else a reader must know of these runs")
    chosen = parser.parse_args()
    if chosen.take:
        take(chosen.take, chosen.note)
    kept = json.loads(KEPT.read_text())
    lines = [
        HEAD, *summary(kept), "", "Rows of all nodes are sweeps; their times and limits are wall seconds of a worker.",
        "", WHERE, *left_open(kept), "", "Made on:", "", *about(kept),
    ]  # fmt: skip
    (DOCS / "insertions.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

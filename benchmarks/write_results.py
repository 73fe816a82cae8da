"""Writes docs/results-tables.md and its figures from the raw logs in benchmarks/results, beside the paper's own
numbers, and docs/results.md, which says the main thing in one table.

python benchmarks/write_results.py                                        # from the logs that are there
python benchmarks/write_results.py --take bench --note "a quiet machine"  # first takes those of `edgeproof bench`

A log has one line for every instance; a note says what else a reader must know. benchmarks/paper holds what the paper
published (benchmarks/quote_paper.py).
"""

from __future__ import annotations

import argparse
import csv
import json
import platform
import runpy
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from edgeproof.bench.experiments import EXPERIMENTS, GRAPH_DATASETS, NODE_DATASETS, ROWS
from edgeproof.bench.figures import draw_figures, figure_name
from edgeproof.bench.instance import Instance, read_instances, write_instances
from edgeproof.bench.tables import Table, solved_table, speed_table, tables_of

HERE = Path(__file__).parent
LOGS, PAPER, DOCS = HERE / "results", HERE / "paper", HERE.parent / "docs"
# sections of the page, and where their logs are in the folder of `edgeproof bench --out`; two are runs of `node` on
# their own, under the paper's limit: --out DIR/baseline --dataset Cora --row "weak sum" --budget 1, and
# --out DIR/speed --budget 5 --budget 10 --timeout 300
SOURCES = {
    "node": "node", "ablation": "ablation", "radius": "radius", "graph": "graph",
    "baseline": "baseline/node", "speed": "speed/node",
}  # fmt: skip

SUMMARY = """# Results

Written by `benchmarks/write_results.py`; not edited by hand.

How long a question takes, in a sample of the paper's experiments. `mip` encodes the same question as a mixed-integer
program, and was given the same questions where both are listed.

![Median time of a question, by engine](speed.svg)

{table}

Nodes: deletions on Cora, CiteSeer, Cornell, Texas and Wisconsin, for sum, max and mean networks of four layers. Graphs:
insertions and deletions of any pair, on MUTAG and ENZYMES. [All tables](results-tables.md) has each data set, budget
and aggregation beside the numbers of [the paper](cite.md), the options switched off one by one, and on which machine
and under which limits everything was taken.
"""

HEAD = """# All tables of results

Written by `benchmarks/write_results.py` from the raw logs in `benchmarks/results`; not edited by hand. Tables and
figures carry the names that they have in [the paper](cite.md). To make them anew: `edgeproof bench --help`.

Lines of the engines `search` and `mip` (SCIP) were measured here, one process, each instance alone under the limit; the
MIP engine was asked a part of the search's sample, and the tables node_speed and graph_speed compare the two on
the same instances. Lines *in italics* are quoted from the paper: its tool, GNNev (Gurobi) and SCIP-MPNN (SCIP), on its
machine (Intel Xeon Platinum 8268, one thread, 8 GB; 300 s a node, 600 s a graph or radius). The networks here have the
paper's architecture but were trained anew, and samples are small: single numbers are not comparable, orders of
magnitude are.

t_a is the mean time in seconds and t_g the shifted geometric mean (shift 10 s), both over solved instances.
"""

ABOUT = {
    "node": "Node classification: deletions, local budget = global budget. In node_speed what is not solved counts as "
    "the limit: with one this short, and the search solving all, ratios are lower bounds of what a longer one shows.",
    "ablation": "Budgets 10/10. t_a is over the instances that all variants solved, t_c the time a call (search node), "
    "ER the exploration ratio log2(calls) / (fragile pairs + 1). `all off` has no lines and no attack search either.",
    "radius": "Robustness radii under deletions, without a cap. `robust`: no set of deletions breaks the prediction. "
    "TO: not settled within the limit.",
    "graph": "Graph classification: insertions and deletions of any pair, undirected.",
    "baseline": "Is the MIP engine a fair baseline? Cora, weak sum, budget 1, as the paper's node_all_1 has it.",
    "speed": "The search against the MIP engine under the paper's limit, on the same instances; budget 10 "
    "was run first, budget 5 added to it.",
}


def machine() -> str:
    model = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    return f"{model[0].split(':')[1].strip() if model else platform.machine()}, Python {platform.python_version()}"


def commit() -> str:
    words = ["git", "-C", str(HERE), "rev-parse", "--short", "HEAD"]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()


def take(folders: Sequence[Path], note: str, made_at: str) -> None:
    """The logs of these runs, one after the other, each question of an engine once; and what they were made with."""
    LOGS.mkdir(exist_ok=True)
    about = LOGS / "runs.json"
    runs = json.loads(about.read_text()) if about.exists() else {}
    for name, source in SOURCES.items():
        found = [path for folder in folders if (path := folder / source / "instances.csv").exists()]
        every = {
            (one.row, one.dataset, one.variant, one.index, one.budget): one
            for path in reversed(found)
            for one in read_instances(path)
        }
        if every:
            write_instances(sorted(every.values(), key=in_order), LOGS / f"{name}.csv")
            runs[name] = {"machine": machine(), "commit": made_at, "note": note}
    for path in (folder / "datasets" / "benchmarks.csv" for folder in folders):
        if path.exists():
            shutil.copyfile(path, LOGS / "benchmarks.csv")
    about.write_text(json.dumps(runs, indent=2) + "\n")


def in_order(one: Instance) -> tuple[int, int, bool, int, tuple[int, int]]:
    """As an experiment runs them; variants keep their order, but for the search, which comes first."""
    datasets, rows = (*NODE_DATASETS, *GRAPH_DATASETS), [row.name for row in ROWS]
    budget = (one.budget[0] or 0, one.budget[1] or 0)
    return datasets.index(one.dataset), rows.index(one.row), one.variant != "search", one.index, budget


def markdown(table: Table) -> list[str]:
    lines = [table.headings, ("---",) * len(table.headings), *table.rows]
    return ["", f"### {table.name}", "", f"{table.title}.", "", *(f"| {' | '.join(line)} |" for line in lines)]


def beside_the_paper(table: Table) -> Table:
    """Ours, and under each group of ours what the paper says about it."""
    path = PAPER / f"{table.name}.csv"
    if not path.exists():
        return table
    with path.open(newline="", encoding="utf-8") as file:
        theirs, *quoted = csv.reader(file)
    headings = table.headings if len(table.headings) >= len(theirs) else tuple(theirs)
    groups = dict.fromkeys(row[:2] for row in table.rows)
    rows: list[tuple[str, ...]] = []
    for group in groups:
        rows += [row for row in table.rows if row[:2] == group]
        rows += [(*group, f"*{row[2]}*", *row[3:]) for row in quoted if tuple(row[:2]) == group]
    blank = [(*row, *("-",) * (len(headings) - len(row))) for row in rows]
    return table._replace(headings=headings, rows=[tuple(cell or "-" for cell in row) for row in blank])


def sizes(instances: Sequence[Instance]) -> str:
    """What was run: `Sample of search: Cora 4, CiteSeer 4; of mip: Cora 2; 320 answers; limit 60 s an instance.`"""
    seen: dict[str, dict[str, set[int]]] = {}
    for one in instances:
        engine = "mip" if one.variant.startswith("mip") else "search"
        seen.setdefault(engine, {}).setdefault(one.dataset, set()).add(one.index)
    counts = "; of ".join(
        f"{engine}: {', '.join(f'{dataset} {len(indices)}' for dataset, indices in samples.items())}"
        for engine, samples in seen.items()
    )
    limits = ", ".join(f"{limit:g} s" for limit in sorted({one.limit for one in instances}))
    return f"Sample of {counts}; {len(instances):,} answers; limit {limits} an instance."


def section(name: str, instances: Sequence[Instance]) -> list[str]:
    run = json.loads((LOGS / "runs.json").read_text())[name]
    made = f"Made at {run['commit']} on {run['machine']}. {run['note']}".strip()
    text = ["", f"## {name}", "", ABOUT[name], "", sizes(instances), made]
    if name == "baseline":
        quoted = beside_the_paper(solved_table("node_all_1", "Cora, weak sum, budgets 1/1", instances))
        return [*text, *markdown(quoted._replace(name=name)), *markdown(speed_table("baseline_speed", instances))]
    if name == "speed":
        return [*text, *markdown(solved_table("speed_solved", "Budgets 5/5 and 10/10", instances)),
                *markdown(speed_table("speed", instances))]  # fmt: skip
    for table in tables_of(EXPERIMENTS[name], instances):
        text += markdown(beside_the_paper(table))
    figure = figure_name(EXPERIMENTS[name])
    return text if figure is None else [*text, "", f"### Figure {figure}", "", f"![{figure}](figures/{figure}.svg)"]


def logs() -> dict[str, list[Instance]]:
    return {name: read_instances(LOGS / f"{name}.csv") for name in SOURCES if (LOGS / f"{name}.csv").exists()}


def page() -> str:
    with (LOGS / "benchmarks.csv").open(newline="", encoding="utf-8") as file:
        headings, *rows = (tuple(row) for row in csv.reader(file))
    text = [HEAD.rstrip(), "", "## datasets", *markdown(Table("benchmarks", "Table 1: the datasets", headings, rows))]
    for name, instances in logs().items():
        text += section(name, instances)
    return "\n".join(text) + "\n"


def summary() -> str:
    """The README's table, and where all others are."""
    written = runpy.run_path(str(HERE / "write_readme.py"))
    return SUMMARY.replace("{table}", written["table"]())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--take", type=Path, nargs="+", metavar="DIR", help="folders of `edgeproof bench --out`")
    parser.add_argument("--commit", help="what the runs were made with [default: what is checked out]")
    parser.add_argument("--note", default="", help="what a reader must know about this run")
    args = parser.parse_args()
    if args.take:
        take(args.take, args.note, args.commit or commit())
    for name, instances in logs().items():
        if name in EXPERIMENTS:
            draw_figures(EXPERIMENTS[name], instances, DOCS / "figures", "svg")
    (DOCS / "results-tables.md").write_text(page(), encoding="utf-8")
    (DOCS / "results.md").write_text(summary(), encoding="utf-8")
    print("now benchmarks/write_readme.py README.md: its figures come from the same logs")


if __name__ == "__main__":
    main()

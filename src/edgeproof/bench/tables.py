"""The paper's tables from the answers of an experiment, under the paper's names for them.

t_a is the mean time in seconds and t_g the shifted geometric mean; both are over solved instances alone.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Sequence
from math import exp, log
from pathlib import Path
from typing import Any, NamedTuple

from ..model.graph import Graph
from .experiments import GRAPH_BUDGETS, Experiment
from .instance import Budget, Instance

SHIFT = 10.0  # seconds, of the shifted geometric mean
NOTHING = "-"

_CELL = ("row", "dataset", "engine")
SOLVED = (*_CELL, "solved", "t_a", "t_g", "robust", "t_a (robust)", "t_g (robust)")
WEAK = (*_CELL, "robust", "t_a (robust)", "t_g (robust)", "non-robust", "t_a (non-robust)", "t_g (non-robust)")
VARIANTS = ("row", "dataset", "variant", "instances", "t_a", "t_c (ms)", "ER")
RADIUS = (*_CELL, "nodes", "TO", "robust")  # and a column for every radius


class Table(NamedTuple):
    """`name` is the label of the paper's table; cells are text."""

    name: str
    title: str
    headings: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


def mean(values: Sequence[float]) -> str:
    return f"{sum(values) / len(values):.3g}" if values else NOTHING


def geometric_mean(seconds: Sequence[float], shift: float = SHIFT) -> float:
    return exp(sum(log(value + shift) for value in seconds) / len(seconds)) - shift


def _times(some: Sequence[Instance]) -> tuple[str, str]:
    seconds = [one.seconds for one in some]
    return mean(seconds), f"{geometric_mean(seconds):.3g}" if seconds else NOTHING


def _by(
    instances: Iterable[Instance], key: Callable[[Instance], tuple[Any, ...]]
) -> dict[tuple[Any, ...], list[Instance]]:
    groups: dict[tuple[Any, ...], list[Instance]] = {}
    for one in instances:
        groups.setdefault(key(one), []).append(one)
    return groups


def _cell(one: Instance) -> tuple[str, str, str]:
    return one.row, one.dataset, one.variant


def benchmarks_table(datasets: Sequence[tuple[str, tuple[Graph, ...]]]) -> Table:
    """Table 1: what the datasets are."""
    rows = []
    for name, graphs in datasets:
        vertices, edges = sum(g.num_vertices for g in graphs), sum(g.sources.size for g in graphs)
        classes = len({int(y) for g in graphs if g.labels is not None for y in g.labels.reshape(-1)})
        sizes = (f"{vertices / len(graphs):.4g}", f"{edges / len(graphs):.4g}", f"{edges / vertices:.2f}")
        rows.append((name, str(len(graphs)), *sizes, str(graphs[0].features.num_columns), str(classes)))
    headings = ("dataset", "graphs", "vertices", "edges", "degree", "features", "classes")
    return Table("benchmarks", "Datasets (averages a graph; each direction of an edge counts)", headings, rows)


def solved_table(name: str, title: str, instances: Sequence[Instance]) -> Table:
    """Solved, and times over what was solved: all of it, and what is robust."""
    rows = []
    for cell, some in _by(instances, _cell).items():
        solved = [one for one in some if one.solved]
        robust = [one for one in solved if one.status == "robust"]
        rows.append((*cell, f"{len(solved)}/{len(some)}", *_times(solved), str(len(robust)), *_times(robust)))
    return Table(name, title, SOLVED, _in_order(rows))


def _in_order(rows: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """By row of the paper, each with its datasets; within them as they came."""
    first = {name: at for at, name in reversed(list(enumerate(row[0] for row in rows)))}
    return sorted(rows, key=lambda row: first[row[0]])


def comparison_tables(experiment: Experiment, instances: Sequence[Instance]) -> list[Table]:
    """The overview over all budgets, one table a budget pair, and engines against one another."""
    kind = experiment.name
    tables = [solved_table(f"{kind}_simple", "All budgets together", instances)]
    for budget in experiment.budgets:
        number = GRAPH_BUDGETS.index(budget) + 1 if experiment.graphs else budget[0]
        chosen = [one for one in instances if one.budget == budget]
        tables.append(solved_table(f"{kind}_all_{number}", f"Budgets {tell_budget(budget)}", chosen))
    if not experiment.graphs and {"weak sum", "sum"} <= {one.row for one in instances}:
        tables.append(weak_table(instances, experiment.budgets[-1]))
    if len({one.variant for one in instances}) > 1:
        tables.append(speed_table(f"{kind}_speed", instances))
    return tables


def weak_table(instances: Sequence[Instance], budget: Budget) -> Table:
    """Weak against general robustness with sums: instances with the same answer in both senses."""
    rows: list[tuple[str, ...]] = []
    chosen = [one for one in instances if one.budget == budget and one.row in ("weak sum", "sum") and one.solved]
    for (dataset, variant), some in _by(chosen, lambda one: (one.dataset, one.variant)).items():
        senses = {row: {one.index: one for one in some if one.row == row} for row in ("weak sum", "sum")}
        both = [
            (weak, senses["sum"][at])
            for at, weak in senses["weak sum"].items()
            if at in senses["sum"] and weak.status == senses["sum"][at].status
        ]
        for at, row in enumerate(senses):
            cells: list[str] = []
            for status in ("robust", "vulnerable"):
                same = [pair[at] for pair in both if pair[at].status == status]
                cells += [str(len(same)), *_times(same)]
            rows.append((row, str(dataset), str(variant), *cells))
    return Table("node_weak", f"Weak and general robustness, budgets {tell_budget(budget)}", WEAK, _in_order(rows))


def speed_table(name: str, instances: Sequence[Instance]) -> Table:
    """The first engine against each other one on the same instances; what is not solved counts as the limit."""
    base, *others = dict.fromkeys(one.variant for one in instances)
    rows = []
    for (budget,), some in sorted(_by(instances, lambda one: (one.budget,)).items()):
        answers = {(one.variant, one.row, one.dataset, one.index): one for one in some}
        for other in others:
            theirs = [one for one in some if one.variant == other and (base, *_question(one)) in answers]
            ours = [answers[base, *_question(one)] for one in theirs]
            if theirs:
                rows.append((tell_budget(budget), f"{base} : {other}", str(len(ours)), *_compare(ours, theirs)))
    headings = (
        "budgets", "engines", "instances", "limit", "solved", "only the second", "t_g", "ratio of t_g",
        "geometric mean", "ratio of geometric means",
    )  # fmt: skip
    title = "The first engine against the second; what is not solved counts as the limit"
    return Table(name, title, headings, rows)


def _question(one: Instance) -> tuple[str, str, int]:
    return one.row, one.dataset, one.index


def _compare(ours: Sequence[Instance], theirs: Sequence[Instance]) -> tuple[str, ...]:
    limits = sorted({one.limit for one in (*ours, *theirs)})
    solved = f"{sum(one.solved for one in ours)} : {sum(one.solved for one in theirs)}"
    only = sum(two.solved and not one.solved for one, two in zip(ours, theirs, strict=True))
    cells = []
    for shift in (SHIFT, 0.0):
        first, second = (geometric_mean([max(one.counted, 1e-6) for one in some], shift) for some in (ours, theirs))
        cells += [f"{first:.3g} : {second:.3g}", f"{second / first:.3g}"]
    return ", ".join(f"{limit:g} s" for limit in limits), solved, str(only), *cells


def variants_table(instances: Sequence[Instance]) -> Table:
    """Only instances that every variant solved, so that all are measured on the same."""
    rows: list[tuple[str, ...]] = []
    for (row, dataset), some in _by(instances, lambda one: (one.row, one.dataset)).items():
        by_variant = _by(some, lambda one: (one.variant,))
        common = set.intersection(*({one.index for one in each if one.solved} for each in by_variant.values()))
        for (variant,), each in by_variant.items():
            kept = [one for one in each if one.index in common]
            calls = sum(one.nodes for one in kept)
            a_call = f"{1e3 * sum(one.seconds for one in kept) / calls:.3g}" if calls else NOTHING
            cells = (_times(kept)[0], a_call, mean([one.exploration for one in kept]))
            rows.append((str(row), str(dataset), str(variant), f"{len(kept)}/{len(each)}", *cells))
    return Table("variants", "Variants on the instances that all of them solve", VARIANTS, _in_order(rows))


def radius_table(instances: Sequence[Instance]) -> Table:
    """How many nodes have which radius, with their mean time; `robust`: nothing breaks them; TO: not known in time."""
    most = max((one.radius or 0 for one in instances if one.status == "vulnerable"), default=0)
    rows: list[tuple[str, ...]] = []
    for cell, some in _by(instances, _cell).items():
        groups = [[one for one in some if one.status == "robust"]]
        groups += [[one for one in some if one.status == "vulnerable" and one.radius == r] for r in range(most + 1)]
        counts = [f"{len(group)} ({_times(group)[0]})" if group else NOTHING for group in groups]
        rows.append((*cell, str(len(some)), str(sum(not one.solved for one in some)), *counts))
    headings = (*RADIUS, *(f"r = {r}" for r in range(most + 1)))
    return Table("radius", "Robustness radii: number of nodes (t_a)", headings, _in_order(rows))


def tables_of(experiment: Experiment, instances: Sequence[Instance]) -> list[Table]:
    if not instances:
        return []
    if experiment.ablation:
        return [variants_table(instances)]
    return [radius_table(instances)] if experiment.radius else comparison_tables(experiment, instances)


def tell_budget(budget: Budget) -> str:
    return "/".join("no limit" if part is None else str(part) for part in budget)


def write_table(table: Table, folder: Path) -> None:
    """As CSV and as LaTeX."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{table.name}.csv").open("w", newline="", encoding="utf-8") as out:
        csv.writer(out, lineterminator="\n").writerows([table.headings, *table.rows])
    lines = [
        r"\begin{tabular}{" + "l" * len(table.headings) + "}",
        r"\hline",
        *(" & ".join(cell.replace("_", r"\_") for cell in row) + r" \\" for row in (table.headings, *table.rows)),
        r"\hline",
        r"\end{tabular}",
    ]
    (folder / f"{table.name}.tex").write_text("\n".join(lines) + "\n", encoding="utf-8")

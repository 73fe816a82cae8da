"""The paper's tables from stored answers, under the paper's names for them."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Sequence
from math import exp, log
from pathlib import Path
from typing import Any, NamedTuple

from ..graph import Graph
from .experiments import GRAPH_BUDGETS, Experiment
from .run import Instance

SHIFT = 10.0  # seconds, of the shifted geometric mean


class Table(NamedTuple):
    """`name` is the label of the paper's table; cells are text."""

    name: str
    title: str
    headings: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


def mean(seconds: Sequence[float]) -> str:
    return f"{sum(seconds) / len(seconds):.3g}" if seconds else "-"


def shifted_geometric_mean(seconds: Sequence[float]) -> float:
    return exp(sum(log(value + SHIFT) for value in seconds) / len(seconds)) - SHIFT


def _geometric(seconds: Sequence[float]) -> str:
    return f"{shifted_geometric_mean(seconds):.3g}" if seconds else "-"


def _by(
    instances: Iterable[Instance], key: Callable[[Instance], tuple[Any, ...]]
) -> dict[tuple[Any, ...], list[Instance]]:
    groups: dict[tuple[Any, ...], list[Instance]] = {}
    for one in instances:
        groups.setdefault(key(one), []).append(one)
    return groups


def benchmarks_table(datasets: Sequence[tuple[str, tuple[Graph, ...]]]) -> Table:
    """Table 1: what the datasets are."""
    rows = []
    for name, graphs in datasets:
        vertices, edges = sum(g.num_vertices for g in graphs), sum(g.sources.size for g in graphs)
        classes = len({int(y) for g in graphs if g.labels is not None for y in g.labels.reshape(-1)})
        rows.append(
            (name, str(len(graphs)), f"{vertices / len(graphs):.4g}", f"{edges / len(graphs):.4g}",
             str(graphs[0].features.num_columns), str(classes))
        )  # fmt: skip
    headings = ("dataset", "graphs", "vertices", "edges", "features", "classes")
    return Table("benchmarks", "Datasets (averages a graph; every direction of an edge counts)", headings, rows)


def solved_cells(some: Sequence[Instance]) -> tuple[str, ...]:
    """Solved, and times over what was solved: all of it, and what is robust."""
    solved = [one for one in some if one.solved]
    robust = [one.seconds for one in solved if one.line["status"] == "robust"]
    times = [one.seconds for one in solved]
    return (
        f"{len(solved)}/{len(some)}", mean(times), _geometric(times),
        str(len(robust)), mean(robust), _geometric(robust),
    )  # fmt: skip


_SOLVED = ("solved", "mean s", "sgm s", "robust", "mean s (robust)", "sgm s (robust)")


def comparison_tables(experiment: Experiment, instances: Sequence[Instance]) -> list[Table]:
    """The overview, and one table a budget pair with the datasets apart."""
    kind = experiment.name
    overview = [
        (str(row), _pair(budget), str(variant), *solved_cells(some))
        for (row, budget, variant), some in _by(instances, lambda one: (one.row, one.budget, one.variant)).items()
    ]
    tables = [Table(f"{kind}_simple", "All datasets together", ("row", "budgets", "engine", *_SOLVED), overview)]
    for budget in experiment.budgets:
        chosen = [one for one in instances if one.budget == budget]
        rows = [
            (str(dataset), str(row), str(variant), *solved_cells(some))
            for (dataset, row, variant), some in _by(chosen, lambda one: (one.dataset, one.row, one.variant)).items()
        ]
        label = f"{kind}_all_{GRAPH_BUDGETS.index(budget) + 1 if experiment.graphs else budget[0]}"
        tables.append(Table(label, f"Budgets {_pair(budget)}", ("dataset", "row", "engine", *_SOLVED), rows))
    if kind == "node":
        tables.append(weak_table(instances, experiment.budgets[-1]))
    return tables


def weak_table(instances: Sequence[Instance], budget: tuple[int, int]) -> Table:
    """Weak against general robustness with sums: instances with the same answer in both senses."""
    rows = []
    chosen = [one for one in instances if one.budget == budget and one.row in ("weak sum", "sum") and one.solved]
    for (dataset, variant), some in _by(chosen, lambda one: (one.dataset, one.variant)).items():
        weak = {one.index: one for one in some if one.row == "weak sum"}
        general = {one.index: one for one in some if one.row == "sum"}
        for status in ("robust", "vulnerable"):
            senses = (weak, general)
            both = [
                at for at in weak.keys() & general.keys() if all(one[at].line["status"] == status for one in senses)
            ]
            cells = [mean([sense[at].seconds for at in both]) for sense in senses]
            rows.append((str(dataset), str(variant), status, str(len(both)), *cells))
    headings = ("dataset", "engine", "in both", "instances", "weak: mean s", "general: mean s")
    return Table("node_weak", f"Weak and general robustness, budgets {_pair(budget)}", headings, rows)


def variants_table(instances: Sequence[Instance]) -> Table:
    """Only instances that every variant solved, so that all are measured on the same."""
    rows = []
    for (dataset, row), some in _by(instances, lambda one: (one.dataset, one.row)).items():
        by_variant = _by(some, lambda one: (one.variant,))
        common = set.intersection(*({one.index for one in each if one.solved} for each in by_variant.values()))
        for (variant,), each in by_variant.items():
            kept = [one for one in each if one.index in common]
            seconds = sum(one.seconds for one in kept)
            calls = sum(one.line["stats"]["nodes"] for one in kept)
            ratio = [one.line["stats"]["exploration"] for one in kept]
            rows.append(
                (str(dataset), str(row), str(variant), f"{len(kept)}/{len(each)}", f"{seconds:.3g}",
                 f"{1e3 * seconds / calls:.3g}" if calls else "-", mean(ratio))
            )  # fmt: skip
    headings = ("dataset", "row", "variant", "instances", "total s", "ms a call", "exploration")
    return Table("variants", "Variants on the instances that all of them solve", headings, rows)


def radius_table(instances: Sequence[Instance]) -> Table:
    """How many nodes have which radius; `robust`: nothing breaks them."""
    most = max((one.line["lower"] for one in instances if one.line["status"] == "vulnerable"), default=0)
    rows = []
    for (dataset, row, variant), some in _by(instances, lambda one: (one.dataset, one.row, one.variant)).items():
        radii = [one.line["lower"] for one in some if one.line["status"] == "vulnerable"]
        counts = [sum(not one.solved for one in some), sum(one.line["status"] == "robust" for one in some)]
        counts += [radii.count(r) for r in range(most + 1)]
        rows.append((str(dataset), str(row), str(variant), str(len(some)), *map(str, counts)))
    headings = ("dataset", "row", "engine", "nodes", "timeout", "robust", *(f"r = {r}" for r in range(most + 1)))
    return Table("radius", "Robustness radii", headings, rows)


def tables_of(experiment: Experiment, instances: Sequence[Instance]) -> list[Table]:
    if not instances:
        return []
    if experiment.ablation:
        return [variants_table(instances)]
    return [radius_table(instances)] if experiment.radius else comparison_tables(experiment, instances)


def _pair(budget: tuple[int | None, int | None]) -> str:
    return "/".join("-" if part is None else str(part) for part in budget)


def write_table(table: Table, folder: Path) -> None:
    """As CSV and as LaTeX."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{table.name}.csv").open("w", newline="") as out:
        csv.writer(out).writerows([table.headings, *table.rows])
    lines = [
        r"\begin{tabular}{" + "l" * len(table.headings) + "}",
        r"\hline",
        *(" & ".join(cell.replace("_", r"\_") for cell in row) + r" \\" for row in (table.headings, *table.rows)),
        r"\hline",
        r"\end{tabular}",
    ]
    (folder / f"{table.name}.tex").write_text("\n".join(lines) + "\n")

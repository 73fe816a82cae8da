"""What the paper measured, as data: datasets, rows, budgets and limits of every experiment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from ..model.threat import Threat
from ..options import PAPER, TABLE
from ..sweep.plan import Target

NODE_DATASETS = ("Cora", "CiteSeer", "Cornell", "Texas", "Wisconsin")
GRAPH_DATASETS = ("MUTAG", "ENZYMES")
NODE_BUDGETS = ((1, 1), (2, 2), (5, 5), (10, 10))
GRAPH_BUDGETS = ((1, 1), (2, 1), (2, 2), (5, 1), (5, 2), (5, 5))
MEMORY = 8.0  # gigabytes
NONE: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True)
class Row:
    """A row of the tables: one aggregation, against one class (weak) or all others (general)."""

    name: str
    aggregation: str
    target: Target = None


ROWS = (Row("weak sum", "sum", "next"), Row("sum", "sum"), Row("max", "max"), Row("mean", "mean"))


@dataclass(frozen=True)
class Variant:
    """An engine with options, under the name that tables give it."""

    name: str
    engine: str
    options: Mapping[str, Any] = field(default_factory=lambda: NONE)


def engine_variant(name: str) -> Variant:
    """`search`, or `mip` with settings behind a colon, such as `mip:highs` or `mip:aggressive`."""
    engine, _, setting = name.partition(":")
    options = {"solver": setting} if setting in ("scip", "highs", "gurobi") else {"bounds": setting} if setting else {}
    return Variant(name, engine, options)


def ablation_variants() -> tuple[Variant, ...]:
    """The search as it is, each of its options off, all of them, and what the paper's algorithm does."""
    on = [option.name for option in TABLE if option.default]
    return (
        Variant("search", "search"),
        *(Variant(f"without {name}", "search", {name: False}) for name in on),
        Variant("all off", "search", dict.fromkeys(on, False)),
        Variant("as in the paper", "search", PAPER),
    )


@dataclass(frozen=True)
class Experiment:
    """Every dataset with every row, budget pair and variant; each instance alone under the full limit."""

    name: str
    help: str
    datasets: tuple[str, ...]
    budgets: tuple[tuple[int, int], ...]
    timeout: float
    rows: tuple[Row, ...] = ROWS
    radius: bool = False
    ablation: bool = False

    @property
    def graphs(self) -> bool:
        return set(self.datasets) <= set(GRAPH_DATASETS)

    def threats(self) -> list[Threat]:
        """Node tasks: deletions. Graph tasks: insertions and deletions. A radius has no cap."""
        if self.radius:
            return [Threat()]
        return [Threat(budget, local, insert=self.graphs) for budget, local in self.budgets]

    def parts(self) -> Iterator[tuple[str, Row]]:
        for dataset in self.datasets:
            for row in self.rows:
                yield dataset, row


EXPERIMENTS = {
    one.name: one
    for one in (
        Experiment("node", "node classification: solved and time, every budget", NODE_DATASETS, NODE_BUDGETS, 300),
        Experiment(
            "ablation", "each optimisation off, and all", NODE_DATASETS, ((10, 10),), 300, ROWS[1:], ablation=True
        ),
        Experiment("radius", "exact radii of all nodes", NODE_DATASETS, (), 600, ROWS[1:], radius=True),
        Experiment("graph", "graph classification, insertions and deletions", GRAPH_DATASETS, GRAPH_BUDGETS, 600),
    )
}

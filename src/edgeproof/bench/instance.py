"""One answer of an experiment and the cell of the tables that it belongs to; as lines of CSV, the raw log."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ..errors import InputError
from ..sweep.line import DECIDED

Clock = Literal["wall", "cpu"]  # of seconds: what passed, or what a processor spent on the instance
Budget = tuple[int | None, int | None]  # global, local; None: no limit


@dataclass(frozen=True)
class Instance:
    dataset: str
    row: str
    variant: str
    index: int  # of the node, or of the graph
    budget: Budget
    limit: float  # seconds that it had
    status: str
    seconds: float
    nodes: int
    fragile: int
    exploration: float
    radius: int | None  # what was proved, where a radius was asked for

    @property
    def solved(self) -> bool:
        return self.status in DECIDED

    @property
    def counted(self) -> float:
        """Seconds, where what is not solved counts as the whole limit."""
        return self.seconds if self.solved else self.limit


def instance_of(
    line: Mapping[str, Any], dataset: str, row: str, variant: str, limit: float, clock: Clock = "wall"
) -> Instance:
    """From a line of a sweep's store. An answer that a longer limit gave to an earlier run is none under this one."""
    stats, index = line["stats"], line["graph_index"] if line["node"] is None else line["node"]
    seconds = float(stats.get("cpu" if clock == "cpu" else "seconds", limit))  # of a failure nothing may be known
    return Instance(
        dataset, row, variant, index, (line["budget"], line["local_budget"]), limit,
        "unknown" if seconds > limit else line["status"], seconds,
        stats.get("nodes", 0), stats.get("fragile", 0), stats.get("exploration", 0.0), line["lower"],
    )  # fmt: skip


HEADINGS = (
    "dataset", "row", "variant", "index", "budget", "local_budget", "limit", "status", "seconds", "nodes", "fragile",
    "exploration", "radius",
)  # fmt: skip


def write_instances(instances: Iterable[Instance], path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(HEADINGS)
        for one in instances:
            cells = (
                one.dataset, one.row, one.variant, one.index, *one.budget, f"{one.limit:g}", one.status,
                f"{one.seconds:.4g}", one.nodes, one.fragile, f"{one.exploration:.4g}", one.radius,
            )  # fmt: skip
            writer.writerow(["" if cell is None else cell for cell in cells])


def read_instances(path: Path) -> list[Instance]:
    with path.open(newline="", encoding="utf-8") as file:
        headings, *rows = csv.reader(file)
    if tuple(headings) != HEADINGS:
        raise InputError(f"{path}: expected the columns {', '.join(HEADINGS)}, got {', '.join(headings)}")
    return [_instance(dict(zip(HEADINGS, row, strict=True))) for row in rows]


def _instance(cell: Mapping[str, str]) -> Instance:
    budget = (_whole(cell["budget"]), _whole(cell["local_budget"]))
    return Instance(
        cell["dataset"], cell["row"], cell["variant"], int(cell["index"]), budget, float(cell["limit"]),
        cell["status"], float(cell["seconds"]), int(cell["nodes"]), int(cell["fragile"]), float(cell["exploration"]),
        _whole(cell["radius"]),
    )  # fmt: skip


def _whole(cell: str) -> int | None:
    return int(cell) if cell else None

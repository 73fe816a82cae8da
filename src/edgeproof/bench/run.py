"""Runs an experiment: one sweep for every dataset, row and variant; what the store knows is not asked again."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from ..sweep.drive import Sweep
from ..sweep.limits import Limits
from ..sweep.line import DECIDED
from ..sweep.many import make_sweep
from ..sweep.plan import Plan
from .data import choose_instances, load_dataset, load_model
from .experiments import MEMORY, Experiment, Row, Variant


@dataclass(frozen=True)
class Instance:
    """One stored answer and the cell of the tables that it belongs to."""

    dataset: str
    row: str
    variant: str
    index: int
    budget: tuple[int | None, int | None]
    line: dict[str, Any]

    @property
    def solved(self) -> bool:
        return self.line["status"] in DECIDED

    @property
    def seconds(self) -> float:
        return float(self.line["stats"]["seconds"])


class Settings(NamedTuple):
    data: Path
    store: Path
    sample: int | None
    seed: int
    timeout: float | None  # None: the experiment's own
    workers: int | None


Watch = Callable[[Sweep, str], AbstractContextManager[object]]


def run(
    experiment: Experiment, variants: tuple[Variant, ...], settings: Settings, watch: Watch | None = None
) -> Iterator[Instance]:
    """Every instance once, each measured alone: no passes, nothing shared between budgets."""
    for dataset, row in experiment.parts():
        graphs = load_dataset(settings.data, dataset)
        chosen = choose_instances(graphs, dataset, settings.sample, settings.seed)
        for variant in variants:
            sweep = _sweep(experiment, dataset, row, variant, chosen, settings)
            with nullcontext() if watch is None else watch(sweep, f"{dataset}, {row.name}, {variant.name}"):
                for one in sweep.settled():
                    line = json.loads(one.text)
                    index = line["graph_index"] if line["node"] is None else line["node"]
                    budget = (line["budget"], line["local_budget"])
                    yield Instance(dataset, row.name, variant.name, index, budget, line)
            if sweep.stopped:
                return


def _sweep(
    experiment: Experiment, dataset: str, row: Row, variant: Variant, chosen: list[int], settings: Settings
) -> Sweep:
    graphs = load_dataset(settings.data, dataset)
    return make_sweep(
        load_model(settings.data, dataset, row.aggregation),
        graphs if experiment.graphs else graphs[0],
        Plan(experiment.threats(), chosen, [row.target], radius=experiment.radius),
        workers=settings.workers,
        store=settings.store,
        limits=Limits(settings.timeout or experiment.timeout, memory=MEMORY),
        engine=variant.engine,
        options=variant.options or None,
        passes=False,
        share=False,
    )

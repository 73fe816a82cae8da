"""Runs an experiment: one sweep for every dataset, row and variant; what the store knows is not asked again."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import NamedTuple

from ..ask import verify
from ..model.threat import Threat
from ..sweep.drive import Sweep
from ..sweep.limits import Limits
from ..sweep.many import make_sweep
from ..sweep.plan import Plan
from .architecture import PAPER, Architecture
from .data import choose_instances, load_dataset, load_model, spread_sample
from .experiments import MEMORY, Experiment, Row, Variant
from .instance import Clock, Instance, instance_of

PATIENCE = 3.0  # times the limit passes before an instance is given up that is measured in processor time


class Settings(NamedTuple):
    data: Path
    models: Path
    store: Path
    sample: int | None
    seed: int
    timeout: float | None  # None: the experiment's own
    workers: int | None
    architecture: Architecture = PAPER
    clock: Clock = "wall"


Watch = Callable[[Sweep, str], AbstractContextManager[object]]


def run(
    experiment: Experiment, variants: tuple[Variant, ...], settings: Settings, watch: Watch | None = None
) -> Iterator[Instance]:
    """Every instance once, each measured alone: no passes, nothing shared between budgets."""
    limit = settings.timeout or experiment.timeout
    counts = spread_sample(settings.sample, experiment.datasets)
    for dataset, row in experiment.parts():
        graphs = load_dataset(settings.data, dataset)
        chosen = choose_instances(graphs, dataset, counts[dataset], settings.seed)
        if settings.workers == 0:
            _warm(experiment, dataset, row, chosen[0], settings)
        for variant in variants:
            sweep = _sweep(experiment, dataset, row, variant, chosen, settings)
            with nullcontext() if watch is None else watch(sweep, f"{dataset}, {row.name}, {variant.name}"):
                for one in sweep.settled():
                    yield instance_of(json.loads(one.text), dataset, row.name, variant.name, limit, settings.clock)
            if sweep.stopped:
                return


def _warm(experiment: Experiment, dataset: str, row: Row, first: int, settings: Settings) -> None:
    """Ask something that is not counted: what this process keeps of a network and a graph is no part of an instance."""
    graphs = load_dataset(settings.data, dataset)
    network = load_model(settings.models, dataset, row.aggregation, settings.architecture)
    graph, node = (graphs[first], None) if experiment.graphs else (graphs[0], first)
    verify(network, graph, Threat(1, insert=experiment.graphs), node, timeout=1.0)


def _sweep(
    experiment: Experiment, dataset: str, row: Row, variant: Variant, chosen: list[int], settings: Settings
) -> Sweep:
    graphs = load_dataset(settings.data, dataset)
    limit = (settings.timeout or experiment.timeout) * (PATIENCE if settings.clock == "cpu" else 1.0)
    return make_sweep(
        load_model(settings.models, dataset, row.aggregation, settings.architecture),
        graphs if experiment.graphs else graphs[0],
        Plan(experiment.threats(), chosen, [row.target], radius=experiment.radius),
        workers=settings.workers,
        store=settings.store,
        limits=Limits(limit, memory=MEMORY),
        engine=variant.engine,
        options=dict(variant.options) or None,  # a read-only view could not travel to workers
        passes=False,
        share=False,
    )

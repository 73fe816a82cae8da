"""Datasets and models: a folder with `datasets/` and `models/`, of which samples are drawn."""

from __future__ import annotations

import os
import random
from functools import cache
from pathlib import Path

from ..errors import InputError
from ..graph import Graph
from ..load import load_graphs
from ..network import Network
from .experiments import NODE_DATASETS


def data_folder(given: str | None) -> Path:
    """`--data`, or EDGEPROOF_DATA."""
    name = given or os.environ.get("EDGEPROOF_DATA")
    if not name:
        raise InputError("data: expected --data DIR or EDGEPROOF_DATA, a folder with datasets/ and models/")
    for part in ("datasets", "models"):
        if not (Path(name) / part).is_dir():
            raise InputError(f"data: {name} has no folder {part}/")
    return Path(name)


@cache
def load_dataset(folder: Path, name: str) -> tuple[Graph, ...]:
    """Node datasets are directed, graph datasets undirected, as in the paper."""
    path = folder / "datasets" / f"{name}.npz"
    if name in NODE_DATASETS:
        return (Graph.load(path, directed=True),)
    return tuple(load_graphs(path, directed=False))


@cache
def load_model(folder: Path, dataset: str, aggregation: str) -> Network:
    return Network.load(folder / "models" / f"{dataset}_{aggregation}.npz")


def choose_instances(graphs: tuple[Graph, ...], dataset: str, sample: int | None, seed: int) -> list[int]:
    """Nodes or graphs: all, or a sample that depends on dataset and seed alone, so that rows share it."""
    count = graphs[0].num_vertices if dataset in NODE_DATASETS else len(graphs)
    if sample is None or sample >= count:
        return list(range(count))
    return sorted(random.Random(f"{dataset} {seed}").sample(range(count), sample))

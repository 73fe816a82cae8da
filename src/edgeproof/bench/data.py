"""Datasets and models: folders of `.npz` files, and the samples that are drawn of them."""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from ..errors import InputError
from ..load import load_graphs
from ..model.graph import Graph
from ..model.network import Network
from .architecture import PAPER, Architecture
from .experiments import NODE_DATASETS
from .fetch import fetch_dataset


def data_folder(given: str | None) -> Path:
    """`--data`, or EDGEPROOF_DATA."""
    name = given or os.environ.get("EDGEPROOF_DATA")
    if not name:
        raise InputError("data: expected --data DIR or EDGEPROOF_DATA, a folder with datasets/ and models/")
    if not Path(name).is_dir():
        raise InputError(f"data: {name} is not a folder")
    return Path(name)


@cache
def load_dataset(folder: Path, name: str) -> tuple[Graph, ...]:
    """Node datasets are directed, graph datasets undirected, as in the paper. What is not there is downloaded."""
    path = folder / "datasets" / f"{name}.npz"
    if not path.exists():
        fetch_dataset(name, path)
    if name in NODE_DATASETS:
        return (Graph.load(path, directed=True),)
    return tuple(load_graphs(path, directed=False))


@cache
def load_model(folder: Path, dataset: str, aggregation: str, architecture: Architecture = PAPER) -> Network:
    path = folder / architecture.file_name(dataset, aggregation)
    if not path.exists():
        raise InputError(f"{path}: there is no such model; `edgeproof bench train --help` tells how to train it")
    return Network.load(path)


def choose_instances(graphs: tuple[Graph, ...], dataset: str, sample: int | None, seed: int) -> list[int]:
    """Nodes or graphs: all, or so many of an order that depends on dataset and seed alone.

    Rows share their sample, and a larger sample contains a smaller one, so that its answers are found in the store.
    """
    count = graphs[0].num_vertices if dataset in NODE_DATASETS else len(graphs)
    order = list(range(count))
    if sample is not None and sample < count:
        random.Random(f"{dataset} {seed}").shuffle(order)
    return sorted(order[:sample])


def spread_sample(sample: int | None, datasets: Sequence[str]) -> dict[str, int | None]:
    """How many of each dataset: as equal as can be, the first ones get what is left over."""
    if sample is None:
        return dict.fromkeys(datasets)
    if sample < len(datasets):
        raise InputError(f"sample: expected at least one of each of {len(datasets)} datasets, got {sample}")
    each, more = divmod(sample, len(datasets))
    return {name: each + (at < more) for at, name in enumerate(datasets)}

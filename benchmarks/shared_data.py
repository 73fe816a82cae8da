"""Where the datasets and models lie, and loading them once."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import edgeproof as ep

NODE_DATASETS = ("Cora", "CiteSeer", "Cornell", "Texas", "Wisconsin")
GRAPH_DATASETS = ("MUTAG", "ENZYMES")
AGGREGATIONS = ("sum", "max", "mean")


def data_folder() -> Path:
    default = Path(__file__).resolve().parents[2] / "shared"
    folder = Path(os.environ.get("EDGEPROOF_DATA", default))
    if not (folder / "models").is_dir():
        raise SystemExit(f"no models in {folder}: set EDGEPROOF_DATA to the folder with datasets/ and models/")
    return folder


@cache
def network(dataset: str, aggregation: str) -> ep.Network:
    return ep.Network.load(data_folder() / "models" / f"{dataset}_{aggregation}.npz")


@cache
def graphs(dataset: str) -> tuple[ep.Graph, ...]:
    path = data_folder() / "datasets" / f"{dataset}.npz"
    if dataset in NODE_DATASETS:
        return (ep.Graph.load(path, directed=True),)
    return tuple(ep.load_graphs(path, directed=False))


def verify(dataset: str, aggregation: str, index: int, threat: ep.Threat, **limits: object) -> ep.Verdict:
    """One instance in the paper's conventions: a node of a node dataset, or a graph of a graph dataset."""
    net = network(dataset, aggregation)
    if dataset in NODE_DATASETS:
        return ep.verify(net, graphs(dataset)[0], threat, index, **limits)
    return ep.verify(net, graphs(dataset)[index], threat, **limits)

"""Graph-level datasets: a file of many graphs, read and written."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike

from .model.graph import Graph


def load_graphs(path: str | PathLike[str], *, directed: bool | None = None) -> Sequence[Graph]:
    """Every graph of a graph-level `.npz`, in the order of the file."""
    from .convert.files import read_graphs

    return tuple(Graph.from_raw(raw, directed=directed) for raw in read_graphs(path))


def save_graphs(graphs: Sequence[Graph], path: str | PathLike[str]) -> None:
    """Write a graph-level `.npz`: what `graph_from_pyg` makes of a `Batch`, for the command line."""
    from .convert.files import write_graphs

    write_graphs([graph.to_raw() for graph in graphs], path)

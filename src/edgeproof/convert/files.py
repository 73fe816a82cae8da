"""Which reader or writer a file gets: the suffix decides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path
from typing import TypeVar

from ..errors import InputError
from . import dataset_npz, gnnx, graph_text, model_npz, native
from .raw import RawGraph, RawNetwork

_Function = TypeVar("_Function")

# what PyTorch saves is not unpickled behind anybody's back
_WAYS_OUT = {
    "a model": "; in Python ep.from_pyg(model).save('model.safetensors') makes one, and so does edgeproof convert",
    "a graph": "; in Python ep.graph_from_pyg(data).save('graph.npz') makes one",
}

NETWORK_READERS: dict[str, Callable[[Path], RawNetwork]] = {
    ".safetensors": native.read,
    ".npz": model_npz.read,
    ".gnnx": gnnx.read,
}
NETWORK_WRITERS: dict[str, Callable[[RawNetwork, Path], None]] = {".safetensors": native.write, ".gnnx": gnnx.write}
GRAPH_READERS: dict[str, Callable[[Path], Sequence[RawGraph]]] = {".npz": dataset_npz.read, ".graph": graph_text.read}
GRAPH_WRITERS: dict[str, Callable[[Sequence[RawGraph], Path], None]] = {
    ".npz": dataset_npz.write,
    ".graph": graph_text.write,
}


def read_network(path: str | PathLike[str]) -> RawNetwork:
    return _choose(NETWORK_READERS, path, "a model")(Path(path))


def write_network(raw: RawNetwork, path: str | PathLike[str]) -> None:
    """Write the file whole or not at all."""
    _choose(NETWORK_WRITERS, path, "a model to write")(raw, Path(path))


def read_graphs(path: str | PathLike[str]) -> Sequence[RawGraph]:
    """Every graph of the file, in its order; slices are made as they are asked for."""
    return _choose(GRAPH_READERS, path, "a graph")(Path(path))


def read_graph(path: str | PathLike[str], index: int | None = None) -> RawGraph:
    """The one graph of the file, or graph number `index` of a file of many."""
    graphs = read_graphs(path)
    if index is None:
        if len(graphs) != 1:
            raise InputError(f"{path}: index: the file holds {len(graphs)} graphs, expected the number of one of them")
        index = 0
    if not 0 <= index < len(graphs):
        raise InputError(f"{path}: index: {index} is out of range, the file holds {len(graphs)} graphs")
    return graphs[index]


def write_graphs(raws: Sequence[RawGraph], path: str | PathLike[str]) -> None:
    """Write the file (and its `.feat`) whole or not at all."""
    write = _choose(GRAPH_WRITERS, path, "a graph to write")
    if not raws:
        raise InputError(f"{path}: expected at least one graph to write, got none")
    write(raws, Path(path))


def _choose(table: dict[str, _Function], path: str | PathLike[str], what: str) -> _Function:
    suffix = Path(path).suffix.lower()
    if suffix not in table:
        known = " or ".join(table)
        way = _WAYS_OUT[what] if suffix in (".pt", ".pth") and what in _WAYS_OUT else ""
        raise InputError(f"{path}: expected {what} with suffix {known}, got {suffix or 'no suffix'}{way}")
    return table[suffix]

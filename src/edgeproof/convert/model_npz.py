"""Models as NumPy archives: C1, A1, b1, ... with ReLU between the layers and none after the last."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InputError
from .npz import Archive
from .raw import RawLayer, RawNetwork, RawReadout

_AGGREGATIONS = ("sum", "max", "mean")


def read(path: Path) -> RawNetwork:
    archive = Archive(path)
    task, aggregation = archive.text("task"), archive.text("aggr")
    if task not in ("node", "graph"):
        raise InputError(f"{path}: task: expected node or graph, got {task!r}")
    if aggregation not in _AGGREGATIONS:
        raise InputError(f"{path}: aggr: expected one of {', '.join(_AGGREGATIONS)}, got {aggregation!r}")
    dims = archive.array("dims", "iu", 1).tolist()
    depth = len(dims) - (2 if task == "graph" else 1)
    if depth < 1 or min(dims) < 1:
        raise InputError(f"{path}: dims: expected positive widths from the input to the scores, got {str(dims)[:80]}")
    layers = tuple(
        RawLayer(
            _weights(archive, f"C{number}", out, width),
            _weights(archive, f"A{number}", out, width),
            _weights(archive, f"b{number}", out),
            aggregation,
            "relu" if number < depth else "none",
        )
        for number, (width, out) in enumerate(pairwise(dims[: depth + 1]), 1)
    )
    readout = None
    if task == "graph":
        width, out = dims[-2:]
        readout = RawReadout(_weights(archive, "C_out", out, width), _weights(archive, "b_out", out), "sum")
    return RawNetwork(layers, readout, path.stem, str(path))


def _weights(archive: Archive, field: str, *shape: int) -> np.ndarray[Any, Any]:
    array = archive.array(field, "fiu", len(shape))
    if array.shape != shape:
        expected, got = ("x".join(map(str, one)) for one in (shape, array.shape))
        raise InputError(f"{archive.path}: {field}: expected shape {expected} as dims says, got {got}")
    return array

"""`.gnnx`, the text format of the paper's tool: ReLU on all layers but the last, one aggregation, sum pooling.

NODE or GRAPH; SUM, MAX or MEAN; the number of layers; the widths, from the input to the scores; then for each layer
C and A row by row and b, one number a line; for GRAPH then C and b of the readout.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InputError
from .disk import read_text, tell, write_all
from .raw import RawLayer, RawNetwork, RawReadout

_AGGREGATIONS = ("SUM", "MAX", "MEAN")


def read(path: Path) -> RawNetwork:
    lines = [line for line in read_text(path).splitlines() if line.strip()]
    if len(lines) < 4:
        raise InputError(f"{path}: expected four lines before the weights, got {len(lines)}")
    task, aggregation = lines[0].strip(), lines[1].strip()
    if task not in ("NODE", "GRAPH"):
        raise InputError(f"{path}: task: expected NODE or GRAPH, got {task[:40]!r}")
    if aggregation not in _AGGREGATIONS:
        raise InputError(f"{path}: aggregation: expected one of {', '.join(_AGGREGATIONS)}, got {aggregation[:40]!r}")
    is_graph = task == "GRAPH"
    (depth,) = _wholes(path, "number of layers", lines[2], 1)
    widths = _wholes(path, "widths", lines[3], depth + 1 + is_graph)
    numbers = _Numbers(path, " ".join(lines[4:]).split())
    pairs = list(pairwise(widths))
    expected = sum(out * (2 * width + 1) for width, out in pairs[:depth])
    expected += sum(out * (width + 1) for width, out in pairs[depth:])
    if expected != len(numbers.tokens):
        raise InputError(f"{path}: weights: expected {expected} numbers for these widths, got {len(numbers.tokens)}")
    layers = tuple(
        RawLayer(
            numbers.take(f"C{at}", out, width),
            numbers.take(f"A{at}", out, width),
            numbers.take(f"b{at}", out),
            aggregation.lower(),
            "relu" if at < depth else "none",
        )
        for at, (width, out) in enumerate(pairs[:depth], 1)
    )
    readout = None
    if is_graph:
        width, out = pairs[depth]
        readout = RawReadout(numbers.take("C_out", out, width), numbers.take("b_out", out), "sum")
    return RawNetwork(layers, readout, path.stem, str(path))


def write(raw: RawNetwork, path: Path) -> None:
    write_all({path: (f"{line}\n".encode() for line in _lines(raw, path))})


def _lines(raw: RawNetwork, path: Path) -> list[str]:
    _refuse_what_it_cannot_carry(raw, path)
    weights = [array for layer in raw.layers for array in (layer.C, layer.A, layer.b)]
    widths = [raw.layers[0].C.shape[1], *(len(layer.b) for layer in raw.layers)]
    if raw.readout is not None:
        weights += [raw.readout.C, raw.readout.b]
        widths.append(len(raw.readout.b))
    lines = ["NODE" if raw.readout is None else "GRAPH", _aggregation(raw, path).upper(), str(len(raw.layers))]
    lines.append(" ".join(map(str, widths)))
    for array in weights:
        lines += map(repr, np.asarray(array, dtype=np.float64).ravel().tolist())
    return lines


def _aggregation(raw: RawNetwork, path: Path) -> str:
    used = {layer.aggregation for layer in raw.layers if np.any(layer.A)}
    if len(used) > 1:
        raise InputError(f"{path}: aggregation: .gnnx carries one for all layers, the network has {sorted(used)}")
    return used.pop() if used else raw.layers[0].aggregation


def _refuse_what_it_cannot_carry(raw: RawNetwork, path: Path) -> None:
    if raw.head:
        raise InputError(f"{path}: head: .gnnx carries no layers behind the readout, the network has {len(raw.head)}")
    for at, layer in enumerate(raw.layers, 1):
        expected = "relu" if at < len(raw.layers) else "none"
        if layer.activation != expected:
            raise InputError(f"{path}: layer {at}: .gnnx means activation {expected} here, it is {layer.activation}")
        if layer.aggregation not in ("sum", "max", "mean"):
            raise InputError(f"{path}: layer {at}: .gnnx carries sum, max and mean, the layer is {layer.aggregation}")
    if raw.readout is not None and raw.readout.pool != "sum":
        raise InputError(f"{path}: pool: .gnnx means sum, the network has {raw.readout.pool}")


def _wholes(path: Path, field: str, line: str, count: int) -> list[int]:
    parts = line.split()
    if len(parts) != count:
        raise InputError(f"{path}: {field}: expected {count} whole number{'s' * (count > 1)}, got {len(parts)}")
    for part in parts:
        if not (part.isdecimal() and len(part) < 10 and int(part) > 0):
            raise InputError(f"{path}: {field}: expected positive whole numbers, got {part[:40]!r}")
    return [int(part) for part in parts]


class _Numbers:
    """Hands out the file's numbers in order."""

    def __init__(self, path: Path, tokens: list[str]) -> None:
        self.path, self.tokens, self._at = path, tokens, 0

    def take(self, field: str, *shape: int) -> np.ndarray[Any, Any]:
        size = int(np.prod(shape))
        part = self.tokens[self._at : self._at + size]
        self._at += size
        try:
            return np.fromiter(map(float, part), np.float64, size).reshape(shape)
        except ValueError as problem:
            raise InputError(f"{self.path}: {field}: expected numbers ({tell(problem)})") from None

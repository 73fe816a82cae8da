"""The native format: `.safetensors`, weights as tensors and a JSON header for what is not a number array."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InputError
from .disk import require_readable, tell, write_all
from .raw import RawLayer, RawNetwork, RawReadout

_KEY = "edgeproof"
_VERSION = 1


def read(path: Path) -> RawNetwork:
    header, tensors = _open(path)
    listed = _get(path, header, "layers", list)
    used = {f"layers.{at}.{field}" for at in range(len(listed)) for field in ("C", "A", "b")}
    readout_header = header.get("readout")
    if readout_header is not None:
        used |= {"readout.C", "readout.b"}
    for missing in sorted(used - tensors.keys()):
        raise InputError(f"{path}: {missing}: expected such a tensor, there is none")
    for extra in sorted(tensors.keys() - used):
        raise InputError(f"{path}: {extra[:80]!r}: a tensor that the header does not mention")
    layers = []
    for at, one in enumerate(listed):
        where = f"layer {at + 1}: "
        layers.append(
            RawLayer(
                tensors[f"layers.{at}.C"],
                tensors[f"layers.{at}.A"],
                tensors[f"layers.{at}.b"],
                _get(path, one, "aggregation", str, where),
                _get(path, one, "activation", str, where),
                _get(path, one, "slope", (int, float), where),
            )
        )
    readout = None
    if readout_header is not None:
        pool = _get(path, readout_header, "pool", str, "readout: ")
        readout = RawReadout(tensors["readout.C"], tensors["readout.b"], pool)
    return RawNetwork(tuple(layers), readout, _get(path, header, "name", str), str(path))


def write(raw: RawNetwork, path: Path) -> None:
    from safetensors.numpy import save

    tensors = {
        f"layers.{at}.{field}": _smallest(getattr(layer, field))
        for at, layer in enumerate(raw.layers)
        for field in ("C", "A", "b")
    }
    if raw.readout is not None:
        tensors |= {"readout.C": _smallest(raw.readout.C), "readout.b": _smallest(raw.readout.b)}
    header = {
        "format": _VERSION,
        "name": raw.name,
        "layers": [
            {"aggregation": one.aggregation, "activation": one.activation, "slope": one.slope} for one in raw.layers
        ],
        "readout": None if raw.readout is None else {"pool": raw.readout.pool},
    }
    metadata = {_KEY: json.dumps(header)}
    write_all({path: [save(tensors, metadata)]})


def _smallest(array: Any) -> np.ndarray[Any, Any]:
    """float32 where that loses nothing, else float64."""
    wide = np.ascontiguousarray(array, dtype=np.float64)
    with np.errstate(over="ignore"):
        narrow = wide.astype(np.float32)
    return narrow if np.array_equal(narrow.astype(np.float64), wide) else wide


def _open(path: Path) -> tuple[dict[str, Any], dict[str, np.ndarray[Any, Any]]]:
    from safetensors import SafetensorError, safe_open

    require_readable(path)
    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError, ValueError, TypeError, KeyError, AttributeError) as problem:
        raise InputError(
            f"{path}: expected a .safetensors file, got something else or damage ({tell(problem)})"
        ) from None
    if _KEY not in metadata:
        raise InputError(f"{path}: metadata: expected the key {_KEY!r} with the network's layers, there is none")
    try:
        header = json.loads(metadata[_KEY])
    except (ValueError, RecursionError):
        raise InputError(f"{path}: metadata {_KEY!r}: expected JSON") from None
    version = _get(path, header, "format", int)
    if version != _VERSION:
        raise InputError(f"{path}: format: expected version {_VERSION}, got {version}")
    return header, tensors


def _get(path: Path, header: Any, field: str, kind: Any, where: str = "") -> Any:
    if not isinstance(header, dict):
        raise InputError(f"{path}: {where}expected an object with {field}, got {type(header).__name__}")
    value = header.get(field)
    if not isinstance(value, kind) or isinstance(value, bool):
        kinds = {list: "a list", str: "a text", int: "a whole number"}
        raise InputError(f"{path}: {where}{field}: expected {kinds.get(kind, 'a number')}, got {repr(value)[:40]}")
    return value

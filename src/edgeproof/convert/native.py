"""The native format: `.safetensors`, weights as tensors and a JSON header for what is not a number array."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InputError
from .disk import require_readable, tell, write_all
from .raw import RawAttention, RawLayer, RawNetwork, RawReadout

_KEY = "edgeproof"
# 2 adds a head, and slopes that are tensors: the header then says "slope": null; 3 curved activations, one for each
# output as a list, and attention
_VERSIONS = (1, 2, 3)
_OLD_ACTIVATIONS = ("relu", "leaky_relu", "none")
_ATTENTION = ("values", "source", "target", "target_values", "values_bias", "target_bias")


def read(path: Path) -> RawNetwork:
    header, tensors = _open(path)
    file = _Tensors(path, tensors)
    layers = [_read_layer(file, f"layers.{at}", one) for at, one in enumerate(_get(path, header, "layers", list))]
    readout, said = None, header.get("readout")
    if said is not None:
        pool = _get(path, said, "pool", str, "readout: ")
        readout = RawReadout(file.take("readout.C"), file.take("readout.b"), pool)
    listed = _get(path, header, "head", list) if "head" in header else []
    head = [_read_layer(file, f"head.{at}", one) for at, one in enumerate(listed)]
    file.require_nothing_left()
    name = _get(path, header, "name", str) or path.stem  # tables and reports call it by its name
    return RawNetwork(tuple(layers), readout, name, str(path), tuple(head))


class _Tensors:
    """Hands out tensors by name, and knows which of them nobody asked for."""

    def __init__(self, path: Path, tensors: dict[str, np.ndarray[Any, Any]]) -> None:
        self.path, self._left = path, tensors

    def take(self, name: str) -> np.ndarray[Any, Any]:
        if name not in self._left:
            raise InputError(f"{self.path}: {name}: expected such a tensor, there is none")
        return self._left.pop(name)

    def require_nothing_left(self) -> None:
        for extra in sorted(self._left):
            raise InputError(f"{self.path}: {extra[:80]!r}: a tensor that the header does not mention")


def _read_layer(file: _Tensors, name: str, said: Any) -> RawLayer:
    part, at = name.split(".")
    where = f"{'head layer' if part == 'head' else 'layer'} {int(at) + 1}: "
    C = file.take(f"{name}.C")
    A = np.zeros_like(C) if part == "head" else file.take(f"{name}.A")
    b = file.take(f"{name}.b")
    aggregation = "sum" if part == "head" else _get(file.path, said, "aggregation", str, where)
    attention = None
    if part == "layers" and said.get("attention") is not None:
        attention = _read_attention(file, name, said["attention"], where)
    activation = _get(file.path, said, "activation", (str, list), where)
    if isinstance(activation, list):
        activation = tuple(map(str, activation))
    if said.get("slope", 0) is None:
        return RawLayer(C, A, b, aggregation, activation, file.take(f"{name}.slope"), attention)
    slope = _get(file.path, said, "slope", (int, float), where)
    return RawLayer(C, A, b, aggregation, activation, slope, attention)


def _read_attention(file: _Tensors, name: str, said: Any, where: str) -> RawAttention:
    where = f"{where}attention: "
    tensors = {field: file.take(f"{name}.attention.{field}") for field in _get(file.path, said, "tensors", list, where)}
    switches = {field: said.get(field) for field in ("mean", "self_loops")}
    for field, value in switches.items():
        if not isinstance(value, bool):
            raise InputError(f"{file.path}: {where}{field}: expected true or false, got {repr(value)[:40]}")
    unknown = sorted(set(tensors) - set(_ATTENTION)) or sorted({"values", "source"} - set(tensors))
    if unknown:
        raise InputError(f"{file.path}: {where}tensors: expected values, source and others of it, got {unknown[0]!r}")
    kind, slope = (_get(file.path, said, field, of, where) for field, of in (("kind", str), ("slope", (int, float))))
    return RawAttention(kind, slope=slope, **tensors, **switches)  # type: ignore[arg-type]  # names of fields


def write(raw: RawNetwork, path: Path) -> None:
    from safetensors.numpy import save

    tensors: dict[str, np.ndarray[Any, Any]] = {}
    header: dict[str, Any] = {
        "format": 1,
        "name": raw.name,
        "layers": [_put_layer(tensors, f"layers.{at}", one) for at, one in enumerate(raw.layers)],
        "readout": None if raw.readout is None else {"pool": raw.readout.pool},
    }
    if raw.readout is not None:
        tensors |= {"readout.C": _smallest(raw.readout.C), "readout.b": _smallest(raw.readout.b)}
    if raw.head:
        header["head"] = [_put_layer(tensors, f"head.{at}", one) for at, one in enumerate(raw.head)]
    if raw.head or any(name.endswith(".slope") for name in tensors):
        header["format"] = 2  # what version 1 can carry stays readable for those who know no other
    every = header["layers"] + header.get("head", [])
    if any(one["activation"] not in _OLD_ACTIVATIONS or "attention" in one for one in every):
        header["format"] = 3
    metadata = {_KEY: json.dumps(header)}
    write_all({path: [save(tensors, metadata)]})


def _put_layer(tensors: dict[str, np.ndarray[Any, Any]], name: str, layer: RawLayer) -> dict[str, Any]:
    """Put a layer's arrays among the tensors; returns what the header says of it."""
    in_head = name.startswith("head.")
    for field in ("C", "b") if in_head else ("C", "A", "b"):
        tensors[f"{name}.{field}"] = _smallest(getattr(layer, field))
    said: dict[str, Any] = {} if in_head else {"aggregation": layer.aggregation}
    said |= {"activation": layer.activation, "slope": layer.slope}
    if isinstance(layer.slope, np.ndarray):
        tensors[f"{name}.slope"] = _smallest(layer.slope)
        said["slope"] = None
    held = layer.attention
    if held is not None:
        there = [field for field in _ATTENTION if getattr(held, field) is not None]
        tensors.update({f"{name}.attention.{field}": _smallest(getattr(held, field)) for field in there})
        said["attention"] = {
            "kind": held.kind, "tensors": there, "slope": held.slope, "mean": held.mean, "self_loops": held.self_loops,
        }  # fmt: skip
    return said


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
    if version not in _VERSIONS:
        raise InputError(f"{path}: format: expected version {', '.join(map(str, _VERSIONS))}, got {version}")
    return header, tensors


def _get(path: Path, header: Any, field: str, kind: Any, where: str = "") -> Any:
    if not isinstance(header, dict):
        raise InputError(f"{path}: {where}expected an object with {field}, got {type(header).__name__}")
    value = header.get(field)
    if not isinstance(value, kind) or isinstance(value, bool):
        kinds = {list: "a list", str: "a text", (str, list): "a text or a list", int: "a whole number"}
        raise InputError(f"{path}: {where}{field}: expected {kinds.get(kind, 'a number')}, got {repr(value)[:40]}")
    return value

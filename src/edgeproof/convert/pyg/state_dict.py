"""A state dict and a stated architecture as the list of layers that they describe.

The file holds weights under names, not what is done with them. So the layers are said in words, in the order in which
they are applied:

    sage(mean) relu sage(mean)
    gin(linear batch_norm relu linear) relu gin(linear relu linear) add_pool linear

Each takes the next weights of the file that fit it; `convs.1:sage(mean)` takes those under that name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from pickle import UnpicklingError
from typing import Any, NamedTuple

from ...errors import InputError
from ..disk import require_readable, tell
from .networks import require_torch

_WORD = re.compile(r"\s*(?:(?P<name>[\w.]+):)?(?P<kind>[a-z_]+)\s*(?P<opens>\()?")
KINDS = (
    "sage(sum|mean|max), graph(add|mean|max), gcn, gin(linear relu ...), linear, batch_norm, relu, leaky_relu(SLOPE), "
    "prelu, elu, selu, gelu, silu, tanh, sigmoid, softplus, add_pool, mean_pool, max_pool"
)


_CURVED = {
    "elu": "ELU", "selu": "SELU", "gelu": "GELU", "silu": "SiLU", "tanh": "Tanh", "sigmoid": "Sigmoid",
    "softplus": "Softplus",
}  # fmt: skip
_POOLS = {"add_pool": "global_add_pool", "mean_pool": "global_mean_pool", "max_pool": "global_max_pool"}


def read_state_dict(path: Path, architecture: str) -> list[Any]:
    """Modules with the weights of the file; every weight must have found its place."""
    require_torch()
    weights = _Weights(path, _load(path))
    layers = [_build(word, weights, "") for word in _words(architecture)]
    weights.require_nothing_left()
    return layers


def _load(path: Path) -> dict[str, Any]:
    import torch

    require_readable(path)
    try:
        held = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as problem:  # torch raises whatever its readers raise
        # of a pickle it says how to load it all the same, which is no advice to pass on
        why = "" if isinstance(problem, UnpicklingError) else f" ({tell(problem)[:120]})"
        raise InputError(
            f"{path}: expected a state dict, saved by torch.save(model.state_dict(), ...); a whole module is never "
            f"unpickled, convert it in Python with ep.from_pyg(model){why}"
        ) from None
    for key in ("state_dict", "model_state_dict", "model"):
        if isinstance(held, dict) and isinstance(held.get(key), dict):
            held = held[key]
    if not isinstance(held, dict) or not all(isinstance(one, torch.Tensor) for one in held.values()):
        raise InputError(f"{path}: expected a state dict of names and tensors, got {type(held).__name__}")
    return dict(held)


class Word(NamedTuple):
    """`name:kind(inner)`."""

    name: str | None
    kind: str
    inner: str


def _words(text: str) -> Iterator[Word]:
    at = 0
    while text[at:].strip():
        found = _WORD.match(text, at)
        if found is None:
            raise InputError(f"architecture: expected one of {KINDS}, got {text[at:].strip()[:40]!r}")
        start = end = found.end()
        depth = 1 if found["opens"] else 0
        while depth and end < len(text):
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        if depth:
            raise InputError(f"architecture: {found['kind']}: expected a closing parenthesis")
        yield Word(found["name"], found["kind"], text[start : end - 1].strip() if found["opens"] else "")
        at = end


class _Weights:
    """Hands out the tensors of the file, each once."""

    def __init__(self, path: Path, tensors: dict[str, Any]) -> None:
        self.path, self._left = path, tensors

    def prefix(self, word: Word, inside: str, fits: Callable[[str, Any], str | None]) -> str:
        """The first prefix in the file whose tensors fit: `fits` gives what comes before a fitting name, or None."""
        for key, tensor in self._left.items():
            found = fits(key, tensor) if key.startswith(inside) else None
            if found is not None and (word.name is None or found == f"{word.name}."):
                return found
        where = f" under {word.name!r}" if word.name else f" under {inside!r}" if inside else ""
        left = ", ".join([*list(self._left)[:4], *["..."] * (len(self._left) > 4)]) or "none"
        raise InputError(
            f"{self.path}: {word.kind}: expected weights for it{where} that no layer before it takes; left are {left}"
        )

    def take(self, prefix: str, *names: str) -> dict[str, Any]:
        """Those of these names that are there."""
        return {name: self._left.pop(prefix + name) for name in names if prefix + name in self._left}

    def require_nothing_left(self) -> None:
        for key in self._left:
            raise InputError(f"{self.path}: {key}: no layer of the stated architecture takes it")


def _ending(mark: str, dims: int = 2) -> Callable[[str, Any], str | None]:
    def fits(key: str, tensor: Any) -> str | None:
        whole = key == mark or key.endswith(f".{mark}")
        return key[: len(key) - len(mark)] if whole and tensor.dim() == dims else None

    return fits


def _within(part: str) -> Callable[[str, Any], str | None]:
    def fits(key: str, tensor: Any) -> str | None:
        before, found, _ = f".{key}".partition(f".{part}.")
        return f"{before}.".lstrip(".") if found else None

    return fits


def _build(word: Word, weights: _Weights, inside: str) -> Any:
    """The layer, activation or pooling that a word stands for, with its weights."""
    import torch_geometric.nn as g
    from torch import nn

    kind = word.kind
    if kind in _POOLS:
        return getattr(g, _POOLS[kind])
    if kind == "relu":
        return nn.ReLU()
    if kind in _CURVED:
        return getattr(nn, _CURVED[kind])()
    if kind == "leaky_relu":
        return nn.LeakyReLU(_number(word))
    if kind == "prelu":
        held = weights.take(weights.prefix(word, inside, _ending("weight", 1)), "weight")
        return _loaded(nn.PReLU(len(held["weight"])), held)
    if kind == "batch_norm":
        prefix = weights.prefix(word, inside, _ending("running_mean", 1))
        held = weights.take(prefix, "weight", "bias", "running_mean", "running_var", "num_batches_tracked")
        return _loaded(nn.BatchNorm1d(len(held["running_mean"]), affine="weight" in held), held)
    if kind == "linear":
        held = weights.take(weights.prefix(word, inside, _ending("weight")), "weight", "bias")
        return _loaded(nn.Linear(*reversed(held["weight"].shape), bias="bias" in held), held)
    if kind == "gcn":
        held = weights.take(weights.prefix(word, inside, _ending("lin.weight")), "lin.weight", "bias")
        return _loaded(g.GCNConv(*reversed(held["lin.weight"].shape), bias="bias" in held), held)
    if kind == "sage":
        names = ("lin_l.weight", "lin_l.bias", "lin_r.weight", "lin.weight", "lin.bias")
        held = weights.take(weights.prefix(word, inside, _ending("lin_l.weight")), *names)
        conv = g.SAGEConv(
            *reversed(held["lin_l.weight"].shape), aggr=_aggregation(word), bias="lin_l.bias" in held,
            root_weight="lin_r.weight" in held, project="lin.weight" in held,
        )  # fmt: skip
        return _loaded(conv, held)
    if kind == "graph":
        prefix = weights.prefix(word, inside, _ending("lin_rel.weight"))
        held = weights.take(prefix, "lin_rel.weight", "lin_rel.bias", "lin_root.weight")
        shape = reversed(held["lin_rel.weight"].shape)
        return _loaded(g.GraphConv(*shape, aggr=_aggregation(word), bias="lin_rel.bias" in held), held)
    if kind == "gin":
        prefix = weights.prefix(word, inside, _within("nn"))
        mlp = nn.Sequential(*(_build(one, weights, f"{prefix}nn.") for one in _words(word.inner)))
        held = {f"nn.{name}": tensor.clone() for name, tensor in mlp.state_dict().items()}  # GINConv resets its nn
        conv = g.GINConv(mlp, train_eps=True).double()
        return _loaded(conv, {"eps": conv.eps.detach(), **held, **weights.take(prefix, "eps")})
    raise InputError(f"architecture: expected one of {KINDS}, got {kind!r}")


def _loaded(module: Any, held: dict[str, Any]) -> Any:
    try:
        module.load_state_dict(held)
    except RuntimeError as problem:
        raise InputError(f"architecture: {type(module).__name__}: {tell(problem)[:200]}") from None
    return module.double()


def _aggregation(word: Word) -> str:
    if word.inner not in ("sum", "add", "mean", "max"):
        raise InputError(f"architecture: {word.kind}: expected sum, mean or max in parentheses, got {word.inner!r}")
    return word.inner


def _number(word: Word) -> float:
    try:
        return float(word.inner) if word.inner else 0.01
    except ValueError:
        raise InputError(f"architecture: leaky_relu: expected a number in parentheses, got {word.inner!r}") from None

"""What the module itself says, in float64."""

from __future__ import annotations

import copy
import inspect
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from .edges import BATCHES
from .modules import POOLS, is_convolution, is_plain, is_pool
from .record import fields_of_data, record, with_named_arguments
from .refuse import WAY_OUT

FloatMatrix = NDArray[np.float64]
IntVector = NDArray[np.int64]


class Evaluation:
    """A copy of a module, or of a list of layers, in evaluation mode, on the CPU and in float64."""

    def __init__(self, module: Any, origin: str, output: int | str | None = None) -> None:
        """output: which of the tensors that the module returns."""
        self._is_list, self._origin, self._output = isinstance(module, Sequence), origin, output
        self._pieces = [_copied(one) for one in (module if self._is_list else [module])]
        self._fields: set[str] = set()  # of a Data object, if forward takes one
        if not self._is_list and not is_convolution(module) and not is_plain(module):
            self._fields = fields_of_data(record(with_named_arguments(self._pieces[0]), origin))

    def scores(self, sources: IntVector, targets: IntVector, features: FloatMatrix) -> FloatMatrix:
        """Of all vertices (n, classes), or of the graph (1, classes)."""
        import torch
        from torch_geometric.data import Data

        data = Data(
            x=torch.tensor(features, dtype=torch.float64),
            edge_index=torch.tensor(np.stack([sources, targets]), dtype=torch.int64),
            batch=torch.zeros(len(features), dtype=torch.int64),
        )
        x: Any = data.x
        try:
            with torch.no_grad(), warnings.catch_warnings():
                warnings.simplefilter("ignore")  # they are about our data, not about theirs
                if "adj_t" in self._fields:
                    _add_transposed(data)
                for piece in self._pieces:
                    x = _applied(piece, x, data) if self._is_list else _called(piece, data, bool(self._fields))
                if not isinstance(x, torch.Tensor):
                    x = (
                        next(iter(x.values() if isinstance(x, dict) else x))
                        if self._output is None
                        else x[self._output]
                    )
        except Exception as problem:  # whatever a user's forward does
            line = " ".join(str(problem).split())[:200]
            raise InputError(
                f"{self._origin}: forward fails on a small random graph ({type(problem).__name__}: {line}), and the "
                f"converted network cannot be compared with it; {WAY_OUT}"
            ) from None
        return np.asarray(x.numpy(), dtype=np.float64)


def _add_transposed(data: Any) -> None:
    """data.adj_t, as PyG's own transform makes it."""
    import torch
    from torch_geometric.transforms import ToSparseTensor

    made = ToSparseTensor()(data.clone()).adj_t
    data.adj_t = made.to(data.x.dtype) if isinstance(made, torch.Tensor) else made  # torch_sparse's holds no numbers


def _is_module(piece: Any) -> bool:
    return hasattr(piece, "parameters") and hasattr(piece, "forward")


def _copied(piece: Any) -> Any:
    if not _is_module(piece):
        return piece
    piece = copy.deepcopy(piece).double().cpu().eval()
    for one in piece.modules():
        if getattr(one, "cached", False):  # it would ignore the edges that it is given
            one.cached = False
            for name in ("_cached_edge_index", "_cached_adj_t", "_cached_x", "_cached_h"):
                if hasattr(one, name):
                    setattr(one, name, None)
    return piece


def _applied(piece: Any, x: Any, data: Any) -> Any:
    """One of a list of layers."""
    if type(piece).__name__ == "GCN2Conv":
        return piece(x, data.x, data.edge_index)
    if hasattr(piece, "propagate"):
        return piece(x, data.edge_index)
    if is_pool(piece) or getattr(piece, "__name__", "") in POOLS:
        return piece(x, data.batch)
    return piece(x)


def _called(module: Any, data: Any, takes_data: bool) -> Any:
    """A whole module, whose arguments are told apart as when it is traced."""
    if is_convolution(module):
        return _applied(module, data.x, data)
    positional: list[Any] = []
    named: dict[str, Any] = {}
    for at, (name, can_be_left_out, by_name) in enumerate(arguments(module)):
        if at == 0:
            value = data if takes_data else data.x
        elif name in BATCHES:
            value = data.batch
        elif at == 1 and not (takes_data and can_be_left_out):
            value = data.edge_index
        else:
            continue
        if by_name or len(positional) < at:
            named[name] = value
        else:
            positional.append(value)
    return module(*positional, **named)


def arguments(module: Any) -> list[tuple[str, bool, bool]]:
    """Their names, whether they may be left out, and whether they are given by name only."""
    if hasattr(module, "_children") and hasattr(module, "signature"):  # PyG's Sequential
        return [(name, False, False) for name in module.signature.param_dict]
    return [
        (one.name, one.default is not one.empty, one.kind is one.KEYWORD_ONLY)
        for one in inspect.signature(module.forward).parameters.values()
        if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)
    ]

"""What the module itself says, in float64."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .modules import POOLS, is_convolution, is_pool
from .record import BATCH

FloatMatrix = NDArray[np.float64]
IntVector = NDArray[np.int64]


class Evaluation:
    """A copy of a module, or of a list of layers, in evaluation mode, on the CPU and in float64."""

    def __init__(self, module: Any) -> None:
        module = getattr(module, "_orig_mod", module)
        self._is_list = isinstance(module, Sequence)
        self._pieces = [_copied(one) for one in (module if self._is_list else [module])]

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
        with torch.no_grad():
            for piece in self._pieces:
                x = _applied(piece, x, data) if self._is_list else _called(piece, data)
        return np.asarray(x.numpy(), dtype=np.float64)


def _is_module(piece: Any) -> bool:
    return hasattr(piece, "parameters") and hasattr(piece, "forward")


def _copied(piece: Any) -> Any:
    if not _is_module(piece):
        return piece
    piece = copy.deepcopy(piece).double().cpu().eval()
    for one in piece.modules():
        if getattr(one, "cached", False):  # it would ignore the edges that it is given
            one.cached, one._cached_edge_index, one._cached_adj_t = False, None, None
    return piece


def _applied(piece: Any, x: Any, data: Any) -> Any:
    """One of a list of layers."""
    if hasattr(piece, "propagate"):
        return piece(x, data.edge_index)
    if is_pool(piece) or getattr(piece, "__name__", "") in POOLS:
        return piece(x, data.batch)
    return piece(x)


def _called(module: Any, data: Any) -> Any:
    """A whole module, whose arguments are told apart as when it is traced."""
    if is_convolution(module):
        return module(data.x, data.edge_index)
    names = argument_names(module)
    if len(names) == 1:
        try:
            return module(data)
        except (AttributeError, TypeError):  # no Data object, then: a stack of layers that look at no edge
            return module(data.x)
    given = [data.batch if name == BATCH else (data.x, data.edge_index)[at] for at, name in enumerate(names[:2])]
    return module(*given, data.batch) if names[2:3] == [BATCH] else module(*given)


def argument_names(module: Any) -> list[str]:
    if hasattr(module, "_children") and hasattr(module, "signature"):  # PyG's Sequential
        return list(module.signature.param_dict)
    return list(inspect.signature(module.forward).parameters)

"""A trained module, or the list of its layers, as a plain network."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...errors import InputError
from ..raw import RawNetwork
from .arrange import arrange
from .modules import is_plain
from .trace import trace_list, trace_module


def require_torch() -> None:
    for package in ("torch", "torch_geometric"):
        try:
            __import__(package)
        except ImportError:
            raise InputError(f"{package}: not installed; pip install 'edgeproof[pyg]'") from None


def read_module(module: Any, num_features: int | None = None) -> RawNetwork:
    """From a torch.nn.Module, or a sequence of layers to be applied one after the other."""
    require_torch()
    import torch

    module = getattr(module, "_orig_mod", module)  # what torch.compile wraps
    if isinstance(module, Sequence):
        return arrange(*trace_list(module, "layers", num_features), "layers")
    if not isinstance(module, torch.nn.Module):
        raise InputError(f"from_pyg: expected a torch.nn.Module or a list of layers, got {type(module).__name__}")
    origin = type(module).__name__
    if hasattr(module, "propagate") or is_plain(module):
        return arrange(*trace_list([module], origin, num_features), origin)
    return arrange(*trace_module(module, origin, num_features), origin)

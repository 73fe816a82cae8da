"""A trained module, or the list of its layers, as a plain network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
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
    if isinstance(module, Sequence) and not isinstance(module, str):
        return arrange(*trace_list(module, "layers", num_features), "layers")
    if not isinstance(module, torch.nn.Module):
        raise InputError(f"from_pyg: expected a torch.nn.Module or a list of layers, got {_tell(module)}")
    origin = type(module).__name__
    if hasattr(module, "propagate") or is_plain(module):
        return arrange(*trace_list([module], origin, num_features), origin)
    return arrange(*trace_module(module, origin, num_features), origin)


def _tell(found: Any) -> str:
    """What somebody has at hand where a module is asked for, and the way from there to one."""
    if isinstance(found, type):
        return f"the class {found.__name__} itself; give it a trained instance"
    if isinstance(found, Mapping):
        return f"{type(found).__name__}; if it is a state dict, load it into its module first: load_state_dict(...)"
    if isinstance(found, str | PathLike):
        return f"the file name {str(found)!r}; load the module first, or use edgeproof convert for a state dict"
    return type(found).__name__

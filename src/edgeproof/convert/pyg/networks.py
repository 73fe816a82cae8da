"""A trained module, or the list of its layers, as a plain network."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, NamedTuple

import numpy as np

from ...errors import InputError
from ..raw import RawNetwork
from .arrange import arrange
from .expressions import transform
from .modules import Ranked, is_plain, last_step
from .trace import trace_list, trace_module


class Reading(NamedTuple):
    """A network, and how its scores become what the module returns: through a function that keeps their order, and
    where the module returns one number z, our scores are (0, z).
    """

    raw: RawNetwork
    through: Callable[[Any], Any] | None
    one_score: bool


def require_torch() -> None:
    for package in ("torch", "torch_geometric"):
        try:
            __import__(package)
        except ImportError:
            raise InputError(f"{package}: not installed; pip install 'edgeproof[pyg]'") from None


def unwrapped(module: Any) -> Any:
    """Without what torch.compile, DataParallel and averages of weights put around a module."""
    around = ("DataParallel", "DistributedDataParallel", "AveragedModel", "FullyShardedDataParallel")
    while True:
        if hasattr(module, "_orig_mod"):  # torch.compile
            module = module._orig_mod
        elif type(module).__name__ in around and hasattr(module, "module"):
            module = module.module
        elif type(module).__name__ == "GAE" and type(module).__module__.startswith("torch_geometric."):
            module = module.encoder  # which is what its forward calls
        else:
            return module


def read_module(module: Any, num_features: int | None = None, output: int | str | None = None) -> Reading:
    """From a torch.nn.Module, or a sequence of layers to be applied one after the other."""
    require_torch()
    import torch

    module = unwrapped(module)
    is_list = isinstance(module, Sequence) and not isinstance(module, str)
    if not is_list and not isinstance(module, torch.nn.Module):
        raise InputError(f"from_pyg: expected a torch.nn.Module or a list of layers, got {_tell(module)}")
    origin = "layers" if is_list else type(module).__name__
    if is_list or hasattr(module, "propagate") or is_plain(module):
        if output is not None:
            raise InputError(f"{origin}: output={output!r}: it returns one tensor, leave output out")
        result, features = trace_list(module if is_list else [module], origin, num_features)
    else:
        result, features = trace_module(module, origin, num_features, output)
    result = last_step(result)
    through = result.through if isinstance(result, Ranked) else None
    one_score = result.width == 1
    if one_score:
        if isinstance(result, Ranked) and result.name not in ("sigmoid", "tanh", "elu", "celu", "selu", "softsign"):
            raise InputError(
                f"{origin}: it returns one number behind {result.name}, whose sign says nothing; end with the "
                f"number itself "
                "(above 0: class 1), with sigmoid (above 1/2) or with two or more scores"
            )
        result = transform(result, np.array([[0.0], [1.0]]))
    return Reading(arrange(result, features, origin), through, one_score)


def _tell(found: Any) -> str:
    """What somebody has at hand where a module is asked for, and the way from there to one."""
    if isinstance(found, type):
        return f"the class {found.__name__} itself; give it a trained instance"
    if isinstance(found, Mapping):
        return f"{type(found).__name__}; if it is a state dict, load it into its module first: load_state_dict(...)"
    if isinstance(found, str | PathLike):
        return f"the file name {str(found)!r}; load the module first, or use edgeproof convert for a state dict"
    return type(found).__name__

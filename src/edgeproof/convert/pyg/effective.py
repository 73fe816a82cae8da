"""A copy of a module that holds the weights it computes with: pruned, normalised, re-parametrised ones are worked out.

Such modules hold what the weights are made of, and make them when they run; the weight that they show may be old.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from .networks import unwrapped
from .refuse import refusal


def effective_copy(module: Any) -> Any:
    """Of a torch.nn.Module or a list of layers; anything else is given back as it is."""
    import torch

    if isinstance(module, Sequence) and not isinstance(module, str):
        return [effective_copy(one) for one in module]
    module = unwrapped(module)
    if not isinstance(module, torch.nn.Module):
        return module
    origin = type(module).__name__
    for name, one in module.named_modules():
        if isinstance(one, torch.jit.ScriptModule):
            why = "it is TorchScript, which keeps no layers that could be read; give the module that it was made from"
            raise refusal(f"{origin}.{name}" if name else "", type(one).__name__, why)
    try:
        # what a hook has computed last cannot be copied, and is computed anew below
        known = {id(one): one.detach().clone() for one in _computed(module)}
        for one in module.modules():
            if unwrapped(one) is not one:  # a layer that was compiled alone
                known[id(one)] = copy.deepcopy(unwrapped(one), known)
        copied = copy.deepcopy(module, known).eval()
        for one in copied.modules():
            _work_out(one)
    except Exception as problem:  # whatever somebody keeps in a module
        line = " ".join(str(problem).split())[:200]
        raise refusal("", origin, f"it cannot be copied ({type(problem).__name__}: {line})") from None
    return copied


def _computed(module: Any) -> list[Any]:
    """Tensors that are neither parameters nor buffers but made of them."""
    import torch

    held = [value for one in module.modules() for value in vars(one).values()]
    return [one for one in held if isinstance(one, torch.Tensor) and not one.is_leaf]


def _work_out(module: Any) -> None:
    """Replace what a weight is made of by the weight."""
    import torch
    from torch.nn.utils import parametrize, prune
    from torch.nn.utils.spectral_norm import SpectralNorm
    from torch.nn.utils.weight_norm import WeightNorm

    if parametrize.is_parametrized(module):
        values = {name: getattr(module, name).detach().clone() for name in module.parametrizations}
        # torch's own way back would change the class, which the original has too
        module.__class__ = type(module).__bases__[0]
        del module.parametrizations
        for name, value in values.items():
            module.register_parameter(name, torch.nn.Parameter(value))
    for key, hook in list(module._forward_pre_hooks.items()):
        if isinstance(hook, prune.BasePruningMethod):
            hook(module, None)  # with the weights as they are now
            hook.remove(module)
        elif isinstance(hook, WeightNorm | SpectralNorm):
            with torch.no_grad():
                hook.remove(module)
        else:
            continue
        del module._forward_pre_hooks[key]

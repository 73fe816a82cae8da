"""What cannot be verified, refused by name: which submodule, why, and what to do instead.

By class name, so that nothing has to be imported and new releases are met by name too.
"""

from __future__ import annotations

from typing import Any

from ...errors import InputError
from .reasons import CURVED, FUNCTIONS, MODULES

WAY_OUT = "give ep.from_pyg the list of its layers in order, or write it as ep.Network([ep.Layer(...), ...])"


def refusal(where: str, what: str, why: str) -> InputError:
    return InputError(f"{where} ({what}): {why}" if where else f"{what}: {why}")


def refused_module(where: str, module: Any) -> InputError:
    """By its class or, if it is of somebody's own, by what it is a subclass of."""
    name = type(module).__name__
    for base in type(module).__mro__:
        if base.__name__ in MODULES and base.__module__.startswith(("torch_geometric.", "torch.nn.")):
            return refusal(where, name, MODULES[base.__name__])
    if not type(module).__module__.startswith(("torch_geometric.", "torch.")):
        for base in type(module).__mro__[1:]:
            if base.__module__.startswith(
                ("torch_geometric.nn.conv.", "torch.nn.modules.", "torch_geometric.nn.aggr.")
            ):
                if base.__name__ not in ("MessagePassing", "Module", "Aggregation"):
                    why = f"a subclass of {base.__name__} may compute anything; use {base.__name__} itself"
                    return refusal(where, name, why)
                why = (
                    "it passes messages of its own, which from_pyg cannot read; build it from the layers in the "
                    "table of "
                    "docs/pyg.md, or write what it computes as ep.Layer(C, A, b, aggregation, activation)"
                )
                return refusal(where, name, why)
    kind = type(module).__module__
    if ".nn.conv." in kind:
        why = (
            "its messages are not a fixed linear map of what the sender holds, as far as from_pyg knows; use GCNConv, "
            "SAGEConv, GraphConv, GINConv or another layer in the table of docs/pyg.md"
        )
    elif ".pool." in kind or ".aggr." in kind or ".dense." in kind:
        why = "only sums, means, maxima and minima over all vertices are read; use global_add_pool or one of its like"
    elif ".norm." in kind:
        why = MODULES["LayerNorm"]
    elif ".activation" in kind:
        why = CURVED
    else:
        why = f"from_pyg has no rule for this class; write it with layers in the table of docs/pyg.md, or {WAY_OUT}"
    return refusal(where, name, why)


def refused_function(where: str, name: str) -> InputError:
    """Of an operation on tensors, by its name."""
    if name in FUNCTIONS:
        return refusal(where, name, FUNCTIONS[name])
    spelt = {one.lower(): reason for one, reason in MODULES.items()}
    why = (
        "from_pyg has no rule for this operation on the features of vertices; use sums, products with fixed weights, "
        f"concatenations and piecewise linear activations, or {WAY_OUT}"
    )
    return refusal(where, name, spelt.get(name.lower().replace("_", ""), why))

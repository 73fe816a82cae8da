"""torch.fx records what `forward` does, step by step, without data.

Message-passing layers and the layers of torch are single steps; everything else is followed into.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ...errors import InputError
from .modules import is_theirs

BATCH = "batch"
# single steps: layers of torch, and of PyG what is made of tensors and not of other layers
STEPS = (
    "torch.nn.modules.", "torch_geometric.nn.conv.", "torch_geometric.nn.norm.", "torch_geometric.nn.pool.",
    "torch_geometric.nn.aggr.", "torch_geometric.nn.dense.", "torch_geometric.nn.attention.",
)  # fmt: skip
WAY_OUT = "give ep.from_pyg the list of its layers in order, or write it as ep.Network([ep.Layer(...), ...])"


@contextmanager
def evaluating(module: Any) -> Iterator[None]:
    """In evaluation mode, and afterwards as it was."""
    before = {one: one.training for one in module.modules()}
    module.eval()
    try:
        yield
    finally:
        for one, training in before.items():
            one.training = training


def with_named_arguments(module: Any) -> Any:
    """PyG's Sequential knows the names of its arguments, but its forward does not show them."""
    import torch

    names = list(module.signature.param_dict) if hasattr(module, "_children") and hasattr(module, "signature") else []
    if not names:
        return module

    class Named(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = module

        def forward(self, x: Any, edge_index: Any, batch: Any) -> Any:
            return self.inner(*(batch if name == BATCH else (x, edge_index)[at] for at, name in enumerate(names)))

    if len([name for name in names if name != BATCH]) > 2:
        raise InputError(f"Sequential: it takes {', '.join(names)}, expected features, edges and batch; {WAY_OUT}")
    return Named()


def record(module: Any, origin: str) -> Any:
    """The steps of `forward`, with stand-ins for its data."""
    import torch.fx
    from torch_geometric.nn import Aggregation, MessagePassing

    class Tracer(torch.fx.Tracer):
        def is_leaf_module(self, one: Any, qualified_name: str) -> bool:
            if isinstance(one, MessagePassing | Aggregation) or is_jumping(one):
                return True
            return type(one).__module__.startswith(STEPS) and type(one) is not torch.nn.Sequential

    parameters = list(inspect.signature(module.forward).parameters.values())
    unknown = [
        one.name
        for one in parameters[2:]
        if one.name != BATCH and one.default is one.empty and one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)
    ]
    if unknown:
        raise InputError(f"{origin}: forward takes {unknown[0]!r} besides features, edges and batch; {WAY_OUT}")
    fixed = {one.name: one.default for one in parameters[2:] if one.name != BATCH and one.default is not one.empty}
    with _pools_as_steps():
        try:
            return Tracer().trace(module, concrete_args=fixed)
        except InputError:
            raise
        except Exception as problem:  # whatever a user's forward does with a stand-in for its data
            line = " ".join(str(problem).split())[:200]
            raise InputError(
                f"{origin}: forward cannot be followed ({type(problem).__name__}: {line}); {WAY_OUT}"
            ) from None


def fields_of_data(graph: Any) -> set[str]:
    """The fields of the first argument that are asked for: none, if it is the features themselves."""
    first = next((node for node in graph.nodes if node.op == "placeholder"), None)
    return {
        node.args[1]
        for node in graph.nodes
        if node.op == "call_function" and node.target.__name__ in ("getattr", "getitem")
        and node.args[0] is first and isinstance(node.args[1], str)
    }  # fmt: skip


def is_jumping(module: Any) -> bool:
    return is_theirs(module) and type(module).__name__ == "JumpingKnowledge"


def pooling(x: Any, batch: Any, dim: int = -2, dim_size: Any = None, reduce: str = "sum") -> Any:
    """What takes the place of the scatter inside global_add_pool and its like while a module is recorded."""
    return x.tracer.create_proxy("call_function", pooling, (x, batch), {"reduce": reduce})


@contextmanager
def _pools_as_steps() -> Iterator[None]:
    """The functions and modules that pool look at shapes, which a stand-in does not have."""
    import torch.fx
    from torch_geometric.nn import Aggregation
    from torch_geometric.nn.pool import glob

    def call(self: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
        if not isinstance(x, torch.fx.Proxy):
            return original(self, x, *args, **kwargs)
        batch = args[0] if args else kwargs.get("index")
        name = x.tracer.path_of_module(self)
        return x.tracer.create_proxy("call_module", name, (x, batch), {})

    original, scatter = Aggregation.__call__, glob.scatter
    Aggregation.__call__, glob.scatter = call, pooling
    try:
        yield
    finally:
        Aggregation.__call__, glob.scatter = original, scatter

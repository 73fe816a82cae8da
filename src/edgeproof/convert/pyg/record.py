"""torch.fx records what `forward` does, step by step, without data.

Message-passing layers and the layers of torch are single steps; everything else is followed into.
"""

from __future__ import annotations

import inspect
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from ...errors import InputError
from .edges import BATCHES, RECORDED
from .modules import is_theirs
from .refuse import WAY_OUT

# single steps: layers of torch, and of PyG what is made of tensors and not of other layers
STEPS = (
    "torch.nn.modules.", "torch_geometric.nn.conv.", "torch_geometric.nn.norm.", "torch_geometric.nn.pool.",
    "torch_geometric.nn.aggr.", "torch_geometric.nn.dense.", "torch_geometric.nn.attention.",
)  # fmt: skip
_CONTAINERS = ("Sequential", "ModuleList", "ModuleDict")


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
            return self.inner(*(batch if name in BATCHES else (x, edge_index)[at] for at, name in enumerate(names)))

    if len([name for name in names if name not in BATCHES]) > 2:
        raise InputError(f"Sequential: it takes {', '.join(names)}, expected features, edges and batch; {WAY_OUT}")
    return Named()


def record(module: Any, origin: str) -> Any:
    """The steps of `forward`, with stand-ins for its data."""
    import torch.fx
    import torch_geometric.utils
    from torch_geometric.nn import Aggregation, MessagePassing

    class Tracer(torch.fx.Tracer):
        def is_leaf_module(self, one: Any, qualified_name: str) -> bool:
            if isinstance(one, MessagePassing | Aggregation) or is_jumping(one):
                return True
            return type(one).__module__.startswith(STEPS) and type(one).__name__ not in _CONTAINERS

        def create_node(self, *args: Any, **kwargs: Any) -> Any:
            node = super().create_node(*args, **kwargs)
            node.meta["line"] = _line_of_theirs(sys._getframe(1))
            return node

    fixed = _fixed_arguments(module, origin)
    recorded = [one for name in RECORDED if (one := getattr(torch_geometric.utils, name, None)) is not None]
    with _pools_as_steps():
        try:
            tracer = Tracer(autowrap_modules=(torch_geometric.utils,), autowrap_functions=tuple(recorded))
            return tracer.trace(module, concrete_args=fixed)
        except InputError:
            raise
        except Exception as problem:  # whatever a user's forward does with a stand-in for its data
            line = _line_of_problem(problem)
            why = f"forward cannot be followed{line}: {_in_words(problem)}"
            raise InputError(f"{origin}: {why}; {WAY_OUT}") from None


def _fixed_arguments(module: Any, origin: str) -> dict[str, Any]:
    """Arguments that keep their default, which is what is verified."""
    parameters = list(inspect.signature(module.forward).parameters.values())[2:]
    fixed = {}
    for one in parameters:
        if one.name in BATCHES or one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD):
            continue
        if one.default is one.empty:
            why = f"forward takes {one.name!r} besides features, edges and batch"
            if one.name.startswith("edge_"):
                why += ": weights and features of edges are not supported, as a pair that an adversary inserts has none"
            raise InputError(f"{origin}: {why}; give it a default of None, or {WAY_OUT}")
        fixed[one.name] = one.default
    return fixed


def _line_of_theirs(frame: FrameType | None) -> int | None:
    """The line of the user's own code that runs."""
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        if name == __name__ or name.startswith("edgeproof."):
            frame = frame.f_back
        elif name.split(".")[0] in ("torch", "torch_geometric"):
            if frame.f_code.co_name == "forward" and name.startswith("torch_geometric.nn.models"):
                return None
            frame = frame.f_back
        else:
            return frame.f_lineno if frame.f_code.co_name == "forward" else None
    return None


def _line_of_problem(problem: Exception) -> str:
    for frame in reversed(traceback.extract_tb(problem.__traceback__)):
        if frame.name == "forward" and "torch" not in frame.filename.replace("\\", "/").split("/")[-4:]:
            return f" at `{frame.line}`" if frame.line else f" at line {frame.lineno}"
    return ""


def _in_words(problem: Exception) -> str:
    """What torch.fx says of its stand-ins, for somebody who never heard of them."""
    said = str(problem)
    if "cannot be iterated" in said or "unpack" in said:
        return "it goes through a tensor piece by piece, whose length is not known before there is data"
    if "control flow" in said:
        return (
            "it decides by what the data holds (if, while, assert or bool of a tensor), and a verdict needs one formula"
        )
    if "'len'" in said or "__len__" in said or "integer" in said or "__index__" in said or "__int__" in said:
        return (
            "it needs a number from the data (len, int, range or item of a tensor), which is not known "
            "before there is any"
        )
    if isinstance(problem, AttributeError | NameError | KeyError):
        return f"{type(problem).__name__}: {' '.join(said.split())[:200]}".replace("Proxy", "tensor")
    return "it does something with its data that is known only once there is data"


def fields_of_data(graph: Any) -> set[str]:
    """The fields of the first argument that are asked for: none, if it is the features themselves."""
    first = next((node for node in graph.nodes if node.op == "placeholder"), None)
    return {
        node.args[1]
        for node in graph.nodes
        if node.op == "call_function" and node.target.__name__ in ("getattr", "getitem")
        and node.args[0] is first and isinstance(node.args[1], str)
    } - {"shape", "dtype", "device"}  # fmt: skip


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

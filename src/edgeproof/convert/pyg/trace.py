"""A module into an expression: each step that was recorded is read as one of ours."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from ...errors import InputError
from .convolutions import Call
from .curved import CURVED, of_function
from .edges import BATCH, BATCHES, EDGES, Given, changed_edges, require_plain
from .expressions import Expression, Vector, given, just
from .functions import FUNCTIONS
from .modules import (
    MONOTONE,
    POOLS,
    Bent,
    Ranked,
    apply_convolution,
    apply_plain,
    apply_pool,
    apply_pooling_module,
    features_of,
    is_convolution,
    is_pool,
    jumping_knowledge,
    not_ranked,
)
from .reasons import FUNCTIONS as REFUSED
from .record import STEPS, evaluating, is_jumping, record, with_named_arguments
from .refuse import refusal, refused_function, refused_module

_SHAPES = ("size", "shape", "device", "dtype", "num_nodes", "is_cuda", "ndim", "new_zeros", "new_ones")


def trace_module(
    module: Any, origin: str, num_features: int | None, output: int | str | None = None
) -> tuple[Expression, Vector]:
    """The scores, and the features that they are computed from."""
    named = with_named_arguments(module)
    with evaluating(named):
        graph = record(named, origin)
        width = num_features if num_features is not None else _features_wanted(graph, named)
        if width is None:
            raise _unknown_width(origin)
        features = given(width)
        reader = _Reader(named, origin, just(features), "" if named is module else "inner.")
        return reader.read(graph, output), features


def trace_list(pieces: Sequence[Any], origin: str, num_features: int | None) -> tuple[Expression, Vector]:
    """The same for a list of layers, activations and poolings, applied one after the other."""
    width = num_features
    for piece in pieces:
        width = features_of(piece) if width is None else width
    if width is None:
        raise _unknown_width(origin)
    features = given(width)
    x, run = just(features), run_in(origin)
    for number, piece in enumerate(pieces):
        where, name = f"{origin}[{number}]", getattr(piece, "__name__", type(piece).__name__)
        if is_pool(piece):
            x = apply_pooling_module(piece, x, where)
        elif name in POOLS:
            x = apply_pool(x, POOLS[name], where)
        elif hasattr(piece, "propagate"):
            x = apply_convolution(Call(piece, where, run, just(features)), x)
        elif hasattr(piece, "forward") or name in LISTED or name in MONOTONE or name in CURVED or name in REFUSED:
            x = run(piece, x, where)
        else:
            why = (
                "expected a layer, an activation or a global pooling, each of which takes what the one before it gives"
            )
            raise refusal(where, name, why)
    return x, features


def _unknown_width(origin: str) -> InputError:
    return InputError(
        f"{origin}: num_features: how many features it takes cannot be seen; say from_pyg(model, num_features=...)"
    )


def _features_wanted(graph: Any, module: Any) -> int | None:
    """How many features the first layer with a width of its own takes."""
    steps = (module.get_submodule(node.target) for node in graph.nodes if node.op == "call_module")
    return next((width for one in steps if (width := features_of(one)) is not None), None)


class _Reader:
    """Evaluates the recorded steps that the result depends on."""

    def __init__(self, module: Any, origin: str, features: Expression, hidden: str = "", path: str = "") -> None:
        """hidden: the part of a submodule's path that is ours; path: where the module itself is found."""
        self.module, self.origin, self.features = module, origin, features
        self.hidden, self.path = hidden, path

    def read(self, graph: Any, output: int | str | None = None) -> Expression:
        chosen = _chosen(graph, output, self.origin)
        wanted = _wanted(graph, chosen)
        values: dict[Any, Any] = {}
        placeholders = 0
        for node in graph.nodes:
            if node.op == "placeholder":
                values[node] = self._argument(node.target, placeholders)
                placeholders += 1
            elif node in wanted:
                values[node] = self._step(node, values)
        result = self._value(chosen, values)
        if not isinstance(result, Expression):
            kind = result.what if isinstance(result, Given) else type(result).__name__
            raise InputError(f"{self.origin}: forward returns a {kind}, expected one tensor of scores")
        return result

    def _argument(self, name: str, position: int) -> Any:
        if position == 0:
            return self.features  # or a Data object that holds them, whatever its name: see _of_data
        if name in BATCHES:
            return Given(BATCH)
        return Given(EDGES) if position == 1 else None

    def _value(self, given: Any, values: Mapping[Any, Any]) -> Any:
        """An argument of a step, with the steps in it replaced by what they gave."""
        if _is_node(given):
            return values.get(given)
        if isinstance(given, list | tuple):
            return [self._value(one, values) for one in given]
        return given

    def _step(self, node: Any, values: Mapping[Any, Any]) -> Any:
        if node.op == "get_attr":
            found = self.module
            for name in node.target.split("."):
                found = getattr(found, name)
            return found.detach().cpu().double() if hasattr(found, "detach") else found
        args = [self._value(one, values) for one in node.args]
        kwargs = {name: self._value(one, values) for name, one in node.kwargs.items()}
        if node.op == "call_module":
            where = node.target.removeprefix(self.hidden)
            where = f"{self.path}.{where}" if self.path else where
            return self._module(self.module.get_submodule(node.target), where, args, kwargs)
        name = node.target if node.op == "call_method" else node.target.__name__
        return self._function(name.strip("_") if name.startswith("__") else name.rstrip("_"), args, kwargs, node)

    def _module(self, module: Any, where: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
        name = type(module).__name__
        x = args[0] if args else kwargs.get("x", kwargs.get("input", kwargs.get("xs")))
        if is_jumping(module):
            return jumping_knowledge(module, x or [], where)
        if not isinstance(x, Expression):
            raise refusal(where, name, "it is not given the features of the vertices alone; compute with those only")
        if is_pool(module):
            return apply_pooling_module(module, x, where)
        start, rest = None, list(args[1:])
        if name == "GCN2Conv":
            start = rest.pop(0) if rest else kwargs.get("x_0")
            not_ranked(start)
        edges = rest.pop(0) if rest else kwargs.get(EDGES)
        if is_convolution(module):
            others = [*rest, *(one for key, one in kwargs.items() if key not in ("x", "x_0", EDGES))]
            edges = require_plain(edges, [one for one in others if not _is_batch(one)], where, name)
            call = Call(
                module, where, run_in(self.origin), start if isinstance(start, Expression) else None, edges.loops
            )
            if edges.sparse and (name != "GCNConv" or module.normalize) and hasattr(module, "add_self_loops"):
                raise call.refuse(
                    "with data.adj_t it counts a self-loop that is there already twice; give it data.edge_index"
                )
            return apply_convolution(call, x)
        if hasattr(module, "propagate") or (isinstance(edges, Given) and edges.what == EDGES):
            raise refused_module(where, module)
        return apply_plain(module, x, where)

    def _function(self, name: str, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
        where = self._place(node)
        if name in ("getattr", "getitem") and isinstance(args[1], str):
            found = self._field(args[0], args[1], where)
            if found is not None:
                return found
        flat = [one for arg in (*args, *kwargs.values()) for one in (arg if isinstance(arg, list) else [arg])]
        if not any(isinstance(one, Expression | Given) for one in flat):
            return _of_numbers(name, args, kwargs, node, where)
        asked = args[1] if name == "getattr" else name
        if asked in _SHAPES and isinstance(args[0], Expression | Given):
            return Given(f"the {asked} of a tensor")
        if name == "getitem" and isinstance(args[0], list):
            return args[0][args[1]]
        if name == "getitem" and isinstance(args[0], Given) and args[0].what.startswith("the "):
            return args[0]
        if isinstance(args[0] if args else None, Given) or (args and kwargs.get(EDGES) is not None):
            return changed_edges(name, args, kwargs, where)
        if name == "scatter" and len(flat) > 1 and isinstance(flat[1], Given) and flat[1].what == BATCH:
            how = kwargs.get("reduce", args[4] if len(args) > 4 else "sum")
            return FUNCTIONS["pooling"](where, args[0], None, how)
        return self._of_features(name, args, kwargs, flat, node, where)

    def _of_features(
        self, name: str, args: list[Any], kwargs: dict[str, Any], flat: list[Any], node: Any, where: str
    ) -> Any:
        x = args[0] if args else kwargs.get("input")
        if name in MONOTONE and isinstance(x, Expression):
            not_ranked(x)
            others = {key: one for key, one in kwargs.items() if key in ("dim", "alpha", "beta", "threshold")}
            if args[1:] and name not in ("softplus",):
                others["dim" if name.endswith("softmax") else "alpha"] = args[1]
            if name.endswith("softmax") and others.get("dim") not in (1, -1):
                raise refusal(where, name, f"expected dim=-1 (over the classes), got dim={others.get('dim')}")
            ranked = Ranked.of(x, partial(_named(name), **others), name, refused_function(where, name))
            return Bent.of(of_function(name, x, where, args[1:], kwargs), ranked) if name in CURVED else ranked
        if name in CURVED and isinstance(x, Expression):
            not_ranked(x)
            return of_function(name, x, where, args[1:], kwargs)
        if name not in FUNCTIONS:
            for one in flat:
                not_ranked(one)
            raise refused_function(where, name)
        for one in flat if name != "getitem" else ():
            if isinstance(one, Given) and one.what not in (BATCH, EDGES) and not one.what.startswith("the "):
                what = f"it computes with {one.what}, and the features of vertices are all that it may compute with"
                raise refusal(where, SPELT.get(name, name), what)
        if name not in ("view", "reshape", "squeeze", "flatten", "contiguous", "float", "double", "detach", "clone"):
            for one in flat:
                not_ranked(one)
        try:
            return FUNCTIONS[name](where, *args, **kwargs)
        except TypeError:
            why = "it is called in a way that from_pyg does not know; call it as torch documents it"
            raise refusal(where, SPELT.get(name, name), why) from None

    def _field(self, of: Any, field: str, where: str) -> Any:
        if of is self.features and field not in _SHAPES and field != "T":
            if field == "x":
                return self.features
            if field in (EDGES, BATCH, "adj_t"):
                return Given(BATCH) if field == BATCH else Given(EDGES, sparse=field == "adj_t")
            return Given(f"data.{field}")
        if isinstance(of, Given) and of.what == BATCH and field not in _SHAPES:
            why = "batch says of each vertex which graph it is in; a Data object is expected as the first argument"
            raise refusal(where, f"batch.{field}", why)
        return None

    def _place(self, node: Any) -> str:
        """Which forward it is in: a submodule's path, or the module itself."""
        stack = list((node.meta.get("nn_module_stack") or {}).values())
        path = stack[-1][0].removeprefix(self.hidden) if stack else ""
        path = ".".join(part for part in (self.path, path) if part) or self.origin
        line = node.meta.get("line")
        return f"{path}.forward, line {line}" if line else f"{path}.forward"


def _chosen(graph: Any, output: int | str | None, origin: str) -> Any:
    """What forward returns, or the part of it that is wanted."""
    found: Any = next((node.args[0] for node in graph.nodes if node.op == "output"), None)
    several = isinstance(found, list | tuple | dict)
    if output is None:
        if several and len(found) == 1:
            return next(iter(found.values())) if isinstance(found, dict) else found[0]
        if several:
            keys = ", ".join(map(repr, found)) if isinstance(found, dict) else f"0 to {len(found) - 1}"
            why = f"forward returns a {type(found).__name__} of {len(found)}, expected one tensor of scores"
            raise InputError(f"{origin}: {why}; say which with from_pyg(model, output=...): {keys}")
        return found
    if not several:
        raise InputError(f"{origin}: output={output!r}: forward returns one tensor, leave output out")
    try:
        return found[output]
    except (KeyError, IndexError, TypeError):
        keys = ", ".join(map(repr, found)) if isinstance(found, dict) else f"0 to {len(found) - 1}"
        raise InputError(f"{origin}: output={output!r}: forward returns {keys}") from None


def _wanted(graph: Any, chosen: Any) -> set[Any]:
    """The steps that the result depends on."""
    wanted: set[Any] = {one for one in (chosen if isinstance(chosen, list | tuple) else [chosen]) if _is_node(one)}
    for node in reversed(graph.nodes):
        if node in wanted:
            wanted.update(node.all_input_nodes)
    return wanted


def _is_node(value: Any) -> bool:
    import torch

    return isinstance(value, torch.fx.Node)


def _is_batch(value: Any) -> bool:
    return isinstance(value, Given) and (value.what == BATCH or value.what.startswith("the "))


def _named(name: str) -> Callable[..., Any]:
    import torch

    found: Callable[..., Any] = getattr(torch, name, None) or getattr(torch.nn.functional, name)
    return found


def _of_numbers(name: str, args: list[Any], kwargs: dict[str, Any], node: Any, where: str) -> Any:
    """A step on numbers and parameters alone: a learned weight through a sigmoid, the keepdim of a pooling."""
    try:
        if node.op == "call_method":
            return getattr(args[0], node.target)(*args[1:], **kwargs)
        return node.target(*args, **kwargs)
    except (TypeError, ValueError, RuntimeError, AttributeError, IndexError):
        why = "it uses an argument of forward that is not given; only x, edge_index and batch are"
        raise refusal(where, name, why) from None


def run_in(origin: str) -> Callable[[Any, Expression, str], Expression]:
    """Apply a module or function that takes one argument (the nn of GINConv) to an expression."""

    def run(module: Any, x: Expression, where: str) -> Expression:
        import torch

        if type(module) is torch.nn.Sequential:
            for name, one in module.named_children():
                x = run(one, x, f"{where}.{name}")
            return x
        if not isinstance(module, torch.nn.Module):
            name = getattr(module, "__name__", type(module).__name__)
            if name in CURVED:
                not_ranked(x)
                bent, ranked = CURVED[name](x, where), Ranked.of(x, _named(name), name, refused_function(where, name))
                return Bent.of(bent, ranked) if name in MONOTONE else bent
            if name in MONOTONE:
                return Ranked.of(x, _named(name), name, refused_function(where, name))
            if name not in LISTED:
                raise refused_function(where, name)
            not_ranked(x)
            found: Expression = FUNCTIONS[name](where, x)
            return found
        if type(module).__module__.startswith(STEPS):
            return apply_plain(module, x, where)
        return _Reader(module, where, x, path=where).read(record(module, where))

    return run


# what is recorded for an operator, in the words of who wrote it
SPELT = {
    "getitem": "indexing",
    "truediv": "division",
    "floordiv": "division",
    "matmul": "@",
    "pow": "**",
    "getattr": ".",
}
# functions of one tensor that may stand in a list of layers
LISTED = ("relu", "leaky_relu", "relu6", "hardtanh", "hardsigmoid", "softshrink", "abs", "absolute", "neg", "negative")

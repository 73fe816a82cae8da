"""A module into an expression: each step that was recorded is read as one of ours."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...errors import InputError
from .convolutions import AGGREGATIONS, numbers
from .expressions import Expression, Vector, given, just
from .functions import FUNCTIONS
from .modules import (
    POOLS,
    Ranked,
    apply_convolution,
    apply_plain,
    apply_pool,
    features_of,
    is_convolution,
    is_pool,
    jumping_knowledge,
)
from .record import BATCH, STEPS, evaluating, is_jumping, record, with_named_arguments
from .refuse import SUPPORTED, refusal, refused_function, refused_module

EDGES = "edge_index"


class Given:
    """An argument of `forward` that is no feature: the edges or the batch."""

    def __init__(self, what: str, sparse: bool = False) -> None:
        """sparse: the edges come as data.adj_t."""
        self.what, self.sparse = what, sparse


def trace_module(module: Any, origin: str, num_features: int | None) -> tuple[Expression, Vector]:
    """The scores, and the features that they are computed from."""
    module = with_named_arguments(module)
    with evaluating(module):
        graph = record(module, origin)
        width = num_features if num_features is not None else _features_wanted(graph, module)
        if width is None:
            raise InputError(f"{origin}: num_features: how many features it takes cannot be seen, say it")
        features = given(width)
        return _Reader(module, origin, just(features)).read(graph), features


def trace_list(pieces: Sequence[Any], origin: str, num_features: int | None) -> tuple[Expression, Vector]:
    """The same for a list of layers, activations and poolings, applied one after the other."""
    width = num_features
    for piece in pieces:
        width = features_of(piece) if width is None else width
    if width is None:
        raise InputError(f"{origin}: num_features: how many features it takes cannot be seen, say it")
    features = given(width)
    x, run = just(features), run_in(origin)
    for number, piece in enumerate(pieces):
        where, name = f"{origin}[{number}]", getattr(piece, "__name__", type(piece).__name__)
        if name in POOLS:
            x = apply_pool(x, POOLS[name], where)
        elif is_pool(piece):
            x = apply_pool(x, AGGREGATIONS[name], where)
        elif hasattr(piece, "forward"):
            with evaluating(piece):
                x = apply_convolution(piece, x, where, run) if hasattr(piece, "propagate") else run(piece, x, where)
        elif name in _LISTED:
            x = FUNCTIONS[name](where, x)
        else:
            raise refusal(where, name, f"expected a layer, relu, leaky_relu, softmax or a global pooling; {SUPPORTED}")
    return x, features


_LISTED = ("relu", "leaky_relu")


def _features_wanted(graph: Any, module: Any) -> int | None:
    """How many features the first layer with a width of its own takes."""
    steps = (module.get_submodule(node.target) for node in graph.nodes if node.op == "call_module")
    return next((width for one in steps if (width := features_of(one)) is not None), None)


class _Reader:
    """Evaluates the recorded steps that the result depends on."""

    def __init__(self, module: Any, origin: str, features: Expression) -> None:
        self.module, self.origin, self.features = module, origin, features

    def read(self, graph: Any) -> Expression:
        values: dict[Any, Any] = {}
        placeholders, wanted = 0, _wanted(graph)
        for node in graph.nodes:
            if node.op == "placeholder":
                values[node] = self._argument(node.target, placeholders)
                placeholders += 1
            elif node.op == "output":
                result = self._value(node.args[0], values)
                if not isinstance(result, Expression):
                    kind = type(result).__name__
                    raise InputError(f"{self.origin}: forward returns a {kind}, expected one tensor of scores")
                return result
            elif node in wanted:
                values[node] = self._step(node, values)
        raise InputError(f"{self.origin}: forward returns nothing")

    def _argument(self, name: str, position: int) -> Any:
        if position == 0:
            return self.features  # or a Data object that holds them, whatever its name: see _of_data
        if name == BATCH:
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
            return numbers(found, node.target)
        args = [self._value(one, values) for one in node.args]
        kwargs = {name: self._value(one, values) for name, one in node.kwargs.items()}
        if node.op == "call_module":
            return self._module(self.module.get_submodule(node.target), node.target, args, kwargs)
        name = node.target if node.op == "call_method" else node.target.__name__
        return self._function(name.removesuffix("_"), args, kwargs, node)

    def _module(self, module: Any, where: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
        x = args[0] if args else kwargs.get("x", kwargs.get("input", kwargs.get("xs")))
        if is_jumping(module):
            return jumping_knowledge(module.mode, x or [], where)
        if not isinstance(x, Expression):
            raise refusal(where, type(module).__name__, "it is not given the features of the vertices alone")
        if is_pool(module):
            return apply_pool(x, AGGREGATIONS[type(module).__name__], where)
        edges = args[1] if len(args) > 1 else kwargs.get(EDGES)
        if is_convolution(module):
            others = [*args[2:], *(one for name, one in kwargs.items() if name not in ("x", EDGES))]
            self._plain_edges(edges, others, where, module)
            if isinstance(edges, Given) and edges.sparse and type(module).__name__ == "GCNConv" and module.normalize:
                why = "with data.adj_t it counts a self-loop that is there already twice; give it data.edge_index"
                raise refusal(where, "GCNConv", why)
            return apply_convolution(module, x, where, run_in(self.origin))
        if hasattr(module, "propagate") or (isinstance(edges, Given) and edges.what == EDGES):
            raise refused_module(where, module)
        return apply_plain(module, x, where)

    def _plain_edges(self, edges: Any, others: list[Any], where: str, module: Any) -> None:
        name = type(module).__name__
        if not (isinstance(edges, Given) and edges.what == EDGES):
            found = f" but {edges.what}" if isinstance(edges, Given) else ""
            raise refusal(where, name, f"it does not get the edges as they are given{found}; change the Data instead")
        if any(one is not None for one in others):
            raise refusal(where, name, "it gets weights or features of edges, which are not supported")

    def _function(self, name: str, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
        where = f"{self.origin}: {node.name}"
        if name in ("getattr", "getitem") and isinstance(args[1], str):
            if args[0] is self.features:
                return self._of_data(args[1], where)
            if isinstance(args[0], Given) and args[0].what == BATCH:
                why = "batch says of each vertex which graph it is in; a Data object is expected as the first argument"
                raise refusal(where, f"batch.{args[1]}", why)
        flat = [one for arg in (*args, *kwargs.values()) for one in (arg if isinstance(arg, list) else [arg])]
        if not any(isinstance(one, Expression | Given) for one in flat):
            return node.target(*args, **kwargs)  # numbers, as the keepdim of a pooling
        if name == "getitem" and isinstance(args[0], list):
            return args[0][args[1]]
        if any(isinstance(one, Given) and one.what != BATCH for one in flat):
            return Given(f"{EDGES} after {name}")  # whoever uses it says what is wrong with it
        if name not in FUNCTIONS:
            raise refused_function(where, name)
        if any(isinstance(one, Ranked) for one in flat):
            raise refusal(where, name, "it works on the result of a softmax, which is not piecewise linear")
        return FUNCTIONS[name](where, *args, **kwargs)

    def _of_data(self, field: str, where: str) -> Any:
        if field == "x":
            return self.features
        if field in (EDGES, BATCH, "adj_t"):
            return Given(BATCH) if field == BATCH else Given(EDGES, sparse=field == "adj_t")
        raise refusal(where, f"data.{field}", "only x, edge_index and batch are given")


def _wanted(graph: Any) -> set[Any]:
    """The steps that the result depends on."""
    wanted: set[Any] = set()
    for node in reversed(graph.nodes):
        if node.op == "output" or node in wanted:
            wanted.update(node.all_input_nodes)
    return wanted


def _is_node(value: Any) -> bool:
    import torch

    return isinstance(value, torch.fx.Node)


def run_in(origin: str) -> Callable[[Any, Expression, str], Expression]:
    """Apply a module that takes one argument (the nn of GINConv) to an expression."""

    def run(module: Any, x: Expression, where: str) -> Expression:
        import torch

        if type(module) is torch.nn.Sequential:
            for name, one in module.named_children():
                x = run(one, x, f"{where}.{name}")
            return x
        if type(module).__module__.startswith(STEPS):
            return apply_plain(module, x, where)
        return _Reader(module, where, x).read(record(module, where))

    return run

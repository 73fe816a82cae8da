"""One question: does this claim about this network and graph hold under this threat?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from operator import index

from ..arithmetic.predict import predicted_class
from ..clock import UNLIMITED, Clock
from ..errors import InputError
from .graph import Graph
from .network import Network
from .threat import Threat


@dataclass(frozen=True)
class Claim:
    """Class `label` of a node (None: of the whole graph) beats every other class, or only `target` (weak)."""

    node: int | None
    label: int
    target: int | None = None

    def rivals(self, num_classes: int) -> tuple[int, ...]:
        if self.target is not None:
            return (self.target,)
        return tuple(c for c in range(num_classes) if c != self.label)

    def __repr__(self) -> str:
        where = "graph" if self.node is None else f"node {self.node}"
        against = "every other class" if self.target is None else f"class {self.target}"
        return f"Claim({where}: class {self.label} against {against})"


@dataclass(frozen=True, eq=False)
class Query:
    """A claim under a threat; engines share this and nothing else."""

    network: Network
    graph: Graph
    threat: Threat
    claim: Claim

    @property
    def rivals(self) -> tuple[int, ...]:
        return self.claim.rivals(self.network.num_classes)


def _index(value: object, field: str, limit: int, things: str) -> int:
    """What counts as a whole number in Python, NumPy and torch."""
    try:
        number = index(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        number = None
    if number is None or isinstance(value, bool):
        raise InputError(f"{field}: expected a whole number, got {value!r}")
    if not 0 <= number < limit:
        raise InputError(f"{field}: {number} is out of range, there are {limit} {things}")
    return number


def class_number(value: object, field: str, classes: int) -> int:
    return _index(value, field, classes, "classes")


def require_parts(network: object, graphs: Iterable[object], *threats: object) -> None:
    """A module of torch or a Data object in the place of what is made from it is the slip of the first day."""
    _require(network, Network, "network", "ep.from_pyg(model) makes one of a PyTorch Geometric module")
    for graph in graphs:
        _require(graph, Graph, "graph", "ep.graph_from_pyg(data) makes one of a Data object")
    for threat in threats:
        _require(threat, Threat, "threat", "for instance ep.Threat(budget=5)")


def _require(value: object, kind: type, field: str, way: str) -> None:
    if not isinstance(value, kind):
        raise InputError(f"{field}: expected an edgeproof.{kind.__name__}, got {type(value).__name__}; {way}")


def _require_simple(graph: Graph, threat: Threat) -> None:
    """What a `sym` layer divides by is 0 where a directed graph has a source, and a self-loop would be a neighbour."""
    what = "the network has 'sym' layers (normalised sums without self-loops), which are verified on"
    if graph.directed:
        raise InputError(f"{what} undirected graphs only; train with self-loops (GCNConv with add_self_loops=True)")
    if graph.num_loops or any(u == v for u, v in threat.fragile or ()):
        raise InputError(
            f"{what} graphs without self-loops only; remove them (torch_geometric.transforms.RemoveSelfLoops)"
        )


def require_plain(query: Query, who: str) -> None:
    """Refuse what has no rule yet where flips of equal cost are all that is known."""
    threat = query.threat
    for field, given in (("cost", threat.cost), ("features", threat.features), ("inject", threat.inject)):
        if given:
            raise InputError(f"{field}: {who} knows flips of edges only, each of which costs one unit")


def make_query(
    network: Network,
    graph: Graph,
    threat: Threat,
    node: int | None = None,
    label: int | None = None,
    target: int | None = None,
    clock: Clock = UNLIMITED,
) -> Query:
    """Check that the parts fit together and fill in the predicted class where no label is given.

    Raises `TimeUpError` where the time does not suffice to tell which of two classes that tie in floats is predicted.
    """
    require_parts(network, [graph], threat)
    if network.num_features != graph.features.num_columns:
        raise InputError(
            f"the network expects {network.num_features} features, the graph has {graph.features.num_columns}"
        )
    threat.check_against(graph)
    if network.task == "graph" and "budget" in threat.rules:
        raise InputError(
            "budget: by degree is for questions about a node, whose degree counts; the network classifies graphs"
        )
    if network.needs_simple_graph:
        _require_simple(graph, threat)
    if network.task == "node":
        if node is None:
            raise InputError("node: a node classifier needs the number of the node in question")
        node = _index(node, "node", graph.num_vertices, "vertices")
    elif node is not None:
        raise InputError("node: the network classifies whole graphs, so there is no node to name")
    if threat.insert == "target" and node is None:
        raise InputError("insert: 'target' needs a node task")
    classes = network.num_classes
    if label is not None:
        label = _index(label, "label", classes, "classes")
    if target is not None:
        target = _index(target, "target", classes, "classes")
    if label is None:
        label = predicted_class(network, graph, node, clock)
    if target == label:
        raise InputError(f"target: class {target} is the label itself")
    return Query(network, graph, threat.resolved(graph, node), Claim(node, label, target))

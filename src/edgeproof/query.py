"""One question: does this claim about this network and graph hold under this threat?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .errors import InputError
from .graph import Graph
from .network import Network
from .predict import predicted_class
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
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise InputError(f"{field}: expected a whole number, got {value!r}")
    if not 0 <= value < limit:
        raise InputError(f"{field}: {value} is out of range, there are {limit} {things}")
    return int(value)


def make_query(
    network: Network,
    graph: Graph,
    threat: Threat,
    node: int | None = None,
    label: int | None = None,
    target: int | None = None,
) -> Query:
    """Check that the parts fit together and fill in the predicted class where no label is given."""
    if network.num_features != graph.features.num_columns:
        raise InputError(
            f"the network expects {network.num_features} features, the graph has {graph.features.num_columns}"
        )
    threat.check_against(graph)
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
        label = predicted_class(network, graph, node)
    if target == label:
        raise InputError(f"target: class {target} is the label itself")
    return Query(network, graph, threat, Claim(node, label, target))

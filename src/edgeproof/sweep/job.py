"""What every worker needs once: the network, the graphs, the threats, and how to ask."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..model.arrays import content_hash
from ..model.graph import Graph
from ..model.network import Network
from ..model.threat import Threat
from ..options import TABLE
from .plan import Ask, Group

# threats of a job with numbers for budgets by degree, one a node, that are kept
RESOLVED = 64

_DEFAULTS: Mapping[str, Any] = {option.name: option.default for option in TABLE}


@dataclass(frozen=True, eq=False)
class Job:
    """Travels to a worker once; chunks refer to what is in it by number."""

    network: Network
    graphs: Sequence[Graph]
    threats: Sequence[Threat]
    engine: str = "search"
    options: Mapping[str, Any] | None = None
    network_hash: str = ""
    graph_hashes: Sequence[str] = ()
    _lists: dict[tuple[int, bool], dict[str, Any]] = field(default_factory=dict, repr=False)
    _resolved: dict[tuple[int, int, int | None], Threat] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if not self.network_hash:
            object.__setattr__(self, "network_hash", self.network.fingerprint)
            object.__setattr__(self, "graph_hashes", tuple(graph.fingerprint for graph in self.graphs))

    @cached_property
    def token(self) -> str:
        """Tells jobs apart in a process that serves several."""
        first = self.graphs[0]
        node = 0 if self.network.task == "node" else None
        threats = [self.describe(number, first, node) for number in range(len(self.threats))]
        return content_hash(self.network_hash, *self.graph_hashes, *map(repr, threats), self.engine, self.chosen)

    @property
    def chosen(self) -> dict[str, Any]:
        """Options that differ from their defaults, by name."""
        given = self.options or {}
        return {name: given[name] for name in sorted(given) if name not in _DEFAULTS or _DEFAULTS[name] != given[name]}

    def threat(self, number: int, graph: Graph, node: int | None) -> Threat:
        """With numbers for budgets by degree."""
        given = self.threats[number]
        if not given.rules:
            return given
        if "budget" in given.rules and (node is None or not 0 <= node < graph.num_vertices):
            given = given.with_budget(None)  # the question has no such node: what asks it says so
        key = (number, id(graph), node if "budget" in given.rules else None)
        if key not in self._resolved:
            if len(self._resolved) >= RESOLVED:
                self._resolved.clear()
            self._resolved[key] = given.resolved(graph, node)
        return self._resolved[key]

    def describe(self, number: int, graph: Graph, node: int | None) -> dict[str, Any]:
        """A threat for the store: explicit lists by length and hash, under the graph's names for pairs; of budgets by
        degree, the rule and the number.
        """
        given = self.threats[number]
        if given.is_plain and not given.rules:
            return self._describe(number, graph, None)
        told = {**self._describe(number, graph, node), **given.describe_more(graph)}
        rule = given.rules.get("budget")
        if rule is not None and node is not None and told["budget"] is not None:
            told["budget_share"] = replace(rule, plus=0).at(graph, node)
        return told

    def _describe(self, number: int, graph: Graph, node: int | None) -> dict[str, Any]:
        ruled = bool(self.threats[number].rules)
        found = None if ruled else self._lists.get((number, graph.directed))
        if found is not None:
            return found
        threat = self.threat(number, graph, node)
        local = threat.local_budget
        each = local if isinstance(local, np.ndarray) else None
        listed = threat.explicit_pairs(graph)  # has lost its protected pairs already
        protected = sorted(threat.protected_pairs(graph)) if listed is None else []
        told = {
            "budget": threat.budget,
            "local_budget": local if each is None else None,
            "delete": threat.delete if listed is None else None,
            "insert": threat.insert if listed is None else None,
            "fragile": None if listed is None else _summary(sorted(listed)),
            "protected": _summary(protected) if protected else None,
            "local_budgets": None if each is None else _summary(each.tolist()),
        }
        if not ruled:
            self._lists[number, graph.directed] = told
        return told

    def key(self, group: Group, ask: Ask) -> str:
        """Identifies the query: what determines its answer, and nothing else. Limits do not."""
        return content_hash(
            "edgeproof query 1", self.network_hash, self.graph_hashes[group.graph], self.engine, self.chosen,
            self.describe(ask.threat, self.graphs[group.graph], group.node), ask.radius, group.node, group.label,
            ask.target,
        )[:32]  # fmt: skip

    def true_label(self, group: Group) -> int | None:
        labels = self.graphs[group.graph].labels
        if labels is None or (labels.ndim == 1) != (group.node is not None):
            return None
        return int(labels) if group.node is None else int(labels[group.node])


def _summary(values: Sequence[Any]) -> dict[str, Any]:
    return {"count": len(values), "hash": content_hash(list(values))[:32]}

"""What the adversary may do: which pairs may flip, and how many of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from .arrays import IntArray, content_hash, frozen_ints
from .by_degree import ByDegree
from .feature_threats import FeatureBox, FeatureFlips
from .graph import Graph, Pair
from .injection import Injection, NewEnds, whole_from

# no vertex has so many pairs: a local budget beyond it forbids as little
MOST = np.iinfo(np.int64).max // 2


def _whole(value: object, field: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise InputError(f"{field}: expected a whole number, got {value!r}")
    if value < 0:
        raise InputError(f"{field}: expected a number from 0 on, got {value}")
    return int(value)


def _pairs(value: Iterable[Pair], field: str) -> frozenset[Pair]:
    if not isinstance(value, Iterable):
        raise InputError(f"{field}: expected a list of pairs (u, v), got {value!r}")
    out = set()
    for pair in value:
        try:
            u, v = pair
        except (TypeError, ValueError):
            raise InputError(f"{field}: expected pairs (u, v), got {pair!r}") from None
        out.add((_whole(u, field), _whole(v, field)))
    return frozenset(out)


def _costs(given: Mapping[Pair, int]) -> Mapping[Pair, int]:
    if not isinstance(given, Mapping):
        raise InputError(f"cost: expected a whole number for each of some pairs, {{(u, v): 2}}, got {given!r}")
    pairs = {pair: next(iter(_pairs([pair], "cost"))) for pair in given}
    return MappingProxyType({pairs[pair]: whole_from(cost, 1, "cost") for pair, cost in given.items()})


def _expect(given: object, kind: Any, field: str, way: str) -> None:
    if given is not None and not isinstance(given, kind):
        raise InputError(f"{field}: expected for instance {way}, got {given!r}")


@dataclass(frozen=True, eq=False)
class Threat:
    """At most `budget` flips in all and, at each vertex, at most its local budget.

    budget: None means as many as there are fragile pairs. local_budget: None (no limit), one number, or one a vertex.
    delete, insert: which pairs are fragile: every edge, self-loops included; every absent pair except self-loops;
    insert="target": only absent pairs into the node in question.
    fragile: an explicit list, instead of `delete` and `insert`: exactly these pairs may flip, either way.
    protected: pairs that never flip.

    cost: whole numbers from 1 on, by pair; what flipping it takes of the budget and at each vertex that pays. Other
    pairs cost 1. features: what may happen to features (`FeatureFlips`, `FeatureBox`). inject: new vertices.

    A flip of an undirected pair costs one unit at both endpoints (a self-loop: one at its vertex), a directed
    flip u -> v one unit at v. Budgets may be rules, `ByDegree`; what engines are asked holds the numbers.

    >>> Threat(budget=2, local_budget=1, insert=True)
    Threat(budget=2, local_budget=1, delete, insert)
    """

    budget: int | None
    local_budget: int | IntArray | None
    delete: bool
    insert: bool | Literal["target"] | NewEnds
    fragile: frozenset[Pair] | None
    protected: frozenset[Pair]
    cost: Mapping[Pair, int]
    features: FeatureFlips | FeatureBox | None
    inject: Injection | None

    def __init__(
        self,
        budget: int | ByDegree | None = None,
        local_budget: int | ArrayLike | ByDegree | None = None,
        delete: bool = True,
        insert: bool | Literal["target"] | NewEnds = False,
        fragile: Iterable[Pair] | None = None,
        protected: Iterable[Pair] = (),
        cost: Mapping[Pair, int] | None = None,
        features: FeatureFlips | FeatureBox | None = None,
        inject: Injection | None = None,
    ) -> None:
        put = object.__setattr__
        put(self, "budget", budget if budget is None or isinstance(budget, ByDegree) else _whole(budget, "budget"))
        local: int | IntArray | ByDegree | None
        if local_budget is None or isinstance(local_budget, int | np.integer):
            local = None if local_budget is None else min(_whole(local_budget, "local_budget"), MOST)
        elif isinstance(local_budget, ByDegree):
            local = local_budget
        else:
            local = frozen_ints(local_budget, "local_budget")
            if (local > MOST).any():
                local = frozen_ints(np.minimum(local, MOST), "local_budget")
            if local.ndim != 1 or (local < 0).any():
                raise InputError("local_budget: expected one number from 0 on, or one a vertex")
        put(self, "local_budget", local)
        if not isinstance(delete, bool | np.bool_):
            raise InputError(f"delete: expected True or False, got {delete!r}")
        if not (isinstance(insert, bool | np.bool_ | NewEnds) or insert == "target"):
            raise InputError(f"insert: expected True, False or 'target', got {insert!r}")
        put(self, "delete", bool(delete))
        put(self, "insert", insert if insert == "target" or isinstance(insert, NewEnds) else bool(insert))
        put(self, "fragile", None if fragile is None else _pairs(fragile, "fragile"))
        put(self, "protected", _pairs(protected, "protected"))
        put(self, "cost", _costs({} if cost is None else cost))
        _expect(features, FeatureFlips | FeatureBox, "features", "ep.FeatureFlips(budget=3)")
        _expect(inject, Injection, "inject", "ep.Injection(features=rows)")
        put(self, "features", features)
        put(self, "inject", inject)

    @property
    def is_plain(self) -> bool:
        """Edges alone, and every flip costs one unit."""
        return not self.cost and self.features is None and self.inject is None

    @property
    def rules(self) -> dict[str, ByDegree]:
        """Budgets that are rules, by name."""
        named: tuple[tuple[str, Any], ...] = (("budget", self.budget), ("local_budget", self.local_budget))
        return {name: rule for name, rule in named if isinstance(rule, ByDegree)}

    def resolved(self, graph: Graph, node: int | None) -> Threat:
        """The same with numbers in the place of rules."""
        rules = self.rules
        if not rules:
            return self
        numbers: dict[str, Any] = {}
        if "budget" in rules:
            if node is None:
                raise InputError("budget: by degree is for questions about a node, whose degree counts; got none")
            numbers["budget"] = rules["budget"].at(graph, node)
        if "local_budget" in rules:
            numbers["local_budget"] = rules["local_budget"].at_all(graph)
        return replace(self, **numbers)

    def edges_only(self) -> Threat:
        """The same without costs, features and new vertices."""
        return replace(self, cost={}, features=None, inject=None)

    def with_budget(self, budget: int | None) -> Threat:
        return replace(self, budget=budget)

    def __getstate__(self) -> dict[str, Any]:
        """For other processes: a read-only view of a dict cannot travel."""
        return {**self.__dict__, "cost": dict(self.cost)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, cost=MappingProxyType(state["cost"]))

    def check_against(self, graph: Graph) -> None:
        """Refuse pairs and local budgets that do not fit the graph."""
        n = graph.num_vertices
        for field, pairs in (("fragile", self.fragile or ()), ("protected", self.protected), ("cost", self.cost)):
            for u, v in pairs:
                if u >= n or v >= n:
                    raise InputError(f"{field}: ({u}, {v}) is out of range, there are {n} vertices")
        if isinstance(self.local_budget, np.ndarray) and self.local_budget.size != n:
            raise InputError(f"local_budget: expected {n} numbers, one a vertex, got {self.local_budget.size}")
        self.costs(graph)
        if self.features is not None:
            self.features.check_against(graph)
        columns = graph.features.num_columns
        if self.inject is not None and self.inject.features.shape[1] != columns:
            given = self.inject.features.shape[1]
            raise InputError(f"inject: features: expected rows of {columns} numbers, as in the graph, got {given}")

    def costs(self, graph: Graph) -> dict[Pair, int]:
        """Costs other than 1, under the graph's names for pairs."""
        found: dict[Pair, int] = {}
        for (u, v), cost in self.cost.items():
            pair = graph.pair(u, v)
            if found.setdefault(pair, cost) != cost:
                raise InputError(f"cost: the pair {pair} has two costs, {found[pair]} and {cost}")
        return {pair: cost for pair, cost in found.items() if cost != 1}

    def local_budget_of(self, vertex: int) -> int | None:
        if isinstance(self.local_budget, np.ndarray):
            return int(self.local_budget[vertex])
        return self.local_budget

    def explicit_pairs(self, graph: Graph) -> frozenset[Pair] | None:
        """The explicit list under the graph's names for pairs, protected ones taken out; None if there is no list."""
        if self.fragile is None:
            return None
        return frozenset(graph.pair(u, v) for u, v in self.fragile) - self.protected_pairs(graph)

    def listed_sources(self, graph: Graph) -> dict[int, list[int]] | None:
        """By vertex, the sources of the explicit pairs into it; None if there is no list."""
        explicit = self.explicit_pairs(graph)
        if explicit is None:
            return None
        sources: dict[int, list[int]] = {}
        for u, v in sorted(explicit):
            sources.setdefault(v, []).append(u)
            if not graph.directed and u != v:
                sources.setdefault(u, []).append(v)
        return sources

    def protected_pairs(self, graph: Graph) -> frozenset[Pair]:
        return frozenset(graph.pair(u, v) for u, v in self.protected)

    def admits(self, graph: Graph, pair: Pair, node: int | None = None) -> bool:
        """Whether this pair is fragile (budgets apart); `node` is the vertex in question in node tasks."""
        u, v = graph.pair(*pair)
        if (u, v) in self.protected_pairs(graph):
            return False
        listed = self.explicit_pairs(graph)
        if listed is not None:
            return (u, v) in listed
        if graph.has_edge(u, v):
            return self.delete
        if self.insert == "target":
            return u != v and (v == node or (not graph.directed and u == node))
        if isinstance(self.insert, NewEnds) and max(u, v) < self.insert.first:
            return False
        return bool(self.insert) and u != v

    def count_fragile(self, graph: Graph, node: int | None = None) -> int:
        """How many pairs are fragile, without listing them."""
        listed = self.explicit_pairs(graph)
        if listed is not None:
            return len(listed)
        loops = graph.num_loops
        halves = 1 if graph.directed else 2
        plain = (graph.sources.size - loops) // halves
        count = plain + loops if self.delete else 0
        if self.insert == "target" and node is not None:
            inside = graph.in_neighbours(node)
            count += graph.num_vertices - 1 - int((inside != node).sum())
        elif isinstance(self.insert, NewEnds):
            new = graph.num_vertices - self.insert.first
            there = int(((graph.sources >= self.insert.first) | (graph.targets >= self.insert.first)).sum()) // halves
            count += (2 * new * self.insert.first + new * (new - 1)) // halves - there
        elif self.insert:
            count += graph.num_vertices * (graph.num_vertices - 1) // halves - plain
        unprotected = replace(self, protected=frozenset())
        return count - sum(unprotected.admits(graph, pair, node) for pair in self.protected_pairs(graph))

    def total_cost(self, graph: Graph, node: int | None = None) -> int:
        """What flipping everything that may flip takes of the budget."""
        count = self.count_fragile(graph, node)
        count += sum(cost - 1 for pair, cost in self.costs(graph).items() if self.admits(graph, pair, node))
        if self.inject is not None:
            new, old = self.inject.count, graph.num_vertices
            count += (new * old + new * (new - 1) // 2) * (2 if graph.directed else 1)
        if isinstance(self.features, FeatureFlips) and self.features.budget is None:
            count += self.features.count(graph)
        return count

    def describe_more(self, graph: Graph) -> dict[str, Any]:
        """For keys and the store: what goes beyond flips of equal cost, and rules; nothing where there is neither."""
        told: dict[str, Any] = {f"{name}_rule": str(rule) for name, rule in self.rules.items()}
        costs = sorted([*pair, cost] for pair, cost in self.costs(graph).items())
        if costs:
            told["cost"] = {"count": len(costs), "hash": content_hash(costs)[:32]}
        for name, part in (("features", self.features), ("inject", self.inject)):
            if part is not None:
                told[name] = part.describe()
        return told

    def __repr__(self) -> str:
        parts = [f"budget={self.budget}"]
        if self.local_budget is not None:
            each = isinstance(self.local_budget, np.ndarray)
            shown = f"{self.local_budget.size} numbers" if each else self.local_budget  # type: ignore[union-attr]
            parts.append(f"local_budget={shown}")
        if self.fragile is not None:
            parts.append(f"{len(self.fragile)} fragile pairs")
        else:
            parts += ["delete"] * self.delete
            parts += ["insert into the target" if self.insert == "target" else "insert"] * bool(self.insert)
        if self.protected:
            parts.append(f"{len(self.protected)} protected")
        if self.cost:
            parts.append(f"{len(self.cost)} cost{'s' if len(self.cost) != 1 else ''}")
        parts += [repr(one) for one in (self.features, self.inject) if one is not None]
        return f"Threat({', '.join(parts)})"

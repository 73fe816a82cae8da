"""What the adversary may do: which pairs may flip, and how many of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from .arrays import IntArray, frozen_ints
from .graph import Graph, Pair

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


@dataclass(frozen=True, eq=False)
class Threat:
    """At most `budget` flips in all and, at each vertex, at most its local budget.

    budget: None means as many as there are fragile pairs. local_budget: None (no limit), one number, or one a vertex.
    delete, insert: which pairs are fragile: every edge, self-loops included; every absent pair except self-loops;
    insert="target": only absent pairs into the node in question.
    fragile: an explicit list, instead of `delete` and `insert`: exactly these pairs may flip, either way.
    protected: pairs that never flip.

    A flip of an undirected pair costs one unit at both endpoints (a self-loop: one at its vertex), a directed
    flip u -> v one unit at v.

    >>> Threat(budget=2, local_budget=1, insert=True)
    Threat(budget=2, local_budget=1, delete, insert)
    """

    budget: int | None
    local_budget: int | IntArray | None
    delete: bool
    insert: bool | Literal["target"]
    fragile: frozenset[Pair] | None
    protected: frozenset[Pair]

    def __init__(
        self,
        budget: int | None = None,
        local_budget: int | ArrayLike | None = None,
        delete: bool = True,
        insert: bool | Literal["target"] = False,
        fragile: Iterable[Pair] | None = None,
        protected: Iterable[Pair] = (),
    ) -> None:
        put = object.__setattr__
        put(self, "budget", None if budget is None else _whole(budget, "budget"))
        local: int | IntArray | None
        if local_budget is None or isinstance(local_budget, int | np.integer):
            local = None if local_budget is None else min(_whole(local_budget, "local_budget"), MOST)
        else:
            local = frozen_ints(local_budget, "local_budget")
            if (local > MOST).any():
                local = frozen_ints(np.minimum(local, MOST), "local_budget")
            if local.ndim != 1 or (local < 0).any():
                raise InputError("local_budget: expected one number from 0 on, or one a vertex")
        put(self, "local_budget", local)
        if not isinstance(delete, bool | np.bool_):
            raise InputError(f"delete: expected True or False, got {delete!r}")
        if not (isinstance(insert, bool | np.bool_) or insert == "target"):
            raise InputError(f"insert: expected True, False or 'target', got {insert!r}")
        put(self, "delete", bool(delete))
        put(self, "insert", insert if insert == "target" else bool(insert))
        put(self, "fragile", None if fragile is None else _pairs(fragile, "fragile"))
        put(self, "protected", _pairs(protected, "protected"))

    def with_budget(self, budget: int | None) -> Threat:
        return replace(self, budget=budget)

    def check_against(self, graph: Graph) -> None:
        """Refuse pairs and local budgets that do not fit the graph."""
        n = graph.num_vertices
        for field, pairs in (("fragile", self.fragile or ()), ("protected", self.protected)):
            for u, v in pairs:
                if u >= n or v >= n:
                    raise InputError(f"{field}: ({u}, {v}) is out of range, there are {n} vertices")
        if isinstance(self.local_budget, np.ndarray) and self.local_budget.size != n:
            raise InputError(f"local_budget: expected {n} numbers, one a vertex, got {self.local_budget.size}")

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
        elif self.insert:
            count += graph.num_vertices * (graph.num_vertices - 1) // halves - plain
        unprotected = replace(self, protected=frozenset())
        return count - sum(unprotected.admits(graph, pair, node) for pair in self.protected_pairs(graph))

    def __repr__(self) -> str:
        parts = [f"budget={self.budget}"]
        if self.local_budget is not None:
            shown = self.local_budget if isinstance(self.local_budget, int) else f"{self.local_budget.size} numbers"
            parts.append(f"local_budget={shown}")
        if self.fragile is not None:
            parts.append(f"{len(self.fragile)} fragile pairs")
        else:
            parts += ["delete"] * self.delete
            parts += ["insert into the target" if self.insert == "target" else "insert"] * bool(self.insert)
        if self.protected:
            parts.append(f"{len(self.protected)} protected")
        return f"Threat({', '.join(parts)})"

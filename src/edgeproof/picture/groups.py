"""An attack of many flips, by class: nobody can tell fifty edges of a hub apart, but four numbers say what happens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from ..model.graph import Graph, Pair
from .style import MANY_FLIPS, name_class
from .take import Kind


@dataclass(frozen=True)
class Group:
    """Edges of one kind: at the node in question those that end in one class; elsewhere between these classes.

    of: how many edges the node has into that class, as the graph is. classes: empty where no true classes are known.
    """

    kind: Kind
    at_node: bool
    classes: tuple[int, ...]
    count: int
    of: int

    def tell(self, names: tuple[str, ...] = ()) -> str:
        named = [name_class(label, names) for label in self.classes]
        edges = "edge" if (self.of if self.at_node and self.kind == "deleted" else self.count) == 1 else "edges"
        if not self.at_node:
            between = f" between {named[0]} and {named[1]}" if named else ""
            return f"{self.count} {edges}{between} elsewhere {self.kind}"
        where = f" to {named[0]}" if named else ""
        if self.kind == "deleted":
            return f"{self.count} of {self.of} {edges}{where} deleted"
        return f"{self.count} {edges}{where} {'stay' if self.kind == 'kept' else self.kind}"


@dataclass(frozen=True)
class Grouped:
    node: int
    label: int | None  # the true class of the node
    groups: tuple[Group, ...]
    directed: bool


def is_for(attack: Iterable[Pair], node: int | None) -> bool:
    """Many flips and nothing else: groups know neither features nor new vertices."""
    more = getattr(attack, "features", ()) or getattr(attack, "injected", ())
    return node is not None and not more and len(list(attack)) > MANY_FLIPS


def group_flips(graph: Graph, attack: Iterable[Pair], node: int) -> Grouped:
    """By class, what the attack changes most first; what is further away comes last."""
    flips = {graph.pair(u, v) for u, v in attack}
    labels = graph.labels if graph.labels is not None and graph.labels.ndim == 1 else None

    def named(*vertices: int) -> tuple[int, ...]:
        return () if labels is None else tuple(sorted(int(labels[v]) for v in vertices))

    def far_end(u: int, v: int) -> int | None:
        """The other end of an edge at the node; of a directed one, what sends to it."""
        return u if v == node else v if u == node and not graph.directed else None

    have = Counter(named(u) for u in graph.in_neighbours(node).tolist())
    near: Counter[tuple[Kind, tuple[int, ...]]] = Counter()
    far: Counter[tuple[Kind, tuple[int, ...]]] = Counter()
    for u, v in flips:
        kind: Kind = "deleted" if graph.has_edge(u, v) else "inserted"
        end = far_end(u, v)
        if end is None:
            far[kind, named(u, v)] += 1
        else:
            near[kind, named(end)] += 1
    touched = {where for _, where in near}
    rows = [Group(kind, True, where, count, have[where]) for (kind, where), count in near.items()]
    rows += [Group("kept", True, where, count, count) for where, count in have.items() if where not in touched]
    rows += [Group(kind, False, where, count, count) for (kind, where), count in far.items()]
    order = {"deleted": 0, "inserted": 1, "kept": 2}
    rows.sort(key=lambda one: (not one.at_node, order[one.kind], -one.count, one.classes))
    return Grouped(node, None if labels is None else int(labels[node]), tuple(rows), graph.directed)

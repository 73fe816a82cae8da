"""What a picture of an attack shows: the node in question, the flips, and the vertices nearest to them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..model.graph import Graph, Pair
from .place import Positions, place

Kind = Literal["kept", "deleted", "inserted"]
MOST = 40  # vertices: more cannot be told apart in a picture of this size
HOPS = 2  # around a node; what lies further away seldom tells anything


@dataclass(frozen=True, eq=False)
class Picture:
    """vertices: their numbers in the graph; edges: places of both ends in `vertices`, and what the attack does to it.

    cut: there are more vertices nearby than are shown. labels: true classes of the vertices, where known.
    """

    node: int | None
    vertices: tuple[int, ...]
    edges: tuple[tuple[int, int, Kind], ...]
    positions: Positions
    labels: tuple[int, ...] | None
    directed: bool
    cut: bool
    changed: frozenset[int] = frozenset()  # vertices whose features the attack changes
    new: frozenset[int] = frozenset()

    def count(self, kind: Kind) -> int:
        return sum(one == kind for _, _, one in self.edges)


def take_picture(graph: Graph, attack: Iterable[Pair], node: int | None = None, most: int = MOST) -> Picture:
    """The ends of all flips are shown, however many; others as long as there is room, the nearest first."""
    injected = len(getattr(attack, "injected", ()))
    changed = frozenset(vertex for vertex, _ in getattr(attack, "features", ()))
    old, graph = graph, with_room(graph, injected)
    flips = sorted({graph.pair(u, v) for u, v in attack})
    start = [] if node is None else [node]
    start += [v for pair in flips for v in pair] + sorted(changed)
    vertices, cut = _nearest(graph, list(dict.fromkeys(start)) or [0], node, most)
    number = {v: at for at, v in enumerate(vertices)}
    edges: dict[Pair, Kind] = {}
    for u, v in zip(*(ends.tolist() for ends in graph.edges_into(np.array(vertices, dtype=np.int64))), strict=True):
        if u in number:
            edges[graph.pair(u, v)] = "kept"
    for pair in flips:
        edges[pair] = "deleted" if pair in edges else "inserted"
    drawn = tuple((number[u], number[v], kind) for (u, v), kind in sorted(edges.items()))
    labels = None if injected else graph.labels
    return Picture(
        node, tuple(vertices), drawn, place(len(vertices), [(u, v) for u, v, _ in drawn]),
        None if labels is None or labels.ndim == 0 else tuple(int(labels[v]) for v in vertices), graph.directed, cut,
        changed, frozenset(range(old.num_vertices, graph.num_vertices)),
    )  # fmt: skip


def with_room(graph: Graph, injected: int) -> Graph:
    """The graph with so many more vertices, as far as a picture looks at them."""
    if not injected:
        return graph
    return Graph(
        np.stack([graph.sources, graph.targets]), np.zeros((graph.num_vertices + injected, 1)), directed=graph.directed
    )


def _nearest(graph: Graph, start: list[int], node: int | None, most: int) -> tuple[list[int], bool]:
    """`start`, then by distance from the node (or, of a whole graph, from the flips) what reaches it."""
    shown = dict.fromkeys(start)
    level, hops = ([node] if node is not None else start), 0
    seen = set(level)
    while level and (node is None or hops < HOPS):
        following = []
        for v in level:
            for u in graph.in_neighbours(v).tolist():
                if u in seen:
                    continue
                if u not in shown and len(shown) >= most:
                    return list(shown), True
                seen.add(u)
                shown.setdefault(u)
                following.append(u)
        level, hops = following, hops + 1
    if node is None and len(shown) < graph.num_vertices:  # other parts of a graph that is not connected
        room = max(most - len(shown), 0)
        rest = [v for v in range(min(graph.num_vertices, most + len(shown))) if v not in shown]
        shown.update(dict.fromkeys(rest[:room]))
        return list(shown), len(shown) < graph.num_vertices
    return list(shown), False

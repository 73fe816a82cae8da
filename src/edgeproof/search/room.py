"""How much memory a question takes, estimated before it begins, and how much there is."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ..errors import TooLargeError
from ..model.query import Query
from ..problem.layout import CURVE_ROWS

# below this nobody asks how much is free
SMALL = 1 << 28


def free_bytes() -> int | None:
    """What the system could still give; None where it does not say."""
    told = Path("/proc/meminfo")
    if not told.exists():
        return None
    for line in told.read_text(encoding="ascii").splitlines():
        if line.startswith("MemAvailable:"):
            return 1024 * int(line.split()[1])
    return None


def base_bytes(query: Query) -> int:
    """Values of the whole graph, what is known of its edges, and what one question writes beside them."""
    network, graph = query.network, query.graph
    n, edges, widths = graph.num_vertices, graph.sources.size, network.widths[1:]
    blocks = sum((3 + bool(layer.C.any())) * layer.width_out for layer in network.layers)
    passing = 2 * max(widths)  # of the layer that is being computed
    return 8 * (n * (blocks + passing + 16 * len(widths)) + 8 * edges + network.num_features * min(n, 1 << 15))


def tree_bytes(query: Query, memory: float | None) -> int:
    """Rows of every vertex that can matter, as a search keeps them, and what it knows of each slot. Where nobody asks
    for less and the whole graph would take little, what the whole graph would take.
    """
    most = _bytes_for(query, query.graph.num_vertices, query.graph.sources.size)
    return most if memory is None and most < SMALL else _bytes_for(query, *_reach(query))


def _bytes_for(query: Query, vertices: int, slots: int) -> int:
    network, graph = query.network, query.graph
    stages = len(network.layers) + (network.readout is not None) * (1 + len(network.head))
    width = max(network.widths[1:])
    if query.threat.insert is True:
        slots = vertices * vertices if query.claim.node is None else slots + vertices * graph.num_vertices
    rows = (stages + 1) * vertices * width
    # own and sent of layer 1 and their magnitudes; values, boxes, slacks, magnitudes and errors; a trail of each
    curved = CURVE_ROWS * rows if network.is_smooth else 0
    return 8 * (4 * vertices * width + (3 + 6 + 1 + 2) * rows + 9 * rows + curved + 24 * slots)


def _reach(query: Query) -> tuple[int, int]:
    """Vertices that can matter, and their in-edges; with insertions, all of them."""
    graph, node = query.graph, query.claim.node
    if node is None or query.threat.insert or query.threat.fragile is not None:
        return graph.num_vertices, graph.sources.size
    near, frontier = np.zeros(graph.num_vertices, dtype=np.bool_), np.array([node])
    near[node] = True
    slots = 0
    for _ in range(len(query.network.layers) + query.network.normalises):
        sources, _ = graph.edges_into(frontier)
        slots += sources.size
        fresh = np.unique(sources)
        frontier = fresh[~near[fresh]]
        near[frontier] = True
    return int(near.sum()), slots


def limit_of(memory: float | None) -> float:
    """In bytes: what was asked for, or what is free."""
    if memory is not None:
        return memory * 1e9
    free = free_bytes()
    return np.inf if free is None else float(free)


def fits(needed: int, memory: float | None) -> bool:
    return (memory is None and needed < SMALL) or needed <= limit_of(memory)


def refuse(needed: int, memory: float | None) -> TooLargeError:
    limit = limit_of(memory)
    had = f"memory={memory:g} allows {int(limit):,}" if memory is not None else f"{int(limit):,} are free"
    return TooLargeError(f"memory: this question takes about {needed:,} bytes, {had}")

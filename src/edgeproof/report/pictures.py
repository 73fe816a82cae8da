"""Every attack once, drawn with the scores before and after it, and packed for the page."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Callable, Hashable, Sequence

import numpy as np

from ..arithmetic.enclosure import bounded_scores
from ..arithmetic.receptive_field import find_field
from ..model.graph import Graph, Pair
from ..model.network import Network
from ..model.verdict import Attack
from ..picture.describe import figure
from ..picture.scores import Scores
from .gather import Row
from .graphs import Graphs, Networks


class Pictures:
    """`packed` holds them; `places` says for each row which is its picture, if it has one."""

    def __init__(
        self, rows: Sequence[Row], graphs: Graphs, networks: Networks, names: tuple[str, ...], most: int,
        progress: Callable[[int, int], None] | None = None,
    ) -> None:  # fmt: skip
        self._graphs, self._networks, self._names = graphs, networks, names
        self._before: dict[Hashable, list[float] | None] = {}
        self.packed: list[str] = []
        self.places: list[int | None] = []
        self.attacks = len({subject(row) for row in rows if row.attack is not None})
        made: dict[Hashable, int | None] = {}
        todo = min(most, self.attacks)
        for row in rows:
            if row.attack is None:
                self.places.append(None)
                continue
            key = subject(row)
            if key not in made:
                graph = graphs.find(row.graph, row.graph_name, row.directed) if len(self.packed) < most else None
                made[key] = None if graph is None else len(self.packed)
                if graph is not None:
                    self.packed.append(self._pack(graph, row))
                    if progress is not None:
                        progress(len(self.packed), todo)
            self.places.append(made[key])

    def _pack(self, graph: Graph, row: Row) -> str:
        assert row.attack is not None
        text = figure(
            graph, row.attack, row.node, row.label, row.rival, self._names, style=False, scores=self._scores(graph, row)
        )
        return base64.b64encode(zlib.compress(text.encode(), 9)).decode()

    def _scores(self, graph: Graph, row: Row) -> Scores | None:
        network = self._networks.find(row.setting.network, row.setting.network_name or "the network")
        if network is None:
            return None
        attack = row.attack or Attack(())
        if attack.injected:  # a store does not hold the rows of new vertices
            return None
        key = row.setting.network, row.graph, row.node
        if key not in self._before:
            self._before[key] = evaluate(network, graph, row.node, ())
        before = self._before[key]
        if attack.features:
            after = evaluate(network, attack.apply(graph), row.node, ())
        else:
            after = evaluate(network, graph, row.node, attack)
        return None if before is None or after is None else Scores(before, after)


def evaluate(network: Network, graph: Graph, node: int | None, flips: Sequence[Pair]) -> list[float] | None:
    """The scores with these pairs flipped, at the cost of what reaches the node; None where they overflow."""
    field = find_field(graph, network.layers, node, flips, degrees=network.normalises)
    scores, _ = bounded_scores(network, graph, field)
    return scores.tolist() if np.isfinite(scores).all() else None


def subject(row: Row) -> Hashable:
    """Rows of one subject show the same picture."""
    return row.setting.network, row.graph, row.node, row.label, row.rival, row.attack

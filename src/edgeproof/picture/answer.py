"""What an answer shows of itself in a notebook: its words, and where an attack is known its picture."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from ..errors import InputError
from ..model.graph import Graph, Pair
from .describe import figure, tell_change
from .groups import group_flips, is_for
from .plot import plot, plot_groups
from .take import take_picture


class Shown:
    """Base of Verdict and Radius, which have these fields. The graph stays where the answer was found: it is not sent
    to other processes with it, since it can be larger than all answers together.
    """

    attack: Sequence[Pair] | None
    node: int | None
    label: int
    rival: int | None
    graph: Graph | None

    def plot(self, graph: Graph | None = None, *, axes: Any = None, names: Sequence[str] = ()) -> Any:
        """Draw the neighbourhood with the attack, if there is one, with matplotlib; gives the axes.

        graph: where the answer came from another process or a store, and so without its graph. names: of the classes.
        More than 20 flips at a node are drawn in groups, by class.
        """
        held = self.graph if graph is None else graph
        if held is None:
            raise InputError("plot: this answer came without its graph, expected graph=")
        attack = () if self.attack is None else self.attack
        title = repr(self)
        if self.attack is not None:
            title = tell_change(self.node, self.label, self.rival, attack, tuple(names))
        if self.node is not None and is_for(attack, self.node):
            return plot_groups(group_flips(held, attack, self.node), title, axes, tuple(names))
        return plot(take_picture(held, attack, self.node), title, axes, tuple(names))

    def _repr_html_(self) -> str:
        words = f"<p><code>{escape(repr(self))}</code></p>"
        if self.attack is None or self.graph is None:
            return words
        return words + figure(self.graph, self.attack, self.node, self.label, self.rival)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "graph": None}

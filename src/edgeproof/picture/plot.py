"""A picture with matplotlib, for notebooks and papers."""

from __future__ import annotations

from typing import Any

from ..errors import InputError
from .draw import COLOURS
from .take import Picture

_STYLES = {
    "kept": {"color": "#9aa4b2", "linewidth": 0.8, "zorder": 1},
    "deleted": {"color": "#c8102e", "linewidth": 2.2, "linestyle": (0, (4, 2)), "zorder": 2},
    "inserted": {"color": "#0a7d33", "linewidth": 2.4, "zorder": 2},
}


def plot(picture: Picture, title: str, axes: Any = None) -> Any:
    """Draw on `axes`, or on new ones; gives them back."""
    try:
        from matplotlib import pyplot
    except ImportError:
        raise InputError("plot: matplotlib is not installed; pip install 'edgeproof[report]'") from None
    if axes is None:
        _, axes = pyplot.subplots(figsize=(6.4, 4.2), layout="constrained")
    points = picture.positions.copy()
    points[:, 1] = 1 - points[:, 1]  # SVG counts downwards
    told = set()
    for u, v, kind in picture.edges:
        label = kind if kind != "kept" and kind not in told else None
        told.add(kind)
        axes.plot(*points[[u, v]].T, label=label, **_STYLES[kind])
        if picture.directed and u != v:
            arrow = {"arrowstyle": "-|>", "shrinkB": 7, "color": _STYLES[kind]["color"]}
            middle = (points[u] + points[v]) / 2
            axes.annotate("", xy=points[v], xytext=middle, arrowprops=arrow)
    for at, vertex in enumerate(picture.vertices):
        fill, ink = ("white", "black") if picture.labels is None else COLOURS[picture.labels[at] % len(COLOURS)]
        edge = ("black", 2.4) if vertex == picture.node else ("grey", 0.6)
        axes.scatter(*points[at], s=170, color=fill, edgecolors=edge[0], linewidths=edge[1], zorder=3)
        axes.text(*points[at], str(vertex), color=ink, fontsize=7, ha="center", va="center", zorder=4)
    axes.set_title(title, fontsize=9)
    axes.set_axis_off()
    axes.margins(0.06)
    if told - {"kept"}:
        axes.legend(fontsize=7, frameon=False)
    return axes

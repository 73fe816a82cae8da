"""A picture with matplotlib, for notebooks and papers; it looks as on the report's page."""

from __future__ import annotations

from typing import Any

from ..errors import InputError
from .draw_groups import GROUP_X, NODE_X, TEXT_X, WIDTH, disc, height, row_y
from .groups import Grouped
from .style import DELETED, INK, INSERTED, KEPT, PAPER, class_colour, name_class
from .take import Picture

_STYLES = {
    "kept": {"color": KEPT, "linewidth": 0.8, "zorder": 1},
    "deleted": {"color": DELETED, "linewidth": 2.2, "linestyle": (0, (4, 2)), "zorder": 2},
    "inserted": {"color": INSERTED, "linewidth": 2.4, "zorder": 2},
}


def _axes(axes: Any, size: tuple[float, float]) -> Any:
    if axes is not None:
        return axes
    try:
        from matplotlib import pyplot
    except ImportError:
        raise InputError("plot: matplotlib is not installed; pip install 'edgeproof[report]'") from None
    return pyplot.subplots(figsize=size, layout="constrained")[1]


def _finish(axes: Any, title: str) -> Any:
    axes.set_title(title, fontsize=9)
    axes.set_axis_off()
    return axes


def plot(picture: Picture, title: str, axes: Any = None, names: tuple[str, ...] = ()) -> Any:
    """Draw on `axes`, or on new ones; gives them back."""
    axes = _axes(axes, (6.4, 4.2))
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
        fill, ink = (PAPER, INK) if picture.labels is None else class_colour(picture.labels[at])
        edge = (INK, 2.4) if vertex == picture.node else (INK if picture.labels is None else PAPER, 0.8)
        axes.scatter(*points[at], s=170, color=fill, edgecolors=edge[0], linewidths=edge[1], zorder=3)
        axes.text(*points[at], str(vertex), color=ink, fontsize=7, ha="center", va="center", zorder=4)
    for one in sorted(set(picture.labels or ())):
        axes.scatter([], [], s=40, color=class_colour(one)[0], label=name_class(one, names))
    axes.margins(0.06)
    if told - {"kept"} or picture.labels is not None:  # below, where it hides nothing
        axes.legend(fontsize=7, frameon=False, loc="upper center", bbox_to_anchor=(0.5, 0.0), ncols=5)
    return _finish(axes, title)


def plot_groups(grouped: Grouped, title: str, axes: Any = None, names: tuple[str, ...] = ()) -> Any:
    """The same rows as on the page."""
    tall = height(grouped)
    axes = _axes(axes, (6.4, 6.4 * tall / WIDTH))
    most, middle = max((one.count for one in grouped.groups), default=1), tall / 2
    for at, one in enumerate(grouped.groups):
        y = row_y(at)
        start = (NODE_X, middle) if one.at_node else (GROUP_X - 44, y)
        axes.plot([start[0], GROUP_X], [start[1], y], **_STYLES[one.kind])
        fill, ink = class_colour(one.classes[0]) if one.classes else (PAPER, INK)
        size = (1.8 * disc(one.count, most)) ** 2
        axes.scatter([GROUP_X], [y], s=size, color=fill, edgecolors=INK if not one.classes else fill, zorder=3)
        axes.text(GROUP_X, y, str(one.count), color=ink, fontsize=8, ha="center", va="center", zorder=4)
        axes.text(TEXT_X, y, one.tell(names), color=INK, fontsize=8, va="center")
    fill, ink = (PAPER, INK) if grouped.label is None else class_colour(grouped.label)
    axes.scatter([NODE_X], [middle], s=900, color=fill, edgecolors=INK, linewidths=2.4, zorder=3)
    axes.text(NODE_X, middle, str(grouped.node), color=ink, fontsize=8, ha="center", va="center", zorder=4)
    axes.set_xlim(0, WIDTH)
    axes.set_ylim(tall, 0)
    return _finish(axes, title)

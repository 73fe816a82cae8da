"""An attack in words, and the figure of it with its legend, as HTML."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from ..model.graph import Graph, Pair
from .draw import STYLE, draw
from .draw_groups import draw_groups
from .groups import group_flips, is_for
from .scores import Scores, draw_scores
from .style import class_colour, name_class
from .take import Picture, take_picture

MOST_LISTED = 12  # flips of a caption


def tell_flips(graph: Graph, attack: Iterable[Pair]) -> list[str]:
    """Such as `delete 3 - 17`; messages flow along the arrow of a directed one."""
    arrow, n = "→" if graph.directed else "-", graph.num_vertices
    kinds = [("delete" if max(pair) < n and graph.has_edge(*pair) else "insert", *pair) for pair in attack]
    return [f"{kind} {u} {arrow} {v}" for kind, u, v in kinds] + tell_features(attack, graph)


def tell_features(attack: Iterable[Pair], graph: Graph) -> list[str]:
    """Such as `feature 5 of 17 to 1`, of an attack that changes features."""
    places, values = getattr(attack, "features", ()), getattr(attack, "values", None)
    told = []
    for at, (vertex, column) in enumerate(places):
        columns, _ = graph.features.row(vertex)
        value = (0 if column in columns else 1) if values is None else values[at]
        told.append(f"feature {column} of {vertex} to {value:g}")
    return told


def tell_change(
    node: int | None, label: int | None, rival: int | None, attack: Iterable[Pair], names: tuple[str, ...] = ()
) -> str:
    """Such as `node 17: class 3 becomes class 1 after 2 flips`."""
    what = "the graph" if node is None else f"node {node}"
    before = "?" if label is None else name_class(label, names)
    after = "another class" if rival is None else name_class(rival, names)
    return f"{what}: {before} becomes {after} after {_count(attack)}"


def _count(attack: Iterable[Pair]) -> str:
    """Such as `2 flips`, `1 flip and 3 features`."""
    flips = len(list(attack))
    parts = [(flips, "flip", "flips"), (len(getattr(attack, "features", ())), "feature", "features"),
             (len(getattr(attack, "injected", ())), "new vertex", "new vertices")]  # fmt: skip
    told = [f"{number} {one if number == 1 else many}" for number, one, many in parts if number]
    return " and ".join(told) or "0 flips"


def legend(picture: Picture, names: tuple[str, ...] = ()) -> str:
    """What the lines and colours of a picture mean, as HTML."""
    items = []
    if picture.count("deleted"):
        items.append('<span><i style="border-top:3px dashed var(--ep-deleted);width:1.6em"></i> deleted</span>')
    if picture.count("inserted"):
        items.append('<span><i style="border-top:3px solid var(--ep-inserted);width:1.6em"></i> inserted</span>')
    if picture.changed:
        items.append('<span><i style="border:3px dotted;border-radius:50%;width:.6em;height:.6em"></i> features</span>')
    if picture.new:
        items.append('<span><i style="border:3px solid var(--ep-inserted);width:.6em;height:.6em"></i> new</span>')
    if picture.node is not None:
        items.append(
            '<span><i style="border:3px solid;border-radius:50%;width:.6em;height:.6em"></i> in question</span>'
        )
    if picture.labels is not None:
        items.append("<span>true class:</span>")
    for label in sorted(set(picture.labels or ())):
        colour = class_colour(label)[0]
        disc = f"background:{colour};border-radius:50%;width:.9em;height:.9em"
        items.append(f'<span><i style="{disc}"></i> {escape(name_class(label, names))}</span>')
    if picture.cut:
        items.append(f"<span>only the {len(picture.vertices)} nearest vertices are drawn</span>")
    style = "display:flex;flex-wrap:wrap;gap:.2em 1em"
    return f'<div class="ep-legend" style="{style}">{"".join(items)}</div>'.replace(
        '<i style="', '<i style="display:inline-block;vertical-align:middle;'
    )


def figure(
    graph: Graph, attack: Sequence[Pair], node: int | None, label: int | None, rival: int | None,
    names: tuple[str, ...] = (), *, style: bool = True, scores: Scores | None = None,
) -> str:  # fmt: skip
    """The picture with its caption; `scores`, where they are known, as bars beside it."""
    told = tell_change(node, label, rival, attack, names)
    flips = tell_flips(graph, attack)
    title = f"{told}: {', '.join(flips) or 'the graph as it is'}"
    if node is not None and is_for(attack, node):
        css = f"<style>{STYLE}</style>" if style else ""
        drawn, below = draw_groups(group_flips(graph, attack, node), title, names, style=css), ""
    else:
        picture = take_picture(graph, attack, node)
        drawn, below = draw(picture, title, names, style=style), legend(picture, names)
    bars = "" if scores is None else draw_scores(scores, label, rival, names)
    return (
        f'<figure style="margin:0"><div class="ep-beside"><div class="ep-drawn">{drawn}</div>{bars}</div>'
        f"<figcaption>{below}<p>{escape(told)}: {_caption(flips)}</p></figcaption></figure>"
    )


def _caption(flips: Sequence[str]) -> str:
    if len(flips) <= MOST_LISTED:
        return escape(", ".join(flips) or "the graph as it is")
    first, rest = flips[:MOST_LISTED], flips[MOST_LISTED:]
    more = f"<details><summary>and {len(rest)} more</summary>{escape(', '.join(rest))}</details>"
    return f"{escape(', '.join(first))} {more}"

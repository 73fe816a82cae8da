"""The groups of an attack on a hub as SVG: one row a group, its disc as large as the group."""

from __future__ import annotations

from html import escape

from .groups import Group, Grouped
from .style import class_colour

WIDTH, ROW, TOP = 480, 42, 12
NODE_X, GROUP_X, TEXT_X = 34, 150, 178
SMALLEST, LARGEST = 9.0, 19.0


def disc(count: int, most: int) -> float:
    """The radius: areas are as the counts."""
    return float(max(SMALLEST, LARGEST * (count / max(most, 1)) ** 0.5))


def height(grouped: Grouped) -> int:
    return ROW * max(len(grouped.groups), 1) + 2 * TOP


def row_y(at: int) -> float:
    return TOP + ROW * (at + 0.5)


def draw_groups(grouped: Grouped, title: str, names: tuple[str, ...] = (), *, style: str = "") -> str:
    tall = height(grouped)
    middle = tall / 2
    most = max((one.count for one in grouped.groups), default=1)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="ep-picture ep-groups" viewBox="0 0 {WIDTH} {tall}" '
        f'width="{WIDTH}" height="{tall}" role="img"><title>{escape(title)}</title>{style}'
    ]
    for at, one in enumerate(grouped.groups):
        parts.append(_row(one, row_y(at), middle, disc(one.count, most), names))
    fill, ink = ("", "") if grouped.label is None else class_colour(grouped.label)
    disc_of = 'class="ep-target ep-plain"' if grouped.label is None else f'class="ep-target" fill="{fill}"'
    written = 'class="ep-number"' if grouped.label is None else f'fill="{ink}"'
    parts.append(
        f'<g data-vertex="{grouped.node}"><circle {disc_of} cx="{NODE_X}" cy="{middle}" r="20"/>'
        f'<text {written} x="{NODE_X}" y="{middle}">{grouped.node}</text></g></svg>'
    )
    return "".join(parts)


def _row(one: Group, y: float, middle: float, radius: float, names: tuple[str, ...]) -> str:
    fill, ink = class_colour(one.classes[0]) if one.classes else ("", "")
    look = f'fill="{fill}"' if fill else 'class="ep-plain"'
    written = f'fill="{ink}"' if ink else 'class="ep-number"'
    if one.at_node:
        line = f'<line class="ep-{one.kind}" x1="{NODE_X}" y1="{middle}" x2="{GROUP_X}" y2="{y}"/>'
    else:  # an edge of its own, with both ends
        end = f'fill="{class_colour(one.classes[1])[0]}"' if len(one.classes) > 1 else 'class="ep-plain"'
        line = (
            f'<line class="ep-{one.kind}" x1="{GROUP_X - 44}" y1="{y}" x2="{GROUP_X}" y2="{y}"/>'
            f'<circle {end} cx="{GROUP_X - 44}" cy="{y}" r="6"/>'
        )
    return (
        f'<g data-group="{one.kind}" data-count="{one.count}">{line}'
        f'<circle {look} cx="{GROUP_X}" cy="{y}" r="{radius:.1f}"/><text {written} x="{GROUP_X}" y="{y}">{one.count}'
        f'</text><text class="ep-number" style="text-anchor:start" x="{TEXT_X}" y="{y}">{escape(one.tell(names))}'
        "</text></g>"
    )

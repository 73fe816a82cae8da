"""A picture as SVG: one drawing for the report, for notebooks and for the README."""

from __future__ import annotations

from html import escape

from .style import DELETED, INK, INSERTED, KEPT, PAPER, class_colour, name_class
from .take import Picture

MARGIN = 26
# a picture is as large as its vertices need, so that few of them can be read on a phone too
SIZES = ((6, 340, 240, ""), (14, 480, 320, " ep-crowded"), (10**9, 640, 420, " ep-full"))
_COLOURS = f"--ep-ink:{INK};--ep-paper:{PAPER};--ep-kept:{KEPT};--ep-deleted:{DELETED};--ep-inserted:{INSERTED}"
STYLE = """
.ep-picture,.ep-legend{COLOURS}
.ep-picture{font:11px system-ui,sans-serif;max-width:100%;height:auto;background:var(--ep-paper)}
@media (prefers-color-scheme:dark){.ep-picture,.ep-legend{--ep-ink:#e8ecf2;--ep-paper:#171b22;--ep-kept:#5b6675;
--ep-deleted:#ff6b7d;--ep-inserted:#4cd07d}}
@media print{.ep-picture,.ep-legend{--ep-ink:#000;--ep-paper:#fff;--ep-kept:#888;--ep-deleted:#c8102e;
--ep-inserted:#0a7d33}}
.ep-picture line,.ep-picture .ep-loop{fill:none;stroke:var(--ep-kept);stroke-width:1.2}
.ep-picture .ep-deleted{stroke:var(--ep-deleted);stroke-width:3;stroke-dasharray:7 5}
.ep-picture .ep-inserted{stroke:var(--ep-inserted);stroke-width:3.4}
.ep-picture text{text-anchor:middle;dominant-baseline:central}
.ep-picture circle{stroke:var(--ep-paper);stroke-width:1.5}
.ep-picture .ep-target{stroke:var(--ep-ink);stroke-width:3.5}
.ep-picture .ep-plain{fill:var(--ep-paper);stroke:var(--ep-ink)}
.ep-picture .ep-plain.ep-target{stroke-width:3.5}
.ep-picture .ep-changed{stroke:var(--ep-ink);stroke-width:3;stroke-dasharray:2 3}
.ep-picture .ep-new{stroke:var(--ep-inserted);stroke-width:3}
.ep-picture .ep-number{fill:var(--ep-ink)}
.ep-beside{display:flex;flex-wrap:wrap;gap:.6em 1.4em;align-items:center}
.ep-scores text.ep-left{text-anchor:start}.ep-scores text.ep-right{text-anchor:end}
.ep-scores .ep-strong{font-weight:700}
.ep-scores .ep-before{fill:var(--ep-kept)}.ep-scores .ep-after{fill:var(--ep-ink)}
""".replace("\n", "").replace("COLOURS", _COLOURS)


def draw(picture: Picture, title: str, names: tuple[str, ...] = (), *, style: bool = True) -> str:
    """`names` of the classes, where they have some; `style=False` where the page has STYLE already."""
    radius = 13 if len(picture.vertices) <= 24 else 11
    _, width, height, crowd = next(one for one in SIZES if len(picture.vertices) <= one[0])
    points = [_at(x, width, y, height) for x, y in picture.positions.tolist()]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="ep-picture{crowd}" '
        f'viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img"><title>{escape(title)}</title>'
    ]
    if style:
        parts.append(f"<style>{STYLE}</style>")
    order = {"kept": 0, "deleted": 1, "inserted": 2}  # what the attack does lies on top
    for u, v, kind in sorted(picture.edges, key=lambda edge: order[edge[2]]):
        pair = f"{picture.vertices[u]},{picture.vertices[v]}"
        parts.append(_edge(points[u], points[v], radius, pair, kind, picture.directed, loop=u == v))
    for at, (vertex, (x, y)) in enumerate(zip(picture.vertices, points, strict=True)):
        label = None if picture.labels is None else picture.labels[at]
        marks = ["ep-target"] * (vertex == picture.node)
        marks += ["ep-changed"] * (vertex in picture.changed) + ["ep-new"] * (vertex in picture.new)
        parts.append(_vertex(vertex, x, y, radius, label, names, marks))
    return "".join([*parts, "</svg>"])


def _at(x: float, width: int, y: float, height: int) -> tuple[float, float]:
    """A point of the unit square on the paper."""
    return round(MARGIN + x * (width - 2 * MARGIN), 1), round(MARGIN + y * (height - 2 * MARGIN), 1)


def _edge(
    start: tuple[float, float], end: tuple[float, float], radius: int, pair: str, kind: str, directed: bool,
    *, loop: bool,
) -> str:  # fmt: skip
    (x1, y1), (x2, y2) = start, end
    named = f'class="ep-{kind}" data-pair="{pair}"'
    if loop:
        return f'<circle class="ep-loop ep-{kind}" data-pair="{pair}" cx="{x1}" cy="{y1 - radius}" r="{radius - 3}"/>'
    line = f'<line {named} x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"/>'
    if not directed:
        return line
    # a head that ends where the disc of the target begins
    length = max(((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5, 1e-6)
    dx, dy = (x2 - x1) / length, (y2 - y1) / length
    tip, size = (x2 - dx * radius, y2 - dy * radius), 7
    left = (tip[0] - size * (dx + dy / 2), tip[1] - size * (dy - dx / 2))
    right = (tip[0] - size * (dx - dy / 2), tip[1] - size * (dy + dx / 2))
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (tip, left, right))
    colour = f"var(--ep-{kind})"
    return f'{line}<polygon points="{path}" style="fill:{colour};stroke:none"/>'


def _vertex(
    vertex: int, x: float, y: float, radius: int, label: int | None, names: tuple[str, ...], marks: list[str]
) -> str:
    text, size = str(vertex), 11 if vertex < 1000 else 9 if vertex < 10_000 else 7
    told = f"vertex {vertex}" + ("" if label is None else f", {name_class(label, names)}")
    told += ", features changed" * ("ep-changed" in marks) + ", new" * ("ep-new" in marks)
    classes = " ".join(marks + (["ep-plain"] if label is None else []))
    fill, ink = ("", "") if label is None else class_colour(label)
    disc = f'class="{classes}"' if label is None else f'class="{classes}" fill="{fill}"'
    written = 'class="ep-number"' if label is None else f'fill="{ink}"'
    wide = radius + 3 if marks else radius
    return (
        f'<g data-vertex="{vertex}"><title>{escape(told)}</title><circle {disc} cx="{x}" cy="{y}" r="{wide}"/>'
        f'<text {written} x="{x}" y="{y}" font-size="{size}">{text}</text></g>'
    )

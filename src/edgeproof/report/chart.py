"""Charts as SVG that takes its colours from the page: steps by budget, bars, and the cactus plot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from math import ceil, floor, log10
from typing import NamedTuple

from ..picture.style import DASHES

WIDTH, HEIGHT = 420, 250
LEFT, RIGHT, TOP, BOTTOM = 70, 12, 12, 42
TIPS = 40  # places of a chart with numbers of their own


class Line(NamedTuple):
    """Points (x, y); `high` are the upper ends of a band around it, if it has one. `main`: drawn heavier."""

    name: str
    points: Sequence[tuple[float, float]]
    high: Sequence[tuple[float, float]] = ()
    main: bool = False


class _Frame:
    """Axes, and the way from numbers to places."""

    def __init__(self, most: tuple[float, float], *, log_from: float | None = None) -> None:
        self.most, self.log_from = most, log_from

    def x(self, value: float) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * value / max(self.most[0], 1e-12), 1)

    def y(self, value: float) -> float:
        if self.log_from is None:
            part = value / max(self.most[1], 1e-12)
        else:
            low, high = log10(self.log_from), log10(self.most[1])
            part = (log10(max(value, self.log_from)) - low) / max(high - low, 1e-12)
        return round(HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * part, 1)

    def across(self, value: float, text: str) -> str:
        y = self.y(value)
        return (
            f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y}" y2="{y}"/>'
            f'<text class="end" x="{LEFT - 6}" y="{y}">{text}</text>'
        )

    def below(self, x: float, text: str) -> str:
        return f'<text x="{x}" y="{HEIGHT - BOTTOM + 14}">{escape(text)}</text>'


def _wrap(inside: str, told: str, across: str, up: str) -> str:
    middle = (LEFT + WIDTH - RIGHT) / 2
    return (
        f'<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(told)}">{inside}'
        f'<line class="axis" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{HEIGHT - BOTTOM}" y2="{HEIGHT - BOTTOM}"/>'
        f'<text x="{middle}" y="{HEIGHT - 8}">{escape(across)}</text>'
        f'<text transform="translate(8 {(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)">{escape(up)}</text></svg>'
    )


def steps(lines: Sequence[Line], told: str, across: str, up: str) -> str:
    """Shares from 0 to 1 at whole numbers; a share holds until the next number."""
    last = max((len(line.points) for line in lines), default=1) - 1
    frame = _Frame((last + 0.999 if last else 1.0, 1.0))
    parts = [frame.across(share, f"{share:.0%}") for share in (0, 0.25, 0.5, 0.75, 1)]
    every = ceil((last + 1) / 12)
    parts += [frame.below(frame.x(k + 0.5), str(k)) for k in range(0, last + 1, every)]
    for number, line in enumerate(lines):
        if line.high:
            low = [place for k, y in line.points for place in ((frame.x(k), frame.y(y)), (frame.x(k + 1), frame.y(y)))]
            top = [place for k, y in line.high for place in ((frame.x(k), frame.y(y)), (frame.x(k + 1), frame.y(y)))]
            outline = " ".join(f"{min(x, WIDTH - RIGHT)},{y}" for x, y in [*low, *reversed(top)])
            parts.append(f'<polygon class="band c{number % 8}" points="{outline}"/>')
        path = "".join(
            f"{'L' if k else 'M'}{frame.x(k)} {frame.y(y)}H{min(frame.x(k + 1), WIDTH - RIGHT)}" for k, y in line.points
        )
        parts.append(_path(path, number, main=line.main))
    for k in range(0, last + 1, ceil((last + 1) / TIPS)):
        said = "; ".join(f"{line.name} {_between(line, k)}" for line in lines)
        parts.append(_tip(frame.x(k), min(frame.x(k + 1), WIDTH - RIGHT), f"budget {k}: {said}"))
    return _wrap("".join(parts), told, across, up)


def _between(line: Line, k: int) -> str:
    low = line.points[min(k, len(line.points) - 1)][1]
    high = line.high[k][1] if line.high else low
    return f"{low:.1%}" + (f" to {high:.1%}" if high > low else "")


def _tip(left: float, right: float, text: str) -> str:
    """A column of a chart that tells its numbers when it is pointed at, or reached with the keyboard."""
    wide = round(max(right - left, 1.0), 1)
    return (
        f'<rect class="tip" x="{left}" y="{TOP}" width="{wide}" height="{HEIGHT - TOP - BOTTOM}" '
        f'data-tip="{escape(text)}"/>'
    )


def bars(counts: Mapping[str, int], told: str, across: str, up: str) -> str:
    most = _round_up(max(counts.values(), default=1))
    gap = 0.6  # the names behind the numbers are longer than these
    frame = _Frame((len(counts) + gap, most))
    parts = [frame.across(value, f"{value:,.0f}") for value in _ticks(most)]
    every = ceil(len(counts) / 12)
    named = [k for k, name in enumerate(counts) if not name.lstrip("-").isdecimal()]
    for k, (name, count) in enumerate(counts.items()):
        at = k + gap if k in named else float(k)
        left, right, y = frame.x(at + 0.12), frame.x(at + 0.88), frame.y(count)
        kind = name if k in named else "radius"
        parts.append(
            f'<rect class="bar {kind}" x="{left}" width="{round(right - left, 1)}" y="{y}" '
            f'height="{round(HEIGHT - BOTTOM - y, 1)}"/>'
        )
        said = f"survives {name} flip{'' if name == '1' else 's'}" if k not in named else name
        parts.append(_tip(left, right, f"{said}: {count:,} {up}"))
        if len(counts) <= 12:
            parts.append(f'<text x="{frame.x(at + 0.5)}" y="{max(y - 7, 7)}" class="value">{count:,}</text>')
        if k in named or (k % every == 0 and (not named or k + every / 2 < named[0])):
            short = {"unknown": "?"}.get(name, name) if len(counts) > 8 else name
            parts.append(frame.below(frame.x(at + 0.5), short))
    return _wrap("".join(parts), told, across, up)


def cactus(lines: Sequence[Line], told: str, across: str, up: str) -> str:
    """Points (solved, seconds), seconds on a logarithmic axis."""
    values = [max(y, 1e-4) for line in lines for _, y in line.points] or [1e-3, 1.0]
    low, high = 10.0 ** floor(log10(min(values))), 10.0 ** ceil(log10(max(values) * 1.001))
    most = max((line.points[-1][0] for line in lines if line.points), default=1)
    frame = _Frame((float(most), max(high, low * 10)), log_from=low)
    decades = range(round(log10(low)), round(log10(max(high, low * 10))) + 1)
    parts = [frame.across(10.0**power, _tell_power(power)) for power in decades]
    parts += [frame.below(frame.x(value), f"{value:,.0f}") for value in _ticks(most) if value == int(value)]
    for number, line in enumerate(lines):
        path = "".join(f"{'L' if k else 'M'}{frame.x(x)} {frame.y(y)}" for k, (x, y) in enumerate(line.points))
        parts.append(_path(path, number, main=line.main))
    every = max(most / TIPS, 1.0)
    for k in range(ceil(most / every)):
        upto = min((k + 1) * every, most)
        said = "; ".join(f"{line.name} {tell_seconds(_at(line, upto))}" for line in lines if line.points[-1][0] >= upto)
        if said:
            parts.append(_tip(frame.x(k * every), frame.x(upto), f"the {upto:,.0f} quickest: at most {said}"))
    return _wrap("".join(parts), told, across, up)


def _at(line: Line, x: float) -> float:
    return next(y for place, y in line.points if place >= x)


def tell_seconds(seconds: float) -> str:
    if seconds < 1:
        return f"{1000 * seconds:.3g} ms"
    if seconds < 300:
        return f"{seconds:.3g} s"
    return f"{seconds / 60:,.0f} min" if seconds < 18_000 else f"{seconds / 3600:,.1f} h"


def _tell_power(power: int) -> str:
    return f"{10.0**power:,g} s" if power >= 0 else f"{10.0 ** (power + 3):g} ms"


def _path(path: str, number: int, *, main: bool) -> str:
    dash = " ".join(map(str, DASHES[number // 8 % len(DASHES)]))
    return f'<path class="line c{number % 8}{" main" * main}" d="{path}" stroke-dasharray="{dash}"/>'


def _round_up(value: float) -> float:
    """The next of 1, 2, 5, 10, 20, 50, ..: room for the number on the highest bar."""
    scale = 10.0 ** floor(log10(max(value * 1.12, 1)))
    return next(scale * step for step in (1, 2, 5, 10) if scale * step >= value * 1.12)


def _ticks(most: float) -> list[float]:
    rough = most / 5
    scale = 10.0 ** floor(log10(max(rough, 1)))
    step = next(scale * k for k in (1, 2, 5, 10) if scale * k >= rough)
    return [step * k for k in range(int(most / step + 1e-9) + 1)]

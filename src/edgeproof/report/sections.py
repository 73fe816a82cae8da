"""The charts of each network and graph: shares by budget, classes, radii, times; as HTML with their numbers."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import ceil

from ..picture.style import HALF_DARK, name_class
from . import chart
from .curves import Curve
from .gather import Answers, Row
from .terms import term

MOST_LINES = 16  # of a chart: more cannot be told apart
MOST_COLUMNS = 12  # of the table of classes
NARROW = 4  # columns that one place has room for


def sections(answers: Answers, found: Sequence[Curve], names: tuple[str, ...]) -> list[str]:
    out = []
    for title in dict.fromkeys(curve.setting.title for curve in found):
        some = [curve for curve in found if curve.setting.title == title]
        figures = [
            part
            for curve in some
            for part in (_share_figure(curve), _class_figure(curve, names), _radius_figure(curve))
        ]
        figures.append(_cactus_figure([row for row in answers.rows if row.setting.title == title]))
        out.append(f'<section><h2>{escape(title)}</h2><div class="charts">{"".join(figures)}</div></section>')
    return out


def share_lines(curve: Curve) -> list[chart.Line]:
    """All claims; where true classes are known also what is right and proved."""
    exact = curve.proved == curve.at_most
    lines = [chart.Line("proved", _numbered(curve.proved), () if exact else _numbered(curve.at_most), main=True)]
    if curve.accuracy is not None:
        lines.append(chart.Line("right and proved", _numbered(curve.accuracy), main=True))
    return lines


def _numbered(values: Sequence[float]) -> list[tuple[float, float]]:
    return [(float(k), value) for k, value in enumerate(values)]


def _share_figure(curve: Curve) -> str:
    lines = share_lines(curve)
    heads = "".join(f'<th scope="col">{escape(line.name)}</th>' for line in lines)
    band = any(line.high for line in lines)
    if band:
        heads += '<th scope="col">at most</th>'
    body = ""
    for k in range(len(curve.proved)):
        cells = "".join(f"<td>{line.points[k][1]:.1%}</td>" for line in lines)
        cells += f"<td>{curve.at_most[k]:.1%}</td>" if band else ""
        body += f'<tr><th scope="row">{k}</th>{cells}</tr>'
    told = f"Share of {curve.count:,} claims proved, by budget: {curve.proved[0]:.0%} at 0, "
    told += f"{curve.proved[-1]:.0%} at {len(curve.proved) - 1}"
    what = f"Share {term('proved')}, by {term('budget')}"
    note = "; the shade is what is not decided" if band else ""
    return figure_card(
        what, f"{curve.setting.terms}; {curve.count:,} {'claim' if curve.count == 1 else 'claims'}{note}",
        chart.steps(lines, told, curve.setting.axis, "share"), legend(lines),
        f'<table><thead><tr><th scope="col">budget</th>{heads}</tr></thead><tbody>{body}</tbody></table>',
    )  # fmt: skip


def class_budgets(curve: Curve) -> list[int]:
    """The budgets of the table of classes: all, or some that are spread evenly, with the last."""
    count = len(curve.proved)
    every = ceil(count / MOST_COLUMNS)
    return sorted({*range(0, count, every), count - 1})


def _class_figure(curve: Curve, names: tuple[str, ...]) -> str:
    """A heat map in which every cell has its number: lines of nine classes would cross."""
    if curve.accuracy is None or len(curve.by_class) < 2:
        return ""
    budgets = class_budgets(curve)
    heads = "".join(f'<th scope="col">{k}</th>' for k in budgets)
    body = ""
    for label, (count, shares) in curve.by_class.items():
        name = escape(name_class(label, names))
        cells = "".join(
            f'<td style="--share:{shares[k]:.3f}" class="{"deep" if shares[k] > HALF_DARK else "pale"}" '
            f'data-tip="{name}, budget {k}: {round(shares[k] * count):,} of {count:,} right and proved">'
            f"{shares[k]:.0%}</td>"
            for k in budgets
        )
        body += f'<tr><th scope="row">{name}</th><td class="count">{count:,}</td>{cells}</tr>'
    return figure_card(
        f"{term('right and proved', 'Right and proved')} in each true class",
        f"{curve.setting.terms}; columns are budgets", "",
        '<div class="heat"><table><thead><tr><th scope="col">true class</th><th scope="col">of</th>'
        f"{heads}</tr></thead><tbody>{body}</tbody></table></div>", "", broad=len(budgets) > NARROW,
    )  # fmt: skip


def _radius_figure(curve: Curve) -> str:
    if not curve.radii:
        return ""
    told = "Radii: " + ", ".join(f"{name}: {count}" for name, count in curve.radii.items())
    body = "".join(f'<tr><th scope="row">{name}</th><td>{count:,}</td></tr>' for name, count in curve.radii.items())
    return figure_card(
        f"Exact {term('radius', 'radii')}", f"{curve.setting.terms}; robust: nothing within the cap breaks it",
        chart.bars(curve.radii, told, "flips survived", "claims"), "",
        f'<table><thead><tr><th scope="col">radius</th><th scope="col">claims</th></tr></thead><tbody>{body}</tbody>'
        "</table>",
    )  # fmt: skip


def cactus_lines(rows: Sequence[Row]) -> list[chart.Line]:
    """Solved questions by the time that each took; those that followed from others took none of their own."""
    held: dict[tuple[bool, float, str, str], list[float]] = {}
    for row in rows:
        if row.status in ("robust", "vulnerable") and not row.implied:
            budget = float("inf") if row.budget is None else row.budget
            kind = (True, 0.0, "") if row.kind == "radius" else (False, budget, row.setting.local)
            held.setdefault((*kind, row.engine), []).append(row.spent)
    engines = {engine for *_, engine in held}
    out = []
    for (is_radius, budget, local, engine), spent in sorted(held.items()):
        told = "radius" if is_radius else "no budget" if budget == float("inf") else f"budget {budget:g}"
        told += f", local {local}" if local else ""
        out.append(chart.Line(told + (f", {engine}" if len(engines) > 1 else ""), _thinned(sorted(spent))))
    return out[:MOST_LINES]


def _thinned(values: Sequence[float], most: int = 400) -> list[tuple[float, float]]:
    """No more points than the paper can show; the ends stay."""
    kept = sorted({round(k * (len(values) - 1) / (most - 1)) for k in range(most)}) if len(values) > most else None
    return [(float(k + 1), values[k]) for k in (range(len(values)) if kept is None else kept)]


def _cactus_figure(rows: Sequence[Row]) -> str:
    lines = cactus_lines(rows)
    if not lines:
        return ""
    told = "Time to solve: " + "; ".join(
        f"{line.name}: {line.points[-1][0]:,.0f} solved, the longest took {chart.tell_seconds(line.points[-1][1])}"
        for line in lines
    )
    drawn = chart.cactus(lines, told, "solved questions, quickest first", "time each took")
    return figure_card("Time to solve", "", drawn, legend(lines) if len(lines) > 1 else "", "")


def legend(lines: Sequence[chart.Line]) -> str:
    items = "".join(
        f'<li><span class="key c{k % 8}{" main" * line.main}{" dashed" * (k >= 8)}"></span>{escape(line.name)}</li>'
        for k, line in enumerate(lines)
    )
    return f'<ul class="legend">{items}</ul>'


def figure_card(what: str, note: str, drawn: str, below: str, numbers: str, *, broad: bool = False) -> str:
    """`what` is HTML; `note` is text. broad: it takes two places where there are so many."""
    told = f"<details><summary>In numbers</summary>{numbers}</details>" if numbers else ""
    small = f"<p>{escape(note)}</p>" if note else ""
    head = f"<figcaption><h3>{what}</h3>{small}</figcaption>"
    return f'<figure class="card{" broad" * broad}">{head}{drawn}{below}{told}</figure>'

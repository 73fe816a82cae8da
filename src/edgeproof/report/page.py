"""The page: one HTML file that holds everything it shows. Whatever comes from a file is escaped."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Callable, Sequence
from html import escape
from importlib.resources import files
from typing import Any

from ..model.graph import Graph
from ..picture.describe import figure
from ..picture.draw import STYLE, name_class
from ..version import __version__
from . import chart
from .curves import Curve, contradictions, curves
from .gather import Answers, Row, tell_skipped
from .graphs import Graphs

MOST_PICTURES = 5000  # about 2 kB each
MOST_LINES = 16  # of a chart: more cannot be told apart
COLUMNS = (
    "network", "graph", "node", "asked", "budget", "local", "flips", "against", "status", "radius", "class",
    "true class", "becomes", "attack", "seconds", "search nodes", "note",
)  # fmt: skip
NUMBERS = ("node", "budget", "local", "radius", "attack", "seconds", "search nodes")
ALWAYS = ("node", "status", "class")  # the others are left out where they say the same in every row


def make_page(
    answers: Answers, graphs: Graphs, *, title: str = "Edgeproof report", names: Sequence[str] = (),
    most_pictures: int = MOST_PICTURES, progress: Callable[[int, int], None] | None = None,
) -> str:  # fmt: skip
    """names: of the classes. progress: called with the number of pictures drawn and of those to draw."""
    told = tuple(names)
    found = curves(answers.rows)
    pictures, drawn = _pictures(answers.rows, graphs, told, most_pictures, progress)
    data = {"columns": COLUMNS, "numbers": NUMBERS, "shown": _shown(answers.rows, told),
            "rows": [_cells(row, told) for row in answers.rows], "picture": drawn, "pictures": pictures,
            "flips": [_tell_pairs(row) for row in answers.rows],
            "whole": [at for at, row in enumerate(answers.rows) if row.node is None]}  # fmt: skip
    body = [
        f"<header><h1>{escape(title)}</h1>{_subtitle(answers)}</header><main>",
        _warnings(answers, graphs, most_pictures),
        _headline(answers),
        *_sections(answers, found, told),
        _fragile(answers),
        *([_table(len(answers.rows))] if answers.rows else []),
        "</main>",
        f"<footer>Made by Edgeproof {escape(__version__)}. A verdict holds for real-number arithmetic on the stored "
        "weights; every attack was evaluated rigorously.</footer>",
    ]
    script = ""
    if answers.rows:
        script = f'<script type="application/json" id="data">{_json(data)}</script><script>{_asset("page.js")}</script>'
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" '
        f'content="light dark"><title>{escape(title)}</title><link rel="icon" href="data:,">'
        f"<style>{_asset('page.css')}{STYLE}</style></head><body>{''.join(body)}{script}</body></html>\n"
    )


def _asset(name: str) -> str:
    return (files(__package__) / name).read_text(encoding="utf-8")


def _json(data: Any) -> str:
    """Nothing in it can end the element that it stands in."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=True)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _subtitle(answers: Answers) -> str:
    titles = list(dict.fromkeys(row.setting.title for row in answers.rows))
    shown = ", ".join(titles[:4]) + (f" and {len(titles) - 4} more" if len(titles) > 4 else "")
    return f"<p>{escape(shown)}</p>" if titles else ""


def _warnings(answers: Answers, graphs: Graphs, most: int) -> str:
    out = [
        f'<p role="alert" class="warning">Contradiction: {escape(one)}. Please report this as a bug.</p>'
        for one in contradictions(answers.rows, answers.contradicted)
    ]
    if answers.skipped:
        out.append(f'<p class="warning">{escape(tell_skipped(answers.skipped))}.</p>')
    out += [
        f'<p class="warning">{escape(name or "a graph")} is not drawn: {escape(why)}. Give its file with --graph.</p>'
        for name, why in graphs.missing.items()
    ]
    attacks = len({_subject(row) for row in answers.rows if row.attack is not None})
    if attacks > most:
        out.append(f'<p class="warning">{most:,} of {attacks:,} attacks are drawn; --pictures sets how many.</p>')
    if not answers.rows:
        out.append(
            '<p class="warning">The store holds no answers yet: let the sweep run, and make this page again.</p>'
        )
    return "".join(out)


def _headline(answers: Answers) -> str:
    total = len(answers.rows)
    tiles = [("questions", total, "")]
    for status in ("robust", "vulnerable", "unknown", "error"):
        count = answers.count(status)
        if count or status in ("robust", "vulnerable"):
            tiles.append(("errors" if status == "error" else status, count, _tell_share(count, total)))
    if answers.implied:
        tiles.append(("followed from others", answers.implied, "at no cost"))
    shown = "".join(
        f'<div class="tile {escape(name.split()[0])}"><dt>{name}</dt><dd data-count="{escape(name)}">{count:,}</dd>'
        f"<small>{note}</small></div>"
        for name, count, note in tiles
    )
    spent = f'<div class="tile"><dt>time in all</dt><dd>{tell_seconds(answers.seconds)}</dd><small></small></div>'
    return f'<section aria-label="In numbers"><dl class="tiles">{shown}{spent}</dl></section>'


def _tell_share(count: int, total: int) -> str:
    """Few are not none."""
    if not total:
        return ""
    return "under 0.1%" if 0 < count < 0.001 * total else f"{count / total:.1%}"


def tell_seconds(seconds: float) -> str:
    if seconds < 1:
        return f"{1000 * seconds:.3g} ms"
    if seconds < 300:
        return f"{seconds:.3g} s"
    return f"{seconds / 60:,.0f} min" if seconds < 18_000 else f"{seconds / 3600:,.1f} h"


def _sections(answers: Answers, found: Sequence[Curve], names: tuple[str, ...]) -> list[str]:
    out = []
    for title in dict.fromkeys(curve.setting.title for curve in found):
        some = [curve for curve in found if curve.setting.title == title]
        figures = [part for curve in some for part in (_share_figure(curve, names), _radius_figure(curve))]
        figures.append(_cactus_figure([row for row in answers.rows if row.setting.title == title]))
        out.append(f'<section><h2>{escape(title)}</h2><div class="charts">{"".join(figures)}</div></section>')
    return out


def share_lines(curve: Curve, names: tuple[str, ...]) -> list[chart.Line]:
    """All claims; where true classes are known also what is right and proved, in all and by class."""
    exact = curve.proved == curve.at_most
    lines = [chart.Line("proved", _numbered(curve.proved), () if exact else _numbered(curve.at_most), main=True)]
    if curve.accuracy is not None:
        lines.append(chart.Line("right and proved", _numbered(curve.accuracy), main=True))
        if 1 < len(curve.by_class) <= MOST_LINES - 2:
            lines += [
                chart.Line(f"{name_class(label, names)} ({count:,})", _numbered(shares))
                for label, (count, shares) in curve.by_class.items()
            ]
    return lines


def _numbered(values: Sequence[float]) -> list[tuple[float, float]]:
    return [(float(k), value) for k, value in enumerate(values)]


def _share_figure(curve: Curve, names: tuple[str, ...]) -> str:
    lines = share_lines(curve, names)
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
    what = "Share proved robust, by budget"
    note = "; the shade is what is not decided" if band else ""
    return _figure(
        what, f"{curve.setting.terms}; {curve.count:,} {'claim' if curve.count == 1 else 'claims'}{note}",
        chart.steps(lines, told, curve.setting.axis, "share"), _legend(lines),
        f'<table><thead><tr><th scope="col">budget</th>{heads}</tr></thead><tbody>{body}</tbody></table>',
    )  # fmt: skip


def _radius_figure(curve: Curve) -> str:
    if not curve.radii:
        return ""
    told = "Radii: " + ", ".join(f"{name}: {count}" for name, count in curve.radii.items())
    body = "".join(f'<tr><th scope="row">{name}</th><td>{count:,}</td></tr>' for name, count in curve.radii.items())
    return _figure(
        "Exact radii", f"{curve.setting.terms}; robust: nothing within the cap breaks it",
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
        f"{line.name}: {line.points[-1][0]:,.0f} solved, the longest took {tell_seconds(line.points[-1][1])}"
        for line in lines
    )
    drawn = chart.cactus(lines, told, "solved questions, quickest first", "time each took")
    return _figure("Time to solve", "", drawn, _legend(lines) if len(lines) > 1 else "", "")


def _legend(lines: Sequence[chart.Line]) -> str:
    items = "".join(
        f'<li><span class="key c{k % 8}{" main" * line.main}{" dashed" * (k >= 8)}"></span>{escape(line.name)}</li>'
        for k, line in enumerate(lines)
    )
    return f'<ul class="legend">{items}</ul>'


def _figure(what: str, note: str, drawn: str, legend: str, numbers: str) -> str:
    told = f"<details><summary>In numbers</summary>{numbers}</details>" if numbers else ""
    small = f"<p>{escape(note)}</p>" if note else ""
    return f'<figure class="card"><figcaption><h3>{what}</h3>{small}</figcaption>{drawn}{legend}{told}</figure>'


def _fragile(answers: Answers, most: int = 10) -> str:
    top = answers.most_flipped(most)
    if not top:
        return ""
    several = len({one.graph_name for one in top}) > 1
    body = "".join(
        f"<tr>{f'<td>{escape(one.graph_name)}</td>' if several else ''}"
        f"<td>{one.pair[0]} {'→' if one.directed else '-'} {one.pair[1]}</td><td>{one.times:,}</td></tr>"
        for one in top
    )
    head = '<th scope="col">graph</th>' if several else ""
    return (
        "<section><h2>Pairs that attacks flip most</h2><p>How many nodes or graphs have a known attack with this "
        f'pair in it.</p><table class="card fragile"><thead><tr>{head}<th scope="col">pair</th><th scope="col">attacks'
        f"</th></tr></thead><tbody>{body}</tbody></table></section>"
    )


def _table(total: int) -> str:
    return (
        f'<section><h2 id="all">All questions</h2><noscript><p>The table of {total:,} questions needs JavaScript.</p>'
        '</noscript><form id="filters" role="search" aria-label="Filter the table"></form>'
        '<p id="matches" aria-live="polite"></p><div class="card wide"><div id="scroll" tabindex="0" role="grid" '
        'aria-labelledby="all"></div></div><p class="hint">Arrow keys move, Enter opens a question, a click on a '
        'heading sorts.</p></section><dialog id="one" aria-labelledby="one-title"></dialog>'
    )


def _subject(row: Row) -> tuple[Any, ...]:
    return row.graph, row.node, row.label, row.rival, row.attack


def _pictures(
    rows: Sequence[Row], graphs: Graphs, names: tuple[str, ...], most: int,
    progress: Callable[[int, int], None] | None,
) -> tuple[list[str], list[int | None]]:  # fmt: skip
    """Every attack once, packed; and for each row the number of its picture."""
    made: dict[tuple[Any, ...], int | None] = {}
    out: list[str] = []
    places: list[int | None] = []
    todo = min(most, len({_subject(row) for row in rows if row.attack is not None}))
    for row in rows:
        if row.attack is None:
            places.append(None)
            continue
        subject = _subject(row)
        if subject not in made:
            graph = graphs.find(row.graph, row.graph_name, row.directed) if len(out) < most else None
            made[subject] = None if graph is None else len(out)
            if graph is not None:
                out.append(_pack(graph, row, names))
                if progress is not None:
                    progress(len(out), todo)
        places.append(made[subject])
    return out, places


def _pack(graph: Graph, row: Row, names: tuple[str, ...]) -> str:
    assert row.attack is not None
    text = figure(graph, row.attack, row.node, row.label, row.rival, names, style=False)
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()


def _cells(row: Row, names: tuple[str, ...]) -> list[Any]:
    setting = row.setting

    def told(label: int | None) -> str | None:
        return None if label is None else name_class(label, names)

    return [
        setting.network_name, row.graph_name, row.graph_index if row.node is None else row.node, row.kind, row.budget,
        setting.local, setting.flips, setting.target, row.status, _tell_radius(row), told(row.label),
        told(row.true_label), told(row.rival), None if row.attack is None else row.attack.cost, round(row.spent, 6),
        row.nodes, row.reason or ("followed from another answer" if row.implied else ""),
    ]  # fmt: skip


def _tell_radius(row: Row) -> int | str | None:
    if row.kind != "radius" or row.lower is None:
        return None
    if row.status == "robust":
        return "all" if row.budget is None else f"{row.lower} or more"
    return row.lower if row.status == "vulnerable" else f"{row.lower} to {'?' if row.upper is None else row.upper}"


def _tell_pairs(row: Row) -> str:
    arrow = "→" if row.directed else "-"
    return ", ".join(f"{u} {arrow} {v}" for u, v in row.attack or ())


def _shown(rows: Sequence[Row], names: tuple[str, ...]) -> list[int]:
    cells = [_cells(row, names) for row in rows]
    return [
        k for k, name in enumerate(COLUMNS)
        if name in ALWAYS or len({row[k] for row in cells}) > 1 or (name == "radius" and any(row[k] for row in cells))
    ]  # fmt: skip

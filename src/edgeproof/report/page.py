"""The page: one HTML file that holds everything it shows. Whatever comes from a file is escaped."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from html import escape
from importlib.resources import files
from typing import Any

from ..picture.draw import STYLE
from ..picture.style import LINES, ROBUST, UNKNOWN, VULNERABLE
from ..version import __version__
from .compare import compare_section, describe, matches
from .curves import contradictions, curves
from .gather import Answers, tell_skipped
from .graphs import Graphs, Networks
from .overview import overview, pack_settings
from .pairs import pairs_section
from .pictures import Pictures
from .sections import sections
from .subjects import ANSWER, FIELDS, pack_subjects

MOST_PICTURES = 5000  # about 2 kB each
SCRIPTS = ("data.js", "tips.js", "overview.js", "table.js", "compare.js", "one.js")


def make_page(
    answers: Answers, graphs: Graphs, networks: Networks, *, title: str = "Edgeproof report",
    names: Sequence[str] = (), most_pictures: int = MOST_PICTURES, sweeps: tuple[str, str] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> str:  # fmt: skip
    """names: of the classes. sweeps: the names of two that are compared. progress: called with the number of pictures
    drawn and of those to draw.
    """
    told = tuple(names)
    found = curves(answers.rows)
    pairs = matches(found, sweeps) if sweeps is not None and found else []
    pictures = Pictures(answers.rows, graphs, networks, told, most_pictures, progress)
    settings = list(dict.fromkeys([*(one.setting for one in found), *(row.setting for row in answers.rows)]))
    things = "graphs" if answers.rows and answers.rows[0].node is None else "nodes"
    data = {
        "fields": FIELDS, "answer": ANSWER, "settings": pack_settings(found), "things": things,
        "rows": pack_subjects(answers.rows, settings, pictures.places, told), "pictures": pictures.packed,
        "compare": pairs, "sweeps": sweeps,
    }  # fmt: skip
    which = describe(found, sweeps) if sweeps is not None else _subtitle(answers)
    body = [
        f"<header><h1>{escape(title)}</h1>{which}</header><main>",
        _warnings(answers, graphs, networks, pictures, most_pictures),
        overview(answers, found, things) if answers.rows else "",
        compare_section(found, pairs) if pairs else "",
        *sections(answers, found, told),
        pairs_section(answers),
        *([_table(len(answers.rows), things)] if answers.rows else []),
        "</main>",
        f"<footer>Made by Edgeproof {escape(__version__)}. A verdict holds for real-number arithmetic on the stored "
        "weights; every attack was evaluated rigorously.</footer>",
    ]
    return _document(title, "".join(body), data if answers.rows else None)


def _document(title: str, body: str, data: Mapping[str, Any] | None) -> str:
    script = ""
    if data is not None:
        code = "".join(map(_asset, SCRIPTS))
        script = (
            f'<script type="application/json" id="data">{_json(data)}</script>'
            f'<script>"use strict";(() => {{{code}}})();</script>'
        )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" '
        f'content="light dark"><title>{escape(title)}</title><link rel="icon" href="data:,">'
        f"<style>{_css()}</style></head><body>{body}{script}</body></html>\n"
    )


def _css() -> str:
    """Screens take the palette of all drawings; page.css changes it where the screen is dark."""
    colours = {f"c{at}": colour for at, colour in enumerate(LINES)}
    colours |= {"robust": ROBUST, "vulnerable": VULNERABLE, "unknown": UNKNOWN}
    palette = "".join(f"--{name}:{colour};" for name, colour in colours.items())
    return f":root{{{palette}}}{_asset('page.css').replace('PALETTE', palette)}{STYLE}"


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


def _warnings(answers: Answers, graphs: Graphs, networks: Networks, pictures: Pictures, most: int) -> str:
    whole = [row._replace(setting=row.setting._replace(sweep="")) for row in answers.rows]
    out = [
        f'<p role="alert" class="warning">Contradiction: {escape(one)}. Please report this as a bug.</p>'
        for one in contradictions(whole, answers.contradicted)
    ]
    if answers.skipped:
        out.append(f'<p class="warning">{escape(tell_skipped(answers.skipped))}.</p>')
    out += [
        f'<p class="warning">{escape(name or "a graph")} is not drawn: {escape(why)}. Give its file with --graph.</p>'
        for name, why in graphs.missing.items()
    ]
    if pictures.packed:
        out += [
            f'<p class="warning">Scores of {escape(name)} are left out: {escape(why)}. Give its file with --model.</p>'
            for name, why in networks.missing.items()
        ]
    if pictures.attacks > most:
        out.append(
            f'<p class="warning">{most:,} of {pictures.attacks:,} attacks are drawn; --pictures sets how many.</p>'
        )
    if not answers.rows:
        out.append(
            '<p class="warning">The store holds no answers yet: let the sweep run, and make this page again.</p>'
        )
    return "".join(out)


def _table(total: int, things: str) -> str:
    return (
        f'<section><h2 id="all">All {things}</h2><noscript><p>The table of {total:,} questions needs JavaScript.</p>'
        '</noscript><form id="filters" role="search" aria-label="Filter the table"></form>'
        '<p class="found"><span id="matches" aria-live="polite"></span> <button type="button" id="csv">Download as CSV'
        '</button></p><div class="card wide"><div id="scroll" tabindex="0" role="grid" '
        'aria-labelledby="all"></div></div><p class="hint">Arrow keys move, Enter opens a row, a click on a '
        "heading sorts. Every row has an address of its own, such as <code>#node=17</code>.</p></section>"
        '<dialog id="one" aria-labelledby="one-title"></dialog>'
    )

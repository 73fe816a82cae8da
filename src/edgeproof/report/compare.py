"""Two sweeps beside each other: which settings belong together, and one chart with both curves."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from ..errors import InputError
from . import chart
from .curves import Curve
from .gather import Setting
from .sections import figure_card, legend, share_lines
from .terms import term


class Match(NamedTuple):
    """Places of two curves that ask the same of two networks, or of two graphs."""

    first: int
    second: int


def matches(found: Sequence[Curve], sweeps: tuple[str, str]) -> list[Match]:
    """Curves of both sweeps under one threat, first those of one network; InputError where nothing belongs together."""
    sides = [[at for at, one in enumerate(found) if one.setting.sweep == sweep] for sweep in sweeps]
    left, right = (list(side) for side in sides)
    out: list[Match] = []
    for by_name in (True, False):
        for a in list(left):
            b = next((b for b in right if _asked(found[a], by_name) == _asked(found[b], by_name)), None)
            if b is not None:
                out.append(Match(a, b))
                left.remove(a)
                right.remove(b)
    if not out and len(sides[0]) == len(sides[1]) == 1:  # two threats: also something to compare
        out = [Match(sides[0][0], sides[1][0])]
    if not out:
        told = [", ".join(dict.fromkeys(found[at].setting.terms for at in side)) or "nothing" for side in sides]
        raise InputError(f"report: expected sweeps with a threat in common, got {told[0]} and {told[1]}")
    return sorted(out)


def _asked(curve: Curve, by_name: bool) -> Setting:
    """What two settings must have in common: everything but the weights, and the network's name if need be."""
    asked = curve.setting._replace(sweep="", network="")
    return asked if by_name else asked._replace(network_name="")


def compare_section(found: Sequence[Curve], pairs: Sequence[Match]) -> str:
    """The chart stands; the table of verdicts and the list of nodes follow the budget, by the page's script."""
    cards = "".join(_card(found[one.first], found[one.second]) for one in pairs)
    return (
        '<section id="compare"><h2>Both sweeps</h2><p id="compared" aria-live="polite"></p>'
        f'<div class="charts">{cards}<figure class="card"><figcaption><h3>Verdicts</h3><p>Rows are the first sweep, '
        'columns the second; a number lists its nodes.</p></figcaption><table id="cross"></table></figure></div>'
        '<h3 id="differ-title">Where the verdict differs</h3>'
        '<div class="card scrolls"><table id="differ"></table></div>'
        '<p><button type="button" id="differ-csv">Download as CSV</button></p>'
        "<noscript><p>Which nodes differ needs JavaScript.</p></noscript></section>"
    )


def _card(first: Curve, second: Curve) -> str:
    lines = []
    for curve in (first, second):
        line = share_lines(curve)[0]
        name = curve.setting.sweep
        lines.append(line._replace(name=name, points=line.points, main=True))
    told = "; ".join(f"{line.name}: {line.points[-1][1]:.0%} at {len(line.points) - 1}" for line in lines)
    terms = first.setting.terms if first.setting.terms == second.setting.terms else (
        f"{first.setting.terms}; {second.setting.terms}"
    )  # fmt: skip
    return figure_card(
        f"Share {term('proved')}, by {term('budget')}", terms, chart.steps(lines, told, first.setting.axis, "share"),
        legend(lines), "",
    )  # fmt: skip


def describe(found: Sequence[Curve], sweeps: tuple[str, str]) -> str:
    """Which networks and graphs stand beside each other, as HTML."""
    told = []
    for sweep in sweeps:
        titles = dict.fromkeys(one.setting._replace(sweep="").title for one in found if one.setting.sweep == sweep)
        told.append(f"<b>{escape(sweep)}</b>: {escape(', '.join(titles))}")
    return f"<p>{'; '.join(told)}</p>"

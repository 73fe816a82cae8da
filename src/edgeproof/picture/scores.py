"""The scores of the classes before and after an attack, as bars: which class loses, which gains, and by how much."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from .style import name_class

WIDTH, ROW, NAMES, NUMBERS = 380, 34, 112, 132
MOST = 8  # classes; the two in question are always among them
LONGEST = 16  # letters of a name


class Scores(NamedTuple):
    """Of every class, in floating point."""

    before: Sequence[float]
    after: Sequence[float]


def shown_classes(scores: Scores, label: int | None, rival: int | None) -> list[int]:
    """The class that was defended, the one that wins, then by what they score after the attack."""
    first = [one for one in (label, rival) if one is not None]
    others = sorted((k for k in range(len(scores.after)) if k not in first), key=lambda k: -scores.after[k])
    return [*first, *others][:MOST]


def draw_scores(scores: Scores, label: int | None, rival: int | None, names: tuple[str, ...] = ()) -> str:
    """An SVG in the colours of the picture beside it."""
    shown = shown_classes(scores, label, rival)
    values = [value for k in shown for value in (scores.before[k], scores.after[k])]
    low, high = min(0.0, *values), max(0.0, *values)
    room = WIDTH - NAMES - NUMBERS

    def place(value: float) -> float:
        return round(NAMES + room * (value - low) / max(high - low, 1e-12), 1)

    tall = ROW * len(shown) + 26
    first, last = (max(range(len(one)), key=one.__getitem__) for one in scores)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="ep-picture ep-scores" viewBox="0 0 {WIDTH} {tall}" '
        f'width="{WIDTH}" height="{tall}" role="img"><title>scores before and after</title>'
        f'<text class="ep-number ep-left" x="4" y="11">score</text><text class="ep-number ep-right" x="{WIDTH - 4}" '
        'y="11">before \u2192 after</text>'
    ]
    for at, k in enumerate(shown):
        y = 22 + ROW * at
        before, after = scores.before[k], scores.after[k]
        drawn = _bar(place(0.0), place(before), y + 2, "before") + _bar(place(0.0), place(after), y + 14, "after")
        name = name_class(k, names)
        short = name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}\u2026"
        parts.append(
            f'<g data-class="{k}"><title>{escape(name)}: {before:.6g} before, {after:.6g} after</title>'
            f'<text class="ep-number ep-left{" ep-strong" * (k in (label, rival))}" x="4" y="{y + 13}">{escape(short)}'
            f"</text>{drawn}"
            f'<text class="ep-number ep-right" x="{WIDTH - 4}" y="{y + 13}">{_mark(before, k == first)} \u2192 '
            f"{_mark(after, k == last)}</text></g>"
        )
    zero = place(0.0)
    return "".join([*parts, f'<line x1="{zero}" x2="{zero}" y1="20" y2="{tall - 4}"/></svg>'])


def _bar(zero: float, end: float, y: float, when: str) -> str:
    return f'<rect class="ep-{when}" x="{min(zero, end)}" y="{y}" width="{abs(end - zero):.1f}" height="10"/>'


def _mark(value: float, wins: bool) -> str:
    """The largest score is set in bold."""
    told = f"{value:.4g}"
    return f'<tspan class="ep-strong">{told}</tspan>' if wins else told

"""The top of the page: a budget, one sentence about it, and a few numbers."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from .chart import tell_seconds
from .curves import Curve, Level
from .gather import Answers
from .terms import term

MOST_BUTTONS = 14
STATES = (("proved", "robust"), ("broken", "vulnerable"), ("undecided", "unknown"))


def pack_settings(found: Sequence[Curve]) -> list[dict[str, Any]]:
    """What the selector needs of each curve."""
    return [
        {
            "title": curve.setting.title, "terms": curve.setting.terms, "sweep": curve.setting.sweep,
            "noun": noun(curve), "count": curve.count, "levels": [list(level) for level in curve.levels],
        }
        for curve in found
    ]  # fmt: skip


def noun(curve: Curve) -> str:
    flips = curve.setting.flips
    if flips.startswith("deletions") and "insertions" not in flips:
        return "deletion"
    return "insertion" if flips.startswith("insertions") else "flip"


def first_level(curve: Curve) -> int:
    """The place of the smallest budget from 1 on, where there is one."""
    return next((at for at, level in enumerate(curve.levels) if level.budget is None or level.budget >= 1), 0)


def tell_budget(budget: int | None, thing: str) -> str:
    return f"any number of {thing}s" if budget is None else f"{budget:,} {thing}{'' if budget == 1 else 's'}"


def sentence(curve: Curve, level: Level) -> str:
    """The page's script says the same of other budgets."""
    told = f"At {tell_budget(level.budget, noun(curve))}, {tell_share(level.proved, curve.count)} are proved"
    if level.right is not None:
        told += f", {tell_share(level.right, curve.count)} right and proved"
    return f"{told}."


def overview(answers: Answers, found: Sequence[Curve], things: str) -> str:
    if not found:
        return _totals(answers)
    curve = found[0]
    at = first_level(curve)
    level = curve.levels[at]
    tiles = [_tile(name, getattr(level, name), curve.count, kind) for name, kind in STATES] + (
        [] if level.right is None else [_tile("right and proved", level.right, curve.count, "right")]
    )
    return (
        f'<section id="overview" aria-label="At one budget"><div class="choose">{_settings(found)}{_budgets(curve, at)}'
        f'</div><p id="sentence" aria-live="polite">{escape(sentence(curve, level))}</p>'
        f'<p id="which">{_which(curve, things)}</p><dl class="tiles" id="level">{"".join(tiles)}</dl></section>'
        f"{_totals(answers)}"
    )  # fmt: skip


def _which(curve: Curve, things: str) -> str:
    return f"{escape(curve.setting.title)}, {escape(curve.setting.terms)}: {curve.count:,} {things}"


def _tile(name: str, count: int, total: int, kind: str) -> str:
    return (
        f'<div class="tile {kind}"><dt>{term(name)}</dt><dd data-level="{escape(name)}">{count:,}</dd>'
        f"<small>{tell_share(count, total)}</small></div>"
    )


def _settings(found: Sequence[Curve]) -> str:
    if len(found) < 2:
        return ""
    options = "".join(
        f'<option value="{at}">{escape(curve.setting.title)}: {escape(curve.setting.terms)}</option>'
        for at, curve in enumerate(found)
    )
    return f'<label>question<select id="setting">{options}</select></label>'


def _budgets(curve: Curve, at: int) -> str:
    """Buttons for a few, a list for many; the script makes them anew for another curve."""
    told = ["any" if level.budget is None else str(level.budget) for level in curve.levels]
    if len(told) > MOST_BUTTONS:
        options = "".join(
            f'<option value="{k}"{" selected" * (k == at)}>{name}</option>' for k, name in enumerate(told)
        )
        inside = f'<select name="budget">{options}</select>'
    else:
        inside = "".join(
            f'<label><input type="radio" name="budget" value="{k}"{" checked" * (k == at)}><span>{name}</span></label>'
            for k, name in enumerate(told)
        )
    return f'<fieldset id="budgets"><legend>{term("budget")}</legend><div>{inside}</div></fieldset>'


def _totals(answers: Answers) -> str:
    """Of the sweep as a whole."""
    parts = [_total("questions", len(answers.rows), "questions")]
    for status in ("robust", "vulnerable", "unknown", "error"):
        count = answers.count(status)
        if count or status in ("robust", "vulnerable"):
            name = "errors" if status == "error" else status
            parts.append(_total(name, count, f'<span class="s-{status}">{name}</span>'))
    if answers.implied:
        parts.append(_total("followed from others", answers.implied, term("followed from others")))
    parts.append(f"{tell_seconds(answers.seconds)} in all")
    return f'<p class="totals" aria-label="The sweep in numbers">{", ".join(parts)}</p>'


def _total(name: str, count: int, shown: str) -> str:
    return f'<span><b data-count="{name}">{count:,}</b> {shown}</span>'


def tell_share(count: int, total: int) -> str:
    """Few are not none."""
    if not total:
        return ""
    return "under 0.1%" if 0 < count < 0.001 * total else f"{count / total:.1%}"

"""How many claims are proved for each budget: from verdicts and radii of the same setting, by what each implies.

A claim proved for a budget is proved for every smaller one; an attack of s flips breaks it for every budget from s on.
What is known of a subject is therefore an interval of radii, and a share by budget lies between two numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from math import inf
from typing import NamedTuple

from .gather import Row, Setting

MOST_BUDGETS = 1000  # of a curve: "no matter how many" is often said as a large number


class Subject(NamedTuple):
    """A node, or a whole graph, by its number."""

    graph: str
    number: int
    node: int | None


@dataclass
class Known:
    """lower: largest budget proved, infinite if nothing admissible breaks it; upper: the cheapest attack minus 1. Under
    a rule by degree both are counted from `share`, what the rule gives the node.
    """

    lower: float
    upper: float
    exact: bool  # a radius was asked for, and found
    right: bool | None  # the defended class is the true one; None: unknown
    true_label: int | None
    share: int = 0


class Level(NamedTuple):
    """How many subjects are what at one budget (None: no limit). right: right and proved, where classes are known."""

    budget: int | None
    proved: int
    broken: int
    undecided: int
    right: int | None


@dataclass(frozen=True)
class Curve:
    """Shares of `count` subjects by budget, from 0 to the largest that was asked for or broken, or 1,000."""

    setting: Setting
    count: int
    proved: tuple[float, ...]
    at_most: tuple[float, ...]
    by_class: dict[int, tuple[int, tuple[float, ...]]]  # true class: how many, share right and proved
    accuracy: tuple[float, ...] | None  # right and proved; None where true classes are not known
    radii: dict[str, int]  # the histogram: exact radii, "robust", "unknown"
    levels: tuple[Level, ...]  # at the budgets that a reader may ask about


def curves(rows: Iterable[Row]) -> list[Curve]:
    """One for each setting, in the order in which they first occur."""
    held: dict[Setting, list[Row]] = {}
    for row in rows:
        if row.status != "error":
            held.setdefault(row.setting, []).append(row)
    return [_curve(setting, some) for setting, some in held.items()]


def contradictions(rows: Iterable[Row], contradicted: Collection[str] = ()) -> list[str]:
    """Subjects of which the store proves and breaks the same claim: a fault of an engine, to be told loudly.

    contradicted: keys of which it holds answers that differ.
    """
    held: dict[Setting, list[Row]] = {}
    twice: dict[str, Row] = {}
    for row in rows:
        held.setdefault(row.setting, []).append(row)
        if row.key in contradicted:
            twice.setdefault(row.key, row)
    return [
        f"{_tell_subject(setting, one)}: proved for {known.lower:g} flips, broken by {known.upper + 1:g}"
        for setting, some in held.items()
        for one, known in intervals(some).items()
        if known.lower > known.upper
    ] + [
        f"{_tell_subject(row.setting, Subject(row.graph, row.graph_index, row.node))}: the same question "
        f"({row.kind}, budget {'none' if row.budget is None else row.budget}) has answers that differ"
        for row in twice.values()
    ]


def _tell_subject(setting: Setting, subject: Subject) -> str:
    where = f"graph {subject.number}" if subject.node is None else f"node {subject.node}"
    return f"{setting.title}, {where}"


def intervals(rows: Sequence[Row]) -> dict[Subject, Known]:
    out: dict[Subject, Known] = {}
    for row in rows:
        subject = Subject(row.graph, row.graph_index, row.node)
        if subject not in out:
            # the predicted class is what the network says: it survives zero flips
            start = 0 if row.predicted else -1
            out[subject] = Known(start - row.share, inf, False, None, row.true_label, row.share)
        known = out[subject]
        if row.label is not None and row.true_label is not None:
            known.right = row.label == row.true_label
        if row.attack is not None:
            known.upper = min(known.upper, row.attack.cost - 1 - row.share)
        if row.kind == "radius" and row.lower is not None:
            known.exact |= row.status in ("robust", "vulnerable")
            unbounded = row.status == "robust" and row.budget is None
            known.lower = max(known.lower, inf if unbounded else row.lower - row.share)
        elif row.status == "robust":
            known.lower = max(known.lower, inf if row.budget is None else row.budget - row.share)
    return out


def _curve(setting: Setting, rows: Sequence[Row]) -> Curve:
    known = list(intervals(rows).values())
    asked = [max(row.budget - row.share, 0) for row in rows if row.budget is not None]
    broken = [max(int(one.upper) + 1, 0) for one in known if one.upper < inf]
    limited = asked and len(asked) == len(rows)
    last = max(asked) if limited else max([*asked, *broken], default=0)
    budgets = range(min(last, MOST_BUDGETS) + 1)
    labelled = all(one.right is not None for one in known)
    classes = sorted({one.true_label for one in known if one.true_label is not None}) if labelled else []
    return Curve(
        setting, len(known), _share(known, budgets), _at_most(known, budgets),
        {
            label: (len(some), _share(some, budgets, right=True))
            for label in classes for some in [[one for one in known if one.true_label == label]]
        },
        _share(known, budgets, right=True) if labelled else None, _histogram(known),
        tuple(_level(known, budget, labelled) for budget in choices(rows, last)),
    )  # fmt: skip


def choices(rows: Sequence[Row], last: int) -> list[int | None]:
    """The budgets that were asked about, those of radii, and no limit where some row has none."""
    found = {None if row.budget is None else row.budget - row.share for row in rows if row.kind == "verdict"}
    if any(row.kind == "radius" for row in rows):
        found |= set(range(min(last, MOST_BUDGETS) + 1))
        found |= {None for row in rows if row.kind == "radius" and row.budget is None}
    limited: list[int | None] = [*sorted(one for one in found if one is not None)]
    return limited + [None] * (None in found)


def _level(known: Sequence[Known], budget: int | None, labelled: bool) -> Level:
    states = Counter(state_at(one, budget) for one in known)
    right = sum(bool(one.right) and state_at(one, budget) == "proved" for one in known) if labelled else None
    return Level(budget, states["proved"], states["broken"], states["undecided"], right)


def state_at(known: Known, budget: int | None) -> str:
    """What is known of a subject under so many flips; an attack counts over a bound that contradicts it."""
    most = inf if budget is None else budget
    if known.upper < most:
        return "broken"
    return "proved" if known.lower >= most else "undecided"


def _share(known: Sequence[Known], budgets: range, *, right: bool = False) -> tuple[float, ...]:
    return tuple(sum(one.lower >= k and bool(one.right or not right) for one in known) / len(known) for k in budgets)


def _at_most(known: Sequence[Known], budgets: range) -> tuple[float, ...]:
    return tuple(sum(one.upper >= k for one in known) / len(known) for k in budgets)


def _histogram(known: Sequence[Known]) -> dict[str, int]:
    """Radii that are known exactly; "robust": nothing within the cap breaks it; "unknown": the interval is open."""
    if not any(one.exact for one in known):
        return {}
    values = [int(one.lower) + one.share for one in known if one.exact and one.upper < inf]
    spread = range(min(values), max(values) + 1) if values else range(0)
    shown = spread if len(spread) <= MOST_BUDGETS else sorted(set(values))
    out = {str(radius): values.count(radius) for radius in shown}
    out["robust"] = sum(one.exact and one.upper == inf for one in known)
    out["unknown"] = sum(not one.exact for one in known)
    return {name: count for name, count in out.items() if count or name.lstrip("-").isdecimal()}

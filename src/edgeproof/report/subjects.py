"""The rows of the page's table: one a node (or graph) and threat, with what is known at each budget."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

from ..picture.style import name_class
from .curves import Known, Subject, intervals
from .gather import Row, Setting

# the fields of a row and of its answers, by their places; the page's scripts read them by these names
FIELDS = ("setting", "graph", "number", "whole", "label", "truth", "right", "lower", "upper", "answers")
ANSWER = ("budget", "kind", "status", "flips", "rival", "seconds", "nodes", "note", "picture", "pairs")


def pack_subjects(
    rows: Sequence[Row], settings: Sequence[Setting], places: Sequence[int | None], names: tuple[str, ...]
) -> list[list[Any]]:
    """In the order of `rows`."""
    number = {setting: at for at, setting in enumerate(settings)}
    held: dict[tuple[int, Subject], list[int]] = {}
    for at, row in enumerate(rows):
        held.setdefault((number[row.setting], subject_of(row)), []).append(at)
    return [
        _pack(setting, [rows[at] for at in some], [places[at] for at in some], names)
        for (setting, _), some in held.items()
    ]


def subject_of(row: Row) -> Subject:
    return Subject(row.graph, row.graph_index, row.node)


def _pack(setting: int, rows: Sequence[Row], places: Sequence[int | None], names: tuple[str, ...]) -> list[Any]:
    first = rows[0]
    label = next((row.label for row in rows if row.label is not None), None)
    (known,) = intervals(rows).values()
    return [
        setting, first.graph_name, first.graph_index if first.node is None else first.node, int(first.node is None),
        _named(label, names), _named(first.true_label, names), _right(known), _end(known.lower), _end(known.upper),
        [_answer(row, place, names) for row, place in zip(rows, places, strict=True)],
    ]  # fmt: skip


def _answer(row: Row, place: int | None, names: tuple[str, ...]) -> list[Any]:
    return [
        row.budget, row.kind, row.status, None if row.attack is None else row.attack.cost, _named(row.rival, names),
        round(row.spent, 6), row.nodes, row.reason or ("followed from another answer" if row.implied else ""), place,
        tell_pairs(row),
    ]  # fmt: skip


def tell_pairs(row: Row) -> str:
    """Such as `3-17 8-33`; messages flow along the arrow of a directed one."""
    return " ".join(tell_pair(u, v, row.directed) for u, v in row.attack or ())


def tell_pair(u: int, v: int, directed: bool) -> str:
    return f"{u}{'→' if directed else '-'}{v}"


def _named(label: int | None, names: tuple[str, ...]) -> str | None:
    return None if label is None else name_class(label, names)


def _right(known: Known) -> int | None:
    return None if known.right is None else int(known.right)


def _end(value: float) -> int | None:
    """JSON has no infinity."""
    return None if value == inf else int(value)

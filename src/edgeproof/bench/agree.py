"""Engines and variants must agree wherever they decide: a difference is a bug, and must not vanish in a table."""

from __future__ import annotations

from collections.abc import Sequence

from .instance import Instance


def disagreements(instances: Sequence[Instance]) -> list[str]:
    """One line for every answer that differs from the first one to its question."""
    first: dict[tuple[object, ...], Instance] = {}
    found = []
    for one in instances:
        if not one.solved:
            continue
        base = first.setdefault((one.row, one.dataset, one.index, one.budget), one)
        if base.status != one.status or (one.status == "vulnerable" and base.radius != one.radius):
            where = f"{one.dataset}, {one.row}, {one.index}, budgets {one.budget}"
            told = [
                f"{x.variant} says {x.status}{'' if x.radius is None else f' (radius {x.radius})'}" for x in (base, one)
            ]
            found.append(f"{where}: {', '.join(told)}")
    return found

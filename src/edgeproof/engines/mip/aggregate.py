"""Sum, mean and max over neighbours that are there or not, as rows of a program.

Every function returns one expression a coordinate. `there` says of a neighbour whether its message arrives: an
expression that is 0 or 1, or None where it always arrives.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...model.arrays import FloatArray
from .arena import Around
from .boxes import Box, max_box, sums_by_degree
from .program import Affine, Builder, as_constant, combination


class Message(NamedTuple):
    """What one neighbour sends: `values[j]` lies in `box` (one row)."""

    row: int
    there: Affine | None
    values: Sequence[Affine]
    box: Box


def _absent(there: Affine) -> Affine:
    return combination([(-1.0, there)], 1.0)


def product(builder: Builder, switch: Affine, value: Affine, lo: float, hi: float) -> Affine:
    """switch * value for a switch that is 0 or 1 and a value in [lo, hi]: exact at both.

    It is lo * switch plus a column that is value - lo or 0, so that its size is how much the value varies.
    """
    known = value if not value.terms else as_constant(lo, hi)
    if known is not None:
        out = combination([(known.constant, switch)])
        out.error = known.error
        return out
    extra, above = builder.column(0.0, hi - lo), combination([(1.0, value)], -lo)
    builder.at_least(combination([(hi - lo, switch)]), extra)
    builder.at_least(above, extra)
    builder.at_least(extra, combination([(1.0, above), (lo - hi, _absent(switch))]))
    return combination([(lo, switch), (1.0, extra)])


def encode_sum(builder: Builder, messages: Sequence[Message], width: int) -> list[Affine]:
    """What does not arrive is multiplied away."""
    totals = [Affine() for _ in range(width)]
    for message in messages:
        for j in range(width):
            value = message.values[j]
            if message.there is not None:
                value = product(builder, message.there, value, message.box.lo[j], message.box.hi[j])
            totals[j].add(value)
    return totals


def encode_mean(builder: Builder, messages: Sequence[Message], width: int, around: Around, below: Box) -> list[Affine]:
    """The sum, split over the degrees that are possible: a switch for each, and each divides by its own number."""
    totals = encode_sum(builder, messages, width)
    by_degree = sums_by_degree(around, below)
    if len(by_degree) == 1:
        (degree,) = by_degree
        return [combination([(1.0 / max(degree, 1), total)]) for total in totals]
    switches = {degree: builder.binary() for degree in by_degree}
    builder.equal(combination((1.0, switch) for switch in switches.values()), 1.0)
    degree_now = Affine(float(sum(message.there is None for message in messages)))
    for message in messages:
        if message.there is not None:
            degree_now.add(message.there)
    builder.equal(combination((float(degree), switch) for degree, switch in switches.items()), degree_now)
    means = []
    for j, total in enumerate(totals):
        parts = {}
        for degree, switch in switches.items():
            if degree:
                lo, hi = float(by_degree[degree].lo[j]), float(by_degree[degree].hi[j])
                parts[degree] = _in_range_or_zero(builder, switch, lo, hi)
        builder.equal(combination((1.0, part) for part in parts.values()), total)
        means.append(combination((1.0 / degree, part) for degree, part in parts.items()))
    return means


def _in_range_or_zero(builder: Builder, switch: Affine, lo: float, hi: float) -> Affine:
    """Something in [lo, hi] where the switch is 1, and 0 where it is 0."""
    known = as_constant(lo, hi)
    if known is not None:
        return product(builder, switch, known, lo, hi)
    extra = builder.column(0.0, hi - lo)
    builder.at_least(combination([(hi - lo, switch)]), extra)
    return combination([(lo, switch), (1.0, extra)])


def encode_max(builder: Builder, messages: Sequence[Message], width: int, around: Around, below: Box) -> list[Affine]:
    """No smaller than what arrives, and equal to one of them, which a switch chooses."""
    outside = max_box(around, below)
    may_be_empty = around.fixed.size == 0 and around.deletable.size <= around.spend
    empty: Affine | None = None
    if may_be_empty and messages:
        empty = builder.binary()
        for message in messages:
            assert message.there is not None
            builder.at_least(_absent(message.there), empty)
    return [_largest(builder, messages, j, float(outside.lo[j]), float(outside.hi[j]), empty) for j in range(width)]


def _largest(
    builder: Builder, messages: Sequence[Message], j: int, lo: float, hi: float, empty: Affine | None
) -> Affine:
    always = max((message.box.lo[j] for message in messages if message.there is None), default=-np.inf)
    rivals = [message for message in messages if message.box.hi[j] > always]
    rivals = rivals or [message for message in messages if message.there is None and message.box.hi[j] >= always][:1]
    if not rivals:
        return Affine()
    if len(rivals) == 1 and rivals[0].there is None:
        return rivals[0].values[j]
    known = as_constant(lo, hi)
    if known is not None:
        return known
    out = builder.column(lo, hi)
    chosen = []
    for message in rivals:
        value, least, most = message.values[j], float(message.box.lo[j]), float(message.box.hi[j])
        choice = builder.binary()
        chosen.append(choice)
        if message.there is None:
            builder.at_least(out, value)
        else:
            builder.at_least(out, combination([(1.0, value), (-(most - lo), _absent(message.there))]))
            builder.at_least(message.there, choice)
        builder.at_least(combination([(1.0, value), (hi - least, _absent(choice))]), out)
    if empty is not None:
        chosen.append(empty)
        builder.at_least(combination([(hi, _absent(empty))]), out)
        builder.at_least(out, combination([(lo, _absent(empty))]))
    builder.equal(combination((1.0, choice) for choice in chosen), 1.0)
    return out


def encode_max_of_constants(
    builder: Builder, messages: Sequence[Message], features: FloatArray, weight: FloatArray
) -> list[Affine]:
    """weight @ max over known vectors, without a choice to make.

    The largest number that arrives is a sum of steps: each step is taken if anybody arrives who is at least as high.
    Columns with the same carriers share the question.
    """
    fixed = [message.row for message in messages if message.there is None]
    fragile = [message for message in messages if message.there is not None]
    base = features[fixed].max(axis=0) if fixed else None
    out = [Affine() for _ in range(weight.shape[0])]
    steps: dict[frozenset[int], FloatArray] = {}
    rows = features[[message.row for message in fragile]]
    matter = np.flatnonzero(rows.any(axis=0)) if base is None else np.flatnonzero((rows > base).any(axis=0))
    for column in matter.tolist():
        values = rows[:, column]
        floor = -np.inf if base is None else base[column]
        levels = sorted({float(value) for value in values if value > floor}, reverse=True)
        beneath = [*levels[1:], 0.0 if base is None else float(floor)]
        for level, lower in zip(levels, beneath, strict=True):
            carriers = frozenset(np.flatnonzero(values >= level).tolist())
            steps[carriers] = steps.get(carriers, 0.0) + weight[:, column] * (level - lower)
    if base is not None:
        for total, value in zip(out, weight @ base, strict=True):
            total.constant = float(value)
    for carriers, heights in steps.items():
        anybody = _any(builder, [fragile[k].there for k in carriers])
        for total, height in zip(out, heights.tolist(), strict=True):
            total.add(anybody, height)
    magnitude = np.abs(weight) @ np.abs(features[[message.row for message in messages]]).sum(axis=0)
    for total, size in zip(out, magnitude.tolist(), strict=True):
        total.error += size * 8 * (weight.shape[1] + len(messages)) * 2.0**-52
    return out


def _any(builder: Builder, switches: list[Affine | None]) -> Affine:
    present = [switch for switch in switches if switch is not None]
    if len(present) == 1:
        return present[0]
    out = builder.column(0.0, 1.0)
    for switch in present:
        builder.at_least(out, switch)
    builder.at_least(combination((1.0, switch) for switch in present), out)
    return out

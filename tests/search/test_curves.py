"""Ranges and lines of curved activations hold over the whole interval, whatever its ends: a sample of every piece,
compared in balls; and lines are close where a curve is nearly straight.
"""

from __future__ import annotations

import os

import flint
import numpy as np
import pytest

from edgeproof.engines.brute_balls import _act
from edgeproof.model.activation import CODES, STEEPEST, Activation
from edgeproof.problem.layout import CURVE_ROWS
from edgeproof.search.jit.decorators import entry
from edgeproof.search.state.curves import (
    GELU_AT,
    GELU_TANH_AT,
    GELU_TANH_TURN,
    GELU_TURN,
    SILU_AT,
    SILU_TURN,
    curve,
    curve_line,
    curve_lines,
    curve_range,
    curve_ranges,
    curve_slope,
    steepest,
)

SEED = int(os.environ.get("EDGEPROOF_SEED", "31"))
SPECIAL = (0.0, GELU_AT, GELU_TANH_AT, GELU_TANH_TURN, GELU_TURN, -GELU_TURN, SILU_AT, SILU_TURN, -SILU_TURN)


@entry
def bounds_of(out, code, low, high):
    out[0], out[1] = curve_range(code, low, high)
    out[2], out[3] = curve_line(code, low, high, 1.0)
    out[4], out[5] = curve_line(code, low, high, -1.0)


@entry
def values_of(out, code, x):
    out[0], out[1], out[2] = curve(code, x), curve_slope(code, x), steepest(code)


@entry
def keep(record, low, high, bends):
    curve_ranges(record, low, high, bends, np.int64(1))
    curve_lines(record, low, high, bends, np.int64(1))


@pytest.mark.parametrize("how", CODES, ids=str)
def test_what_is_kept_follows_the_box(how: Activation) -> None:
    """Either end of a box may move, and back: nothing of an earlier one is left."""
    bends = np.array([float(CODES[how])])
    record = np.full((CURVE_ROWS, 1), np.nan)
    for low, high in ((-1.0, 2.0), (-1.0, 1.0), (-0.5, 1.0), (-1.0, 1.0), (-1.0, 2.0), (-3.0, 2.0)):
        fresh = np.full((CURVE_ROWS, 1), np.nan)
        for one in (record, fresh):
            keep(one, np.array([low]), np.array([high]), bends)
        assert (record == fresh).all(), (how, low, high)


def intervals(rng: np.random.Generator, count: int) -> list[tuple[float, float]]:
    out = []
    for _ in range(count):
        kind = rng.integers(5)
        if kind == 0:
            ends = rng.normal(size=2) * 10.0 ** rng.uniform(-6, 2)
        elif kind == 1:
            ends = rng.choice(SPECIAL) + rng.normal(size=2) * 10.0 ** rng.uniform(-9, 1)
        elif kind == 2:
            ends = rng.choice(SPECIAL, 2)
        elif kind == 3:
            ends = rng.normal() * 4 + np.array([0.0, 10.0 ** rng.uniform(-14, 0)])
        else:
            ends = rng.uniform(-8, 8, 2)
        out.append((float(ends.min()), float(ends.max())))
    return out


def inside(rng: np.random.Generator, low: float, high: float) -> list[float]:
    points = [low, high, 0.5 * (low + high), *(x for x in SPECIAL if low <= x <= high)]
    return points + [min(max(x, low), high) for x in rng.uniform(low, high, 12).tolist()]


@pytest.mark.parametrize("how", CODES, ids=str)
def test_ranges_and_lines_hold_everywhere(how: Activation) -> None:
    rng, code, out = np.random.default_rng(SEED), np.int64(CODES[how]), np.zeros(6)
    for low, high in intervals(rng, 600):
        bounds_of(out, code, low, high)
        least, most, up, rise, under, drop = out.tolist()
        assert np.isfinite(out).all(), (how, low, high, out)
        with flint.ctx.workprec(300):
            for x in inside(rng, low, high):
                y = _act(how, 0.0, flint.arb(x))
                assert y >= least, (how, low, high, x)
                assert y <= most, (how, low, high, x)
                assert y <= flint.arb(up) * x + rise, (how, "above", low, high, x)
                assert y >= flint.arb(under) * x - drop, (how, "below", low, high, x)


@pytest.mark.parametrize("how", CODES, ids=str)
def test_ranges_and_lines_are_close(how: Activation) -> None:
    """A range is no wider than its curve needs; lines are no farther apart than boxes, and meet on short intervals."""
    rng, code, out = np.random.default_rng(SEED + 1), np.int64(CODES[how]), np.zeros(6)
    for low, high in intervals(rng, 300):
        if high - low < 1e-7:
            continue
        bounds_of(out, code, low, high)
        least, most, up, rise, under, drop = out.tolist()
        value = np.zeros(3)
        found = []
        for x in [*inside(rng, low, high), *np.linspace(low, high, 200).tolist()]:
            values_of(value, code, x)
            found.append(value[0])
        room = 1e-9 + 0.01 * (high - low)
        assert min(found) - room <= least <= min(found) + 1e-12
        assert max(found) - 1e-12 * (1 + abs(high)) <= most <= max(found) + room
        middle = 0.5 * (low + high)
        apart = (up * middle + rise) - (under * middle - drop)
        assert apart <= (most - least) + 1e-6 * (1 + high - low), (how, low, high, out)
        near = 0.6 * (high - low) ** 2 + 1e-9 * (1 + abs(low) + abs(high))
        assert apart <= near or how is Activation.SELU, (how, low, high)


@pytest.mark.parametrize("how", CODES, ids=str)
def test_slopes_are_those_of_the_curve(how: Activation) -> None:
    rng, code, out = np.random.default_rng(SEED + 2), np.int64(CODES[how]), np.zeros(3)
    for x in [*(rng.normal(size=200) * 4).tolist(), -60.0, 60.0, -1e5, 1e5]:
        values_of(out, code, x)
        with flint.ctx.workprec(200):
            step = flint.arb(2) ** -60
            slope = (_act(how, 0.0, flint.arb(x) + step) - _act(how, 0.0, flint.arb(x) - step)) / (2 * step)
            if abs(x) > 1e-15:
                assert abs(slope - out[1]) <= 2.0**-46, (how, x)
            assert abs(slope) <= STEEPEST[CODES[how]] + 1e-15
        assert out[2] >= STEEPEST[CODES[how]]

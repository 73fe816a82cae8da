"""Curved activations in kernels: values, slopes, and lines above and below on an interval.

Values are as far off as in `arithmetic/transcendental.py`, which says why. Between its inflections a curve is convex or
concave. So a line of any slope lies above it if its constant is no less than the largest difference on each such
piece: on a convex one that is at an end, on a concave one under a tangent. Which slope is taken only says how good
the line is.

Theory: "Curved activations in floating point", "Lines for curved activations".
"""

from __future__ import annotations

import math

import numpy as np

from ...arithmetic.padding import PAD, ROOT_HALF, TANH_FACTOR
from ...model.activation import (
    ELU,
    GELU,
    GELU_CUBE,
    GELU_TANH,
    SELU,
    SELU_ALPHA,
    SELU_SCALE,
    SIGMOID,
    SILU,
    SOFTPLUS,
    TANH,
)  # fmt: skip
from ...problem.layout import CURVE_ROWS
from ..jit.decorators import kernel, leaf

SELU_LOW = SELU_SCALE * SELU_ALPHA
NORMAL = 1.0 / math.sqrt(2.0 * math.pi)
# where the three that fall and then rise have their minima, and less than these are
GELU_AT, GELU_LEAST = -0.7517915246935645, -0.1699712074799040
GELU_TANH_AT, GELU_TANH_LEAST = -0.7524614220710163, -0.1700407505712544
SILU_AT, SILU_LEAST = -1.2784645427610738, -0.2784645427610742
# as far from a minimum, an end of an interval counts as beyond it
NEARLY = 1e-6
# where these curves turn from concave to convex (with a minus) and back
GELU_TURN, GELU_TANH_TURN, SILU_TURN = 1.4142135623730951, 1.4185040087908284, 2.3993572805154677
# past this, a slope is that of a straight line up to less than SLOPE_OFF; x^3 would overflow far out
STRAIGHT = 50.0
# more than the computed slope of a curve is off by
SLOPE_OFF = 2.0**-46
# of the largest magnitude that a line is about: more than its constant is off by
LINE_OFF = 2.0**-43
HALVINGS = 14
TINY = 1e-300  # more than underflows cost


@leaf
def sigmoid(x):
    small = math.exp(-abs(x))
    return (1.0 if x >= 0.0 else small) / (1.0 + small)


@leaf
def cubed(x):
    return TANH_FACTOR * (x + GELU_CUBE * x * x * x)


@leaf
def curve(code, x):
    """The activation of x."""
    if code == ELU:
        return x if x > 0.0 else math.expm1(x)
    if code == SELU:
        return SELU_SCALE * x if x > 0.0 else SELU_LOW * math.expm1(x)
    if code == GELU:
        return 0.5 * x * math.erfc(-ROOT_HALF * x)
    if code == GELU_TANH:
        return x * sigmoid(2.0 * cubed(x))
    if code == SILU:
        return x * sigmoid(x)
    if code == TANH:
        return math.tanh(x)
    if code == SIGMOID:
        return sigmoid(x)
    return max(x, 0.0) + math.log1p(math.exp(-abs(x)))


@leaf
def curve_slope(code, x):
    """The slope of the activation at x; at a bend, that on the left."""
    if code == ELU:
        return 1.0 if x > 0.0 else math.exp(x)
    if code == SELU:
        return SELU_SCALE if x > 0.0 else SELU_LOW * math.exp(x)
    if code == TANH:
        y = math.tanh(x)
        return 1.0 - y * y
    if code == SIGMOID:
        small = math.exp(-abs(x))
        return small / ((1.0 + small) * (1.0 + small))
    if code == SOFTPLUS:
        return sigmoid(x)
    if abs(x) > STRAIGHT:
        return 1.0 if x > 0.0 else 0.0
    if code == GELU:
        return 0.5 * math.erfc(-ROOT_HALF * x) + x * NORMAL * math.exp(-0.5 * x * x)
    if code == SILU:
        y = sigmoid(x)
        return y + x * y * (1.0 - y)
    y = sigmoid(2.0 * cubed(x))
    return y + x * y * (1.0 - y) * 2.0 * TANH_FACTOR * (1.0 + 3.0 * GELU_CUBE * x * x)


@leaf
def at_zero(code):
    return 1.0 if code == SIGMOID or code == SOFTPLUS else 0.0


@leaf
def steepest(code):
    """No difference of two values is larger than this many times that of the arguments (model/activation.py)."""
    return 1.7581 if code == SELU else 1.13


@leaf
def curve_range(code, low, high):
    """Both ends of the activation on [low, high], outward."""
    first, last = curve(code, low), curve(code, high)
    bottom, above = min(first, last), max(first, last)
    room = PAD * (max(abs(low), abs(high)) + at_zero(code)) + TINY
    bottom -= room
    above += room
    if code == GELU and low <= GELU_AT + NEARLY and high >= GELU_AT - NEARLY:
        bottom = GELU_LEAST
    elif code == GELU_TANH and low <= GELU_TANH_AT + NEARLY and high >= GELU_TANH_AT - NEARLY:
        bottom = GELU_TANH_LEAST
    elif code == SILU and low <= SILU_AT + NEARLY and high >= SILU_AT - NEARLY:
        bottom = SILU_LEAST
    return bottom, above


@leaf
def turns(code):
    """Where pieces meet, and whether the pieces before, between and after them are convex (1), concave (-1) or straight
    (0).
    """
    if code == ELU or code == SOFTPLUS:
        return np.inf, np.inf, 1, 1, 1
    if code == SELU:
        return 0.0, np.inf, 1, 0, 0
    if code == TANH or code == SIGMOID:
        return 0.0, np.inf, 1, -1, -1
    turn = GELU_TURN if code == GELU else GELU_TANH_TURN if code == GELU_TANH else SILU_TURN
    return -turn, turn, -1, 1, -1


@leaf
def touching(code, slope, low, high, sign):
    """Between which two points of [low, high], on which `sign` times the curve is concave, it has this slope; an end of
    the interval twice where it is steeper, or less steep, everywhere.
    """
    if sign * curve_slope(code, high) >= sign * slope:
        return high, high
    if sign * curve_slope(code, low) <= sign * slope:
        return low, low
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if sign * curve_slope(code, middle) >= sign * slope:
            low = middle
        else:
            high = middle
    return low, high


@leaf
def peak_on(code, slope, low, high, sign, shape):
    """Of sign (curve - slope x) on a piece: no less than its maximum."""
    ends = max(sign * (curve(code, low) - slope * low), sign * (curve(code, high) - slope * high))
    if sign * shape >= 0:
        return ends
    # concave: its maximum is between `near` and `far`, under the tangent at any point
    near, far = touching(code, slope, low, high, sign)
    x = 0.5 * (near + far)
    rise = sign * (curve_slope(code, x) - slope)
    return sign * (curve(code, x) - slope * x) + max(rise * (near - x), rise * (far - x)) + SLOPE_OFF * (high - low)


@leaf
def peak(code, slope, low, high, sign):
    """Of sign (curve - slope x) on [low, high]: no less than its maximum, rounding included."""
    one, two, first, between, last = turns(code)
    best = -np.inf
    if low < one:
        best = max(best, peak_on(code, slope, low, min(high, one), sign, first))
    if high > one and low < two:
        best = max(best, peak_on(code, slope, max(low, one), min(high, two), sign, between))
    if high > two:
        best = max(best, peak_on(code, slope, max(low, two), high, sign, last))
    if best == -np.inf:  # a point where pieces meet
        best = sign * (curve(code, low) - slope * low)
    return best + LINE_OFF * (max(abs(low), abs(high)) * (1.0 + abs(slope)) + at_zero(code)) + TINY


@leaf
def from_end(code, low, high):
    """tanh and sigmoid, low < 0 < high: the slope of the line from the curve's left end that touches its right part."""
    start = curve(code, low)
    if curve_slope(code, high) * (high - low) >= curve(code, high) - start:
        return (curve(code, high) - start) / (high - low)
    near, far = 0.0, high
    for _ in range(HALVINGS):
        middle = 0.5 * (near + far)
        if curve_slope(code, middle) * (middle - low) >= curve(code, middle) - start:
            near = middle
        else:
            far = middle
    middle = 0.5 * (low + high)
    return curve_slope(code, far) if middle < far else curve_slope(code, middle)


@leaf
def better(code, slope, low, high, sign, best, rise):
    """Of two slopes, the one whose line is nearer to the curve in the middle, with its constant (above for sign 1)."""
    other = peak(code, slope, low, high, sign)
    middle = 0.5 * (low + high)
    if not sign * best * middle + rise <= sign * slope * middle + other:
        return slope, other
    return best, rise


@kernel
def curve_line(code, low, high, sign):
    """A line above the curve on [low, high] (sign 1) or below it (sign -1): its slope, and sign times its constant."""
    middle = 0.5 * (low + high)
    best = curve_slope(code, middle)
    rise = peak(code, best, low, high, sign)
    if not high - low > 1e-9 * max(abs(low), abs(high)):
        return best, rise
    chord = (curve(code, high) - curve(code, low)) / (high - low)
    best, rise = better(code, chord, low, high, sign, best, rise)
    if code == SELU and low < 0.0 < high:
        best, rise = better(code, SELU_SCALE, low, high, sign, best, rise)
        best, rise = better(code, curve(code, low) / low, low, high, sign, best, rise)
    elif (code == TANH or code == SIGMOID) and low < 0.0 < high:
        # both are symmetric about their inflection
        slope = from_end(code, low, high) if sign > 0 else from_end(code, -high, -low)
        best, rise = better(code, slope, low, high, sign, best, rise)
    elif code == GELU or code == GELU_TANH or code == SILU:
        turn = turns(code)[1]
        best, rise = better(code, curve_slope(code, min(max(middle, -turn), turn)), low, high, sign, best, rise)
    return best, rise


@kernel
def curve_values(out, row, bends, m):
    """Activations of a row, each by its slope on negative numbers or its code."""
    for i in range(m):
        bend = bends[i]
        if bend < 2.0:
            out[i] = max(row[i], 0.0) + bend * min(row[i], 0.0)
        else:
            out[i] = curve(np.int64(bend), row[i])


@kernel
def curve_ranges(record, low, high, bends, m):
    """Boxes of activations, into RANGE_LOW and RANGE_HIGH, where boxes have changed since they were last asked for."""
    at_low, at_high = record[RANGE_AT_LOW], record[RANGE_AT_HIGH]
    for i in range(m):
        if at_low[i] == low[i] and at_high[i] == high[i]:
            continue
        at_low[i], at_high[i] = low[i], high[i]
        bend = bends[i]
        if bend < 2.0:
            record[RANGE_LOW, i] = max(low[i], 0.0) + bend * min(low[i], 0.0)
            record[RANGE_HIGH, i] = max(high[i], 0.0) + bend * min(high[i], 0.0)
        else:
            record[RANGE_LOW, i], record[RANGE_HIGH, i] = curve_range(np.int64(bend), low[i], high[i])


@kernel
def curve_lines(record, low, high, bends, m):
    """The same for lines; those of what bends at 0 are made where they are used."""
    at_low, at_high = record[LINES_AT_LOW], record[LINES_AT_HIGH]
    for i in range(m):
        if bends[i] < 2.0 or (at_low[i] == low[i] and at_high[i] == high[i]):
            continue
        at_low[i], at_high[i] = low[i], high[i]
        code = np.int64(bends[i])
        record[ABOVE_SLOPE, i], record[ABOVE_RISE, i] = curve_line(code, low[i], high[i], 1.0)
        record[BELOW_SLOPE, i], record[BELOW_DROP, i] = curve_line(code, low[i], high[i], -1.0)


# rows of what is kept for a vertex of a stage: the box that ranges were computed of, and the ranges; the box that
# lines were computed of, slope and constant of the one above, slope of the one below and by how much it is lower
(
    RANGE_AT_LOW, RANGE_AT_HIGH, RANGE_LOW, RANGE_HIGH, LINES_AT_LOW, LINES_AT_HIGH,
    ABOVE_SLOPE, ABOVE_RISE, BELOW_SLOPE, BELOW_DROP,
) = range(CURVE_ROWS)  # fmt: skip

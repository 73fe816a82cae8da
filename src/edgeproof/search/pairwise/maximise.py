"""The most that residuals at one vertex add to the objective, given the ranges of their sensitivities.

Theory: "Interactions at an activation", "Interactions at a max".
"""

from __future__ import annotations

from ..jit.decorators import reduction


@reduction
def maximise_bend(shift, other, under, over, low, high, slope, m):
    """How far an activation bends two shifts, weighted; any others have moved the neuron to between under and over.

    act is convex: its second difference over the two is positive where they have one sign, negative otherwise, no
    larger than either of them, and nothing unless the bend lies between the two ends of what they reach.
    """
    total = 0.0
    for i in range(m):
        a, b = shift[i], other[i]
        top = over[i] + max(a, 0.0) + max(b, 0.0)
        bottom = under[i] + min(a, 0.0) + min(b, 0.0)
        bent = max(min(abs(a), abs(b), top, -bottom), 0.0)
        weight = max(high[i], 0.0) if (a > 0.0) == (b > 0.0) else max(-low[i], 0.0)
        total += (1.0 - slope[i]) * bent * weight
    return total


@reduction
def maximise(row, factor, low, high, m):
    """The most of multiplier times factor times row."""
    total = 0.0
    for i in range(m):
        y = factor * row[i]
        total += max(low[i] * y, high[i] * y)
    return total


@reduction
def maximise_two(row, factor, other, weight, low, high, m):
    total = 0.0
    for i in range(m):
        y = factor * row[i] + weight * other[i]
        total += max(low[i] * y, high[i] * y)
    return total


@reduction
def maximise_spread(spread, other, low, high, m):
    """What a max makes of the changes of two flips: no more than the changes of either are apart."""
    total = 0.0
    for i in range(m):
        total += max(-low[i], high[i], 0.0) * min(spread[i], other[i])
    return total


@reduction
def maximise_up_to(row, minus, low, high, m):
    """The most of multiplier times something between 0 and row - minus."""
    total = 0.0
    for i in range(m):
        y = row[i] - minus[i]
        total += max(low[i] * y, high[i] * y, 0.0)
    return total

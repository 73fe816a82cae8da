"""A vertex after many sets of flips at once: linear bounds in the flips, where sets are too many to look at each.

Theory: "Linear bounds of a hidden row".
"""

from __future__ import annotations

import math

import numpy as np

from ..jit.decorators import entry, kernel, leaf
from .subsets import ELU, add_sender, bend

# More than what rounding does to a step of these bounds, relative to the numbers that it is made of.
PAD = 2.0**-40
# up to such a change, relative to where it starts, a chord is not computed: its slope is at most 1
SHORT = 2.0**-20


@leaf
def slope_at(x, how):
    """A subgradient."""
    if how == ELU:
        return 1.0 if x > 0.0 else math.exp(x)
    return 1.0 if x > 0.0 else how


@leaf
def chord_up(x, step, how):
    """No less than the slope from x to x + step."""
    if step <= SHORT * (1.0 + abs(x)):
        return 1.0
    slope = (bend(x + step, how) - bend(x, how)) / step + PAD * (1.0 + abs(x) + step) / step
    return min(slope, 1.0)


@leaf
def chord_down(x, step, how):
    """No more than the slope from x - step to x."""
    if step <= SHORT * (1.0 + abs(x)):
        return 0.0
    slope = (bend(x, how) - bend(x - step, how)) / step - PAD * (1.0 + abs(x) + step) / step
    return max(slope, 0.0)


@kernel
def insert_top(top, value):
    """Into a list of the largest, which falls; zeros at its end."""
    last = top.size - 1
    if last < 0 or not value > top[last]:
        return
    at = last
    while at > 0 and top[at - 1] < value:
        top[at] = top[at - 1]
        at -= 1
    top[at] = value


@kernel
def denominators(weights, doubtful, there, most, total, least, less, added, top):
    """Of each head: `total` of the weights that are there; `least` that can remain after `most` deletions, and `less`
    after one deletion fewer; `added`: what one insertion fewer than `most` can add.
    """
    for k in range(weights.size):
        top[:] = 0.0
        for t in range(doubtful.shape[0]):
            if not there[t]:
                insert_top(top[: most - 1], doubtful[t, k])
        added[k] = 0.0
        for rank in range(most - 1):
            added[k] += top[rank]
        top[:] = 0.0
        for t in range(doubtful.shape[0]):
            if there[t]:
                insert_top(top[:most], doubtful[t, k])
        # what stays is added up; of equal weights, as many go as the list has
        edge, equal = top[most - 1], 0
        for rank in range(most):
            equal += top[rank] == edge
        total[k] = least[k] = weights[k]
        for t in range(doubtful.shape[0]):
            if there[t]:
                w = doubtful[t, k]
                total[k] += w
                if w < edge:
                    least[k] += w
                elif w == edge:
                    if equal > 0:
                        equal -= 1
                    else:
                        least[k] += w
        less[k] = least[k] + edge


@leaf
def share_of(w, message, mean, is_there, least, less, total, added):
    """The least and the most that a flip changes a weighted mean by."""
    change = w * (mean - message) if is_there else w * (message - mean)
    small = least if is_there else less + w
    large = total + added if is_there else total + added + w
    if change > 0.0:
        return change / large, change / small
    return change / small, change / large


@entry
def line_bounds(
    sums, weights, doubtful, messages, there, most, own, bends, mean, rows, bias, size, base, up, down, pad,
):  # fmt: skip
    """For every set D of at most `most` flips: base - sum of down[t] over D <= rows h + bias <= base + sum of up[t],
    but for what rounding does to `base`. pad[t]: of rounding, for rows whose magnitudes add up to 1. `size` bounds the
    magnitudes of messages. A is the identity.
    """
    count, heads, width = doubtful.shape[0], weights.size, own.size
    channels = sums.size // heads
    total, least, less, added = np.zeros(heads), np.zeros(heads), np.zeros(heads), np.zeros(heads)
    denominators(weights, doubtful, there, most, total, least, less, added, np.zeros(most))
    means, spare = sums.copy(), weights.copy()
    for t in range(count):
        if there[t]:
            add_sender(means, spare, doubtful[t], messages[t])
    for k in range(heads):
        for c in range(k * channels, (k + 1) * channels):
            means[c] /= total[k]
    first = heads if mean else 1
    lows, highs = np.zeros((count, width)), np.zeros((count, width))
    for t in range(count):
        pad[t] = 0.0
        for k in range(heads):
            w = doubtful[t, k]
            smallest = least[k] if there[t] else less[k] + w
            pad[t] = max(pad[t], PAD * size * w / smallest)
            for c in range(channels):
                j, at = c if mean else k * channels + c, k * channels + c
                low, high = share_of(w, messages[t, at], means[at], there[t], least[k], less[k], total[k], added[k])
                lows[t, j] += low / first
                highs[t, j] += high / first
    up_slope, down_slope, tangent, h = np.zeros(width), np.zeros(width), np.zeros(width), np.zeros(width)
    top = np.zeros(most)
    for j in range(width):
        x = own[j]
        if mean:
            for k in range(heads):
                x += means[k * channels + j] / heads
        else:
            x += means[j]
        h[j] = bend(x, bends[j])
        rise = fall = 0.0
        top[:] = 0.0
        for t in range(count):
            insert_top(top, highs[t, j] + pad[t])
        for rank in range(most):
            rise += top[rank]
        top[:] = 0.0
        for t in range(count):
            insert_top(top, pad[t] - lows[t, j])
        for rank in range(most):
            fall += top[rank]
        up_slope[j], down_slope[j] = chord_up(x, rise, bends[j]), chord_down(x, fall, bends[j])
        tangent[j] = slope_at(x, bends[j])
    for r in range(rows.shape[0]):
        base[r] = bias[r]
        for j in range(width):
            base[r] += rows[r, j] * h[j]
    for t in range(count):
        for r in range(rows.shape[0]):
            above = below = 0.0
            for j in range(width):
                q, low, high = rows[r, j], lows[t, j], highs[t, j]
                curve_high = (up_slope[j] if high > 0.0 else down_slope[j]) * high
                line_low = tangent[j] * low
                if q > 0.0:
                    above += q * curve_high
                    below -= q * line_low
                else:
                    above += q * line_low
                    below -= q * curve_high
            up[t, r], down[t, r] = above, below

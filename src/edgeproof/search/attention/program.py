"""The most that a shape of attacks reaches: so many flips at the target, and a program that shares the others.

Each neighbour u of the target has options, sets of flips around it: bounds on what it then adds to logits and to the
lead of a rival, and a cost in half flips. A flip between two neighbours costs each of them a half.

Theory: "The target of an attention layer", "One program for the budget".
"""

from __future__ import annotations

import math

import numpy as np

from ..jit.decorators import entry, kernel, leaf

# what a neighbour is at the target: there for good, there or not in doubt
FIXED, MAY_GO, MAY_COME = 0, 1, 2
# choices of the program besides an option
GONE, ABSENT = -1, -2
IMPOSSIBLE = -1e300
# more than what rounding does to a sum of exponentials and products, relative to magnitudes
PAD = 2.0**-44


@leaf
def exponents(low, high, to_low, to_high, reference, factor, slope):
    """Both ends of the sum over channels of factor (act(l + r) - act(reference + r)), l and r in intervals.

    In l the bracket rises; in r it is monotone for every l, so that corners are extreme.
    """
    least = most = size = 0.0
    for c in range(factor.size):
        a = factor[c]
        r = to_low[c]
        start = reference[c] + r
        start = max(start, slope * start)
        x, y = low[c] + r, high[c] + r
        first_low, first_high = max(x, slope * x) - start, max(y, slope * y) - start
        r = to_high[c]
        start = reference[c] + r
        start = max(start, slope * start)
        x, y = low[c] + r, high[c] + r
        low_end = min(first_low, max(x, slope * x) - start)
        high_end = max(first_high, max(y, slope * y) - start)
        least += a * low_end if a > 0.0 else a * high_end
        most += a * high_end if a > 0.0 else a * low_end
        reach = abs(low[c]) + abs(high[c]) + abs(to_low[c]) + abs(to_high[c]) + abs(reference[c])
        size += abs(a) * reach
    return least - PAD * size, most + PAD * size


@leaf
def worth(lead, least, most):
    """The most that weight times lead can be, for leads up to this one and exponents in between."""
    if lead > 0.0:
        return lead * math.exp(most) * (1.0 + PAD)
    return lead * math.exp(least) * (1.0 - PAD)


@leaf
def beats(value, found):
    """Whether it takes the place of what was found: what is not a number does, and nothing takes its place."""
    return not (np.isnan(found) or value <= found)


@kernel
def at_target(low, high, to_low, to_high, lead, extra, size, flips, reference, factor, slope, ends_low, ends_high):
    """Of the target's options with so many flips: the most that it adds itself, and which option; both ends of what it
    adds to logits as receiver; the most that it adds to all leads.
    """
    best, chosen, most_extra = IMPOSSIBLE, -1, IMPOSSIBLE
    for c in range(factor.size):
        ends_low[c], ends_high[c] = np.inf, -np.inf
    for o in range(size.size):
        if size[o] != flips:
            continue
        least, most = exponents(low[o], high[o], to_low[o], to_high[o], reference, factor, slope)
        value = worth(lead[o] + extra[o], least, most)
        if chosen < 0 or beats(value, best):
            best, chosen = value, o
        if beats(extra[o], most_extra):
            most_extra = extra[o]
        for c in range(factor.size):
            ends_low[c] = min(ends_low[c], to_low[o, c])
            ends_high[c] = max(ends_high[c], to_high[o, c])
    return best, chosen, most_extra


@kernel
def price(
    ptr, low, high, lead, cost, size, limit, ends_low, ends_high, extra, reference, factor, slope, halves, worths, which
):
    """worths[u, c]: the most that neighbour u adds with options of cost up to c; which: that option."""
    total = 0.0
    for u in range(ptr.size - 1):
        for c in range(halves + 1):
            worths[u, c], which[u, c] = IMPOSSIBLE, -1
        for o in range(ptr[u], ptr[u + 1]):
            c = cost[o]
            if c > halves or size[o] > limit[u] or 2 * size[o] > halves:
                continue
            least, most = exponents(low[o], high[o], ends_low, ends_high, reference, factor, slope)
            value = worth(lead[o] + extra, least, most)
            if beats(value, worths[u, c]):
                worths[u, c], which[u, c] = value, o
        largest = abs(worths[u, 0])
        for c in range(1, halves + 1):
            if not beats(worths[u, c], worths[u, c - 1]):
                worths[u, c], which[u, c] = worths[u, c - 1], which[u, c - 1]
            largest = max(largest, abs(worths[u, c]))
        total += largest
    return total


@kernel
def share(kinds, worths, flips, halves, best, after, choice):
    """best[j, c]: the most that neighbours add with j of them going or coming, and c half flips around them.

    choice[u, j, c]: what u does there: a cost, GONE or ABSENT; what comes or stays is told by its kind.
    """
    for j in range(flips + 1):
        for c in range(halves + 1):
            best[j, c] = 0.0 if j == 0 else IMPOSSIBLE
    for u in range(kinds.size):
        kind = kinds[u]
        for j in range(flips + 1):
            for c in range(halves + 1):
                found, chosen = IMPOSSIBLE, GONE
                if kind == MAY_COME and best[j, c] != IMPOSSIBLE:
                    found, chosen = best[j, c], ABSENT
                if kind == MAY_GO and j > 0 and best[j - 1, c] != IMPOSSIBLE:
                    found, chosen = best[j - 1, c], GONE
                from_j = j - 1 if kind == MAY_COME else j
                if from_j >= 0:
                    for k in range(c + 1):
                        if k > 0 and worths[u, k] == worths[u, k - 1]:
                            continue
                        before = best[from_j, c - k]
                        if before != IMPOSSIBLE:
                            value = before + worths[u, k]
                            if beats(value, found):
                                found, chosen = value, k
                after[j, c], choice[u, j, c] = found, chosen
        for j in range(flips + 1):
            for c in range(halves + 1):
                best[j, c] = after[j, c]


@entry
def best_shape(
    ptr, low, high, lead, cost, size, limit, kinds,
    own_low, own_high, own_to_low, own_to_high, own_lead, own_extra, own_size,
    reference, factor, slope, budget, first, last, worths, which, best, after, choice, ends_low, ends_high, picked,
):  # fmt: skip
    """The largest bound of the shapes with `first` to `last` - 1 flips at the target, rounding added; which it is, and
    the target's option.

    picked[u]: the option of each neighbour, GONE or ABSENT. NaN where something is not a number, which prunes nothing.
    """
    reached, flips_of_best, own_of_best = IMPOSSIBLE, 0, -1
    for flips in range(first, last):
        own, chosen, extra = at_target(
            own_low, own_high, own_to_low, own_to_high, own_lead, own_extra, own_size, flips, reference, factor, slope,
            ends_low, ends_high,
        )  # fmt: skip
        if chosen < 0:
            continue
        halves = 2 * (budget - flips)
        total = price(
            ptr, low, high, lead, cost, size, limit, ends_low, ends_high, extra, reference, factor, slope, halves,
            worths, which,
        )  # fmt: skip
        share(kinds, worths, flips, halves, best, after, choice)
        if best[flips, halves] == IMPOSSIBLE:
            continue
        value = best[flips, halves] + own + (PAD + kinds.size * 2.0**-51) * (total + abs(own))
        if beats(value, reached):
            reached, flips_of_best, own_of_best = value, flips, chosen
            left, spent = flips, halves
            for u in range(kinds.size - 1, -1, -1):
                what = choice[u, left, spent]
                picked[u] = what if what < 0 else which[u, what]
                if what >= 0:
                    spent -= what
                if (what >= 0 and kinds[u] == MAY_COME) or what == GONE:
                    left -= 1
        if np.isnan(reached):
            break
    return reached, flips_of_best, own_of_best

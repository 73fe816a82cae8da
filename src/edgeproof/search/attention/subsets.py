"""A vertex after each set of flips into it, one after the other: exact values but for rounding.

Senders are fixed (their sums are `sums` and `weights`) or in doubt: of each of these its weight a head `doubtful`, its
message, whether it is `there`, and what a flip of it costs. Sums of what remains are only ever added up, never made by
subtraction, which would lose everything where one sender outweighs the others.

Theory: "Values after every set of flips".
"""

from __future__ import annotations

import math

import numpy as np

from ..jit.decorators import entry, kernel, leaf

ELU = 2.0  # how `bends` tells it from a slope, as in model/activation.py


@leaf
def bend(x, how):
    """An activation whose slopes lie from 0 to 1."""
    if how == ELU:
        return x if x > 0.0 else math.expm1(x)
    return x if x >= 0.0 else how * x


@kernel
def hidden_row(sums, weights, own, spread, bends, mean, gathered, h):
    """h = act(own + A gathered); spread: A, or nothing (0, 0) where it is the identity."""
    heads = weights.size
    channels = sums.size // heads
    if mean:
        for c in range(channels):
            total = 0.0
            for k in range(heads):
                total += sums[k * channels + c] / weights[k]
            gathered[c] = total / heads
    else:
        for k in range(heads):
            for c in range(channels):
                gathered[k * channels + c] = sums[k * channels + c] / weights[k]
    for j in range(own.size):
        total = own[j]
        if spread.shape[0] == 0:
            total += gathered[j]
        else:
            for c in range(spread.shape[1]):
                total += spread[j, c] * gathered[c]
        h[j] = bend(total, bends[j])


@kernel
def project(rows, bias, h, out):
    for r in range(rows.shape[0]):
        total = bias[r]
        row = rows[r]
        for j in range(h.size):
            total += row[j] * h[j]
        out[r] = total


@kernel
def add_sender(sums, weights, weight, message):
    heads = weights.size
    channels = sums.size // heads
    for k in range(heads):
        w = weight[k]
        weights[k] += w
        for c in range(k * channels, (k + 1) * channels):
            sums[c] += w * message[c]


@entry
def every_set(
    sums, weights, doubtful, messages, there, costs, most, most_cost, own, spread, bends, mean, rows, bias,
    out, flips, size, cost,
):  # fmt: skip
    """Rows of all sets of at most `most` flips that cost at most `most_cost`; how many, -1 if there is no room.

    out[i]: rows times h; flips[i, :size[i]]: which of those in doubt are flipped.
    """
    count, room, width, heads = doubtful.shape[0], out.shape[0], sums.size, weights.size
    depth_sums, depth_weights = np.zeros((most + 1, width)), np.zeros((most + 1, heads))
    behind_sums, behind_weights = np.zeros((count + 1, width)), np.zeros((count + 1, heads))
    h, gathered = np.zeros(own.size), np.zeros(width)
    all_sums, all_weights = np.zeros(width), np.zeros(heads)
    chosen, at, spent = np.zeros(most + 1, np.int64), np.zeros(most + 2, np.int64), np.zeros(most + 2, np.int64)
    for t in range(count - 1, -1, -1):
        behind_sums[t], behind_weights[t] = behind_sums[t + 1], behind_weights[t + 1]
        if there[t]:
            add_sender(behind_sums[t], behind_weights[t], doubtful[t], messages[t])
    depth_sums[0], depth_weights[0] = sums, weights
    depth, found, fresh = 0, 0, True
    while depth >= 0:
        if fresh:
            if found == room:
                return -1
            for c in range(width):
                all_sums[c] = depth_sums[depth, c] + behind_sums[at[depth], c]
            for k in range(heads):
                all_weights[k] = depth_weights[depth, k] + behind_weights[at[depth], k]
            hidden_row(all_sums, all_weights, own, spread, bends, mean, gathered, h)
            project(rows, bias, h, out[found])
            size[found], cost[found] = depth, spent[depth]
            for k in range(depth):
                flips[found, k] = chosen[k]
            found += 1
            fresh = False
        t = at[depth]
        if t == count or depth == most:
            depth -= 1
            if depth >= 0:
                t = chosen[depth]
                if there[t]:
                    add_sender(depth_sums[depth], depth_weights[depth], doubtful[t], messages[t])
                at[depth] += 1
            continue
        if spent[depth] + costs[t] > most_cost:
            if there[t]:
                add_sender(depth_sums[depth], depth_weights[depth], doubtful[t], messages[t])
            at[depth] += 1
            continue
        chosen[depth] = t
        depth_sums[depth + 1], depth_weights[depth + 1] = depth_sums[depth], depth_weights[depth]
        if not there[t]:
            add_sender(depth_sums[depth + 1], depth_weights[depth + 1], doubtful[t], messages[t])
        spent[depth + 1] = spent[depth] + costs[t]
        at[depth + 1] = t + 1
        depth += 1
        fresh = True
    return found

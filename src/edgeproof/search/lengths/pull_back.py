"""What a change of one vertex's row makes of the margin at most, layer by layer from the node backward, by lengths.

Theory: "Lengths alone".
"""

from __future__ import annotations

import numpy as np

from ..base.layout import ALONE, GCN, HIDDEN, HIDDEN_ERROR
from ..charges.rows import FREE
from ..charges.scales import alpha, beta, most_at, shares
from ..jit.decorators import entry

# of the largest messages at a vertex, so many are told apart
RANKS = 8


@entry
def pull_back(b, layer, node, each, first, last, status, sent, gathered, spread, own_spread, reach, below, lost, grown):
    """Through one layer that sums, for the vertices first..last - 1. `reach[v]`: what a unit of change of v's row after
    the layer makes of the margin; adds to `below` what one before the layer does, to `lost` (a slot) what a lost
    message costs, to `grown` (a vertex) what its messages cost that weigh more for each edge that it loses.

    sent, gathered: lengths of rows; in the last layer `sent` are those of what A multiplies. spread, own_spread: what A
    and C make of a unit. lost: empty where that is known better, in the last layer.
    """
    how = b.how[layer]
    for v in range(first, last):
        at_v = reach[v]
        if at_v == 0.0:
            continue
        below[v] += own_spread * at_v
        if how == ALONE:
            continue
        most = max(most_at(b, node, v, each), 0)
        scale, lost_here = alpha(b, how, v, most), 0.0
        for k in range(1, most + 1):
            own, self_, _ = shares(b, how, v, k)
            lost_here = max(lost_here, own * gathered[v] + self_ * sent[v])
        if how == GCN:
            below[v] += scale * scale * spread * at_v
        for k in range(b.in_ptr[v], b.in_ptr[v + 1]):
            x = b.source[k]
            before, most_x = beta(b, how, x, 0), max(most_at(b, node, x, each), 0)
            after = beta(b, how, x, most_x)
            below[x] += scale * after * spread * at_v
            if most_x > 0:
                grown[x] += at_v * scale * (after - before) / most_x * sent[x]
            if lost.size > 0 and most > 0 and status[k] == FREE:
                lost[k] += at_v * (lost_here + scale * before * sent[x])


@entry
def pull_back_largest(
    b, layer, node, each, first, last, status, spread, own_spread, reach, below, lost, top, leader, row, gaps
):
    """The same through a layer that takes the largest. top: (RANKS + 1, width in); leader, row: (width in,);
    gaps: (largest in-degree,), zeros.
    """
    width, error_of = b.width[layer], b.bounds[layer - 1, HIDDEN_ERROR] if layer > 0 else reach
    for v in range(first, last):
        at_v = reach[v]
        if at_v == 0.0:
            continue
        below[v] += own_spread * at_v
        start, count, error = b.in_ptr[v], b.in_ptr[v + 1] - b.in_ptr[v], 0.0
        most = max(most_at(b, node, v, each), 0)
        for k in range(start, start + count):
            below[b.source[k]] += spread * at_v
        if lost.size == 0 or most == 0:
            continue
        ranks = min(most + 1, RANKS)
        for rank in range(ranks):
            top[rank, :width] = -np.inf
        top[RANKS, :width] = np.inf
        for k in range(start, start + count):
            x, other = b.source[k], row
            if layer > 0:
                at = b.block[layer - 1, HIDDEN] + x * width
                other = b.rows[at : at + width]
                error = max(error, error_of[x])
            else:
                row[:width] = 0.0
                for e in range(b.feature_ptr[x], b.feature_ptr[x + 1]):
                    row[b.feature_column[e]] = b.feature_value[e]
            for i in range(width):
                value = other[i]
                top[RANKS, i] = min(top[RANKS, i], value)
                if value <= top[ranks - 1, i]:
                    continue
                if value > top[0, i]:
                    leader[i] = k
                for rank in range(ranks):
                    if value > top[rank, i]:
                        value, top[rank, i] = top[rank, i], value
        for i in range(width):
            # what is left if the leader goes, and most - 1 more: nothing, or at least that
            left = top[ranks - 1, i] if most < min(ranks, count) else top[RANKS, i]
            gap = top[0, i] - left
            if most >= count:
                gap = max(gap, abs(top[0, i]))
            gaps[leader[i] - start] += gap * gap
        error *= 2.0 * np.sqrt(width)
        for k in range(start, start + count):
            if status[k] == FREE:
                lost[k] += at_v * spread * (np.sqrt(gaps[k - start]) + error)
            gaps[k - start] = 0.0

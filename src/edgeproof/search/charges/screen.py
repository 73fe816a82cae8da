"""Edges two steps away, by lengths only: which of them need rows, and what the others can cost at most.

Theory: "From neurons to edges".
"""

from __future__ import annotations

from ..base.layout import GCN
from ..jit.decorators import entry
from .rows import FREE, GONE
from .scales import alpha, beta, most_at, shares


@entry
def screen(
    b,
    norms,
    target,
    u,
    each,
    rest,
    status,
    threshold,
    factor,
    own_factor,
    lost_cost,
    grown_cost,
    lost,
    grown,
    sums,
    touched,
):
    """Walk over the slots of u's neighbours w. Costs are lengths of changes of what u's layer multiplies with A, times
    what A makes of them (`factor`); C makes `own_factor` times as much of them.

    Where a cost is above `threshold`, the slot goes into `lost` or `grown`, (2, room): owner and slot; else the cost is
    added to lost_cost (a slot) or grown_cost (a vertex). sums: (n,) scratch, zeros. Returns how many slots were
    written to each list, and the largest changes at u: by one edge that is lost, by all ways of one that makes its end
    weigh more.
    """
    how0, how1 = b.how[0], b.how[1]
    left = max(most_at(b, target, u, rest), 0)
    alpha_u = alpha(b, how1, u, left)
    alpha_all = alpha(b, how1, u, max(most_at(b, target, u, each), 0))
    found, found_grown, seen = 0, 0, 0
    largest, largest_sum = 0.0, 0.0
    for e in range(b.in_ptr[u], b.in_ptr[u + 1] + 1):
        w = u
        if e < b.in_ptr[u + 1]:
            if status[e] == GONE:
                continue
            w = b.source[e]
        most = most_at(b, target, w, each)
        base_lost, sender, more, weigh = 0.0, 0.0, 0.0, beta(b, how1, w, max(most, 0))
        if most > 0:
            own, self_, sender = shares(b, how0, w, most)
            base_lost = own * norms.gathered[0, w] + self_ * norms.sent[0, w]
            more = (weigh - beta(b, how1, w, 0)) / most * norms.hidden[0, w]
        keep = alpha_all
        if w == u:  # what u hears of itself
            keep = alpha_all if how1 == GCN else 0.0
            keep += own_factor / weigh if b.has_own[1] else 0.0
        alpha_w = alpha(b, how0, w, max(most_at(b, target, w, rest), 0))
        for k in range(b.in_ptr[w], b.in_ptr[w + 1]):
            if status[k] == GONE:
                continue
            x = b.source[k]
            # an edge on the way from w through u to the node takes the way with it
            on_way = x == u and (not b.directed or w == target)
            if w != u and most > 0 and status[k] == FREE and not on_way:
                cost = alpha_u * (weigh * (base_lost + sender * beta(b, how0, x, 0) * norms.sent[0, x]) + more)
                largest = max(largest, cost)
                if cost * factor > threshold:
                    lost[0, found], lost[1, found] = w, k
                    found += 1
                else:
                    lost_cost[k] += cost * factor
            if how0 != GCN:
                continue
            most_x = most_at(b, target, x, each)
            if most_x < 1:
                continue
            cost = keep * weigh * alpha_w * norms.sent[0, x]
            cost *= (beta(b, how0, x, most_x) - beta(b, how0, x, 0)) / most_x
            if sums[x] == 0.0:
                touched[seen] = x
                seen += 1
            sums[x] += cost + 1e-300
            largest_sum = max(largest_sum, sums[x])
            if cost * factor > threshold:
                grown[0, found_grown], grown[1, found_grown] = w, k
                found_grown += 1
            else:
                grown_cost[x] += cost * factor
    for i in range(seen):
        sums[touched[i]] = 0.0
    return found, found_grown, largest, largest_sum


@entry
def count_slots(b, u):
    """How many in-edges u and its in-neighbours have, all told."""
    total = b.in_ptr[u + 1] - b.in_ptr[u]
    for e in range(b.in_ptr[u], b.in_ptr[u + 1]):
        w = b.source[e]
        total += b.in_ptr[w + 1] - b.in_ptr[w]
    return total

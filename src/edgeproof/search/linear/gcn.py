"""Backward linear bounds of a GCN aggregation.

With d the in-degree of v, r(d) = 1 / sqrt(d), g_u = a.h(u) r(deg u) and S the sum of g over the present senders, all at
the grounding, v hears  T0 = c r(d)^2 + r(d) S,  c = a.h(v).  Deleting D and inserting I makes d into d - k with
k = |D| - |I|, and what v hears into

    T0 + c (r(d - k)^2 - r(d)^2) + S (r(d - k) - r(d)) - r(d - k) sum_D g + r(d - k) sum_I g'
       + r(d - k) * sum over the kept u of a.h(u) (r(deg' u) - r(deg u))

The first two differences are shared equally by the |D| + |I| flips at v; a flip's gain is then the largest over all
k, and over all numbers of flips at v, that go with it. The last sum is paid by the flips at the senders
(intervals/gcn.py says why a share each is enough).

Theory: "Linear bound of a GCN aggregation", "Normalised sums without the vertex itself".
"""

from __future__ import annotations

import numpy as np

from ...problem.layout import MAYBE_DELETED, MAYBE_INSERTED
from ..intervals.activation import act_box
from ..jit.decorators import kernel, leaf
from ..state.degrees import degrees_of_inserted, movable_degree
from ..state.rows import dot, dot_interval
from ..state.scratch import CENTRE, RADIUS
from ..state.state import LIMIT, USED
from .sum import bound_messages
from .workspace import start_row, touch


@leaf
def worst(weight, low, high):
    """The largest of weight * x for x in [low, high]."""
    return max(weight * low, weight * high)


@leaf
def deletion_gain(root, degree, down, up, cap, bottom, own_low, own_high, others_low, others_high):
    """The most that one deletion at v adds: g of its sender is `bottom` at its worst, S without it is `others`."""
    here = root[degree]
    best = -np.inf
    for k in range(1 - min(up, cap - 1), down + 1):
        there = root[degree - k]
        shift = there - here
        shared = worst(there * there - here * here, own_low, own_high) + worst(shift, others_low, others_high)
        shared += shift * bottom
        fewest = k if k > 0 else 2 - k  # flips at v, this one among them
        most = min(cap, 2 * up + k, 2 * down - k)
        best = max(best, shared / (fewest if shared > 0.0 else most) - there * bottom)
    return best


@leaf
def insertion_gain(root, degree, down, up, cap, above, own_low, own_high, sum_low, sum_high):
    """The most that one insertion at v adds: g of its sender is `above` at its worst."""
    here = root[degree]
    best = -np.inf
    for k in range(-up, min(down, cap - 1)):
        there = root[degree - k]
        shared = worst(there * there - here * here, own_low, own_high) + worst(there - here, sum_low, sum_high)
        fewest = -k if k < 0 else k + 2
        most = min(cap, 2 * up + k, 2 * down - k)
        best = max(best, shared / (fewest if shared > 0.0 else most) + there * above)
    return best


@leaf
def sender_gains(root, degree, down, up, bottom, above, strong, weak, stays):
    """What a deletion and an insertion at a sender add to what v hears of it, at most.

    bottom, above: a.h of the sender; strong, weak: the largest and smallest r of v. If the sender may leave v (not
    `stays`), no flip may count on making its message worse.
    """
    here = root[degree]
    goes, comes = 0.0, 0.0
    if down > 0 and above > 0.0:
        goes = strong * above * (root[degree - down] - here) / down
    elif down > 0 and stays:
        goes = weak * above * (root[degree - 1] - here)
    if up > 0 and bottom < 0.0:
        comes = strong * bottom * (root[degree + 1] - here)
    elif up > 0 and stays:
        comes = weak * bottom * (root[degree + up] - here) / up
    if down > 0 and up > 0:
        # a deletion and an insertion together change nothing, so that together they must not cost anything
        goes, comes = max(goes, -max(comes, 0.0)), max(comes, -max(goes, 0.0))
    return goes, comes


@kernel
def backward_gcn(p, s, linear, options, t, v, side, rows, count, cap):
    """GCN aggregation at vertex v."""
    first = t == 1
    start, end = p.slot_ptr[v], p.slot_ptr[v + 1]
    m = p.width[t - 1]
    left = s.tally[LIMIT] - s.tally[USED]
    degree = s.degree[v]
    here = p.root[degree]
    down, up = min(cap, s.leaving[v]), min(cap, s.arriving[v])
    if not first:
        for k in range(start, end):
            u = p.slot_source[k]
            if s.status[k] & 1 and u != v:
                count = start_row(linear, 1 - side, count, u, rows, m)
                weight = here * p.root[s.degree[u]]
                for b in range(rows):
                    below, a = linear.on[1 - side, u, b], linear.a[b]
                    for j in range(m):
                        below[j] += weight * a[j]
        for b in range(rows * p.counts_itself):  # v itself has been reached
            below, a = linear.on[1 - side, v, b], linear.a[b]
            for j in range(m):
                below[j] += here * here * a[j]
        if left == 0:
            return count
    bound_messages(p, s, linear, t, v, side, rows, cap, np.int64(0))
    centre, radius = s.scratch[CENTRE], s.scratch[RADIUS]
    if not first:
        act_box(p, s, t - 1, v, centre, radius)
    for k in range(start, end):
        if cap > 0 and s.status[k] & 2:
            touch(linear, p.slot_pair[k])
    for b in range(rows):
        bottoms, aboves = linear.ends[0, b], linear.ends[1, b]
        if first:
            own_low = dot(linear.on[side, v, b], p.sent[v], p.width[1])
            own_high = own_low
        else:
            own_low, own_high = dot_interval(linear.a[b], centre, radius, m)
        own_low *= p.counts_itself
        own_high *= p.counts_itself
        sum_low, sum_high = 0.0, 0.0
        for k in range(start, end):
            u = p.slot_source[k]
            if s.status[k] & 1 and u != v:
                sum_low += p.root[s.degree[u]] * bottoms[k - start]
                sum_high += p.root[s.degree[u]] * aboves[k - start]
        if first:
            linear.const[b] += here * (sum_high + here * own_high)
        if cap == 0:
            continue
        for k in range(start, end):
            state, u = s.status[k], p.slot_source[k]
            if not state & 2 or u == v:
                continue
            bottom, above = bottoms[k - start], aboves[k - start]
            if state == MAYBE_DELETED:
                there = p.root[s.degree[u]]
                gain = deletion_gain(
                    p.root, degree, down, up, cap, there * bottom, own_low, own_high,
                    sum_low - there * bottom, sum_high - there * above,
                )  # fmt: skip
            else:
                least, most = degrees_of_inserted(p, s, options, u, left)
                gain = insertion_gain(
                    p.root, degree, down, up, cap, max(p.root[least] * above, p.root[most] * above),
                    own_low, own_high, sum_low, sum_high,
                )  # fmt: skip
            linear.gain[b, p.slot_pair[k]] += gain
    if left > 0:
        add_sender_gains(p, s, linear, options, v, rows, left, down, up)
    return count


@kernel
def add_sender_gains(p, s, linear, options, v, rows, left, down, up):
    """Gains of the flips that change the degree of a sender of v; `ends` holds what the senders send."""
    start = p.slot_ptr[v]
    # a flip at a sender leaves one less for v
    strong = p.root[s.degree[v] - min(down, left - 1)]
    weak = p.root[s.degree[v] + min(up, left - 1)]
    for k in range(start, p.slot_ptr[v + 1]):
        u = p.slot_source[k]
        if not s.status[k] & 1 or u == v:
            continue
        stays = s.status[k] != MAYBE_DELETED
        fewer, more = movable_degree(p, s, options, u, np.int64(not stays), left)
        if fewer <= 0 and more <= 0:
            continue
        first, last = p.slot_ptr[u], p.slot_ptr[u + 1]
        for e in range(first, last):
            if s.status[e] & 2:
                touch(linear, p.slot_pair[e])
        for b in range(rows):
            gain = linear.gain[b]
            goes, comes = sender_gains(
                p.root, s.degree[u], fewer, more, linear.ends[0, b, k - start], linear.ends[1, b, k - start],
                strong, weak, stays,
            )  # fmt: skip
            if goes == 0.0 and comes == 0.0:
                continue
            for e in range(first, last):
                w, state = p.slot_source[e], s.status[e]
                if state & 2 and w != u and not (p.charge_u and w == v):  # undirected, (v, u) is the pair (u, v)
                    gain[p.slot_pair[e]] += comes if state == MAYBE_INSERTED else goes

"""Lines: linear upper bounds in the flips, with one budget shared by all vertices and layers (BOUNDS.md, section 2).

A pass starts with rows of coefficients on the pre-activations of one vertex and walks down the stages. It leaves, for
every row b,  row . p  <=  const[b] + sum over pairs of gain[b, pair] * flip  for every graph below the search node, up
to `error[b]`, which bounds the rounding of the pass itself.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import FloatArray, IntArray
from ..problem import MAYBE_DELETED, MAYBE_INSERTED, Problem
from ..stages import DENSE, MAX, MEAN, POOL
from .carry import carry_columns, crowd_carrier
from .compile import kernel, reduction
from .multiply import add_picked, dot, dot_interval, dot_magnitudes, fill, pick_nonzero
from .propagate import spendable
from .state import HIGH, LIMIT, LOW, SENT, SENT_HIGH, SENT_LOW, USED, WORK

ROWS = 32  # rows of one pass: more would leave the cache
FAINT = 1e-200  # more than all underflowing coefficients of a pass can amount to (round.LARGE)


class Lines(NamedTuple):
    """Scratch of one pass. Rows are b < ROWS; `on[side, v, b]` are coefficients on stage t or t - 1 of vertex v."""

    on: NDArray[np.float64]  # (2, n, ROWS, D)
    front: NDArray[np.int64]  # (2, n) vertices with coefficients
    mark: NDArray[np.int64]  # (n,) stamp: has coefficients at the stage below
    stamp: IntArray  # (4,) stamp of `mark`; number of touched pairs; round of `star_round`; additions of this pass
    const: FloatArray
    error: FloatArray
    bound: FloatArray  # (ROWS,) after `spend`: const + best gains + error
    gain: NDArray[np.float64]  # (ROWS, F)
    touched: IntArray  # pairs with a gain in this pass
    touched_mark: IntArray  # (F,)
    a: NDArray[np.float64]  # (ROWS, W) coefficients on what is aggregated
    picked: IntArray  # (W,)
    spent: IntArray  # (n,) local budget used while spending
    ends: NDArray[np.float64]  # (2, ROWS, slots of a vertex) range of a . h for every slot
    order: FloatArray  # (F,) gains of the strongest rival: which pair to split on, which flips to try
    doubtful: NDArray[np.int8]  # (F,) with one flip left: whether this one may break the claim
    # max aggregation, one entry a coordinate; row t * n + v, row 0 for the first stage
    star: NDArray[np.int64]  # (rows, 2, W) slot that carries the upper, the lower line
    star_number: NDArray[np.float64]  # (rows, 5, W) slope, constant, drop, loss, floor
    star_round: NDArray[np.int64]  # (T+1, n) round for which they were found
    shares: FloatArray  # (ROWS,)


def make_lines(p: Problem, W: int, used: bool) -> Lines:
    pairs = max(p.pair_u.size, 1)
    n = p.n if used else 1
    stars = (p.T + 1) * p.n if used and (p.how == MAX).any() else 1
    return Lines(
        on=np.zeros((2, n, ROWS, p.D)),
        front=np.zeros((2, p.n), dtype=np.int64),
        mark=np.zeros(p.n, dtype=np.int64),
        stamp=np.zeros(4, dtype=np.int64),
        const=np.zeros(ROWS),
        error=np.zeros(ROWS),
        bound=np.zeros(ROWS),
        gain=np.zeros((ROWS if used else 1, pairs)),
        touched=np.zeros(pairs, dtype=np.int64),
        touched_mark=np.zeros(pairs, dtype=np.int64),
        a=np.zeros((ROWS, W)),
        picked=np.zeros(W, dtype=np.int64),
        spent=np.zeros(p.n, dtype=np.int64),
        ends=np.zeros((2, ROWS, int(np.diff(p.slot_ptr).max(initial=1)))),
        order=np.zeros(pairs),
        doubtful=np.zeros(pairs, dtype=np.int8),
        star=np.zeros((stars, 2, W), dtype=np.int64),
        star_number=np.zeros((stars, 5, W)),
        star_round=np.zeros((p.T + 1, p.n), dtype=np.int64),
        shares=np.zeros(ROWS),
    )


@kernel
def touch(lines, pair):
    """Make room for the gains of a pair in this pass; `stamp[1]` counts them."""
    if lines.touched_mark[pair] == 0:
        lines.touched_mark[pair] = 1
        lines.touched[lines.stamp[1]] = pair
        lines.stamp[1] += 1
        for b in range(ROWS):
            lines.gain[b, pair] = 0.0


@kernel
def reach(lines, side, count, u, rows, width):
    """Make sure that vertex u has (zero) coefficients on side; returns how many vertices have some."""
    if lines.mark[u] != lines.stamp[0]:
        lines.mark[u] = lines.stamp[0]
        lines.front[side, count] = u
        count += 1
        for b in range(rows):
            fill(lines.on[side, u, b], 0.0, width)
    return count


@reduction
def relax_row(row, up, rise, under, m):
    """Replace coefficients on h by coefficients on p; returns what goes to the constant."""
    const = 0.0
    for i in range(m):
        positive, negative = max(row[i], 0.0), min(row[i], 0.0)
        row[i] = positive * up[i] + negative * under[i]
        const += positive * rise[i]
    return const


@kernel
def relax(p, s, lines, side, u, t, rows):
    """From coefficients on h_t(u) to coefficients on p_t(u): the activation's chord above, a tangent below.

    With negative slope k: above, on [l, h], the line through (l, k l) and (h, h); below, slope 1 or k, whichever is
    closer. A slope computed in floats is as good as any if the constant makes the line lie on the right side.
    """
    k = p.slope[t]
    if k == 1.0:
        return
    width = p.width[t]
    low, high = s.boxes[t, u, LOW], s.boxes[t, u, HIGH]
    up, rise, under = s.line[0], s.line[1], s.line[2]
    for i in range(width):
        bottom, above = low[i], high[i]
        up[i] = 1.0
        rise[i] = 0.0
        under[i] = 1.0
        if above <= 0.0:
            up[i] = k
            under[i] = k
        elif bottom < 0.0:
            slope = (above - k * bottom) / (above - bottom)
            up[i] = slope
            rise[i] = max(k * bottom - slope * bottom, above - slope * above)
            under[i] = 1.0 if above > -bottom else k
    for b in range(rows):
        lines.const[b] += relax_row(lines.on[side, u, b], up, rise, under, width)


@kernel
def act_interval(centre, radius, low, high, slope, m):
    """The box of h as centre and radius, from the box of the pre-activation."""
    for i in range(m):
        bottom = max(low[i], 0.0) + slope * min(low[i], 0.0)
        above = max(high[i], 0.0) + slope * min(high[i], 0.0)
        centre[i] = 0.5 * (bottom + above)
        radius[i] = 0.5 * (above - bottom)


@kernel
def descend_sum(p, s, lines, t, v, side, rows, count, cap):
    """Sum aggregation at vertex v, t > 1: a deletion gains -a.h, an insertion a.h, each at its worst."""
    m = p.width[t - 1]
    centre, radius = s.line[0], s.line[1]
    for k in range(p.slot_ptr[v], p.slot_ptr[v + 1]):
        state = s.status[k]
        u = p.slot_source[k]
        if state & 1:
            count = reach(lines, 1 - side, count, u, rows, m)
            for b in range(rows):
                below, a = lines.on[1 - side, u, b], lines.a[b]
                for j in range(m):
                    below[j] += a[j]
        if cap > 0 and state & 2:
            pair = p.slot_pair[k]
            touch(lines, pair)
            act_interval(centre, radius, s.boxes[t - 1, u, LOW], s.boxes[t - 1, u, HIGH], p.slope[t - 1], m)
            for b in range(rows):
                bottom, above = dot_interval(lines.a[b], centre, radius, m)
                lines.gain[b, pair] += -bottom if state == MAYBE_DELETED else above
    return count


@kernel
def range_slots(p, s, lines, t, v, side, rows, cap, carriers):
    """Fill `ends` with the range of a . h of every slot into v that is there or may be."""
    centre, radius = s.line[0], s.line[1]
    start = p.slot_ptr[v]
    m = p.raw_columns_ptr[v, 1] - p.raw_columns_ptr[v, 0] if t == 1 else p.width[t - 1]
    for k in range(start, p.slot_ptr[v + 1]):
        state = s.status[k]
        if state == 0 or (state == MAYBE_INSERTED and cap == 0):
            continue
        u = p.slot_source[k]
        if t > 1:
            act_interval(centre, radius, s.boxes[t - 1, u, LOW], s.boxes[t - 1, u, HIGH], p.slope[t - 1], m)
        for b in range(rows):
            if t > 1:
                bottom, above = dot_interval(lines.a[b], centre, radius, m)
            else:
                if p.uniform and carriers:
                    bottom = dot(lines.on[side, v, b], s.carried[k], p.width[1])
                elif p.sends_products[1]:
                    bottom = dot(lines.on[side, v, b], p.sent[u], p.width[1])
                else:
                    bottom = dot(lines.a[b], p.raw[p.raw_at[k] : p.raw_at[k] + m], m)
                above = bottom
            lines.ends[0, b, k - start] = bottom
            lines.ends[1, b, k - start] = above


@kernel
def descend_mean(p, s, lines, t, v, side, rows, count, cap):
    """Mean aggregation at vertex v. With M0 the mean over the present ones, deleting D and inserting I gives
    M0 + [sum over D of (M0 - s) + sum over I of (s - M0)] / (present - |D| + |I|):
    each bracket term at its worst, over the denominator that makes it largest.
    """
    first = t == 1
    start, end = p.slot_ptr[v], p.slot_ptr[v + 1]
    present, decided, deletable, insertable = 0, 0, 0, 0
    for k in range(start, end):
        state = s.status[k]
        present += state & 1
        if state == MAYBE_DELETED and cap > 0:
            deletable += 1
        elif state & 1:
            decided += 1
        elif state == MAYBE_INSERTED and cap > 0:
            insertable += 1
    share = 1.0 / max(present, 1)
    if not first:
        m = p.width[t - 1]
        for k in range(start, end):
            if s.status[k] & 1:
                u = p.slot_source[k]
                count = reach(lines, 1 - side, count, u, rows, m)
                for b in range(rows):
                    below, a = lines.on[1 - side, u, b], lines.a[b]
                    for j in range(m):
                        below[j] += share * a[j]
        if deletable + insertable == 0:
            return count
    range_slots(p, s, lines, t, v, side, rows, cap, np.int64(0))
    empties = decided == 0 and deletable <= cap and present > 0
    for k in range(start, end):
        if s.status[k] & 2 and cap > 0:
            touch(lines, p.slot_pair[k])
    for b in range(rows):
        bottoms, aboves = lines.ends[0, b], lines.ends[1, b]
        total_low, total_high = 0.0, 0.0
        for k in range(start, end):
            if s.status[k] & 1:
                total_low += bottoms[k - start]
                total_high += aboves[k - start]
        if first:
            lines.const[b] += share * total_high
        if cap == 0:
            continue
        for k in range(start, end):
            state = s.status[k]
            if not state & 2:
                continue
            bottom, above = bottoms[k - start], aboves[k - start]
            if state == MAYBE_DELETED:
                term = share * (total_high - above) - bottom * (1.0 - share)
                least = max(present - min(cap, deletable), 1)
                most = max(present - 1 + min(cap - 1, insertable), 1)
            else:
                term = above - share * total_low
                least = present - min(cap - 1, deletable) + 1
                most = present + min(cap, insertable)
            gain = term / (least if term > 0.0 else most)
            if state == MAYBE_DELETED and empties:
                # all gone, the mean is 0: together the deletions must make up for a negative M0
                gain = max(gain, -share * (share * total_low))
            lines.gain[b, p.slot_pair[k]] += gain
    return count


@kernel
def find_stars(p, s, lines, t, v, cap):
    """Max aggregation at vertex v: for every coordinate, which slot carries the line above and below.

    Above: agg <= max(h of the largest `high`, the second largest `high`), by its chord; if that one is above the
    second anyway, its deletion costs the adversary at least the difference.
    Below: agg >= h of the one that is largest now; if it may go, minus what is lost then, paid by its flip.
    Passes of one round share the stars: they depend on the boxes of the stage below only.
    """
    if lines.star_round[t, v] == lines.stamp[2] and t > 1:
        return
    lines.star_round[t, v] = lines.stamp[2]
    first = t == 1
    at = 0 if first else t * p.n + v
    ups, downs, numbers = lines.star[at, 0], lines.star[at, 1], lines.star_number[at]
    slopes, consts, drops, losses, floors = numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]
    m = p.raw_columns_ptr[v, 1] - p.raw_columns_ptr[v, 0] if first else p.width[t - 1]
    start, end = p.slot_ptr[v], p.slot_ptr[v + 1]
    decided, deletable = 0, 0
    for k in range(start, end):
        state = s.status[k]
        if state == MAYBE_DELETED and cap > 0:
            deletable += 1
        elif state & 1:
            decided += 1
    empties = decided == 0 and deletable <= cap
    ranked = s.top[0]
    for i in range(m):
        up, high_up, low_up, second, up_open = -1, -np.inf, -np.inf, -np.inf, False
        down, now_down, high_down, down_open, sure = -1, -np.inf, -np.inf, False, -np.inf
        for r in range(cap + 1):
            ranked[r, i] = -np.inf
        lowest = 0.0
        for k in range(start, end):
            state = s.status[k]
            if state == 0 or (state == MAYBE_INSERTED and cap == 0):
                continue
            if first:
                bottom = p.raw[p.raw_at[k] + i]
                above = bottom
                now = bottom
            else:
                u = p.slot_source[k]
                bottom = s.boxes[t - 1, u, SENT_LOW, i]
                above = s.boxes[t - 1, u, SENT_HIGH, i]
                now = s.values[t - 1, u, SENT, i]
            if state == MAYBE_INSERTED:
                if cap > deletable:
                    lowest = min(lowest, bottom)
                continue
            movable = state == MAYBE_DELETED and cap > 0
            if above > high_up:
                second = max(second, high_up)
                up, high_up, low_up, up_open = k, above, bottom, movable
            else:
                second = max(second, above)
            if now > now_down or (now == now_down and down_open and not movable):
                down, now_down, high_down, down_open = k, now, above, movable
            if movable:
                lowest = min(lowest, bottom)
                x = bottom
                for r in range(cap + 1):
                    larger = max(ranked[r, i], x)
                    x = min(ranked[r, i], x)
                    ranked[r, i] = larger
            else:
                sure = max(sure, bottom)
        ups[i] = -1
        downs[i] = down
        slopes[i] = 0.0
        consts[i] = 0.0
        drops[i] = 0.0
        losses[i] = 0.0
        floors[i] = 0.0
        if up < 0:  # nobody is there: the aggregate is 0, and only insertions move it
            continue
        # what is there at least, whatever goes
        floors[i] = lowest if empties else max(sure, ranked[cap, i])
        losses[i] = max(high_down - floors[i], 0.0) if down_open else 0.0
        if empties:
            second = max(second, 0.0)
        if second >= high_up:
            consts[i] = second
            continue
        ups[i] = up
        if low_up >= second:
            slopes[i] = 1.0
            drops[i] = low_up - second if up_open and second > -np.inf else 0.0
        else:
            slope = (high_up - second) / (high_up - low_up)
            slopes[i] = slope
            consts[i] = max(second - slope * low_up, high_up - slope * high_up)


@kernel
def descend_max(p, s, lines, t, v, side, rows, count, cap):
    """Max aggregation at vertex v."""
    find_stars(p, s, lines, t, v, cap)
    first = t == 1
    at = 0 if first else t * p.n + v
    ups, downs, numbers = lines.star[at, 0], lines.star[at, 1], lines.star_number[at]
    slopes, consts, drops, losses, floors = numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]
    m = p.raw_columns_ptr[v, 1] - p.raw_columns_ptr[v, 0] if first else p.width[t - 1]
    start, end = p.slot_ptr[v], p.slot_ptr[v + 1]
    for k in range(start, end):
        if s.status[k] & 1 and not first:
            count = reach(lines, 1 - side, count, p.slot_source[k], rows, m)
        if s.status[k] & 2 and cap > 0:
            touch(lines, p.slot_pair[k])
    for b in range(rows):
        a = lines.a[b]
        const = 0.0
        for i in range(m):
            weight = a[i]
            if weight > 0.0:
                const += weight * consts[i]
                k = ups[i]
                if k >= 0:
                    if first:
                        const += weight * slopes[i] * p.raw[p.raw_at[k] + i]
                    else:
                        lines.on[1 - side, p.slot_source[k], b, i] += weight * slopes[i]
                    if drops[i] > 0.0:
                        lines.gain[b, p.slot_pair[k]] -= weight * drops[i]
            elif weight < 0.0:
                k = downs[i]
                if k >= 0:
                    if first:
                        const += weight * p.raw[p.raw_at[k] + i]
                    else:
                        lines.on[1 - side, p.slot_source[k], b, i] += weight
                    if losses[i] > 0.0:
                        lines.gain[b, p.slot_pair[k]] -= weight * losses[i]
        lines.const[b] += const
    if cap == 0:
        return count
    for k in range(start, end):
        if s.status[k] != MAYBE_INSERTED:
            continue
        pair = p.slot_pair[k]
        for b in range(rows):
            a = lines.a[b]
            gain = 0.0
            for i in range(m):
                if first:
                    bottom = p.raw[p.raw_at[k] + i]
                    above = bottom
                else:
                    bottom = s.boxes[t - 1, p.slot_source[k], SENT_LOW, i]
                    above = s.boxes[t - 1, p.slot_source[k], SENT_HIGH, i]
                if a[i] > 0.0:
                    gain += a[i] * max(above - floors[i], 0.0)
                elif downs[i] < 0:
                    gain += a[i] * min(bottom, 0.0)
            lines.gain[b, pair] += gain
    return count


@kernel
def descend_pool(p, s, lines, t, side, rows, count):
    """The readout: every vertex is there. Sum and mean pass on shares, max a chord or its best lower end."""
    m = p.width[t - 1]
    for u in range(p.n):
        count = reach(lines, 1 - side, count, u, rows, m)
    if p.how[t] != MAX:
        share = 1.0 / p.n if p.how[t] == MEAN else 1.0
        for u in range(p.n):
            for b in range(rows):
                below, a = lines.on[1 - side, u, b], lines.a[b]
                for j in range(m):
                    below[j] += share * a[j]
        return count
    for i in range(m):
        up, high_up, low_up, second, down, low_down = -1, -np.inf, -np.inf, -np.inf, -1, -np.inf
        for u in range(p.n):
            bottom, above = s.boxes[t - 1, u, SENT_LOW, i], s.boxes[t - 1, u, SENT_HIGH, i]
            if above > high_up:
                second = max(second, high_up)
                up, high_up, low_up = u, above, bottom
            else:
                second = max(second, above)
            if bottom > low_down:
                down, low_down = u, bottom
        if low_up >= second:
            slope, rise = 1.0, 0.0
        elif second >= high_up:
            slope, rise = 0.0, second
        else:
            slope = (high_up - second) / (high_up - low_up)
            rise = max(second - slope * low_up, high_up - slope * high_up)
        for b in range(rows):
            weight = lines.a[b, i]
            if weight > 0.0:
                lines.on[1 - side, up, b, i] += weight * slope
                lines.const[b] += weight * rise
            else:
                lines.on[1 - side, down, b, i] += weight
    return count


@kernel
def descend_first(p, s, lines, v, side, rows, cap, carriers):
    """Sum aggregation at the first stage: what neighbours send are numbers."""
    range_slots(p, s, lines, np.int64(1), v, side, rows, cap, carriers)
    start = p.slot_ptr[v]
    for k in range(start, p.slot_ptr[v + 1]):
        state = s.status[k]
        if state == 0 or (state == MAYBE_INSERTED and cap == 0):
            continue
        pair = p.slot_pair[k]
        moves = cap > 0 and state & 2
        if moves:
            touch(lines, pair)
        for b in range(rows):
            x = lines.ends[0, b, k - start]
            if state & 1:
                lines.const[b] += x
            if moves:
                lines.gain[b, pair] += -x if state & 1 else x


@kernel
def descend_carriers(p, s, lines, v, side, rows, cap):
    """Max of 0/1 features at the first stage: single carriers are linear, as under a sum. In a crowd of n that may
    all go, the column is lost only if all go: its share is at least 1 - (their flips) / n and at most 1; in a crowd
    that may only come, at least (their flips) / n and at most their sum.
    """
    crowds = carry_columns(p, s, v, cap)
    descend_first(p, s, lines, v, side, rows, cap, np.int64(1))
    for b in range(rows):
        lines.const[b] += dot(lines.on[side, v, b], s.carried_const, p.width[1])
    start, end = p.slot_ptr[v], p.slot_ptr[v + 1]
    offset = p.raw_columns_ptr[v, 0]
    for c in range(crowds):
        j, deletable, insertable = s.crowd[c, 0], s.crowd[c, 1], s.crowd[c, 2]
        weight, value = p.A1T[p.raw_columns[offset + j]], p.raw_value[offset + j]
        for b in range(rows):
            lines.shares[b] = value * dot(lines.on[side, v, b], weight, p.width[1])
        for k in range(start, end):
            if not crowd_carrier(p, s, j, k):
                continue
            goes = s.status[k] == MAYBE_DELETED
            if goes != (deletable > 0):
                continue  # next to one that is there, an insertion changes nothing at best, and saves it at worst
            pair = p.slot_pair[k]
            for b in range(rows):
                a = lines.shares[b]
                if goes:
                    lines.gain[b, pair] += max(-a, 0.0) / deletable
                else:
                    lines.gain[b, pair] += max(a, 0.0) + min(a, 0.0) / insertable


@kernel
def raw_coefficients(p, lines, v, side, rows):
    """a = A^T G over the raw feature columns that occur around v."""
    offset = p.raw_columns_ptr[v, 0]
    m = p.raw_columns_ptr[v, 1] - offset
    width = p.width[1]
    for b in range(rows):
        row, a = lines.on[side, v, b], lines.a[b]
        for j in range(m):
            a[j] = dot(p.A1T[p.raw_columns[offset + j]], row, width)


@kernel
def additions(p, t, v):
    """More than the terms that one vertex adds to a constant or to a gain."""
    around = p.n if p.kind[t] == POOL else p.slot_ptr[v + 1] - p.slot_ptr[v]
    columns = p.width[t - 1]
    if t == 1:
        columns = p.raw_columns_ptr[v, 1] - p.raw_columns_ptr[v, 0]
    return 8 + 2 * around + 4 * columns


@kernel
def descend(p, s, lines, options, top, rows, side, count):
    """Walk from coefficients on p_top, given for `front[side][:count]`, down to the flips."""
    for t in range(top, 0, -1):
        width, lower = p.width[t], p.width[t - 1]
        lines.stamp[0] += 1
        following = np.int64(0)
        for k in range(count):
            v = lines.front[side, k]
            s.tally[WORK] += 1 + rows // 4
            slack = s.slack[t, v]
            cap = spendable(s, options, v)
            lines.stamp[3] += additions(p, t, v)
            gathers = p.kind[t] != DENSE and (p.kind[t] == POOL or p.slot_ptr[v + 1] > p.slot_ptr[v])
            if t > 1:
                following = reach(lines, 1 - side, following, v, rows, lower)
            for b in range(rows):
                row = lines.on[side, v, b]
                lines.error[b] += dot_magnitudes(row, slack, width)
                lines.const[b] += dot(row, p.own[v] if t == 1 else p.bias[t], width)
                if t > 1:
                    picked = pick_nonzero(lines.picked, row, width)
                    add_picked(lines.on[1 - side, v, b], p.C[t], row, lines.picked, picked, lower)
                    if gathers:
                        fill(lines.a[b], 0.0, lower)
                        add_picked(lines.a[b], p.A[t], row, lines.picked, picked, lower)
            if not gathers:
                continue
            if t == 1 and p.uniform and options.carriers:
                descend_carriers(p, s, lines, v, side, rows, cap)
                continue
            if t == 1 and not p.sends_products[1]:
                raw_coefficients(p, lines, v, side, rows)
            if p.kind[t] == POOL:
                following = descend_pool(p, s, lines, t, side, rows, following)
            elif p.how[t] == MAX:
                following = descend_max(p, s, lines, t, v, side, rows, following, cap)
            elif p.how[t] == MEAN:
                following = descend_mean(p, s, lines, t, v, side, rows, following, cap)
            elif t == 1:
                descend_first(p, s, lines, v, side, rows, cap, np.int64(0))
            else:
                following = descend_sum(p, s, lines, t, v, side, rows, following, cap)
        side = 1 - side
        count = following
        for k in range(count):
            relax(p, s, lines, side, lines.front[side, k], t - 1, rows)


@kernel
def spend(p, s, lines, rows):
    """bound[b]: const plus the best gains that the budgets allow, plus the rounding of the pass.

    Each pair is charged to its v only: exact for directed graphs, where local budgets are laminar and greedy is
    optimal; for undirected ones it drops a constraint, which is valid.
    """
    left = s.tally[LIMIT] - s.tally[USED]
    count = lines.stamp[1]
    # `error` allows each vertex its own roundings; the sums that run through the whole pass come on top. What they
    # add up is no larger than error / (8 roundings u), so N additions cost no more than N / (8 roundings) of it.
    whole = 1.0 + lines.stamp[3] / (4.0 * p.roundings)
    for b in range(rows):
        total = lines.const[b]
        gain = lines.gain[b]
        taken = 0
        size = abs(total)
        finite = True
        for k in range(count):
            finite = finite and abs(gain[lines.touched[k]]) < np.inf
        while taken < left and finite:
            best, at = 0.0, -1
            for k in range(count):
                pair = lines.touched[k]
                v = p.pair_v[pair]
                if gain[pair] > best and lines.touched_mark[pair] == 1 and lines.spent[v] < s.spare[v]:
                    best, at = gain[pair], pair
            if at < 0:
                break
            lines.touched_mark[at] = 2
            lines.spent[p.pair_v[at]] += 1
            total += best
            size += best
            taken += 1
        for k in range(count):
            pair = lines.touched[k]
            lines.touched_mark[pair] = 1
            lines.spent[p.pair_v[pair]] = 0
        lines.error[b] = lines.error[b] * whole + FAINT
        lines.bound[b] = total + lines.error[b] + size * (taken + 16) * 2.0**-51 if finite else np.inf


@kernel
def start_pass(lines, rows):
    for k in range(lines.stamp[1]):
        lines.touched_mark[lines.touched[k]] = 0
    lines.stamp[1] = 0
    lines.stamp[3] = 0
    for b in range(rows):
        lines.const[b] = 0.0
        lines.error[b] = 0.0

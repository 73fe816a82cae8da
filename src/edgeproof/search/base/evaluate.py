"""The scores of one vertex when a set of pairs is flipped, from the values of the whole graph.

Layer by layer, only vertices whose values change and that still reach the node are computed: what they gather changes
by what their changed in-neighbours send now, less what they sent before. Every row carries a bound on its rounding.

Theory: "Values of a flip set from the whole graph".
"""

from __future__ import annotations

import numpy as np

from ...arithmetic.padding import PAD
from ..jit.decorators import entry, kernel, leaf, loop
from ..state.curves import curve_values
from .layout import (
    ALONE,
    COMPUTED,
    EVALUATED,
    GATHERED,
    GATHERED_ERROR,
    GATHERED_SIZE,
    GCN,
    HIDDEN,
    HIDDEN_ERROR,
    HIDDEN_SIZE,
    LATE,
    MAX,
    MEAN,
    OWN,
    OWN_ERROR,
    OWN_SIZE,
    SENT,
    SENT_ERROR,
    SENT_SIZE,
)

# instead of an error: an evaluation needs more room; time is up
CROWDED, TOO_LATE = -1.0, -2.0
TINY = 1e-290


@loop
def multiply(out, weight, row, start, lower, width):
    """out = weight^T row; weight[start + j * width + i], column after column."""
    for i in range(width):
        out[i] = start[i]
    for j in range(lower):
        factor = row[j]
        at = j * width
        for i in range(width):
            out[i] += factor * weight[at + i]


@loop
def replace(out, new, more, old, less, width):
    for i in range(width):
        out[i] += more * new[i] - less * old[i]


@loop
def finish(out, own, gathered, sent, scale, kept, slope, width):
    """The activation of own + scale * (gathered + kept * sent); returns the largest magnitude."""
    most = 0.0
    for i in range(width):
        value = own[i] + scale * (gathered[i] + kept * sent[i])
        value = max(value, 0.0) + slope[i] * min(value, 0.0)
        out[i] = value
        most = max(most, abs(value))
    return most


@leaf
def finish_curved(out, own, gathered, sent, scale, kept, bends, width):
    """The same where some activation is curved."""
    for i in range(width):
        out[i] = own[i] + scale * (gathered[i] + kept * sent[i])
    curve_values(out, out, bends, width)
    most = 0.0
    for i in range(width):
        most = max(most, abs(out[i]))
    return most


@leaf
def row_of(b, layer, kind, v):
    width = b.width[layer + 1]
    at = b.block[layer, kind] + v * width
    return b.rows[at : at + width]


@leaf
def looped(b, sources, targets, arcs, v):
    found = b.loop[v]
    for k in range(arcs):
        if sources[k] == v and targets[k] == v:
            found = 1 - found
    return found


@leaf
def is_flipped(sources, targets, arcs, x, y):
    found = False
    for k in range(arcs):
        found = found or (sources[k] == x and targets[k] == y)
    return found


@kernel
def come_near(b, o, sources, targets, inserted, arcs):
    """Inserted arcs bring vertices nearer to the node; returns how many entries of the way back were written."""
    moved, depth, again = 0, b.depth[0], True
    while again:
        again = False
        for k in range(arcs):
            s, t = sources[k], targets[k]
            if inserted[k] == 0 or o.near[t] + 1 >= o.near[s] or o.near[t] >= depth:
                continue
            again = True
            first = moved
            o.touched[moved], o.before[moved] = s, o.near[s]
            o.near[s] = o.near[t] + 1
            moved += 1
            while first < moved:
                y = o.touched[first]
                first += 1
                if o.near[y] >= depth:
                    continue
                for e in range(b.in_ptr[y], b.in_ptr[y + 1]):
                    x = b.source[e]
                    if o.near[y] + 1 < o.near[x]:
                        o.touched[moved], o.before[moved] = x, o.near[x]
                        o.near[x] = o.near[y] + 1
                        moved += 1
    return moved


@leaf
def mark(o, which, left, v, m):
    """Number v among the vertices that change, if it still reaches the node."""
    if o.near[v] <= left and o.place[which, v] < 0 and m < o.rows.shape[1]:
        o.place[which, v] = m
        o.changed[which, m] = v
        return m + 1
    return m


@kernel
def find_changed(b, o, layer, which, count, sources, targets, arcs):
    """Who changes at this layer, given the `count` vertices that the layer before has changed."""
    left, how, m = b.depth[layer + 1], b.how[layer], 0
    for i in range(count):
        x = o.changed[1 - which, i]
        m = mark(o, which, left, x, m)
        if how != ALONE:
            for e in range(b.out_ptr[x], b.out_ptr[x + 1]):
                m = mark(o, which, left, b.target[e], m)
    if how != ALONE:
        for k in range(arcs):
            t = targets[k]
            m = mark(o, which, left, t, m)
            if how == GCN and sources[k] != t:
                for e in range(b.out_ptr[t], b.out_ptr[t + 1]):
                    m = mark(o, which, left, b.target[e], m)
    return m


@kernel
def send_changed(b, o, layer, which, count):
    """What changed vertices keep and send at this layer, from their new hidden rows; nothing changes in the first."""
    lower, width = b.width[layer], b.width[layer + 1]
    norm, unit, zero = b.norm[layer], b.unit[layer], b.bias[layer]
    for i in range(count):
        if o.tally[LATE]:
            return
        rows, bounds = o.rows[which, i], o.bounds[which, i]
        size, error = bounds[HIDDEN_SIZE], bounds[HIDDEN_ERROR]
        bounds[OWN_SIZE] = norm[0] * size + norm[2]
        bounds[OWN_ERROR] = norm[0] * error + unit * bounds[OWN_SIZE] + TINY
        bounds[SENT_SIZE] = norm[1] * size
        bounds[SENT_ERROR] = norm[1] * error + unit * bounds[SENT_SIZE] + TINY
        if b.has_own[layer]:
            multiply(rows[2], b.weight[b.weight_at[layer, 0] :], rows[0], zero, lower, width)
        else:
            rows[2][:width] = zero[:width]
        if b.how[layer] != ALONE and b.how[layer] != MAX:
            multiply(rows[1], b.weight[b.weight_at[layer, 1] :], rows[0], o.score, lower, width)


@kernel
def replace_sent(b, o, layer, which, x, sources, targets, arcs):
    """Put what x sends now into the place of what it sent before, at its out-neighbours that change."""
    width, gcn, i = b.width[layer + 1], b.how[layer] == GCN, o.place[1 - which, x]
    old, bounds = row_of(b, layer, SENT, x), b.bounds[layer]
    less = 1.0 / np.sqrt(b.heard[x] + 1.0) if gcn else 1.0
    more = 1.0 / np.sqrt(b.heard[x] + o.more[x] + 1.0) if gcn else 1.0
    size, error = less * bounds[SENT_SIZE, x], less * bounds[SENT_ERROR, x]
    new = old
    if i >= 0:
        new = o.rows[1 - which, i, 1]
        size += more * o.bounds[1 - which, i, SENT_SIZE]
        error += more * o.bounds[1 - which, i, SENT_ERROR]
    else:
        size += more * bounds[SENT_SIZE, x]
        error += more * bounds[SENT_ERROR, x]
    for e in range(b.out_ptr[x], b.out_ptr[x + 1]):
        y = b.target[e]
        j = o.place[which, y]
        if j >= 0 and not is_flipped(sources, targets, arcs, x, y):
            replace(o.rows[which, j, 1], new, more, old, less, width)
            o.bounds[which, j, GATHERED_SIZE] += size
            o.bounds[which, j, GATHERED_ERROR] += error
    for k in range(arcs):
        y = targets[k]
        j = o.place[which, y]
        if sources[k] == x and y != x and j >= 0:
            there = is_there(b, x, y)
            replace(o.rows[which, j, 1], new, 0.0 if there else more, old, less if there else 0.0, width)
            o.bounds[which, j, GATHERED_SIZE] += size
            o.bounds[which, j, GATHERED_ERROR] += error


@leaf
def is_there(b, x, y):
    """Whether x is an in-neighbour of y in the graph as it is, which `b` holds by in_ptr and source."""
    low, high = b.in_ptr[y], b.in_ptr[y + 1]
    while low < high:
        middle = (low + high) // 2
        if b.source[middle] < x:
            low = middle + 1
        else:
            high = middle
    return low < b.in_ptr[y + 1] and b.source[low] == x


@kernel
def gather_changed(b, o, layer, which, count, m, ends, sources, targets, arcs):
    """What changed vertices gather, from senders that have changed, that weigh otherwise, or whose arcs are flipped."""
    width = b.width[layer + 1]
    for j in range(m):
        y = o.changed[which, j]
        o.rows[which, j, 1, :width] = row_of(b, layer, GATHERED, y)
        o.bounds[which, j, GATHERED_SIZE] = b.bounds[layer, GATHERED_SIZE, y]
        o.bounds[which, j, GATHERED_ERROR] = b.bounds[layer, GATHERED_ERROR, y]
    for i in range(count):
        replace_sent(b, o, layer, which, o.changed[1 - which, i], sources, targets, arcs)
    for k in range(ends):
        x = o.ends[k]
        if o.place[1 - which, x] < 0:
            replace_sent(b, o, layer, which, x, sources, targets, arcs)


@leaf
def sender_at(b, sources, targets, arcs, y, e):
    """Whom y hears at place e when these arcs are flipped: first those of the graph, then those that come, last itself;
    -1: nobody.
    """
    last = b.in_ptr[y + 1]
    if e < last:
        return -1 if is_flipped(sources, targets, arcs, b.source[e], y) else b.source[e]
    if e < last + arcs:
        x = sources[e - last]
        return -1 if targets[e - last] != y or x == y or is_there(b, x, y) else x
    return y if looped(b, sources, targets, arcs, y) else -1


@kernel
def largest_features(b, o, y, sources, targets, arcs):
    """A times the largest features among the in-neighbours of y, into o.score; returns the largest magnitude."""
    found, count, most, width = 0, 0, 0.0, b.width[1]
    first, last = b.in_ptr[y], b.in_ptr[y + 1]
    for e in range(first, last + arcs + 1):
        x = sender_at(b, sources, targets, arcs, y, e)
        if x < 0:
            continue
        count += 1
        for at in range(b.feature_ptr[x], b.feature_ptr[x + 1]):
            column, value = b.feature_column[at], b.feature_value[at]
            if o.carriers[column] == 0:
                o.columns[found] = column
                found += 1
                o.peak[column] = value
            o.carriers[column] += 1
            o.peak[column] = max(o.peak[column], value)
    o.score[:width] = 0.0
    for at in range(found):
        column = o.columns[at]
        value = o.peak[column] if o.carriers[column] == count else max(o.peak[column], 0.0)
        o.carriers[column] = 0
        most = max(most, abs(value))
        row = b.first[column]
        for i in range(width):
            o.score[i] += value * row[i]
    return most


@kernel
def largest_changed(b, o, layer, which, j, sources, targets, arcs):
    """A times the largest hidden rows among the in-neighbours of a changed vertex, into its second row; returns a
    bound on magnitudes and on errors of these rows.
    """
    y, lower, width = o.changed[which, j], b.width[layer], b.width[layer + 1]
    out = o.rows[which, j, 1]
    if layer == 0:
        most = largest_features(b, o, y, sources, targets, arcs)
        for i in range(width):
            out[i] = o.score[i]
            o.score[i] = 0.0
        return most, 0.0
    count, size, error = 0, 0.0, 0.0
    first, last = b.in_ptr[y], b.in_ptr[y + 1]
    for e in range(first, last + arcs + 1):
        x = sender_at(b, sources, targets, arcs, y, e)
        if x < 0:
            continue
        i = o.place[1 - which, x]
        if i >= 0:
            row = o.rows[1 - which, i, 0]
            size, error = (
                max(size, o.bounds[1 - which, i, HIDDEN_SIZE]),
                max(error, o.bounds[1 - which, i, HIDDEN_ERROR]),
            )
        else:
            row = row_of(b, layer - 1, HIDDEN, x)
            size = max(size, b.bounds[layer - 1, HIDDEN_SIZE, x])
            error = max(error, b.bounds[layer - 1, HIDDEN_ERROR, x])
        for c in range(lower):
            o.largest[c] = row[c] if count == 0 else max(o.largest[c], row[c])
        count += 1
    if count == 0:
        o.largest[:lower] = 0.0
    multiply(out, b.weight[b.weight_at[layer, 1] :], o.largest, o.score, lower, width)
    return size, error


@kernel
def finish_vertex(b, o, layer, which, j, sources, targets, arcs):
    """The hidden row of a changed vertex from what it keeps, gathers, and sends to itself."""
    y, width, how = o.changed[which, j], b.width[layer + 1], b.how[layer]
    i, bounds = o.place[1 - which, y], o.bounds[which, j]
    own, size, error = b.bias[layer], b.bounds[layer, OWN_SIZE, y], b.bounds[layer, OWN_ERROR, y]
    if i >= 0:
        own = o.rows[1 - which, i, 2]
        size, error = o.bounds[1 - which, i, OWN_SIZE], o.bounds[1 - which, i, OWN_ERROR]
    elif b.has_own[layer]:
        own = row_of(b, layer, OWN, y)
    scale, kept, sent = 0.0, 0.0, own
    if how == MAX:
        peak_size, peak_error = largest_changed(b, o, layer, which, j, sources, targets, arcs)
        scale, size = 1.0, size + b.norm[layer, 1] * peak_size
        error += b.norm[layer, 1] * peak_error + b.unit[layer] * b.norm[layer, 1] * peak_size
    elif how != ALONE:
        sent = row_of(b, layer, SENT, y)
        sent_size, sent_error = b.bounds[layer, SENT_SIZE, y], b.bounds[layer, SENT_ERROR, y]
        if i >= 0:
            sent = o.rows[1 - which, i, 1]
            sent_size, sent_error = o.bounds[1 - which, i, SENT_SIZE], o.bounds[1 - which, i, SENT_ERROR]
        count = b.heard[y] + o.more[y]
        if how == GCN:
            scale = 1.0 / np.sqrt(count + 1.0)
            kept = scale
        else:
            kept = np.float64(looped(b, sources, targets, arcs, y))
            scale = 1.0 / max(count + kept, 1.0) if how == MEAN else 1.0
        size += scale * (bounds[GATHERED_SIZE] + kept * sent_size)
        error += scale * (bounds[GATHERED_ERROR] + b.unit[layer] * bounds[GATHERED_SIZE] + kept * sent_error)
    error += b.unit[layer] * size + TINY
    row, gathered = o.rows[which, j, 0], o.rows[which, j, 1]
    if b.curves[layer]:
        most = finish_curved(row, own, gathered, sent, scale, kept, b.slope[layer], width)
        error = b.steep[layer, 0] * error + 2.0 * PAD * (size + b.steep[layer, 1])
    else:
        most = finish(row, own, gathered, sent, scale, kept, b.slope[layer], width)
    bounds[HIDDEN_ERROR] = error
    bounds[HIDDEN_SIZE] = most + bounds[HIDDEN_ERROR]


@kernel
def set_out(b, o, sources, targets, inserted, arcs):
    """In-degrees after the flips, and the ends of arcs that are no self-loops, each once; how many of them."""
    ends = 0
    for k in range(arcs):
        s, t = sources[k], targets[k]
        if s == t:
            continue
        o.more[t] += 1 if inserted[k] else -1
        for x in (s, t):
            known = False
            for i in range(ends):
                known = known or o.ends[i] == x
            if not known:
                o.ends[ends] = x
                ends += 1
    return ends


@kernel
def clear(o, which, count):
    for i in range(count):
        o.place[which, o.changed[which, i]] = -1


@entry
def evaluate_flips(b, o, node, sources, targets, inserted, arcs):
    """Scores of the node into o.score when these arcs are flipped; a bound on their error, CROWDED if `o` has too few
    rows, TOO_LATE if its flag says so. An undirected pair is two arcs. `inserted`: 1 where the arc is not there yet.
    """
    o.tally[EVALUATED] += 1
    o.score[:] = 0.0
    moved = come_near(b, o, sources, targets, inserted, arcs)
    ends = set_out(b, o, sources, targets, inserted, arcs)
    which, count, room, error = np.int64(1), np.int64(0), o.rows.shape[1], 0.0
    for layer in range(b.L):
        if layer > 0:
            send_changed(b, o, layer, which, count)
        which = 1 - which
        m = find_changed(b, o, layer, which, count, sources, targets, arcs)
        if m == room:
            error = CROWDED
        if b.how[layer] != ALONE and b.how[layer] != MAX and error != CROWDED:
            gather_changed(b, o, layer, which, count, m, ends, sources, targets, arcs)
        if error != CROWDED:
            for j in range(m):
                if o.tally[LATE] == 0:
                    finish_vertex(b, o, layer, which, j, sources, targets, arcs)
        clear(o, 1 - which, count)
        count = m
        if o.tally[LATE]:
            error = TOO_LATE
        if error < 0.0:
            break
        o.tally[COMPUTED] += m
    if error >= 0.0:
        i, width = o.place[which, node], b.width[b.L]
        row = row_of(b, b.L - 1, HIDDEN, node)
        error = b.bounds[b.L - 1, HIDDEN_ERROR, node]
        if i >= 0:
            row, error = o.rows[which, i, 0], o.bounds[which, i, HIDDEN_ERROR]
        for c in range(width):
            o.score[c] = row[c]
    clear(o, which, count)
    for k in range(arcs):
        o.more[targets[k]] = 0
    while moved > 0:
        moved -= 1
        o.near[o.touched[moved]] = o.before[moved]
    return error


@entry
def set_near(b, near, queue, node, far):
    """near[v]: how far v is from the node, `far` where it does not reach it through the layers."""
    near[:] = far
    near[node], queue[0] = 0, node
    first, last = 0, 1
    while first < last:
        y = queue[first]
        first += 1
        if near[y] >= b.depth[0]:
            continue
        for e in range(b.in_ptr[y], b.in_ptr[y + 1]):
            x = b.source[e]
            if near[x] > near[y] + 1:
                near[x] = near[y] + 1
                queue[last] = x
                last += 1
    return last

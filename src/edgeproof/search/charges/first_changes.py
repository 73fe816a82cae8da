"""How the hidden rows after layer 1 change: for each slot (w, x), if the edge x -> w goes, and if x loses another one.

Rows are exact if nothing else changes at w. What else may change there, within the budget, is in the radius.

Theory: "Differences when in-edges go", "Several changes at one neuron".
"""

from __future__ import annotations

from ..base.layout import GATHERED, GCN, OWN, SENT
from ..jit.decorators import entry, leaf
from .bend import activate, interplay
from .rows import FREE, GONE, row_of
from .scales import alpha, beta, most_at, shares


@leaf
def pre_activation(b, layer, v, out):
    how, width = b.how[layer], b.width[layer + 1]
    scale = alpha(b, how, v, 0)
    gathered, sent, bias = row_of(b, layer, GATHERED, v), row_of(b, layer, SENT, v), b.bias[layer]
    kept = scale if how == GCN else 0.0
    for i in range(width):
        out[i] = scale * (gathered[i] + kept * sent[i])
    if b.has_own[layer]:
        own = row_of(b, layer, OWN, v)
        for i in range(width):
            out[i] += own[i]
    else:
        for i in range(width):
            out[i] += bias[i]


@leaf
def lost_message(b, layer, w, x, k, out):
    """What w hears less, x's part of it, when x is one of k in-neighbours that are gone."""
    how, width = b.how[layer], b.width[layer + 1]
    own, self_, sender = shares(b, how, w, k)
    sender *= beta(b, how, x, 0)
    gathered, sent, other = row_of(b, layer, GATHERED, w), row_of(b, layer, SENT, w), row_of(b, layer, SENT, x)
    for i in range(width):
        out[i] = own * gathered[i] + self_ * sent[i] - sender * other[i]


@leaf
def growth(b, layer, target, w, x, each, rest):
    """Factors of sent(x) in what w hears, when x loses one edge, and at most when it loses several, a share of it."""
    how = b.how[layer]
    most = most_at(b, target, x, each)
    if how != GCN or most < 1:
        return 0.0, 0.0
    before = beta(b, how, x, 0)
    one = alpha(b, how, w, 0) * (beta(b, how, x, 1) - before)
    left = max(most_at(b, target, w, rest), 0)
    return one, alpha(b, how, w, left) * (beta(b, how, x, most) - before) / most


@leaf
def find_extremes(b, layer, target, w, each, rest, status, peak, swell, row):
    """Per entry, the largest change at w by one lost message, and by one sender that weighs more."""
    width, most = b.width[layer + 1], most_at(b, target, w, each)
    for i in range(width):
        peak[i] = 0.0
        swell[i] = 0.0
    for k in range(b.in_ptr[w], b.in_ptr[w + 1]):
        if status[k] != FREE:
            continue
        x = b.source[k]
        for lost in range(1, most + 1):
            lost_message(b, layer, w, x, lost, row)
            for i in range(width):
                peak[i] = max(peak[i], abs(row[i]))
    if b.how[layer] == GCN:
        for k in range(b.in_ptr[w], b.in_ptr[w + 1]):
            if status[k] == GONE:
                continue
            x = b.source[k]
            _, factor = growth(b, layer, target, w, x, each, rest)
            other = row_of(b, layer, SENT, x)
            for i in range(width):
                swell[i] = max(swell[i], factor * abs(other[i]))


@entry
def lost_changes(b, target, each, rest, more, status, owners, slots, count, rows, radii, scratch):
    """For each slot (w, x): the change of w's hidden row if x -> w goes. Slots of one owner w stand together.

    each: how many edges one vertex may lose, in all the sets in question; rest: the same where one edge of the set is
    known to be elsewhere; more: edges of a set but one. rows, radii: (count, width). scratch: (4, width).
    """
    width, last, how = b.width[1], -1, b.how[0]
    z, peak, swell, largest = scratch[0], scratch[1], scratch[2], scratch[3]
    slope = b.slope[0]
    for r in range(count):
        w, x = owners[r], b.source[slots[r]]
        if w != last:
            pre_activation(b, 0, w, z)
            find_extremes(b, 0, target, w, each, rest, status, peak, swell, largest)
            last = w
        out, radius, most = rows[r], radii[r], most_at(b, target, w, each)
        lost_message(b, 0, w, x, 1, out)
        for i in range(width):
            radius[i] = 0.0
            largest[i] = abs(out[i])
        gathered, sent, other = row_of(b, 0, GATHERED, w), row_of(b, 0, SENT, w), row_of(b, 0, SENT, x)
        for k in range(2, most + 1):
            own, self_, sender = shares(b, how, w, k)
            sender *= beta(b, how, x, 0)
            for i in range(width):
                change = own * gathered[i] + self_ * sent[i] - sender * other[i]
                radius[i] = max(radius[i], abs(change - out[i]))
                largest[i] = max(largest[i], abs(change))
        for i in range(width):
            # in the order in which changes are taken together, edges that go come before those that weigh more
            radius[i] += interplay(z[i], slope[i], largest[i], (each - 1) * peak[i])
            out[i] = activate(z[i] + out[i], slope[i]) - activate(z[i], slope[i])


@entry
def grown_changes(b, target, each, rest, more, status, owners, slots, count, rows, radii, scratch):
    """The same if x loses another edge, so that its message to w weighs more."""
    width, last = b.width[1], -1
    z, peak, swell, row = scratch[0], scratch[1], scratch[2], scratch[3]
    slope = b.slope[0]
    for r in range(count):
        w, x = owners[r], b.source[slots[r]]
        if w != last:
            pre_activation(b, 0, w, z)
            find_extremes(b, 0, target, w, each, rest, status, peak, swell, row)
            last = w
        out, radius = rows[r], radii[r]
        one, several = growth(b, 0, target, w, x, each, rest)
        other = row_of(b, 0, SENT, x)
        for i in range(width):
            change, largest = one * other[i], several * abs(other[i])
            others = more * max(peak[i], 2.0 * swell[i]) + swell[i]
            radius[i] = (largest - abs(change)) + interplay(z[i], slope[i], largest, others)
            out[i] = activate(z[i] + change, slope[i]) - activate(z[i], slope[i])

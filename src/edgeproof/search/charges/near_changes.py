"""How the hidden rows of a neighbour of the node change when edges into it go (direct), or edges farther away (far).

As at layer 1, rows are exact if nothing else changes, and the radius holds what else may. `others` bounds per entry
what else may change: for the edges in question by other ways, and by other edges of the budget.

Theory: "Differences when in-edges go", "Several changes at one neuron".
"""

from __future__ import annotations

from ..base.layout import GATHERED, GCN, SENT
from ..jit.decorators import entry, leaf
from .bend import activate, interplay
from .first_changes import lost_message, pre_activation
from .rows import row_of
from .scales import alpha, beta, most_at, shares


@leaf
def direct_change(b, layer, u, x, k, sent_change, own_change, out):
    """What the pre-activation of u loses with x -> u, one of k edges, and gains by the change of u's own hidden row."""
    width = b.width[layer + 1]
    lost_message(b, layer, u, x, k, out)
    after = alpha(b, b.how[layer], u, k)
    factor = after * after if b.how[layer] == GCN else 0.0
    for i in range(width):
        out[i] += factor * sent_change[i] + own_change[i]


@entry
def find_peak(b, layer, target, u, each, slots, count, sent_change, own_change, peak, row):
    """Per entry, the largest of all direct changes."""
    width, most = b.width[layer + 1], most_at(b, target, u, each)
    for i in range(width):
        peak[i] = 0.0
    for r in range(count):
        for k in range(1, most + 1):
            direct_change(b, layer, u, b.source[slots[r]], k, sent_change[r], own_change[r], row)
            for i in range(width):
                peak[i] = max(peak[i], abs(row[i]))


@entry
def direct_changes(b, layer, target, u, each, slots, count, sent_change, own_change, others, out, radius, scratch):
    """Changes of u's hidden row when an edge into u goes; out, radius: (count, width). scratch: (2, width)."""
    width, most, z, row = b.width[layer + 1], most_at(b, target, u, each), scratch[0], scratch[1]
    slope = b.slope[layer]
    pre_activation(b, layer, u, z)
    for r in range(count):
        x, change, around = b.source[slots[r]], out[r], radius[r]
        direct_change(b, layer, u, x, 1, sent_change[r], own_change[r], change)
        largest = row
        for i in range(width):
            around[i] = 0.0
            largest[i] = abs(change[i])
        for k in range(2, most + 1):
            own, self_, sender = shares(b, b.how[layer], u, k)
            sender *= beta(b, b.how[layer], x, 0)
            factor = alpha(b, b.how[layer], u, k) ** 2 if b.how[layer] == GCN else 0.0
            gathered, sent, other = row_of(b, layer, GATHERED, u), row_of(b, layer, SENT, u), row_of(b, layer, SENT, x)
            for i in range(width):
                several = own * gathered[i] + self_ * sent[i] - sender * other[i]
                several += factor * sent_change[r, i] + own_change[r, i]
                around[i] = max(around[i], abs(several - change[i]))
                largest[i] = max(largest[i], abs(several))
        for i in range(width):
            around[i] += interplay(z[i], slope[i], largest[i], others[i])
            change[i] = activate(z[i] + change[i], slope[i]) - activate(z[i], slope[i])


@entry
def far_changes(
    b, layer, target, u, each, rest, owners, count, loses, sent_change, own_change, crossed, others, out, radius, z
):
    """Changes of u's hidden row when a neighbour (an owner) changes what it sends, or u (as an owner) what it keeps.

    sent_change: (count, width) of the layer's `sent` at the owner. loses: 1 where the owner loses an edge, which makes
    its messages weigh more, 0 where one of its senders does. own_change: the same of `own`, where the owner is u.
    others: (2, width), the second row for rows whose `crossed` is 1.
    """
    width, how, slope = b.width[layer + 1], b.how[layer], b.slope[layer]
    pre_activation(b, layer, u, z)
    alpha0 = alpha(b, how, u, 0)
    # an edge whose end weighs more may be one into u itself
    alpha1 = alpha(b, how, u, max(most_at(b, target, u, rest if loses else each), 0))
    for r in range(count):
        w, change, around = owners[r], out[r], radius[r]
        sent = row_of(b, layer, SENT, w)
        before = beta(b, how, w, 0)
        # factors of the change of `sent` and of `sent` itself, if only this edge goes, and at most
        first, more, first_most, more_most = before, 0.0, before, 0.0
        if loses:
            most = max(most_at(b, target, w, each), 1)
            first, first_most = beta(b, how, w, 1), beta(b, how, w, most)
            more, more_most = first - before, (first_most - before) / most
        else:
            first_most = beta(b, how, w, max(most_at(b, target, w, rest), 0))
        if w == u:  # u hears itself with its weight at both ends, and loses no edge here
            scale = alpha0 if how == GCN else 0.0
            scale_most = alpha1 if how == GCN else 0.0
        else:
            scale, scale_most = alpha0, alpha1
        for i in range(width):
            one = scale * (first * sent_change[r, i] + more * sent[i])
            several = (scale_most * first_most - scale * first) * abs(sent_change[r, i])
            several += (scale_most * more_most - scale * more) * abs(sent[i])
            if w == u:
                one += own_change[r, i]
            around[i] = several + interplay(z[i], slope[i], abs(one) + several, others[crossed[r], i])
            change[i] = activate(z[i] + one, slope[i]) - activate(z[i], slope[i])

"""What degrees do to messages: weights at the receiver (alpha) and at the sender (beta) after k deletions.

Theory: "Differences when in-edges go", "From neurons to edges".
"""

from __future__ import annotations

import numpy as np

from ..base.layout import GCN, MEAN
from ..jit.decorators import leaf


@leaf
def alpha(b, how, v, k):
    """What v multiplies with all that it hears, once k of its in-neighbours are gone."""
    if how == GCN:
        return 1.0 / np.sqrt(b.heard[v] - k + 1.0)
    if how == MEAN:
        return 1.0 / max(b.heard[v] - k, 1)
    return 1.0


@leaf
def beta(b, how, v, k):
    """What v's messages are multiplied with at the sender's end."""
    return 1.0 / np.sqrt(b.heard[v] - k + 1.0) if how == GCN else 1.0


@leaf
def most_at(b, target, v, limit):
    """How many in-edges of v can be gone while v still matters: an undirected vertex keeps an edge towards the node in
    question, of which all may go.
    """
    count = b.heard[v]
    if v != target and not b.directed:
        count -= 1
    return min(limit, count)


@leaf
def shares(b, how, v, k):
    """Deleting k in-edges of v changes what it hears by the sum over them of
    `own * gathered + self_ * sent(v) - each * beta(x) * sent(x)`.
    """
    before, after = alpha(b, how, v, 0), alpha(b, how, v, k)
    own = (after - before) / k
    self_ = (after * after - before * before) / k if how == GCN else 0.0
    return own, self_, after

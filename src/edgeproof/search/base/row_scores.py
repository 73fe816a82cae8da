"""Single flips into one vertex, one evaluation each, for networks of any depth.

Theory: "Values of a flip set from the whole graph".
"""

from __future__ import annotations

import numpy as np

from ..jit.decorators import entry, leaf
from .evaluate import CROWDED, evaluate_flips, is_there
from .layout import STOPPED


@leaf
def largest_margin(b, o, label, rivals, error):
    """Of the scores that an evaluation has left, with its error: the largest margin of a rival, and how far any margin
    may be off.
    """
    best, largest = -np.inf, 0.0
    for r in range(rivals.size):
        best = max(best, o.score[rivals[r]] - o.score[label])
    for c in range(b.width[b.L]):
        largest = max(largest, abs(o.score[c]))
    return best, 2.0 * error + 2.0**-51 * largest


@entry
def score_row(b, o, node, label, rivals, arcs, count, w, xs, first, values, errors, tally):
    """values[k], errors[k]: the largest margin of a rival, and how far it may be off, with the pair xs[k] -> w flipped
    beside the `count` arcs that are; from `first` on. Returns where it has stopped: an evaluation needs more room, or
    time is up.
    """
    sources, targets, inserted = arcs[0], arcs[1], arcs[2]
    for k in range(first, xs.size):
        if tally[STOPPED]:
            return np.int64(k)
        x, total = xs[k], count
        absent = np.int64(b.loop[w] == 0 if x == w else not is_there(b, x, w))
        sources[total], targets[total], inserted[total] = x, w, absent
        total += 1
        if b.directed == 0 and x != w:
            sources[total], targets[total], inserted[total] = w, x, absent
            total += 1
        error = evaluate_flips(b, o, node, sources, targets, inserted, total)
        if error == CROWDED:
            return np.int64(k)
        values[k], errors[k] = largest_margin(b, o, label, rivals, error)
    return np.int64(xs.size)

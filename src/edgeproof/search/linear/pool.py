"""Backward linear bounds of a readout, which pools all vertices.

Theory: "Pooling".
"""

from __future__ import annotations

import numpy as np

from ...problem.layout import MAX, MEAN
from ..jit.decorators import kernel
from ..state.state import SENT_HIGH, SENT_LOW
from .workspace import start_row


@kernel
def backward_pool(p, s, linear, t, side, rows, count):
    """The readout: every vertex is there. Sum and mean pass on shares, max a chord or its best lower end."""
    m = p.width[t - 1]
    for u in range(p.n):
        count = start_row(linear, 1 - side, count, u, rows, m)
    if p.how[t] != MAX:
        share = 1.0 / p.n if p.how[t] == MEAN else 1.0
        for u in range(p.n):
            for b in range(rows):
                below, a = linear.on[1 - side, u, b], linear.a[b]
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
            weight = linear.a[b, i]
            if weight > 0.0:
                linear.on[1 - side, up, b, i] += weight * slope
                linear.const[b] += weight * rise
            else:
                linear.on[1 - side, down, b, i] += weight
    return count

"""Boxes tightened by backward passes that start at hidden neurons: those of open sign, or that a max ranks.

A bound found here holds in the whole subtree. So it goes to the trail of boxes, and children start from it
(docs/theory.md).

Theory: "Tightened interval bounds", "Bounds of a parent hold below it".
"""

from __future__ import annotations

import numpy as np

from ...problem.layout import GRAPH, MAX
from ..intervals.aggregate import bound_vertex, save_box, send_box
from ..jit.decorators import entry, kernel, leaf, part
from ..state.rows import fill
from ..state.state import HIGH, LIMIT, LOW, STOP, TIGHTEN_AT, USED, WORK
from .backward import backward_pass
from .concretize import concretize
from .nested import is_still
from .workspace import ROUND, ROWS, start_pass

# A curved activation bends its line wherever its box is wider than this, unless it is nearly straight there.
WORTH, SATURATED = 0.05, 6.0


@leaf
def is_worth_a_pass(low, high, ranked, slope):
    """A neuron of open sign bends its line. One whose sign is known does not, but a max ranks it by its box."""
    if slope >= 2.0:
        return high - low > WORTH and high > -SATURATED and (low < SATURATED or ranked)
    return high > 0.0 and ((low < 0.0 and slope != 1.0) or (ranked and not is_still(low, high)))


@part
def tighten_vertex(p, s, linear, nested, innermost, options, t, v):
    """Intersect the box of p_t(v) with lines, ROWS / 2 neurons at a time."""
    ranked = t > 1 and p.kind[t + 1] == GRAPH and p.how[t + 1] == MAX
    width, slope = p.width[t], p.slope[t]
    record = s.boxes[t, v]
    saved = False
    i = 0
    while i < width:
        count = 0
        while i < width and count < ROWS // 2:
            if is_worth_a_pass(record[LOW, i], record[HIGH, i], ranked, slope[i]):
                s.picked[count] = i
                count += 1
            i += 1
        if count == 0:
            break
        rows = 2 * count
        start_pass(linear, rows)
        for k in range(count):
            fill(linear.on[0, v, 2 * k], 0.0, width)
            fill(linear.on[0, v, 2 * k + 1], 0.0, width)
            linear.on[0, v, 2 * k, s.picked[k]] = 1.0
            linear.on[0, v, 2 * k + 1, s.picked[k]] = -1.0
        linear.front[0, 0] = v
        backward_pass(p, s, linear, nested, innermost, options, t, rows, np.int64(0), np.int64(1))
        concretize(p, s, linear, rows, s.tally[LIMIT] - s.tally[USED])
        for k in range(count):
            j = s.picked[k]
            above, below = linear.bound[2 * k], -linear.bound[2 * k + 1]
            if below <= above and (above < record[HIGH, j] or below > record[LOW, j]):
                if not saved:
                    saved = True
                    save_box(p, s, record, t, v)
                record[HIGH, j] = min(record[HIGH, j], above)
                record[LOW, j] = max(record[LOW, j], below)
    if saved:
        send_box(p, s, record, t, v)
    return saved


@kernel
def measure_distances(p, s):
    """Write to `innermost` how far each vertex now is from the node in question, over edges that are or may be
    there.
    """
    far = p.depth + 1
    for v in range(p.n):
        s.distance[v] = far if p.node_task else 0
    if not p.node_task:
        return
    queue = s.changed[0]
    queue[0] = 0
    s.distance[0] = 0
    head, tail = 0, 1
    while head < tail:
        v = queue[head]
        head += 1
        if s.distance[v] == p.depth:
            continue
        for k in range(p.slot_ptr[v], p.slot_ptr[v + 1]):
            u = p.slot_source[k]
            if s.status[k] and s.distance[u] == far:
                s.distance[u] = s.distance[v] + 1
                queue[tail] = u
                tail += 1


@entry
def start_tightening(p, s, linear):
    measure_distances(p, s)
    linear.counts[ROUND] += 1
    s.tally[TIGHTEN_AT] = p.n


@entry
def tighten_more(p, s, linear, nested, innermost, options, stop):
    """Stage by stage: propagate what the stage below gained, then tighten what still matters.

    True when all is done, False where the work reached `stop` first: on a large neighbourhood this takes seconds; or
    where time is up.
    """
    n = p.n
    while s.tally[TIGHTEN_AT] < (p.T + 1) * n:
        t, v = s.tally[TIGHTEN_AT] // n, s.tally[TIGHTEN_AT] % n
        if v >= p.active[t]:
            s.tally[TIGHTEN_AT] = (t + 1) * n
            continue
        if s.tally[WORK] >= stop or s.tally[STOP]:
            return False
        s.tally[TIGHTEN_AT] += 1
        reach = 0
        for above in range(t + 1, p.T + 1):
            if p.kind[above] == GRAPH:
                reach += 1
        if p.node_task and s.distance[v] > reach:
            continue
        bound_vertex(p, s, options, t, v, np.int64(0))
        if t < p.T and p.bends[t] and (t > 1 or p.how[1] != 0):
            tighten_vertex(p, s, linear, nested, innermost, options, t, v)
    return True

"""Lines: linear upper bounds in the flips, with one budget shared by all vertices and layers (BOUNDS.md, section 2).

A pass starts with rows of coefficients on the pre-activations of one vertex and walks down the stages. It leaves, for
every row b,  row . p  <=  const[b] + sum over pairs of gain[b, pair] * flip  for every graph below the search node, up
to `error[b]`, which bounds the rounding of the pass itself.

A gain asks how much a neighbour sends at its worst. Its box lets every coordinate spend the whole budget, each in its
own way; a pass of its own that starts at the neighbour makes them share it, and bounds the gain far better
(narrow.py). Such an inner pass takes boxes again where it has to ask, except at the second stage: below that, a pass
is short.
"""

from __future__ import annotations

import numpy as np

from ...problem.layout import GCN, GRAPH
from ..jit.decorators import kernel, part
from ..state.budget import spendable
from ..state.state import LIMIT, STOP, USED
from .concretize import spend
from .first_layer import gathers, ground
from .nested import narrow_slots
from .relax import relax
from .step import end_step, start_step
from .workspace import start_pass


@part
def walk_down(p, s, lines, far, near, options, top, rows, side, count, narrow):
    """From coefficients on p_top, given for `front[side][:count]`, to the flips."""
    for t in range(top, 1, -1):
        lines.stamp[0] += 1
        following = np.int64(0)
        for k in range(count):
            v = lines.front[side, k]
            if s.tally[STOP]:
                return
            following = start_step(p, s, lines, options, t, v, side, rows, following)
            if not gathers(p, t, v):
                continue
            if options.narrow and p.kind[t] == GRAPH and p.how[t] != GCN and spendable(s, options, v) > 0:
                narrow(p, s, lines, far, near, options, np.int64(t), v, rows)
            following = end_step(p, s, lines, options, t, v, side, rows, following)
        side = 1 - side
        count = following
        for k in range(count):
            relax(p, s, lines, side, lines.front[side, k], t - 1, rows)
    for k in range(count):
        if s.tally[STOP]:
            return
        ground(p, s, lines, options, lines.front[side, k], side, rows)


@kernel
def spend_others(p, s, lines, v, rows):
    """Spend what is left for others where a slot into v is flipped; that pair itself may count among them."""
    left = s.tally[LIMIT] - s.tally[USED] - 1
    for k in range(p.slot_ptr[v], p.slot_ptr[v + 1]):
        if s.status[k] & 2 and lines.touched_mark[p.slot_pair[k]]:
            left += 1
            break
    spend(p, s, lines, rows, left)


@part
def bound_near(p, s, far, near, options, t, v, u, rows):
    """near.bound[b]: the most that near.on[0, u, b] . h_1(u) can be where a slot into v is flipped."""
    start_pass(near, rows)
    relax(p, s, near, np.int64(0), u, np.int64(1), rows)
    ground(p, s, near, options, u, np.int64(0), rows)
    spend_others(p, s, near, v, rows)


@part
def narrow_inner(p, s, lines, far, near, options, t, v, rows):
    if t == 2:
        narrow_slots(p, s, lines, far, near, near, options, t, v, rows, bound_near)


@part
def bound_far(p, s, far, near, options, t, v, u, rows):
    """far.bound[b]: the most that far.on[0, u, b] . h_(t - 1)(u) can be where a slot into v is flipped."""
    start_pass(far, rows)
    far.front[0, 0] = u
    relax(p, s, far, np.int64(0), u, t - 1, rows)
    walk_down(p, s, far, far, near, options, t - 1, rows, np.int64(0), np.int64(1), narrow_inner)
    spend_others(p, s, far, v, rows)


@part
def narrow_outer(p, s, lines, far, near, options, t, v, rows):
    far.stamp[2] = lines.stamp[2]  # stars are shared
    narrow_slots(p, s, lines, far, near, far, options, t, v, rows, bound_far)


@kernel
def descend(p, s, lines, far, near, options, top, rows, side, count):
    """The pass itself; `far` and `near` are scratch of the passes inside it."""
    walk_down(p, s, lines, far, near, options, top, rows, side, count, narrow_outer)

"""Backward linear bounds (CROWN) in the flips, for short "lines" (docs/theory.md).

All vertices and layers share one budget.

A pass starts with rows of coefficients on the pre-activations of one vertex and walks down the stages. For every row b
it ends with  row . p  <=  const[b] + sum over pairs of gain[b, pair] * flip,  which holds for every graph below the
search node, up to `error[b]`: the rounding of the pass itself.

The gain of a flip depends on what a neighbour sends at its worst. The neighbour's box lets every coordinate spend the
whole budget, each in its own way. A nested pass that starts at the neighbour makes its coordinates share the budget,
and bounds the gain far better (nested.py). Where a nested pass has to ask in its turn, it takes boxes, except at the
second stage: below that a pass is short, and an innermost one is made.

Theory: "Backward linear bounds", "Nested backward passes".
"""

from __future__ import annotations

import numpy as np

from ...problem.layout import GCN, GRAPH
from ..jit.decorators import kernel, part
from ..state.budget import spendable
from ..state.state import LIMIT, STOP, USED
from .concretize import concretize
from .first_layer import backward_first_layer, gathers
from .nested import tighten_messages
from .relax import relax
from .step import end_step, start_step
from .workspace import ROUND, ROW_MARK, start_pass


@part
def walk_back(p, s, linear, nested, innermost, options, top, rows, side, count, narrow):
    """From coefficients on p_top, given for `front[side][:count]`, to the flips."""
    for t in range(top, 1, -1):
        linear.counts[ROW_MARK] += 1
        following = np.int64(0)
        for k in range(count):
            v = linear.front[side, k]
            if s.tally[STOP]:
                return
            following = start_step(p, s, linear, options, t, v, side, rows, following)
            if not gathers(p, t, v):
                continue
            if options.lines_nested and p.kind[t] == GRAPH and p.how[t] != GCN and spendable(s, options, v) > 0:
                narrow(p, s, linear, nested, innermost, options, np.int64(t), v, rows)
            following = end_step(p, s, linear, options, t, v, side, rows, following)
        side = 1 - side
        count = following
        for k in range(count):
            relax(p, s, linear, side, linear.front[side, k], t - 1, rows)
    for k in range(count):
        if s.tally[STOP]:
            return
        backward_first_layer(p, s, linear, options, linear.front[side, k], side, rows)


@kernel
def concretize_others(p, s, linear, v, rows):
    """Spend what is left for others where a slot into v is flipped; that pair itself may count among them."""
    left = s.tally[LIMIT] - s.tally[USED] - 1
    for k in range(p.slot_ptr[v], p.slot_ptr[v + 1]):
        if s.status[k] & 2 and linear.touched_mark[p.slot_pair[k]]:
            left += 1
            break
    concretize(p, s, linear, rows, left)


@part
def bound_by_innermost(p, s, nested, innermost, options, t, v, u, rows):
    """innermost.bound[b]: the most that innermost.on[0, u, b] . h_1(u) can be where a slot into v is flipped. `t` is 2;
    it is a parameter as in `bound_by_nested`, since `tighten_messages` calls either.
    """
    start_pass(innermost, rows)
    relax(p, s, innermost, np.int64(0), u, np.int64(1), rows)
    backward_first_layer(p, s, innermost, options, u, np.int64(0), rows)
    concretize_others(p, s, innermost, v, rows)


@part
def nest_innermost(p, s, linear, nested, innermost, options, t, v, rows):
    if t == 2:
        tighten_messages(p, s, linear, nested, innermost, innermost, options, t, v, rows, bound_by_innermost)


@part
def bound_by_nested(p, s, nested, innermost, options, t, v, u, rows):
    """nested.bound[b]: the most that nested.on[0, u, b] . h_(t - 1)(u) can be where a slot into v is flipped."""
    start_pass(nested, rows)
    nested.front[0, 0] = u
    relax(p, s, nested, np.int64(0), u, t - 1, rows)
    walk_back(p, s, nested, nested, innermost, options, t - 1, rows, np.int64(0), np.int64(1), nest_innermost)
    concretize_others(p, s, nested, v, rows)


@part
def nest_passes(p, s, linear, nested, innermost, options, t, v, rows):
    nested.counts[ROUND] = linear.counts[ROUND]  # stars are shared
    tighten_messages(p, s, linear, nested, innermost, nested, options, t, v, rows, bound_by_nested)


@kernel
def backward_pass(p, s, linear, nested, innermost, options, top, rows, side, count):
    """The pass itself; `nested` and `innermost` are scratch of the passes inside it."""
    walk_back(p, s, linear, nested, innermost, options, top, rows, side, count, nest_passes)

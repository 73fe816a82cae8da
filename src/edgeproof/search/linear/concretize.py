"""Concretizing a pass: the budget goes to the pairs with the largest gains.

Theory: "Concretizing under shared budgets", "Rounding of a backward pass".
"""

from __future__ import annotations

import numpy as np

from ..jit.decorators import kernel
from ..state.state import FAINT
from .workspace import ADDITIONS, TOUCHED


@kernel
def concretize(p, s, linear, rows, left):
    """bound[b]: const plus the best gains that `left` flips and the local budgets allow, plus the rounding of the pass.

    Each pair is charged to its v only: exact for directed graphs, where local budgets are laminar and greedy is
    optimal; for undirected ones it drops a constraint, which is valid.
    """
    count = linear.counts[TOUCHED]
    # `error` allows each vertex its own roundings; the sums that run through the whole pass come on top. What they
    # add up is no larger than error / (8 roundings u), so N additions cost no more than N / (8 roundings) of it.
    whole = 1.0 + linear.counts[ADDITIONS] / (4.0 * p.roundings)
    for b in range(rows):
        total = linear.const[b]
        gain = linear.gain[b]
        taken = 0
        size = abs(total)
        finite = True
        for k in range(count):
            finite = finite and abs(gain[linear.touched[k]]) < np.inf
        while taken < left and finite:
            best, at = 0.0, -1
            for k in range(count):
                pair = linear.touched[k]
                v = p.pair_v[pair]
                if gain[pair] > best and linear.touched_mark[pair] == 1 and linear.spent[v] < s.local_left[v]:
                    best, at = gain[pair], pair
            if at < 0:
                break
            linear.touched_mark[at] = 2
            linear.spent[p.pair_v[at]] += 1
            total += best
            size += best
            taken += 1
        for k in range(count):
            pair = linear.touched[k]
            linear.touched_mark[pair] = 1
            linear.spent[p.pair_v[pair]] = 0
        linear.error[b] = linear.error[b] * whole + FAINT
        linear.bound[b] = total + linear.error[b] + size * (taken + 16) * 2.0**-51 if finite else np.inf

"""Concretizing a pass: the budget goes to the pairs with the largest gains.

Theory: "Concretizing under shared budgets", "Rounding of a backward pass".
"""

from __future__ import annotations

import numpy as np

from ..jit.decorators import kernel, leaf
from ..state.state import FAINT
from .workspace import ADDITIONS, TOUCHED


@leaf
def rank_gains(p, s, linear, gain, left):
    """Put the pairs with positive gains first among `touched`, whose order says nothing. How many they are, whether no
    local budget forbids any `left` of them, and whether all gains are finite.
    """
    found, free, finite = 0, True, True
    for k in range(linear.counts[TOUCHED]):
        pair = linear.touched[k]
        finite = finite and abs(gain[pair]) < np.inf
        if gain[pair] > 0.0:
            free = free and s.local_left[p.pair_v[pair]] >= left
            linear.touched[k], linear.touched[found] = linear.touched[found], pair
            found += 1
    return found, free, finite


@kernel
def concretize(p, s, linear, rows, left):
    """bound[b]: const plus the best gains that `left` flips and the local budgets allow, plus the rounding of the pass.

    Each pair is charged to its v only: exact for directed graphs, where local budgets are laminar and greedy is
    optimal; for undirected ones it drops a constraint, which is valid.
    """
    # `error` allows each vertex its own roundings; the sums that run through the whole pass come on top. What they
    # add up is no larger than error / (8 roundings u), so N additions cost no more than N / (8 roundings) of it.
    whole = 1.0 + linear.counts[ADDITIONS] / (4.0 * p.roundings)
    for b in range(rows):
        total = linear.const[b]
        gain = linear.gain[b]
        size = abs(total)
        found, free, finite = rank_gains(p, s, linear, gain, left)
        taken = 0
        if finite and free and found <= left:
            for k in range(found):
                total += gain[linear.touched[k]]
                size += gain[linear.touched[k]]
            taken = found
        elif finite:
            # the best of those from `taken` to `found` comes next, unless its vertex has spent its budget
            while taken < left and taken < found:
                best, at = 0.0, taken
                for k in range(taken, found):
                    if gain[linear.touched[k]] > best:
                        best, at = gain[linear.touched[k]], k
                pair = linear.touched[at]
                v = p.pair_v[pair]
                if linear.spent[v] < s.local_left[v]:
                    linear.touched[at], linear.touched[taken] = linear.touched[taken], pair
                    linear.spent[v] += 1
                    total += best
                    size += best
                    taken += 1
                else:
                    found -= 1
                    linear.touched[at], linear.touched[found] = linear.touched[found], pair
            for k in range(taken):
                linear.spent[p.pair_v[linear.touched[k]]] = 0
        linear.error[b] = linear.error[b] * whole + FAINT
        linear.bound[b] = total + linear.error[b] + size * (taken + 16) * 2.0**-51 if finite else np.inf

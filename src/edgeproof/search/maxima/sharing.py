"""Kernels that Python calls: who is near, how pairs may flip, and the program of `budget/share.py`.

Theory: "Several flips at one vertex under a max".
"""

from __future__ import annotations

import numpy as np

from ..budget.layout import BOUNDS, NEVER_WORTH
from ..budget.share import best_attack, best_sums, join_newcomers, spend_at_neighbours, total_newcomers
from ..budget.stand import list_in, row_kinds
from ..jit.decorators import entry


@entry
def enter(t, s, p):
    """In-neighbours of the node into p.near, and their places; how many."""
    m = list_in(t, s, t.node, p.near)
    for j in range(m):
        s.place[p.near[j]] = j
    return m


@entry
def leave(t, s, p, near):
    for j in range(near):
        s.place[p.near[j]] = -1


@entry
def kinds_at(t, s, y):
    """s.kinds: how pairs with y may flip."""
    row_kinds(t, s, y)


@entry
def share_out(t, s, p, g, near, i, k, m, start):
    """The most that a shape reaches, from `start`, the value of newcomers, psi and gone; fills total."""
    s.tally[BOUNDS] += 1
    if i > 0:
        best_sums(t, g, i, m)
    join_newcomers(g, i, m)
    spend_at_neighbours(t, s, p, g, near, k, m, 0.0, np.int64(-1))
    bound = best_attack(t, g, i, k, m)
    if bound <= NEVER_WORTH:
        return NEVER_WORTH
    if i > 0:
        total_newcomers(t, g, i, k, m, start)
    return start + bound


@entry
def spend_without(t, s, p, g, near, k, m, at):
    """spend: what flips at all other in-neighbours add at most."""
    spend_at_neighbours(t, s, p, g, near, k, m, 0.0, at)

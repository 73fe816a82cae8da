"""In-degrees, with one self-loop each: what they are in the grounding and what they can become (GCN).

Theory: "Interval of a GCN aggregation", "Normalised sums without the vertex itself".
"""

from __future__ import annotations

import numpy as np

from ...problem.layout import Problem
from ..jit.decorators import kernel, leaf
from .budget import spendable
from .rows import fill
from .state import LIMIT, SENT, UNDECIDED, USED, State


def count_open(p: Problem, state: State) -> None:
    """At the root, every pair is undecided."""
    for ends, slots in ((p.pair_v, p.pair_slot[:, 0]), (p.pair_u, p.pair_slot[:, 1])):
        counted = (slots >= 0) & (p.pair_u != p.pair_v)
        there = p.pair_present == 1
        np.add.at(state.leaving, ends[counted & there], 1)
        np.add.at(state.arriving, ends[counted & ~there], 1)


@kernel
def shift_degrees(p, s, pair, flip, step):
    """A pair is decided (step 1) or undecided again (-1): its ends have one open pair less, and if it is flipped,
    another degree.
    """
    if p.pair_u[pair] == p.pair_v[pair]:
        return
    present = p.pair_present[pair]
    for end in range(2):
        if p.pair_slot[pair, end] < 0:
            continue
        v = p.pair_v[pair] if end == 0 else p.pair_u[pair]
        if present:
            s.leaving[v] -= step
        else:
            s.arriving[v] -= step
        if flip:
            s.degree[v] += -step if present else step


@leaf
def flips_left(s, options):
    """How many flips a box may count on."""
    return s.tally[LIMIT] - s.tally[USED] if options.budget_boxes else s.tally[UNDECIDED]


@leaf
def movable_degree(p, s, options, u, open_edge, left):
    """How far flips of other pairs than a given u -> v, `left` of them at most, can move the degree of u: (down, up).

    `open_edge`: u -> v is there and undecided. Undirected, it is one of the pairs at u too, and it is not there any
    more if it flips.
    """
    most = min(spendable(s, options, u), left)
    return min(s.leaving[u] - p.charge_u * open_edge, most), min(s.arriving[u], most)


@leaf
def degrees_of_inserted(p, s, options, u, left):
    """The smallest and largest degree that u can have in a graph with the inserted pair u -> v."""
    others, own = left - 1, p.charge_u  # undirected, the pair counts at u too
    others = min(others, spendable(s, options, u) - own)
    degree = s.degree[u] + own
    return degree - min(s.leaving[u], max(others, 0)), degree + max(min(s.arriving[u] - own, others), 0)


@kernel
def gather_normalised(p, s, acc, below, m, v):
    """GCN: sum of what v and its present in-neighbours send, over the roots of both degrees, into acc[:m]."""
    here = p.root[s.degree[v]]
    fill(acc, 0.0, m)
    waited = s.inserted_in[v]  # inserted ones, somewhere among many that are absent
    k, split, end = p.slot_ptr[v], p.slot_split[v], p.slot_ptr[v + 1]
    while k < split or (waited > 0 and k < end):
        if s.status[k] & 1:
            waited -= k >= split
            u = p.slot_source[k]
            if u != v:  # the self-loop comes below, whether or not it is in the graph
                there, row = p.root[s.degree[u]], below[u, SENT]
                for i in range(m):
                    acc[i] += there * row[i]
        k += 1
    if not p.counts_itself:
        for i in range(m):
            acc[i] *= here
        return
    row = below[v, SENT]
    for i in range(m):
        acc[i] = here * (acc[i] + here * row[i])

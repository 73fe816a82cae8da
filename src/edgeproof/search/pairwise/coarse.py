"""Rough bounds of what a fork and one flip elsewhere make together: numbers a vertex, not a neuron (fork.py).

From one base there are as many forks as pairs of flips at one vertex, and hundreds of flips beside each. Nearly all are
far from an attack, so that a bound several times as large tells it too: of a million, 98 % need no other (MUTAG, mean).
What two make together is split into parts that are found for each alone:

- at a neuron that both shift, no more than either of them could be bent there: at a vertex, `worth`;
- where one of them is at a vertex, what the other changes in what is gathered there, and in what is sent there: at most
  `pulled` at both its ends. At the centre of a fork weights change more, and two senders are heard: `centred`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...model.arrays import FloatArray
from ...problem.layout import GRAPH, MEAN, Problem
from ..jit.decorators import leaf, loop, reduction
from ..state.rows import dot_magnitudes, fill
from .deltas import weight_of
from .tables import CHANGE_SENT, GATHERED, SHIFT


class Rough(NamedTuple):
    """Tables for one base and one centre. F candidates."""

    widest: NDArray[np.float64]  # (T+1, n, D) the largest shift of any single flip
    anything: FloatArray  # (D,) infinite: a shift of something unknown
    heaviest: NDArray[np.float64]  # (T+1, D) no multiplier on what is heard at a stage is larger, weights included
    swing: NDArray[np.float64]  # (2, n, 2) how much more, and less, messages count after up to one flip at v, or two
    # of candidates
    worth: NDArray[np.float64]  # ((T + 1) * n, F)
    pulled: NDArray[np.float64]  # (n, F)
    centred: FloatArray  # (F,)
    peak: FloatArray  # (F,) the largest gain
    total: FloatArray  # (F,) the most that each gains beside the fork in question, but for what both bend
    bent: FloatArray  # (F,) that
    # of that fork
    fork_worth: FloatArray  # ((T + 1) * n,)
    fork_pulled: FloatArray  # (n,)


def make_rough(p: Problem) -> Rough:
    pairs = p.pair_u.size
    return Rough(
        widest=np.zeros((p.T + 1, p.n, p.D)),
        anything=np.full(p.D, np.inf),
        heaviest=np.zeros((p.T + 1, p.D)),
        swing=np.zeros((2, p.n, 2)),
        worth=np.zeros(((p.T + 1) * p.n, pairs)),
        pulled=np.zeros((p.n, pairs)),
        centred=np.zeros(pairs),
        peak=np.zeros(pairs),
        total=np.zeros(pairs),
        bent=np.zeros(pairs),
        fork_worth=np.zeros((p.T + 1) * p.n),
        fork_pulled=np.zeros(p.n),
    )


@loop
def widen_to(widest, shift, m):
    for i in range(m):
        widest[i] = max(widest[i], abs(shift[i]))


@leaf
def find_widest(p, x, rough, candidates):
    """The largest shifts of neurons, once for a base."""
    for t in range(1, p.T + 1):
        for v in range(p.n):
            fill(rough.widest[t, v], 0.0, p.D)
    for k in range(x.first[candidates]):
        t, v = x.at[k] // p.n, x.at[k] % p.n
        widen_to(rough.widest[t, v], x.rows[k, SHIFT], p.width[t])


@loop
def weigh_up(heaviest, low, high, weight, m):
    for i in range(m):
        heaviest[i] = max(heaviest[i], weight * max(-low[i], high[i]))


@leaf
def find_heaviest(p, x, rough, centre):
    r = p.rivals
    for t in range(2, p.T + 1):
        fill(rough.heaviest[t], 0.0, p.D)
        if p.kind[t] == GRAPH:
            for v in range(p.active[t]):
                weight = weight_of(p.how[t], max(x.degree[v] - (2 if v == centre else 1), 1))
                weigh_up(rough.heaviest[t], x.bent_low[r, t, v], x.bent_high[r, t, v], weight, p.width[t])


@reduction
def bend_up_to(shift, base, widest, low, high, slope, m):
    """The most of `excess` (pay.py) of this shift and one that is no wider, where nothing else moves a neuron."""
    total = 0.0
    for i in range(m):
        a = abs(shift[i])
        bent = max(min(a, a + widest[i] - abs(base[i])), 0.0)
        total += (1.0 - slope[i]) * bent * max(-low[i], high[i], 0.0)
    return total


@leaf
def find_swings(p, x, rough):
    """How weights of a mean can change, once for a base."""
    for most in range(2):
        for v in range(p.n):
            before, up, down = weight_of(MEAN, x.degree[v]), 0.0, 0.0
            for change in range(-1 - most, 2 + most):
                after = weight_of(MEAN, x.degree[v] + change)
                up, down = max(up, after - before), max(down, before - after)
            rough.swing[most, v, 0] = up
            rough.swing[most, v, 1] = down


@reduction
def pay_both_ways(row, low, high, m):
    """The most of multiplier times row, and of multiplier times -row."""
    there, back = 0.0, 0.0
    for i in range(m):
        one, two = low[i] * row[i], high[i] * row[i]
        there += max(one, two)
        back += max(-one, -two)
    return there, back


@leaf
def worth_of(p, x, k, t, v, widest):
    """How far row k could be bent at a vertex, weighted."""
    r = p.rivals
    if t < 2 or not p.bends[t]:  # before, only ends of flips are shifted, and those of two have none in common
        return 0.0
    return bend_up_to(
        x.rows[k, SHIFT], x.base[t, v], widest, x.low[r, t, v], x.high[r, t, v], p.slope[t], p.width[t]
    )  # fmt: skip


@leaf
def pulled_by(p, x, rough, k, t, v, flips):
    """What row k changes at most in what a flip at v makes there, and at the other end, where v is heard by it; of two
    flips at v, both other ends.
    """
    total, r = 0.0, p.rivals
    if t > 1 and p.kind[t] == GRAPH and p.how[t] == MEAN:
        there, back = pay_both_ways(x.rows[k, GATHERED], x.bent_low[r, t, v], x.bent_high[r, t, v], p.width[t])
        swing = rough.swing[flips - 1, v]
        total = max(swing[0] * there, swing[1] * back, 0.0)
    if t < p.T and p.kind[t + 1] == GRAPH:
        total += flips * dot_magnitudes(x.rows[k, CHANGE_SENT], rough.heaviest[t + 1], p.width[t + 1])
    return total


@leaf
def size_up_all(p, x, rough, candidates, centre, left):
    """The numbers of all single flips, for forks with this centre."""
    find_heaviest(p, x, rough, centre)
    for place in range(2 * p.n, (p.T + 1) * p.n):
        fill(rough.worth[place], 0.0, candidates)
    for v in range(p.n):
        fill(rough.pulled[v], 0.0, candidates)
    for c in range(candidates):
        rough.peak[c] = x.peak[left, x.candidate[c]]
        rough.centred[c] = 0.0
        for k in range(x.first[c], x.first[c + 1]):
            t, v = x.at[k] // p.n, x.at[k] % p.n
            rough.worth[x.at[k], c] = worth_of(p, x, k, t, v, rough.anything)
            rough.pulled[v, c] += pulled_by(p, x, rough, k, t, v, 1)
            if v == centre:
                rough.centred[c] += pulled_by(p, x, rough, k, t, v, 2)


@leaf
def size_up_fork(p, x, rough, fork):
    """The same of a fork, beside which there is a single flip, no wider than any."""
    fill(rough.fork_pulled, 0.0, p.n)
    for k in range(x.first[fork], x.first[fork + 1]):
        t, v = x.at[k] // p.n, x.at[k] % p.n
        rough.fork_worth[x.at[k]] = worth_of(p, x, k, t, v, rough.widest[t, v])
        rough.fork_pulled[v] += pulled_by(p, x, rough, k, t, v, 1)


@loop
def add_lesser(total, worth, at_most, m):
    for c in range(m):
        total[c] += min(worth[c], at_most)


@loop
def add_four(total, one, two, three, four, m):
    for c in range(m):
        total[c] = one[c] + two[c] + three[c] + four[c]


@leaf
def couple_roughly(p, x, rough, fork, candidates, end, other_end):
    """`total` and `bent`: together at least what each candidate gains beside a fork with these ends; nothing is said of
    those that touch it.
    """
    size_up_fork(p, x, rough, fork)
    add_four(rough.total, rough.peak, rough.centred, rough.pulled[end], rough.pulled[other_end], candidates)
    fill(rough.bent, 0.0, candidates)
    for k in range(x.first[fork], x.first[fork + 1]):
        at_most = rough.fork_worth[x.at[k]]
        if at_most > 0.0:
            add_lesser(rough.bent, rough.worth[x.at[k]], at_most, candidates)
    for c in range(candidates):
        g = x.candidate[c]
        rough.total[c] += rough.fork_pulled[p.pair_u[g]] + rough.fork_pulled[p.pair_v[g]]

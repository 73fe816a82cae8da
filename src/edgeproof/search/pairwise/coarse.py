"""Coarse bounds of interactions between a fork and one flip elsewhere: one number a vertex, not one a neuron.

Forks are two flips at one vertex (strategies/forks.py). From one base there are as many forks as pairs of flips at
one vertex, and hundreds of flips beside each. Nearly all are far from an attack, so that a bound several times as
large tells it too: of a million, 98 % need no other (MUTAG, mean).
What two make together is split into parts that are found for each alone:

- at a neuron that both shift, no more than either of them could be bent there: at a vertex, `bend`;
- where one of them is at a vertex, what the other changes in what is gathered there, and in what is sent there: at most
  `pull` at both its ends. At the centre of a fork weights change more, and two senders are heard: `centred`.

Theory: "Coarse bounds beside a fork".
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


class CoarseTables(NamedTuple):
    """Tables for one base and one centre. F candidates."""

    largest_shift: NDArray[np.float64]  # (T+1, n, D) the largest shift of any single flip
    anything: FloatArray  # (D,) infinite: a shift of something unknown
    heaviest: NDArray[np.float64]  # (T+1, D) no multiplier on what is heard at a stage is larger, weights included
    weight_change: NDArray[
        np.float64
    ]  # (2, n, 2) how much more, and less, messages count after up to one flip at v, or two
    # of candidates
    bend: NDArray[np.float64]  # ((T + 1) * n, F)
    pull: NDArray[np.float64]  # (n, F)
    centred: FloatArray  # (F,)
    peak: FloatArray  # (F,) the largest gain
    total: FloatArray  # (F,) the most that each gains beside the fork in question, but for what both bend
    bent: FloatArray  # (F,) that
    # of that fork
    fork_bend: FloatArray  # ((T + 1) * n,)
    fork_pull: FloatArray  # (n,)


def make_coarse(p: Problem) -> CoarseTables:
    pairs = p.pair_u.size
    return CoarseTables(
        largest_shift=np.zeros((p.T + 1, p.n, p.D)),
        anything=np.full(p.D, np.inf),
        heaviest=np.zeros((p.T + 1, p.D)),
        weight_change=np.zeros((2, p.n, 2)),
        bend=np.zeros(((p.T + 1) * p.n, pairs)),
        pull=np.zeros((p.n, pairs)),
        centred=np.zeros(pairs),
        peak=np.zeros(pairs),
        total=np.zeros(pairs),
        bent=np.zeros(pairs),
        fork_bend=np.zeros((p.T + 1) * p.n),
        fork_pull=np.zeros(p.n),
    )


@loop
def raise_largest(widest, shift, m):
    for i in range(m):
        widest[i] = max(widest[i], abs(shift[i]))


@leaf
def find_largest_shifts(p, x, coarse, candidates):
    """The largest shifts of neurons, once for a base."""
    for t in range(1, p.T + 1):
        for v in range(p.n):
            fill(coarse.largest_shift[t, v], 0.0, p.D)
    for k in range(x.first[candidates]):
        t, v = x.at[k] // p.n, x.at[k] % p.n
        raise_largest(coarse.largest_shift[t, v], x.rows[k, SHIFT], p.width[t])


@loop
def raise_heaviest(heaviest, low, high, weight, m):
    for i in range(m):
        heaviest[i] = max(heaviest[i], weight * max(-low[i], high[i]))


@leaf
def find_heaviest(p, x, coarse, centre):
    r = p.rivals
    for t in range(2, p.T + 1):
        fill(coarse.heaviest[t], 0.0, p.D)
        if p.kind[t] == GRAPH:
            for v in range(p.active[t]):
                weight = weight_of(p.how[t], max(x.degree[v] - (2 if v == centre else 1), 1))
                raise_heaviest(coarse.heaviest[t], x.bent_low[r, t, v], x.bent_high[r, t, v], weight, p.width[t])


@reduction
def bend_up_to(shift, base, widest, low, high, slope, m):
    """The most of `maximise_bend` of this shift and one that is no wider, where nothing else moves a neuron."""
    total = 0.0
    for i in range(m):
        a = abs(shift[i])
        bent = max(min(a, a + widest[i] - abs(base[i])), 0.0)
        total += (1.0 - slope[i]) * bent * max(-low[i], high[i], 0.0)
    return total


@leaf
def find_weight_changes(p, x, coarse):
    """How weights of a mean can change, once for a base."""
    for most in range(2):
        for v in range(p.n):
            before, up, down = weight_of(MEAN, x.degree[v]), 0.0, 0.0
            for change in range(-1 - most, 2 + most):
                after = weight_of(MEAN, x.degree[v] + change)
                up, down = max(up, after - before), max(down, before - after)
            coarse.weight_change[most, v, 0] = up
            coarse.weight_change[most, v, 1] = down


@reduction
def maximise_both_ways(row, low, high, m):
    """The most of multiplier times row, and of multiplier times -row."""
    there, back = 0.0, 0.0
    for i in range(m):
        one, two = low[i] * row[i], high[i] * row[i]
        there += max(one, two)
        back += max(-one, -two)
    return there, back


@leaf
def bend_of(p, x, k, t, v, widest):
    """How far row k could be bent at a vertex, weighted."""
    r = p.rivals
    if t < 2 or not p.bends[t]:  # before, only ends of flips are shifted, and those of two have none in common
        return 0.0
    return bend_up_to(
        x.rows[k, SHIFT], x.base[t, v], widest, x.low[r, t, v], x.high[r, t, v], p.slope[t], p.width[t]
    )  # fmt: skip


@leaf
def pull_of(p, x, coarse, k, t, v, flips):
    """What row k changes at most in what a flip at v makes there, and at the other end, where v is heard by it; of two
    flips at v, both other ends.
    """
    total, r = 0.0, p.rivals
    if t > 1 and p.kind[t] == GRAPH and p.how[t] == MEAN:
        there, back = maximise_both_ways(x.rows[k, GATHERED], x.bent_low[r, t, v], x.bent_high[r, t, v], p.width[t])
        swing = coarse.weight_change[flips - 1, v]
        total = max(swing[0] * there, swing[1] * back, 0.0)
    if t < p.T and p.kind[t + 1] == GRAPH:
        total += flips * dot_magnitudes(x.rows[k, CHANGE_SENT], coarse.heaviest[t + 1], p.width[t + 1])
    return total


@leaf
def size_candidates(p, x, coarse, candidates, centre, left):
    """The numbers of all single flips, for forks with this centre."""
    find_heaviest(p, x, coarse, centre)
    for place in range(2 * p.n, (p.T + 1) * p.n):
        fill(coarse.bend[place], 0.0, candidates)
    for v in range(p.n):
        fill(coarse.pull[v], 0.0, candidates)
    for c in range(candidates):
        coarse.peak[c] = x.peak[left, x.candidate[c]]
        coarse.centred[c] = 0.0
        for k in range(x.first[c], x.first[c + 1]):
            t, v = x.at[k] // p.n, x.at[k] % p.n
            coarse.bend[x.at[k], c] = bend_of(p, x, k, t, v, coarse.anything)
            coarse.pull[v, c] += pull_of(p, x, coarse, k, t, v, 1)
            if v == centre:
                coarse.centred[c] += pull_of(p, x, coarse, k, t, v, 2)


@leaf
def size_fork(p, x, coarse, fork):
    """The same of a fork, beside which there is a single flip, no wider than any."""
    fill(coarse.fork_pull, 0.0, p.n)
    for k in range(x.first[fork], x.first[fork + 1]):
        t, v = x.at[k] // p.n, x.at[k] % p.n
        coarse.fork_bend[x.at[k]] = bend_of(p, x, k, t, v, coarse.largest_shift[t, v])
        coarse.fork_pull[v] += pull_of(p, x, coarse, k, t, v, 1)


@loop
def add_lesser(total, worth, at_most, m):
    for c in range(m):
        total[c] += min(worth[c], at_most)


@loop
def add_four(total, one, two, three, four, m):
    for c in range(m):
        total[c] = one[c] + two[c] + three[c] + four[c]


@leaf
def bound_coarsely(p, x, coarse, fork, candidates, end, other_end):
    """`total` and `bent`: together at least what each candidate gains beside a fork with these ends; nothing is said of
    those that touch it.
    """
    size_fork(p, x, coarse, fork)
    add_four(coarse.total, coarse.peak, coarse.centred, coarse.pull[end], coarse.pull[other_end], candidates)
    fill(coarse.bent, 0.0, candidates)
    for k in range(x.first[fork], x.first[fork + 1]):
        at_most = coarse.fork_bend[x.at[k]]
        if at_most > 0.0:
            add_lesser(coarse.bent, coarse.bend[x.at[k]], at_most, candidates)
    for c in range(candidates):
        g = x.candidate[c]
        coarse.total[c] += coarse.fork_pull[p.pair_u[g]] + coarse.fork_pull[p.pair_v[g]]

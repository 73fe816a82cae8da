"""Pairwise interactions (option `interplay`): how much more flips can do together than each does alone.

Let D(e) be what flip e alone adds to the objective of the grounding, found by evaluating it. Flips far apart add up,
and those close to each other nearly do: what is missing is made at few places, each by two flips that meet there.
For every set E of at most d flips,

    objective of E  <=  objective of the grounding + sum of D(e) over E + sum of J(e, f) over pairs in E

where J(e, f) bounds what e and f make together, whatever the others do. No bound that lets every vertex be flipped
at will comes close to this where all pairs of vertices may be inserted: there one flip is known to touch two vertices.

Proof. Write p(v) for pre-activations of a stage, and let P(v) = p(v) + sum of D(e) on p(v) be what adding up predicts.
The true p(v) under E is P(v) + q(v), where q(v) = (what the senders' residuals r amount to) + T(v), and T(v) is what
the aggregation itself makes of several flips: messages that are counted anew because one flip is at v and another at
the sender, weights 1/k of a mean that several flips at v change. After the activation, r(v) = s q(v) + x(v) with a
slope s between that on negative numbers and 1, and x(v) = act(P) - act(p) - sum of (act(p + D) - act(p)), for which
two flips are needed that shift this neuron. So the residual of the objective is the sum over all places of multiplier
times T or x. Multipliers (sensitivities.py) are products of weights, slopes and weights of messages, which lie in
intervals. T and x are sums over pairs of flips (interactions.py). Deltas need not be exact for that: where they miss
what they stand for, rounding enters as one more residual, and `rounding_margin` covers it.

Under a max, T(v) is at most a sum over pairs too: of two flips elsewhere, no more than either changes some message more
than another; of a flip at v that inserts a sender, and another flip, what the latter changes there beyond what it
changes in the max; of one that deletes a sender, what the max loses in changes with it.

Several flips at one vertex change what all its other messages count. Under a mean that is a sum over pairs too, with
weights in intervals (mean_interactions.py); under a max nothing is bounded, unless local budgets forbid it. With two
flips left, two at one vertex are evaluated together: then all others meet nobody, and weights are known.

Theory: "Effects of flips add up, but for pairs".
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...model.arrays import FloatArray, IntArray
from ...problem.layout import DENSE, GRAPH, MAX, MEAN, SUM, Problem
from ..symmetry.automorphisms import Symmetries, no_symmetries

# parts of a row: what a flip changes in the pre-activation, in what is gathered (of a mean, before it is divided), in
# what the vertex sends, in what it keeps for itself; of a max, how far apart the changes of its messages are
SHIFT, GATHERED, CHANGE_SENT, CHANGE_OWN, SPREAD = 0, 1, 2, 3, 4

# positions in `weight`, and in a row of `norm`
LEAST, MOST, MOST_INSERTED = 0, 1, 2
NORM_C, NORM_A = 0, 1

ONE, OTHER = 0, 1  # of `two_flips`
MOST_FLIPS = 6  # with more flips left, sums over their pairs bound nothing
MOST_BYTES = 1 << 32  # bytes of the largest tables; what is not needed of them is never touched


class PairwiseTables(NamedTuple):
    """Tables of one search. L levels by flips left, R rivals, F pairs, C = F candidates."""

    # the grounding
    base: NDArray[np.float64]  # (T+1, n, D) pre-activations
    centre: NDArray[np.float64]  # (T+1, n, D) the mean of messages, 0 under a sum
    degree: IntArray  # (n,) messages that a vertex gets
    # what single flips change: rows of candidate c are first[c] .. first[c + 1] - 1
    candidate: IntArray  # (F,)
    two_flips: IntArray  # (2,) the flips that were recorded together last: ONE and OTHER
    rows: NDArray[np.float64]  # (rows, 5, D)
    at: IntArray  # (rows,) t * n + v
    first: IntArray  # (F + 2,), one more for two flips together
    row_of: NDArray[np.int64]  # (F + 1, (T + 1) * n) or -1
    # ranges of multipliers: on h_t(v), and on p_t(v); of every rival, and behind them of any that is left
    low: NDArray[np.float64]  # (R + 1, T+1, n, D)
    high: NDArray[np.float64]
    bent_low: NDArray[np.float64]
    bent_high: NDArray[np.float64]
    heard_low: NDArray[np.float64]  # (R + 1, T+1, n, D) on what v gathers, before A
    heard_high: NDArray[np.float64]
    size: NDArray[np.float64]  # (T+1, n) no multiplier of any rival is larger
    weight: NDArray[np.float64]  # (3, n) of one message: smallest, largest, largest of an inserted one
    # what any other flips shift a neuron by
    under: NDArray[np.float64]  # (T+1, n, D) base plus the lowest sum of shifts of left - 2 flips
    over: NDArray[np.float64]
    most_at: IntArray  # (n,) flips at a vertex in the sets that are bounded
    ranked: NDArray[np.float64]  # (2, FLIPS, D) scratch
    # what is known of the network
    norm: NDArray[np.float64]  # (T+1, 2) largest column sum of |C|, of |A|
    slack: NDArray[np.float64]  # (T+1, n) rounding of one evaluation
    # by flips left
    start: NDArray[np.float64]  # (L, R) objective of the grounding, with rounding
    gain: NDArray[np.float64]  # (L, R, F)
    peak: NDArray[np.float64]  # (L, F) the largest gain of any rival
    joint: NDArray[np.float64]  # (L - 2, F, F), from two flips left on
    half: NDArray[np.float64]  # (L, F) half of the most that a pair's best partners make with it
    set_bound: NDArray[np.float64]  # (L, F) no set with this pair gets beyond it
    best: FloatArray  # (FLIPS,) scratch
    set_bound_with: FloatArray  # (F,) scratch: the same for sets with one pair more
    known_at: IntArray  # (L,) the limit for which a level was filled
    bounded: IntArray  # (L,) whether what is made in pairs was bounded
    after: IntArray  # (L,) the pair whose flip led here from a screened base, or -1
    rest: NDArray[np.float64]  # (R,) scratch: what flips besides three can bring
    lead: NDArray[np.float64]  # (R,) scratch: what two of them reach
    # symmetries
    image: NDArray[np.int64]  # (S, F) where each takes a pair
    stabilises: NDArray[np.int8]  # (FLIPS + 1, S) by flips made, whether it leaves them where they are
    twin: IntArray  # (n,) the first of a vertex's twins
    component: IntArray  # (n,) its component
    place: IntArray  # (n,) the first vertex in the same place of components that look alike
    role: IntArray  # (n,) scratch: what it is while the flips made so far stay (symmetry/orbital_fixing.py)


def applies_to(p: Problem, budget: int) -> bool:
    """Whether the argument above holds for this network, and its tables have room."""
    graph = p.kind[1:] != DENSE
    hows = np.isin(p.how[1:], (SUM, MEAN)) & (p.sends_products[1:] == 1)
    hows |= (p.how[1:] == MAX) & (p.kind[1:] == GRAPH)
    between = (p.slope >= 0.0) & (p.slope <= 1.0)
    pairs, levels = p.pair_u.size, min(budget, MOST_FLIPS) - 1
    fits = 8 * pairs * max(levels * pairs, _rows_of(p) * 5 * p.D, (p.T + 1) * p.n) <= MOST_BYTES
    return bool(p.folded and (hows | ~graph).all() and between.all() and pairs > 1 and budget > 1 and fits)


def _rows_of(p: Problem) -> int:
    """How many vertices one flip can change, over all stages."""
    return int(p.active[1:].sum())


def make_idle_tables(p: Problem) -> PairwiseTables:
    """Tables for those that do not screen: nobody looks at them."""
    return make_tables(p, np.zeros((p.T + 1, 1, 1)), 1, False, no_symmetries(p))


def make_tables(p: Problem, slack: FloatArray, budget: int, used: bool, alike: Symmetries) -> PairwiseTables:
    n, T, D = (p.n, p.T, p.D) if used else (1, p.T, 1)
    pairs = p.pair_u.size if used else 1
    levels = min(budget, MOST_FLIPS) + 1 if used else 1
    stages = (T + 1, n, D)
    norm = np.zeros((T + 1, 2))
    if used:
        norm[1:, NORM_C], norm[1:, NORM_A] = (abs(weight).sum(axis=1).max(axis=1)[1:] for weight in (p.C, p.A))
    return PairwiseTables(
        base=np.zeros(stages),
        centre=np.zeros(stages),
        degree=np.zeros(n, dtype=np.int64),
        candidate=np.zeros(pairs, dtype=np.int64),
        two_flips=np.zeros(2, dtype=np.int64),
        rows=np.zeros(((pairs + 1) * _rows_of(p) if used else 1, 5, D)),
        at=np.zeros((pairs + 1) * _rows_of(p) if used else 1, dtype=np.int64),
        first=np.zeros(pairs + 2, dtype=np.int64),
        row_of=np.full((pairs + 1, (T + 1) * n), -1, dtype=np.int64),
        low=np.zeros((p.rivals + 1, *stages)),
        high=np.zeros((p.rivals + 1, *stages)),
        bent_low=np.zeros((p.rivals + 1, *stages)),
        bent_high=np.zeros((p.rivals + 1, *stages)),
        heard_low=np.zeros((p.rivals + 1, *stages)),
        heard_high=np.zeros((p.rivals + 1, *stages)),
        size=np.zeros((T + 1, n)),
        weight=np.zeros((3, n)),
        under=np.zeros(stages),
        over=np.zeros(stages),
        most_at=np.zeros(n, dtype=np.int64),
        ranked=np.zeros((2, MOST_FLIPS, D)),
        norm=norm,
        slack=slack.sum(axis=2) if used else np.zeros((T + 1, 1)),
        start=np.zeros((levels, p.rivals)),
        gain=np.zeros((levels, p.rivals, pairs)),
        peak=np.zeros((levels, pairs)),
        joint=np.zeros((max(levels - 2, 1), pairs, pairs)),
        half=np.zeros((levels, pairs)),
        set_bound=np.zeros((levels, pairs)),
        best=np.zeros(MOST_FLIPS),
        set_bound_with=np.zeros(pairs),
        known_at=np.full(levels, -1, dtype=np.int64),
        bounded=np.zeros(levels, dtype=np.int64),
        after=np.full(levels, -1, dtype=np.int64),
        rest=np.zeros(p.rivals),
        lead=np.zeros(p.rivals),
        image=alike.image,
        stabilises=np.zeros((MOST_FLIPS + 1, len(alike.image)), dtype=np.int8),
        twin=alike.twin,
        component=alike.component,
        place=alike.place,
        role=np.zeros(n, dtype=np.int64),
    )

"""Leaving out flips that are in no attack, by what flips can do together (interplay.py).

A base graph is screened once. Pairs in no set that may break the claim are fixed; then every other one is flipped in
turn, those with the most hope first, and the graph with it is the next base. Tables are kept by flips left: below one
base they are overwritten only where fewer are left.
"""

from __future__ import annotations

import numpy as np

from .compile import entry, kernel, leaf, loop
from .couple import couple, pay_size
from .differ import forget_flips, note_base, note_flip
from .interplay import CHANGE_SENT, GATHERED, SHIFT
from .multiply import copy, fill
from .split import affordable, decide
from .state import LIMIT, STOP, WORK, H
from .weigh import margin, weigh

# pairs of flips that are bounded in the time of one unit of work
COUPLES = 2


@loop
def rank(ranked, row, count, sign, m):
    """Keep the `count` largest of sign * row among what is ranked, coordinate by coordinate."""
    for i in range(m):
        y = sign * row[i]
        for k in range(count):
            if y > ranked[k, i]:
                y, ranked[k, i] = ranked[k, i], y


@leaf
def find_reaches(p, x, candidates, left):
    """`under` and `over`: where up to left - 2 flips can shift a neuron to."""
    for t in range(1, p.T + 1):
        if not p.bends[t]:
            continue
        width = p.width[t]
        for v in range(p.active[t]):
            copy(x.under[t, v], x.base[t, v], width)
            copy(x.over[t, v], x.base[t, v], width)
            if left == 2:
                continue
            for k in range(left - 2):
                fill(x.ranked[0, k], 0.0, width)
                fill(x.ranked[1, k], 0.0, width)
            for c in range(candidates):
                row = x.row_of[c, t * p.n + v]
                if row >= 0:
                    rank(x.ranked[0], x.rows[row, SHIFT], left - 2, -1.0, width)
                    rank(x.ranked[1], x.rows[row, SHIFT], left - 2, 1.0, width)
            for k in range(left - 2):
                for i in range(width):
                    x.under[t, v, i] -= x.ranked[0, k, i]
                    x.over[t, v, i] += x.ranked[1, k, i]


@loop
def take_largest(out, row, m):
    for i in range(m):
        out[i] = max(out[i], abs(row[i]))


@leaf
def find_thirds(p, x, excluded, candidates):
    """`third` and `loudest`: the most that one more flip can bring to a vertex where two others are."""
    for t in range(p.T + 1):
        fill(x.loudest[t], 0.0, p.D)
        for r in range(p.rivals):
            fill(x.third[r, t], 0.0, p.n)
    for k in range(x.first[candidates]):
        t, v = x.at[k] // p.n, x.at[k] % p.n
        if t < p.T:
            take_largest(x.loudest[t], x.rows[k, CHANGE_SENT], p.width[t + 1])
        for r in range(p.rivals):
            if not excluded[r]:
                weighted = pay_size(x.rows[k, GATHERED], x.bent_low[r, t, v], x.bent_high[r, t, v], p.width[t])
                x.third[r, t, v] = max(x.third[r, t, v], weighted)


@leaf
def keep_best(best, count, value):
    for k in range(count):
        if value > best[k]:
            value, best[k] = best[k], value


@leaf
def total_of(best, count):
    total = 0.0
    for k in range(count):
        total += best[k]
    return total


@leaf
def find_hopes(p, x, excluded, candidates, left):
    """The most that sets with each candidate can reach; returns how many of them may break the claim.

    What a set of flips makes in pairs is shared between both flips of a pair, but for the pairs with the candidate.
    """
    joint, half, hope = x.joint[left], x.half[left], x.hope[left]
    best = x.best
    for c in range(candidates):
        e = x.candidate[c]
        fill(best, 0.0, left - 2)
        for k in range(candidates):
            if k != c:
                keep_best(best, left - 2, joint[e, x.candidate[k]])
        half[e] = 0.5 * total_of(best, left - 2)
    alive = 0
    for c in range(candidates):
        e = x.candidate[c]
        hope[e] = -np.inf
        for r in range(p.rivals):
            if excluded[r]:
                continue
            gain = x.gain[left, r]
            fill(best, 0.0, left - 1)
            for k in range(candidates):
                f = x.candidate[k]
                if k != c:
                    keep_best(best, left - 1, gain[f] + joint[e, f] + half[f])
            hope[e] = max(hope[e], x.start[left, r] + gain[e] + total_of(best, left - 1))
        # a NaN keeps its hope
        if not hope[e] <= 0.0:
            alive += 1
    return alive


@leaf
def keep_hopeful(p, s, x, candidates, left):
    """Fix the candidates without hope, and forget them; returns how many are left."""
    kept = 0
    for c in range(candidates):
        e = x.candidate[c]
        if x.hope[left, e] <= 0.0:
            decide(p, s, e, np.int64(0))
        else:
            x.candidate[kept] = e
            kept += 1
    return kept


@entry
def screen(p, s, x, options, excluded, left):
    """Bound what all undecided pairs can do from here, and fix those in no attack; returns how many are left, or -1 if
    time was up.
    """
    candidates = np.int64(0)  # typed: a literal would compile callees once more
    for e in range(p.pair_u.size):
        if s.status[p.pair_slot[e, 0]] & 2:
            if affordable(p, s, e):
                x.candidate[candidates] = e
                candidates += 1
            else:
                decide(p, s, e, np.int64(0))
    note_base(p, s, x)
    x.first[0] = 0
    for c in range(candidates):
        e = x.candidate[c]
        x.first[c + 1] = note_flip(p, s, x, c, e, x.first[c])
        row = x.row_of[c, p.T * p.n]
        for r in range(p.rivals):
            x.gain[left, r, e] = x.rows[row, SHIFT, r] if row >= 0 else 0.0
    weigh(p, s, x, options, excluded, left)
    find_reaches(p, x, candidates, left)
    if left > 2:
        find_thirds(p, x, excluded, candidates)
    more = margin(p, x, left)
    for r in range(p.rivals):
        x.start[left, r] = s.values[p.T, 0, H, r] + s.error[r] + more
    joint = x.joint[left]
    for c in range(candidates):
        if s.tally[STOP]:
            break
        e = x.candidate[c]
        for k in range(c):
            f = x.candidate[k]
            joint[e, f] = couple(p, s, x, options, excluded, c, k, left)
            joint[f, e] = joint[e, f]
        s.tally[WORK] += c // COUPLES
    forget_flips(x, candidates)
    x.known_at[left] = s.tally[LIMIT]
    if s.tally[STOP]:
        return -1
    alive = candidates
    while alive > 0:
        find_hopes(p, x, excluded, alive, left)
        kept = keep_hopeful(p, s, x, alive, left)
        if kept == alive:
            break
        alive = kept
    return alive


@kernel
def choose_by_hope(p, s, x, left):
    """The undecided pair with the most hope, or -1."""
    best, at = -np.inf, np.int64(-1)
    for e in range(p.pair_u.size):
        if s.status[p.pair_slot[e, 0]] & 2 and not x.hope[left, e] <= best:
            best, at = x.hope[left, e], np.int64(e)
    return at


@kernel
def fix_without(p, s, x, excluded, pair, left):
    """Fix what is in no attack together with `pair`, which is flipped next; whether there may be an attack with it."""
    joint, half, best = x.joint[left], x.half[left], x.best
    alive = False
    hope = x.with_it
    fill(hope, -np.inf, p.pair_u.size)
    for r in range(p.rivals):
        if excluded[r]:
            continue
        gain = x.gain[left, r]
        start = x.start[left, r] + gain[pair]
        alive = alive or not start <= 0.0
        fill(best, 0.0, left - 1)
        for e in range(p.pair_u.size):
            if e != pair and s.status[p.pair_slot[e, 0]] & 2:
                keep_best(best, left - 1, gain[e] + joint[pair, e] + half[e])
        whole = total_of(best, left - 1)
        for e in range(p.pair_u.size):
            if e != pair and s.status[p.pair_slot[e, 0]] & 2:
                own = gain[e] + joint[pair, e] + half[e]
                # those that are best with it, and it in place of the last of them unless it is one of these
                least = best[left - 2]
                hope[e] = max(hope[e], start + (whole if own >= least else whole - least + own))
    for e in range(p.pair_u.size):
        if e != pair and s.status[p.pair_slot[e, 0]] & 2:
            if hope[e] <= 0.0:
                decide(p, s, e, np.int64(0))
            else:
                alive = True
    return alive

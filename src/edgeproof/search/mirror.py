"""Leaving out what a symmetry maps to something that was looked at (symmetries.py).

A search that tries the flip of a pair before its absence meets all attacks in some order. Whatever is left out in the
absence of a pair has an image in which the pair is flipped, or another one that was absent before: an image that comes
earlier. So the first attack of all is not left out, in which order ever the branches are looked at.
"""

from __future__ import annotations

import numpy as np

from .compile import leaf
from .multiply import fill
from .split import decide
from .state import PAIR_MARK, USED


@leaf
def keep_symmetries(s, x):
    """Note which symmetries leave all flips where they are."""
    kept = x.kept[s.tally[USED]]
    for k in range(kept.size):
        kept[k] = 1
    for i in range(s.tally[PAIR_MARK]):
        pair = s.pair_trail[i]
        if pair < 0:  # flipped
            for k in range(kept.size):
                kept[k] &= x.image[k, ~pair] == ~pair


@leaf
def keep_symmetries_with(s, x, pair):
    """The same for one flip more, which is made next."""
    used = s.tally[USED]
    for k in range(x.image.shape[0]):
        x.kept[used + 1, k] = x.kept[used, k] & (x.image[k, pair] == pair)


@leaf
def note_touched(p, s, x):
    """Where flips are."""
    fill(x.touched, np.int8(0), p.n)
    for i in range(s.tally[PAIR_MARK]):
        pair = s.pair_trail[i]
        if pair < 0:
            x.touched[p.pair_u[~pair]] = 1
            x.touched[p.pair_v[~pair]] = 1


@leaf
def stands_for(x, v, w):
    """Whether v may take the place of w, while all that are touched stay."""
    return v == w or (x.twin[v] == x.twin[w] and not x.touched[v] and not x.touched[w])


@leaf
def leave_out_twins(p, s, x, pair):
    """Exchanges of twins take this pair to any whose ends may stand for its ends."""
    u, v = p.pair_u[pair], p.pair_v[pair]
    note_touched(p, s, x)
    for other in range(p.pair_u.size):
        if s.status[p.pair_slot[other, 0]] & 2:
            a, b = p.pair_u[other], p.pair_v[other]
            same = stands_for(x, a, u) and stands_for(x, b, v)
            turned = p.charge_u and stands_for(x, a, v) and stands_for(x, b, u)
            if (same or turned) and (a == b) == (u == v):
                decide(p, s, other, np.int64(0))


@leaf
def leave_out(p, s, x, pair):
    """No attack from here holds this pair, nor its images."""
    decide(p, s, pair, np.int64(0))
    leave_out_twins(p, s, x, pair)
    used = s.tally[USED]
    for k in range(x.image.shape[0]):
        other = x.image[k, pair]
        if x.kept[used, k] and s.status[p.pair_slot[other, 0]] & 2:
            decide(p, s, other, np.int64(0))

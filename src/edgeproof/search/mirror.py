"""Leaving out what a symmetry maps to something that was looked at (symmetries.py).

A search that tries the flip of a pair before its absence meets all attacks in some order. Whatever is left out in the
absence of a pair has an image in which the pair is flipped, or another one that was absent before: an image that comes
earlier. So the first attack of all is not left out, in which order ever the branches are looked at.
"""

from __future__ import annotations

import numpy as np

from .compile import leaf
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
def leave_out(p, s, x, pair):
    """No attack from here holds this pair, nor its images."""
    decide(p, s, pair, np.int64(0))
    used = s.tally[USED]
    for k in range(x.image.shape[0]):
        other = x.image[k, pair]
        if x.kept[used, k] and s.status[p.pair_slot[other, 0]] & 2:
            decide(p, s, other, np.int64(0))

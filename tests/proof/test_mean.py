"""Gains of a mean against every set of flips."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from edgeproof.proof.means import mean_gains


@pytest.mark.parametrize("insertions", [False, True])
def test_gains_cover_every_set_of_flips(insertions: bool) -> None:
    rng = np.random.default_rng(7)
    emptied = 0
    for _ in range(300):
        slots = int(rng.integers(1, 6))
        there = rng.random(slots) < 0.7 if insertions else np.ones(slots, dtype=np.bool_)
        moves = rng.random(slots) < 0.8
        low = rng.normal(size=slots) * 3
        high = low + rng.exponential(size=slots) * rng.choice([0.0, 0.1, 2.0])
        cap = int(rng.integers(1, slots + 1))
        cap = min(cap, int(moves.sum()))
        if cap == 0:
            continue
        (gains,) = mean_gains(low[None], high[None], there[None], moves[None], np.array([cap]))
        for size in range(cap + 1):
            for chosen in combinations(np.flatnonzero(moves).tolist(), size):
                after = there.copy()
                after[list(chosen)] ^= True
                emptied += not after.any()
                for _ in range(4):
                    sent = np.where(rng.random(slots) < 0.5, low, high)
                    before = sent[there].mean() if there.any() else 0.0
                    now = sent[after].mean() if after.any() else 0.0
                    assert now - before <= gains[list(chosen)].sum() + 1e-9
    assert emptied > 50

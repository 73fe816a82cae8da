"""Gains of flips at a vertex under GCN: together they pay for what any set of flips adds, of both kinds at once."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from edgeproof.search.linear.gcn import deletion_gain, insertion_gain

ROOT = np.concatenate([[0.0], 1 / np.sqrt(np.arange(1.0, 20.0))])


def shortfall(rng: np.random.Generator) -> float:
    """The most by which a set of flips adds more than its gains, on numbers in place of boxes."""
    deletable, insertable, fixed, cap = (int(rng.integers(*ends)) for ends in ((1, 4), (0, 4), (0, 3), (1, 5)))
    going, coming = rng.normal(size=deletable) * rng.choice([0.1, 1, 3]), rng.normal(size=insertable)
    own, total = float(rng.normal()), float(going.sum() + rng.normal(size=fixed).sum())
    degree, down, up = 1 + deletable + fixed, min(cap, deletable), min(cap, insertable)
    shared = (ROOT, degree, down, up, cap)
    goes = np.array([deletion_gain(*shared, x, own, own, total - x, total - x) for x in going])
    comes = np.array([insertion_gain(*shared, x, own, own, total, total) for x in coming])
    worst = -np.inf
    for m in range(down + 1):
        for j in range(min(up, cap - m) + 1):
            r = ROOT[degree - m + j]
            for gone in map(list, combinations(range(deletable), m)):
                for new in map(list, combinations(range(insertable), j)):
                    after = own * r * r + r * (total - going[gone].sum() + coming[new].sum())
                    before = own * ROOT[degree] ** 2 + ROOT[degree] * total
                    worst = max(worst, after - before - goes[gone].sum() - comes[new].sum())
    return worst


def test_gains_pay_for_every_set_of_flips_at_a_vertex() -> None:
    for seed in range(1500):
        assert shortfall(np.random.default_rng(seed)) < 1e-12, f"seed {seed}"

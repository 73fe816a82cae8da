"""The checker against brute force: true claims with trees that cover everything are accepted, false ones never."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np

from edgeproof import RejectedError
from edgeproof.engines import brute
from edgeproof.proof.check import check
from edgeproof.proof.format import KIND_BITS, KINDS
from random_queries import EVERYTHING, draw
from splitter import Splitter

SEED, COUNT = 11, 100
GRID = replace(EVERYTHING, most_graphs=300)


def test_accepts_what_is_true_and_nothing_else() -> None:
    """Trees are grown at random: whatever their shape, the verdict is that of brute force."""
    seen: Counter[str] = Counter()
    for index in range(COUNT):
        query = draw(SEED, index, GRID)
        if query.network.normalises:
            continue
        truth = brute.verify(query).status
        splitter = Splitter(query, np.random.default_rng((5, index)))
        data = splitter.write()
        try:
            found = check(data, query.network, query.graph)
            assert (found.status, found.claim.label) == ("robust", query.claim.label)
            said = "robust"
        except RejectedError:
            said = "vulnerable"
        assert said == truth, f"seed {SEED}, index {index}"
        seen.update(KINDS[mark & KIND_BITS] for mark, _ in splitter.marks)
    assert set(seen) == set(KINDS)

"""The checker against brute force: true claims with trees that cover everything are accepted, false ones never."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from edgeproof import Graph, Layer, Network, RejectedError, Threat
from edgeproof.engines import brute
from edgeproof.model.query import Query, make_query
from edgeproof.proof import walk
from edgeproof.proof.check import check
from edgeproof.proof.format import ENUMERATED, KIND_BITS, KINDS, pack
from edgeproof.proof.statement import describe
from random_queries import EVERYTHING, draw
from splitter import Splitter

SEED, COUNT = 11, 60
GRID = replace(EVERYTHING, most_graphs=300)


@pytest.mark.parametrize("few", [1, 32])
def test_accepts_what_is_true_and_nothing_else(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Trees are grown at random: whatever their shape, the verdict is that of brute force. `few` 1: lines say which
    last flips are in doubt.
    """
    monkeypatch.setattr(walk, "FEW", few)
    seen: Counter[str] = Counter()
    for index in range(COUNT):
        query = draw(SEED + few, index, GRID)
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
        assert said == truth, f"seed {SEED + few}, index {index}"
        seen.update(KINDS[mark & KIND_BITS] for mark, _ in splitter.marks)
    assert set(seen) == set(KINDS)


def counting(threshold: float, threat: Threat) -> Query:
    """Vertex 0 keeps class 0 as long as more than `threshold` of its 4 in-neighbours are left."""
    layer = Layer([[0.0], [0.0]], [[1.0], [0.0]], [0.0, threshold], "sum", "none")
    graph = Graph([[1, 2, 3, 4], [0, 0, 0, 0]], [[1.0]] * 5, directed=True)
    return make_query(Network([layer]), graph, threat, 0, 0)


def one_leaf(query: Query, mark: int) -> bytes:
    return pack(describe(query, "robust") | {"pairs": [], "nodes": 1}, bytes([mark]))


@pytest.mark.parametrize(
    ("threshold", "threat", "holds"),
    [
        (1.5, Threat(budget=2), True),
        (2.5, Threat(budget=2), False),  # two flips are needed
        (3.5, Threat(budget=1), False),
        (2.5, Threat(budget=1), True),
        (2.5, Threat(budget=2, local_budget=1), True),  # two flips at one vertex are one too many
    ],
)
def test_an_enumerated_leaf_stands_for_every_graph_that_the_budgets_allow(
    threshold: float, threat: Threat, holds: bool
) -> None:
    query = counting(threshold, threat)
    data = one_leaf(query, ENUMERATED)
    if holds:
        found = check(data, query.network, query.graph)
        assert found.evaluations == (11 if (threat.budget, threat.local_budget) == (2, None) else 5)
    else:
        with pytest.raises(RejectedError, match="the claim is false"):
            check(data, query.network, query.graph)


def test_a_last_flip_is_in_doubt_as_long_as_one_rival_may_win_by_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Class 1 wins without one of the neighbours 1 and 2, class 2 without one of 3 and 4."""
    monkeypatch.setattr(walk, "FEW", 1)
    A = [[0.0, 0.0], [-1.0, 0.0], [0.0, -1.0]]
    layer = Layer(np.zeros((3, 2)), A, [0.0, 1.5, 1.5], "sum", "none")
    graph = Graph([[1, 2, 3, 4], [0, 0, 0, 0]], [[0.0, 0.0], [1, 0], [1, 0], [0, 1], [0, 1]], directed=True)
    query = make_query(Network([layer]), graph, Threat(budget=1), 0, 0)
    with pytest.raises(RejectedError, match="the claim is false"):
        check(one_leaf(query, ENUMERATED), query.network, query.graph)

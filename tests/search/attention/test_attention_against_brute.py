"""Verdicts and radii of networks with attention against brute force, which evaluates the definition in balls."""

from __future__ import annotations

import numpy as np
import pytest

from attention_queries import any_network, drawn, two_layers
from edgeproof.engines import brute
from edgeproof.model.query import Query
from edgeproof.search import engine
from edgeproof.search.attention.branch import TwoLayers, knows
from edgeproof.search.deadline import Alarm

ASK = {"timeout": None, "node_limit": None, "options": None}


def agree(query: Query) -> None:
    expected, found = brute.radius(query), engine.radius(query, **ASK)
    assert (found.lower, found.upper, found.robust, found.reason) == (
        expected.lower, expected.upper, expected.robust, expected.reason,
    )  # fmt: skip
    verdict = engine.verify(query, **ASK)
    assert verdict.status == brute.verify(query).status
    if verdict.attack is not None:
        assert brute.evaluator_of(query).winner(tuple(verdict.attack)) is not None


@pytest.mark.parametrize("seed", range(1000, 1040))
def test_two_layers_agree_with_brute_force(seed: int) -> None:
    query = drawn(two_layers, seed)
    if query is not None:
        assert knows(query.network)
        agree(query)


@pytest.mark.parametrize("seed", range(2000, 2030))
def test_other_networks_agree_with_brute_force(seed: int) -> None:
    query = drawn(any_network, seed)
    if query is not None:
        agree(query)


@pytest.mark.parametrize("seed", range(3000, 3030))
def test_linear_bounds_alone_agree_with_brute_force(seed: int) -> None:
    query = drawn(two_layers, seed)
    first = query.network.layers[0].A if query is not None else np.zeros((1, 2))
    if query is None or first.shape[0] != first.shape[1] or (first != np.eye(len(first))).any():
        return
    expected, budget = brute.radius(query), query.threat.budget
    assert budget is not None
    with Alarm() as alarm:
        search = TwoLayers(query, alarm, None, most_sets=0)
        for size in range(budget + 1):
            found = search.decide(size)
            assert (found is not None) == (expected.upper is not None and expected.upper < size), (seed, size)
            if found is not None:
                return

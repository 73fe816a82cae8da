"""Columns of 0/1 features that several slots carry, under a max: they come and go by crowds."""

from __future__ import annotations

import numpy as np
import pytest

import edgeproof as ep
from differential import check
from edgeproof.search import engine
from edgeproof.search.intervals.binary_max import MOST_NAMED
from random_queries import CROWDED

SEED, CHUNK = 71, 100


@pytest.mark.parametrize("chunk", range(4))
def test_crowded_queries_agree_with_brute_force(chunk: int) -> None:
    for index in range(CHUNK * chunk, CHUNK * (chunk + 1)):
        report = check(engine, SEED, index, CROWDED)
        if report is not None:
            pytest.fail(report, pytrace=False)


@pytest.mark.parametrize("seed", range(4))
def test_a_vertex_with_more_slots_than_sets_have_names(seed: int) -> None:
    """All but a few of its many in-neighbours carry nothing, so that two deletions can empty a column."""
    rng = np.random.default_rng(seed)
    leaves = MOST_NAMED + 4
    x = np.zeros((leaves + 1, 6))
    for column in range(6):
        x[rng.choice(leaves, 2, replace=False) + 1, column] = 1.0
    graph = ep.Graph(np.stack([np.arange(1, leaves + 1), np.zeros(leaves, dtype=np.int64)]), x, directed=True)
    layers = [
        ep.Layer(np.zeros((3, 6)), rng.normal(size=(3, 6)), rng.normal(size=3), "max", "relu"),
        ep.Layer(rng.normal(size=(2, 3)), np.zeros((2, 3)), rng.normal(size=2), "max", "none"),
    ]
    network = ep.Network(layers)
    found = ep.verify(network, graph, ep.Threat(2), 0)
    assert found.status == ep.verify(network, graph, ep.Threat(2), 0, engine="brute").status

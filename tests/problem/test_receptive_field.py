"""The pairs that the search looks at are those that the threat admits, however they are listed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from edgeproof.model.query import Query
from edgeproof.options import resolve
from edgeproof.problem import receptive_field as surroundings
from edgeproof.problem.compile import compile_problem
from random_queries import EVERYTHING, draw, fragile_pairs

SEED, COUNT = 81, 300
# most of these threats name no pairs, so that all pairs into a vertex are laid out together
GRID = replace(EVERYTHING, flips=("insert", "both", "target"), budgets=(1, 2, 3), calibrations=("none",))


def pairs_of(query: Query) -> list[tuple[int, int]]:
    found = compile_problem(query, resolve({}), query.threat.budget).pairs
    return [(int(u), int(v)) for u, v in found]


@pytest.mark.parametrize("most", [surroundings.GRID, 0], ids=["together", "one vertex after the other"])
def test_pairs_are_those_that_the_threat_admits(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(surroundings, "GRID", most)
    everywhere = 0
    for index in range(COUNT):
        query = draw(SEED, index, GRID)
        found, admitted = pairs_of(query), fragile_pairs(query.graph, query.threat, query.claim.node)
        assert len(set(found)) == len(found), (SEED, index)
        assert set(found) <= set(admitted), (SEED, index)
        layers = [layer for layer in query.network.layers if not layer.is_dense]
        if query.claim.node is None and any(layer.aggregation != "gcn" for layer in layers):
            assert set(found) == set(admitted), (SEED, index)  # every vertex matters, and loops do
            everywhere += 1
    assert everywhere > 50


def test_every_edge_is_fixed_or_fragile() -> None:
    """Into the vertices that are looked at, each edge once: none is forgotten because others like it are fragile."""
    grid = replace(GRID, vertices=(5, 6, 7), budgets=(1, 2), flips=("insert", "both", "both", "delete"))
    fixed = 0
    for index in range(COUNT):
        query = draw(SEED + 1, index, grid)
        looking = [layer.aggregation for layer in query.network.layers if not layer.is_dense]
        around = surroundings.find_surroundings(query, looking, query.threat.budget, 10**6)
        name = around.vertices.tolist()
        there = [(name[u], name[v]) for u, v in around.fixed.T.tolist()]
        fixed += len(there)
        for (u, v), present in zip(around.pairs.tolist(), around.present.tolist(), strict=True):
            if present:
                there += {(u, v), (v, u)} if not query.graph.directed else {(u, v)}
        assert len(set(there)) == len(there), (SEED + 1, index)
        loops = any(how != "gcn" for how in looking)
        for v, far in zip(name, around.distance.tolist(), strict=True):
            if far < len(looking):
                missing = {(u, v) for u in query.graph.in_neighbours(v).tolist() if u != v or loops} - set(there)
                assert not missing, (SEED + 1, index, missing)
    assert fixed > 50

"""An option may change how long a search takes, never its answer."""

from __future__ import annotations

from itertools import permutations

import pytest

import edgeproof as ep
from differential import check
from edgeproof import Threat
from edgeproof.arithmetic import evaluator as exact
from edgeproof.demo.karate import karate_graph, karate_network
from edgeproof.engines import brute
from edgeproof.model.query import make_query
from edgeproof.options import PAPER, TABLE, TEST_SWITCHES
from edgeproof.problem import compile as problem
from edgeproof.problem import receptive_field as surroundings
from edgeproof.search import engine
from edgeproof.search.attacks import beam_search, extensions
from random_queries import draw

MEMBERS = (0, 2, 9, 13, 19, 28, 31)


@pytest.mark.parametrize("option", [*TABLE, *TEST_SWITCHES], ids=lambda option: option.name)
def test_a_switched_option_gives_the_same_radius(option) -> None:
    network, graph = karate_network(), karate_graph()
    switched = {option.name: not option.default}
    for base in ({}, PAPER):
        for node in MEMBERS:
            usual = ep.radius(network, graph, Threat(3), node, options=base)
            other = ep.radius(network, graph, Threat(3), node, options={**base, **switched})
            assert (usual.lower, usual.upper, usual.exact) == (other.lower, other.upper, other.exact)


def test_everything_switched_off_gives_the_same_radius() -> None:
    network, graph = karate_network(), karate_graph()
    nothing = {option.name: False for option in TABLE}
    for node in (13, 19, 28):
        usual, plain = (ep.radius(network, graph, Threat(2), node, options=options) for options in (None, nothing))
        assert (usual.lower, usual.upper, usual.exact) == (plain.lower, plain.upper, plain.exact)


def test_evaluating_everything_anew_visits_the_same_search_nodes() -> None:
    """What is updated and undone is what would have been computed; only rounding may tell them apart."""
    afresh = {**PAPER, "incremental": False}
    visited = differing = 0
    for index in range(200):
        query = draw(22, index)
        quick = engine.verify(query, timeout=60, node_limit=None, options=PAPER)
        anew = engine.verify(query, timeout=60, node_limit=None, options=afresh)
        assert quick.status == anew.status
        visited += quick.stats.nodes
        differing += abs(quick.stats.nodes - anew.stats.nodes)
    assert visited > 1000
    assert differing <= 5
    network, graph = karate_network(), karate_graph()
    for node in range(graph.num_vertices):
        counts = [ep.verify(network, graph, Threat(3), node, options=how).stats.nodes for how in (PAPER, afresh)]
        assert counts[0] == counts[1]


@pytest.mark.parametrize("large", [False, True], ids=["as small ones", "as large ones"])
def test_what_depends_on_size_gives_the_same_answers(large: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Random queries are small; with these thresholds at nothing they take the ways of large ones."""
    if large:
        for module, name in ((problem, "SHORT_ROW"), (surroundings, "GRID"), (exact, "FEW_COLUMNS")):
            monkeypatch.setattr(module, name, 0)
        monkeypatch.setattr(extensions, "CHUNK", 2)
        monkeypatch.setattr(beam_search, "OVERFULL", 1)
    failures = [found for index in range(400) if (found := check(engine, 31, index)) is not None]
    assert not failures, failures[0]


def test_what_is_kept_of_a_network_is_kept_for_each_rival() -> None:
    """One network is asked about every class against every other, one after the other."""
    asked = 0
    for index in range(60):
        one = draw(61, index)
        classes = range(one.network.num_classes)
        for label, target in permutations(classes, 2) if len(classes) > 2 else ():
            query = make_query(one.network, one.graph, one.threat, one.claim.node, label, target)
            found, truth = (how.verify(query, timeout=60, node_limit=None, options=None) for how in (engine, brute))
            assert found.status == truth.status, (index, label, target)
            asked += 1
    assert asked > 60

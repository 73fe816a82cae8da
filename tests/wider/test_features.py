"""Flips of features: against brute force, and the bounds themselves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import edgeproof as ep
from edgeproof.arithmetic.float64 import evaluate
from edgeproof.clock import UNLIMITED
from edgeproof.model.perturb import with_features
from edgeproof.wider.feature_flips import FeatureSearch
from wider_differ import disagreement
from wider_queries import LINEAR, draw_wider

SEED = 31


@pytest.mark.parametrize("start", range(0, 240, 60))
def test_flips_of_features_against_brute_force(start: int) -> None:
    for index in range(start, start + 60):
        query = draw_wider(SEED, index, ("features", "features", "cost+features"), LINEAR)
        problem, _ = disagreement(query)
        assert problem is None, f"seed {SEED}, index {index}: {problem}"


def test_no_set_of_flips_leaves_the_bounds() -> None:
    """Every bound, not verdicts alone: intervals of all stages, and the linear bound at every set of flips."""
    rng, looked = np.random.default_rng(SEED), 0
    for index in range(120):
        query = draw_wider(SEED + 1, index, ("features",), LINEAR)
        search = FeatureSearch(query, query.graph, UNLIMITED, lambda _: None)
        state = search.start(3)
        if not state.candidates.at.size:
            continue
        state = state._replace(known=search.ranges(state))
        here, each = search.leads(state)
        for _ in range(12):
            size = int(rng.integers(0, min(3, state.candidates.at.size) + 1))
            chosen = rng.permutation(state.candidates.at.size)[:size]
            some = state.candidates.take(chosen)
            flipped = tuple(zip(some.at.tolist(), some.column.tolist(), strict=True))
            named = tuple((int(search.fixed.vertices[v]), c) for v, c in flipped)
            made = with_features(query.graph, named) if named else query.graph
            scores = evaluate(query.network, made, query.claim.node)
            leads = scores[list(query.rivals)] - scores[query.claim.label]
            room = 1e-9 * (1.0 + abs(scores).max())
            assert (leads <= here + each[:, chosen].sum(axis=1) + room).all(), f"seed {SEED + 1}, index {index}"
            x = made.features.dense(search.fixed.vertices)
            for stage, box in zip(search.fixed.stages, state.known, strict=False):
                z = x[stage.keep] @ stage.C.T + stage.b
                z = z if stage.S is None else z + stage.S @ (x @ stage.A.T)
                slack = 1e-9 * (1.0 + abs(z).max())
                assert (box.low <= z + slack).all(), f"seed {SEED + 1}, index {index}"
                assert (z <= box.high + slack).all(), f"seed {SEED + 1}, index {index}"
                x = np.where(z >= 0, z, stage.slope * z)
            looked += 1
    assert looked > 500


def small() -> tuple[ep.Network, ep.Graph]:
    layer = ep.Layer([[0.0, 0.0], [0.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]], [0.0, 0.0], "sum", "relu")
    last = ep.Layer.dense([[1.0, 0.0], [0.0, 1.0]], [0.5, 0.0], "none")
    graph = ep.Graph([[1, 2], [0, 0]], [[0.0, 0.0], [1.0, 0.0], [0.0, 0.0]], directed=True)
    return ep.Network([layer, last]), graph


def test_what_is_flipped_where() -> None:
    network, graph = small()
    none = ep.Threat(0, features=ep.FeatureFlips(budget=2, nodes=[1, 2]))
    found = ep.verify(network, graph, none, node=0)
    assert found.vulnerable
    assert len(found.attack.features) == 2
    assert found.attack.cost == 0
    assert not len(found.attack)
    changed = found.attack.apply(graph)
    assert network.scores(changed, 0)[1] > network.scores(changed, 0)[0]
    for fewer in (
        ep.FeatureFlips(budget=1, nodes=[1, 2]),
        ep.FeatureFlips(budget=2, nodes=[0]),
        ep.FeatureFlips(budget=2, columns=[0]),
        ep.FeatureFlips(budget=3, nodes=[1, 2], add=False),
        ep.FeatureFlips(budget=3, local_budget=0),
    ):
        assert ep.verify(network, graph, ep.Threat(0, features=fewer), node=0).robust
    both = ep.radius(network, graph, ep.Threat(features=ep.FeatureFlips(nodes=[1, 2])), node=0)
    assert (both.lower, both.attack.cost) == (1, 2)
    own = ep.radius(network, graph, ep.Threat(features=ep.FeatureFlips(budget=1, nodes=[2])), node=0)
    assert (own.lower, own.attack.cost, len(own.attack.features)) == (0, 1, 1)


def test_what_has_no_rule_is_refused_by_name() -> None:
    network, graph = small()
    largest = ep.Network([replace_how(network.layers[0], "max"), network.layers[1]])
    flips = ep.FeatureFlips(budget=1)
    with pytest.raises(ep.InputError, match="max"):
        ep.verify(largest, graph, ep.Threat(0, features=flips), node=0)
    with pytest.raises(ep.InputError, match="inject"):
        ep.verify(network, graph, ep.Threat(features=flips, inject=ep.Injection(features=[[1.0, 1.0]])), node=0)
    real = ep.Graph([[1], [0]], [[0.5, 0.0], [1.0, 0.0]], directed=True)
    with pytest.raises(ep.InputError, match="0 and 1"):
        ep.verify(network, real, ep.Threat(features=flips), node=0)


def replace_how(layer: ep.Layer, how: str) -> ep.Layer:
    return ep.Layer(layer.C, layer.A, layer.b, how, layer.activation, layer.slope)


def test_numbers_that_overflow_prove_nothing() -> None:
    network, graph = small()
    large = [ep.Layer(1e200 * one.C, 1e200 * one.A, one.b, one.aggregation, one.activation) for one in network.layers]
    threat = ep.Threat(0, features=ep.FeatureFlips(budget=2, nodes=[0]))
    found = ep.verify(ep.Network(large), graph, threat, node=0, label=0)
    truth = ep.verify(ep.Network(large), graph, threat, node=0, label=0, engine="brute")
    assert truth.robust
    assert (found.status, found.reason) == ("unknown", "incomplete")


def test_limits_are_kept() -> None:
    rng = np.random.default_rng(3)
    layers = [
        ep.Layer(rng.normal(size=(8, 30)), rng.normal(size=(8, 30)), rng.normal(size=8), "sum", "relu"),
        ep.Layer(rng.normal(size=(3, 8)), rng.normal(size=(3, 8)), [40.0, 0.0, 0.0], "sum", "none"),
    ]
    x = (rng.random((6, 30)) < 0.2).astype(float)
    graph = ep.Graph([[1, 2, 3, 4, 5], [0, 0, 1, 1, 2]], x, directed=True)
    threat = ep.Threat(1, features=ep.FeatureFlips(budget=6))
    found = ep.verify(ep.Network(layers), graph, threat, node=0, label=0, node_limit=1)
    assert found.status == "vulnerable" or found.reason == "node limit"
    assert replace(threat, budget=0).budget == 0

"""The MIP engine about features and costs: against brute force, and boxes against corners and samples."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import edgeproof as ep
from edgeproof.engines.brute import Evaluator
from edgeproof.model.query import Query
from wider_differ import disagreement
from wider_queries import SMALL, draw_wider

pytest.importorskip("pyscipopt", reason="needs the solver scip")
SEED = 37
RATIONAL = replace(SMALL, aggregations=("sum", "max", "mean", "mixed"))


@pytest.mark.campaign
def test_features_and_costs_against_brute_force(request: pytest.FixtureRequest) -> None:
    """A share of the campaign: 40 of the default 3,000 queries."""
    for index in range(max(40, request.config.getoption("--campaign") // 75)):
        query = draw_wider(SEED, index, ("features", "features", "cost+features", "cost"), RATIONAL)
        problem, _ = disagreement(query, "mip")
        assert problem is None, f"seed {SEED}, index {index}: {problem}"


@pytest.mark.parametrize("index", range(20))
def test_boxes_against_corners(index: int) -> None:
    """A network that is linear in the features is at its worst in a corner; others are sampled."""
    rng = np.random.default_rng((SEED, index))
    n, width, linear = 3, 2, index % 2 == 0
    how = ("sum", "mean", "max")[index % 3] if not linear else ("sum", "mean")[index // 2 % 2]
    layers = [
        ep.Layer(rng.normal(size=(3, width)), rng.normal(size=(3, width)), rng.normal(size=3), how,
                 "none" if linear else "relu"),
        ep.Layer(rng.normal(size=(2, 3)), rng.normal(size=(2, 3)), rng.normal(size=2), "sum", "none"),
    ]  # fmt: skip
    graph = ep.Graph([[1, 2, 0], [0, 0, 1]], rng.normal(size=(n, width)), directed=True)
    network, label = ep.Network(layers), None
    found = None
    for epsilon in (0.05, 0.2, 0.5, 1.0, 2.0):
        box = ep.FeatureBox(epsilon, nodes=[0, 2])
        found = ep.verify(network, graph, ep.Threat(0, features=box), node=0, engine="mip")
        assert found.status != "unknown", found
        label = found.label
        low, high = box.bounds(graph, np.arange(n))
        moved = [(v, c) for v in (0, 2) for c in range(width)]
        corners = [dict(zip(moved, ends, strict=True)) for ends in product(*[(low[e], high[e]) for e in moved])]
        broken = any(loses(network, graph, label, corner) for corner in corners)
        samples = [{e: float(rng.uniform(low[e], high[e])) for e in moved} for _ in range(100)]
        if linear:
            assert found.vulnerable == broken
        if found.robust:
            assert not broken
            assert not any(loses(network, graph, label, one) for one in samples)
            continue
        made = found.attack.apply(graph)
        x = made.features.dense()
        assert (low <= x).all()
        assert (x <= high).all()
        scores = Evaluator(Query(network, made, ep.Threat(0), claim_of(network, graph, label))).scores(())
        assert scores[found.rival] > scores[label]
        break


def claim_of(network: ep.Network, graph: ep.Graph, label: int) -> object:
    from edgeproof.model.query import make_query

    return make_query(network, graph, ep.Threat(0), 0, label).claim


def loses(network: ep.Network, graph: ep.Graph, label: int, changed: dict[tuple[int, int], float]) -> bool:
    x = graph.features.dense()
    for place, value in changed.items():
        x[place] = value
    made = ep.Graph(np.stack([graph.sources, graph.targets]), x, directed=True)
    scores = Evaluator(Query(network, made, ep.Threat(0), claim_of(network, graph, label))).scores(())
    return any(scores[c] > scores[label] for c in range(network.num_classes))


def test_a_box_stays_within_its_ends_and_the_search_refuses_it() -> None:
    layer = ep.Layer([[1.0], [0.0]], [[0.0], [0.0]], [0.0, 0.5], "sum", "none")
    graph = ep.Graph([[1], [0]], [[0.75], [0.5]], directed=True)
    network = ep.Network([layer])

    def ask(**more: object) -> ep.Verdict:
        threat = ep.Threat(0, features=ep.FeatureBox(**more))
        return ep.verify(network, graph, threat, node=0, engine="mip")

    assert ask(epsilon=0.2).robust
    assert ask(epsilon=0.3).vulnerable
    assert ask(epsilon=0.3, low=0.55, nodes=[0]).robust
    tie = ask(epsilon=0.25)
    assert tie.robust or tie.reason == "tolerance", "a tie keeps the claim; a solver may not be able to tell"
    with pytest.raises(ep.InputError, match="between"):
        ask(epsilon=0.3, low=0.6)
    with pytest.raises(ep.InputError, match="mip"):
        ep.verify(network, graph, ep.Threat(0, features=ep.FeatureBox(0.1)), node=0)
    attack = ask(epsilon=0.5).attack
    assert attack.features == ((0, 0),)
    assert attack.values[0] < 0.5
    assert attack.cost == 0

"""The smallest part of an attack."""

from __future__ import annotations

import pytest

import edgeproof as ep
from planted import Planter


def a_sum(threshold: float, count: int) -> tuple[ep.Network, ep.Graph]:
    """Vertex 0 keeps class 0 as long as more than `threshold` of its `count` in-neighbours are left."""
    layer = ep.Layer([[0.0], [0.0]], [[1.0], [0.0]], [0.0, threshold], "sum", "none")
    edges = [list(range(1, count + 1)), [0] * count]
    return ep.Network([layer]), ep.Graph(edges, [[1.0]] * (count + 1), directed=True)


@pytest.mark.parametrize("count", [5, 20])
def test_flips_that_are_not_needed_go(count: int) -> None:
    network, graph = a_sum(2.5, count)
    everything = [(u, 0) for u in range(1, count + 1)]
    found = ep.minimise(network, graph, ep.Threat(), everything, 0, label=0)
    assert len(found) == count - 2


def test_a_part_of_a_planted_attack_breaks_the_claim_and_no_part_of_it_does() -> None:
    for index in range(20):
        query, attack = Planter(43, index).plant()
        asked = {"label": query.claim.label}
        found = ep.minimise(query.network, query.graph, query.threat, attack, query.claim.node, **asked)
        assert set(found) <= set(attack)
        radius = ep.radius(query.network, query.graph, query.threat, query.claim.node, node_limit=50, **asked)
        assert radius.lower < len(found)
        for pair in found:
            fewer = [other for other in found if other != pair]
            with pytest.raises(ep.InputError, match="does not break"):
                ep.minimise(query.network, query.graph, query.threat, fewer, query.claim.node, **asked)


def test_flips_that_break_nothing_or_are_not_allowed_are_refused() -> None:
    network, graph = a_sum(2.5, 5)
    with pytest.raises(ep.InputError, match="does not break"):
        ep.minimise(network, graph, ep.Threat(), [(1, 0)], 0, label=0)
    with pytest.raises(ep.InputError, match="not fragile"):
        ep.minimise(network, graph, ep.Threat(protected=[(1, 0)]), [(1, 0)], 0, label=0)

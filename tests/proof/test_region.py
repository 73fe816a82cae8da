"""Who can matter, and at how many steps."""

from __future__ import annotations

import numpy as np

from edgeproof import Graph, Layer, Network, Threat, check
from edgeproof.engines import brute
from edgeproof.model.query import Query, make_query
from edgeproof.proof.format import ENUMERATED, pack
from edgeproof.proof.region import find_region
from edgeproof.proof.setting import Setting
from edgeproof.proof.statement import describe


def far_insertion() -> Query:
    """Inserting (0, 4) makes vertex 0 a neighbour of the node, and leaves nothing to insert (3, 0) with."""
    rng = np.random.default_rng(5)
    layers = [
        Layer(*(rng.integers(-4, 5, shape) / 4.0 for shape in ((2, 2), (2, 2), (2,))), "max", act)
        for act in ("relu", "relu", "none")
    ]
    graph = Graph([[0, 1, 5], [1, 4, 3]], rng.integers(0, 3, (6, 2)).astype(float), directed=True)
    return make_query(Network(layers), graph, Threat(budget=1, fragile=[(0, 4), (3, 0)]), 4)


def test_a_source_is_at_most_one_step_further_than_its_target() -> None:
    query = far_insertion()
    region = find_region(query, 3)
    assert (region.distance[region.source] <= region.distance[region.target] + 1).all()
    setting = Setting(query)
    for t in range(1, setting.T + 1):
        for group in setting.groups[t]:
            assert region.source[group.slots].max() < setting.active[t - 1]


def test_a_vertex_reached_by_the_last_insertion_is_checked() -> None:
    query = far_insertion()
    data = pack(describe(query, "robust") | {"pairs": [], "nodes": 1}, bytes([ENUMERATED]))
    assert brute.verify(query).status == "robust"
    assert check(data, query.network, query.graph).evaluations == 3

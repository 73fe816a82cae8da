"""Questions that use nothing new keep their names: stores and proofs of before stay what they are."""

from __future__ import annotations

import edgeproof as ep
from edgeproof.model.query import make_query
from edgeproof.proof.statement import describe
from edgeproof.sweep.job import Job
from edgeproof.sweep.plan import Plan

# as they were before costs, features, new vertices and budgets by degree
NETWORK = "4b50fd65fdf5828a6ea94ea1acec2c7228964f0a89947753ef61c710921b3273"
GRAPH = "45972efa9bbcfdecc08fba952f779e645c9366f4589831e4be2b25be37c80937"
KEYS = {
    (1, None): "2aa2a286bdaaf2dda85e6174a9c10f4d",
    (3, None): "4099653d86e1a5238f60661798a43e10",
    (0, None): "5f5838725923064e9eb9be6a136785a2",
    (2, None): "49b05e5dd6e50a2c6819f124540645c0",
    (4, None): "592d36e2f99dc4fa8688291131eeb32b",
    (1, "next"): "83123e1dc555a3ea23fbfd78b484df11",
    (3, "next"): "46e93f083bf8bc41a417726957b72e0c",
    (0, "next"): "2fba71f8d3e9a79586868b830feebe8e",
    (2, "next"): "3899ba4453d6240822e4329987fc8a25",
    (4, "next"): "601d686226da846425587d59bb83027c",
}
TOKEN = "9b6ff4f8509402136a3aa0dcee1eae38b915cb472e360abc7f350f310be07624"
QUERIES = (
    "0a2bd43d32206e7cf9d358b02991352b04238fd105494346b5a5a6fc0b34c773",
    "dda99cf344d506c8b9b05767e5cb5ff1da9f7ec2bd2992a4a2d74129c40a5e29",
    "39804e9a288676df692e1d94cd96cf085fee44af2c5a2df35e3d2d066237d9e2",
    "d9f6e8b831d7524aa74256f36bed8d0273cd1c7bec2213c475690b7c81f3c6ff",
    "0fc3238d653e816d9b521bbade33b3a1e72822237a0458c20e371a0d9aabfb82",
)
THREATS = (
    ep.Threat(2),
    ep.Threat(None, [0, 1, 2, 3]),
    ep.Threat(3, 1, insert="target"),
    ep.Threat(1, 2, fragile=[(1, 0), (2, 3)], protected=[(2, 3)]),
    ep.Threat(4, delete=False, insert=True, protected=[(0, 3)]),
)


def _parts() -> tuple[ep.Network, ep.Graph]:
    layer = ep.Layer([[1.0, 0.5], [0.0, -1.0]], [[0.25, 1.0], [1.0, -0.5]], [0.5, -0.25], "mean", "relu")
    last = ep.Layer([[1.0, 0.0], [0.0, 1.0]], [[0.5, 0.0], [0.0, 0.5]], [0.0, 0.125], "sum", "none")
    features = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]]
    return ep.Network([layer, last]), ep.Graph([[0, 1, 1, 2, 3], [1, 0, 2, 1, 3]], features, directed=False)


def test_fingerprints() -> None:
    network, graph = _parts()
    assert (network.fingerprint, graph.fingerprint) == (NETWORK, GRAPH)


def test_keys_of_a_sweep() -> None:
    network, graph = _parts()
    job = Job(network, (graph,), THREATS)
    groups = Plan(THREATS, [1], [None, "next"]).on(graph).groups()
    assert {(ask.threat, ask.target): job.key(group, ask) for group in groups for ask in group.asks} == KEYS
    assert job.token == TOKEN


def test_query_hashes_of_proofs() -> None:
    network, graph = _parts()
    found = [describe(make_query(network, graph, threat, 1), "robust")["query"] for threat in THREATS]
    assert tuple(found) == QUERIES

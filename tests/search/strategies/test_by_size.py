"""Sizes of attacks settled over whole graphs: against brute force, on planted attacks, and within limits."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest

import edgeproof as ep
from differential import disagreement
from edgeproof import Graph, Layer, Network, Threat, TooLargeError
from edgeproof.engines import brute
from edgeproof.model.query import make_query
from edgeproof.options import resolve
from edgeproof.search import engine
from edgeproof.search.strategies.by_size import is_for
from random_queries import Grid, draw
from shared_data import dataset, needs_data

PARTS = 8
FORCED = {"by_size_at_once": True}
LISTED = {"by_size": False}  # the engine that lists pairs
TWO_LAYERS = Grid(
    tasks=("node",),
    vertices=(3, 4, 4, 5, 5, 5, 6, 6),
    layers=(2, 2, 2, 2, 3),
    aggregations=("sum", "mean", "gcn", "gcn", "mixed with gcn"),
    flips=("insert", "both", "both", "both", "target", "delete+target"),
    activations=("relu then none", "relu then none", "mixed"),
    budgets=(1, 2, 2, 3, 3, 4, None),
    styles=("integers", "dyadic", "gaussian", "gaussian", "gaussian", "signs", "wild"),
)
WITH_A_MAX = Grid(
    tasks=("node",),
    vertices=(3, 4, 4, 5, 5, 5, 6, 6),
    layers=(2, 2, 2, 2, 3),
    aggregations=("max", "max", "mixed", "max first"),
    activations=("relu then none",),
    features=("binary", "carried"),
    loops=(0.0, 0.0, 0.0, 0.3),
    flips=("insert", "both", "both", "both", "target", "delete+target"),
    budgets=(1, 2, 2, 3, 3, 4, None),
    styles=("integers", "dyadic", "gaussian", "gaussian", "gaussian", "signs", "wild"),
)
ANY_DEPTH = Grid(
    tasks=("node",),
    vertices=(3, 4, 4, 5, 5, 5, 6, 6),
    layers=(1, 2, 2, 2, 3, 3, 4),
    flips=("insert", "both", "both", "both", "target", "delete+target"),
)


@pytest.mark.campaign
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("grid", [TWO_LAYERS, WITH_A_MAX, ANY_DEPTH], ids=["two layers", "with a max", "any depth"])
def test_verdict_and_radius_agree_with_brute_force(grid: Grid, part: int, request: pytest.FixtureRequest) -> None:
    count, seed = request.config.getoption("--campaign") // 4, request.config.getoption("--campaign-seed")
    asked = 0
    for index in range(part, count, PARTS):
        query = draw(seed + 100, index, grid)
        if not is_for(query, resolve(FORCED)):
            continue
        asked += 1
        problem = disagreement(engine, query, FORCED)
        assert problem is None, f"seed {seed + 100}, index {index}: {problem}\n{query}"
    assert asked > count // PARTS // 3


def test_more_flips_in_doubt_than_a_pass_keeps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whole numbers tie often: then exact arithmetic refutes all that are kept, and there are others."""
    monkeypatch.setattr("edgeproof.search.budget.search.KEPT", 1)
    asked = 0
    for index in range(120):
        query = draw(77, index, replace(TWO_LAYERS, styles=("integers", "signs")))
        if is_for(query, resolve(FORCED)):
            asked += 1
            problem = disagreement(engine, query, FORCED)
            assert problem is None, f"seed 77, index {index}: {problem}\n{query}"
    assert asked > 40


# --- attacks whose flips work only together ---


def star(n: int, directed: bool, aggregation: str, threshold: float) -> tuple[Network, Graph]:
    """Vertex 0 is asked about and hears 1. A hidden unit fires where a vertex is a `gate` (feature 0) and hears enough
    `keys` (feature 1); another vertex that fires breaks the claim. Vertices from 2 on: a gate, three keys, blanks.
    """
    features = np.zeros((n, 3))
    features[2, 0] = 1.0
    features[3:6, 1] = 1.0
    features[0, 2] = features[1, 2] = 1.0
    first = Layer([[3.0, 0.0, -9.0]], [[0.0, 1.0, 0.0]], [-2.0 - threshold], aggregation, "relu")
    last = Layer([[0.0], [0.0]], [[0.0], [1.0]], [0.05, 0.0], aggregation, "none")
    edges = [[1], [0]] if directed else [[0, 1], [1, 0]]
    return Network([first, last]), Graph(edges, features, directed=directed)


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize(("threshold", "size"), [(1.5, 2), (2.5, 3)])
def test_insertions_at_an_inserted_neighbour(directed: bool, threshold: float, size: int) -> None:
    """The gate must come, and `size - 1` keys to it: two flips or three that share a new end."""
    for n, options in ((7, FORCED), (7, LISTED), (150, None), (600, None)):
        network, graph = star(n, directed, "sum", threshold)
        found = ep.radius(network, graph, Threat(4, insert=True), node=0, label=0, options=options)
        assert (found.lower, found.exact) == (size - 1, True), (n, found)
        assert found.attack is not None
        assert graph.pair(2, 0) in found.attack


@pytest.mark.parametrize("directed", [True, False])
def test_what_protects_against_them(directed: bool) -> None:
    network, graph = star(150, directed, "sum", 1.5)
    gate = graph.pair(2, 0)
    for threat in (
        Threat(3, insert=True, protected=[gate]),
        Threat(3, insert=True, local_budget=[0 if v in (0, 2) else 3 for v in range(150)]),
    ):
        found = ep.radius(network, graph, threat, node=0, label=0)
        assert found.robust, found
    # with one unit a vertex, a directed gate can come and hear a key, an undirected one pays for both
    one = ep.radius(network, graph, Threat(3, insert=True, local_budget=1), node=0, label=0)
    assert one.robust != directed


@pytest.mark.parametrize("directed", [True, False])
def test_a_deletion_that_helps_only_with_an_insertion(directed: bool) -> None:
    """A mean over two of value 1 and -1 is 0; the claim breaks above 0.6: one must go, and one of value 1 must come."""
    for n, options in ((6, FORCED), (6, LISTED), (150, None)):
        features = np.zeros((n, 1))
        features[1], features[2], features[3:5] = 1.0, -1.5, 1.0
        first = Layer([[1.0], [-1.0]], [[0.0], [0.0]], [0.0, 0.0], "mean", "relu")
        last = Layer([[0.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [1.0, -1.0]], [1.2, 0.0], "sum", "none")
        edges = np.array([[1, 2], [0, 0]])
        edges = edges if directed else np.concatenate([edges, edges[::-1]], axis=1)
        graph = Graph(edges, features, directed=directed)
        found = ep.radius(Network([first, last]), graph, Threat(3, insert=True), node=0, label=0, options=options)
        assert (found.lower, found.exact) == (1, True), (n, found)
        assert found.attack is not None
        assert len(found.attack) == 2


def test_a_flip_between_two_newcomers_serves_both() -> None:
    """Two gates that are each other's keys: both come and one pair joins them, three flips."""
    for n, options in ((6, FORCED), (6, LISTED), (150, None)):
        features = np.zeros((n, 2))
        features[2:4, 0] = 1.0
        features[0, 1] = features[1, 1] = 1.0
        first = Layer([[1.0, -3.0]], [[1.0, 0.0]], [-1.5], "sum", "relu")
        last = Layer([[0.0], [0.0]], [[0.0], [1.0]], [0.9, 0.0], "sum", "none")
        graph = Graph([[0, 1], [1, 0]], features, directed=False)
        found = ep.radius(Network([first, last]), graph, Threat(4, insert=True), node=0, label=0, options=options)
        assert (found.lower, found.exact) == (2, True), (n, found)
        assert set(found.attack or ()) == {(0, 2), (0, 3), (2, 3)}


# --- larger than brute force ---


def random_graph(n: int, degree: float, seed: int, directed: bool = False) -> Graph:
    rng = np.random.default_rng(seed)
    edges = rng.integers(0, n, (2, int(n * degree / 2)))
    edges = np.unique(np.sort(edges[:, edges[0] != edges[1]], axis=0), axis=1)
    if not directed:
        edges = np.concatenate([edges, edges[::-1]], axis=1)
    return Graph(edges, rng.normal(size=(n, 6)), directed=directed)


def random_network(kinds: tuple[str, ...], seed: int) -> Network:
    rng = np.random.default_rng(seed)
    widths = [6, *[5] * (len(kinds) - 1), 3]
    return Network(
        Layer(
            rng.normal(size=(out, width)), rng.normal(size=(out, width)), rng.normal(size=out), kind,
            "relu" if at < len(kinds) - 1 else "none",
        )
        for at, (kind, width, out) in enumerate(zip(kinds, widths, widths[1:], strict=False))
    )  # fmt: skip


@pytest.mark.parametrize("kinds", [("gcn", "gcn"), ("mean", "mean"), ("sum", "sum"), ("mean", "gcn"), ("max", "sum")])
@pytest.mark.parametrize("directed", [False, True])
def test_it_agrees_with_the_engine_that_lists_pairs(kinds: tuple[str, ...], directed: bool) -> None:
    graph, network = random_graph(24, 3.0, 5, directed), random_network(kinds, 6)
    for node in range(0, 24, 3):
        for insert in (True, "target"):
            threat = Threat(2 if insert == "target" else 1, insert=insert)
            forced, listed = (ep.radius(network, graph, threat, node, options=one) for one in (FORCED, LISTED))
            assert forced.exact
            assert (forced.lower, forced.robust) == (listed.lower, listed.robust), (node, insert)


@needs_data
def test_budget_one_on_a_real_graph_is_what_the_engine_that_lists_pairs_says() -> None:
    given = Graph.load(dataset("Cora"), directed=True)
    edges = np.concatenate([np.stack([given.sources, given.targets]), np.stack([given.targets, given.sources])], axis=1)
    graph = Graph(np.unique(edges, axis=1), given.features, directed=False)
    rng = np.random.default_rng(8)
    first = Layer(np.zeros((8, 1433)), rng.normal(size=(8, 1433)) * 0.2, np.zeros(8), "gcn", "relu")
    network = Network([first, Layer(np.zeros((4, 8)), rng.normal(size=(4, 8)), rng.normal(size=4), "gcn", "none")])
    for node in (3, 57, 400):
        threat = Threat(1, insert=True)
        ours, listed = (ep.verify(network, graph, threat, node, options=one) for one in (None, LISTED))
        assert ours.status == listed.status


# --- limits and refusals ---


def test_a_timeout_is_kept_and_what_is_settled_counts() -> None:
    graph, network = random_graph(2000, 8.0, 1), random_network(("gcn", "gcn"), 2)
    ep.radius(network, graph, Threat(1, insert=True), 0)  # compiles
    for node in range(6):
        started = time.perf_counter()
        found = ep.radius(network, graph, Threat(9, insert=True), node, timeout=0.5)
        assert time.perf_counter() - started < 3.0
        assert found.exact or (found.reason == "timeout" and found.lower >= 0)
        assert found.upper is None or found.lower <= found.upper
    limited = ep.verify(network, graph, Threat(9, insert=True), 0, node_limit=1)
    assert limited.status == "vulnerable" or limited.reason == "node limit"


@pytest.mark.parametrize("kinds", [("max", "max"), ("gcn", "gcn", "gcn"), ("mean", "max", "sum")])
def test_nothing_is_refused_for_the_number_of_pairs(kinds: tuple[str, ...]) -> None:
    """3 million pairs; what no bound applies to is attacked, and else unknown."""
    graph, network = random_graph(2500, 2.5, 3), random_network(kinds, 4)
    for node in (0, 1):
        for budget in (1, 2):
            found = ep.verify(network, graph, Threat(budget, insert=True), node, timeout=20)
            assert found.status == "vulnerable" or budget == 2 or found.status == "robust", found
            assert found.reason in (None, "timeout", "incomplete")


def test_a_proof_is_refused_by_name() -> None:
    graph, network = random_graph(2500, 2.5, 3), random_network(("sum", "sum"), 4)
    with pytest.raises(TooLargeError, match="proof: attacks settled size by size have no rule"):
        ep.verify(network, graph, Threat(2, insert=True), 0, certify=True)


def test_the_base_graph_itself_may_break_the_claim() -> None:
    graph, network = random_graph(150, 3.0, 9), random_network(("gcn", "gcn"), 2)
    wrong = int(np.argmin(network.scores(graph, 0)))
    found = ep.radius(network, graph, Threat(2, insert=True), 0, label=wrong)
    assert (found.lower, found.upper, found.attack) == (-1, -1, ())
    assert ep.radius(network, graph, Threat(0, insert=True), 0).robust


def test_small_and_large_graphs_have_the_same_radius() -> None:
    """Isolated copies of one vertex add pairs, and no better ones than the first two copies."""
    rng = np.random.default_rng(12)
    for kinds in (("gcn", "gcn"), ("mean", "mean"), ("sum", "sum")):
        network = random_network(kinds, 17)
        features = rng.normal(size=(4, 6))
        edges = np.array([[0, 1, 1, 2], [1, 0, 2, 1]])
        for n, options in ((7, None), (160, None)):
            graph = Graph(edges, np.concatenate([features, np.repeat(features[3:], n - 4, axis=0)]), directed=False)
            query = make_query(network, graph, Threat(2, insert=True), node=0)
            if n == 7:
                expected = brute.radius(query)
            else:
                found = engine.radius(query, timeout=None, node_limit=None, options=options)
                assert (found.lower, found.robust) == (expected.lower, expected.robust)

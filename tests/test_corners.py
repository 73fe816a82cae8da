"""Corners in which a published implementation of the same algorithm was found wrong; each is a test of its own here."""

from __future__ import annotations

import numpy as np
import pytest

import edgeproof as ep
from differential import check, disagreement
from edgeproof import Graph, InputError, Layer, Network, Threat
from edgeproof.model.query import make_query
from random_queries import Grid

search = pytest.importorskip("edgeproof.search.engine")

SEED = 11
EMPTY = np.zeros((2, 0), int)


def threshold(t: float, aggregation: str = "sum") -> Layer:
    """scores(v) = (t, aggregate of the neighbours of v)."""
    return Layer([[0.0], [0.0]], [[0.0], [1.0]], [t, 0.0], aggregation, "none")


def status(network, graph, threat, node=0, **claim) -> str:
    """The search's verdict, after comparing verdict, radius and attacks with brute force."""
    query = make_query(network, graph, threat, node, claim.get("label"), claim.get("target"))
    assert disagreement(search, query) is None
    return ep.verify(network, graph, threat, node, engine="search", **claim).status


def sweep(count: int, **narrowed) -> None:
    """The same corner at random."""
    for index in range(count):
        report = check(search, SEED, index, Grid(**narrowed))
        if report is not None:
            pytest.fail(report, pytrace=False)


@pytest.mark.parametrize("aggregation", ["sum", "max", "mean"])
@pytest.mark.parametrize("directed", [True, False])
def test_self_loop_on_the_target_vertex(aggregation, directed):
    """Called robust although deleting, or inserting, the loop breaks the claim."""
    loop = Graph([[0], [0]], [[3.0], [0.0]], directed=directed)
    net = Network([threshold(2.0, aggregation)])
    assert status(net, loop, Threat()) == "vulnerable"
    assert status(net, loop, Threat(local_budget=1)) == "vulnerable"
    assert status(net, loop, Threat(protected=[(0, 0)])) == "robust"
    bare = Graph(EMPTY, [[3.0], [0.0]], directed=directed)
    assert status(net, bare, Threat(fragile=[(0, 0)])) == "vulnerable"
    assert status(net, bare, Threat(insert=True, budget=1)) == "robust"
    # through two layers: the loop counts in both
    two = Network([Layer([[0.0]], [[1.0]], [0.0], aggregation), threshold(2.0, aggregation)])
    assert status(two, loop, Threat()) == "vulnerable"


def test_self_loops_at_random():
    sweep(100, tasks=("node",), loops=(0.8,), vertices=(1, 2, 3, 4))


def test_undirected_self_loops():
    """A loop is one edge, sends one message and costs one unit at its vertex."""
    graph = Graph([[0, 0, 1, 1], [0, 1, 0, 1]], [[1.0], [4.0]], directed=False)
    # vertex 0 hears 1 + 4 = 5
    net = Network([threshold(4.5)])
    assert status(net, graph, Threat(fragile=[(0, 0)])) == "vulnerable"  # 4
    assert status(net, graph, Threat(fragile=[(1, 1)])) == "robust"
    assert status(Network([threshold(0.5)]), graph, Threat(local_budget=1)) == "robust"  # both flips cost vertex 0
    assert status(Network([threshold(0.5)]), graph, Threat(local_budget=[2, 1])) == "vulnerable"


def test_undirected_self_loops_at_random():
    sweep(100, directed=(False,), loops=(0.8,), flips=("delete", "both", "list"), vertices=(1, 2, 3, 4))


@pytest.mark.parametrize("aggregation", ["sum", "max", "mean"])
def test_a_vertex_that_leaves_the_reachable_set_and_comes_back(aggregation):
    """Its values were stale: with insertions, a later decision can connect it again after others changed it."""
    step = Layer([[1.0]], [[1.0]], [0.0], aggregation)
    features = [[0.0], [1.0], [2.0], [4.0]]
    chain = Graph([[3, 2, 1], [2, 1, 0]], features, directed=True)
    for t in (0.5, 2.5, 4.5, 6.5, 9.5, 14.5):
        net = Network([step, step, threshold(t, aggregation)])
        for label in (0, 1):
            for budget in (1, 2, 3):
                status(net, chain, Threat(budget, insert=True), label=label)


@pytest.mark.parametrize("layers", [3, 4])
def test_insertions_with_many_layers_at_random(layers):
    sweep(100, tasks=("node",), layers=(layers,), flips=("insert", "both", "target", "delete+target"))


@pytest.mark.parametrize("aggregation", ["sum", "max", "mean"])
def test_one_layer_networks(aggregation):
    """They crashed."""
    graph = Graph([[1, 2], [0, 0]], [[0.0], [1.0], [2.0]], directed=True)
    assert status(Network([threshold(0.5, aggregation)]), graph, Threat()) == "vulnerable"
    assert status(Network([threshold(-0.5, aggregation)]), graph, Threat()) == "robust"


def test_one_layer_networks_at_random():
    sweep(150, layers=(1,))


def test_local_budget_zero_with_mean():
    graph = Graph([[1, 2], [0, 0]], [[0.0], [1.0], [5.0]], directed=True)
    net = Network([threshold(2.0, "mean")])  # 3; without 5: 1
    assert status(net, graph, Threat(local_budget=1)) == "vulnerable"
    assert status(net, graph, Threat(local_budget=0)) == "robust"
    assert status(net, graph, Threat(local_budget=0, insert=True)) == "robust"
    assert status(net, graph, Threat(local_budget=[0, 3, 3], insert=True)) == "robust"
    assert status(net, graph, Threat(local_budget=[1, 0, 0], insert=True)) == "vulnerable"


def test_local_budget_zero_with_mean_at_random():
    sweep(100, aggregations=("mean", "mixed"), local=("0", "per vertex"))


@pytest.mark.parametrize("margin", [1e-5, 1e-7, 1e-12, 2.0**-52])
def test_margins_below_any_tolerance(margin):
    """Always called robust below 1e-5."""
    graph = Graph([[1, 2], [0, 0]], [[0.0], [1.0], [1.0]], directed=True)
    # 2 at first; one deletion leaves 1: the claim `label=1` needs t <= 1
    assert status(Network([threshold(1.0 + margin)]), graph, Threat(budget=1)) == "vulnerable"
    assert status(Network([threshold(1.0)]), graph, Threat(budget=1)) == "robust"
    assert status(Network([threshold(1.0 - margin)]), graph, Threat(budget=1)) == "robust"


def test_margins_that_float64_cannot_see():
    # 1e16 + 1 - 1e16 = 1 > 0.5, and without the 1 it is 0
    graph = Graph([[1, 2, 3], [0, 0, 0]], [[0.0], [1e16], [1.0], [-1e16]], directed=True)
    net = Network([threshold(0.5)])
    assert status(net, graph, Threat(fragile=[(2, 0)]), label=1) == "vulnerable"
    assert status(net, graph, Threat(budget=0), label=1) == "robust"
    assert status(net, graph, Threat(budget=0), label=0) == "vulnerable"


def test_close_calls_at_random():
    sweep(150, calibrations=("tie", "last bit"), styles=("gaussian", "wild", "cancelling"))


def test_a_radius_of_zero_is_not_robust_and_not_a_timeout():
    """All three were printed as 0."""
    graph = Graph([[1, 2], [0, 0]], [[0.0], [1.0], [2.0]], directed=True)

    def radius(t, **limits):
        return ep.radius(Network([threshold(t)]), graph, Threat(), 0, label=1, engine="search", **limits)

    zero, robust = radius(1.5), radius(-1.0)
    assert (zero.lower, zero.upper, zero.exact, zero.robust, len(zero.attack)) == (0, 0, True, False, 1)
    assert (robust.lower, robust.upper, robust.exact, robust.robust) == (2, None, True, True)
    fails = radius(9.0)
    assert (fails.lower, fails.upper, fails.exact, fails.robust, fails.attack) == (-1, -1, True, False, ())
    assert len({repr(zero), repr(robust), repr(fails)}) == 3


def test_a_radius_cut_short_says_so():
    rng = np.random.default_rng(SEED)
    n = 14
    features = rng.normal(size=(n, 3))
    edges = np.array(np.nonzero(~np.eye(n, dtype=bool)))
    layers = [
        Layer(rng.normal(size=(3, 3)), rng.normal(size=(3, 3)), rng.normal(size=3)),
        Layer(rng.normal(size=(2, 3)), rng.normal(size=(2, 3)), rng.normal(size=2), activation="none"),
    ]
    graph = Graph(edges, features, directed=True)
    cut = ep.radius(Network(layers), graph, Threat(), 0, engine="search", node_limit=1)
    assert (cut.exact, cut.robust, cut.reason) == (False, False, "node limit")
    assert cut.upper is None or (cut.lower < cut.upper and len(cut.attack) == cut.upper + 1)


@pytest.mark.parametrize("label", [-1, 2, 7])
def test_a_label_out_of_range_is_refused(label):
    """It was silently replaced."""
    graph = Graph([[1], [0]], [[0.0], [1.0]], directed=True)
    for ask in (ep.verify, ep.radius):
        with pytest.raises(InputError, match=f"label: {label} is out of range, there are 2 classes"):
            ask(Network([threshold(0.5)]), graph, Threat(), 0, label=label, engine="search")

"""Attacks under layers that take a max: planted ones whose flips work only together, and what has no bound."""

from __future__ import annotations

import numpy as np
import pytest

import edgeproof as ep
from edgeproof import Graph, Layer, Network, Threat
from edgeproof.model.query import make_query
from edgeproof.search.maxima.setting import make_max_question

FORCED = {"by_size_at_once": True}
LISTED = {"by_size": False}  # the engine that lists pairs
SIZES = ((7, FORCED), (7, LISTED), (150, None))


def both_ways(pairs: list[tuple[int, int]]) -> np.ndarray:
    return np.array([*pairs, *((v, u) for u, v in pairs)]).T


@pytest.mark.parametrize(("n", "options"), SIZES)
def test_a_deletion_between_two_that_both_hold_the_largest(n: int, options: dict[str, bool] | None) -> None:
    """The last two fire since each hears the other; where neither fires, the claim breaks. One flip makes both fall."""
    one, other = n - 2, n - 1
    features = np.zeros((n, 2))
    features[1:, 1] = 1.0
    features[one:] = 1.0, 0.0
    first = Layer([[0.0, 0.0]], [[1.0, 0.0]], [0.0], "sum", "relu")
    last = Layer([[0.0], [0.0]], [[1.0], [0.0]], [0.0, 0.5], "max", "none")
    graph = Graph(both_ways([(one, 0), (other, 0), (one, other)]), features, directed=False)
    threat = Threat(3, delete=True, insert=True, protected=[graph.pair(one, 0), graph.pair(other, 0)])
    found = ep.radius(Network([first, last]), graph, threat, node=0, label=0, options=options)
    assert (found.lower, found.exact, found.attack) == (0, True, (graph.pair(one, other),))


@pytest.mark.parametrize(("n", "options"), SIZES)
@pytest.mark.parametrize("directed", [False, True])
def test_a_gate_that_needs_two_keys(n: int, options: dict[str, bool] | None, directed: bool) -> None:
    """A newcomer fires if it is a gate and hears both features, which no vertex has together."""
    features = np.zeros((n, 4))
    features[2, 0] = features[3, 1] = features[4, 2] = 1.0
    features[[0, 1], 3] = 1.0
    features[5:, 3] = 1.0
    first = Layer([[3.0, 0.0, 0.0, -9.0]], [[0.0, 1.0, 1.0, 0.0]], [-4.5], "max", "relu")
    last = Layer([[0.0], [0.0]], [[0.0], [1.0]], [0.05, 0.0], "max", "none")
    edges = np.array([[1], [0]]) if directed else both_ways([(1, 0)])
    graph = Graph(edges, features, directed=directed)
    found = ep.radius(Network([first, last]), graph, Threat(4, insert=True), node=0, label=0, options=options)
    assert (found.lower, found.exact) == (2, True), found
    assert set(found.attack or ()) == {graph.pair(2, 0), graph.pair(3, 2), graph.pair(4, 2)}


@pytest.mark.parametrize(("n", "options"), SIZES)
@pytest.mark.parametrize("last", ["max", "mean", "sum"])
def test_both_who_have_a_feature_must_go(n: int, options: dict[str, bool] | None, last: str) -> None:
    """0 hears 1, which hears 2 and 3; both cover its fear, and only with both gone does 1 fire."""
    features = np.zeros((n, 2))
    features[2:4, 0] = 1.0
    features[1, 1] = 1.0
    first = Layer([[0.0, 1.0]], [[-2.0, 0.0]], [0.0], "max", "relu")
    end = Layer([[0.0], [0.0]], [[0.0], [1.0]], [0.5, 0.0], last, "none")
    graph = Graph(both_ways([(1, 0), (2, 1), (3, 1)]), features, directed=False)
    found = ep.radius(Network([first, end]), graph, Threat(3, insert=True), node=0, label=0, options=options)
    assert (found.lower, found.exact) == (1, True), found
    assert set(found.attack or ()) == {graph.pair(2, 1), graph.pair(3, 1)}


def test_what_has_no_bound_is_left_to_others() -> None:
    features = np.array([[1.0], [-1.0], [0.5]])
    first, last = (Layer([[1.0]], [[1.0]], [0.0], "max", act) for act in ("relu", "none"))
    two = Layer([[1.0], [0.0]], [[1.0], [2.0]], [0.0, 0.0], "max", "none")
    edges = both_ways([(0, 1)])

    def applies(first: Layer, graph: Graph) -> bool:
        return (
            make_max_question(make_query(Network([first, two]), graph, Threat(2, insert=True), node=0), 2) is not None
        )

    assert applies(first, Graph(edges, abs(features), directed=False))
    assert not applies(first, Graph(edges, features, directed=False)), "features below 0"
    assert not applies(first, Graph(np.array([[0, 1, 0], [1, 0, 0]]), abs(features), directed=False)), "a self-loop"
    assert not applies(last, Graph(edges, abs(features), directed=False)), "values below 0 under the second max"

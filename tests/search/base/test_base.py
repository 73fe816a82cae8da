"""Values of the whole graph and flip sets evaluated from them: what is said of their rounding holds."""

from __future__ import annotations

import flint
import numpy as np
import pytest

from edgeproof import Graph, Layer, Network, Threat
from edgeproof.arithmetic.surds import Surd
from edgeproof.clock import Clock, TimeUpError
from edgeproof.engines import brute
from edgeproof.model.query import Query, make_query
from edgeproof.search.base.evaluator import FlipEvaluator
from edgeproof.search.base.layout import HIDDEN
from edgeproof.search.base.values import base_values, view
from random_queries import Grid, draw

SEED = 11
NODES = Grid(tasks=("node",))


def some_flips(query: Query, rng: np.random.Generator) -> list[tuple[int, int]]:
    pairs = brute.fragile_pairs(query)
    count = min(len(pairs), int(rng.integers(0, 6)))
    return [pairs[at] for at in rng.permutation(len(pairs))[:count]]


def off(query: Query, flips: list[tuple[int, int]], margins: np.ndarray) -> float:
    """How far the margins are from the exact ones."""
    exact = brute.Evaluator(query).scores(flips)
    return max(
        abs(
            float(
                Surd.of(exact[rival] - exact[query.claim.label]) - Surd.of(flint.fmpq(*float(found).as_integer_ratio()))
            )
        )
        for rival, found in zip(query.rivals, margins, strict=True)
    )


@pytest.mark.parametrize("part", range(4))
def test_flip_sets_are_evaluated_within_their_error(part: int) -> None:
    finite = 0
    for index in range(part, 400, 4):
        rng = np.random.default_rng((SEED, index))
        query = draw(SEED, index, NODES)
        evaluator = FlipEvaluator(query)
        for _ in range(4):  # one after the other: nothing is left behind
            flips = some_flips(query, rng)
            margins, error = evaluator.margins(flips)
            if np.isfinite(error):
                finite += 1
                assert off(query, flips, margins) <= error, f"seed {SEED}, index {index}, flips {flips}"
    assert finite > 300


def test_the_error_bound_is_no_larger_than_it_must_be() -> None:
    """On a network of common size it is far below any margin."""
    rng = np.random.default_rng(3)
    edges = rng.integers(0, 200, (2, 500))
    edges = np.unique(edges[:, edges[0] != edges[1]], axis=1)
    graph = Graph(edges, (rng.random((200, 300)) < 0.05).astype(float), directed=True)
    layers = [Layer(rng.normal(size=(16, 300)), rng.normal(size=(16, 300)), np.zeros(16), "gcn", "relu")]
    layers.append(Layer(rng.normal(size=(5, 16)), rng.normal(size=(5, 16)), np.zeros(5), "mean", "none"))
    query = make_query(Network(layers), graph, Threat(1, insert=True), node=7)
    margins, error = FlipEvaluator(query).margins([(1, 7), (3, 7)])
    assert 0 < error < 1e-9 * abs(margins).max()


def test_values_are_those_of_the_reference_evaluation() -> None:
    for index in range(50):
        query = draw(SEED + 1, index, Grid(tasks=("node",), styles=("integers", "dyadic", "gaussian")))
        base = base_values(query.network, query.graph)
        expected = query.network.scores(query.graph)
        found = view(base, base.L - 1, HIDDEN)
        assert np.allclose(found, expected, rtol=1e-9, atol=1e-9), f"index {index}"
        assert base_values(query.network, query.graph) is base


def test_more_vertices_change_than_there_is_room_for() -> None:
    n = 400
    edges = np.array([[*range(1, n), *[0] * (n - 1)], [*[0] * (n - 1), *range(1, n)]])
    graph = Graph(edges, np.ones((n, 1)), directed=False)
    layer = Layer([[0.0]], [[1.0]], [0.0], "gcn", "relu")
    last = Layer([[0.0], [0.0]], [[1.0], [-1.0]], [0.0, 0.0], "gcn", "none")
    query = make_query(Network([layer, layer, last]), graph, Threat(1, insert=True), node=0)
    margins, error = FlipEvaluator(query).margins([(0, 5)])
    assert off(query, [(0, 5)], margins) <= error


def test_layers_that_are_finished_stay_when_time_is_up() -> None:
    class Impatient(Clock):
        looks = 0

        def is_up(self) -> bool:
            self.looks += 1
            return self.looks > 4

    rng = np.random.default_rng(3)
    layers = [
        Layer(rng.normal(size=(3, 3)), rng.normal(size=(3, 3)), rng.normal(size=3), how, "relu")
        for how in ("gcn", "max", "mean", "sum")
    ]
    network = Network(layers)
    ends = np.array([[0, 1, 2, 3, 1], [1, 2, 3, 0, 3]])
    graph, same = (Graph(ends, np.arange(12.0).reshape(4, 3), directed=True) for _ in range(2))
    tries = 0
    while True:
        try:
            base = base_values(network, graph, Impatient())
            break
        except TimeUpError:
            tries += 1
    assert tries > 1
    whole = base_values(network, same)
    assert np.array_equal(base.rows, whole.rows)
    assert np.array_equal(base.bounds, whole.bounds)

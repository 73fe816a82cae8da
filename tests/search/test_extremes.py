"""Bounds at the edges of floating point, and trails at the end of their room: each was once a wrong answer."""

from __future__ import annotations

import numpy as np
import pytest

from edgeproof import Graph, Layer, Network, Readout, Threat
from edgeproof.arithmetic.evaluator import ExactEvaluator
from edgeproof.model.query import Query, make_query
from edgeproof.options import resolve
from edgeproof.problem.compile import compile_problem
from edgeproof.search import engine
from edgeproof.search.attacks.flips import flip_best_gains
from edgeproof.search.jit.by_address import Bundle
from edgeproof.search.state.state import VALUE_MARK
from edgeproof.search.strategy import Search

UNIT = 2.0**-53


def status(query: Query) -> str:
    return engine.verify(query, timeout=60, node_limit=None, options=None).status


def chain(first: Layer, how: str, A: float, C: float, bias: float) -> Network:
    """A layer, then one that aggregates with weight A, then class 1 gets C times the result, class 0 a bias."""
    second = Layer([[0.0]], [[A]], [0.0], how, "none")
    return Network([first, second, Layer([[0.0], [C]], [[0.0], [0.0]], [bias, 0.0], "sum", "none")])


@pytest.mark.parametrize("how", ["sum", "mean", "max"])
def test_coefficient_that_underflows(how: str) -> None:
    """1e-170 * 1e-160 is 0 as a coefficient, but it meets a feature of 1e240: inserting the edge gains 1e-90."""
    network = chain(Layer([[1e240]], [[0.0]], [0.0], "sum", "relu"), how, 1e-160, 1e-170, 1e-95)
    graph = Graph(np.zeros((2, 0), dtype=int), [[0.0], [1.0]], directed=True)
    assert status(make_query(network, graph, Threat(1, insert=True), node=0, label=0)) == "vulnerable"


@pytest.mark.parametrize("how", ["sum", "mean", "max"])
def test_coefficient_that_overflows(how: str) -> None:
    """1e200 * 1e200 is infinite as a coefficient, and infinity times a box around 0 is no number at all."""
    network = chain(Layer([[1e-295]], [[1e-295]], [0.0], "sum", "none"), how, 1e200, 1e200, 1e100)
    graph = Graph(np.zeros((2, 0), dtype=int), [[0.0], [-1.0], [2.0]], directed=True)
    threat = Threat(2, fragile=[(1, 0), (2, 1)])
    assert status(make_query(network, graph, threat, node=0, label=0)) == "vulnerable"


def test_constant_with_very_many_terms() -> None:
    """80,000 terms just below half a unit in the last place of the sum so far: a running sum loses all of them."""
    n, degree = 400, 200
    sources = [(v + k) % n for v in range(n) for k in range(1, degree + 1)]
    x = np.zeros((n + 1, 2))  # what a vertex sends, what it adds itself
    x[:n, 0] = 0.99 * UNIT
    x[0, 1] = -(1 + 2 * UNIT)
    x[n - 1, 1] = 1 - (int(n * degree * 0.99) + 1000) * UNIT
    x[n, 0] = 3000 * UNIT
    graph = Graph([sources, np.repeat(np.arange(n), degree)], x, directed=True)
    layer = Layer([[0.0, 1.0]], [[1.0, 0.0]], [0.0], "sum", "none")
    network = Network([layer], Readout([[0.0], [1.0]], [0.0, 0.0], "sum"))
    exact = ExactEvaluator(network, graph)
    assert exact.margin(None, 0, (1,), [])[0] < 0 < exact.margin(None, 0, (1,), [(n, 5)])[0]
    assert status(make_query(network, graph, Threat(1, fragile=[(n, 5)]), label=0)) == "vulnerable"


def test_attack_stays_within_the_trail() -> None:
    """Forty flips in a row, each of which changes most vertices, need more room than one search node."""
    rng = np.random.default_rng(0)
    n, budget = 60, 40
    there = np.triu(rng.random((n, n)) < 0.2, 1)
    graph = Graph(np.array(np.nonzero(there | there.T)), rng.random((n, 4)), directed=False)
    layers = [Layer(*(rng.random(shape) for shape in ((4, 4), (4, 4), 4)), "sum", "relu") for _ in range(3)]
    network = Network(layers, Readout(rng.random((2, 4)), [0.0, 0.0], "sum"))
    query = make_query(network, graph, Threat(budget, delete=True, insert=False), label=0)
    options = resolve(None)
    compiled = compile_problem(query, options, budget)
    search = Search(compiled, budget, options)
    search.worker.prepare()
    room = search.worker.state.value_trail_at.size
    # the same trail as the beginning of a longer one: what lies behind its end must not change
    trail, at = np.zeros((20 * room, *search.worker.state.value_trail.shape[1:])), np.full(20 * room, -1)
    search.worker.state = search.worker.state._replace(value_trail=trail[:room], value_trail_at=at[:room])
    state = Bundle(search.worker.state)
    search.worker._linear.bundle.order[:] = 1.0
    nobody = np.ones(1, dtype=np.int8)  # no rival is looked at, so nothing ends the attack early
    flip_best_gains(search.worker._problem, state, search.worker._linear, search.worker.options, nobody)
    assert 0 < search.worker.state.tally[VALUE_MARK] <= room
    assert (at[room:] == -1).all()


SMALLEST = 2.0**-1074
LIFT = 1e300  # what is lost below the smallest normal number counts again


@pytest.mark.parametrize("options", [{}, {"carriers": False}, {"lines": False}])
def test_half_of_a_feature_is_no_float(options: dict[str, bool]) -> None:
    """A max between 2 and 3 of the smallest numbers has the centre 2 and the radius 0, if both are rounded."""
    layer = Layer([[0.0], [0.0]], [[0.0], [LIFT]], [0.0, -2.4 * (SMALLEST * LIFT)], "max", "none")
    graph = Graph([[1], [0]], [[0.0], [2 * SMALLEST], [3 * SMALLEST]], directed=True)
    query = make_query(Network([layer]), graph, Threat(1, delete=False, insert=True), node=0, label=0)
    assert engine.verify(query, timeout=60, node_limit=None, options=options).status == "vulnerable"


@pytest.mark.parametrize("reorder", [True, False])
def test_a_mean_of_features_is_no_float(reorder: bool) -> None:
    """Half of the smallest number is 0, if it is rounded before it is multiplied."""
    layer = Layer([[0.0], [0.0]], [[0.0], [LIFT]], [0.0, -0.2 * (SMALLEST * LIFT)], "mean", "none")
    graph = Graph([[1, 2], [0, 0]], [[0.0], [SMALLEST], [0.0]], directed=True)
    query = make_query(Network([layer]), graph, Threat(0), node=0, label=0)
    options = {"reorder": reorder}
    assert engine.verify(query, timeout=60, node_limit=None, options=options).status == "vulnerable"

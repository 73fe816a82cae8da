"""No set of deletions costs more of a margin than lengths say, for any depth and aggregation; and verdicts."""

from __future__ import annotations

import itertools
import time

import numpy as np
import pytest

import edgeproof as ep
from edgeproof import Graph, Layer, Network, Threat
from edgeproof.model.query import Query, make_query
from edgeproof.search.deadline import Alarm
from edgeproof.search.lengths.question import LengthQuestion

CASES = 80


def draw(seed: int) -> Query:
    """Up to seven vertices, two to four layers of any kind, one of them perhaps dense."""
    rng = np.random.default_rng(seed)
    directed, depth = bool(rng.random() < 0.3), int(rng.choice([2, 3, 4]))
    n, width = int(rng.integers(3, 8)), int(rng.integers(2, 5))
    there = np.triu(rng.random((n, n)) < rng.choice([0.3, 0.5, 0.8]), 1)
    there[0, 1] = True
    there |= np.tril(rng.random((n, n)) < 0.5, -1) if directed else there.T
    features, classes = int(rng.integers(1, 4)), int(rng.integers(2, 4))
    widths = [features, *([width] * (depth - 1)), classes]
    kinds = rng.choice(["gcn", "mean", "sum", "max", "max"], size=depth) if rng.random() < 0.7 else ["max"] * depth
    dense = int(rng.integers(depth)) if rng.random() < 0.2 else -1
    layers = []
    for at in range(depth):
        shape = widths[at + 1], widths[at]
        kind, C = str(kinds[at]), rng.normal(size=shape) * (rng.random() < 0.7)
        act = "none" if at == depth - 1 else str(rng.choice(["relu", "relu", "leaky_relu"]))
        A, bias = rng.normal(size=shape) * rng.choice([0.3, 1.0]), rng.normal(size=shape[0]) * rng.choice([0, 1])
        layer = Layer.dense(A, bias, act, 0.2) if at == dense else Layer(C, A, bias, kind, act, 0.2)
        layers.append(layer)
    values = rng.normal(size=(n, features)) * (rng.random((n, features)) < 0.8)
    budget = int(rng.choice([1, 2, 3]))
    graph = Graph(np.array(np.nonzero(there)), values, directed=directed)
    return make_query(Network(layers), graph, Threat(budget), int(rng.integers(n)))


def test_no_set_of_deletions_costs_more_than_its_lengths(pytestconfig: pytest.Config) -> None:
    checked, tight = 0, []
    for seed in range(max(CASES, pytestconfig.getoption("--campaign") // 50)):
        query = draw(seed)
        graph, budget = query.graph, query.threat.budget
        assert budget is not None
        with Alarm() as alarm:
            question = LengthQuestion(query, alarm)
        margins = -question.evaluator.margins(())[0]
        lost, grown = np.zeros(question.base.source.size), np.zeros(question.base.n)
        assert question._pull_back(budget, lost, grown)
        listed, bounds = question._bounds(budget, lost, grown, margins)
        number = {}
        for at, slot in enumerate(listed.slots.tolist()):
            number[graph.pair(int(question.base.source[slot]), int(question.edges.target[slot]))] = at
        for size in range(1, budget + 1):
            for flips in itertools.combinations(graph.edge_pairs(), size):
                after = -question.evaluator.margins(flips)[0]
                for bound in bounds:
                    cost = sum(bound.far[number[flip]] if flip in number else bound.rest for flip in flips)
                    fall = margins[bound.rival] - after[bound.rival]
                    checked += 1
                    assert fall <= cost + 1e-9 * (1 + abs(cost)), f"seed {seed}, flips {flips}, rival {bound.rival}"
                    if size == 1 and cost > 0:
                        tight.append(fall / cost)
    assert checked > 1000
    assert np.max(tight) > 0.9  # costs are no wild guess


@pytest.mark.parametrize("ask", [ep.verify, ep.radius])
def test_answers_agree_with_brute_force(ask: object, pytestconfig: pytest.Config) -> None:
    decided = 0
    for seed in range(5000, 5000 + max(CASES, pytestconfig.getoption("--campaign") // 50)):
        query = draw(seed)
        about = query.network, query.graph, query.threat, query.claim.node
        mine, truth = ask(*about, options={"charges_at_once": True}), ask(*about, engine="brute")  # type: ignore[operator]
        fields = ("status",) if ask is ep.verify else ("lower", "upper", "exact", "robust")
        for field in fields:
            assert getattr(mine, field) == getattr(truth, field), f"seed {seed}: {mine}, {truth}"
        decided += "charged" in mine.stats
    assert decided > CASES / 3


def test_one_deletion_is_always_decided() -> None:
    for seed in range(60):
        query = draw(9000 + seed)
        with Alarm() as alarm:
            answer = LengthQuestion(query, alarm).decide(1)
        truth = ep.verify(query.network, query.graph, Threat(1), query.claim.node, engine="brute")
        assert answer.reason in (None, "tie"), f"seed {seed}"
        assert answer.reason == "tie" or answer.robust == truth.robust, f"seed {seed}"


def test_time_that_is_up_ends_an_evaluation() -> None:
    query = draw(3)
    with Alarm(time.perf_counter() - 1.0) as alarm:
        question = LengthQuestion(query, alarm)
        question.evaluator.watch(alarm)
        assert question.evaluator.margins(())[1] == np.inf
        assert question.decide(1).reason == "timeout"

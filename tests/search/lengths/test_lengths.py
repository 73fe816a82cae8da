"""No set of deletions costs more of a margin than lengths say, for any depth and aggregation; and verdicts."""

from __future__ import annotations

import itertools
import time

import numpy as np
import pytest

import edgeproof as ep
from edgeproof import Graph, Layer, Network, Threat
from edgeproof.model.query import Query, make_query
from edgeproof.search.base.values import base_values
from edgeproof.search.deadline import Alarm
from edgeproof.search.jit.by_address import Bundle
from edgeproof.search.lengths.pull_back import pull_back
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


@pytest.mark.parametrize(("budget", "loss"), [(1, 1.0), (2, 2.0), (3, 4.5), (4, 5.0)])
def test_of_a_maximum_only_its_first_sender_is_charged(budget: int, loss: float) -> None:
    graph = Graph([[1, 2, 3, 4], [0, 0, 0, 0]], [[0.0], [5.0], [4.0], [3.0], [0.5]], directed=True)
    layers = [
        Layer([[0.0]], [[1.0]], [0.0], "max", "relu"),
        Layer([[1.0], [0.0]], [[0.0], [0.0]], [0.0, 0.0], "sum", "none"),
    ]
    query = make_query(Network(layers), graph, Threat(budget), 0)
    with Alarm() as alarm:
        question = LengthQuestion(query, alarm)
    lost, grown = np.zeros(4), np.zeros(5)
    assert question._pull_back(budget, lost, grown)
    assert lost == pytest.approx([loss, 0.0, 0.0, 0.0], abs=1e-7)


@pytest.mark.parametrize("how", ["gcn", "mean", "sum"])
@pytest.mark.parametrize("directed", [False, True])
def test_what_is_passed_on_weighs_as_after_any_deletions(how: str, directed: bool) -> None:
    """One layer at a time: coefficients, and what a vertex's messages cost that weigh more."""
    rng = np.random.default_rng(7)
    for each in (1, 2, 3):
        there = np.triu(rng.random((7, 7)) < 0.6, 1)
        there |= np.tril(rng.random((7, 7)) < 0.5, -1) if directed else there.T
        graph = Graph(np.array(np.nonzero(there)), rng.normal(size=(7, 2)), directed=directed)
        base = base_values(Network([Layer(np.eye(2), np.eye(2), [0.0, 0.0], how, "none")]), graph)
        reach, sent, gathered = rng.random(7) + 0.1, rng.random(7), rng.random(7)
        below, lost, grown = np.zeros(7), np.zeros(base.source.size), np.zeros(7)
        status = np.zeros(base.source.size, dtype=np.int8)
        pull_back(Bundle(base), 0, 0, each, 0, 7, status, sent, gathered, 2.0, 3.0, reach, below, lost, grown)
        heard = there.sum(axis=0)
        most = np.minimum(each, heard - (not directed) * (np.arange(7) != 0)).clip(0)

        def alpha(v: int, k: int, heard: np.ndarray = heard) -> float:
            left = heard[v] - k
            return {"gcn": (left + 1.0) ** -0.5, "mean": 1.0 / max(left, 1), "sum": 1.0}[how]

        def beta(x: int, j: int, heard: np.ndarray = heard) -> float:
            return (heard[x] - j + 1.0) ** -0.5 if how == "gcn" else 1.0

        wanted, swell = 3.0 * reach, np.zeros(7)
        for v in range(7):
            if how == "gcn":
                wanted[v] += 2.0 * alpha(v, most[v]) ** 2 * reach[v]
            for x in np.flatnonzero(there[:, v]):
                wanted[x] += 2.0 * alpha(v, most[v]) * beta(x, most[x]) * reach[v]
                if most[x]:
                    more = (beta(x, most[x]) - beta(x, 0)) / most[x]
                    swell[x] += reach[v] * alpha(v, most[v]) * more * sent[x]
        assert below == pytest.approx(wanted)
        assert grown == pytest.approx(swell)
        targets = np.repeat(np.arange(7), np.diff(base.in_ptr))
        for slot, (x, v) in enumerate(zip(base.source.tolist(), targets.tolist(), strict=True)):
            for k in range(1, most[v] + 1):
                change = (alpha(v, k) - alpha(v, 0)) / k * gathered[v] + alpha(v, k) * beta(x, 0) * sent[x]
                if how == "gcn":
                    change += (alpha(v, k) ** 2 - alpha(v, 0) ** 2) / k * sent[v]
                assert lost[slot] >= reach[v] * change - 1e-12


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
    with Alarm() as alarm:
        question = LengthQuestion(draw(3), alarm)
        assert np.isfinite(question.evaluator.margins(())[1])
        alarm.deadline = time.perf_counter() - 1.0
        question.evaluator.watch(alarm)
        assert question.evaluator.margins(())[1] == np.inf
        assert question.decide(1).reason == "timeout"


@pytest.mark.parametrize("ask", [ep.verify, ep.radius])
def test_time_that_is_up_before_anything_is_known(ask: object) -> None:
    query = draw(3)
    about = query.network, query.graph, query.threat, query.claim.node
    answer = ask(*about, timeout=1e-9, options={"charges_at_once": True})  # type: ignore[operator]
    assert answer.reason == "timeout"

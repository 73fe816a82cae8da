"""Budgets by degree: what the rule gives, where it is resolved, and that nothing else changes."""

from __future__ import annotations

import pickle
from decimal import ROUND_FLOOR, Decimal
from pathlib import Path

import numpy as np
import pytest

import edgeproof as ep
import random_queries
from edgeproof.model.query import make_query
from edgeproof.report.curves import curves
from edgeproof.report.gather import gather
from edgeproof.sweep.read import read_best


def network() -> ep.Network:
    layer = ep.Layer([[1.0, 0.5], [0.0, -1.0]], [[0.25, 1.0], [1.0, -0.5]], [0.5, -0.25], "mean", "relu")
    last = ep.Layer([[1.0, 0.0], [0.0, 1.0]], [[0.5, 0.0], [0.0, 0.5]], [0.0, 0.125], "sum", "none")
    return ep.Network([layer, last])


def graph() -> ep.Graph:
    """Vertex 1 has degree 2, vertex 3 a self-loop only."""
    features = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]]
    return ep.Graph([[0, 1, 1, 2, 3], [1, 0, 2, 1, 3]], features, directed=False)


@pytest.mark.parametrize("times", [0.0, 0.1, 0.3, 0.5, 1.0, 1.5, 2.0])
@pytest.mark.parametrize("plus", [-3, 0, 2])
def test_the_rule_rounds_halves_up_and_ends_at_zero(times: float, plus: int) -> None:
    for degree in range(40):
        exact = Decimal(str(times)) * degree + Decimal("0.5")
        wanted = max(0, int(exact.to_integral_value(ROUND_FLOOR)) + plus)
        assert ep.ByDegree(times, plus).of(degree) == wanted


@pytest.mark.parametrize("text", ["degree", "degree+2", "degree-1", "0.5*degree", "2.0*degree+3"])
def test_what_is_typed_is_what_is_printed(text: str) -> None:
    rule = ep.ByDegree.parse(text)
    assert str(rule) == text
    assert ep.ByDegree.parse(str(rule)) == rule


@pytest.mark.parametrize("text", ["5", "degrees", "degree*2", "-1*degree", "degree+", "x", ""])
def test_other_words_are_no_rule(text: str) -> None:
    assert ep.ByDegree.parse(text) is None


def test_engines_are_asked_with_numbers() -> None:
    rule = ep.Threat(ep.ByDegree(plus=1), ep.ByDegree(0.5))
    query = make_query(network(), graph(), rule, 1)
    assert query.threat.budget == 3
    assert query.threat.local_budget.tolist() == [1, 1, 1, 0]
    assert make_query(network(), graph(), rule, 3).threat.budget == 1, "a self-loop is no degree"


@pytest.mark.parametrize("engine", ["search", "brute", "mip"])
def test_a_rule_is_answered_as_its_number(engine: str) -> None:
    for node in range(4):
        number = ep.ByDegree(1.0, 1).at(graph(), node)
        by_rule = ep.Threat(ep.ByDegree(plus=1), ep.ByDegree(1.0), insert=True)
        by_number = ep.Threat(number, [1, 2, 1, 0], insert=True)
        for ask in (ep.verify, ep.radius):
            one, other = (ask(network(), graph(), threat, node, engine=engine) for threat in (by_rule, by_number))
            assert one == other


def test_degrees_are_those_of_the_input_graph_by_direction() -> None:
    for index in range(60):
        query = random_queries.draw(29, index)
        held = query.graph
        there = {(int(u), int(v)) for u, v in zip(held.sources, held.targets, strict=True)}
        wanted = [sum(v == w and u != w for u, v in there) for w in range(held.num_vertices)]
        assert ep.ByDegree().at_all(held).tolist() == wanted
        assert [ep.ByDegree().at(held, w) for w in range(held.num_vertices)] == wanted


def test_graph_tasks_and_curves_over_all_nodes_refuse_a_rule() -> None:
    layer = ep.Layer([[1.0]], [[1.0]], [0.0])
    whole = ep.Network([layer], ep.Readout([[1.0], [-1.0]], [0.0, 0.0]))
    one = ep.Graph([[0], [1]], [[1.0], [1.0]], directed=True, labels=0)
    with pytest.raises(ep.InputError, match="by degree"):
        ep.verify(whole, one, ep.Threat(ep.ByDegree()))
    with pytest.raises(ep.InputError, match="by degree"):
        list(ep.verify_many(whole, [one], ep.Plan([ep.Threat(ep.ByDegree())]), workers=0))
    assert ep.verify(whole, one, ep.Threat(1, ep.ByDegree())).status in ("robust", "vulnerable")
    with pytest.raises(ep.InputError, match="by degree"):
        ep.certified_accuracy(network(), graph(), ep.Threat(ep.ByDegree()), labels=[0, 0, 0, 0])


@pytest.mark.parametrize("bad", [{"times": -1.0}, {"times": np.nan}, {"plus": 0.5}, {"times": True}])
def test_a_rule_is_checked_when_it_is_made(bad: dict[str, object]) -> None:
    with pytest.raises(ep.InputError, match=r"times|plus"):
        ep.ByDegree(**bad)


def test_a_store_holds_the_rule_and_the_number_and_the_key_both(tmp_path: Path) -> None:
    plan = ep.Plan([ep.Threat(ep.ByDegree(plus=plus), insert=True) for plus in (0, 1)] + [ep.Threat(2, insert=True)])
    answers = list(ep.verify_many(network(), graph(), plan, workers=0, store=tmp_path))
    lines = list(read_best(tmp_path))
    assert len({answer.key for answer in answers}) == 12
    at_one = {(line["threat"].get("budget_rule"), line["budget"]) for line in lines if line["node"] == 1}
    assert at_one == {("degree", 2), ("degree+1", 3), (None, 2)}
    again = list(ep.verify_many(network(), graph(), plan, workers=0, store=tmp_path))
    assert {a.key: a.status for a in again} == {a.key: a.status for a in answers}
    for answer in answers:
        alone = ep.verify(network(), graph(), answer.question.threat, answer.node, engine="brute")
        assert answer.status == alone.status
    found = {curve.setting.axis: curve for curve in curves(gather(tmp_path).rows)}
    assert set(found) == {"budget (flips)", "budget (degree + k flips)"}
    by_rule = found["budget (degree + k flips)"]
    for k in (0, 1):
        robust = sum(
            ep.verify(network(), graph(), ep.Threat(ep.ByDegree(plus=k), insert=True), node, engine="brute").robust
            for node in range(4)
        )
        assert by_rule.proved[k] == robust / 4


def test_rules_travel() -> None:
    held = ep.Threat(ep.ByDegree(0.5, 2), ep.ByDegree(), cost={(0, 1): 2})
    copy = pickle.loads(pickle.dumps(held))
    assert copy.budget == ep.ByDegree(0.5, 2)
    assert dict(copy.cost) == {(0, 1): 2}
    assert repr(held) == "Threat(budget=0.5*degree+2, local_budget=degree, delete, 1 cost)"

"""Threats validate what they are given, and say which pairs are fragile."""

from __future__ import annotations

import numpy as np
import pytest

from edgeproof import Graph, InputError, Threat

DIRECTED = Graph([[0, 1, 2], [1, 2, 2]], np.ones((3, 1)), directed=True)
UNDIRECTED = Graph([[0, 1, 2], [1, 0, 2]], np.ones((3, 1)), directed=False)


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"budget": -1}, "budget: expected a number from 0 on, got -1"),
        ({"budget": 1.5}, "budget: expected a whole number"),
        ({"budget": True}, "budget: expected a whole number"),
        ({"local_budget": -1}, "local_budget: expected a number from 0 on"),
        ({"local_budget": [1, -1]}, "local_budget"),
        ({"local_budget": [[1]]}, "local_budget"),
        ({"local_budget": [0.5]}, "local_budget: expected whole numbers"),
        ({"local_budget": True}, "local_budget: expected a whole number"),
        ({"delete": 1}, "delete: expected True or False"),
        ({"insert": "all"}, "insert: expected True, False or 'target'"),
        ({"fragile": [(1, 2, 3)]}, r"fragile: expected pairs \(u, v\)"),
        ({"fragile": [3]}, "fragile: expected pairs"),
        ({"fragile": 5}, r"fragile: expected a list of pairs \(u, v\), got 5"),
        ({"protected": 5}, r"protected: expected a list of pairs \(u, v\), got 5"),
        ({"protected": [(0, -1)]}, "protected: expected a number from 0 on"),
    ],
)
def test_threats_refuse(given: dict[str, object], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        Threat(**given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"fragile": [(0, 3)]}, r"fragile: \(0, 3\) is out of range, there are 3 vertices"),
        ({"protected": [(3, 0)]}, r"protected: \(3, 0\) is out of range"),
        ({"local_budget": [1, 2]}, "local_budget: expected 3 numbers, one a vertex, got 2"),
    ],
)
def test_threats_that_do_not_fit_the_graph_are_refused(given: dict[str, object], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        Threat(**given).check_against(DIRECTED)  # type: ignore[arg-type]


def admitted(threat: Threat, graph: Graph, node: int | None = None) -> set[tuple[int, int]]:
    every = {graph.pair(u, v) for u in range(3) for v in range(3)}
    return {pair for pair in every if threat.admits(graph, pair, node)}


def test_deletions_are_edges_and_insertions_are_absent_pairs_without_self_loops() -> None:
    assert admitted(Threat(), DIRECTED) == {(0, 1), (1, 2), (2, 2)}
    assert admitted(Threat(delete=False, insert=True), DIRECTED) == {(0, 2), (1, 0), (2, 0), (2, 1)}
    assert admitted(Threat(delete=False, insert=True), UNDIRECTED) == {(0, 2), (1, 2)}
    assert admitted(Threat(delete=False, insert="target"), DIRECTED, 0) == {(1, 0), (2, 0)}
    assert admitted(Threat(delete=False, insert="target"), UNDIRECTED, 2) == {(0, 2), (1, 2)}


def test_an_explicit_list_replaces_the_rest_and_protection_wins() -> None:
    assert admitted(Threat(fragile=[(1, 1), (0, 1)], protected=[(0, 1)]), DIRECTED) == {(1, 1)}
    assert admitted(Threat(fragile=[(1, 0)]), UNDIRECTED) == {(0, 1)}
    assert admitted(Threat(protected=[(1, 0)]), UNDIRECTED) == {(2, 2)}
    assert admitted(Threat(fragile=[]), UNDIRECTED) == set()


def test_local_budgets_are_one_number_or_one_a_vertex() -> None:
    assert Threat(local_budget=2).local_budget_of(1) == 2
    assert Threat(local_budget=[0, 5, 1]).local_budget_of(1) == 5
    assert Threat().local_budget_of(1) is None


def test_with_budget_keeps_the_rest() -> None:
    threat = Threat(1, [1, 2, 3], insert=True, protected=[(0, 1)]).with_budget(7)
    assert repr(threat) == "Threat(budget=7, local_budget=3 numbers, delete, insert, 1 protected)"
    assert repr(Threat(2, fragile=[(0, 1)])) == "Threat(budget=2, 1 fragile pairs)"

"""Answers are plain, comparable and printable."""

from __future__ import annotations

import json
import pickle

import pytest

from edgeproof import Attack, Graph, Radius, Stats, Verdict


def test_attacks_are_sorted_tuples_that_apply() -> None:
    attack = Attack([(1, 2), (0, 1)])
    assert attack == ((0, 1), (1, 2))
    graph = Graph([[0], [1]], [[1.0]] * 3, directed=True)
    assert attack.apply(graph).edge_pairs() == [(1, 2)]


def test_stats_read_both_ways() -> None:
    stats = Stats(nodes=3, seconds=0.25)
    assert stats.nodes == stats["nodes"] == 3
    assert pickle.loads(pickle.dumps(stats)) == stats
    assert repr(stats) == "Stats(nodes=3, seconds=0.25)"
    with pytest.raises(AttributeError, match="no statistic 'leaves'; there are nodes, seconds"):
        _ = stats.leaves


def test_answers_become_json_under_the_same_names() -> None:
    verdict = Verdict("vulnerable", 1, Attack([(0, 1)]), 2, node=4, stats=Stats(nodes=1))
    found = json.loads(json.dumps(verdict.to_dict()))
    assert found["attack"] == [[0, 1]]
    assert all(name in found for name in ("status", "label", "rival", "reason", "node", "directed", "stats"))
    radius = Radius(1, 1, exact=True, robust=False, label=0, attack=Attack([(0, 1), (1, 2)]), rival=1)
    assert radius.to_dict().keys() - verdict.to_dict().keys() == {"lower", "upper", "exact"}
    assert verdict.to_dict().keys() <= radius.to_dict().keys()
    assert (radius.to_dict()["status"], radius.to_dict()["vulnerable"]) == ("vulnerable", True)


def test_reprs_say_the_answer() -> None:
    verdict = Verdict("vulnerable", 1, Attack([(0, 1)]), 2, node=4)
    assert repr(verdict) == "Verdict(node 4, class 1: vulnerable, 1 flip [(0, 1)] gives class 2)"
    assert repr(Verdict("unknown", 1, reason="timeout")) == "Verdict(graph, class 1: unknown (timeout))"
    assert repr(Radius(2, None, exact=False, robust=False, label=0, reason="timeout", node=1)) == (
        "Radius(node 1, class 0: radius from 2 to ? (timeout))"
    )

"""Certified accuracy against brute force, node by node."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import edgeproof as ep
from random_queries import Grid, draw


def instance(task: str, seed: int) -> tuple[ep.Network, list[ep.Graph]]:
    grid = Grid(vertices=(5,), layers=(2,), widths=(3,), classes=(2,), tasks=(task,), styles=("gaussian",))
    query = draw(seed, 0, grid)
    rng = np.random.default_rng(seed)
    features = query.network.num_features
    graphs = []
    for _ in range(1 if task == "node" else 6):
        there = np.triu(rng.random((5, 5)) < 0.5, 1)
        labels = rng.integers(0, 2, 5 if task == "node" else None)
        mask = {"test": np.array([True, False, True, True, True])}
        x = rng.normal(size=(5, features))
        graphs.append(ep.Graph(np.array(np.nonzero(there | there.T)), x, directed=False, labels=labels, masks=mask))
    return query.network, graphs


@pytest.mark.parametrize("seed", range(4))
def test_nodes_are_counted_as_brute_force_counts_them(seed: int) -> None:
    network, (graph,) = instance("node", seed)
    found = ep.certified_accuracy(network, graph, ep.Threat(budget=3), nodes="test")
    expected = np.zeros(4)
    for node in (0, 2, 3, 4):
        if network.predict(graph, node) == graph.labels[node]:
            radius = ep.radius(network, graph, ep.Threat(budget=3), node, engine="brute")
            expected += (np.arange(4) <= radius.lower) | radius.robust
    assert found.by_budget == tuple(expected / 4)
    assert found.exact
    assert found.count == 4
    assert str(found).splitlines()[0] == "certified accuracy of 4 nodes"


def test_graphs_are_counted_too() -> None:
    network, graphs = instance("graph", 1)
    told: list[tuple[int, int]] = []
    asked = {"nodes": [0, 1, 2, 4], "progress": lambda *news: told.append(news)}
    found = ep.certified_accuracy(network, graphs, ep.Threat(budget=2), **asked)
    assert told == [(k + 1, len(found.answers)) for k in range(len(found.answers))]
    expected = np.zeros(3)
    for at in (0, 1, 2, 4):
        if network.predict(graphs[at]) == graphs[at].labels:
            radius = ep.radius(network, graphs[at], ep.Threat(budget=2), engine="brute")
            expected += (np.arange(3) <= radius.lower) | radius.robust
    assert found.by_budget == tuple(expected / 4)


def test_without_a_cap_the_table_ends_where_nothing_changes_any_more() -> None:
    network, (graph,) = instance("node", 2)
    found = ep.certified_accuracy(network, graph, ep.Threat(), labels=network.predict(graph))
    assert found.by_budget[0] == 1.0
    assert list(found.by_budget) == sorted(found.by_budget, reverse=True)
    robust = sum(answer.robust for answer in found.answers) / 5
    assert found.by_budget[-1] == robust
    assert str(found).splitlines()[2] == "     0  100.0%"


def test_what_is_missing_is_said() -> None:
    network, (graph,) = instance("node", 0)
    plain = ep.Graph(np.stack([graph.sources, graph.targets]), graph.features, directed=False)
    with pytest.raises(ep.InputError, match="labels: the graph has no true classes"):
        ep.certified_accuracy(network, plain, ep.Threat(1))
    with pytest.raises(ep.InputError, match="labels: expected 5 numbers"):
        ep.certified_accuracy(network, plain, ep.Threat(1), labels=[0])
    with pytest.raises(ep.InputError, match="nodes: expected one of all, test, or numbers, got 'train'"):
        ep.certified_accuracy(network, graph, ep.Threat(1), nodes="train")
    with pytest.raises(ep.InputError, match="nodes: expected at least one"):
        ep.certified_accuracy(network, graph, ep.Threat(1), nodes=[])


def test_a_table_becomes_plain_values_and_a_data_frame() -> None:
    network, (graph,) = instance("node", 0)
    found = ep.certified_accuracy(network, graph, ep.Threat(budget=1), nodes="test")
    told = json.loads(json.dumps(found.to_dict()))
    assert told == {"count": found.count, "by_budget": list(found.by_budget), "at_most": list(found.at_most)}
    rows = [answer.to_dict() for answer in found.answers]
    assert [row["node"] for row in rows] == [answer.node for answer in found.answers]
    assert {row["budget"] for row in rows} == {1}
    pytest.importorskip("pandas", reason="to_pandas needs pandas, which is no dependency")
    frame = found.to_pandas()
    assert frame["by_budget"].tolist() == list(found.by_budget)
    assert frame["budget"].tolist() == [0, 1]


def test_a_store_answers_what_was_asked_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    network, (graph,) = instance("node", 0)
    first = ep.certified_accuracy(network, graph, ep.Threat(budget=2), nodes="test", store=tmp_path / "kept")

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("asked again")

    monkeypatch.setattr("edgeproof.sweep.chunk.ask_one", refuse)
    again = ep.certified_accuracy(network, graph, ep.Threat(budget=2), nodes="test", store=tmp_path / "kept")
    assert again.by_budget == first.by_budget


def test_an_interrupt_leaves_what_is_known() -> None:
    network, (graph,) = instance("node", 0)
    whole = ep.certified_accuracy(network, graph, ep.Threat(budget=2), nodes="test")
    assert len(whole.answers) > 1

    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(ep.Interrupted) as stopped:
        ep.certified_accuracy(network, graph, ep.Threat(budget=2), nodes="test", progress=stop)
    known = stopped.value.answer
    assert known.count == whole.count
    assert all(low <= share for low, share in zip(known.by_budget, whole.by_budget, strict=True))
    assert all(high >= share for high, share in zip(known.at_most, whole.at_most, strict=True))
    assert not known.exact

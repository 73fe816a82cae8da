"""What is told while a question is searched."""

from __future__ import annotations

import pytest

import edgeproof as ep
import hubs
from edgeproof.progress import Nodes, Watcher, tell_interval, tell_nodes, tell_time


def test_a_number_of_nodes_says_how_far_the_best_flips_are() -> None:
    assert tell_nodes(1) == "searching, 1 search node"
    assert tell_nodes(Nodes(1200)) == "searching, 1,200 search nodes"
    assert tell_nodes(Nodes(1200, 0.1234)) == "searching, 1,200 search nodes, a rival is 0.123 behind"
    assert Nodes(7, 0.5) == 7


def test_time_is_told_with_its_limit() -> None:
    assert tell_time(12.3, None) == "12 s"
    assert tell_time(12.3, 60.0) == "12 s of 60 s"
    assert tell_time(61.0, 60.0) == "61 s"  # kernels were compiled in the meantime


def test_a_watcher_tells_interval_nodes_and_time(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("edgeproof.progress.PATIENCE", 0.0)
    monkeypatch.setattr("edgeproof.progress.LOG", 0.0)
    with Watcher(tell_interval, 60.0) as watcher:
        watcher(2, 5)
        watcher.note(Nodes(30, 1.5))
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith(
        "edgeproof: searching, radius at least 2, at most 5, 30 search nodes, a rival is 1.5 behind, "
    )
    assert last.endswith(" s of 60 s")


def test_what_is_over_soon_is_not_told(capsys: pytest.CaptureFixture[str]) -> None:
    with Watcher(tell_nodes) as watcher:
        watcher(Nodes(5))
    assert capsys.readouterr().err == ""


def test_a_radius_tells_its_search_nodes(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("edgeproof.progress.PATIENCE", 0.0)
    monkeypatch.setattr("edgeproof.progress.LOG", 0.0)
    network, graph = hubs.network(), hubs.graph()
    off = {"few_graphs": False, "charges": False, "by_size": False}
    found = ep.radius(network, graph, ep.Threat(), 0, progress=True, options=off)
    assert found.lower == hubs.RADIUS
    told = capsys.readouterr().err
    assert "search node" in told
    assert "radius at least" in told

"""Answers in notebooks: words and picture, wherever they were found."""

from __future__ import annotations

import dataclasses
import pickle

import pytest

import hubs
from edgeproof import CertifiedAccuracy, InputError, Threat, Verdict, radius, verify
from edgeproof.demo.karate import karate_graph, karate_network


@pytest.fixture(scope="module")
def broken() -> Verdict:
    return verify(karate_network(), karate_graph(), Threat(1), 8, engine="brute")


def test_an_answer_shows_its_words_and_its_attack(broken: Verdict) -> None:
    shown = broken._repr_html_()
    assert "node 8, class 0: vulnerable" in shown
    assert 'data-pair="0,8"' in shown
    found = radius(karate_network(), karate_graph(), Threat(1), 8, engine="brute")
    assert 'class="ep-deleted" data-pair="0,8"' in found._repr_html_()


def test_without_an_attack_there_are_only_words() -> None:
    robust = verify(karate_network(), karate_graph(), Threat(1), 0, engine="brute")
    assert "<svg" not in robust._repr_html_()
    reason = dataclasses.replace(robust, status="unknown", reason="<b>")
    assert "<b>" not in reason._repr_html_()


def test_the_graph_does_not_travel_and_is_no_part_of_the_answer(broken: Verdict) -> None:
    there = pickle.loads(pickle.dumps(broken))
    assert there == broken
    assert there.graph is None
    assert "<svg" not in there._repr_html_()
    with pytest.raises(InputError, match="plot: this answer came without its graph"):
        there.plot()


def test_an_attack_can_be_plotted(broken: Verdict) -> None:
    matplotlib = pytest.importorskip("matplotlib", reason="needs matplotlib: pip install 'edgeproof[report]'")
    matplotlib.use("agg")
    axes = broken.plot()
    assert axes.get_title() == "node 8: class 0 becomes class 1 after 1 flip"
    (deleted,) = [line for line in axes.get_lines() if line.get_label() == "deleted"]
    assert deleted.get_linestyle() == "--"
    there = pickle.loads(pickle.dumps(broken))
    assert there.plot(karate_graph(), axes=axes) is axes


def test_an_attack_on_a_hub_is_plotted_in_groups() -> None:
    matplotlib = pytest.importorskip("matplotlib", reason="needs matplotlib: pip install 'edgeproof[report]'")
    matplotlib.use("agg")
    found = radius(hubs.network(), hubs.graph(), Threat(), 0)
    assert found.lower == hubs.RADIUS
    axes = found.plot(names=("red", "green"))
    words = [text.get_text() for text in axes.texts]
    assert sum(int(word.split(" of ")[0]) for word in words if " edges to " in word) == hubs.RADIUS + 1


def test_certified_accuracy_is_a_table() -> None:
    shown = CertifiedAccuracy((1.0, 0.5), (1.0, 0.75), 4, ())._repr_html_()
    assert "<td>1</td><td>50.0% to 75.0%</td>" in shown

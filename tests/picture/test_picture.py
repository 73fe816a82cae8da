"""Pictures of attacks: what is shown, where it stands, and that nothing of the attack is missing."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np
import pytest

import hubs
from edgeproof import Attack, Graph
from edgeproof.demo.karate import SIDES, karate_graph
from edgeproof.picture.describe import figure, tell_change, tell_flips
from edgeproof.picture.draw import draw
from edgeproof.picture.groups import group_flips, is_for
from edgeproof.picture.place import place
from edgeproof.picture.scores import Scores, draw_scores, shown_classes
from edgeproof.picture.take import MOST, take_picture

SVG = "{http://www.w3.org/2000/svg}"


def star(leaves: int, *, directed: bool = False) -> Graph:
    into = [(v, 0) for v in range(1, leaves + 1)]
    edges = into if directed else into + [(v, u) for u, v in into]
    return Graph(np.array(edges).T, np.ones((leaves + 1, 1)), directed=directed)


def drawn(text: str, kind: str) -> set[str]:
    found = ET.fromstring(text).iter()
    return {one.get("data-pair", "") for one in found if f"ep-{kind}" in one.get("class", "").split()}


def test_deletions_and_insertions_are_told_apart() -> None:
    graph = karate_graph()
    text = draw(take_picture(graph, [(0, 8), (9, 11)], 8), "attack")
    assert drawn(text, "deleted") == {"0,8"}
    assert drawn(text, "inserted") == {"9,11"}
    kept = drawn(text, "kept")
    assert "0,8" not in kept
    assert kept <= {f"{u},{v}" for u, v in graph.edge_pairs()}


def test_the_node_in_question_and_all_ends_are_there_however_large_the_neighbourhood() -> None:
    graph = star(500)
    attack = [(0, v) for v in range(450, 500)]
    picture = take_picture(graph, attack, 0)
    assert picture.cut
    assert picture.vertices[0] == 0
    assert set(range(450, 500)) <= set(picture.vertices)
    assert picture.count("deleted") == len(attack)
    small = take_picture(graph, attack[:2], 0)
    assert len(small.vertices) == MOST


def test_what_is_far_away_is_left_out() -> None:
    path = np.array([(v + 1, v) for v in range(9)]).T
    graph = Graph(path, np.ones((10, 1)), directed=True)
    assert take_picture(graph, [(1, 0)], 0).vertices == (0, 1, 2)
    assert not take_picture(graph, [(1, 0)], 0).cut
    assert set(take_picture(graph, [(1, 0)]).vertices) == set(range(10))  # of a graph task, everything


def test_no_two_vertices_stand_on_one_another() -> None:
    for count, edges in ((8, [(0, v) for v in range(1, 8)]), (5, []), (2, [(0, 1)]), (6, [(0, 1), (2, 3), (4, 5)])):
        points = place(count, edges)
        gaps = np.abs(points[:, None] - points[None]).sum(axis=2) + np.eye(count)
        assert gaps.min() > 0.05
        assert points.min() >= 0
        assert points.max() <= 1
        np.testing.assert_array_equal(points, place(count, edges))


def test_one_vertex_and_a_self_loop_can_be_drawn() -> None:
    graph = Graph([[0], [0]], [[1.0]], directed=True)
    assert drawn(draw(take_picture(graph, [(0, 0)], 0), "loop"), "deleted") == {"0,0"}


def test_directed_edges_have_heads() -> None:
    text = draw(take_picture(star(3, directed=True), [(1, 0)], 0), "attack")
    assert len(list(ET.fromstring(text).iter(f"{SVG}polygon"))) == 3


@pytest.mark.parametrize("name", ["<b>", '"', "&"])
def test_names_of_classes_are_escaped(name: str) -> None:
    text = figure(karate_graph(), [(0, 8)], 8, 0, 1, (name, name))
    ET.fromstring(text)
    assert "<b>" not in text


def test_the_caption_says_what_happens() -> None:
    graph = karate_graph()
    assert tell_change(8, 0, 1, [(0, 8)], SIDES) == "node 8: instructor becomes administrator after 1 flip"
    assert tell_flips(graph, [(0, 8), (9, 11)]) == ["delete 0 - 8", "insert 9 - 11"]
    assert "node 8: instructor becomes administrator after 1 flip: delete 0 - 8" in figure(
        graph, [(0, 8)], 8, 0, 1, SIDES
    )


def test_many_flips_at_a_node_are_drawn_in_groups_that_add_up() -> None:
    hub, attack = hubs.graph(), [(0, v) for v in range(1, 25)] + [(1, 2)]
    assert is_for(attack, 0)
    assert not is_for(attack[:20], 0)
    assert not is_for(attack, None)
    grouped = group_flips(hub, attack, 0)
    near = [one for one in grouped.groups if one.at_node]
    assert sum(one.count for one in near if one.kind == "deleted") == 24
    assert {one.classes: one.of for one in near} == {(0,): 22, (1,): 11}
    (far,) = [one for one in grouped.groups if not one.at_node]
    assert (far.count, far.classes) == (1, (0, 1))
    assert far.tell(("red", "green")) == "1 edge between red and green elsewhere deleted"
    text = figure(hub, attack, 0, 0, 1, ("<red>", "green"))
    root = ET.fromstring(text)
    drawn_groups = {
        one.get("data-group"): one.get("data-count") for one in root.iter(f"{SVG}g") if one.get("data-group")
    }
    assert drawn_groups
    assert "16 of 22 edges to &lt;red&gt; deleted" in text
    assert "and 13 more" in text


def test_only_edges_into_a_node_of_a_directed_graph_are_at_it() -> None:
    grouped = group_flips(star(30, directed=True), [(v, 0) for v in range(1, 26)] + [(0, 5)], 0)
    assert [(one.kind, one.at_node, one.count) for one in grouped.groups] == [
        ("deleted", True, 25), ("inserted", False, 1),
    ]  # fmt: skip


def test_bars_show_the_classes_in_question_first_and_mark_who_wins() -> None:
    scores = Scores([3.0, -1.0, 0.5, 9.0], [1.0, -2.0, 0.5, 0.0])
    assert shown_classes(scores, 0, 2) == [0, 2, 3, 1]
    text = draw_scores(scores, 3, 0, ("<a>", "b", "c", "d"))
    root = ET.fromstring(text)
    assert [one.get("data-class") for one in root.iter(f"{SVG}g")] == ["3", "0", "2", "1"]
    assert [one.text for one in root.iter(f"{SVG}tspan")] == ["9", "1"]  # the largest before, and after
    bars = list(root.iter(f"{SVG}rect"))
    assert float(bars[0].get("width", "")) == pytest.approx(9 * float(bars[3].get("width", "")), rel=0.05)


def test_new_vertices_and_changed_features_are_seen() -> None:
    graph = Graph([[0, 1, 1, 2], [1, 0, 2, 1]], [[1.0], [0.0], [0.0]], directed=False, labels=[0, 1, 0])
    attack = Attack([(0, 3), (1, 2)], features=[(2, 0)], injected=[4], cost=2)
    picture = take_picture(graph, attack, 1)
    assert picture.changed == {2}
    assert picture.new == {3}
    assert set(picture.vertices) == {0, 1, 2, 3}
    drawn = draw(picture, "title")
    assert "vertex 2, features changed" in drawn
    assert "vertex 3, new" in drawn
    told = figure(graph, attack, 1, 0, 1)
    assert "after 2 flips and 1 feature and 1 new vertex" in told
    assert "delete 1 - 2" in told
    assert "insert 0 - 3" in told
    assert "feature 0 of 2 to 1" in told

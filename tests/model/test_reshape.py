"""Graphs made of graphs: every edge in both directions, and the largest component."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from edgeproof import Graph, InputError
from strategies import graphs


def edges_of(graph: Graph) -> set[tuple[int, int]]:
    return set(zip(graph.sources.tolist(), graph.targets.tolist(), strict=True))


def reached(graph: Graph, start: int) -> set[int]:
    """By walking, directions aside."""
    edges, found, ahead = edges_of(graph), {start}, [start]
    while ahead:
        at = ahead.pop()
        beside = {v for u, v in edges if u == at} | {u for u, v in edges if v == at}
        ahead += beside - found
        found |= beside
    return found


@settings(max_examples=200, deadline=None)
@given(graph=graphs())
def test_every_edge_gets_its_reverse_and_nothing_else_changes(graph: Graph) -> None:
    both = graph.to_undirected()
    assert not both.directed
    assert edges_of(both) == edges_of(graph) | {(v, u) for u, v in edges_of(graph)}
    assert both.num_vertices == graph.num_vertices
    assert np.array_equal(both.features.dense(), graph.features.dense())
    assert both.to_undirected().fingerprint == both.fingerprint
    if not graph.directed:
        assert both.fingerprint == graph.fingerprint


@settings(max_examples=200, deadline=None)
@given(graph=graphs())
def test_the_largest_component_is_the_one_that_walking_finds(graph: Graph) -> None:
    parts = [reached(graph, v) for v in range(graph.num_vertices)]
    largest = max(parts, key=len)  # the first of the largest
    part = graph.largest_component()
    assert part.original is not None
    assert part.original.tolist() == sorted(largest)
    named = {(int(part.original[u]), int(part.original[v])) for u, v in edges_of(part)}
    assert named == {(u, v) for u, v in edges_of(graph) if u in largest}
    assert part.directed == graph.directed
    assert np.array_equal(part.features.dense(), graph.features.dense(part.original))


def test_long_paths_are_one_component() -> None:
    order = np.random.default_rng(0).permutation(5000)
    path = Graph(np.stack([order[:-1], order[1:]]), np.ones((5001, 1)))
    assert path.largest_component().num_vertices == 5000


def two_parts() -> Graph:
    """0 and 3 apart; 1, 2 and 4 together."""
    return Graph(
        [[4, 2], [2, 1]], [[0.0], [1.0], [2.0], [3.0], [4.0]], labels=[0, 1, 0, 1, 2],
        masks={"test": [True, False, True, False, True]}, name="two",
    )  # fmt: skip


def test_classes_masks_and_names_go_along() -> None:
    part = two_parts().largest_component()
    assert part.labels is not None
    assert part.original is not None
    assert part.original.tolist() == [1, 2, 4]
    assert part.labels.tolist() == [1, 0, 2]
    assert part.masks["test"].tolist() == [False, True, True]
    assert part.name == "two"
    assert Graph([[0], [1]], [[1.0]] * 3, labels=4).largest_component().labels == 4


def test_original_speaks_of_the_first_graph_and_survives_changes() -> None:
    cut = two_parts().to_undirected().largest_component().flip([(1, 2)]).largest_component()
    assert cut.original is not None
    assert cut.original.tolist() == [1, 2]


def test_original_is_saved(tmp_path: Path) -> None:
    part = two_parts().largest_component()
    part.save(tmp_path / "part.npz")
    again = Graph.load(tmp_path / "part.npz")
    assert again.original is not None
    assert again.original.tolist() == [1, 2, 4]
    assert again.fingerprint == part.fingerprint
    two_parts().save(tmp_path / "two.npz")
    assert Graph.load(tmp_path / "two.npz").original is None


def test_original_does_not_change_what_identifies_a_graph() -> None:
    plain = Graph([[0], [1]], [[1.0]] * 2)
    named = Graph([[0], [1]], [[1.0]] * 2, original=[7, 3])
    assert plain.fingerprint == named.fingerprint


def test_original_must_fit() -> None:
    with pytest.raises(InputError, match="original: expected 2 numbers"):
        Graph([[0], [1]], [[1.0]] * 2, original=[7])

"""Graphs and features validate what they are given, and know their edges."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edgeproof import Graph, InputError
from edgeproof.model.features import Features
from strategies import graphs


def simple(edges: object, n: int = 3, **more: object) -> Graph:
    return Graph(edges, np.ones((n, 1)), **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("edges", "more", "complaint"),
    [
        ([[0], [3]], {}, r"edges: \(0, 3\) is out of range, there are 3 vertices"),
        ([[-1], [0]], {}, r"edges: \(-1, 0\) is out of range"),
        ([[0, 0], [1, 1]], {}, r"edges: \(0, 1\) is given twice"),
        ([[0, 1]], {}, "edges: expected shape 2 x E"),
        ([[0.5], [1.0]], {}, "edges: expected whole numbers"),
        ([[True], [False]], {}, "edges: expected whole numbers"),
        ([[], []], {}, "must be told directed=True or directed=False"),
        ([[0], [1]], {"directed": False}, r"\(0, 1\) has no reverse \(1, 0\)"),
        ([[0, 1, 1, 2], [1, 0, 2, 0]], {"directed": False}, r"\(2, 0\) has no reverse \(0, 2\)"),
        ([[0], [1]], {"labels": [0, 1]}, "labels: expected one number or 3"),
        ([[0], [1]], {"masks": {"train": [True, False]}}, "mask train: expected 3 booleans"),
        ([[0], [1]], {"masks": {"train": [0, 1, 2]}}, "mask train: expected 3 booleans"),
    ],
)
def test_graphs_refuse(edges: object, more: dict[str, object], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        simple(edges, **more)


def test_empty_graphs_are_refused() -> None:
    with pytest.raises(InputError, match="at least one vertex"):
        Graph(np.zeros((2, 0), dtype=np.int64), np.zeros((0, 2)), directed=True)
    with pytest.raises(InputError, match="at least one column"):
        Graph(np.zeros((2, 0), dtype=np.int64), np.zeros((2, 0)), directed=True)


@pytest.mark.parametrize(
    ("parts", "complaint"),
    [
        (([0, 1], [2], [1.0], 2), "column 2 is out of range"),
        (([0, 1], [-1], [1.0], 2), "out of range"),
        (([0, 2], [1, 0], [1.0, 1.0], 2), "columns of row 0 must ascend"),
        (([0, 2], [1, 1], [1.0, 1.0], 2), "columns of row 0 must ascend"),
        (([1, 1], [0], [1.0], 2), "row pointers must start at 0"),
        (([0, 2, 1], [0], [1.0], 2), "row pointers must start at 0 and never fall"),
        (([0, 1], [0, 1], [1.0, 1.0], 2), "expected 1 entries, got 2"),
        (([0, 1], [0], [np.nan], 2), "finite"),
        (([], [], [], 2), "row pointers"),
        ((0, [], [], 2), "row pointers"),
        (([[0, 1]], [0], [1.0], 2), "row pointers"),
    ],
)
def test_features_refuse(parts: tuple[object, ...], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        Features(*parts)  # type: ignore[arg-type]


def test_direction_is_found_from_the_edges() -> None:
    assert not simple([[0, 1], [1, 0]]).directed
    assert simple([[0, 1], [1, 2]]).directed
    assert simple([[0, 1], [1, 0]], directed=True).directed
    assert not simple([[0], [0]]).directed


@settings(max_examples=100, deadline=None)
@given(graphs(), st.data())
def test_neighbours_pairs_and_flips_agree_with_the_edge_set(graph: Graph, data: st.DataObject) -> None:
    edges = set(zip(graph.sources.tolist(), graph.targets.tolist(), strict=True))
    n = graph.num_vertices
    for v in range(n):
        assert graph.in_neighbours(v).tolist() == sorted(u for u, w in edges if w == v)
        assert graph.out_neighbours(v).tolist() == sorted(w for u, w in edges if u == v)
        assert all(graph.has_edge(u, v) == ((u, v) in edges) for u in range(n))
    vertex = st.integers(0, n - 1)
    flips = data.draw(st.lists(st.tuples(vertex, vertex), max_size=4))
    names = {graph.pair(u, v) for u, v in flips}
    changed = graph.flip(flips)
    assert changed.directed == graph.directed
    assert set(changed.edge_pairs()) == set(graph.edge_pairs()) ^ names
    assert changed.flip(names).fingerprint == graph.fingerprint


def test_features_stay_sparse_and_come_back_dense() -> None:
    matrix = np.array([[0.0, 2.0, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, -3.0]])
    features = Features.from_dense(matrix)
    assert features.values.size == 3
    assert np.array_equal(features.dense(), matrix)
    assert np.array_equal(features.dense([2, 0]), matrix[[2, 0]])
    assert [part.tolist() for part in features.row(2)] == [[0, 2], [1.0, -3.0]]


def test_reprs_tell_what_matters() -> None:
    assert repr(simple([[0, 1, 2], [1, 0, 2]])) == "Graph(3 vertices, 2 undirected edges, 1 feature)"
    assert repr(simple([[0], [1]], name="g")) == "Graph('g', 3 vertices, 1 directed edge, 1 feature)"

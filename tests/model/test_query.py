"""Questions are checked when they are asked."""

from __future__ import annotations

import numpy as np
import pytest

from edgeproof import (
    Graph,
    InputError,
    Layer,
    Network,
    Plan,
    Readout,
    Threat,
    certified_accuracy,
    radius,
    verify,
    verify_many,
)
from edgeproof.model.query import make_query

GRAPH = Graph([[0, 1], [1, 2]], [[1.0], [2.0], [3.0]], directed=True)
NODE = Network([Layer([[1.0], [0.0], [1.0]], [[0.0]] * 3, [0.0, 0.0, 0.0], "sum", "none")])
WHOLE = Network([Layer([[1.0]], [[0.0]], [0.0])], Readout([[1.0], [1.0]], [0.0, 0.0]))


@pytest.mark.parametrize(
    ("network", "given", "complaint"),
    [
        (NODE, {}, "node: a node classifier needs the number"),
        (NODE, {"node": 3}, "node: 3 is out of range, there are 3 vertices"),
        (NODE, {"node": -1}, "node: -1 is out of range"),
        (NODE, {"node": 1.0}, "node: expected a whole number"),
        (WHOLE, {"node": 0}, "node: the network classifies whole graphs"),
        (NODE, {"node": 0, "label": 3}, "label: 3 is out of range, there are 3 classes"),
        (NODE, {"node": 0, "target": -1}, "target: -1 is out of range"),
        (NODE, {"node": 0, "label": 1, "target": 1}, "target: class 1 is the label itself"),
        (NODE, {"node": 0, "target": 0}, "target: class 0 is the label itself"),
    ],
)
def test_questions_that_make_no_sense_are_refused(network: Network, given: dict[str, int], complaint: str) -> None:
    for ask in (verify, radius):
        with pytest.raises(InputError, match=complaint):
            ask(network, GRAPH, Threat(1), engine="brute", **given)  # type: ignore[operator]


def test_limits_engines_and_options_are_checked() -> None:
    with pytest.raises(InputError, match="timeout: expected a positive number"):
        verify(NODE, GRAPH, Threat(1), 0, timeout=0, engine="brute")
    with pytest.raises(InputError, match="timeout: expected a positive number"):
        verify(NODE, GRAPH, Threat(1), 0, timeout="soon", engine="brute")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="node_limit: expected a whole number from 1 on"):
        verify(NODE, GRAPH, Threat(1), 0, node_limit=0, engine="brute")
    with pytest.raises(InputError, match="engine: expected one of"):
        verify(NODE, GRAPH, Threat(1), 0, engine="guess")
    with pytest.raises(InputError, match="options: unknown option 'nonsense'"):
        verify(NODE, GRAPH, Threat(1), 0, engine="brute", options={"nonsense": True})


@pytest.mark.parametrize(
    ("place", "given", "complaint"),
    [
        (0, object(), "network: expected an edgeproof.Network, got object; ep.from_pyg"),
        (1, object(), "graph: expected an edgeproof.Graph, got object; ep.graph_from_pyg"),
        (2, 1, "threat: expected an edgeproof.Threat, got int; for instance ep.Threat"),
        (2, None, "threat: expected an edgeproof.Threat, got NoneType"),
    ],
)
def test_something_else_in_the_place_of_a_part_is_named(place: int, given: object, complaint: str) -> None:
    parts = [NODE, GRAPH, Threat(1)]
    parts[place] = given  # type: ignore[call-overload]
    for ask in (verify, radius, certified_accuracy):
        with pytest.raises(InputError, match=complaint):
            ask(*parts, [0] if ask is certified_accuracy else 0)  # type: ignore[operator]
    if place < 2:
        with pytest.raises(InputError, match=complaint):
            verify_many(*parts[:2], Plan([Threat(1)]))


def test_a_node_may_be_any_whole_number_of_python_or_numpy() -> None:
    for node in (np.int32(1), np.uint8(1), np.array(1)):
        assert make_query(NODE, GRAPH, Threat(), node).claim.node == 1  # type: ignore[arg-type]
    for node in (True, np.bool_(True), np.float64(1), np.array([1, 2]), "1"):
        with pytest.raises(InputError, match="node: expected a whole number"):
            make_query(NODE, GRAPH, Threat(), node)  # type: ignore[arg-type]


def test_features_must_fit() -> None:
    graph = Graph([[0], [1]], np.ones((2, 2)), directed=True)
    with pytest.raises(InputError, match="the network expects 1 features, the graph has 2"):
        verify(NODE, graph, Threat(1), 0, engine="brute")


def test_the_default_label_is_the_predicted_class_lowest_on_ties() -> None:
    assert make_query(NODE, GRAPH, Threat(), 1).claim.label == 0
    assert make_query(WHOLE, GRAPH, Threat()).claim.label == 0


def test_ties_that_rounding_would_break_are_found() -> None:
    # 0.1 + 0.2 > 0.3 in float64 and in the reals of these floats; 2**53 + 1 - 2**53 is 1 only in the reals
    big = float(2**53)
    layer = Layer([[1.0, 1.0, -1.0], [0.0, 1.0, 0.0]], np.zeros((2, 3)), [0.0, 0.0], "sum", "none")
    graph = Graph([[0], [0]], [[big, 1.0, big]], directed=True)
    assert make_query(Network([layer]), graph, Threat(), 0).claim.label == 0

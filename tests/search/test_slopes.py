"""Activations with a slope for each output."""

from __future__ import annotations

import pytest

from edgeproof import Graph, Layer, Network, Threat, verify


@pytest.mark.parametrize("engine", ["search", "brute"])
def test_each_score_is_bent_by_its_own_slope(engine: str) -> None:
    """-0.5 stays -0.5; the rival's -10 counts as -1, and without the edge its -2 as -0.2: bent by the other's slope it
    would still lose.
    """
    layer = Layer([[0.0], [0.0]], [[0.0], [-8.0]], [-0.5, -2.0], "sum", "leaky_relu", [1.0, 0.1])
    graph = Graph([[0], [1]], [[1.0], [1.0]], directed=True)
    for budget, status in ((0, "robust"), (1, "vulnerable")):
        assert verify(Network([layer]), graph, Threat(budget), node=1, label=0, engine=engine).status == status

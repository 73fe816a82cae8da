"""What lies between rounding and 0, and what is too much to count."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from edgeproof import Graph, Layer, Network, RejectedError, Threat, check
from edgeproof.engines import brute
from edgeproof.model.query import Query, make_query
from edgeproof.proof import walk
from edgeproof.proof.format import BOX, LINE, pack
from edgeproof.proof.setting import Setting
from edgeproof.proof.statement import describe


def tie(vertices: int = 3) -> Query:
    """A sum that is exactly 0 with all neighbours there, of numbers that floats round."""
    layer = Layer([[0.0], [0.0]], [[0.1], [0.3]], [0.0, -0.1], "sum", "none")
    features = [[0.0], *([[0.5]] * (vertices - 1))]
    graph = Graph([list(range(1, vertices)), [0] * (vertices - 1)], features, directed=True)
    query = make_query(Network([layer]), graph, Threat(budget=None), 0, 0)
    worst = max(scores[1] - scores[0] for scores in map(brute.Evaluator(query).scores, [()]))
    bias = layer.b - np.array([0.0, float(worst)])
    return replace(query, network=Network([Layer(layer.C, layer.A, bias, "sum", "none")]))


@pytest.mark.parametrize("mark", [BOX, LINE])
def test_what_misses_by_rounding_is_decided_exactly(mark: int, monkeypatch: pytest.MonkeyPatch) -> None:
    query = tie()
    assert brute.verify(query).status == "robust"
    assert brute.Evaluator(query).scores(())[0] == brute.Evaluator(query).scores(())[1]
    data = pack(describe(query, "robust") | {"pairs": [], "nodes": 1}, bytes([mark]))
    monkeypatch.setattr(walk, "MOST_GRAPHS_OF_LINES", 0)
    assert check(data, query.network, query.graph).exact_decisions > 0
    monkeypatch.setattr(walk, "MOST_GRAPHS_IN_DOUBT", 3)
    with pytest.raises(RejectedError, match="does not exclude"):
        check(data, query.network, query.graph)


def test_counting_stops_where_it_is_too_many_anyway() -> None:
    """The exact number has thousands of digits; a forged header with an endless budget would ask for it."""
    walker = walk.Walk(Setting(tie()), [], None)
    assert walk.MOST_GRAPHS < walker._count(4000, 4000) < 10**12
    assert [walker._count(flips, 5) for flips in range(7)] == [1, 6, 16, 26, 31, 32, 32]

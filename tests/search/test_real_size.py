"""Large graphs: a query costs what its neighbourhood costs, and what is too large is refused with its size."""

from __future__ import annotations

import re
import tracemalloc

import numpy as np
import pytest

import edgeproof as ep
from differential import wrong_answer
from edgeproof import Graph, Layer, Network, Threat, TooLargeError
from edgeproof.model.query import make_query
from edgeproof.options import resolve
from edgeproof.problem.compile import compile_problem
from shared_data import dataset, model, needs_data

LISTED = {"by_size": False}  # the engine that lists pairs


def ring(n: int, directed: bool) -> Graph:
    forward = np.stack([np.arange(n), (np.arange(n) + 1) % n])
    edges = forward if directed else np.concatenate([forward, forward[::-1]], axis=1)
    return Graph(edges, np.sin(np.arange(n))[:, None], directed=directed)


def deep(layers: int) -> Network:
    last = Layer([[1.0], [0.0]], [[1.0], [0.0]], [0.0, 0.1], "sum", "none")
    return Network([Layer([[1.0]], [[0.5]], [0.1], "sum")] * (layers - 1) + [last])


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("layers", [1, 2, 4])
def test_a_query_touches_only_its_neighbourhood(layers: int, directed: bool) -> None:
    graph = ring(100_000, directed)
    query = make_query(deep(layers), graph, Threat(2), 5)
    compiled = compile_problem(query, resolve(None), 2)
    sides = 1 if directed else 2
    assert compiled.problem.n == sides * layers + 1
    assert len(compiled.pairs) == sides * layers
    assert ep.verify(query.network, graph, query.threat, 5).stats.fragile == sides * layers


def test_one_insertion_matters_only_where_its_end_reaches_the_node() -> None:
    graph = ring(2000, directed=True)
    threat = Threat(1, delete=False, insert=True)
    compiled = compile_problem(make_query(deep(3), graph, threat, 5), resolve(None), 1)
    # into 5, 4 and 3, from everyone but itself and the one that is there
    assert len(compiled.pairs) == 3 * 1998
    assert {int(v) for _, v in compiled.pairs} == {3, 4, 5}


def test_insertions_into_the_target_only() -> None:
    graph = ring(2000, directed=True)
    threat = Threat(3, delete=False, insert="target")
    query = make_query(deep(3), graph, threat, 5, label=1)
    compiled = compile_problem(query, resolve(None), 3)
    assert {int(v) for _, v in compiled.pairs} == {5}
    assert len(compiled.pairs) == 1998
    verdict = ep.verify(query.network, graph, threat, 5, label=1)
    assert verdict.status == "vulnerable"
    assert verdict.attack is not None
    assert {v for _, v in verdict.attack} <= {5}
    assert wrong_answer(query, verdict) is None


def test_an_explicit_list_makes_a_large_question_small() -> None:
    graph = ring(100_000, directed=True)
    far, near = (70_000, 60_000), (60_000, 5)
    network = deep(3)
    listed = Threat(fragile=[far, near, (4, 5)])
    compiled = compile_problem(make_query(network, graph, listed, 5), resolve(None), None)
    assert {tuple(int(end) for end in pair) for pair in compiled.pairs} == {far, near, (4, 5)}
    alone = compile_problem(make_query(network, graph, Threat(fragile=[far]), 5), resolve(None), None)
    assert len(alone.pairs) == 0  # nothing leads from there to the node
    assert ep.verify(network, graph, Threat(fragile=[far]), 5).status == "robust"


@pytest.mark.parametrize("directed", [True, False])
def test_what_is_too_large_to_list_is_refused_with_its_size(directed: bool) -> None:
    graph = ring(2500, directed)
    threat = Threat(2, insert=True)
    with pytest.raises(TooLargeError) as refusal:
        ep.verify(deep(3), graph, threat, 5, options=LISTED)
    said = re.match(r"([\d,]+) pairs can matter", str(refusal.value))
    assert said is not None
    assert int(said[1].replace(",", "")) == threat.count_fragile(graph)


@needs_data
@pytest.mark.parametrize("node", [0, 1358])
def test_every_absent_pair_of_cora_is_fragile(node: int) -> None:
    """7.3 million pairs: those whose target reaches the node are looked at, the others never come into being."""
    network, graph = ep.Network.load(model("Cora_sum")), ep.Graph.load(dataset("Cora"), directed=True)
    threat = Threat(1, insert=True)
    assert threat.count_fragile(graph) == 7_330_556
    query = make_query(network, graph, threat, node)
    ep.verify(network, graph, Threat(1), node)  # what is loaded or remembered once
    tracemalloc.start()
    try:
        verdict = ep.verify(network, graph, threat, node, timeout=120, options=LISTED)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert verdict.status in ("robust", "vulnerable")
    assert wrong_answer(query, verdict) is None
    assert verdict.stats.fragile < 100_000
    assert peak < 500_000_000  # mostly room for trails; 7.3 million pairs would take more
    with pytest.raises(TooLargeError, match="7,330,556 pairs"):
        ep.verify(network, graph, Threat(2, insert=True), node, options=LISTED)
    assert ep.verify(network, graph, Threat(2, insert=True), node, timeout=60).status != "unknown"  # lists no pairs
    into = ep.verify(network, graph, Threat(2, insert="target"), node, timeout=120, options=LISTED)
    assert into.stats.fragile < 10_000
    assert into.status == "vulnerable"
    assert into.attack is not None
    edges = set(graph.edge_pairs())
    assert all(pair in edges or pair[1] == node for pair in into.attack)

"""What is kept of the last question does not leak into the next one."""

from __future__ import annotations

import gc
from dataclasses import replace

import numpy as np
import pytest

from edgeproof import Graph, Layer, Network, Threat
from edgeproof.model.memo import Latest
from edgeproof.model.query import Query, make_query
from edgeproof.options import resolve
from edgeproof.problem import compile as problem
from edgeproof.problem.compile import compile_problem
from edgeproof.problem.layout import Compiled
from random_queries import EVERYTHING, draw

SEED, COUNT = 91, 60


def is_same(one: Compiled, other: Compiled) -> bool:
    fields = zip((*one.problem, one.vertices, one.pairs), (*other.problem, other.vertices, other.pairs), strict=True)
    return one.rival_classes == other.rival_classes and all(np.array_equal(a, b) for a, b in fields)


def similar(query: Query) -> list[tuple[Query, dict[str, bool], int | None]]:
    """Questions that differ in one thing, and then in another."""
    given, n = query.threat, query.graph.num_vertices
    threats = [
        Threat(2, local, delete, insert, protected=protected)
        for local in (None, 1, np.arange(n))
        for delete, insert in ((True, False), (True, True), (False, True))
        for protected in ((), given.protected)
    ]
    queries = [query, *(replace(query, threat=threat) for threat in (given, *threats))]
    if query.claim.target is None and query.network.num_classes > 2:
        queries.append(replace(query, claim=replace(query.claim, target=query.rivals[0])))
    plain, changed = resolve({}), resolve({"reorder": False})
    return [(one, options, budget) for one in queries for options in (plain, changed) for budget in (1, 0, 3, 2, None)]


def test_whatever_was_asked_before(monkeypatch: pytest.MonkeyPatch) -> None:
    kept, memory = 0, problem._latest
    for index in range(COUNT):
        query = draw(SEED, index, EVERYTHING)
        for one, options, budget in similar(query):
            before = memory._held
            found = compile_problem(one, options, budget)
            kept += memory._held is before
            monkeypatch.setattr(problem, "_latest", Latest())
            assert is_same(found, compile_problem(one, options, budget)), (SEED, index, one.threat, budget)
            monkeypatch.setattr(problem, "_latest", memory)
    assert kept > COUNT


def test_a_graph_is_forgotten_with_what_was_made_of_it() -> None:
    layer = Layer(np.eye(2), np.eye(2), np.zeros(2))
    query = make_query(Network([layer]), Graph([[0], [1]], np.eye(2), directed=True), Threat(1), 1)
    compile_problem(query, resolve({}), 1)
    assert problem._latest._held is not None
    del query
    gc.collect()
    assert problem._latest._held is None

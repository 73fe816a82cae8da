"""Which pair the root decides: the largest gain, else the nearest, else the first."""

from __future__ import annotations

from dataclasses import replace

import pytest

from edgeproof.model.query import Query
from edgeproof.options import resolve
from edgeproof.problem.compile import compile_problem
from edgeproof.search import engine
from edgeproof.search.strategy import Search
from edgeproof.search.trace import BY_SPLIT, Trace
from edgeproof.search.tree.prune import prune_by_intervals, prune_by_linear_bounds
from random_queries import EVERYTHING, draw

SEED = 88
QUERIES = 600
NODES = replace(EVERYTHING, tasks=("node",), layers=(2, 2, 3), budgets=(2, 3), calibrations=("between", "deep", "none"))
GRAPHS = replace(NODES, tasks=("graph",))
PLAIN = {"attacks": False, "lines_tighten": False, "last_flip": False, "interplay": False}


def first_pair(query: Query, options: dict[str, bool]) -> int | None:
    """The number of the pair that the root decides; None if there is an attack, or the root is closed."""
    trace = Trace()
    found = engine.verify(query, timeout=60, node_limit=None, options={**PLAIN, **options}, trace=trace)
    if found.status != "robust" or trace.records.size == 0 or trace.records[0] & 7 != BY_SPLIT:
        return None
    return int(trace.records[0]) >> 8


def at_root(query: Query, options: dict[str, bool]) -> Search:
    options = resolve({**PLAIN, **options})
    compiled = compile_problem(query, options, query.threat.budget)
    search = Search(compiled, query.threat.budget, options)
    search.worker.prepare()
    return search


def nearest(search: Search) -> set[int]:
    """Pairs into the vertices that are nearest to the node in question, over pairs that are there or may come."""
    p = search.worker.compiled.problem
    reached = {0}
    for _ in range(p.n):
        into = [pair for v in reached for pair in p.slot_pair[p.slot_ptr[v] : p.slot_ptr[v + 1]].tolist() if pair >= 0]
        if into:
            return set(into)
        reached |= {int(u) for v in reached for u in p.slot_source[p.slot_ptr[v] : p.slot_ptr[v + 1]]}
    return set()


def test_the_pair_with_the_largest_gain_is_decided_first() -> None:
    by_gain = not_nearest = 0
    for index in range(QUERIES):
        query = draw(SEED, index, NODES)
        pair = first_pair(query, {})
        if pair is None:
            continue
        worker = at_root(query, {}).worker
        excluded = worker.state.frame_excluded[0]
        bundles = worker._problem, worker._state
        assert not prune_by_intervals(*bundles, excluded)
        passes = worker._linear, worker._nested, worker._innermost
        assert not prune_by_linear_bounds(*bundles, *passes, worker.options, excluded)
        gains = worker._linear.bundle.order
        if gains.max() > 0.0:
            assert gains[pair] == gains.max()
            by_gain += 1
            not_nearest += pair not in nearest(at_root(query, {}))
    assert by_gain > 40
    assert not_nearest > 5


def test_without_gains_the_nearest_pair_is_decided_first() -> None:
    seen = 0
    for index in range(QUERIES):
        query = draw(SEED, index, NODES)
        pair = first_pair(query, {"lines": False})
        if pair is not None:
            assert pair in nearest(at_root(query, {"lines": False}))
            seen += 1
    assert seen > 40


@pytest.mark.parametrize("task", ["node", "graph"])
def test_without_gains_and_distances_the_first_pair_is_decided_first(task: str) -> None:
    seen = elsewhere = 0
    options = {"lines": False, "nearest_first": task == "graph"}  # of a whole graph, no pair is nearer than others
    for index in range(QUERIES):
        query = draw(SEED, index, NODES if task == "node" else GRAPHS)
        pair = first_pair(query, options)
        if pair is not None:
            search = at_root(query, options)
            pairs = [tuple(one) for one in search.worker.compiled.pairs.tolist()]
            assert pairs[pair] == min(pairs)
            seen += 1
            elsewhere += task == "node" and pair not in nearest(search)
    assert seen > 20
    assert task == "graph" or elsewhere > 5

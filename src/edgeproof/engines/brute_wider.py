"""Brute force over costs, features and new vertices: every admissible change, cheapest first, in exact arithmetic.

Written from the definitions alone: it lists all sets of flips of edges and of features, for all ways to add vertices.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import combinations_with_replacement
from math import log2
from typing import Any, NamedTuple

import numpy as np

from ..errors import InputError, TooLargeError
from ..model.feature_threats import FeatureFlips
from ..model.graph import Graph, Pair
from ..model.query import Query
from ..model.verdict import Attack, Radius, Stats, Verdict
from ..options import resolve
from .brute import LIMIT, UndecidedError, evaluator_of, fragile_pairs

Entry = tuple[int, int]


class Change(NamedTuple):
    cost: int
    rows: tuple[int, ...]
    features: tuple[Entry, ...]
    pairs: tuple[Pair, ...]


class _Found(NamedTuple):
    attack: Attack | None
    rival: int | None
    reason: str | None
    proved: int
    stats: Stats


def verify(
    query: Query,
    *,
    timeout: float | None = None,
    node_limit: int | None = None,
    options: Mapping[str, Any] | None = None,
) -> Verdict:
    found = _enumerate(query, timeout, node_limit, options)
    status: Any = "vulnerable" if found.attack is not None else "unknown" if found.reason is not None else "robust"
    return Verdict(
        status, query.claim.label, found.attack, found.rival, found.reason, query.claim.node, query.graph.directed,
        found.stats,
    )  # fmt: skip


def radius(
    query: Query,
    *,
    timeout: float | None = None,
    node_limit: int | None = None,
    options: Mapping[str, Any] | None = None,
) -> Radius:
    found = _enumerate(query, timeout, node_limit, options)
    robust, upper, lower = found.attack is None and found.reason is None, None, found.proved
    if found.attack is not None:
        lower = upper = found.attack.cost - 1
    elif robust:
        cap = query.threat.budget
        lower = query.threat.total_cost(query.graph, query.claim.node) if cap is None else cap
    return Radius(
        lower, upper, found.reason is None, robust, query.claim.label, found.attack, found.rival, found.reason,
        query.claim.node, query.graph.directed, found.stats,
    )  # fmt: skip


def _enumerate(
    query: Query, timeout: float | None, node_limit: int | None, options: Mapping[str, Any] | None
) -> _Found:
    resolve(options)
    if query.threat.features is not None and not isinstance(query.threat.features, FeatureFlips):
        raise InputError("features: brute force cannot list what lies in a box of real numbers")
    begin, nodes, attack, rival, reason, proved = time.monotonic(), 0, None, None, None, -1
    evaluators: dict[tuple[Any, Any], Any] = {}
    for change in sorted(changes(query), key=lambda one: one.cost):
        if node_limit is not None and nodes >= node_limit:
            reason = "node limit"
        elif timeout is not None and time.monotonic() - begin > timeout:
            reason = "timeout"
        else:
            nodes += 1
            proved = change.cost - 1
            key = change.rows, change.features
            if key not in evaluators:
                if len(evaluators) > 5000:
                    evaluators.clear()
                evaluators[key] = evaluator_of(_changed(query, change))
            try:
                rival = evaluators[key].winner(change.pairs)
            except UndecidedError:
                reason = "tie"
                break
            if rival is None:
                continue
            inject = query.threat.inject
            attack = Attack(
                change.pairs, features=change.features, injected=change.rows, cost=change.cost,
                pool=None if inject is None else inject.features,
            )  # fmt: skip
        break
    stats = Stats(
        nodes=nodes, seconds=time.monotonic() - begin, leaves=nodes, fragile=len(fragile_pairs(query)),
        exploration=log2(max(nodes, 1)) / (len(fragile_pairs(query)) + 1), evaluations=0,
    )  # fmt: skip
    return _Found(attack, rival, reason, proved, stats)


def _changed(query: Query, change: Change) -> Query:
    """The question about the graph with these features and new vertices, whose edges are still to be flipped."""
    graph = query.graph
    x = graph.features.dense()
    for vertex, column in change.features:
        x[vertex, column] = 1.0 - x[vertex, column]
    if change.rows:
        assert query.threat.inject is not None
        x = np.concatenate([x, query.threat.inject.features[list(change.rows)]])
    edges = np.stack([graph.sources, graph.targets])
    return replace(query, graph=Graph(edges, x, directed=graph.directed))


def changes(query: Query) -> Iterator[Change]:
    """All that the threat admits."""
    inject = query.threat.inject
    counts = range(inject.count + 1) if inject is not None else range(1)
    number = 0
    for count in counts:
        pool = range(0 if inject is None else inject.rows)
        edges = list(_edge_sets(query, count))
        for rows in combinations_with_replacement(pool, count):
            for cost, pairs in edges:
                for more, features in _feature_sets(query, cost):
                    number += 1
                    if number > LIMIT // 10:
                        raise TooLargeError(f"brute force would have to look at more than {LIMIT // 10:,} changes")
                    yield Change(cost + more, rows, features, pairs)


def _edge_sets(query: Query, count: int) -> Iterator[tuple[int, tuple[Pair, ...]]]:
    """Sets of flips with `count` new vertices, each of which has an edge, and what they cost."""
    graph, threat = query.graph, query.threat
    n, both = graph.num_vertices, not graph.directed
    price = {pair if graph.directed else (min(pair), max(pair)): cost for pair, cost in threat.cost.items()}
    pairs = [(pair, price.get(pair, 1)) for pair in fragile_pairs(query)]
    for x in range(n, n + count):
        for u in range(x):
            pairs += [((u, x), 1)] if both else [((u, x), 1), ((x, u), 1)]
    edges = 0 if threat.inject is None else threat.inject.edges

    def extend(
        at: int, chosen: tuple[Pair, ...], cost: int, spent: Counter[int]
    ) -> Iterator[tuple[int, tuple[Pair, ...]]]:
        if at == len(pairs):
            if all(spent[x] >= 1 for x in range(n, n + count)):
                yield cost, chosen
            return
        yield from extend(at + 1, chosen, cost, spent)
        (u, v), one = pairs[at]
        more = Counter(spent)
        for w in {u, v}:
            if w >= n:
                more[w] += 1
                if more[w] > edges:
                    return
            elif w == v or both:
                more[w] += one
                limit = threat.local_budget_of(w)
                if limit is not None and more[w] > limit:
                    return
        if threat.budget is None or cost + one <= threat.budget:
            yield from extend(at + 1, (*chosen, (u, v)), cost + one, more)

    yield from extend(0, (), 0, Counter())


def _feature_sets(query: Query, spent: int) -> Iterator[tuple[int, tuple[Entry, ...]]]:
    """Sets of features that flip, and what they take of the threat's budget."""
    flips, graph = query.threat.features, query.graph
    if not isinstance(flips, FeatureFlips):
        yield 0, ()
        return
    x = graph.features.dense()
    vertices = range(graph.num_vertices) if flips.nodes is None else flips.nodes.tolist()
    columns = range(x.shape[1]) if flips.columns is None else flips.columns.tolist()
    entries = [(v, c) for v in vertices for c in columns if (flips.add if x[v, c] == 0.0 else flips.remove)]
    shared = flips.budget is None
    budget = query.threat.budget if shared else flips.budget
    left = len(entries) if budget is None else budget - spent if shared else budget

    def extend(at: int, chosen: tuple[Entry, ...], here: Counter[int]) -> Iterator[tuple[int, tuple[Entry, ...]]]:
        if at == len(entries):
            yield len(chosen) * shared, chosen
            return
        yield from extend(at + 1, chosen, here)
        vertex = entries[at][0]
        if len(chosen) < left and (flips.local_budget is None or here[vertex] < flips.local_budget):
            yield from extend(at + 1, (*chosen, entries[at]), here + Counter([vertex]))

    yield from extend(0, (), Counter())

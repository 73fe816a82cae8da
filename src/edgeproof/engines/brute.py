"""Brute force: every admissible graph, fewest flips first, decided in exact arithmetic.

The yardstick of every other engine, so it is written to be obviously right: it flips every fragile pair, whether or
not it can matter, and evaluates the definition of the network over the rationals (GCN: with square roots adjoined;
curved activations: brute_balls.py; attention: in_balls.py).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import comb, log2
from typing import TYPE_CHECKING, Any

import flint
import numpy as np

from ..arithmetic.surds import Column, largest
from ..clock import UNLIMITED, Clock
from ..errors import TooLargeError
from ..model.activation import Activation
from ..model.graph import Pair
from ..model.injection import NewEnds
from ..model.network import Aggregation, Layer
from ..model.query import Query
from ..model.verdict import Attack, Radius, Stats, Status, Verdict
from ..options import resolve

if TYPE_CHECKING:
    from .brute_balls import CurvedEvaluator
    from .in_balls import BallEvaluator

LIMIT = 5_000_000
"""More graphs than this are refused, not attempted."""

Vector = Any  # flint.fmpq_mat, or where degrees normalise, Column: either is added, scaled and multiplied with a matrix
Message = tuple[int, int]  # the number of a vector, and the product of degrees whose root it is divided by


class UndecidedError(Exception):
    """Two scores of one graph could not be told apart."""


_MANY = 10**30  # counting stops here: past it, the exact number tells nobody anything
_REMEMBERED = 100_000  # vectors kept between graphs; bounds the memory of a long enumeration


def verify(
    query: Query,
    *,
    timeout: float | None = None,
    node_limit: int | None = None,
    options: Mapping[str, Any] | None = None,
) -> Verdict:
    """`vulnerable` comes with a minimum attack: graphs with fewer flips were all looked at before."""
    if not query.threat.is_plain:
        from . import brute_wider

        return brute_wider.verify(query, timeout=timeout, node_limit=node_limit, options=options)
    resolve(options)
    found = _enumerate(query, timeout, node_limit)
    broken = found.attack is not None
    status: Status = "vulnerable" if broken else "unknown" if found.reason is not None else "robust"
    return Verdict(
        status, query.claim.label, found.attack, found.rival, None if broken else found.reason,
        query.claim.node, query.graph.directed, found.stats,
    )  # fmt: skip


def radius(
    query: Query,
    *,
    timeout: float | None = None,
    node_limit: int | None = None,
    options: Mapping[str, Any] | None = None,
) -> Radius:
    """The number of flips of the first attack, minus one."""
    if not query.threat.is_plain:
        from . import brute_wider

        return brute_wider.radius(query, timeout=timeout, node_limit=node_limit, options=options)
    resolve(options)
    found = _enumerate(query, timeout, node_limit)
    robust = found.attack is None and found.reason is None
    if found.attack is not None:
        lower, upper = min(found.proved, len(found.attack) - 1), len(found.attack) - 1
    elif robust:
        cap = query.threat.budget
        lower, upper = found.pairs if cap is None else cap, None
    else:
        lower, upper = found.proved, None
    return Radius(
        lower, upper, found.reason is None, robust, query.claim.label, found.attack, found.rival, found.reason,
        query.claim.node, query.graph.directed, found.stats,
    )  # fmt: skip


@dataclass(frozen=True)
class _Found:
    """attack: the first in order of flips. proved: every graph with at most this many flips keeps the claim. reason:
    also "tie", beside an attack, where a graph with fewer flips could not be decided.
    """

    attack: Attack | None
    rival: int | None
    reason: str | None
    proved: int
    pairs: int
    stats: Stats


def _enumerate(query: Query, timeout: float | None, node_limit: int | None) -> _Found:
    begin = time.monotonic()
    pairs = fragile_pairs(query)
    room = _LocalBudgets(query)
    flippable = [pair for pair in pairs if room.allows(pair)]
    budget = len(flippable) if query.threat.budget is None else min(query.threat.budget, len(flippable))
    _refuse_if_too_large(query, flippable, budget)

    evaluator = evaluator_of(query)
    attack, rival, reason, proved, nodes = None, None, None, -1, 0
    tied: int | None = None
    for flips in range(budget + 1):
        for chosen in _subsets(flippable, flips, room):
            if node_limit is not None and nodes >= node_limit:
                reason = "node limit"
            elif timeout is not None and time.monotonic() - begin > timeout:
                reason = "timeout"
            else:
                nodes += 1
                try:
                    rival = evaluator.winner(chosen)
                except UndecidedError:
                    tied = flips if tied is None else tied
                    rival = None
                if rival is None:
                    continue
                attack = Attack(chosen)
            break
        else:
            proved = proved if tied else flips
            continue
        break
    reason = reason or ("tie" if tied else None)
    matter = _number_that_can_matter(query, pairs)
    stats = Stats(
        nodes=nodes,
        seconds=time.monotonic() - begin,
        leaves=nodes,
        fragile=matter,
        exploration=log2(max(nodes, 1)) / (matter + 1),
        evaluations=0,
    )
    if tied is not None and (attack is None or tied < len(attack)):
        reason, proved = reason or "tie", tied - 1
    return _Found(attack, rival, reason, proved, len(pairs), stats)


def evaluator_of(query: Query, clock: Clock = UNLIMITED) -> Evaluator | CurvedEvaluator | BallEvaluator:
    if query.network.attends:
        from .in_balls import BallEvaluator

        return BallEvaluator(query, clock)
    if query.network.is_smooth:
        from .brute_balls import CurvedEvaluator

        return CurvedEvaluator(query, clock)
    return Evaluator(query, clock)


# --- which graphs are admissible ---


def fragile_pairs(query: Query) -> list[Pair]:
    """Every pair that may flip, budgets apart; an undirected pair has its smaller vertex first."""
    graph, threat, node = query.graph, query.threat, query.claim.node
    n = graph.num_vertices

    def name(pair: Pair) -> Pair:
        u, v = pair
        return (u, v) if graph.directed or u <= v else (v, u)

    edges = {name(edge) for edge in zip(graph.sources.tolist(), graph.targets.tolist(), strict=True)}
    if threat.fragile is not None:
        chosen = {name(pair) for pair in threat.fragile}
    else:
        chosen = set(edges) if threat.delete else set()
        if threat.insert == "target":
            chosen |= {name((u, node)) for u in range(n) if u != node and node is not None} - edges
        elif isinstance(threat.insert, NewEnds):
            new = range(threat.insert.first, n)
            chosen |= {name(pair) for u in range(n) for v in new if u != v for pair in ((u, v), (v, u))} - edges
        elif threat.insert:
            number = n * (n - 1) // (1 if graph.directed else 2)
            if number - len(edges) > LIMIT:
                raise TooLargeError(
                    f"brute force lists every fragile pair; there are about {number:,} pairs of {n:,} vertices, "
                    f"its limit is {LIMIT:,}"
                )
            chosen |= {name((u, v)) for u in range(n) for v in range(n) if u != v} - edges
    return sorted(chosen - {name(pair) for pair in threat.protected})


class _LocalBudgets:
    """What a set of flips costs at each vertex, and what each vertex can pay."""

    def __init__(self, query: Query) -> None:
        local, self._directed = query.threat.local_budget, query.graph.directed
        self._left: list[int] | None = None
        if isinstance(local, np.ndarray):
            self._left = local.tolist()
        elif local is not None:
            self._left = [local] * query.graph.num_vertices

    def _payers(self, pair: Pair) -> tuple[int, ...]:
        u, v = pair
        return (v,) if self._directed or u == v else (u, v)

    def allows(self, pair: Pair) -> bool:
        return self._left is None or all(self._left[w] >= 1 for w in self._payers(pair))

    def pay(self, pair: Pair, sign: int = 1) -> None:
        if self._left is not None:
            for w in self._payers(pair):
                self._left[w] -= sign

    def left(self, vertex: int) -> int | None:
        return None if self._left is None else self._left[vertex]


def _subsets(pairs: list[Pair], size: int, room: _LocalBudgets, start: int = 0) -> Iterator[tuple[Pair, ...]]:
    """Every subset of pairs[start:] of this size that the local budgets allow."""
    if size == 0:
        yield ()
        return
    for at in range(start, len(pairs) - size + 1):
        if room.allows(pairs[at]):
            room.pay(pairs[at])
            for rest in _subsets(pairs, size - 1, room, at + 1):
                yield (pairs[at], *rest)
            room.pay(pairs[at], -1)


def _refuse_if_too_large(query: Query, pairs: list[Pair], budget: int) -> None:
    """Exact for directed graphs; for undirected ones only the larger vertex of a pair is charged: an upper bound."""
    room, into = _LocalBudgets(query), dict[int, int]()
    for _, v in pairs:
        into[v] = into.get(v, 0) + 1
    by_flips = [1]  # by_flips[k]: ways to flip k pairs at the vertices so far
    for v, degree in into.items():
        left = room.left(v)
        most = min(degree, budget, degree if left is None else left)
        ways = [1]
        while len(ways) <= most and ways[-1] <= _MANY:
            ways.append(comb(degree, len(ways)))
        product = [0] * min(len(by_flips) + len(ways) - 1, budget + 1)
        for i, before in enumerate(by_flips):
            for k, here in enumerate(ways[: len(product) - i]):
                product[i + k] += before * here
        by_flips = product
        if sum(by_flips) > _MANY:
            break
    total = sum(by_flips)
    if total > LIMIT:
        number = f"{total:,}" if total <= _MANY else "more than 10^30"
        raise TooLargeError(
            f"brute force would have to look at {number} graphs ({len(pairs):,} fragile pairs, budget {budget:,}); "
            f"its limit is {LIMIT:,}"
        )


def _number_that_can_matter(query: Query, pairs: list[Pair]) -> int:
    """Pairs whose target can send something to the node in question in the layers that are left; for `stats` only.

    A layer that normalises also weighs what a vertex sends by its degree, and a self-loop changes nothing in it.
    """
    graph, both = query.graph, not query.graph.directed
    incoming: dict[int, set[int]] = {}
    arcs = list(zip(graph.sources.tolist(), graph.targets.tolist(), strict=True)) + pairs
    for u, v in arcs + [(v, u) for u, v in pairs if both]:
        incoming.setdefault(v, set()).add(u)
    node = query.claim.node
    needed = set(range(graph.num_vertices)) if node is None else {node}
    receivers, weighed = set[int](), set[int]()
    for layer in reversed(query.network.layers):
        if not layer.is_dense:
            normalises = layer.aggregation in (Aggregation.GCN, Aggregation.SYM)
            receivers |= set() if normalises else needed
            needed = needed.union(*(incoming.get(v, set()) for v in needed))
            weighed |= needed if normalises else set()
    return sum(not (receivers if u == v else receivers | weighed).isdisjoint({u, v} if both else {v}) for u, v in pairs)


# --- what the network says ---


class Evaluator:
    """The network's definition over the rationals, on flipped versions of one graph.

    A layer's output at a vertex depends on nothing but the vertex's own vector, the vectors of its in-neighbours and,
    in a layer that normalises, their degrees. So every vector has a number (the features of vertex v have number v),
    and what a layer made of given numbers is remembered from graph to graph. Each of them may take a while where
    weights are many, so the clock is looked at before: `TimeUpError`.
    """

    def __init__(self, query: Query, clock: Clock = UNLIMITED) -> None:
        self._query, self._clock = query, clock
        graph, network = query.graph, query.network
        self._incoming: list[frozenset[int]] = [
            frozenset(graph.in_neighbours(v).tolist()) for v in range(graph.num_vertices)
        ]
        # rational columns, or where degrees normalise, columns with square roots
        self._make_column: Callable[[np.ndarray], Vector] = _rooted_column if network.normalises else _column
        self._weights = [
            (self._of_matrix(one.C), self._of_matrix(one.A), self._of_column(one.b)) for one in network.layers
        ]
        self._vectors: dict[int, Vector] = {}
        self._known: dict[tuple[int, int, tuple[Message, ...]], int] = {}

    def winner(self, flips: tuple[Pair, ...]) -> int | None:
        """The best rival that beats the label once these pairs are flipped; None if the claim holds."""
        scores = self.scores(flips)
        best = max(self._query.rivals, key=lambda rival: (scores[rival], -rival))
        return best if scores[best] > scores[self._query.claim.label] else None

    def scores(self, flips: tuple[Pair, ...]) -> list[Any]:
        if len(self._vectors) > _REMEMBERED:
            self._vectors.clear()
            self._known.clear()
        incoming: dict[int, frozenset[int]] = {}
        for u, v in flips:
            incoming[v] = incoming.get(v, self._incoming[v]) ^ {u}
            if not self._query.graph.directed and u != v:
                incoming[u] = incoming.get(u, self._incoming[u]) ^ {v}
        depth, done = len(self._query.network.layers), dict[tuple[int, int], int]()
        readout, node = self._query.network.readout, self._query.claim.node
        if readout is None:
            assert node is not None
            return list(self._vectors[self._number(node, depth, incoming, done)].entries())
        numbers = [self._number(v, depth, incoming, done) for v in range(self._query.graph.num_vertices)]
        return self._scores_of(self._combine(readout.pool, [self._vectors[number] for number in numbers]))

    def _scores_of(self, pooled: Vector) -> list[Any]:
        readout = self._query.network.readout
        assert readout is not None
        scores = _matrix(readout.C) * pooled + self._of_column(readout.b)
        for layer in self._query.network.head:
            scores = self._bend(layer, _matrix(layer.C) * scores + self._of_column(layer.b))
        return list(scores.entries())

    # what the numbers are: exact here, balls in brute_balls.py

    def _of_column(self, values: np.ndarray) -> Vector:
        return self._make_column(values)

    def _of_matrix(self, values: np.ndarray) -> Any:
        return _matrix(values)

    def _combine(self, how: Aggregation, columns: list[Vector]) -> Vector:
        return _aggregate(how, columns)

    def _over_roots(self, heard: list[Vector], others: tuple[Message, ...]) -> list[Vector]:
        return [one.over_root(weight) for one, (_, weight) in zip(heard, others, strict=True)]

    def _bend(self, layer: Layer, column: Vector) -> Vector:
        return _activated(layer, column)

    def _number(self, v: int, depth: int, incoming: dict[int, frozenset[int]], done: dict[tuple[int, int], int]) -> int:
        """The number of h_depth(v)."""
        if depth == 0:
            if v not in self._vectors:
                self._vectors[v] = self._of_column(self._query.graph.features.dense([v])[0])
            return v
        if (v, depth) not in done:
            own = self._number(v, depth - 1, incoming, done)
            others: tuple[Message, ...] = ()
            layer = self._query.network.layers[depth - 1]
            if not layer.is_dense:
                senders = incoming.get(v, self._incoming[v])
                weight = dict.fromkeys(senders, 1)
                if layer.aggregation is Aggregation.GCN:
                    senders = senders | {v}
                    degree = {u: len(incoming.get(u, self._incoming[u]) | {u}) for u in senders}
                    weight = {u: degree[u] * degree[v] for u in senders}
                elif layer.aggregation is Aggregation.SYM:
                    neighbours = {u: len(incoming.get(u, self._incoming[u])) for u in senders | {v}}
                    weight = {u: neighbours[u] * neighbours[v] for u in senders}
                others = tuple(sorted((self._number(u, depth - 1, incoming, done), weight[u]) for u in senders))
            key = (depth, own, others)
            if key not in self._known:
                self._clock.look()
                self._known[key] = self._query.graph.num_vertices + len(self._known)
                self._vectors[self._known[key]] = self._layer(depth - 1, own, others)
            done[v, depth] = self._known[key]
        return done[v, depth]

    def _layer(self, at: int, own: int, others: tuple[Message, ...]) -> Vector:
        """act(C h(v) + A agg{h(u)} + b); over no neighbours sum, max and mean are zero."""
        layer, (C, A, b) = self._query.network.layers[at], self._weights[at]
        before = C * self._vectors[own] + b
        if others:
            heard = [self._vectors[number] for number, _ in others]
            if layer.aggregation in (Aggregation.GCN, Aggregation.SYM):
                heard = self._over_roots(heard, others)
            before = before + A * self._combine(layer.aggregation, heard)
        return self._bend(layer, before)


def _rational(value: float) -> flint.fmpq:
    numerator, denominator = float(value).as_integer_ratio()
    return flint.fmpq(numerator, denominator)


def _matrix(values: np.ndarray) -> flint.fmpq_mat:
    return flint.fmpq_mat(values.shape[0], values.shape[1], [_rational(x) for row in values.tolist() for x in row])


def _column(values: np.ndarray) -> flint.fmpq_mat:
    return flint.fmpq_mat(len(values), 1, [_rational(x) for x in values.tolist()])


def _rooted_column(values: np.ndarray) -> Column:
    return Column.of(_column(values))


def _aggregate(how: Aggregation, columns: list[Vector]) -> Vector:
    """The terms of a GCN or sym sum are already divided by the roots of the degrees."""
    if how is Aggregation.MAX and isinstance(columns[0], Column):
        return largest(columns)
    if how is Aggregation.MAX:
        entries = [one.entries() for one in columns]
        return flint.fmpq_mat(len(entries[0]), 1, [max(row) for row in zip(*entries, strict=True)])
    total = sum(columns[1:], columns[0])
    return total * flint.fmpq(1, len(columns)) if how is Aggregation.MEAN else total


def _activated(layer: Layer, column: Vector) -> Vector:
    if layer.activation is Activation.NONE:
        return column
    if layer.is_smooth:
        raise TypeError(f"{layer!r}: rational numbers do not reach its values")
    if isinstance(layer.activation, tuple):
        fixed = {Activation.NONE: 1.0, Activation.RELU: 0.0}
        slopes = np.broadcast_to(layer.slope, layer.width_out).tolist()
        slopes = [fixed.get(one, slope) for one, slope in zip(layer.activation, slopes, strict=True)]
    else:
        slope = 0.0 if layer.activation is Activation.RELU else layer.slope
        slopes = np.broadcast_to(slope, layer.width_out).tolist()
    entries = [x if x >= 0 else x * _rational(slope) for x, slope in zip(column.entries(), slopes, strict=True)]
    if isinstance(column, Column):
        return Column.from_entries(entries)
    return flint.fmpq_mat(len(entries), 1, entries)

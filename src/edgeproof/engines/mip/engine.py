"""The MIP engine: one query in, one answer out.

A solver computes in floating point with tolerances. An attack that it finds is evaluated exactly before anybody hears
of it. Where its program has no solution, no graph comes closer to an attack than the tolerance; graphs in between are
cut off one by one and evaluated exactly, so `robust` holds as far as the solver keeps the tolerance that it promises.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from ...errors import InputError
from ...model.network import Aggregation
from ...model.query import Query
from ...model.verdict import Radius, Verdict
from .arena import survey
from .decide import Decision, Effort, decide
from .settings import Settings, resolve

_KNOWN = (Aggregation.SUM, Aggregation.MAX, Aggregation.MEAN)


def _begin(
    query: Query, timeout: float | None, node_limit: int | None, options: Mapping[str, Any] | None
) -> tuple[float, Settings, Effort]:
    if query.threat.inject is not None:
        raise InputError("inject: the engine 'mip' is asked about graphs that have the new vertices already")
    settings = resolve(options)
    for number, layer in enumerate(query.network.layers, 1):
        if layer.aggregation not in _KNOWN and not layer.is_dense:
            raise InputError(f"layer {number}: the mip engine knows sum, max and mean, got {layer.aggregation.value}")
    for layer in (*query.network.layers, *query.network.head):
        if layer.is_smooth:
            raise InputError(f"{layer!r}: the mip engine knows piecewise linear activations only")
    started = time.perf_counter()
    return started, settings, Effort(None if timeout is None else started + timeout, node_limit)


def verify(
    query: Query,
    *,
    timeout: float | None = None,
    node_limit: int | None = None,
    options: Mapping[str, Any] | None = None,
) -> Verdict:
    """`node_limit` counts nodes of the solver's tree."""
    started, settings, effort = _begin(query, timeout, node_limit, options)
    arena = survey(query, query.threat.budget)
    found = decide(query, arena, settings, effort)
    return Verdict(
        "vulnerable" if found.attack is not None else "robust" if found.reason is None else "unknown",
        query.claim.label,
        found.attack,
        found.rival,
        found.reason,
        query.claim.node,
        query.graph.directed,
        effort.stats(started, arena, settings),
    )


def radius(
    query: Query,
    *,
    timeout: float | None = None,
    node_limit: int | None = None,
    options: Mapping[str, Any] | None = None,
) -> Radius:
    """One budget after the other, from 0 on, until an attack is found."""
    started, settings, effort = _begin(query, timeout, node_limit, options)
    cap = query.threat.budget
    arena = survey(query, cap)
    lower, found = -1, Decision()
    most = arena.most if cap is None else min(cap, arena.most)
    while lower < most and found.attack is None and found.reason is None:
        found = decide(query, arena.with_budget(lower + 1), settings, effort)
        if found.attack is None and found.reason is None:
            lower += 1
    robust = found.attack is None and found.reason is None
    if robust:
        lower = query.threat.total_cost(query.graph, query.claim.node) if cap is None else cap
    return Radius(
        lower,
        None if found.attack is None else found.attack.cost - 1,
        found.reason is None,
        robust,
        query.claim.label,
        found.attack,
        found.rival,
        found.reason,
        query.claim.node,
        query.graph.directed,
        effort.stats(started, arena, settings),
    )

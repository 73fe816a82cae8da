"""The search engine: one query in, one answer out."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from ..model.query import Query
from ..model.verdict import Attack, Radius, Verdict
from ..options import resolve
from ..problem.compile import compile_problem
from ..problem.layout import Compiled
from .radius import Progress, RadiusSearch
from .strategy import Search
from .trace import Trace
from .warm_up import warm_up


def _compile(query: Query, options: Mapping[str, bool], budget: int | None) -> tuple[Compiled, int]:
    compiled = compile_problem(query, options, budget)
    return compiled, len(compiled.pairs) if budget is None else budget


def verify(
    query: Query,
    *,
    timeout: float | None,
    node_limit: int | None,
    options: Mapping[str, Any] | None,
    trace: Trace | None = None,
    threads: int = 1,
) -> Verdict:
    """Is the claim kept by every admissible graph? A `trace` is told what became of every search node."""
    warm_up()
    started = time.perf_counter()
    deadline = None if timeout is None else started + timeout
    chosen = resolve(options)
    if trace is not None:
        chosen["enumerate_at_once"] = False  # a proof names the leaves below which graphs are enumerated
        chosen["interplay"] = False  # the checker does not know it
        chosen["lines_nested"] = True  # the checker does: with other boxes it would find other lines
    search = Search(*_compile(query, chosen, query.threat.budget), chosen, threads, None, trace, deadline)
    reason = search.run(node_limit=node_limit, first_only=True)
    found = search.attack is not None
    return Verdict(
        status="vulnerable" if found else "robust" if reason is None else "unknown",
        label=query.claim.label,
        attack=Attack(search.attack) if search.attack is not None else None,
        rival=search.rival,
        reason=None if found else reason,
        node=query.claim.node,
        directed=query.graph.directed,
        stats=search.stats(started),
    )


def radius(
    query: Query,
    *,
    timeout: float | None,
    node_limit: int | None,
    options: Mapping[str, Any] | None,
    threads: int = 1,
    progress: Progress | None = None,
) -> Radius:
    """The largest budget that the claim survives."""
    warm_up()
    started = time.perf_counter()
    deadline = None if timeout is None else started + timeout
    chosen = resolve(options)
    search = RadiusSearch(query, chosen, deadline, node_limit, threads, progress)
    if chosen["radius_from_below"]:
        search.from_both_ends()
    else:
        search.from_above()
    return search.result(started)

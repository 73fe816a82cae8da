"""The search engine: one query in, one answer out."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from ..exact import ExactEvaluator
from ..options import resolve
from ..problem import Compiled, compile_problem
from ..query import Query
from ..verdict import Attack, Radius, Verdict
from .solve import Search
from .warm import warm_up


def _start(query: Query, options: Mapping[str, Any] | None) -> tuple[Compiled, dict[str, bool], int]:
    chosen = resolve(options)
    budget = query.threat.budget
    compiled = compile_problem(query, chosen, budget)
    return compiled, chosen, len(compiled.pairs) if budget is None else budget


def verify(
    query: Query, *, timeout: float | None, node_limit: int | None, options: Mapping[str, Any] | None
) -> Verdict:
    """Is the claim kept by every admissible graph?"""
    warm_up()
    started = time.perf_counter()
    deadline = None if timeout is None else started + timeout
    compiled, chosen, budget = _start(query, options)
    search = Search(compiled, chosen, budget, ExactEvaluator(query.network, query.graph))
    reason = search.run(deadline=deadline, node_limit=node_limit, first_only=True)
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


def radius(query: Query, *, timeout: float | None, node_limit: int | None, options: Mapping[str, Any] | None) -> Radius:
    """The paper's variant: whenever an attack is found, go on looking for a smaller one only."""
    warm_up()
    started = time.perf_counter()
    deadline = None if timeout is None else started + timeout
    compiled, chosen, budget = _start(query, options)
    search = Search(compiled, chosen, budget, ExactEvaluator(query.network, query.graph))
    reason = search.run(deadline=deadline, node_limit=node_limit, first_only=False)
    found = search.attack is not None
    upper = len(search.attack) - 1 if search.attack is not None else None
    if reason is not None:
        lower = 0 if not found or len(search.attack or ()) > 0 else -1
    elif upper is not None:
        lower = upper
    else:
        budget = query.threat.budget
        lower = query.threat.count_fragile(query.graph, query.claim.node) if budget is None else budget
    return Radius(
        lower=lower,
        upper=upper,
        exact=reason is None,
        robust=reason is None and not found,
        label=query.claim.label,
        attack=Attack(search.attack) if search.attack is not None else None,
        rival=search.rival,
        reason=reason,
        node=query.claim.node,
        directed=query.graph.directed,
        stats=search.stats(started),
    )

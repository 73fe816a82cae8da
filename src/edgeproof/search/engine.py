"""The search engine: one query in, one answer out."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from ..arithmetic.decide import count_products
from ..arithmetic.enclosure import bounded_scores
from ..arithmetic.receptive_field import find_field
from ..clock import TimeUpError
from ..errors import Interrupted
from ..model.query import Query
from ..model.verdict import Attack, Lead, Radius, Verdict
from ..options import resolve
from ..problem.compile import compile_problem
from ..problem.layout import Compiled
from .deadline import Alarm
from .meanwhile import answer_meanwhile
from .radius import Progress, RadiusSearch
from .strategy import Search, no_stats
from .trace import Trace
from .warm_up import warm_up

# of two numbers: a tenth of a second
MOST_PRODUCTS = 1 << 28


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
    progress: Callable[[int], None] | None = None,
) -> Verdict:
    """Is the claim kept by every admissible graph? A `trace` is told what became of every search node.

    Ctrl-C raises `Interrupted`, with what is known. progress: told the number of search nodes now and then.
    """
    asked = {"timeout": timeout, "node_limit": node_limit, "options": options}
    early = None if trace is not None else answer_meanwhile("verify", query, asked)
    if isinstance(early, Verdict):
        return early
    warm_up()
    started = time.perf_counter()
    chosen = resolve(options)
    if trace is not None:
        chosen["enumerate_at_once"] = False  # a proof names the leaves below which graphs are enumerated
        chosen["interplay"] = False  # the checker does not know it
        chosen["lines_nested"] = True  # the checker does: with other boxes it would find other lines
    search, reason = None, None
    with Alarm(None if timeout is None else started + timeout) as alarm:
        try:
            compiled = _compile(query, chosen, query.threat.budget)
            search = Search(*compiled, chosen, threads, None, trace, alarm, progress)
            reason = search.run(node_limit=node_limit, first_only=True)
        except KeyboardInterrupt:
            alarm.interrupted, reason = True, "interrupted"
        except TimeUpError:
            reason = alarm.reason
    found = search is not None and search.attack is not None
    answer = Verdict(
        status="vulnerable" if found else "robust" if reason is None else "unknown",
        label=query.claim.label,
        attack=Attack(search.attack) if search is not None and search.attack is not None else None,
        rival=None if search is None else search.rival,
        reason=None if found else reason,
        node=query.claim.node,
        directed=query.graph.directed,
        stats=no_stats(started) if search is None else search.stats(started),
        lead=None if found or reason is None or search is None else search.lead or _as_it_is(query),
    )
    if alarm.interrupted:
        raise Interrupted(answer)
    return answer


def _as_it_is(query: Query) -> Lead | None:
    """The graph without any flip, where nothing was looked at that comes closer; None where even that takes long."""
    network, claim = query.network, query.claim
    field = find_field(query.graph, network.layers, claim.node, (), degrees=network.normalises)
    if count_products(network, field) > MOST_PRODUCTS:
        return None
    scores, _ = bounded_scores(network, query.graph, field)
    return Lead(Attack(()), float(max(scores[rival] for rival in query.rivals) - scores[claim.label]))


def radius(
    query: Query,
    *,
    timeout: float | None,
    node_limit: int | None,
    options: Mapping[str, Any] | None,
    threads: int = 1,
    progress: Progress | None = None,
) -> Radius:
    """The largest budget that the claim survives. Ctrl-C raises `Interrupted`, with the interval that is known."""
    asked = {"timeout": timeout, "node_limit": node_limit, "options": options}
    early = answer_meanwhile("radius", query, asked)
    if isinstance(early, Radius):
        return early
    warm_up()
    started = time.perf_counter()
    chosen = resolve(options)
    with Alarm(None if timeout is None else started + timeout) as alarm:
        search = RadiusSearch(query, chosen, alarm, node_limit, threads, progress)
        try:
            search.run()
        except KeyboardInterrupt:
            alarm.interrupted = True
        except TimeUpError:
            search.reason = alarm.reason
    if alarm.interrupted:
        if not search.is_finished():
            search.reason = "interrupted"
        raise Interrupted(search.result(started))
    return search.result(started)

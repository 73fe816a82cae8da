"""The search engine: one query in, one answer out."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from ..arithmetic.decide import count_products
from ..arithmetic.enclosure import bounded_scores
from ..arithmetic.predict import holds_as_it_is
from ..arithmetic.receptive_field import find_field
from ..clock import TimeUpError
from ..errors import Interrupted, TooLargeError
from ..model.query import Query, require_plain
from ..model.verdict import Attack, Lead, Radius, Verdict
from ..options import resolve
from ..problem.compile import compile_problem
from .answers import radius_of, verdict_of
from .deadline import Alarm
from .from_base import by_charges, prepare, radius_by_charges
from .meanwhile import answer_meanwhile
from .radius import Progress, RadiusSearch
from .room import fits, refuse, tree_bytes
from .strategies import attended, few_graphs
from .strategies.by_size import BySize, is_for, warm_up_sizes
from .strategy import Search, no_stats
from .trace import Trace
from .warm_up import warm_up

# of two numbers: a tenth of a second
MOST_PRODUCTS = 1 << 28

# why a question ends without an answer that a search tree could add to
ENDS = ("timeout", "interrupted", "node limit")
# bytes: what takes so many is evaluated a few times a minute, and a tree after what charges left open goes nowhere
HOPELESS = 1 << 31


def verify(
    query: Query,
    *,
    timeout: float | None,
    node_limit: int | None,
    options: Mapping[str, Any] | None,
    trace: Trace | None = None,
    threads: int = 1,
    progress: Callable[[int], None] | None = None,
    memory: float | None = None,
) -> Verdict:
    """Is the claim kept by every admissible graph? A `trace` is told what became of every search node.

    Ctrl-C raises `Interrupted`, with what is known. progress: told the number of search nodes now and then. memory:
    what the question may take, in gigabytes; None: what is free.
    """
    require_plain(query, "the search alone")
    if attended.is_for(query):
        return _of_attention(query, timeout, node_limit, options, None).verdict()
    asked = {"timeout": timeout, "node_limit": node_limit, "options": options, "memory": memory}
    early = None if trace is not None else answer_meanwhile("verify", query, asked)
    if isinstance(early, Verdict):
        return early
    chosen = _for_proofs(resolve(options)) if trace is not None else resolve(options)
    warm_up()
    if is_for(query, chosen):
        warm_up_sizes()
    prepare(query, chosen, memory)
    started = time.perf_counter()
    with Alarm(None if timeout is None else started + timeout) as alarm:
        answer = _without_tree(query, chosen, alarm, node_limit, memory, started)
        if answer is None or answer.reason not in (None, *ENDS):
            answer = _by_tree(query, chosen, alarm, node_limit, memory, started, answer, threads, trace, progress)
    if answer.status == "robust" and alarm.tied is not None:
        answer = replace(answer, status="unknown", reason="tie")
    if alarm.interrupted:
        raise Interrupted(answer)
    return answer


def _of_attention(
    query: Query,
    timeout: float | None,
    node_limit: int | None,
    options: Mapping[str, Any] | None,
    progress: Progress | None,
    *,
    first_only: bool = True,
) -> attended.Attended:
    """No option says anything of attention, but unknown ones are refused all the same."""
    resolve(options)
    attended.warm_up_attention()
    started = time.perf_counter()
    with Alarm(None if timeout is None else started + timeout) as alarm:
        asked = attended.Attended(query, alarm, node_limit, progress)
        asked.run(first_only=first_only)
    if alarm.interrupted:
        raise Interrupted(asked.verdict() if first_only else asked.radius())
    return asked


def _for_proofs(chosen: dict[str, bool]) -> dict[str, bool]:
    """A proof names the leaves below which graphs are enumerated; the checker bounds with nested passes, and knows
    neither pairwise bounds nor what is answered without a tree.
    """
    return chosen | {
        "enumerate_at_once": False, "interplay": False, "lines_nested": True, "by_size": False, "charges": False,
        "few_graphs": False,
    }  # fmt: skip


def _without_tree(
    query: Query, chosen: Mapping[str, bool], alarm: Alarm, node_limit: int | None, memory: float | None, started: float
) -> Verdict | None:
    """From the values of the whole graph, where that is made for the question; None where it is not."""
    try:
        if is_for(query, chosen):
            sizes = BySize(query, alarm, node_limit)
            sizes.run(first_only=True)
            return sizes.verdict()
        if few_graphs.is_for(query, chosen, memory):
            few = few_graphs.FewGraphs(query, alarm)
            if few.run(first_only=True):
                return few.verdict(started)
        return by_charges(query, chosen, alarm, started, memory)
    except KeyboardInterrupt:
        alarm.interrupted = True
    except TimeUpError:
        pass
    return _unknown(query, alarm.reason, started)


def _by_tree(
    query: Query,
    chosen: Mapping[str, bool],
    alarm: Alarm,
    node_limit: int | None,
    memory: float | None,
    started: float,
    before: Verdict | None,
    threads: int,
    trace: Trace | None,
    progress: Callable[[int], None] | None,
) -> Verdict:
    """By a search tree; `before` is what was said without one, and stays where a tree has no room."""
    needed = tree_bytes(query, memory)
    if not fits(needed, memory):
        if before is None:
            raise refuse(needed, memory)
        return before if before.reason == "incomplete" else replace(before, reason="memory")
    if before is not None and needed > HOPELESS:
        return replace(before, reason="incomplete")
    search, reason = None, None
    try:
        compiled = compile_problem(query, chosen, query.threat.budget, alarm)
        budget = len(compiled.pairs) if query.threat.budget is None else query.threat.budget
        search = Search(compiled, budget, chosen, threads, None, trace, alarm, progress)
        reason = search.run(node_limit=node_limit, first_only=True)
    except TooLargeError:
        if before is None:
            raise
        return before
    except KeyboardInterrupt:
        alarm.interrupted, reason = True, "interrupted"
    except TimeUpError:
        reason = alarm.reason
    if search is None:
        return _unknown(query, reason or alarm.reason, started)
    lead = None if search.attack is not None or reason is None else search.lead or _as_it_is(query)
    return verdict_of(query, search.attack, search.rival, reason, search.stats(started), lead)


def _unknown(query: Query, reason: str, started: float) -> Verdict:
    """Of a question that ended before anything was searched."""
    return verdict_of(query, None, None, reason, no_stats(started))


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
    memory: float | None = None,
) -> Radius:
    """The largest budget that the claim survives. Ctrl-C raises `Interrupted`, with the interval that is known; memory:
    as for `verify`.
    """
    require_plain(query, "the search alone")
    if attended.is_for(query):
        return _of_attention(query, timeout, node_limit, options, progress, first_only=False).radius()
    asked = {"timeout": timeout, "node_limit": node_limit, "options": options, "memory": memory}
    early = answer_meanwhile("radius", query, asked)
    if isinstance(early, Radius):
        return early
    chosen = resolve(options)
    warm_up()
    if is_for(query, chosen):
        warm_up_sizes()
    prepare(query, chosen, memory)
    started = time.perf_counter()
    with Alarm(None if timeout is None else started + timeout) as alarm:
        answer = _radius_without_tree(query, chosen, alarm, node_limit, memory, started, progress)
        if answer is None or answer.reason not in (None, *ENDS):
            answer = _radius_by_tree(query, chosen, alarm, node_limit, memory, started, answer, threads, progress)
        if answer.lower < 0 and answer.attack is None:
            answer = _from_the_start(query, answer, alarm)
    if alarm.tied is not None and alarm.tied <= answer.lower:
        # whether so many flips break the claim is open
        answer = replace(answer, lower=alarm.tied - 1, exact=False, robust=False, reason=answer.reason or "tie")
    if alarm.interrupted:
        raise Interrupted(answer)
    return answer


def _from_the_start(query: Query, answer: Radius, alarm: Alarm) -> Radius:
    """Of a question that ended before anything was looked at: whether the claim holds as it is, if floats can tell."""
    claim = query.claim
    try:
        holds = holds_as_it_is(query.network, query.graph, claim.node, claim.label, query.rivals, alarm)
    except TimeUpError:
        return answer
    return replace(answer, lower=0) if holds else answer


def _radius_without_tree(
    query: Query,
    chosen: Mapping[str, bool],
    alarm: Alarm,
    node_limit: int | None,
    memory: float | None,
    started: float,
    progress: Progress | None,
) -> Radius | None:
    known = None
    try:
        if is_for(query, chosen):
            sizes = BySize(query, alarm, node_limit, progress)
            sizes.run(first_only=False)
            return sizes.radius()
        if chosen["radius_from_below"] and few_graphs.is_for(query, chosen, memory):
            known = few_graphs.FewGraphs(query, alarm, progress).find_radius(started)
            if known.reason != "incomplete":
                return known
        charged = radius_by_charges(query, chosen, alarm, started, progress, memory)
    except KeyboardInterrupt:
        alarm.interrupted = True
    except TimeUpError:
        pass
    else:
        return known if charged is None else charged
    if known is not None:
        return replace(known, reason=alarm.reason)
    return radius_of(query, -1, None, None, alarm.reason, no_stats(started), robust=False)


def _radius_by_tree(
    query: Query,
    chosen: Mapping[str, bool],
    alarm: Alarm,
    node_limit: int | None,
    memory: float | None,
    started: float,
    before: Radius | None,
    threads: int,
    progress: Progress | None,
) -> Radius:
    """By search trees; they begin with the interval that is known before."""
    needed = tree_bytes(query, memory)
    if not fits(needed, memory):
        if before is None:
            raise refuse(needed, memory)
        return before if before.reason == "incomplete" else replace(before, reason="memory")
    if before is not None and needed > HOPELESS:
        return replace(before, reason="incomplete")
    search = RadiusSearch(query, chosen, alarm, node_limit, threads, progress)
    if before is not None:
        search.begin_with(before.lower, None if before.attack is None else list(before.attack), before.rival)
    try:
        search.run()
    except TooLargeError:
        if before is None:
            raise
        return before
    except KeyboardInterrupt:
        alarm.interrupted = True
    except TimeUpError:
        search.reason = alarm.reason
    if alarm.interrupted and not search.is_finished():
        search.reason = "interrupted"
    return search.result(started)

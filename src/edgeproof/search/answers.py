"""What a strategy has found, as the answer to its query."""

from __future__ import annotations

from collections.abc import Iterable

from ..model.graph import Pair
from ..model.query import Query
from ..model.verdict import Attack, Lead, Radius, Stats, Verdict


def verdict_of(
    query: Query,
    attack: Iterable[Pair] | None,
    rival: int | None,
    reason: str | None,
    stats: Stats,
    lead: Lead | None = None,
) -> Verdict:
    """reason: why the search is not finished, None if it is; once an attack is known, that is all the same."""
    found = attack is not None
    return Verdict(
        status="vulnerable" if found else "unknown" if reason is not None else "robust",
        label=query.claim.label,
        attack=None if attack is None else Attack(attack),
        rival=rival,
        reason=None if found else reason,
        node=query.claim.node,
        directed=query.graph.directed,
        stats=stats,
        lead=lead,
    )


def radius_of(
    query: Query,
    lower: int,
    attack: Iterable[Pair] | None,
    rival: int | None,
    reason: str | None,
    stats: Stats,
    *,
    robust: bool,
) -> Radius:
    """lower: the largest budget that is proved; attack: the smallest one known; robust: none is left. reason: why the
    search is not finished, None if it is.
    """
    known = None if attack is None else Attack(attack)
    assert robust == (reason is None and known is None)
    if robust:
        budget = query.threat.budget
        lower = query.threat.count_fragile(query.graph, query.claim.node) if budget is None else budget
    return Radius(
        lower=lower,
        upper=None if known is None else len(known) - 1,
        exact=reason is None,
        robust=robust,
        label=query.claim.label,
        attack=known,
        rival=rival,
        reason=reason,
        node=query.claim.node,
        directed=query.graph.directed,
        stats=stats,
    )

"""What an answer says about other questions on the same node and label.

`robust` under a threat holds under every threat that it contains. An attack settles every threat that admits it: its
size, its pairs, and what it costs at each vertex. So (5, 5) says something about (2, 2), but a (2, 2) attack with both
flips at one vertex says nothing about (5, 1). Answers about threats beyond flips of equal cost settle nothing else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from math import inf
from typing import Any, NamedTuple

import numpy as np

from ..model.graph import Graph, Pair
from ..model.threat import Threat
from ..model.verdict import Attack, Radius, Stats, Verdict
from .answer import Failure, Result
from .job import Job
from .line import DECIDED, resolve_target, status_of
from .plan import Ask, Group


class Fact(NamedTuple):
    """Learned under threat number `threat`, against `target`; `key` is the question's that it comes from.

    proved: no attack has up to this many flips (-1: nothing proved).
    """

    key: str
    threat: int
    label: int
    target: int | None
    proved: float
    attack: tuple[Pair, ...] | None
    rival: int | None


def learn(job: Job, group: Group, ask: Ask, result: Result) -> Fact | None:
    """What a decided answer teaches; an open interval teaches nothing, so that all facts are lines of the store."""
    if isinstance(result, Failure) or status_of(result) not in DECIDED or not job.threats[ask.threat].is_plain:
        return None
    proved = float(result.lower) if isinstance(result, Radius) else -1.0
    if status_of(result) == "robust":
        proved = _budget(job, group, ask)
    return _fact(job, group, ask, result.label, proved, result.attack, result.rival)


def recall(job: Job, group: Group, ask: Ask, line: dict[str, Any]) -> Fact | None:
    """What a stored answer teaches; one that was implied teaches nothing new, a copy of an equal graph's does."""
    if line["status"] not in DECIDED or line["implied_by"] not in (None, line["key"]):
        return None
    if not job.threats[ask.threat].is_plain:
        return None
    proved = -1.0 if line["lower"] is None else float(line["lower"])
    if line["status"] == "robust":
        proved = _budget(job, group, ask)
    attack = None if line["attack"] is None else Attack((u, v) for u, v in line["attack"])
    return _fact(job, group, ask, line["label"], proved, attack, line["rival"])


def _threat(job: Job, group: Group, number: int) -> Threat:
    return job.threat(number, job.graphs[group.graph], group.node)


def _budget(job: Job, group: Group, ask: Ask) -> float:
    budget = _threat(job, group, ask.threat).budget
    return inf if budget is None else budget


def _fact(
    job: Job, group: Group, ask: Ask, label: int, proved: float, attack: Attack | None, rival: int | None
) -> Fact:
    target = resolve_target(ask, label, job.network.num_classes)
    return Fact(
        job.key(group, ask), ask.threat, label, target, proved, None if attack is None else tuple(attack), rival
    )


def settle(job: Job, group: Group, ask: Ask, facts: Iterable[Fact]) -> tuple[Result, str] | None:
    """The answer that follows from the facts, and the key of the one that decided it; None if none follows."""
    graph, threat = job.graphs[group.graph], _threat(job, group, ask.threat)
    if not threat.is_plain:
        return None
    cap = _budget(job, group, ask)
    proved, proof = -1.0, None
    smallest: Fact | None = None
    for fact in sorted(facts, key=lambda fact: fact.key):  # whatever the order in which they were learned
        target = resolve_target(ask, fact.label, job.network.num_classes)
        attack = fact.attack
        if (
            attack is not None
            and target in (None, fact.rival)
            and (smallest is None or smallest.attack is None or len(attack) < len(smallest.attack))
            and admits(threat, graph, group.node, attack)
        ):
            smallest = fact
        if fact.proved > proved and fact.target in (None, target):
            reach = min(fact.proved, cap)
            if contains(_threat(job, group, fact.threat), threat, reach, graph, group.node):
                proved, proof = reach, fact
    shared: dict[str, Any] = {"node": group.node, "directed": graph.directed, "stats": Stats(seconds=0.0)}
    if proof is not None and proved >= cap:
        if not ask.radius:
            return Verdict("robust", proof.label, **shared), proof.key
        lower = threat.count_fragile(graph, group.node) if threat.budget is None else threat.budget
        return Radius(lower, None, exact=True, robust=True, label=proof.label, **shared), proof.key
    if smallest is None or smallest.attack is None:
        return None
    found: dict[str, Any] = {
        "label": smallest.label, "attack": Attack(smallest.attack), "rival": smallest.rival, **shared,
    }  # fmt: skip
    if not ask.radius:
        return Verdict("vulnerable", **found), smallest.key
    upper = len(smallest.attack) - 1
    if proved < upper:
        return None
    return Radius(upper, upper, exact=True, robust=False, **found), smallest.key


def admits(threat: Threat, graph: Graph, node: int | None, attack: Iterable[Pair]) -> bool:
    """Whether the adversary may flip all these pairs together."""
    pairs = list(attack)
    if threat.budget is not None and len(pairs) > threat.budget:
        return False
    spent: Counter[int] = Counter()
    for u, v in pairs:
        spent.update({v} if graph.directed else {u, v})
    within = (threat.local_budget_of(v) for v in spent)
    if any(local is not None and cost > local for cost, local in zip(spent.values(), within, strict=True)):
        return False
    return all(threat.admits(graph, pair, node) for pair in pairs)


def contains(large: Threat, small: Threat, budget: float, graph: Graph, node: int | None) -> bool:
    """Whether `large`, global budgets apart, admits every attack of at most `budget` flips that `small` admits.

    Says no where it would be costly to find out.
    """
    # no vertex can see more flips than there are in all
    low = np.minimum(inf if small.local_budget is None else small.local_budget, budget)
    high = inf if large.local_budget is None else large.local_budget
    if not np.all(low <= high):
        return False
    if small.fragile is not None:
        if large.fragile is None:
            return all(large.admits(graph, pair, node) for pair in small.explicit_pairs(graph) or ())
        return (small.explicit_pairs(graph) or frozenset()) <= (large.explicit_pairs(graph) or frozenset())
    if large.fragile is not None:
        return False
    kinds = {False: 0, "target": 1, True: 2}
    if small.delete > large.delete or kinds[small.insert] > kinds[large.insert]:
        return False
    return not large.protected or large.protected_pairs(graph) <= small.protected_pairs(graph)

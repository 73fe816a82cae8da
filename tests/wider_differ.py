"""Compare what is said about a wider threat with brute force."""

from __future__ import annotations

import edgeproof as ep
from edgeproof.engines import brute
from edgeproof.engines.brute import Evaluator
from edgeproof.engines.brute_wider import changes
from edgeproof.model.query import Query
from edgeproof.wider import ask as wider


def ask_brute(what: str, query: Query, timeout: float | None, node_limit: int | None) -> object:
    return getattr(brute, what)(query, timeout=timeout, node_limit=node_limit, options=None)


def disagreement(query: Query, engine: str = "brute below") -> tuple[str | None, ep.Radius]:
    """What is wrong with the verdict or the radius, None if nothing is; and the truth. "brute below": brute force
    answers the questions about flips of equal cost.
    """
    truth = brute.radius(query)
    claim = query.claim
    asked = {"node": claim.node, "label": claim.label, "target": claim.target, "engine": engine, "timeout": 600.0}
    try:
        if engine == "brute below":
            verdict, radius = (
                wider.verify(query, "search", ask_brute, None, None),
                wider.radius(query, "search", ask_brute, None, None),
            )
        else:
            verdict = ep.verify(query.network, query.graph, query.threat, **asked)
            radius = ep.radius(query.network, query.graph, query.threat, **asked)
    except Exception as problem:
        return f"{type(problem).__name__}: {problem}", truth
    if engine == "mip" and "tolerance" in (verdict.reason, radius.reason):
        return None, truth  # solvers work with tolerances; too near a tie to tell is an answer (docs/mip.md)
    status = "robust" if truth.robust else "vulnerable"
    if verdict.status != status:
        return f"verify says {verdict}, the truth is {truth}", truth
    if (radius.lower, radius.upper, radius.exact, radius.robust) != (truth.lower, truth.upper, True, truth.robust):
        return f"radius says {radius}, the truth is {truth}", truth
    return wrong_attack(query, verdict) or wrong_attack(query, radius), truth


def wrong_attack(query: Query, answer: ep.Verdict | ep.Radius) -> str | None:
    """Whether the attack is one of all admissible changes, costs what it says, and works on the graph that it makes."""
    attack = answer.attack
    if answer.robust:
        return None if attack is None else "a robust answer with an attack"
    if isinstance(answer, ep.Radius) and attack.cost != answer.lower + 1:
        return f"radius {answer.lower} with an attack that costs {attack.cost}"
    same = [
        one
        for one in changes(query)
        if sorted(one.features) == list(attack.features) and _like(query, one.rows) == _like(query, attack.injected)
    ]
    costs = [one.cost for one in same if _pairs(query, one) == _pairs(query, attack)]
    if attack.cost not in costs:
        return f"{attack} is not admissible, or costs {costs} and not {attack.cost}"
    made = attack.apply(query.graph)
    scores = Evaluator(Query(query.network, made, ep.Threat(0), query.claim)).scores(())
    if not scores[answer.rival] > scores[answer.label]:
        return f"{attack} does not work: {scores}"
    return None


def _like(query: Query, rows: tuple[int, ...]) -> list[tuple[float, ...]]:
    return sorted(tuple(query.threat.inject.features[row].tolist()) for row in rows)


def _pairs(query: Query, one: object) -> list[tuple[object, ...]]:
    """New vertices by what they are: a row and their edges; their order is nobody's business."""
    n = query.graph.num_vertices
    pairs, rows = (one.pairs, one.rows) if hasattr(one, "rows") else (tuple(one), one.injected)
    if len(rows) == 2 and list(query.threat.inject.features[rows[0]]) == list(query.threat.inject.features[rows[1]]):
        other = {n: n + 1, n + 1: n}
        swapped = [(other.get(u, u), other.get(v, v)) for u, v in pairs]
        return min(_named(query, pairs), _named(query, swapped))
    if len(rows) == 2 and tuple(query.threat.inject.features[rows[0]]) > tuple(query.threat.inject.features[rows[1]]):
        other = {n: n + 1, n + 1: n}
        return _named(query, [(other.get(u, u), other.get(v, v)) for u, v in pairs])
    return _named(query, pairs)


def _named(query: Query, pairs: object) -> list[tuple[int, int]]:
    return sorted((u, v) if query.graph.directed or u <= v else (v, u) for u, v in pairs)

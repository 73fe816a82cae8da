"""Compare an engine with brute force on one query, and say in words where they differ."""

from __future__ import annotations

import os
from collections.abc import Mapping

import numpy as np

from edgeproof import Radius, Verdict
from edgeproof.ask import Engine
from edgeproof.engines import brute
from edgeproof.model.query import Query
from edgeproof.options import TABLE, TEST_SWITCHES
from random_queries import EVERYTHING, Grid, draw
from shrink import reproducer, shrink

# seconds; queries are small, so an engine that needs longer hangs, unless its kernels run in plain Python
TIMEOUT = 60.0 if os.environ.get("EDGEPROOF_KERNELS") != "python" else 1800.0
Options = Mapping[str, bool]


def draw_options(seed: int, index: int) -> dict[str, bool]:
    """Half of the queries run with the defaults, the rest with a random subset of the options switched."""
    rng = np.random.default_rng((seed, index, 1))
    if rng.random() < 0.5:
        return {}
    return {option.name: not option.default for option in (*TABLE, *TEST_SWITCHES) if rng.random() < 0.3}


def disagreement(engine: Engine, query: Query, options: Options | None = None) -> str | None:
    """What is wrong with the engine's verdict or radius; None if nothing is."""
    truth = brute.radius(query, timeout=None, node_limit=None, options=None)
    status = "robust" if truth.robust else "vulnerable"
    if truth.reason == "tie":
        return beside_a_tie(engine, query, truth, options)
    try:
        verdict = engine.verify(query, timeout=TIMEOUT, node_limit=None, options=options)
        radius = engine.radius(query, timeout=TIMEOUT, node_limit=None, options=options)
    except Exception as problem:  # a crash is a finding like any other
        return f"{type(problem).__name__}: {problem}"
    if verdict.status != status:
        return f"verify says {verdict}, the truth is {status}: {truth}"
    if (radius.lower, radius.upper, radius.exact, radius.robust) != (truth.lower, truth.upper, True, truth.robust):
        return f"radius says {radius}, the truth is {truth}"
    if radius.attack is not None and len(radius.attack) != radius.lower + 1:
        return f"radius {radius.lower} with an attack of {len(radius.attack)} flips"
    return wrong_answer(query, verdict) or wrong_answer(query, radius)


def beside_a_tie(engine: Engine, query: Query, truth: Radius, options: Options | None) -> str | None:
    """What is wrong where brute force has met two scores that nothing tells apart."""
    try:
        verdict = engine.verify(query, timeout=TIMEOUT, node_limit=None, options=options)
        radius = engine.radius(query, timeout=TIMEOUT, node_limit=None, options=options)
    except Exception as problem:
        return f"{type(problem).__name__}: {problem}"
    if verdict.status == "unknown" and verdict.reason != "tie":
        return f"verify says {verdict}, the truth is a tie: {truth}"
    if verdict.status == "vulnerable" and truth.attack is None:
        return f"verify says {verdict}, the truth is {truth}"
    if verdict.status == "vulnerable" and inadmissible(query, verdict.attack) is not None:
        return f"verify says {verdict}, whose attack is not admissible"
    if not radius.exact and radius.reason != "tie":
        return f"radius says {radius}, the truth is {truth}"
    if radius.lower < truth.lower or (truth.upper is not None and radius.lower > truth.upper):
        return f"radius says {radius}, the truth is {truth}"
    return None


def wrong_answer(query: Query, answer: Verdict | Radius) -> str | None:
    """What is wrong with an answer in itself: who it is about, whether its attack is allowed and works."""
    about = (answer.label, answer.node, answer.directed)
    if about != (query.claim.label, query.claim.node, query.graph.directed):
        return f"the answer is about {about}"
    if answer.reason is not None:
        return f"a decided answer with reason {answer.reason!r}"
    broken = answer.status == "vulnerable" if isinstance(answer, Verdict) else not answer.robust
    if not broken:
        return None if answer.attack is None and answer.rival is None else "a robust answer with an attack"
    if answer.attack is None or answer.rival is None:
        return "an attack or its winner is missing"
    problem = inadmissible(query, answer.attack)
    if problem is not None:
        return f"attack {answer.attack}: {problem}"
    scores = brute.evaluator_of(query).scores(answer.attack)
    if answer.rival not in query.rivals or not scores[answer.rival] > scores[answer.label]:
        return f"attack {answer.attack} does not make class {answer.rival} beat class {answer.label}: {scores}"
    return None


def inadmissible(query: Query, attack: tuple[tuple[int, int], ...]) -> str | None:
    """Why these flips are not allowed; written apart from every engine."""
    graph, threat = query.graph, query.threat
    edges = set(zip(graph.sources.tolist(), graph.targets.tolist(), strict=True))
    spent = [0] * graph.num_vertices
    for u, v in attack:
        same = {(u, v)} if graph.directed else {(u, v), (v, u)}
        if not graph.directed and u > v:
            return f"({u}, {v}) is not the name of an undirected pair"
        if same & threat.protected:
            return f"({u}, {v}) is protected"
        if threat.fragile is not None:
            fragile = bool(same & threat.fragile)
        elif (u, v) in edges:
            fragile = threat.delete
        elif threat.insert == "target":
            fragile = u != v and (v == query.claim.node or (not graph.directed and u == query.claim.node))
        else:
            fragile = bool(threat.insert) and u != v
        if not fragile:
            return f"({u}, {v}) is not fragile"
        for w in {v} if graph.directed else {u, v}:
            spent[w] += 1
    if len(set(attack)) != len(attack):
        return "a pair is flipped twice"
    if threat.budget is not None and len(attack) > threat.budget:
        return f"{len(attack)} flips, the budget is {threat.budget}"
    for w, cost in enumerate(spent):
        limit = threat.local_budget_of(w)
        if limit is not None and cost > limit:
            return f"{cost} flips at vertex {w}, its budget is {limit}"
    return None


def check(engine: Engine, seed: int, index: int, grid: Grid = EVERYTHING, shrinking: float = 60) -> str | None:
    """Compare on one random query; on disagreement a report with the seed and a small program that shows it."""
    query, options = draw(seed, index, grid), draw_options(seed, index)
    problem = disagreement(engine, query, options)
    if problem is None:
        return None

    def fails(smaller: Query) -> bool:
        return disagreement(engine, smaller, options) is not None

    small = shrink(query, fails, shrinking)
    return (
        f"seed {seed}, index {index}, options {options}\n{problem}\n"
        f"shrunk: {disagreement(engine, small, options)}\n\n{reproducer(small, options)}"
    )

"""Several allowed classes, and a margin: against the scores of the network as it is, on every admissible graph."""

from __future__ import annotations

import os
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

import edgeproof as ep
from edgeproof.engines.brute import Evaluator
from edgeproof.model.kept import ask_for
from edgeproof.model.query import make_query
from random_queries import EVERYTHING, draw, fragile_pairs

SEED = int(os.environ.get("EDGEPROOF_SEED", "11"))


def smallest_break(query, allowed, rivals, margin: float) -> int:
    """By the definition, in exact arithmetic: -1 where nothing within the budget breaks it."""
    evaluator = Evaluator(query)
    pairs = fragile_pairs(query.graph, query.threat, query.claim.node)
    budget = len(pairs) if query.threat.budget is None else min(query.threat.budget, len(pairs))
    exact = Fraction(margin)
    for size in range(budget + 1):
        for flips in combinations(pairs, size):
            if not affordable(query, flips):
                continue
            scores = evaluator.scores(flips)
            lead = scores[0].__class__(0) + exact.numerator  # whole, as what the scores are made of
            for rival in rivals:
                if all((scores[rival] - scores[c]) * exact.denominator + lead > 0 for c in allowed):
                    return size
    return -1


def affordable(query, flips) -> bool:
    spent = [0] * query.graph.num_vertices
    for u, v in flips:
        for w in {v} if query.graph.directed else {u, v}:
            spent[w] += 1
    limits = [query.threat.local_budget_of(w) for w in range(len(spent))]
    return all(limit is None or cost <= limit for cost, limit in zip(spent, limits, strict=True))


def some_query(index: int):
    for extra in range(50):
        query = draw(SEED, 1000 * index + extra, EVERYTHING)
        pairs = fragile_pairs(query.graph, query.threat, query.claim.node)
        if query.network.num_classes >= 3 and not query.network.normalises and len(pairs) <= 8:
            return query
    raise AssertionError("no query")


@pytest.mark.parametrize("engine", ["search", "brute"])
@pytest.mark.parametrize("part", range(4))
def test_verdicts_are_those_of_the_definition(engine: str, part: int) -> None:
    seen = set()
    for index in range(part, 48, 4):
        query, rng = some_query(index), np.random.default_rng(index)
        K = query.network.num_classes
        allowed = tuple(sorted(rng.permutation(K)[: rng.integers(1, K)].tolist()))
        margin = float(rng.choice([0.0, 0.0, 0.5, 0.1, 1e-9, 3.0]))
        others = [c for c in range(K) if c not in allowed]
        target = int(rng.choice(others)) if rng.random() < 0.3 else None
        rivals = others if target is None else [target]
        plain = make_query(query.network, query.graph, query.threat, query.claim.node, allowed[0])
        truth = smallest_break(plain, allowed, rivals, margin)
        label = allowed if len(allowed) > 1 else allowed[0]
        given = (query.network, query.graph, query.threat, query.claim.node)
        how = {"label": label, "target": target, "margin": margin, "engine": engine, "timeout": 120}
        verdict, radius = ep.verify(*given, **how), ep.radius(*given, **how)
        where = f"seed {SEED}, index {index}, allowed {allowed}, margin {margin}, target {target}"
        assert verdict.status == ("robust" if truth < 0 else "vulnerable"), where
        assert radius.robust if truth < 0 else radius.lower == truth - 1, where
        assert verdict.label in allowed, where
        for attack, rival in ((verdict.attack, verdict.rival), (radius.attack, radius.rival)):
            if attack is not None:
                assert rival in rivals, where
                scores = Evaluator(plain).scores(tuple(attack))
                assert all(scores[rival] - scores[c] + lead_of(margin) > 0 for c in allowed), where
        seen.add((verdict.status, len(allowed) > 1, margin > 0))
    assert len(seen) >= 4


def lead_of(margin: float):
    import flint

    exact = Fraction(margin)
    return flint.fmpq(exact.numerator, exact.denominator)


def chain() -> tuple[ep.Network, ep.Graph]:
    """Vertex 1 hears vertex 0: scores 3, 2, 0 with the edge, 1, 2, 0 without it."""
    layer = ep.Layer(np.zeros((3, 1)), [[2.0], [0.0], [0.0]], [1.0, 2.0, 0.0], "sum", "none")
    return ep.Network([layer]), ep.Graph([[0], [1]], [[1.0], [1.0]], directed=True)


def test_any_allowed_class_counts_as_kept_and_a_lead_that_is_reached_is_kept() -> None:
    network, graph = chain()
    ask = (network, graph, ep.Threat(1), 1)
    assert ep.verify(*ask).vulnerable
    assert ep.verify(*ask, label=(0, 1)).robust
    assert ep.verify(*ask, label=[1, 0], margin=2.0).robust
    broken = ep.verify(*ask, label={0, 1}, margin=2.5)
    assert (broken.status, broken.rival, list(broken.attack), broken.label) == ("vulnerable", 2, [(0, 1)], 0)
    assert ep.verify(*ask, margin=1.0, target=2).robust
    assert ep.radius(*ask, margin=1.5).lower == -1
    assert ep.radius(*ask, label=(0, 2), target=1).lower == 0
    assert ep.radius(*ask, label=np.array([0, 1])).robust


def test_a_network_is_written_once_for_a_claim() -> None:
    network, graph = chain()
    first, again = (ask_for(network, graph, ep.Threat(1), 1, (0, 1), None, 0.5).query.network for _ in range(2))
    assert first is again
    assert ask_for(network, graph, ep.Threat(1), 1, None, None, 0.0).query.network is network


@pytest.mark.parametrize(
    ("how", "complaint"),
    [
        ({"label": (0, 3)}, "label: 3 is out of range, there are 3 classes"),
        ({"label": ()}, "label: expected a class, or several"),
        ({"label": (0, 1, 2)}, "every class is allowed"),
        ({"label": "01"}, "label: expected a whole number"),
        ({"label": (0, 1), "target": 1}, "target: class 1 is one of the allowed classes"),
        ({"margin": -1.0}, "margin: expected a number from 0 on"),
        ({"margin": float("nan")}, "margin: expected a number from 0 on"),
        ({"margin": True}, "margin: expected a number from 0 on"),
        ({"margin": 1.0, "certify": True}, "proofs and float32 are about one class"),
        ({"label": (0, 1), "arithmetic": "float32"}, "proofs and float32 are about one class"),
    ],
)
def test_what_makes_no_claim_is_refused(how: dict, complaint: str) -> None:
    network, graph = chain()
    with pytest.raises(ep.InputError, match=complaint):
        ep.verify(network, graph, ep.Threat(1), 1, **how)

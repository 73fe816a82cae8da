"""Verdicts and radii that come from charges agree with brute force; where they give up, the search goes on."""

from __future__ import annotations

import numpy as np
import pytest

import edgeproof as ep
from charged_queries import draw
from edgeproof.model.query import make_query
from edgeproof.search.charges.question import Question
from edgeproof.search.from_base import applies_to

CASES = 40


def test_verdicts_and_radii_agree_with_brute_force(pytestconfig: pytest.Config) -> None:
    decided = 0
    for seed in range(1000, 1000 + max(CASES, pytestconfig.getoption("--campaign") // 50)):
        rng, query = np.random.default_rng(seed), draw(seed)
        local = None if rng.random() < 0.7 else int(rng.integers(3))
        protected = [pair for pair in query.graph.edge_pairs() if rng.random() < 0.15]
        threat = ep.Threat(query.threat.budget, local_budget=local, protected=protected)
        about = query.network, query.graph, threat, query.claim.node
        verdict = ep.verify(*about, options={"charges_at_once": True})
        truth = ep.verify(*about, engine="brute")
        assert verdict.status == truth.status, f"seed {seed}: {verdict}, {truth}"
        radius, exact = ep.radius(*about, options={"charges_at_once": True}), ep.radius(*about, engine="brute")
        for field in ("lower", "upper", "exact", "robust"):
            assert getattr(radius, field) == getattr(exact, field), f"seed {seed}: {radius}, {exact}"
        for answer in (verdict, radius):
            if answer.attack is not None:
                assert ep.verify(*about[:2], threat, about[3], label=verdict.label, engine="brute").attack is not None
                scores = query.network.scores(answer.attack.apply(query.graph), query.claim.node)
                assert scores[answer.rival] > scores[verdict.label], f"seed {seed}"
        decided += "charged" in verdict.stats
    assert decided > CASES / 2


@pytest.mark.parametrize(("budget", "seeds"), [(2, range(2000, 2200)), (3, range(2000, 2100))])
def test_sets_are_found_without_looking_for_attacks(budget: int, seeds: range, monkeypatch: pytest.MonkeyPatch) -> None:
    """A greedy attack would hide a set that the charges wrongly leave out."""
    monkeypatch.setattr(Question, "_attack", lambda *_: None)
    for seed in seeds:
        query = draw(seed)
        about = query.network, query.graph, ep.Threat(budget), query.claim.node
        verdict = ep.verify(*about, options={"charges_at_once": True})
        assert verdict.status == ep.verify(*about, engine="brute").status, f"seed {seed}: {verdict}"


@pytest.mark.parametrize(
    "threat", [ep.Threat(1, insert=True), ep.Threat(1, delete=False), ep.Threat(1, fragile=[(0, 1)])]
)
def test_other_threats_are_left_to_the_search(threat: ep.Threat) -> None:
    query = draw(1)
    assert applies_to(query)
    assert not applies_to(make_query(query.network, query.graph, threat, query.claim.node))


def test_what_does_not_fit_is_refused_with_the_number_of_bytes() -> None:
    query = draw(3)
    about = query.network, query.graph, query.threat, query.claim.node
    for ask in (ep.verify, ep.radius):
        with pytest.raises(ep.TooLargeError, match=r"^memory: this question takes about [\d,]+ bytes, memory=1e-06"):
            ask(*about, memory=1e-6)
        with pytest.raises(ep.InputError, match="memory: expected a positive number of gigabytes"):
            ask(*about, memory=-1)
        with pytest.raises(ep.InputError, match="only the engine 'search' keeps to it"):
            ask(*about, memory=1, engine="brute")

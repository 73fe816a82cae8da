"""What rounding can do to charges is less than what a margin has to exceed."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from edgeproof import Graph, Layer, Network, Threat
from edgeproof.arithmetic.evaluator import exact_scores
from edgeproof.model.query import Query, make_query
from edgeproof.search.charges import question as charges
from edgeproof.search.charges.question import Question
from edgeproof.search.deadline import Alarm

CASES = 150


def nearly_tied(seed: int) -> Query | None:
    """On a path, where one deletion costs exactly what it is charged: the worst of them breaks the claim by less than
    a unit of the bias's last place. None where no deletion does harm.
    """
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 7))
    ends = np.array([np.arange(n - 1), np.arange(1, n)])
    graph = Graph(np.concatenate([ends, ends[::-1]], axis=1), rng.normal(size=(n, 3)), directed=False)
    shapes = ((4, 3), (4, 4), (2, 4))
    how = str(rng.choice(["sum", "mean"]))
    parts = [[rng.normal(size=s), rng.normal(size=s), rng.normal(size=s[0])] for s in shapes]

    def network() -> Network:
        return Network([Layer(*part, how, "relu" if part[2].size == 4 else "none") for part in parts])

    node, pairs = 0, graph.edge_pairs()

    def margin(flips: tuple[tuple[int, int], ...]) -> Fraction:
        label, rival = (Fraction(int(x.p), int(x.q)) for x in exact_scores(network(), graph, node, flips))
        return label - rival

    least = min(margin((pair,)) for pair in pairs)
    if margin(()) - least < Fraction(1, 100):
        return None
    bias = float(least + Fraction(float(parts[2][2][1])))
    parts[2][2][1] = bias
    while min(margin((pair,)) for pair in pairs) >= 0:
        parts[2][2][1] = np.nextafter(parts[2][2][1], np.inf)
    return make_query(network(), graph, Threat(1), node, label=0)


def count_proved() -> tuple[int, int]:
    """Of how many claims that fail, and how many of them charges say to hold."""
    queries = [query for seed in range(CASES) if (query := nearly_tied(seed)) is not None]
    return len(queries), sum(Question(query, Alarm()).decide(1).robust for query in queries)


def test_a_claim_that_fails_by_less_than_rounding_is_not_proved() -> None:
    asked, proved = count_proved()
    assert asked > CASES / 3
    assert proved == 0


def test_what_is_counted_for_rounding_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    """These questions are hard enough: without it, some claims that fail would be proved."""
    monkeypatch.setattr(charges, "count_roundings", lambda budget: 0.0)
    assert count_proved()[1] > 0

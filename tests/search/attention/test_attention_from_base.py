"""Scores after flips, from base values, against the network's definition in balls."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from attention_queries import any_network, drawn, two_layers
from edgeproof.engines.in_balls import BallEvaluator
from edgeproof.search.attention.evaluate import evaluate_sets, lead_after
from edgeproof.search.attention.every_graph import pairs_that_matter
from edgeproof.search.attention.from_base import FromBase
from edgeproof.search.attention.stack import knows
from edgeproof.search.attention.surroundings import FREE
from edgeproof.search.deadline import Alarm


@pytest.mark.parametrize("make", [two_layers, any_network])
def test_scores_after_flips_are_those_of_the_definition(make: object) -> None:
    looked_at = 0
    for seed in range(5000, 5100):
        query = drawn(make, seed)
        if query is None or not knows(query.network) or query.claim.node is None:
            continue
        looked_at += 1
        pairs = pairs_that_matter(query)
        local = np.full(query.graph.num_vertices, FREE)
        with Alarm() as alarm:
            found = FromBase.make(query, pairs, local, alarm, lambda flips: None)
        assert found is not None
        definition, rng = BallEvaluator(query)._definitions[0], np.random.default_rng(seed)
        sets = [chosen for size in range(1, 4) for chosen in combinations(range(len(pairs)), size)]
        for at in rng.permutation(len(sets))[:6].tolist():
            chosen = np.array(sets[at], dtype=np.int64)
            label, rivals = query.claim.label, np.array(query.rivals)
            lead = lead_after(found._lent, chosen, chosen.size, label, rivals)
            scores = [float(x.mid()) for x in definition.scores(tuple(pairs[one] for one in chosen))]
            true = max(scores[rival] for rival in query.rivals) - scores[label]
            assert abs(lead - true) <= found._error + 1e-14 * (1.0 + max(map(abs, scores))), (seed, sets[at])
            # it counts magnitudes that cancel, but leaves little in doubt
            assert found._error < 1e-3 * (1.0 + max(map(abs, scores)))
    assert looked_at > 25


def test_every_affordable_set_is_visited_once() -> None:
    """Leads are all in doubt, so that the enumeration comes back with each set."""
    for seed in range(5000, 5040):
        query, rng = drawn(two_layers, seed), np.random.default_rng(seed)
        if query is None:
            continue
        pairs = pairs_that_matter(query)
        local = rng.integers(0, 3, size=query.graph.num_vertices)
        with Alarm() as alarm:
            found = FromBase.make(query, pairs, local, alarm, lambda flips: None)
        assert found is not None
        for size in (1, 2, 3):
            cursor, chosen, seen = np.array([1, 0, 0]), np.zeros(size, dtype=np.int64), []
            while True:
                code = evaluate_sets(found._lent, chosen, cursor, size, 0, np.array([1]), np.inf, 3, found._leads)
                if code == 3:
                    break
                if code == 2:
                    seen.append(tuple(chosen.tolist()))
            every = combinations(range(len(pairs)), size)
            both = not query.graph.directed
            assert seen == [one for one in every if is_affordable([pairs[k] for k in one], local, both)]


def is_affordable(flips: list[tuple[int, int]], local: np.ndarray, both: bool) -> bool:
    used = np.zeros(local.size, dtype=np.int64)
    for u, v in flips:
        used[v] += 1
        used[u] += both and u != v
    return bool((used <= local).all())

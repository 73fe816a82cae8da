"""What one answer says about other questions: never more than is true."""

from __future__ import annotations

import itertools

import pytest

import edgeproof as ep
from edgeproof import Graph, Threat
from edgeproof.model.query import make_query
from edgeproof.sweep.job import Job
from edgeproof.sweep.plan import Ask, Group
from edgeproof.sweep.share import admits, contains, learn, settle
from random_queries import Grid, draw

SMALL = Grid(vertices=(2, 3, 4, 4), widths=(1, 2, 3), layers=(1, 2), most_graphs=200)
LINE = Graph([[0, 1, 2, 3], [1, 2, 3, 3]], [[1.0]] * 4, directed=True)


def admissible(threat: Threat, graph: Graph, node: int | None, most: float) -> set[frozenset[tuple[int, int]]]:
    """Every attack, by the definition: all sets of pairs, each checked alone."""
    n = graph.num_vertices
    names = [(u, v) for u in range(n) for v in range(0 if graph.directed else u, n)]
    sets = (frozenset(some) for k in range(5) if k <= most for some in itertools.combinations(names, k))
    return {one for one in sets if admits(threat, graph, node, one)}


@pytest.mark.parametrize(
    ("small", "large", "wanted"),
    [
        (Threat(2, 2), Threat(5, 5), True),
        (Threat(2, 2), Threat(5, 1), False),
        (Threat(2), Threat(5, 2), True),  # two flips cannot exceed two at a vertex
        (Threat(3), Threat(5, 2), False),
        (Threat(2, 1), Threat(2, [1, 1, 1, 1]), True),
        (Threat(2, 1), Threat(2, [1, 1, 0, 1]), False),
        (Threat(1), Threat(1, insert=True), True),
        (Threat(1, insert=True), Threat(1), False),
        (Threat(1, insert="target"), Threat(1, insert=True), True),
        (Threat(1, protected=[(0, 1)]), Threat(1), True),
        (Threat(1), Threat(1, protected=[(0, 1)]), False),
        (Threat(1, fragile=[(0, 1)]), Threat(1), True),
        (Threat(1, fragile=[(0, 2)]), Threat(1), False),
        (Threat(1, fragile=[(0, 2)]), Threat(1, fragile=[(0, 2), (0, 1)]), True),
        (Threat(1), Threat(1, fragile=[(0, 1), (1, 2), (2, 3), (3, 3)]), False),  # true, but nobody looks
    ],
)
def test_which_threat_contains_which(small: Threat, large: Threat, wanted: bool) -> None:
    budget = 99 if small.budget is None else small.budget
    assert contains(large, small, budget, LINE, 0) is wanted
    if wanted:
        assert admissible(small, LINE, 0, budget) <= admissible(large.with_budget(None), LINE, 0, budget)


def test_what_is_implied_is_what_brute_force_finds() -> None:
    """Two threats on one claim, drawn apart: whatever the first answer settles must be the second's own answer."""
    implied: dict[str, int] = {}
    for index in range(250):
        one, other = draw(5, index, SMALL), draw(6, index, SMALL)
        network, graph, claim = one.network, one.graph, one.claim
        try:
            make_query(network, graph, other.threat, claim.node)
        except ep.InputError:
            continue  # a threat that does not fit this graph
        rival = one.rivals[index % len(one.rivals)]
        threats = (one.threat, other.threat, one.threat.with_budget(other.threat.budget))
        job = Job(network, (graph,), threats, "brute")
        group = Group(0, claim.node, claim.label, ())
        asks = [
            Ask(k, threat, target, radius)
            for k, (threat, target, radius) in enumerate(itertools.product(range(3), (None, rival), (False, True)))
        ]
        for first, second in itertools.product(asks, asks):
            answer = _ask(job, group, first)
            fact = learn(job, group, first, answer)
            found = None if fact is None else settle(job, group, second, [fact])
            if found is None or first is second:
                continue
            truth, (result, key) = _ask(job, group, second), found
            assert key == job.key(group, first)
            implied[type(result).__name__] = implied.get(type(result).__name__, 0) + 1
            if isinstance(result, ep.Radius):
                assert isinstance(truth, ep.Radius)
                assert (result.lower, result.upper, result.robust) == (truth.lower, truth.upper, truth.robust)
            else:
                assert result.status == truth.status
            if result.attack is not None:
                assert admits(job.threats[second.threat], graph, claim.node, result.attack)
    assert implied["Verdict"] > 500
    assert implied["Radius"] > 150


_known: dict[tuple[int, int], ep.Verdict | ep.Radius] = {}


def _ask(job: Job, group: Group, ask: Ask) -> ep.Verdict | ep.Radius:
    if (id(job), ask.position) not in _known:
        if ask.position == 0:
            _known.clear()
        put = ep.radius if ask.radius else ep.verify
        _known[id(job), ask.position] = put(
            job.network, job.graphs[0], job.threats[ask.threat], group.node, label=group.label, target=ask.target,
            engine="brute",
        )  # fmt: skip
    return _known[id(job), ask.position]

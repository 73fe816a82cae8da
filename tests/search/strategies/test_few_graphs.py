"""Few graphs: which sets are looked at, that all answers are right, and that nothing is left behind."""

from __future__ import annotations

import threading
import time
from itertools import combinations

import numpy as np
import pytest

import edgeproof as ep
from differential import disagreement
from edgeproof.clock import TimeUpError
from edgeproof.model.query import Query, make_query
from edgeproof.options import resolve
from edgeproof.problem.compile import compile_problem
from edgeproof.search import engine
from edgeproof.search.base.layout import EVALUATED
from edgeproof.search.deadline import Alarm
from edgeproof.search.strategies import few_graphs
from edgeproof.search.strategies.few_graphs import FewGraphs, is_for
from edgeproof.sweep.share import admits
from random_queries import Grid, draw

PARTS = 8
FORCED = {"few_graphs_at_once": True}
DELETIONS = Grid(tasks=("node",), flips=("delete",), budgets=(0, 1, 1, 2, 2, 3, 4, None), vertices=(3, 4, 5, 6, 7))
SEED = 71


def queries(count: int) -> list[Query]:
    drawn = (draw(SEED, index, DELETIONS) for index in range(count))
    return [query for query in drawn if is_for(query, resolve(FORCED), None)]


@pytest.mark.campaign
@pytest.mark.parametrize("part", range(PARTS))
def test_verdict_and_radius_agree_with_brute_force(part: int, request: pytest.FixtureRequest) -> None:
    count, seed = request.config.getoption("--campaign") // 2, request.config.getoption("--campaign-seed")
    asked = 0
    for index in range(part, count, PARTS):
        query = draw(seed + 500, index, DELETIONS)
        if not is_for(query, resolve(FORCED), None):
            continue
        asked += 1
        problem = disagreement(engine, query, FORCED)
        assert problem is None, f"seed {seed + 500}, index {index}: {problem}\n{query}"
    assert asked > count // PARTS // 2


def test_the_pairs_are_those_that_can_matter() -> None:
    for query in queries(300):
        few = FewGraphs(query, Alarm())
        few.run(first_only=True)
        listed = [tuple(query.graph.pair(u, v)) for u, v in few._pairs.T.tolist()]
        expected = compile_problem(query, resolve(None), 1 if query.threat.budget is None else query.threat.budget)
        assert len(listed) == len(set(listed))
        if query.threat.budget != 0:  # nothing can matter then
            assert sorted(listed) == sorted(map(tuple, expected.pairs.tolist())), query


def test_every_admissible_set_is_evaluated_once() -> None:
    """Of claims that nothing breaks: the number of evaluations is that of the sets within the budgets."""
    robust = 0
    for query in queries(1500):
        few_graphs._latest._held = None
        few = FewGraphs(query, Alarm())
        if not few.run(first_only=False) or not few.robust:
            continue
        robust += 1
        names = few._names(range(few.fragile))
        sets = sum(
            admits(query.threat, query.graph, query.claim.node, chosen)
            for size in range(2, few.most + 1)
            for chosen in combinations(names, size)
        )
        # singles are evaluated whether or not local budgets allow them, also where the budget is 0
        assert few.evaluations == 1 + few.fragile + sets, query
    assert robust > 200


def shared_case(rng: np.random.Generator) -> tuple[ep.Network, ep.Graph]:
    n, kind = 12, rng.choice(["sum", "mean", "max", "gcn"])
    edges = rng.integers(0, n, (2, 26))
    directed = bool(rng.random() < 0.5)
    if not directed:
        edges = np.concatenate([edges, edges[::-1]], axis=1)
    edges = np.unique(edges, axis=1)
    widths = [3, 4, 4, 3]
    layers = [
        ep.Layer(rng.normal(size=(b, a)), rng.normal(size=(b, a)), rng.normal(size=b), str(kind), act)
        for a, b, act in zip(widths, widths[1:], ["relu", "relu", "none"], strict=False)
    ]
    return ep.Network(layers), ep.Graph(edges, rng.normal(size=(n, 3)), directed=directed)


def any_question(rng: np.random.Generator, graph: ep.Graph) -> dict:
    edges = graph.edge_pairs()
    local = [None, None, 1, 2, rng.integers(0, 3, graph.num_vertices)][rng.integers(5)]
    protected = [edges[at] for at in rng.integers(0, len(edges), rng.integers(0, 3))]
    threat = ep.Threat(int(rng.integers(0, 4)), local, protected=protected)
    label = int(rng.integers(3)) if rng.random() < 0.5 else None
    return {"threat": threat, "node": int(rng.integers(0, 4)), "label": label, "node_limit": None}


def fresh(network: ep.Network, graph: ep.Graph) -> tuple[ep.Network, ep.Graph]:
    """Equal objects that nobody has asked about."""
    same = ep.Graph([graph.sources, graph.targets], graph.features, directed=graph.directed)
    return ep.Network(network.layers), same


def told(verdict: ep.Verdict) -> tuple:
    return verdict.status, verdict.label, verdict.attack, verdict.rival


def test_nothing_of_one_question_shows_in_another() -> None:
    """Questions about two networks and two graphs, in any order, against objects of their own."""
    rng = np.random.default_rng(SEED)
    for _ in range(5):
        network, graph = shared_case(rng)
        cases = [(network, graph), fresh(network, graph), shared_case(rng)]
        cases.append((cases[0][0], cases[1][1]))
        for number in range(40):
            about = cases[rng.integers(len(cases))]
            asked = any_question(rng, about[1])
            options = {**FORCED, **({"few_graphs": False} if rng.random() < 0.2 else {})}
            got = ep.verify(*about, **asked, options=options)
            few_graphs._latest._held = None
            expected = ep.verify(*fresh(*about), **asked, options=options)
            assert told(got) == told(expected), asked
            if number % 8 == 0:
                assert got.status == ep.verify(*about, **asked, engine="brute").status, asked


def test_threads_share_a_graph() -> None:
    rng = np.random.default_rng(SEED + 1)
    network, graph = shared_case(rng)
    asked = [any_question(rng, graph) for _ in range(120)]
    expected = [told(ep.verify(*fresh(network, graph), **one, options=FORCED)) for one in asked]
    found: dict[int, tuple] = {}

    def work(first: int) -> None:
        for at in range(first, len(asked), 4):
            found[at] = told(ep.verify(network, graph, **asked[at], options=FORCED))

    # all four about the same nodes at the same time
    threads = [threading.Thread(target=work, args=(first,)) for first in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found[at] for at in range(len(asked))] == expected


def test_what_is_known_of_single_flips_serves_the_next_budget() -> None:
    network, graph = shared_case(np.random.default_rng(SEED + 2))
    few_graphs._latest._held = None
    counts = []
    for budget in (1, 2):
        few = FewGraphs(make_query(network, graph, ep.Threat(budget), 0), Alarm())
        few.run(first_only=False)
        counts.append(few.evaluations)
    alone = FewGraphs(make_query(*fresh(network, graph), ep.Threat(2), 0), Alarm())
    alone.run(first_only=False)
    assert counts[0] == 1 + alone.fragile
    assert counts[1] == alone.evaluations - counts[0]


def test_more_vertices_change_than_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(few_graphs, "FIRST_ROOM", 2)
    for query in queries(120):
        small = FewGraphs(query, Alarm())
        assert disagreement(engine, query, FORCED) is None
        assert small.run(first_only=True) in (True, False)


def test_it_ends_in_time() -> None:
    network, graph = shared_case(np.random.default_rng(SEED + 3))
    few_graphs._latest._held = None
    query = make_query(network, graph, ep.Threat(2), 0)
    with pytest.raises(TimeUpError):
        FewGraphs(query, Alarm(time.perf_counter() - 1.0)).run(first_only=True)
    verdict = engine.verify(query, timeout=1e-9, node_limit=None, options=FORCED)
    assert (verdict.status, verdict.reason) == ("unknown", "timeout")
    # what it had begun is of no harm to the next
    assert disagreement(engine, query, FORCED) is None


@pytest.mark.parametrize(("stop", "reason"), [(TimeUpError, "timeout"), (KeyboardInterrupt, "interrupted")])
def test_a_radius_that_ends_early_is_an_interval(
    stop: type[BaseException], reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After single flips, before pairs of them."""

    def end(self: FewGraphs, least: int, most: int) -> bool:
        raise stop

    monkeypatch.setattr(FewGraphs, "_evaluate_sets", end)
    monkeypatch.setattr(FewGraphs, "_follow_gains", lambda self: False)
    ended = 0
    for query in queries(300):
        with Alarm() as alarm:
            found = FewGraphs(query, alarm).find_radius(time.perf_counter())
        if found.reason is not None:
            assert (found.reason, found.lower, found.exact, found.robust) == (reason, 1, False, False)
            ended += 1
    assert ended > 20


def test_what_it_leaves_to_charges_is_their_interval() -> None:
    """Both are asked, and an interval that is open says nothing but its numbers."""
    compared = 0
    for query in queries(400):
        if not {layer.aggregation.value for layer in query.network.layers} <= {"sum", "mean", "gcn"}:
            continue
        few_graphs._latest._held = None
        both = {**FORCED, "charges_at_once": True}
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(few_graphs, "MOST_SETS", 0)
            problem = disagreement(engine, query, both)
        assert problem is None, query
        compared += 1
    assert compared > 100


def test_many_graphs_are_left_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(few_graphs, "MOST_SETS", 3)
    left = 0
    for query in queries(150):
        few = FewGraphs(query, Alarm())
        left += not few.run(first_only=True)
        assert few._desk.overlay.tally[EVALUATED] <= 1 + few.fragile + 3 + 3 * few.most
        assert disagreement(engine, query, FORCED) is None
    assert left > 5


def test_all_its_kernels_are_there_after_warming_up() -> None:
    from edgeproof.search.jit.interpreted import INTERPRETED
    from edgeproof.search.jit.linking import LinkedKernel
    from edgeproof.search.warm_up import warm_up

    warm_up()
    ours = [one for one in LinkedKernel.every if one.symbol.startswith("edgeproof.search.strategies.few_kernels.")]
    assert INTERPRETED or (len(ours) == 6 and all(one.cell for one in ours))

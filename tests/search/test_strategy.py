"""What is expensive waits until a query has proved hard enough for it."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import edgeproof as ep
from edgeproof.model.graph import Pair
from edgeproof.model.network import Layer, Network, Readout
from edgeproof.model.query import make_query
from edgeproof.options import resolve
from edgeproof.problem.compile import compile_problem
from edgeproof.search.attacks import beam_search
from edgeproof.search.attacks.beam_search import BeamSearch
from edgeproof.search.attacks.local_search import LocalSearch
from edgeproof.search.state.state import ACTION, EVALUATION_WORK, EVALUATIONS, LIMIT, TIGHTENINGS, USED, WORK
from edgeproof.search.strategy import SHARE_AFTER, Search
from edgeproof.search.tree.codes import FINISHED, TIGHTEN
from edgeproof.search.tree.node_loop import run
from rings import ring, small_network

BUDGET = 4


def long_search(threads: int = 1) -> Search:
    """Robust by a wide margin, with bounds that cannot see it: the tree of all graphs within the budget."""
    random = np.random.default_rng(5)
    layers = [Layer(*(random.normal(size=(4, width)) for _ in range(2)), np.zeros(4), "max") for width in (3, 4)]
    network = Network(layers, Readout(random.normal(size=(2, 4)), [1000.0, 0.0], "sum"))
    ring = [(v, (v + step) % 8) for v in range(8) for step in (1, -1)]
    graph = ep.Graph(np.array(ring).T, random.normal(size=(8, 3)), directed=False)
    query = make_query(network, graph, ep.Threat(BUDGET, insert=True))
    options = resolve({"lines": False, "last_flip": False, "budget_boxes": False, "interplay": False})
    search = Search(compile_problem(query, options, BUDGET), BUDGET, options, threads)
    search.worker.prepare()
    return search


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """The widths of beams and the numbers of restarts that are tried; nothing is found with them."""
    tried: list[tuple[str, int]] = []
    monkeypatch.setattr(BeamSearch, "search", lambda self, budget, width: tried.append(("beam", width)))
    monkeypatch.setattr(LocalSearch, "search", lambda self, budget, times: tried.append(("local", times)))
    return tried


def test_long_looks_wait_for_as_much_work_as_they_take(looks: list[tuple[str, int]]) -> None:
    search, seen = long_search(), {}
    search.worker.state.boxes[:] = np.nan  # no bound prunes
    late = {("local", 5): 10, ("local", 25): 25, ("beam", 100): 50, ("local", 150): 150}
    while ("local", 150) not in looks:
        before = len(looks)
        assert search.run(node_limit=search.worker.nodes + 500, first_only=True) == "node limit"
        seen.update(dict.fromkeys(looks[before:], search.worker.state.tally.copy()))
    assert looks == [("beam", 1), ("beam", 5), *late]
    for look, bases in late.items():
        tally = seen[look]
        price = tally[EVALUATION_WORK] / max(tally[EVALUATIONS], 1)
        assert tally[WORK] >= bases * tally[LIMIT] * 28 * max(price, 1.0)
    assert seen["local", 150][WORK] > seen["beam", 100][WORK]


def test_threads_do_not_wait_for_them(looks: list[tuple[str, int]]) -> None:
    search = long_search(threads=2)
    search.worker.state.boxes[:] = np.nan
    search.run(node_limit=3000, first_only=True)
    assert search.worker.nodes >= SHARE_AFTER
    assert looks[:2] == [("beam", 1), ("beam", 5)]
    assert ("local", 150) not in looks  # not due by then


def hardest_to_break(aggregation: str, seed: int, size: int) -> tuple[Search, list[list[Pair]]]:
    """A claim that few sets of at most so many flips break; those sets."""
    graph, threat = ring(7), ep.Threat(size, insert=True)
    sets = [list(some) for made in range(size + 1) for some in combinations(list(combinations(range(7), 2)), made)]
    network = small_network(aggregation, seed)
    leads = np.round([np.subtract(*network.scores(graph.flip(some))) for some in sets], 9)
    best, second = np.unique(leads)[:2]
    readout = Readout(np.eye(2), [0.0, (best + second) / 2], "sum")
    query = make_query(Network(network.layers, readout), graph, threat, label=0)
    options = resolve({})
    search = Search(compile_problem(query, options, size), size, options)
    return search, [sets[k] for k in np.flatnonzero(leads == best)]


def is_fork(flips: list[Pair]) -> bool:
    return len(flips) == 2 and bool(set(flips[0]) & set(flips[1]))


def test_local_search_finds_what_greedy_does_not() -> None:
    """The best single flip need not be in an attack of three."""
    found = np.zeros(2, dtype=int)
    for seed in range(10):
        for k, look in enumerate(("greedy", "local")):
            search, _ = hardest_to_break("sum", seed, 3)
            looking = search._look_from_root()
            attack = looking.beam.search(3, 1) if look == "greedy" else looking.local.search(3, 40)
            assert (attack is None) == (search.attack is None)
            found[k] += attack is not None
    assert found[0] < found[1]
    assert found[1] == 10


def test_wide_beams_find_two_bad_flips_at_one_vertex(monkeypatch: pytest.MonkeyPatch) -> None:
    forks, missed = 0, 0
    for seed in range(30):
        for forked in (True, False):
            monkeypatch.setattr(beam_search, "FORKED", 1 if forked else 2)
            search, broken_by = hardest_to_break("max", seed, 2)
            if not any(is_fork(flips) for flips in broken_by):
                continue
            forks += forked
            attack = search._look_from_root().beam.search(2, 1)
            assert attack is not None or not forked
            assert attack is None or search.attack in broken_by
            missed += attack is None
    assert forks > 5
    assert missed > 0


def test_wide_beams_begin_with_any_two_flips_at_one_vertex() -> None:
    search, _ = hardest_to_break("max", 0, 2)
    held, pairs = 3, [tuple(map(int, pair)) for pair in search.worker.compiled.pairs]
    beginnings = search._look_from_root().beam._beginnings([(0.0, (held,))], beam_search.FORKED)
    begun = [frozenset((*base, other)) for base, others in beginnings if base != (held,) for other in others.tolist()]
    forks = {frozenset(two) for two in combinations(range(len(pairs)), 2) if is_fork([pairs[k] for k in two])}
    assert {two for two in forks if held not in two} <= set(begun) <= forks
    assert len(begun) == len(set(begun))


def test_nothing_is_tightened_where_no_flip_is_left() -> None:
    """An attack that is found while a node is being tightened may leave less budget than the node has spent."""
    random = np.random.default_rng(7)
    layers = [Layer(*(random.normal(size=(3, 3)) for _ in range(2)), np.zeros(3), "mean") for _ in range(3)]
    ring = [(v, (v + step) % 8) for v in range(8) for step in (1, -1)]
    graph = ep.Graph(np.array(ring).T, random.normal(size=(8, 3)), directed=False)
    query = make_query(Network(layers), graph, ep.Threat(BUDGET), node=0)
    options = resolve({"tighten_at_once": True, "attacks": False})
    search = Search(compile_problem(query, options, BUDGET), BUDGET, options)
    search.worker.prepare()
    search._take(search._plan.pop(0))
    tally, most = search.worker.state.tally, np.iinfo(np.int64).max
    bundles = (
        search.worker._problem,
        search.worker._state,
        search.worker._linear,
        search.worker._nested,
        search.worker._innermost,
        search.worker._pairwise,
    )
    while not (tally[ACTION] == TIGHTEN and tally[USED] > 1):
        assert run(*bundles, search.worker.options, 1, most) != FINISHED
    tally[LIMIT] = 0
    done = tally[TIGHTENINGS]
    while run(*bundles, search.worker.options, 1, most) != FINISHED:
        pass
    assert tally[TIGHTENINGS] == done

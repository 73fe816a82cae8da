"""Timeouts and node limits end a search soon, with what is known so far; memory does not follow its length."""

from __future__ import annotations

import gc
import time
import tracemalloc
import weakref

import numpy as np
import pytest

import edgeproof as ep
from differential import inadmissible
from edgeproof import Graph, Layer, Network, Readout, Threat
from edgeproof.engines import brute
from edgeproof.model.query import make_query
from edgeproof.options import PAPER
from edgeproof.search import engine as search
from edgeproof.search import parallel as share
from edgeproof.search import radius as climb
from edgeproof.search import strategy as solve
from edgeproof.search import worker as walk
from edgeproof.search.state.state import STOP
from edgeproof.search.warm_up import warm_up
from random_queries import draw

SLOW_MACHINE = 3.0  # seconds that a busy machine may add to any limit


def everybody(task: str) -> tuple[Network, Graph]:
    """A complete graph and a random network whose class 0 is so far ahead that it is neither broken nor proved soon."""
    n, lead = (14, 3000.0) if task == "node" else (10, 100.0)
    rng = np.random.default_rng(0)
    hidden = [Layer(*(rng.normal(size=shape) for shape in ((4, 4), (4, 4), 4))) for _ in range(3)]
    graph = Graph(np.array(np.nonzero(~np.eye(n, dtype=bool))), rng.normal(size=(n, 4)), directed=True)
    C, A, b = rng.normal(size=(2, 4)), rng.normal(size=(2, 4)), [lead, 0.0]
    if task == "graph":
        return Network(hidden, Readout(C, b, "sum")), graph
    return Network([*hidden, Layer(C, A, b, activation="none")]), graph


@pytest.mark.parametrize("options", [None, PAPER], ids=["defaults", "paper"])
@pytest.mark.parametrize("task", ["node", "graph"])
def test_a_timeout_ends_soon_and_says_so(task: str, options: dict[str, bool] | None) -> None:
    network, graph = everybody(task)
    warm_up()  # kernels that are not yet compiled take no time of the query's
    for ask in (ep.verify, ep.radius):
        started = time.monotonic()
        answer = ask(network, graph, Threat(), 0 if task == "node" else None, label=0, timeout=0.3, options=options)
        assert time.monotonic() - started < 0.3 + SLOW_MACHINE
        assert answer.reason == "timeout"
        assert answer.stats.nodes >= 1
    unknown = ep.verify(network, graph, Threat(), 0 if task == "node" else None, label=0, timeout=0.1, options=options)
    assert (unknown.status, unknown.attack, unknown.rival) == ("unknown", None, None)


@pytest.mark.parametrize("task", ["node", "graph"])
def test_a_raised_flag_ends_a_pass(task: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk, "LONG_PASS", -1)
    monkeypatch.setattr(walk, "stop_at", lambda _, tally, __: tally.__setitem__(STOP, 1))
    network, graph = everybody(task)
    verdict = ep.verify(network, graph, Threat(5), 0 if task == "node" else None, label=0, timeout=60)
    assert (verdict.status, verdict.reason) == ("unknown", "timeout")
    assert verdict.stats.nodes == 0
    assert verdict.stats.work <= graph.num_vertices


@pytest.mark.parametrize("threads", [1, 2])
def test_a_search_that_is_stopped_says_nothing_wrong(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels stop in the middle of a pass: what they leave half done must never look like a proof."""
    monkeypatch.setattr(walk, "LONG_PASS", -1)
    monkeypatch.setattr(solve, "SHARE_AFTER", 2)
    monkeypatch.setattr(share, "TASK_NODES", 3)
    stopped = answered = 0
    rng = np.random.default_rng(5)
    for index in range(150):
        query = draw(41, index)
        truth = brute.verify(query, timeout=None, node_limit=None, options=None)
        for options in (None, {"tighten_at_once": True}):
            timeout = float(rng.uniform(1e-5, 4e-3))
            found = search.verify(query, timeout=timeout, node_limit=None, options=options, threads=threads)
            assert found.status in (truth.status, "unknown"), (index, options)
            stopped += found.reason == "timeout"
            answered += found.status != "unknown"
    assert stopped > 30
    assert answered > 30


@pytest.mark.parametrize("limit", [1, 2, 100])
def test_a_node_limit_is_kept_and_says_so(limit: int) -> None:
    network, graph = everybody("node")
    verdict = ep.verify(network, graph, Threat(), 0, label=0, node_limit=limit, options=PAPER)
    assert (verdict.status, verdict.reason, verdict.attack) == ("unknown", "node limit", None)
    assert verdict.stats.nodes == limit


@pytest.mark.parametrize("options", [None, PAPER], ids=["defaults", "paper"])
def test_a_radius_cut_short_is_an_interval_around_the_truth(options: dict[str, bool] | None) -> None:
    """Its upper end is backed by an attack, its lower end by a proof."""
    cut_short = attacked = 0
    for index in range(150):
        query = draw(21, index)
        claim = query.claim
        truth = brute.radius(query, timeout=None, node_limit=None, options=None)
        for limit in (1, 3, 9):
            cut = ep.radius(
                query.network, query.graph, query.threat, claim.node,
                label=claim.label, target=claim.target, node_limit=limit, options=options,
            )  # fmt: skip
            assert cut.lower <= truth.lower
            if cut.exact:
                assert (cut.lower, cut.upper, cut.robust) == (truth.lower, truth.upper, truth.robust)
                continue
            cut_short += 1
            assert (cut.reason, cut.robust) == ("node limit", False)
            assert (cut.upper is None) == (cut.attack is None) == (cut.rival is None)
            if cut.attack is not None:
                attacked += 1
                assert truth.upper is not None
                assert len(cut.attack) - 1 == cut.upper >= truth.upper
                assert inadmissible(query, cut.attack) is None
                scores = brute.Evaluator(query).scores(cut.attack)
                assert scores[cut.rival] > scores[claim.label]
    if options is not None:
        assert cut_short > 20
        assert attacked > 5


def peak_bytes(node_limit: int) -> int:
    network, graph = everybody("graph")
    query = make_query(network, graph, Threat(6), label=0)
    tracemalloc.start()
    try:
        verdict = ep.verify(network, graph, query.threat, label=0, node_limit=node_limit, options=PAPER)
        assert verdict.stats.nodes == node_limit
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_does_not_grow_with_the_number_of_search_nodes() -> None:
    peak_bytes(10)  # what is loaded or remembered once
    short, long = peak_bytes(500), peak_bytes(20_000)
    assert long < 1.1 * short + 100_000


def test_every_answer_counts_what_it_took() -> None:
    network, graph = everybody("node")
    for engine in ("search", "brute"):
        threat = Threat(2, fragile=[(1, 0), (2, 0), (3, 1), (4, 2)])
        for ask in (ep.verify, ep.radius):
            stats = ask(network, graph, threat, 0, engine=engine).stats
            assert {"nodes", "seconds", "leaves", "fragile", "exploration", "evaluations"} <= set(stats)
            assert stats.fragile == 4
            assert stats.exploration == pytest.approx(np.log2(max(stats.nodes, 1)) / 5)
            assert 0 <= stats.leaves <= max(stats.nodes, stats.evaluations)
            assert stats.seconds > 0


def test_a_radius_gives_back_the_searches_it_is_done_with(monkeypatch: pytest.MonkeyPatch) -> None:
    alive: weakref.WeakSet[climb.Search] = weakref.WeakSet()
    most = []

    class Noted(climb.Search):
        def __init__(self, *given: object) -> None:
            super().__init__(*given)
            alive.add(self)
            gc.collect()
            most.append(len(alive))

    monkeypatch.setattr(climb, "Search", Noted)
    monkeypatch.setattr(climb, "FIRST_TURN", 1)
    for index in range(60):
        query = draw(15, index)
        search.radius(query, timeout=None, node_limit=None, options={"attacks": False, "lines": False})
    assert len(most) > 90  # or it says nothing
    assert max(most) <= 2

"""A query shared between threads gets the same verdict, and the same attack however the threads run."""

from __future__ import annotations

import time
from types import SimpleNamespace

import pytest
from test_limits import SLOW_MACHINE, everybody

import edgeproof as ep
from differential import check
from edgeproof import InputError, Threat
from edgeproof.model.query import Query
from edgeproof.options import PAPER
from edgeproof.search import engine
from edgeproof.search import parallel as share
from edgeproof.search import strategy as solve
from random_queries import draw

QUERIES = 80


@pytest.fixture
def cut_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Share from the second search node on, in tasks of three nodes, so that small queries make many tasks."""
    monkeypatch.setattr(solve, "SHARE_AFTER", 2)
    monkeypatch.setattr(share, "TASK_NODES", 3)


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[share.Task]:
    """The tasks that walkers were sent to."""
    tasks: list[share.Task] = []

    def note(walker: share.Walker, task: share.Task) -> None:
        tasks.append(task)
        send(walker, task)

    send = share.send
    monkeypatch.setattr(share, "send", note)
    return tasks


def on(threads: int) -> SimpleNamespace:
    """The search engine with so many threads."""

    def verify(query: Query, **how: object) -> ep.Verdict:
        return engine.verify(query, threads=threads, **how)

    def radius(query: Query, **how: object) -> ep.Radius:
        return engine.radius(query, threads=threads, **how)

    return SimpleNamespace(verify=verify, radius=radius)


@pytest.mark.usefixtures("cut_small")
@pytest.mark.parametrize("threads", [2, 5])
def test_shared_searches_agree_with_brute_force(threads: int, sent: list[share.Task]) -> None:
    for index in range(QUERIES):
        report = check(on(threads), 11, index)
        if report is not None:
            pytest.fail(report, pytrace=False)
    assert len(sent) > QUERIES  # or nothing was shared
    assert max(len(task.pairs) for task in sent) > 3


@pytest.mark.usefixtures("cut_small")
def test_the_attack_does_not_depend_on_the_threads() -> None:
    found = 0
    # the paper's search: gains and portfolio would find most attacks before anything is shared
    how = {"timeout": None, "node_limit": None, "options": PAPER}
    for index in range(QUERIES):
        query = draw(12, index)
        answers = [engine.verify(query, threads=threads, **how) for threads in (2, 2, 7)]
        assert len({(answer.status, answer.attack, answer.rival, answer.stats.nodes > 2) for answer in answers}) == 1
        found += answers[0].attack is not None and answers[0].stats.nodes > 2
    assert found > 5


@pytest.mark.usefixtures("cut_small")
def test_shared_searches_write_proofs(sent: list[share.Task]) -> None:
    certified = 0
    for index in range(QUERIES):
        query = draw(14, index)
        if query.network.normalises:
            continue  # no proof rules yet
        asked = query.network, query.graph, query.threat, query.claim.node
        before = len(sent)
        verdict = ep.verify(*asked, label=query.claim.label, target=query.claim.target, threads=3, certify=True)
        assert verdict.status != "unknown", verdict
        certified += verdict.status == "robust" and len(sent) > before
    assert certified > 5


@pytest.mark.parametrize("options", [None, PAPER], ids=["defaults", "paper"])
def test_limits_end_a_shared_search(options: dict[str, bool] | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solve, "SHARE_AFTER", 100)
    monkeypatch.setattr(share, "TASK_NODES", 40)
    network, graph = everybody("node")
    started = time.monotonic()
    answer = ep.verify(network, graph, Threat(), 0, label=0, timeout=0.5, threads=3, options=options)
    assert (answer.status, answer.reason) == ("unknown", "timeout")
    assert time.monotonic() - started < 0.5 + SLOW_MACHINE
    answer = ep.verify(network, graph, Threat(), 0, label=0, node_limit=500, threads=3, options=options)
    assert (answer.status, answer.reason) == ("unknown", "node limit")
    assert answer.stats.nodes < 500 + 4 * share.TASK_NODES


def test_only_the_search_has_threads() -> None:
    query = draw(1, 1)
    asked = query.network, query.graph, query.threat, query.claim.node
    with pytest.raises(InputError, match="threads: engine 'brute' runs on one thread"):
        ep.verify(*asked, engine="brute", threads=2)
    with pytest.raises(InputError, match="threads: expected a whole number from 1 on, got 0"):
        ep.radius(*asked, threads=0)


def test_a_radius_tells_how_far_it_is() -> None:
    for index in range(40):
        query = draw(13, index)
        told: list[tuple[int, int | None]] = []
        asked = query.network, query.graph, query.threat, query.claim.node
        answer = ep.radius(*asked, label=query.claim.label, progress=lambda *news, told=told: told.append(news))
        lowers, uppers = [one for one, _ in told], [one for _, one in told if one is not None]
        assert lowers == sorted(lowers)
        assert uppers == sorted(uppers, reverse=True)
        if not answer.robust:
            assert told[-1] == (answer.lower, answer.upper)

"""Numbers that people give: of any kind, however large; what is none is refused in one line."""

from __future__ import annotations

import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import edgeproof as ep
from edgeproof import InputError, Threat
from edgeproof.demo.karate import karate_graph, karate_network
from edgeproof.limits import FOREVER, positive, whole_nodes
from edgeproof.search import deadline
from edgeproof.search.deadline import Alarm
from edgeproof.sweep.limits import Limits

NETWORK, GRAPH, NODE = karate_network(), karate_graph(), 2


@pytest.mark.parametrize("engine", ["search", "brute", "mip"])
@pytest.mark.parametrize("timeout", [float("inf"), 1e300, 10**400, np.float32(1e9), np.int64(10**12)])
def test_a_time_limit_beyond_all_waiting_is_none(engine: str, timeout: float) -> None:
    """The system takes no wait of 1e300 seconds, and SCIP none without end: the one killed the thread that hears
    Ctrl-C, the other the question.
    """
    if engine == "mip":
        pytest.importorskip("pyscipopt")
    faults = []
    before, threading.excepthook = threading.excepthook, faults.append
    try:
        assert ep.radius(NETWORK, GRAPH, Threat(2), NODE, timeout=timeout, engine=engine).lower == 1
    finally:
        threading.excepthook = before
    assert not faults


def test_the_thread_that_hears_signals_waits_in_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """However far away the deadline is."""
    monkeypatch.setattr(deadline, "LONGEST_WAIT", 0.01)
    before = signal.signal(signal.SIGINT, lambda *_: None)
    flags = np.zeros(64, dtype=np.int64)
    try:
        with Alarm(float("inf")) as alarm:
            alarm.watch(flags, 3)
            time.sleep(0.1)  # many turns
            assert not flags.any()
            signal.raise_signal(signal.SIGINT)
            until = time.monotonic() + 10.0
            while not flags[3] and time.monotonic() < until:
                time.sleep(0.01)
            assert alarm.interrupted
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("value", [True, False, 0, 0.0, -1, float("nan"), "5", [5], 1j, np.float32(-1), None])
def test_what_is_no_limit_is_refused_in_one_line(value: object) -> None:
    if value is None:
        assert positive(value, "timeout", "") is whole_nodes(value) is None
        return
    for ask in (ep.verify, ep.radius):
        for field in ("timeout", "memory", "node_limit"):
            with pytest.raises(InputError, match=rf"^{field}: expected a (positive|whole) number"):
                ask(NETWORK, GRAPH, Threat(1), NODE, **{field: value})
            with pytest.raises(InputError, match=rf"^{field}: expected a (positive|whole) number"):
                Limits(**{field: value})


def test_numbers_of_numpy_are_numbers(tmp_path: Path) -> None:
    given = {"timeout": np.float32(60), "node_limit": np.int64(500), "memory": np.float64(1)}
    assert ep.verify(NETWORK, GRAPH, Threat(1), NODE, **given).robust
    plan = ep.Plan([Threat(np.int64(1), np.int64(1))], nodes=[NODE])
    for timeout in (np.float32(60), np.int64(60), float("inf")):
        (answer,) = ep.verify_many(
            NETWORK, GRAPH, plan, workers=0, store=tmp_path / str(timeout), **(given | {"timeout": timeout})
        )
        assert answer.robust
        assert "Infinity" not in (tmp_path / str(timeout) / "results.jsonl").read_text()  # which is no JSON
    assert positive(FOREVER, "timeout", "") == FOREVER
    assert positive(7, "timeout", "") == 7


@pytest.mark.parametrize("many", [2**62, 2**63 - 1, 2**63, 10**30])
@pytest.mark.parametrize("options", [{}, {"few_graphs_at_once": True}, {"charges_at_once": True}], ids=str)
def test_a_local_budget_may_be_as_large_as_you_like(many: int, options: dict[str, bool]) -> None:
    everywhere = [many] * GRAPH.num_vertices if many < 2**63 else many
    for local in (many, everywhere):
        for insert in (False, True):
            threat = Threat(2, local, insert=insert)
            by_size = {"by_size_at_once": True} if insert else {}
            found = ep.radius(NETWORK, GRAPH, threat, NODE, options=options | by_size)
            assert (found.lower, found.exact) == (1, True)
    assert ep.verify(NETWORK, GRAPH, Threat(2, many), NODE, certify=True).certified
    assert ep.verify(NETWORK, GRAPH, Threat(2, many), NODE, engine="brute").vulnerable


@pytest.mark.parametrize("margin", [10**400, float("inf"), float("nan"), -1e-300, True, "1", None])
def test_a_margin_is_a_number_that_scores_can_differ_by(margin: object) -> None:
    with pytest.raises(InputError, match=r"^margin: expected a number from 0 on"):
        ep.verify(NETWORK, GRAPH, Threat(1), NODE, margin=margin)  # type: ignore[arg-type]

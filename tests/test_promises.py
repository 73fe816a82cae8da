"""A limit is a promise: time limits bound whole calls, more budget never proves less, and Ctrl-C is heard at once."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import edgeproof as ep
from edgeproof import Graph, Layer, Network, Readout, Threat, certify
from edgeproof.clock import Clock
from edgeproof.demo.karate import karate_graph, karate_network
from edgeproof.model.query import make_query
from edgeproof.search import deadline as alarm
from edgeproof.search import radius as climb
from edgeproof.search.deadline import Alarm
from edgeproof.search.state.state import STOP
from edgeproof.search.warm_up import warm_up
from edgeproof.search.worker import Worker
from edgeproof.sweep import chunk

SLOW_MACHINE = 3.0  # seconds that a busy machine may add to any limit


def hard() -> tuple[Network, Graph]:
    """A complete graph and a network whose class 0 is so far ahead that it is neither broken nor proved soon."""
    n, rng = 14, np.random.default_rng(0)
    hidden = [Layer(*(rng.normal(size=shape) for shape in ((4, 4), (4, 4), 4))) for _ in range(3)]
    last = Layer(rng.normal(size=(2, 4)), rng.normal(size=(2, 4)), [3000.0, 0.0], activation="none")
    edges = np.array(np.nonzero(~np.eye(n, dtype=bool)))
    return Network([*hidden, last]), Graph(edges, rng.normal(size=(n, 4)), directed=True, labels=np.zeros(n, int))


def hub(n: int = 2500, width: int = 32) -> tuple[Network, Graph]:
    """A vertex that all others may be joined to, under means: one look at it takes seconds."""
    rng = np.random.default_rng(1)
    there = np.unique(np.sort(rng.integers(0, n, (2 * n, 2)), axis=1), axis=0)
    there = np.concatenate([there[there[:, 0] != there[:, 1]], [[0, k] for k in range(1, 150)]])
    there = np.unique(there, axis=0)
    edges = np.concatenate([there, there[:, ::-1]]).T
    layers = [
        Layer(rng.normal(size=(width, 16)), rng.normal(size=(width, 16)), rng.normal(size=width), "mean"),
        Layer(rng.normal(size=(7, width)), rng.normal(size=(7, width)), [9.0, *rng.normal(size=6)], "mean", "none"),
    ]
    return Network(layers), Graph(edges, rng.normal(size=(n, 16)), directed=False)


# (a) one time limit for all passes


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long each attempt at a question took."""
    seconds: list[float] = []
    usual = chunk.ask_one

    def ask(*given):
        began = time.monotonic()
        result = usual(*given)
        seconds.append(time.monotonic() - began)
        return result

    monkeypatch.setattr(chunk, "ask_one", ask)
    warm_up()
    return seconds


@pytest.mark.parametrize("radius", [False, True])
def test_all_passes_together_keep_the_time_limit(radius: bool, asked: list[float]) -> None:
    network, graph = hard()
    questions = [ep.Question(Threat(20), 0, 0, radius=radius)]
    (answer,) = ep.verify_many(network, graph, questions, workers=0, timeout=2.0)
    assert (answer.status, answer.reason) == ("unknown", "timeout")
    assert sum(asked) < 2.0 * 1.25
    assert max(asked) > 2.0 * 0.9  # and gets nearly all of it in one piece


def test_a_question_is_asked_again_only_where_time_is_left(asked: list[float], tmp_path: Path) -> None:
    network, graph = hard()
    plan = ep.Plan([Threat(20)], nodes=[0, 1])
    for _ in range(2):
        answers = list(ep.verify_many(network, graph, plan, workers=0, timeout=1.0, store=tmp_path))
        assert [one.reason for one in answers] == ["timeout", "timeout"]
    assert sum(asked) < 2 * 1.25  # the second run finds them in the store


def test_certified_accuracy_asks_once_and_knows_what_is_right_as_it_is(asked: list[float]) -> None:
    network, graph = hard()
    found = ep.certified_accuracy(network, graph, Threat(20), nodes=[0, 1], timeout=0.5)
    assert len(asked) == 2
    assert found.by_budget[0] == 1.0  # the clean accuracy


# (d) radii


def test_a_radius_begins_at_0_where_the_label_is_the_prediction() -> None:
    network, graph = hard()
    for options in (None, {"radius_from_below": False}):
        answer = ep.radius(network, graph, Threat(), 0, timeout=1e-4, options=options)
        assert (answer.lower, answer.reason, answer.status) == (0, "timeout", "unknown")
    assert ep.radius(network, graph, Threat(), 0, label=1).lower == -1


@pytest.mark.parametrize("engine", ["search", "mip", "brute"])
def test_every_engine_begins_there(engine: str) -> None:
    if engine == "mip":
        pytest.importorskip("pyscipopt")
    network, graph = hard()
    answer = ep.radius(network, graph, Threat(2), 0, timeout=1e-9, engine=engine)
    assert (answer.lower, answer.upper, answer.reason) == (0, None, "timeout")


def test_a_large_budget_does_not_take_the_time_of_a_small_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the search over the whole cap does nothing but use up time, small budgets are proved all the same."""
    truths = [1, 2, 3]
    layer = Layer([[0.0], [0.0]], [[1.0], [0.0]], [0.0, 0.0], "sum", "none")
    star = Graph([[1, 2, 3, 4, 5, 6], [0] * 6], np.ones((7, 1)), directed=True)

    class Stuck(climb.Search):
        def run(self, **how):
            if self.worker.budget < 6:
                return super().run(**how)
            while not self.worker.alarm.is_up():
                time.sleep(0.01)
            return self.worker.alarm.reason

    monkeypatch.setattr(climb, "Search", Stuck)
    monkeypatch.setattr(climb, "FIRST_TURN", 2)
    warm_up()
    for truth in truths:
        network = Network([Layer(layer.C, layer.A, [0.0, 5.5 - truth], "sum", "none")])
        answer = ep.radius(network, star, Threat(6), 0, timeout=2.0)
        assert answer.lower == truth, answer


# (c) Ctrl-C


ASK = {
    "verify": "ep.verify(net, graph, ep.Threat(4, insert='target'), 0, label=0, timeout=60, options=LISTED)",
    "threads": "ep.verify(net, graph, ep.Threat(4, insert='target'), 0, label=0, threads=2, options=LISTED)",
    "radius": "ep.radius(net, graph, ep.Threat(insert='target'), 0, label=0, timeout=60, options=LISTED)",
    "many": "list(ep.verify_many(net, graph, [ep.Question(THREAT, 0, 0)], workers=0, options=LISTED))",
}


def interrupted(command: list[str], begun: str) -> tuple[float, int, str, str]:
    """Seconds until a process ends after Ctrl-C, with its status and what it said."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    if begun:
        while begun not in process.stdout.readline():
            assert process.poll() is None
        time.sleep(1.5)
    else:
        wait_until_it_searches(process)
    assert process.poll() is None
    started = time.monotonic()
    process.send_signal(signal.SIGINT)
    said, complaints = process.communicate(timeout=100)
    return time.monotonic() - started, process.returncode, said, complaints


def wait_until_it_searches(process: subprocess.Popen[str]) -> None:
    """Starting takes two seconds of processor, which are many by the clock where others work too."""
    time.sleep(5.0)
    told = Path(f"/proc/{process.pid}/stat")
    while told.exists() and process.poll() is None:
        ticks = told.read_text().rpartition(")")[2].split()
        if (int(ticks[11]) + int(ticks[12])) / os.sysconf("SC_CLK_TCK") > 4.0:  # user and system
            return
        time.sleep(0.1)


@pytest.mark.parametrize("how", ASK)
def test_ctrl_c_reaches_python_within_a_second(how: str, tmp_path: Path) -> None:
    warm_up()
    network, graph = hub()
    network.save(tmp_path / "m.safetensors")
    graph.save(tmp_path / "g.npz")
    code = f"""
import sys, time
import edgeproof as ep
from edgeproof.search.warm_up import warm_up
warm_up()
net, graph = ep.Network.load(sys.argv[1]), ep.Graph.load(sys.argv[2])
LISTED = {{"by_size": False}}  # the tree, which takes long here
THREAT = ep.Threat(4, insert='target')
print("begun", flush=True)
try:
    {ASK[how]}
except ep.Interrupted as stop:
    print("heard", stop.answer.status, stop.answer.reason, stop.answer.stats.nodes >= 0, stop.answer.graph is not None)
"""
    command = [sys.executable, "-c", code, str(tmp_path / "m.safetensors"), str(tmp_path / "g.npz")]
    seconds, status, said, complaints = interrupted(command, "begun")
    assert seconds < 1.0 + SLOW_MACHINE
    assert (status, said.strip()) == (0, "heard unknown interrupted True True"), complaints


@pytest.mark.parametrize(("what", "known"), [("verify", "closest: "), ("radius", "radius from ")])
def test_ctrl_c_on_the_command_line_prints_what_is_known(what: str, known: str, tmp_path: Path) -> None:
    warm_up()
    network, graph = hub()
    network.save(tmp_path / "m.safetensors")
    graph.save(tmp_path / "g.npz")
    words = ["m.safetensors", "g.npz", "--node", "0", "--label", "0", "--insert-into-target", "--timeout", "60"]
    words += ["--option", "by_size=off"]  # by the tree, which takes long here
    words = [str(tmp_path / word) if word.startswith(("m.", "g.")) else word for word in words]
    seconds, status, said, complaints = interrupted([sys.executable, "-m", "edgeproof", what, *words], "")
    assert seconds < 1.0 + SLOW_MACHINE
    assert (status, complaints) == (130, "")
    assert "(interrupted): node 0, class 0" in said
    assert known in said
    assert "search node" in said


def test_an_interrupt_is_a_keyboard_interrupt_with_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the middle of a search, between two of Python's own instructions."""
    network, graph = hard()
    calls = []

    def interrupt(self, most_nodes):
        calls.append(most_nodes)
        raise KeyboardInterrupt

    monkeypatch.setattr(Worker, "advance", interrupt)
    for ask in (ep.verify, ep.radius):
        with pytest.raises(KeyboardInterrupt) as stop:
            ask(network, graph, Threat(20), 0)
        assert isinstance(stop.value, ep.Interrupted)
        assert (stop.value.answer.status, stop.value.answer.reason) == ("unknown", "interrupted")
        assert stop.value.answer.graph is graph
    assert len(calls) == 2


def test_flags_are_raised_by_a_signal_while_the_main_thread_is_busy() -> None:
    """As with a kernel: nothing of Python runs in the main thread when the signal comes."""
    tally = np.zeros(64, dtype=np.int64)
    seen = []
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        with Alarm() as one:
            one.watch(tally)
            os.kill(os.getpid(), signal.SIGINT)
            until = time.monotonic() + 5.0
            while not tally[STOP] and time.monotonic() < until:
                time.sleep(0.01)
            seen.append((int(tally[STOP]), one.interrupted, one.reason))
    finally:
        signal.signal(signal.SIGINT, before)
    assert seen == [(1, True, "interrupted")]


def test_who_listened_to_signals_before_goes_on_hearing_them() -> None:
    inner, outer = socket.socketpair()
    outer.setblocking(False)
    before = signal.set_wakeup_fd(outer.fileno())
    handler = signal.signal(signal.SIGUSR1, lambda *_: None)
    try:
        tally = np.zeros(64, dtype=np.int64)
        with Alarm() as one:
            one.watch(tally)
            os.kill(os.getpid(), signal.SIGUSR1)
            inner.settimeout(5.0)
            assert inner.recv(8) == bytes([signal.SIGUSR1])
        assert tally[STOP] == 0  # it is no wish to end
        assert signal.set_wakeup_fd(outer.fileno()) == outer.fileno()
    finally:
        signal.set_wakeup_fd(before)
        signal.signal(signal.SIGUSR1, handler)
        inner.close()
        outer.close()
    assert not [thread for thread in threading.enumerate() if thread.name == "edgeproof alarm"]


def test_questions_may_be_asked_in_threads_that_hear_no_signals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("edgeproof.search.worker.LONG_PASS", -1)
    network, graph = hard()
    found = []
    thread = threading.Thread(target=lambda: found.append(ep.verify(network, graph, Threat(20), 0, timeout=0.3).reason))
    thread.start()
    thread.join(30)
    assert found == ["timeout"]


# (b) the check of an attack knows the clock


def tied(width: int, n: int) -> tuple[Network, Graph]:
    """Two SAGE layers whose classes tie in every graph: each candidate needs long exact numbers."""
    rng = np.random.default_rng(3)
    there = np.triu(rng.random((n, n)) < 0.3, 1)
    graph = Graph(np.array(np.nonzero(there | there.T)), rng.normal(size=(n, 32)), directed=False)
    hidden = Layer(rng.normal(size=(width, 32)), rng.normal(size=(width, 32)), rng.normal(size=width), "mean")
    row = rng.normal(size=(1, width))
    return Network([hidden, Layer(np.repeat(row, 2, 0), np.repeat(row, 2, 0), [0.5, 0.5], "mean", "none")]), graph


def test_a_time_limit_holds_while_a_candidate_is_decided_exactly() -> None:
    network, graph = tied(512, 600)
    warm_up()
    started = time.monotonic()
    verdict = ep.verify(network, graph, Threat(2, fragile=[(0, 1), (0, 2), (1, 2)]), 0, label=0, timeout=0.5)
    assert time.monotonic() - started < 0.5 + SLOW_MACHINE
    assert (verdict.status, verdict.reason) == ("unknown", "timeout")


@pytest.mark.parametrize("budget", [0, 3])
def test_a_time_limit_holds_for_the_checker_of_a_certificate(budget: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a proof and of an attack."""
    network, graph = karate_network(), karate_graph()
    usual = ep.verify(network, graph, Threat(budget), 2, certify=True)
    assert usual.certified

    class Struck(Clock):
        def is_up(self) -> bool:
            return True

    monkeypatch.setattr(certify, "Clock", Struck)
    late = ep.verify(network, graph, Threat(budget), 2, certify=True, timeout=60)
    assert (late.status, late.reason, late.attack, late.certified) == ("unknown", "timeout", None, False)


def test_every_candidate_is_decided_as_exact_numbers_do_in_a_search_too() -> None:
    network, graph = tied(3, 8)
    assert ep.verify(network, graph, Threat(2), 0, label=0).status == "robust"
    better = Network([network.layers[0], _lifted(network.layers[1])])
    assert ep.verify(better, graph, Threat(0), 0, label=0).status == "vulnerable"
    with pytest.raises(ep.InputError, match="does not break the claim"):
        ep.minimise(network, graph, Threat(2), graph.edge_pairs()[:1], 0, label=0)


def _lifted(layer: Layer) -> Layer:
    bias = layer.b.copy()
    bias[1] = np.nextafter(bias[1], np.inf)
    return Layer(layer.C, layer.A, bias, layer.aggregation, layer.activation)


# (e) what an answer can be asked, and progress


def test_progress_is_a_callable_or_true(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("edgeproof.progress.PATIENCE", 0.0)
    network, graph = hard()
    layer = Layer([[0.0], [0.0]], [[1.0], [0.0]], [0.0, 1.5], "sum", "none")
    small, star = Network([layer]), Graph([[0, 1], [2, 2]], [[1.0]] * 3, directed=True, labels=[1, 1, 0])
    news: list[tuple] = []

    def tell(*given):
        news.append(given)

    ask = {
        "verify": lambda how: ep.verify(network, graph, Threat(20), 0, timeout=0.3, progress=how),
        "radius": lambda how: ep.radius(network, graph, Threat(20), 0, timeout=0.3, progress=how),
        "many": lambda how: list(ep.verify_many(small, star, ep.Plan([Threat(1)]), workers=0, progress=how)),
        "accuracy": lambda how: ep.certified_accuracy(small, star, Threat(1), progress=how),
    }
    for name, call in ask.items():
        news.clear()
        call(tell)
        assert news, name
        capsys.readouterr()
        call(True)
        assert capsys.readouterr().err.startswith("edgeproof: "), name
        call(None)
        call(False)
        assert capsys.readouterr().err == "", name
        with pytest.raises(ep.InputError, match="progress: expected True or something to call, got 3"):
            call(3)


def test_a_check_tells_its_progress(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch) -> None:
    monkeypatch.setattr("edgeproof.progress.PATIENCE", 0.0)
    layer = Layer([[0.0], [0.0]], [[1.0], [0.0]], [0.0, 0.5], "sum", "none")
    network, graph = Network([layer]), Graph([[0, 1], [2, 2]], [[1.0]] * 3, directed=True)
    verdict = ep.verify(network, graph, Threat(1), 2, proof=tmp_path / "p")
    assert verdict.robust
    capsys.readouterr()
    ep.check(tmp_path / "p", network, graph, progress=True)
    assert "edgeproof: " in capsys.readouterr().err


def test_answers_say_what_they_are_and_are_neither_true_nor_false() -> None:
    assert ep.Verdict("robust", 0).robust
    assert not ep.Verdict("robust", 0).vulnerable
    assert ep.Verdict("vulnerable", 0, ep.Attack([(0, 1)]), 1).vulnerable
    unknown = ep.Verdict("unknown", 0, reason="timeout")
    assert not unknown.robust
    assert not unknown.vulnerable
    with pytest.raises(TypeError, match=r"neither true nor false: ask v\.robust"):
        bool(unknown)
    exact = ep.Radius(1, 1, exact=True, robust=False, label=0, attack=ep.Attack([(0, 1), (1, 2)]), rival=1)
    kept = ep.Radius(2, None, exact=True, robust=True, label=0)
    cut = ep.Radius(0, 3, exact=False, robust=False, label=0, reason="timeout")
    assert [one.status for one in (exact, kept, cut)] == ["vulnerable", "robust", "unknown"]
    assert [one.vulnerable for one in (exact, kept, cut)] == [True, False, False]
    with pytest.raises(TypeError, match="neither true nor false"):
        bool(cut)


def test_answers_of_a_sweep_have_a_status_whatever_was_asked() -> None:
    layer = Layer([[0.0], [0.0]], [[1.0], [0.0]], [0.0, 1.5], "sum", "none")
    network, graph = Network([layer]), Graph([[0, 1], [2, 2]], [[1.0]] * 3, directed=True)
    plan = ep.Plan([Threat(1)], radius=True)
    assert {one.status for one in ep.verify_many(network, graph, plan, workers=0)} == {"robust", "vulnerable"}


def test_a_fault_of_ours_exits_with_70(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys) -> None:
    from edgeproof.cli import main

    layer = Layer([[0.0], [0.0]], [[1.0], [0.0]], [0.0, 1.5], "sum", "none")
    Network([layer]).save(tmp_path / "m.safetensors")
    Graph([[0, 1], [2, 2]], [[1.0]] * 3, directed=True).save(tmp_path / "g.graph")

    def broken(*given, **asked):
        raise ZeroDivisionError("something is wrong")

    monkeypatch.setattr(ep, "verify", broken)
    with pytest.raises(SystemExit) as end:
        main.main(["verify", str(tmp_path / "m.safetensors"), str(tmp_path / "g.graph"), "--node", "2"])
    assert end.value.code == 70
    said = capsys.readouterr().err
    assert said.startswith("edgeproof: internal error: ZeroDivisionError: something is wrong")
    assert said.count("\n") == 1


def test_large_and_small_questions_are_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    """A question whose kernels take long has an alarm, one of microseconds starts no thread."""
    started = []
    usual = Alarm._begin
    monkeypatch.setattr(Alarm, "_begin", lambda self: (started.append(1), usual(self)))
    network, graph = hub()
    listed = {"by_size": False}
    ep.verify(network, graph, Threat(4, insert="target"), 0, label=0, timeout=0.3, options=listed)
    assert len(started) == 1
    layer = Layer([[0.0], [0.0]], [[1.0], [0.0]], [0.0, 1.5], "sum", "none")
    ep.verify(Network([layer]), Graph([[0, 1], [2, 2]], [[1.0]] * 3, directed=True), Threat(1), 2)
    assert len(started) == 1
    assert alarm.LONG_PASS > 0


def test_graph_tasks_are_decided_the_same_way() -> None:
    rng = np.random.default_rng(5)
    network = Network([Layer([[1.0]], [[1.0]], [0.0])], Readout([[1.0], [1.0]], [0.0, 0.0], "mean"))
    graph = Graph([[0, 1], [1, 0]], rng.normal(size=(3, 1)), directed=False)
    assert ep.verify(network, graph, Threat(1), label=1).status == "robust"
    assert make_query(network, graph, Threat(1)).claim.label == 0

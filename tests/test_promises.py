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
from edgeproof import Graph, Layer, Network, Readout, Threat, limits
from edgeproof.clock import Clock, TimeUpError
from edgeproof.demo.karate import karate_graph, karate_network
from edgeproof.model.query import make_query
from edgeproof.problem import compile as compiling
from edgeproof.proof.check import check
from edgeproof.proof.enclose import Enclosure
from edgeproof.proof.setting import Setting
from edgeproof.proof.write import write_proof
from edgeproof.search import deadline as alarm
from edgeproof.search import engine as search_engine
from edgeproof.search import from_base
from edgeproof.search import radius as climb
from edgeproof.search.deadline import Alarm
from edgeproof.search.state.state import STOP
from edgeproof.search.trace import Trace
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

    monkeypatch.setattr(limits, "Clock", Struck)
    late = ep.verify(network, graph, Threat(budget), 2, certify=True, timeout=60)
    assert (late.status, late.reason, late.attack, late.certified) == ("unknown", "timeout", None, False)


class Struck(Clock):
    """Its time is always up."""

    def is_up(self) -> bool:
        return True


class Counting(Clock):
    """Its time is up at the look with this number."""

    __slots__ = ("last", "looks")

    def __init__(self, last: float = np.inf) -> None:
        super().__init__()
        self.looks, self.last = 0, last

    def is_up(self) -> bool:
        self.looks += 1
        return self.looks >= self.last


@pytest.mark.parametrize("engine", ["search", "mip", "brute"])
def test_a_time_limit_holds_while_the_prediction_is_decided_exactly(
    engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is known then, not even which class is defended: a radius does not begin at 0."""
    if engine == "mip":
        pytest.importorskip("pyscipopt")
    network, graph = tied(3, 8)
    monkeypatch.setattr(limits, "Clock", Struck)
    for certify_ in (False, engine == "search"):
        verdict = ep.verify(network, graph, Threat(1), 0, timeout=60, engine=engine, certify=certify_)
        assert (verdict.status, verdict.reason, verdict.node, verdict.attack) == ("unknown", "timeout", 0, None)
    answer = ep.radius(network, graph, Threat(1), 0, timeout=60, engine=engine)
    assert (answer.status, answer.reason, answer.lower, answer.upper) == ("unknown", "timeout", -1, None)
    assert answer.graph is graph
    assert ep.verify(network, graph, Threat(1), 0, timeout=60, engine=engine, label=0).robust


def test_a_sweep_does_not_wait_for_the_prediction_either(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What is not known is no label for the next question about the same node."""
    network, graph = tied(3, 8)
    plan = ep.Plan([Threat(1), Threat(2)], nodes=[0], targets=[None, "next"])
    with monkeypatch.context() as patch:
        patch.setattr(limits, "Clock", Struck)
        late = list(ep.verify_many(network, graph, plan, workers=0, timeout=5, store=tmp_path))
        assert [(one.status, one.reason) for one in late] == [("unknown", "timeout")] * 4
    later = list(ep.verify_many(network, graph, plan, workers=0, timeout=60, store=tmp_path))
    assert [(one.status, one.label) for one in later] == [("robust", 0)] * 4


@pytest.mark.parametrize("ask", [ep.verify, ep.radius])
def test_a_time_limit_holds_while_a_question_is_laid_out(ask, monkeypatch: pytest.MonkeyPatch) -> None:
    network, graph = hard()
    usual = compiling.find_surroundings

    def slow(*given):
        time.sleep(0.3)
        return usual(*given)

    def never(*given):
        raise AssertionError("the time was up before")

    monkeypatch.setattr(compiling, "find_surroundings", slow)
    monkeypatch.setattr(compiling, "_lay_slots", never)
    warm_up()
    answer = ask(network, graph, Threat(20), 0, timeout=0.2)
    assert (answer.status, answer.reason) == ("unknown", "timeout")


def test_the_checker_looks_at_the_clock_while_it_lays_out_a_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    """At every vertex that pairs may lead into, at every stage, and among the nodes of the tree."""
    monkeypatch.setattr("edgeproof.proof.region.STRIDE", 8)
    monkeypatch.setattr("edgeproof.proof.tree.STRIDE", 2)
    network, graph = karate_network(), karate_graph()
    query = make_query(network, graph, Threat(1), 2)
    trace = Trace()
    assert search_engine.verify(query, timeout=None, node_limit=None, options=None, trace=trace).status == "robust"
    data = write_proof(query, trace.records, trace.pairs)
    clock = Counting()
    setting = Setting(query, clock=clock)
    assert clock.looks >= (setting.region.distance < setting.chain.depth).sum() + setting.region.F / 8
    before = clock.looks
    Enclosure(setting)
    assert clock.looks == before + setting.T
    whole = Counting()
    checked = check(data, network, graph, clock=whole)
    assert whole.looks >= clock.looks + checked.nodes / 2
    for last in range(1, whole.looks + 1):
        with pytest.raises(TimeUpError):
            check(data, network, graph, clock=Counting(last))


def test_what_float32_needs_first_looks_at_the_clock_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without it, an answer about real arithmetic is none about float32."""
    network, graph = karate_network(), karate_graph()
    assert ep.verify(network, graph, Threat(0), 2, arithmetic="float32").status == "robust"
    monkeypatch.setattr(limits, "Clock", Struck)
    late = ep.verify(network, graph, Threat(0), 2, arithmetic="float32")
    assert (late.status, late.reason, late.attack) == ("unknown", "timeout", None)


@pytest.mark.parametrize("ask", [ep.verify, ep.radius])
def test_ctrl_c_outside_of_the_tree_is_an_interrupt_with_the_answer(ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where a question is asked without a tree, from what it has to be prepared with on."""
    network, graph = hard()

    def interrupt(*given):
        raise KeyboardInterrupt

    monkeypatch.setattr(from_base, "_ask", interrupt)
    monkeypatch.setattr(from_base, "_chosen", lambda *given: True)
    monkeypatch.setattr(from_base, "warm_up_charges", lambda: None)
    monkeypatch.setattr(from_base, "warm_up_lengths", lambda: None)
    with pytest.raises(ep.Interrupted) as stop:
        ask(network, graph, Threat(2), 0)
    assert (stop.value.answer.status, stop.value.answer.reason) == ("unknown", "interrupted")


def test_a_certified_accuracy_at_budget_0_is_the_clean_one_however_short_the_time() -> None:
    """On a graph that is large enough for questions to be asked without a tree first."""
    rng = np.random.default_rng(2)
    n = 120
    there = np.unique(np.sort(rng.integers(0, n, (2, 400)), axis=0), axis=1)
    there = there[:, there[0] != there[1]]
    graph = Graph(np.concatenate([there, there[::-1]], axis=1), rng.normal(size=(n, 4)), directed=False)
    layers = [Layer(*(rng.normal(size=shape) for shape in ((3, w), (3, w), 3)), "mean") for w in (4, 3)]
    network = Network([*layers[:1], Layer(layers[1].C, layers[1].A, layers[1].b, "mean", "none")])
    truth = [make_query(network, graph, Threat(1), v).claim.label for v in range(n)]
    for insert in (False, True):
        found = ep.certified_accuracy(network, graph, Threat(2, insert=insert), labels=truth, timeout=1e-7)
        assert found.by_budget[0] == 1.0
        assert {one.reason for one in found.answers} <= {"timeout", None}
        assert {one.lower for one in found.answers} <= {0, 1, 2}


def test_a_certificate_tells_its_progress_and_keeps_to_the_memory() -> None:
    network, graph = hard()
    news: list[int] = []
    ep.verify(network, graph, Threat(20), 0, node_limit=20, progress=news.append, certify=True)
    assert news  # where the search stops to begin anew, tightened
    with pytest.raises(ep.TooLargeError, match=r"^memory: this question takes about"):
        ep.verify(network, graph, Threat(20), 0, certify=True, memory=1e-6)


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

    def begin(self: Alarm) -> None:
        started.append(1)
        self.deadline = time.perf_counter()  # seen enough
        usual(self)

    monkeypatch.setattr(Alarm, "_begin", begin)
    network, graph = hub()
    listed = {"by_size": False}
    ep.verify(network, graph, Threat(4, insert="target"), 0, label=0, timeout=600.0, options=listed)
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

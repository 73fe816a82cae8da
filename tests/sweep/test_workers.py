"""Worker processes die, hang and swell; the sweep goes on and says what happened."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

import edgeproof as ep
import sweep_cases as cases
from edgeproof.sweep import workers
from edgeproof.sweep.limits import Limits
from edgeproof.sweep.many import make_sweep
from edgeproof.sweep.workers import Workers
from sweep_poison import Broken, Deadly, Drowsy, Greedy, Sleepy


@pytest.fixture(autouse=True)
def workers_find_the_poison(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1]), prepend=os.pathsep)


def ask(poison: ep.Threat, **limits: float) -> ep.Answer:
    """Nodes 0 to 5 under a plain threat, which get their verdicts, and among them node 3 under something else."""
    questions = [ep.Question(ep.Threat(1), node) for node in range(6)]
    questions.insert(3, ep.Question(poison, 3))
    network, graph = cases.network(), cases.graph()
    answers = list(ep.verify_many(network, graph, questions, workers=2, engine="brute", share=False, **limits))
    assert len(answers) == len(questions)
    plain = [answer for answer in answers if answer.question.threat is not poison]
    for answer in plain:
        assert answer.status == ep.verify(network, graph, ep.Threat(1), answer.node, engine="brute").status
    (poisoned,) = (answer for answer in answers if answer not in plain)
    return poisoned


def test_a_question_that_kills_its_workers_is_an_error() -> None:
    assert ask(Deadly(1)).message == "its worker process died of SIGKILL (3 times)"


def test_an_accident_is_forgiven(tmp_path: Path) -> None:
    for life in range(2):
        (tmp_path / str(life)).touch()
    assert ask(Deadly(1, left=tmp_path)).status in ("robust", "vulnerable")
    assert not list(tmp_path.iterdir())


def test_a_question_that_ignores_its_time_limit_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "GRACE", 0.5)
    started = time.monotonic()
    answer = ask(Sleepy(1), timeout=0.5)
    assert time.monotonic() - started < 30
    assert answer.status == "error"
    assert "its worker process was ended: it was still running" in answer.message


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory limits are enforced on Linux")
def test_a_question_that_takes_too_much_memory_is_an_error() -> None:
    answer = ask(Greedy(1), memory=1.0)
    assert answer.error == "MemoryError"
    assert answer.message == "the query ran out of memory; its limit is 1 GB"


def test_an_exception_is_told_in_one_line() -> None:
    answer = ask(Broken(1))
    assert (answer.error, answer.message) == ("RuntimeError", "two lines")


def test_workers_that_are_killed_cost_time_only(tmp_path: Path) -> None:
    network, graph, plan = cases.network(), cases.graph(), cases.plan(targets=[None, "next"])
    calm = tmp_path / "calm"
    for _ in ep.verify_many(network, graph, plan, workers=0, engine="brute", store=calm):
        pass
    sweep = make_sweep(network, graph, plan, workers=2, engine="brute", store=tmp_path / "wild")
    killed = 0
    for number, _ in enumerate(sweep):
        assert isinstance(sweep._dispatcher, Workers)
        if number % 12 == 5 and killed < 5:
            for process in sweep._dispatcher.processes()[:1]:
                os.kill(process, signal.SIGKILL)
                killed += 1
    assert killed >= 3
    assert cases.essence(tmp_path / "wild") == cases.essence(calm)


def test_workers_that_cannot_start_end_the_sweep_with_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONHOME", "/nonexistent")
    with pytest.raises(ep.EdgeproofError, match="worker processes die as soon as they are started"):
        list(ep.verify_many(cases.network(), cases.graph(), cases.plan(), workers=1, engine="brute"))


def test_a_sweep_that_is_left_leaves_no_process() -> None:
    sweep = make_sweep(cases.network(), cases.graph(), cases.plan(), workers=2, engine="brute", limits=Limits())
    answers = iter(sweep)
    next(answers)
    assert isinstance(sweep._dispatcher, Workers)
    processes = sweep._dispatcher.processes()
    assert processes
    answers.close()
    for process in processes:
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)


def test_two_workers_take_half_the_time() -> None:
    """From the first answer on, since starting takes what it takes."""

    def seconds(workers: int) -> float:
        questions = [ep.Question(Drowsy(1), number % 12, target="next") for number in range(24)]
        how = {"workers": workers, "engine": "brute", "share": False}
        answers = ep.verify_many(cases.network(), cases.graph(), questions, **how)
        next(answers)
        if workers == 2:
            next(answers)  # both have begun
        started = time.monotonic()
        for _ in answers:
            pass
        return time.monotonic() - started

    assert seconds(1) > 1.7 * seconds(2)

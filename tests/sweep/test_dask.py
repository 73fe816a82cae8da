"""A real Dask cluster of several worker processes on this machine."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Generator, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Future, wait
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import edgeproof as ep
import sweep_cases as cases
from edgeproof.sweep.chunk import Reply
from edgeproof.sweep.many import make_sweep

distributed = pytest.importorskip("distributed", reason="needs Dask: pip install 'edgeproof[dask]'")

from edgeproof.sweep.cluster import hand_over, release  # noqa: E402  (it needs Dask)

# what Dask and its event loop leave behind when processes are killed under them is theirs
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with (
        _tests_importable(),
        distributed.LocalCluster(
            n_workers=3, threads_per_worker=1, processes=True, dashboard_address=None,
            local_directory=str(tmp_path_factory.mktemp("dask")),
        ) as cluster,
        distributed.Client(cluster) as client,
    ):  # fmt: skip
        yield client


@contextmanager
def _tests_importable() -> Iterator[None]:
    """For workers that are started here, and for those that take the place of killed ones."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(Path(__file__).parents[1]), prepend=os.pathsep)
        yield


def worker_pids(client: Any) -> list[int]:
    return list(client.run(os.getpid).values())


def test_a_client_is_an_executor_and_its_workers_may_die(client: Any, tmp_path: Path) -> None:
    network, graph, plan = cases.network(), cases.graph(20), cases.plan(targets=[None, "next"])
    for _ in ep.verify_many(network, graph, plan, workers=0, engine="brute", store=tmp_path / "calm"):
        pass
    sweep = make_sweep(network, graph, plan, client, engine="brute", store=tmp_path / "wild")
    before = worker_pids(client)
    assert len(before) == 3
    killed = []
    for number, _ in enumerate(sweep):
        if number in (5, 60):
            killed.append(worker_pids(client)[0])
            os.kill(killed[-1], signal.SIGKILL)
    assert len(killed) == 2
    assert cases.essence(tmp_path / "wild") == cases.essence(tmp_path / "calm")
    client.wait_for_workers(3, timeout=60)
    assert not set(killed) & set(worker_pids(client))


def test_a_question_that_kills_every_worker_is_an_error(client: Any) -> None:
    from sweep_poison import Deadly

    client.wait_for_workers(3, timeout=60)
    questions = [ep.Question(ep.Threat(1), node) for node in range(4)]
    questions.insert(2, ep.Question(Deadly(1), 2))
    answers = list(ep.verify_many(cases.network(), cases.graph(), questions, client, engine="brute", share=False))
    assert len(answers) == 5
    (failed,) = (answer for answer in answers if answer.status == "error")
    assert type(failed.question.threat) is Deadly
    assert failed.message == "its Dask workers died"


def test_a_chunk_whose_end_was_missed_is_launched_again(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The client does not hear of the first chunk that ends, as can happen when workers die."""
    client.wait_for_workers(3, timeout=60)
    monkeypatch.setattr("edgeproof.sweep.cluster.LOOK", 0.5)
    finish, missed = distributed.client.FutureState.finish, []

    def miss_first(state: Any, *args: Any, **more: Any) -> None:
        if missed or not str(state.key).startswith("edgeproof"):
            finish(state, *args, **more)
        else:
            missed.append(state.key)

    monkeypatch.setattr(distributed.client.FutureState, "finish", miss_first)
    questions = [ep.Question(ep.Threat(1), node) for node in range(4)]
    answers = list(ep.verify_many(cases.network(), cases.graph(), questions, client, engine="brute", share=False))
    assert len(missed) == 1
    assert sorted(answer.question.node for answer in answers) == [0, 1, 2, 3]


class Task:
    """A Dask task whose result arrives, but whose worker is gone by then."""

    def __init__(self, outcome: Any, status: str = "lost") -> None:
        self.outcome, self.status = outcome, status

    def __await__(self) -> Generator[None, None, Any]:
        yield from asyncio.sleep(0).__await__()
        if isinstance(self.outcome, BaseException):
            raise self.outcome
        return self.outcome


def test_a_result_counts_though_its_worker_died_since() -> None:
    reply, future = Reply([], [], [], 0.0), Future[Reply | None]()
    asyncio.run(hand_over(Task(reply), future))
    assert future.result(timeout=0) is reply


@pytest.mark.parametrize(("status", "kind"), [("error", OSError), ("lost", BrokenExecutor)])
def test_an_error_of_the_work_stays_one_and_on_the_way_the_cluster_is_to_blame(
    status: str, kind: type[Exception]
) -> None:
    future = Future[Reply | None]()
    asyncio.run(hand_over(Task(OSError("no route"), status), future))
    with pytest.raises(kind, match="no route"):
        future.result(timeout=0)


@pytest.mark.parametrize("kind", [CancelledError, asyncio.CancelledError])
def test_a_cancelled_task_wakes_who_waits(kind: type[BaseException]) -> None:
    future = Future[Reply | None]()
    asyncio.run(hand_over(Task(kind()), future))
    done, _ = wait([future], timeout=0)
    assert done == {future}
    assert future.cancelled()


def test_what_was_given_up_may_still_come() -> None:
    """Whoever comes first decides, whichever that is."""
    for first_released in (True, False):
        reply, future = Reply([], [], [], 0.0), Future[Reply | None]()
        if first_released:
            release(future)
        asyncio.run(hand_over(Task(reply), future))
        release(future)
        assert future.cancelled() == first_released


def test_a_scheduler_that_dies_ends_the_sweep_with_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    contact = str(tmp_path / "contact.json")
    scheduler = _start("dask_scheduler", "--port", "0", "--no-dashboard", "--scheduler-file", contact)
    worker = _start("dask_worker", "--no-dashboard", "--scheduler-file", contact, "--local-directory", str(tmp_path))
    client = distributed.Client(scheduler_file=contact, timeout=60)
    monkeypatch.setitem(distributed.config["distributed"]["comm"]["timeouts"], "connect", "2s")  # Dask's own: 30 s
    try:
        client.wait_for_workers(1, timeout=60)
        plan = cases.plan(targets=[None, "next"])
        answers = iter(ep.verify_many(cases.network(), cases.graph(3000), plan, client, engine="brute", store=tmp_path))
        next(answers)
        scheduler.kill()
        with pytest.raises(ep.EdgeproofError, match=r"the workers are gone: .*Dask.*; what is answered is kept"):
            list(answers)
    finally:
        for process in (scheduler, worker):
            process.kill()
            process.wait()
        client.close(timeout=1)
    assert cases.lines(tmp_path)


def _start(program: str, *words: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", f"distributed.cli.{program}", *words]
    with _tests_importable():
        return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def test_the_command_takes_an_address(client: Any, tmp_path: Path) -> None:
    words = ("sweep", *cases.files(tmp_path), "--engine", "brute", "--budget", 1, "--out", tmp_path / "out")
    done = cases.run(*words, "--dask", client.scheduler.address)
    assert done.returncode == 0, done.stderr
    assert len(cases.lines(tmp_path / "out")) == 12
    nobody = cases.run(*words, "--dask", "tcp://127.0.0.1:9")
    assert nobody.returncode == 2
    assert "dask: cannot connect to tcp://127.0.0.1:9" in nobody.stderr.splitlines()[-1]
    assert "Traceback" not in nobody.stderr

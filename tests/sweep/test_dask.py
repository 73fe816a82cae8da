"""A real Dask cluster of several worker processes on this machine."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import edgeproof as ep
import sweep_cases as cases
from edgeproof.sweep.many import make_sweep

distributed = pytest.importorskip("distributed", reason="needs Dask: pip install 'edgeproof[dask]'")

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
    """The client forgets the first chunk it is given, as it can when workers die."""
    client.wait_for_workers(3, timeout=60)
    monkeypatch.setattr("edgeproof.sweep.cluster.LOOK", 0.5)
    wrap, missed = distributed.cfexecutor.ClientExecutor._wrap_future, []

    def miss_first(executor: Any, future: Any) -> Any:
        if missed:
            return wrap(executor, future)
        missed.append(future)
        return Future()

    monkeypatch.setattr(distributed.cfexecutor.ClientExecutor, "_wrap_future", miss_first)
    questions = [ep.Question(ep.Threat(1), node) for node in range(4)]
    answers = list(ep.verify_many(cases.network(), cases.graph(), questions, client, engine="brute", share=False))
    assert len(missed) == 1
    assert sorted(answer.question.node for answer in answers) == [0, 1, 2, 3]


def test_the_command_takes_an_address(client: Any, tmp_path: Path) -> None:
    words = ("sweep", *cases.files(tmp_path), "--engine", "brute", "--budget", 1, "--out", tmp_path / "out")
    done = cases.run(*words, "--dask", client.scheduler.address)
    assert done.returncode == 0, done.stderr
    assert len(cases.lines(tmp_path / "out")) == 12
    nobody = cases.run(*words, "--dask", "tcp://127.0.0.1:9")
    assert nobody.returncode == 2
    assert "dask: cannot connect to tcp://127.0.0.1:9" in nobody.stderr.splitlines()[-1]
    assert "Traceback" not in nobody.stderr

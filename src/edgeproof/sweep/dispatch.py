"""Where chunks go: into this process, or to any executor (workers.py and cluster.py have more)."""

from __future__ import annotations

import pickle
import threading
from concurrent.futures import Executor, Future
from typing import Protocol

from .chunk import Chunk, Reply, answer_chunk
from .job import Job
from .prepare import prepare
from .workers import Running


class Dispatcher(Protocol):
    """A reply of None says that the worker has not got the job yet: submit again, `with_job`."""

    @property
    def slots(self) -> int:
        """How many chunks it can work on at once."""

    def submit(self, chunk: Chunk, with_job: bool = False) -> Future[Reply | None]: ...
    def running(self) -> list[Running]: ...
    def end_overruns(self, timeout: float | None) -> None: ...
    def close(self) -> None: ...


class Silent:
    """For those who cannot tell what they are doing, nor at which question a worker died."""

    def running(self) -> list[Running]:
        return []

    def end_overruns(self, timeout: float | None) -> None:
        pass


class Here(Silent):
    """In this process and thread: no start-up, no parallelism."""

    slots = 1

    def __init__(self, job: Job) -> None:
        self._job = job

    def submit(self, chunk: Chunk, with_job: bool = False) -> Future[Reply | None]:
        future: Future[Reply | None] = Future()
        future.set_result(answer_chunk(self._job, chunk))
        return future

    def close(self) -> None:
        pass


class OnExecutor(Silent):
    """Any executor. A worker keeps the job; who has not got it says so, and gets it with its next chunk."""

    def __init__(self, job: Job, executor: Executor, slots: int | None) -> None:
        self._executor, self._token = executor, job.token
        self.slots = slots or getattr(executor, "_max_workers", None) or 4
        self._packed = pickle.dumps(job, protocol=pickle.HIGHEST_PROTOCOL)
        keep(self._token, job)  # for threads of this process, and processes that will be forked from it

    def submit(self, chunk: Chunk, with_job: bool = False) -> Future[Reply | None]:
        return self._executor.submit(answer_kept, self._token, self._packed if with_job else None, chunk)

    def close(self) -> None:
        forget(self._token)


# jobs in this process, by token
_kept: dict[str, Job] = {}
_KEPT_MOST = 4
_preparing = threading.Lock()


def keep(token: str, job: Job) -> Job:
    while len(_kept) >= _KEPT_MOST:
        _kept.pop(next(iter(_kept)))
    _kept[token] = job
    return job


def forget(token: str) -> None:
    _kept.pop(token, None)


def answer_kept(token: str, packed: bytes | None, chunk: Chunk) -> Reply | None:
    """What a worker of somebody else's executor runs."""
    job = _kept.get(token)
    if job is None:
        if packed is None:
            return None
        job = keep(token, pickle.loads(packed))
    with _preparing:
        prepare(job)
    return answer_chunk(job, chunk)

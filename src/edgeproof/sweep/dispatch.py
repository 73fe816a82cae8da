"""Where chunks go: into this process, to worker processes, to any executor, or to a Dask cluster."""

from __future__ import annotations

import pickle
import threading
from concurrent.futures import Executor, Future
from typing import Any, Protocol

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


class _Silent:
    """For those who cannot tell what they are doing."""

    def running(self) -> list[Running]:
        return []

    def end_overruns(self, timeout: float | None) -> None:
        pass


class Here(_Silent):
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


class OnExecutor(_Silent):
    """Any executor. A worker keeps the job; who has not got it says so, and gets it with its next chunk."""

    def __init__(self, job: Job, executor: Executor, slots: int | None) -> None:
        self._executor, self._token = executor, job.token
        self.slots = slots or getattr(executor, "_max_workers", None) or 4
        self._packed = pickle.dumps(job, protocol=pickle.HIGHEST_PROTOCOL)
        _keep(self._token, job)  # for threads of this process, and processes that will be forked from it

    def submit(self, chunk: Chunk, with_job: bool = False) -> Future[Reply | None]:
        return self._executor.submit(_answer_kept, self._token, self._packed if with_job else None, chunk)

    def close(self) -> None:
        _kept.pop(self._token, None)


_kept: dict[str, Job] = {}
_KEPT_MOST = 4
_preparing = threading.Lock()


def _keep(token: str, job: Job) -> Job:
    while len(_kept) >= _KEPT_MOST:
        _kept.pop(next(iter(_kept)))
    _kept[token] = job
    return job


def _answer_kept(token: str, packed: bytes | None, chunk: Chunk) -> Reply | None:
    job = _kept.get(token)
    if job is None:
        if packed is None:
            return None
        job = _keep(token, pickle.loads(packed))
    return _answer_prepared(job, chunk)


def _answer_prepared(job: Job, chunk: Chunk) -> Reply:
    with _preparing:
        prepare(job)
    return answer_chunk(job, chunk)


class OnDask(_Silent):
    """A `distributed.Client`. The job is scattered to all workers; Dask brings it to those that come later."""

    def __init__(self, job: Job, client: Any) -> None:
        self._client, self._plain = client, job
        self._executor = client.get_executor(pure=False)
        self._job = self._scatter()

    def _scatter(self) -> Any:
        return self._client.scatter(self._plain, broadcast=True, hash=False)

    @property
    def slots(self) -> int:
        return max(1, int(sum(self._client.nthreads().values())))

    def submit(self, chunk: Chunk, with_job: bool = False) -> Future[Reply | None]:
        if with_job or self._job.status != "finished":  # every worker that held it is gone
            self._job = self._scatter()
        future: Future[Reply | None] = self._executor.submit(_answer_prepared, self._job, chunk)
        return future

    def close(self) -> None:
        self._executor.shutdown(wait=False)

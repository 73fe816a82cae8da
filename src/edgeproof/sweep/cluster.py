"""A Dask cluster: every worker gets the job once, those that come later too."""

from __future__ import annotations

import asyncio
import pickle
import time
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Future
from contextlib import contextmanager, suppress
from typing import Any
from uuid import uuid4

from distributed import WorkerPlugin

from .chunk import Chunk, Reply
from .dispatch import Silent, answer_kept, forget, keep
from .job import Job

# seconds between two looks at what the scheduler says of chunks that are not back
LOOK = 10.0
# seconds for the scheduler to forget the job: one that is gone would be waited for as long as a client takes to connect
FAREWELL = 5.0
OVER = ("memory", "erred", "released", "forgotten", None)


class KeepJob(WorkerPlugin):
    """The scheduler hands this to every worker that it knows or will know: scattered data would be lost with the last
    worker that holds it.
    """

    def __init__(self, token: str, packed: bytes) -> None:
        self.token, self.packed = token, packed

    def setup(self, worker: Any) -> None:
        keep(self.token, pickle.loads(self.packed))

    def teardown(self, worker: Any) -> None:
        forget(self.token)


@contextmanager
def reaching() -> Iterator[None]:
    """Around a question to the scheduler: where it is gone, so are the workers, as far as this sweep can know."""
    try:
        yield
    except OSError as problem:
        raise BrokenExecutor(f"the Dask scheduler does not answer: {problem}") from None


async def hand_over(task: Any, future: Future[Reply | None]) -> None:
    """Give what becomes of a Dask task to a future that others may wait for.

    The executor that Dask brings reads the task's state once more when it has the result. Where the worker that held
    the result dies in between, it takes the result for an error (seen with distributed 2026.8); where the task fails
    while its result is on the way, it tells nobody.
    """
    try:
        reply = await task
    except (CancelledError, asyncio.CancelledError):
        release(future)
    except Exception as problem:
        if is_awaited(future):
            future.set_exception(problem if task.status == "error" else BrokenExecutor(f"Dask: {problem}"))
    else:
        if is_awaited(future):
            future.set_result(reply)


def is_awaited(future: Future[Reply | None]) -> bool:
    return not future.done() and future.set_running_or_notify_cancel()


def release(future: Future[Reply | None]) -> None:
    """Nothing will come: tell who waits. Like `hand_over`, run in the client's event loop only: never two at once."""
    if not future.done() and future.cancel():
        future.set_running_or_notify_cancel()


class OnDask(Silent):
    """A `distributed.Client`."""

    def __init__(self, job: Job, client: Any) -> None:
        self._client, self._token = client, job.token
        self._packed = pickle.dumps(job, protocol=pickle.HIGHEST_PROTOCOL)
        client.register_plugin(KeepJob(self._token, self._packed), name=self._token)
        self._flying: dict[Future[Reply | None], Any] = {}  # and their tasks
        self._over: set[str] = set()  # what the scheduler was done with at the last look
        self._looked = time.monotonic()

    @property
    def slots(self) -> int:
        with reaching():
            return max(1, sum(int(threads) for threads in self._client.nthreads().values()))

    def submit(self, chunk: Chunk, with_job: bool = False) -> Future[Reply | None]:
        packed = self._packed if with_job else None
        task = self._client.submit(answer_kept, self._token, packed, chunk, key=f"edgeproof-{uuid4().hex}", pure=False)
        future: Future[Reply | None] = Future()
        self._client.loop.add_callback(hand_over, task, future)
        self._flying = {other: theirs for other, theirs in self._flying.items() if not other.done()}
        self._flying[future] = task
        return future

    def end_overruns(self, timeout: float | None) -> None:
        """Give up on chunks that the scheduler has been done with for a while, but that have not come back.

        Where workers die, a client can miss how a task ended, and would wait for it forever. A released chunk is
        launched again.
        """
        if time.monotonic() - self._looked < LOOK:
            return
        flying = {task.key: future for future, task in self._flying.items() if not future.done()}
        with reaching():
            status = self._client.sync(self._client.scheduler.get_task_status, keys=list(flying)) if flying else {}
        over = {name for name in flying if status.get(name) in OVER}
        for name in over & self._over:
            self._client.loop.add_callback(release, flying[name])
        self._over, self._looked = over, time.monotonic()

    def close(self) -> None:
        if self._client.status != "running":
            return  # a scheduler that is gone keeps nothing
        with suppress(OSError):  # nor does one that goes now; a time-out is one of these
            self._client.cancel(list(self._flying.values()))
            self._client.sync(
                self._client.scheduler.unregister_worker_plugin, name=self._token, callback_timeout=FAREWELL
            )

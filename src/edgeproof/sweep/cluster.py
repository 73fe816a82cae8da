"""A Dask cluster: every worker gets the job once, those that come later too."""

from __future__ import annotations

import pickle
import time
from concurrent.futures import Future
from typing import Any
from uuid import uuid4

from distributed import WorkerPlugin

from .chunk import Chunk, Reply
from .dispatch import Silent, answer_kept, forget, keep
from .job import Job

# seconds between two looks at what the scheduler says of chunks that are not back
LOOK = 10.0
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


class OnDask(Silent):
    """A `distributed.Client`."""

    def __init__(self, job: Job, client: Any) -> None:
        self._client, self._token = client, job.token
        self._packed = pickle.dumps(job, protocol=pickle.HIGHEST_PROTOCOL)
        self._executor = client.get_executor(pure=False)
        client.register_plugin(KeepJob(self._token, self._packed), name=self._token)
        self._flying: dict[Future[Reply | None], str] = {}
        self._over: set[str] = set()  # what the scheduler was done with at the last look
        self._looked = time.monotonic()

    @property
    def slots(self) -> int:
        return max(1, sum(int(threads) for threads in self._client.nthreads().values()))

    def submit(self, chunk: Chunk, with_job: bool = False) -> Future[Reply | None]:
        name = f"edgeproof-{uuid4().hex}"
        future: Future[Reply | None] = self._executor.submit(
            answer_kept, self._token, self._packed if with_job else None, chunk, key=name
        )
        self._flying[future] = name
        return future

    def end_overruns(self, timeout: float | None) -> None:
        """Give up on chunks that the scheduler has been done with for a while, but that have not come back.

        Where workers die, a client can miss how a task ended, and would wait for it forever (seen with distributed
        2026.8, once in some 35 runs of a question that kills every worker). A cancelled chunk is launched again.
        """
        if time.monotonic() - self._looked < LOOK:
            return
        self._flying = {future: name for future, name in self._flying.items() if not future.done()}
        names = list(self._flying.values())
        status = self._client.sync(self._client.scheduler.get_task_status, keys=names) if names else {}
        over = {name for name in names if status.get(name) in OVER}
        for future, name in self._flying.items():
            if name in over & self._over and future.cancel():
                future.set_running_or_notify_cancel()  # who waits for it is told only now
        self._over, self._looked = over, time.monotonic()

    def close(self) -> None:
        self._executor.shutdown(wait=False)
        self._client.unregister_worker_plugin(self._token)

"""A Dask cluster: every worker gets the job once, those that come later too."""

from __future__ import annotations

import pickle
from concurrent.futures import Future
from typing import Any

from distributed import WorkerPlugin

from .chunk import Chunk, Reply
from .dispatch import Silent, answer_kept, forget, keep
from .job import Job


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

    @property
    def slots(self) -> int:
        return max(1, sum(int(threads) for threads in self._client.nthreads().values()))

    def submit(self, chunk: Chunk, with_job: bool = False) -> Future[Reply | None]:
        future: Future[Reply | None] = self._executor.submit(
            answer_kept, self._token, self._packed if with_job else None, chunk
        )
        return future

    def close(self) -> None:
        self._executor.shutdown(wait=False)
        self._client.unregister_worker_plugin(self._token)

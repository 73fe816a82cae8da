"""Worker processes on this machine. Each has a thread here that feeds it, and knows what it is doing.

Processes are started afresh rather than forked: a fork inherits the locks of whatever threads the caller runs. Unlike
a ProcessPoolExecutor, the death of one is the matter of one chunk, and a query that overruns its limit can be ended.
"""

from __future__ import annotations

import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from .chunk import Chunk, Reply
from .job import Job
from .serve import READY

# how far a query may exceed its time limit before its process is ended: the search looks at the clock by itself, so
# this is for what does not
GRACE = 10.0
# how often in a row a worker may die before it is ready: rarely, if none ever was
FAILED_STARTS, FAILED_RESTARTS = 3, 20


class WorkerDiedError(Exception):
    """position: the question that it was at, None if at none. ended: by us, for overrunning its limit."""

    def __init__(self, message: str, position: int | None, ended: bool = False) -> None:
        super().__init__(message)
        self.position, self.ended = position, ended


class CannotStartError(Exception):
    """Workers die before they are ready: there is nothing to wait for."""


class Running(NamedTuple):
    position: int
    since: float


class Workers:
    """Up to `count` processes; a process is started when there is something for it to do."""

    def __init__(self, job: Job, count: int) -> None:
        self.slots = count
        self._job = pickle.dumps(job, protocol=pickle.HIGHEST_PROTOCOL)
        self._queue: queue.SimpleQueue[tuple[Chunk, Future[Reply | None]] | None] = queue.SimpleQueue()
        self._closing, ready = threading.Event(), threading.Event()
        self._workers = [_Worker(self._job, self._queue, self._closing, ready) for _ in range(count)]

    def submit(self, chunk: Chunk, with_job: bool = False) -> Future[Reply | None]:
        future: Future[Reply | None] = Future()
        self._queue.put((chunk, future))
        for worker in self._workers:
            worker.begin()
        return future

    def running(self) -> list[Running]:
        """What is being asked right now."""
        return [worker.running for worker in self._workers if worker.running is not None]

    def processes(self) -> list[int]:
        return [worker.process.pid for worker in self._workers if worker.process is not None]

    def end_overruns(self, timeout: float | None) -> None:
        """Called now and then: ends the process of a query that ignores its time limit."""
        if timeout is None:
            return
        for worker in self._workers:
            running = worker.running
            if running is not None and time.monotonic() - running.since > 1.5 * timeout + GRACE:
                worker.end(f"it was still running {time.monotonic() - running.since:.0f} s after it began")

    def close(self) -> None:
        self._closing.set()
        for _ in self._workers:
            self._queue.put(None)
        for worker in self._workers:
            worker.end("the sweep has ended")
        for worker in self._workers:
            worker.join()


class _Worker:
    def __init__(
        self,
        job: bytes,
        chunks: queue.SimpleQueue[tuple[Chunk, Future[Reply | None]] | None],
        closing: threading.Event,
        ready: threading.Event,
    ) -> None:
        """ready: one of the workers once was."""
        self._job, self._chunks, self._closing, self._ready = job, chunks, closing, ready
        self._thread = threading.Thread(target=self._loop, daemon=True)
        self._reason: str | None = None
        self._failed_starts = 0
        self.process: subprocess.Popen[bytes] | None = None
        self.running: Running | None = None

    def begin(self) -> None:
        if self._thread.ident is None:
            self._thread.start()

    def join(self) -> None:
        if self._thread.ident is not None:
            self._thread.join()

    def end(self, reason: str) -> None:
        self._reason = reason
        process = self.process
        if process is not None:
            process.kill()

    def _loop(self) -> None:
        while True:
            item = self._chunks.get()
            if item is None:
                break
            chunk, future = item
            if self._closing.is_set() or not future.set_running_or_notify_cancel():
                future.cancel()
                continue
            try:
                future.set_result(self._serve(chunk))
            except Exception as problem:  # told to the driver, who waits for the future
                future.set_exception(problem)
        self._stop()

    def _serve(self, chunk: Chunk) -> Reply:
        try:
            process = self._started()
            assert process.stdin is not None
            assert process.stdout is not None
            pickle.dump(chunk, process.stdin, protocol=pickle.HIGHEST_PROTOCOL)
            process.stdin.flush()
            while True:
                message = pickle.load(process.stdout)
                if isinstance(message, Reply):
                    return message
                self.running = Running(message, time.monotonic())
        except (EOFError, OSError, pickle.UnpicklingError):
            at = None if self.running is None else self.running.position
            raise WorkerDiedError(self._stop(), at, ended=self._reason is not None) from None
        finally:
            self.running = None

    def _started(self) -> subprocess.Popen[bytes]:
        if self.process is not None and self.process.poll() is None:
            return self.process
        self._stop()
        if self._failed_starts >= (FAILED_RESTARTS if self._ready.is_set() else FAILED_STARTS):
            raise CannotStartError("worker processes die as soon as they are started; see what they say above")
        self._failed_starts += 1
        self._reason = None
        here = str(Path(__file__).parents[2])
        path = os.pathsep.join([here, *filter(None, [os.environ.get("PYTHONPATH")])])
        # the workers share the cores among themselves: none should take them all for a matrix product
        alone = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", "from edgeproof.sweep.serve import main; main()"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, **alone, "PYTHONPATH": path},
            start_new_session=True,
        )  # fmt: skip
        self.process = process
        if self._closing.is_set():
            process.kill()
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(self._job)
        process.stdin.flush()
        if pickle.load(process.stdout) != READY:
            raise CannotStartError("a worker process does not say that it is ready")
        self._failed_starts = 0
        self._ready.set()
        return process

    def _stop(self) -> str:
        """End the process, if there is one, and say how it ended."""
        process, self.process = self.process, None
        if process is None:
            return "its worker process could not be started"
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
        try:
            status = process.wait(timeout=1.0)
        except subprocess.TimeoutExpired:
            process.kill()
            status = process.wait()
        if self._reason is not None:
            return f"its worker process was ended: {self._reason}"
        if status < 0:
            return f"its worker process died of {signal.Signals(-status).name}"
        return f"its worker process ended with status {status}"

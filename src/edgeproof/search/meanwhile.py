"""Answers while kernels are being compiled, by a process whose kernels are plain Python (jit/interpreted.py).

The same code on the same numbers: an answer does not depend on which kernels gave it, but for the order of sums that a
compiler may choose, which the rounding analysis covers. Easy questions take milliseconds so; hard ones wait.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe
from typing import Any

from ..model.query import Query
from ..model.verdict import Radius, Verdict
from .compiling import TICK, start_compiler
from .warm_up import is_compiled

# seconds for one question: longer ones are left to compiled kernels, which this process keeps a core from
PATIENCE = 5.0
# seconds of processor after which compiling comes first: by then somebody has seen an answer
HEAD_START = 5.0
BEHIND = 10  # niceness, from then on
# vertices and edges of a graph that is sent to the other process
LARGEST = 300_000
PROGRAM = "import sys; sys.path[:] = {path!r}; from edgeproof.search.meanwhile import serve; serve({read!r}, {write!r})"


def serve(read: int, write: int) -> None:
    """What the process does: a question in, its answer out; None for what it cannot say."""
    from . import engine

    asked, answers = Connection(read, writable=False), Connection(write, readable=False)
    ahead = True
    with suppress(EOFError, KeyboardInterrupt):
        while True:
            if ahead and time.process_time() > HEAD_START:
                os.nice(BEHIND)
                ahead = False
            name, query, options = pickle.loads(asked.recv_bytes())
            try:
                answer = getattr(engine, name)(query, **options)
            except Exception:  # compiled kernels come to the same, and tell it where it is heard
                answer = None
            answers.send_bytes(pickle.dumps(answer))


class Interpreter:
    """The process, and the two ways to it."""

    def __init__(self) -> None:
        read, self._asked = Pipe(duplex=False)
        self._answers, write = Pipe(duplex=False)
        program = PROGRAM.format(path=sys.path, read=read.fileno(), write=write.fileno())
        with read, write:
            self._process = subprocess.Popen(
                [sys.executable, "-c", program],
                pass_fds=(read.fileno(), write.fileno()),
                env=os.environ | {"EDGEPROOF_KERNELS": "python-unchecked"},
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )  # fmt: skip

    def ask(self, name: str, query: Query, options: Mapping[str, Any]) -> None:
        self._asked.send_bytes(pickle.dumps((name, query, options)))

    def answered(self, patience: float) -> bool:
        return self._answers.poll(patience)

    def take(self) -> Verdict | Radius | None:
        answer: Verdict | Radius | None = pickle.loads(self._answers.recv_bytes())
        return answer

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        self._asked.close()
        self._answers.close()


_lock = threading.Lock()
_running: Interpreter | None = None


def answer_meanwhile(name: str, query: Query, options: Mapping[str, Any]) -> Verdict | Radius | None:
    """What the engine's function `name` says of this query; None once there are kernels, or where they have to be
    waited for.
    """
    if is_compiled() or query.graph.num_vertices + query.graph.sources.size > LARGEST:
        return None
    compiler = start_compiler()
    if compiler is None or not _lock.acquire(blocking=False):
        return None
    try:
        return _ask(name, query, options) if compiler.is_running else None
    except (OSError, EOFError, pickle.PickleError):  # the process is gone, or a query cannot be sent to it
        _dismiss()
        return None
    except BaseException:
        _dismiss()
        compiler.stop()
        raise
    finally:
        if not compiler.is_running:
            _dismiss()
        _lock.release()


def _ask(name: str, query: Query, options: Mapping[str, Any]) -> Verdict | Radius | None:
    global _running  # noqa: PLW0603
    compiler = start_compiler()
    assert compiler is not None
    if _running is None:
        _running = Interpreter()
    timeout = options["timeout"]
    patience = PATIENCE if timeout is None else min(PATIENCE, timeout)
    _running.ask(name, query, {**options, "timeout": patience})
    while not _running.answered(TICK):
        if not compiler.is_running:
            return None
    answer = _running.take()
    return None if answer is None or answer.reason == "timeout" else answer


def _dismiss() -> None:
    global _running  # noqa: PLW0603
    if _running is not None:
        _running.close()
        _running = None

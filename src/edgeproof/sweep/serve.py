"""The main loop of a worker process: a job, then chunks on stdin; positions and replies on stdout."""

from __future__ import annotations

import os
import pickle
import queue
import signal
import sys
import threading
from typing import Any, BinaryIO

from .chunk import answer_chunk
from .prepare import prepare

READY = "ready"


def _listen(source: BinaryIO, inbox: queue.SimpleQueue[Any]) -> None:
    """In a thread of its own, so that the end of the driver ends a worker also in the middle of a long query."""
    try:
        while True:
            inbox.put(pickle.load(source))
    except (EOFError, pickle.UnpicklingError, OSError):
        os._exit(0)


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the driver, who will tell us
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not end up between the replies
    inbox: queue.SimpleQueue[Any] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(sys.stdin.buffer, inbox), daemon=True).start()

    def send(message: object) -> None:
        pickle.dump(message, out, protocol=pickle.HIGHEST_PROTOCOL)
        out.flush()

    job = inbox.get()
    prepare(job)
    send(READY)
    while True:
        send(answer_chunk(job, inbox.get(), at=send))

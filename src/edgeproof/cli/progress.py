"""A sign of life on stderr, for people at a terminal, once something takes longer than a breath."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

PATIENCE = 2.0


@contextmanager
def working(message: str) -> Iterator[None]:
    """Show `message` with a spinner if the body takes more than two seconds."""
    if not sys.stderr.isatty():
        yield
        return
    lock, shown, finished = threading.Lock(), ExitStack(), False

    def show() -> None:
        from rich.console import Console

        with lock:
            if not finished:
                shown.enter_context(Console(stderr=True).status(message))

    timer = threading.Timer(PATIENCE, show)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        with lock:
            finished = True
            shown.close()

"""A sign of life on stderr, for people at a terminal, once something takes longer than a breath."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.status import Status

PATIENCE = 2.0


@contextmanager
def working(message: str) -> Iterator[Callable[[str], None]]:
    """Show `message` with a spinner if the body takes more than two seconds; what it gets replaces the message."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    lock, shown, finished = threading.Lock(), ExitStack(), False
    status: Status | None = None

    def show() -> None:
        from rich.console import Console

        nonlocal status
        with lock:
            if not finished:
                status = shown.enter_context(Console(stderr=True).status(message))

    def say(news: str) -> None:
        nonlocal message
        with lock:
            message = news
            if status is not None and not finished:
                status.update(news)

    timer = threading.Timer(PATIENCE, show)
    timer.daemon = True
    timer.start()
    try:
        yield say
    finally:
        timer.cancel()
        with lock:
            finished = True
            shown.close()

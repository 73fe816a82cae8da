"""`progress=True`: one line on stderr that changes at a terminal, a line now and then in a log; or a callable."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from .errors import InputError

Report = Callable[..., object]
# seconds: what is over within a breath needs no progress
PATIENCE = 2.0
# between two lines, at a terminal and in a log
LIVE, LOG = 0.25, 10.0


class Nodes(int):
    """A number of search nodes. behind: by how much a rival misses the label under the best flips so far, if any were
    looked at.
    """

    behind: float | None

    def __new__(cls, count: int, behind: float | None = None) -> Nodes:
        made = super().__new__(cls, count)
        made.behind = behind
        return made


@contextmanager
def reporting(
    progress: bool | Report | None, tell: Callable[..., str], limit: float | None = None
) -> Iterator[Report | None]:
    """What to call with news: the callable itself, or a Watcher that writes them as `tell` says; None if nobody asks.

    limit: the seconds that there are.
    """
    if progress is None or progress is False:
        yield None
    elif progress is True:
        with Watcher(tell, limit) as watcher:
            yield watcher
    elif callable(progress):
        yield progress
    else:
        raise InputError(f"progress: expected True or something to call, got {progress!r}")


class Watcher:
    """Writes the last news with the time that has passed, also while none come."""

    def __init__(self, tell: Callable[..., str], limit: float | None = None) -> None:
        self._tell, self._limit, self._live = tell, limit, sys.stderr.isatty()
        self._began = time.monotonic()
        self._due, self._shown = self._began + PATIENCE, 0
        self._news, self._nodes = "searching", ""
        self._lock, self._over = threading.Lock(), threading.Event()
        self._clock = threading.Thread(target=self._tick, daemon=True)

    def __enter__(self) -> Watcher:
        self._clock.start()
        return self

    def __call__(self, *news: Any) -> None:
        self._news = self._tell(*news)
        self._write()

    def note(self, nodes: Nodes) -> None:
        """Of a radius, between two news about its interval."""
        self._nodes = f", {tell_count(nodes)}"
        self._write()

    def _tick(self) -> None:
        while not self._over.wait(LIVE):
            self._write()

    def _write(self) -> None:
        with self._lock:
            now = time.monotonic()
            if now < self._due or self._over.is_set():
                return
            self._due = now + (LIVE if self._live else LOG)
            text = f"edgeproof: {self._news}{self._nodes}, {tell_time(now - self._began, self._limit)}"
            if self._live:
                sys.stderr.write("\r" + text.ljust(self._shown))
                self._shown = len(text)
            else:
                sys.stderr.write(text + "\n")
            sys.stderr.flush()

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._clock.join()
        if self._shown:
            sys.stderr.write("\r" + " " * self._shown + "\r")
            sys.stderr.flush()


def tell_time(seconds: float, limit: float | None) -> str:
    """Such as `12 s of 60 s`. Compiling kernels does not count against a limit: past it, only the time is told."""
    return f"{seconds:.0f} s" + ("" if limit is None or seconds > limit else f" of {limit:g} s")


def tell_count(nodes: int) -> str:
    behind = getattr(nodes, "behind", None)
    lead = "" if behind is None else f", a rival is {behind:.3g} behind"
    return f"{nodes:,} search node{'' if nodes == 1 else 's'}{lead}"


def tell_nodes(nodes: int) -> str:
    return f"searching, {tell_count(nodes)}"


def tell_interval(lower: int, upper: int | None) -> str:
    return f"searching, radius at least {lower}" + ("" if upper is None else f", at most {upper}")


def tell_share(done: int, total: int) -> str:
    return f"{done:,} of {total:,}"

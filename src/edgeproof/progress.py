"""`progress=True`: one line on stderr that changes at a terminal, a line now and then in a log; or a callable."""

from __future__ import annotations

import sys
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


@contextmanager
def reporting(progress: bool | Report | None, tell: Callable[..., str]) -> Iterator[Report | None]:
    """What to call with news: the callable itself, or what writes them as `tell` says; None if nobody asks."""
    if progress is None or progress is False:
        yield None
    elif progress is True:
        lines = _Lines(tell)
        try:
            yield lines
        finally:
            lines.end()
    elif callable(progress):
        yield progress
    else:
        raise InputError(f"progress: expected True or something to call, got {progress!r}")


class _Lines:
    def __init__(self, tell: Callable[..., str]) -> None:
        self._tell, self._live = tell, sys.stderr.isatty()
        self._due, self._shown = time.monotonic() + PATIENCE, 0

    def __call__(self, *news: Any) -> None:
        now = time.monotonic()
        if now < self._due:
            return
        self._due = now + (LIVE if self._live else LOG)
        text = f"edgeproof: {self._tell(*news)}"
        if self._live:
            sys.stderr.write("\r" + text.ljust(self._shown))
            self._shown = len(text)
        else:
            sys.stderr.write(text + "\n")
        sys.stderr.flush()

    def end(self) -> None:
        if self._shown:
            sys.stderr.write("\r" + " " * self._shown + "\r")
            sys.stderr.flush()


def tell_nodes(nodes: int) -> str:
    return f"searching, {nodes:,} search node{'' if nodes == 1 else 's'}"


def tell_interval(lower: int, upper: int | None) -> str:
    return f"searching, radius at least {lower}" + ("" if upper is None else f", at most {upper}")


def tell_share(done: int, total: int) -> str:
    return f"{done:,} of {total:,}"

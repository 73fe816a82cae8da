"""How a sweep goes, for people: a bar at a terminal, a line now and then in a log."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from ..sweep.drive import Sweep

LOG_EVERY = 10.0  # seconds
PATIENCE = 2.0  # what is over within a breath needs no progress


@contextmanager
def watched(sweep: Sweep) -> Iterator[None]:
    with _bar(sweep) if sys.stderr.isatty() else _log(sweep):
        yield


@contextmanager
def stoppable(one: Sweep) -> Iterator[list[int]]:
    """The first Ctrl-C (or the system's wish that we end) lets the sweep store what it has; the second is final."""
    seen: list[int] = []

    def stop(number: int, frame: object) -> None:
        if seen:
            raise KeyboardInterrupt
        seen.append(number)
        one.stop()
        if one.computing:  # nobody else would end the question that this process is at
            raise KeyboardInterrupt

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield seen
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _bar(sweep: Sweep) -> Iterator[None]:
    from rich.console import Console
    from rich.live import Live
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    def show() -> Any:
        counts, rest = tell_progress(sweep).split("; ", 1)
        bar = ProgressBar(total=max(sweep.total, 1), completed=sweep.done, width=60)
        rows = Table.grid()  # a bar alone does not end its line
        for row in (Text(counts), bar, Text(rest, style="dim")):
            rows.add_row(row)
        if sweep.first_error is not None:
            rows.add_row(Text(f"first error: {sweep.first_error}", style="red"))
        return rows

    with Live(get_renderable=show, console=Console(stderr=True), refresh_per_second=4, transient=True):
        yield


@contextmanager
def _log(sweep: Sweep) -> Iterator[None]:
    over = threading.Event()

    def write() -> None:
        pause, told = PATIENCE, False
        while not over.wait(pause):
            click.echo(f"edgeproof: {tell_progress(sweep)}", err=True)
            if sweep.first_error is not None and not told:
                click.echo(f"edgeproof: first error: {sweep.first_error}", err=True)
                told = True
            pause = LOG_EVERY

    thread = threading.Thread(target=write, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def tell_progress(sweep: Sweep) -> str:
    """`120 of 1,000 (12 %), 35 a second, about 25 s left; 80 robust, ..; longest: node 17, budget 10, 42 s`."""
    done, total = sweep.done, sweep.total
    elapsed = max(time.monotonic() - sweep.began, 1e-9)
    rate = (done - sweep.resumed) / elapsed
    text = f"{done:,} of {total:,} ({done / max(total, 1):.0%})"
    if rate > 0:
        text += f", {rate:,.3g} a second, about {tell_seconds((total - done) / rate)} left"
    text += f"; {tell_counts(sweep)}"
    slowest = sweep.slowest()
    if slowest is not None and slowest[2] >= 1.0:
        group, ask, seconds = slowest
        what = f"graph {group.graph}" if group.node is None else f"node {group.node}"
        if ask is not None:
            threat = sweep.job.threats[ask.threat]
            what += "" if threat.budget is None else f", budget {threat.budget}"
        text += f"; longest now: {what}, {tell_seconds(seconds)}"
    return text


def tell_counts(sweep: Sweep) -> str:
    told = [f"{sweep.counts[status]:,} {status}" for status in ("robust", "vulnerable", "unknown")]
    errors = sweep.counts["error"]
    return ", ".join([*told, *([f"{errors:,} error{'s' if errors > 1 else ''}"] if errors else [])])


def tell_seconds(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    if seconds < 7200:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"

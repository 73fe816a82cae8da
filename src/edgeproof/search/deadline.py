"""Stopping kernels that run for seconds between two looks at the clock, as on graphs where thousands of pairs matter.

Kernels release the interpreter's lock, so a thread can raise a flag while they run. A kernel that finds it raised
returns at once and leaves its arrays half done: nothing it says from then on counts, but a candidate attack does, which
is decided exactly.

The thread waits for the deadline and for Ctrl-C. Python runs handlers of signals in the main thread, between two of its
own instructions: not while a kernel runs there. But it writes the signal's number into a socket at once
(`signal.set_wakeup_fd`), and the thread reads it.

Theory: "What is never trusted".
"""

from __future__ import annotations

import os
import select
import signal
import socket
import threading
import time
from contextlib import suppress
from types import TracebackType

from ..clock import Clock
from ..model.arrays import IntArray
from .state.state import STOP

# slots times width times stages: below this a pass over everything takes a millisecond
LONG_PASS = 1 << 14
# seconds: the system takes no wait without end, and none of centuries
LONGEST_WAIT = 3600.0
# what ends the thread; no signal has this number
END = 0
# signals that end a question, where Python handles them at all
ENDING = (signal.SIGINT, signal.SIGTERM)


class Alarm(Clock):
    """The deadline of one question, and whether the user wants it to end before. Use as a context."""

    __slots__ = ("_flags", "_lock", "_previous", "_sockets", "_thread", "interrupted")

    def __init__(self, deadline: float | None = None) -> None:
        super().__init__(deadline)
        self.interrupted = False
        self._flags: list[tuple[IntArray, int]] = []
        self._sockets: tuple[socket.socket, socket.socket] | None = None
        self._thread: threading.Thread | None = None
        self._previous = -1
        self._lock = threading.Lock()

    def is_up(self) -> bool:
        return self.interrupted or super().is_up()

    @property
    def reason(self) -> str:
        """Why the question ended before it was decided, if its time is up."""
        return "interrupted" if self.interrupted else "timeout"

    def __enter__(self) -> Alarm:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: object, trace: TracebackType | None) -> None:
        if self._sockets is None:
            return
        inner, outer = self._sockets
        if _handles_signals():
            signal.set_wakeup_fd(self._previous, warn_on_full_buffer=False)
        outer.send(bytes([END]))
        if self._thread is not None:
            self._thread.join()
        self._sockets = None
        inner.close()
        outer.close()

    def watch(self, tally: IntArray, at: int = STOP) -> None:
        """From now on, raise the flag `tally[at]` when the time has come."""
        with self._lock:
            self._flags.append((tally, at))
            if self.is_up():
                tally[at] = 1
            if self._sockets is None:
                self._begin()

    def _begin(self) -> None:
        self._sockets = inner, outer = socket.socketpair()
        outer.setblocking(False)
        self._thread = threading.Thread(target=self._listen, args=(inner,), daemon=True, name="edgeproof alarm")
        self._thread.start()
        if _handles_signals():
            self._previous = signal.set_wakeup_fd(outer.fileno(), warn_on_full_buffer=False)

    def _listen(self, inner: socket.socket) -> None:
        deadline = self.deadline
        while True:
            left = None if deadline is None else min(max(deadline - time.perf_counter(), 0.0), LONGEST_WAIT)
            if not select.select([inner], [], [], left)[0]:
                if left == LONGEST_WAIT:
                    continue
                deadline = None
                self._ring()
                continue
            numbers = inner.recv(64)
            if self._previous >= 0:  # somebody else wants to hear of signals, too
                with suppress(OSError):
                    os.write(self._previous, bytes(number for number in numbers if number != END))
            if any(number in ENDING for number in numbers):
                self.interrupted = True
                self._ring()
            if not numbers or END in numbers:
                return

    def _ring(self) -> None:
        with self._lock:
            for tally, at in self._flags:
                tally[at] = 1


def _handles_signals() -> bool:
    """Whether handlers of signals run in this thread."""
    return threading.current_thread() is threading.main_thread()

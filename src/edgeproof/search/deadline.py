"""Stopping kernels that run for seconds between two looks at the clock, as on graphs where thousands of pairs matter.

Kernels release the interpreter's lock, so a timer can raise a flag while they run. A kernel that finds it raised
returns at once and leaves its arrays half done: nothing it says from then on counts, but a candidate attack does, which
is evaluated exactly.

Theory: "What is never trusted".
"""

from __future__ import annotations

import threading
import time
import weakref

from ..model.arrays import IntArray
from .state.state import STOP

# slots times width times stages: below this a pass over everything takes milliseconds
LONG_PASS = 1 << 18


def stop_at(deadline: float, tally: IntArray, owner: object) -> None:
    """Raise the flag in `tally` when the time has come; `owner` is the worker, whose end ends the timer too."""

    def ring() -> None:
        tally[STOP] = 1

    timer = threading.Timer(max(deadline - time.perf_counter(), 0.0), ring)
    timer.daemon = True
    timer.start()
    weakref.finalize(owner, timer.cancel).atexit = False

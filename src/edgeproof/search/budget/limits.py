"""When a search that goes by sizes has to stop."""

from __future__ import annotations

import threading
import time
import weakref

from ...model.arrays import IntArray


class OutOfTimeError(Exception):
    """The deadline has passed; what is settled stays settled."""


class OutOfNodesError(Exception):
    """The limit of search nodes is reached."""


class IncompleteError(Exception):
    """No bound applies: nothing can be proved of this size."""


class Limits:
    """A deadline and a limit of search nodes. Kernels look at `flag[at]`, which a timer raises."""

    def __init__(self, deadline: float | None, node_limit: int | None, flag: IntArray, at: int, owner: object) -> None:
        """`owner`: the search, whose end ends the timer too."""
        self.deadline, self.node_limit, self._flag, self._at = deadline, node_limit, flag, at
        if deadline is None:
            return

        def ring() -> None:
            flag[at] = 1

        timer = threading.Timer(max(deadline - time.perf_counter(), 0.0), ring)
        timer.daemon = True
        timer.start()
        weakref.finalize(owner, timer.cancel).atexit = False

    def check(self, nodes: int) -> None:
        if self._flag[self._at] or (self.deadline is not None and time.perf_counter() > self.deadline):
            raise OutOfTimeError
        if self.node_limit is not None and nodes >= self.node_limit:
            raise OutOfNodesError

"""When a search that goes by sizes has to stop."""

from __future__ import annotations

from ...model.arrays import IntArray
from ..deadline import Alarm


class OutOfTimeError(Exception):
    """The deadline has passed; what is settled stays settled."""


class OutOfNodesError(Exception):
    """The limit of search nodes is reached."""


class IncompleteError(Exception):
    """No bound applies: nothing can be proved of this size."""


class Limits:
    """The alarm of a question and a limit of search nodes. Kernels look at `flag[at]`, which the alarm raises."""

    def __init__(self, alarm: Alarm, node_limit: int | None, flag: IntArray, at: int) -> None:
        self._alarm, self.node_limit, self._flag, self._at = alarm, node_limit, flag, at
        alarm.watch(flag, at)

    def check(self, nodes: int) -> None:
        if self._flag[self._at] or self._alarm.is_up():
            raise OutOfTimeError
        if self.node_limit is not None and nodes >= self.node_limit:
            raise OutOfNodesError

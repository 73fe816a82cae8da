"""What became of every search node, in pre-order: one number each, from which a proof is written."""

from __future__ import annotations

import numpy as np

from ..model.arrays import IntArray
from .jit.decorators import part
from .state.state import TRACE_MARK, State

TRACE_ROOM = 1 << 16

# low bits: what closed the node; a split has its pair above them
BY_SPLIT, BY_BOX, BY_LINE, NOTHING_LEFT, NOTHING_MATTERS, BY_ENUMERATION = 0, 1, 2, 3, 4, 5
# what a line pass, tightening, and the pass after it did before that
LINES_EXCLUDED, TIGHTENED, LINES_EXCLUDED_AGAIN, UNFLIPPED_FIRST = 8, 16, 32, 64


@part
def note(s, record):
    """Every search node does this once, before its children."""
    if s.trace.size > 0:
        s.trace[s.tally[TRACE_MARK]] = record
        s.tally[TRACE_MARK] += 1


@part
def full(s):
    return s.trace.size > 0 and s.tally[TRACE_MARK] == s.trace.size


class Trace:
    """Collects the records of one search; `pairs` names what it numbers."""

    def __init__(self) -> None:
        self._chunks: list[IntArray] = []
        self.pairs: IntArray = np.zeros((0, 2), dtype=np.int64)

    def attach(self, state: State) -> State:
        return state._replace(trace=np.zeros(TRACE_ROOM, dtype=np.int64))

    def drain(self, state: State) -> None:
        """Take over what the kernel wrote; called whenever it returns."""
        self._chunks.append(state.trace[: state.tally[TRACE_MARK]].copy())
        state.tally[TRACE_MARK] = 0

    def append(self, other: Trace) -> None:
        """What the other saw comes next in pre-order."""
        self._chunks += other._chunks

    def clear(self) -> None:
        """The search starts again."""
        self._chunks.clear()

    @property
    def records(self) -> IntArray:
        return np.concatenate([np.zeros(0, dtype=np.int64), *self._chunks])

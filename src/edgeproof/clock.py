"""When a call has to end: every stage that may take long looks here."""

from __future__ import annotations

import time


class TimeUpError(Exception):
    """The time limit was reached in the middle of something; what was not finished says nothing."""


class Clock:
    """`deadline` is a time of `time.perf_counter`; None: no limit.

    tied: the fewest flips of a graph on which two scores could not be told apart at any precision; None: of none. What
    was asked goes on as if the claim held there, and who answers says so.
    """

    __slots__ = ("deadline", "tied")

    def __init__(self, deadline: float | None = None) -> None:
        self.deadline = deadline
        self.tied: int | None = None

    def note_tie(self, flips: int) -> None:
        self.tied = flips if self.tied is None else min(self.tied, flips)

    def is_up(self) -> bool:
        return self.deadline is not None and time.perf_counter() > self.deadline

    def look(self) -> None:
        """Raise `TimeUpError` if the time is up."""
        if self.is_up():
            raise TimeUpError


UNLIMITED = Clock()

"""When a call has to end: every stage that may take long looks here."""

from __future__ import annotations

import time


class TimeUpError(Exception):
    """The time limit was reached in the middle of something; what was not finished says nothing."""


class Clock:
    """`deadline` is a time of `time.perf_counter`; None: no limit."""

    __slots__ = ("deadline",)

    def __init__(self, deadline: float | None = None) -> None:
        self.deadline = deadline

    def is_up(self) -> bool:
        return self.deadline is not None and time.perf_counter() > self.deadline

    def look(self) -> None:
        """Raise `TimeUpError` if the time is up."""
        if self.is_up():
            raise TimeUpError


UNLIMITED = Clock()

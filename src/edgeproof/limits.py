"""Limits as people give them: seconds, gigabytes, search nodes; and what is left of a time limit."""

from __future__ import annotations

import time
from numbers import Integral, Real
from typing import Any

from .clock import Clock
from .errors import InputError

# seconds, thirty years: what asks for more has no limit, and no clock of the system would take it
FOREVER = 1e9


def positive(value: object, field: str, things: str) -> float | None:
    """A number above 0; None for none, and for more than anybody waits for or has."""
    if value is None:
        return None
    number: Any = value  # what `Real` can do is more than type checkers know
    if isinstance(value, bool) or not isinstance(value, Real) or not number > 0:
        raise InputError(f"{field}: expected a positive number{things}, got {value!r}")
    if number > FOREVER:
        return None
    found: float = number if type(number) in (int, float) else float(number)
    return found


def whole_nodes(value: Any) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
        raise InputError(f"node_limit: expected a whole number from 1 on, got {value!r}")
    return int(value)


def until(timeout: float | None, started: float) -> Clock:
    """The clock of a limit that began at that time of `time.perf_counter`."""
    return Clock(None if timeout is None else started + timeout)


def time_left(timeout: float | None, started: float) -> float | None:
    """Of a limit that began then; never none at all: who is asked says "timeout"."""
    return None if timeout is None else max(timeout - (time.perf_counter() - started), 1e-6)

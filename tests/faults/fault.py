"""One fault: a plausible mistake, written where it would be made."""

from __future__ import annotations

from typing import NamedTuple


class Fault(NamedTuple):
    """`old` occurs exactly once in `file`, a path in the package, so that the list follows the code."""

    name: str
    file: str
    old: str
    new: str

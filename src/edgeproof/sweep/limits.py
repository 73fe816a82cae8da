"""How far a query may go."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf
from typing import Any

from ..limits import positive, whole_nodes

# search nodes of the first pass, and how much the limit grows from pass to pass: the passes before the one that
# decides a query cost a fifteenth of it, and most queries are decided in the first
FIRST_NODES, GROWTH, MOST_PASSES = 200, 16, 6
# the share of its seconds that a query may spend in the passes before the last one, all together
EARLY = 1 / 16
# seconds for a question whose time is used up: who is asked says so
LEAST = 1e-3


@dataclass(frozen=True)
class Limits:
    """Of one query: seconds, search nodes, gigabytes on top of what the worker holds already; None: no limit."""

    timeout: float | None = None
    node_limit: int | None = None
    memory: float | None = None

    def __post_init__(self) -> None:
        for field in ("timeout", "memory"):
            object.__setattr__(self, field, positive(getattr(self, field), field, ""))
        object.__setattr__(self, "node_limit", whole_nodes(self.node_limit))

    def passes(self) -> list[Limits]:
        """Growing node limits, these limits last: the table fills fast and the tail comes at the end. `timeout` bounds
        what a query takes in all passes together, so the first ones may take a small part of it.
        """
        most = inf if self.node_limit is None else self.node_limit
        small = [FIRST_NODES * GROWTH**k for k in range(MOST_PASSES)]
        early = replace(self, timeout=None if self.timeout is None else EARLY * self.timeout)
        return [*(replace(early, node_limit=nodes) for nodes in small if nodes < most), self]

    def after(self, spent: float) -> Limits:
        """What is left of them once so many seconds were spent."""
        if self.timeout is None or spent == 0.0:
            return self
        return replace(self, timeout=max(self.timeout - spent, LEAST))

    def to_dict(self) -> dict[str, Any]:
        return {"timeout": self.timeout, "node_limit": self.node_limit, "memory": self.memory}


def covers(line: Mapping[str, Any], wanted: Limits) -> bool:
    """Whether a stored attempt without success says that one under `wanted` would have none either.

    An error is not a matter of time: only more memory can change it. What took all its seconds is not helped by more
    search nodes.
    """
    fields: tuple[str, ...] = ("timeout", "node_limit", "memory")
    if line["status"] == "error":
        fields = ("memory",)
    elif line.get("reason") == "timeout":
        fields = ("timeout", "memory")
    pairs = ((line["limits"][field], getattr(wanted, field)) for field in fields)
    return all(old is None or (new is not None and new <= old) for old, new in pairs)

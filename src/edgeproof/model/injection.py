"""New vertices that an adversary adds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from .arrays import FloatArray, content_hash, frozen_floats


def whole_from(value: object, least: int, field: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise InputError(f"{field}: expected a whole number from {least} on, got {value!r}")
    return int(value)


@dataclass(frozen=True)
class NewEnds:
    """In the place of `insert=`, in questions that engines are asked: absent pairs with an end from `first` on."""

    first: int


@dataclass(frozen=True, eq=False)
class Injection:
    """Up to `count` new vertices, each with one row of `features` and 1 to `edges` edges.

    In a graph of n vertices they are n, n + 1, ... Their edges go in either direction, also between new ones, without
    self-loops, and need no `insert=`. Each edge costs one unit of the budget and one at each old end that pays.

    >>> Injection(count=1, edges=2, features=[[0.0, 1.0], [1.0, 1.0]])
    Injection(count=1, edges=2, 2 rows)
    """

    count: int
    edges: int
    features: FloatArray

    def __init__(self, count: int = 1, edges: int = 1, *, features: ArrayLike) -> None:
        put = object.__setattr__
        put(self, "count", whole_from(count, 1, "inject: count"))
        put(self, "edges", whole_from(edges, 1, "inject: edges"))
        put(self, "features", frozen_floats(features, "inject: features", (None, None)))
        if not len(self.features):
            raise InputError("inject: features: expected at least one row, got none")

    @property
    def rows(self) -> int:
        return len(self.features)

    def describe(self) -> dict[str, object]:
        """For the store: the pool by its length and hash."""
        pool = {"count": self.rows, "hash": content_hash(self.features)[:32]}
        return {"count": self.count, "edges": self.edges, "features": pool}

    def __repr__(self) -> str:
        return f"Injection(count={self.count}, edges={self.edges}, {self.rows} row{'s' if self.rows != 1 else ''})"

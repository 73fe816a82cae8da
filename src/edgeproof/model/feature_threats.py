"""What an adversary may do to features: flip some that are 0 or 1, or move real ones a little."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import isfinite

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from .arrays import BoolArray, FloatArray, IntArray, content_hash, frozen_ints
from .graph import Graph
from .injection import whole_from


def _chosen(given: Iterable[int] | ArrayLike | None, field: str) -> IntArray | None:
    """Numbers in ascending order, each once; None: all."""
    if given is None:
        return None
    array = frozen_ints(list(given) if isinstance(given, set | frozenset | range) else given, field)
    if array.ndim != 1 or (array < 0).any():
        raise InputError(f"{field}: expected a list of numbers from 0 on")
    found = np.unique(array)
    found.setflags(write=False)
    return found


def _within(chosen: IntArray | None, count: int, field: str, things: str) -> IntArray:
    if chosen is None:
        return np.arange(count)
    if chosen.size and chosen[-1] >= count:
        raise InputError(f"{field}: {chosen[-1]} is out of range, there are {count} {things}")
    return chosen


def _told(chosen: IntArray | None) -> object:
    return None if chosen is None else {"count": int(chosen.size), "hash": content_hash(chosen.tolist())[:32]}


@dataclass(frozen=True, eq=False)
class _Where:
    nodes: IntArray | None
    columns: IntArray | None

    def vertices_of(self, graph: Graph) -> IntArray:
        return _within(self.nodes, graph.num_vertices, "features: nodes", "vertices")

    def columns_of(self, graph: Graph) -> IntArray:
        return _within(self.columns, graph.features.num_columns, "features: columns", "columns")


@dataclass(frozen=True, eq=False)
class FeatureFlips(_Where):
    """Features of 0 and 1 that may flip: at these vertices and columns (None: all), from 0 to 1 with `add`, from 1 to
    0 with `remove`.

    budget: most of them in all; None: each takes a unit of the threat's budget instead. local_budget: most at one
    vertex. They take no units of the local budgets of edges.

    >>> FeatureFlips(budget=3, nodes=[4], remove=False)
    FeatureFlips(budget=3, 1 vertex, add)
    """

    budget: int | None
    local_budget: int | None
    add: bool
    remove: bool

    def __init__(
        self,
        budget: int | None = None,
        local_budget: int | None = None,
        nodes: Iterable[int] | ArrayLike | None = None,
        columns: Iterable[int] | ArrayLike | None = None,
        add: bool = True,
        remove: bool = True,
    ) -> None:
        put = object.__setattr__
        put(self, "budget", None if budget is None else whole_from(budget, 0, "features: budget"))
        put(
            self,
            "local_budget",
            None if local_budget is None else whole_from(local_budget, 0, "features: local_budget"),
        )
        put(self, "nodes", _chosen(nodes, "features: nodes"))
        put(self, "columns", _chosen(columns, "features: columns"))
        for name, value in (("add", add), ("remove", remove)):
            if not isinstance(value, bool | np.bool_):
                raise InputError(f"features: {name}: expected True or False, got {value!r}")
            put(self, name, bool(value))

    def check_against(self, graph: Graph) -> None:
        vertices, columns = self.vertices_of(graph), self.columns_of(graph)
        held = graph.features.take(vertices)
        there = np.isin(held.columns, columns)
        odd = held.values[there & (held.values != 1.0) & (held.values != 0.0)]
        if odd.size:
            raise InputError(f"features: flips are for features of 0 and 1, the graph has {odd[0]:g} at these vertices")

    def allowed(self, graph: Graph, vertices: IntArray) -> BoolArray:
        """(vertices, columns): which may flip, budgets apart."""
        mine, columns = np.isin(vertices, self.vertices_of(graph)), self.columns_of(graph)
        here = graph.features.dense(vertices) != 0.0
        found = np.zeros(here.shape, dtype=np.bool_)
        found[:, columns] = (here & self.remove | ~here & self.add)[:, columns]
        return np.asarray(found & mine[:, None])

    def count(self, graph: Graph) -> int:
        """How many may flip, budgets apart."""
        vertices, columns = self.vertices_of(graph), self.columns_of(graph)
        held = graph.features.take(vertices)
        ones = int((np.isin(held.columns, columns) & (held.values != 0.0)).sum())
        return ones * self.remove + (vertices.size * columns.size - ones) * self.add

    def describe(self) -> dict[str, object]:
        return {
            "flips": True, "budget": self.budget, "local_budget": self.local_budget, "nodes": _told(self.nodes),
            "columns": _told(self.columns), "add": self.add, "remove": self.remove,
        }  # fmt: skip

    def __repr__(self) -> str:
        parts = [f"budget={self.budget}"]
        parts += [f"local_budget={self.local_budget}"] * (self.local_budget is not None)
        return f"FeatureFlips({', '.join(parts + _places(self) + ['add'] * self.add + ['remove'] * self.remove)})"


@dataclass(frozen=True, eq=False)
class FeatureBox(_Where):
    """Features that may each move by at most `epsilon`, and stay from `low` to `high` where these are given.

    >>> FeatureBox(epsilon=0.1, low=0.0)
    FeatureBox(epsilon=0.1, low=0.0)
    """

    epsilon: float
    low: float | None
    high: float | None

    def __init__(
        self,
        epsilon: float,
        nodes: Iterable[int] | ArrayLike | None = None,
        columns: Iterable[int] | ArrayLike | None = None,
        low: float | None = None,
        high: float | None = None,
    ) -> None:
        put = object.__setattr__
        put(self, "epsilon", _real(epsilon, "epsilon"))
        if self.epsilon < 0:
            raise InputError(f"features: epsilon: expected a number from 0 on, got {epsilon!r}")
        put(self, "nodes", _chosen(nodes, "features: nodes"))
        put(self, "columns", _chosen(columns, "features: columns"))
        put(self, "low", None if low is None else _real(low, "low"))
        put(self, "high", None if high is None else _real(high, "high"))
        if self.low is not None and self.high is not None and self.low > self.high:
            raise InputError(f"features: low: expected at most high = {high!r}, got {low!r}")

    def check_against(self, graph: Graph) -> None:
        least, most = (-np.inf if self.low is None else self.low), (np.inf if self.high is None else self.high)
        held = graph.features.dense(self.vertices_of(graph))[:, self.columns_of(graph)]
        outside = held[(held < least) | (held > most)]
        if outside.size:
            raise InputError(
                f"features: low, high: the graph has the feature {outside[0]:g}, which is not between them"
            )

    def bounds(self, graph: Graph, vertices: IntArray) -> tuple[FloatArray, FloatArray]:
        """(vertices, columns) twice: the least and the largest value of each feature."""
        here = graph.features.dense(vertices)
        low, high = here.copy(), here.copy()
        rows = np.flatnonzero(np.isin(vertices, self.vertices_of(graph)))
        where = np.ix_(rows, self.columns_of(graph))
        least, most = (-np.inf if self.low is None else self.low), (np.inf if self.high is None else self.high)
        low[where] = np.clip(here[where] - self.epsilon, least, most)
        high[where] = np.clip(here[where] + self.epsilon, least, most)
        return low, high

    def describe(self) -> dict[str, object]:
        return {
            "flips": False, "epsilon": self.epsilon, "low": self.low, "high": self.high, "nodes": _told(self.nodes),
            "columns": _told(self.columns),
        }  # fmt: skip

    def __repr__(self) -> str:
        parts = [f"epsilon={self.epsilon}", *_places(self)]
        parts += [f"{name}={value}" for name, value in (("low", self.low), ("high", self.high)) if value is not None]
        return f"FeatureBox({', '.join(parts)})"


def _real(value: object, field: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | np.floating | np.integer) or not isfinite(value):
        raise InputError(f"features: {field}: expected a number, got {value!r}")
    return float(value)


def _places(one: _Where) -> list[str]:
    told = []
    for numbers, thing, plural in ((one.nodes, "vertex", "vertices"), (one.columns, "column", "columns")):
        if numbers is not None:
            told.append(f"{numbers.size} {thing if numbers.size == 1 else plural}")
    return told

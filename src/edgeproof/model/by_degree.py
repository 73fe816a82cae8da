"""Budgets that grow with the degree: a rule, and the number that it gives for one vertex."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from math import floor, isfinite

import numpy as np

from ..errors import InputError
from .arrays import IntArray
from .graph import Graph

_RULE = re.compile(r"(?:(?P<times>\d+(?:\.\d+)?)\s*\*\s*)?degree(?:\s*(?P<sign>[+-])\s*(?P<plus>\d+))?")


@dataclass(frozen=True)
class ByDegree:
    """max(0, floor(times * d + 1/2) + plus) for a vertex of degree d: its in-degree (undirected: its degree) in the
    input graph, self-loops aside. `times` counts as the decimal that it prints as.

    As `budget` it is the rule for the node in question, as `local_budget` for each vertex.

    >>> ByDegree(plus=2)
    ByDegree(degree+2)
    >>> ByDegree(0.5, -1).of(5)
    2
    """

    times: float = 1.0
    plus: int = 0

    def __post_init__(self) -> None:
        number = isinstance(self.times, int | float | np.floating | np.integer) and not isinstance(self.times, bool)
        if not number or not isfinite(self.times) or self.times < 0:
            raise InputError(f"times: expected a number from 0 on, got {self.times!r}")
        if isinstance(self.plus, bool) or not isinstance(self.plus, int | np.integer):
            raise InputError(f"plus: expected a whole number, got {self.plus!r}")
        object.__setattr__(self, "times", float(self.times))
        object.__setattr__(self, "plus", int(self.plus))

    def share(self, degree: int) -> int:
        """What the rule gives before `plus`: floor(times * degree + 1/2)."""
        return floor(Fraction(repr(self.times)) * degree + Fraction(1, 2))

    def of(self, degree: int) -> int:
        return max(0, self.share(degree) + self.plus)

    def at(self, graph: Graph, vertex: int) -> int:
        inside = graph.in_neighbours(vertex)
        return self.of(int((inside != vertex).sum()))

    def at_all(self, graph: Graph) -> IntArray:
        """One number a vertex."""
        degrees = np.bincount(graph.targets[graph.sources != graph.targets], minlength=graph.num_vertices)
        distinct, place = np.unique(degrees, return_inverse=True)
        found = np.array([self.of(int(degree)) for degree in distinct], dtype=np.int64)[place]
        found.setflags(write=False)
        return found

    @classmethod
    def parse(cls, text: str) -> ByDegree | None:
        """`degree`, `degree+2`, `0.5*degree-1`; None where the text is no rule."""
        found = _RULE.fullmatch(text.strip())
        if found is None:
            return None
        plus = int(found["plus"] or 0)
        return cls(float(found["times"] or 1.0), -plus if found["sign"] == "-" else plus)

    def __str__(self) -> str:
        factor = "" if self.times == 1.0 else f"{self.times!r}*"
        return f"{factor}degree" + (f"{self.plus:+}" if self.plus else "")

    def __repr__(self) -> str:
        return f"ByDegree({self})"

"""What a solver says about a program."""

from __future__ import annotations

from typing import Literal, NamedTuple

from ...errors import EdgeproofError
from ...model.arrays import FloatArray, IntArray

Answer = Literal["none", "found", "timeout", "node limit", "memory", "numerics"]


class Outcome(NamedTuple):
    """none: no assignment reaches the goal. found: `flips` does, as far as the solver can tell. Else it gave up."""

    answer: Answer
    flips: IntArray | None  # 1 for every pair that flips
    nodes: int
    values: FloatArray | None = None  # of features that move between two ends


class SolverMissingError(EdgeproofError):
    """The solver that was asked for is not installed."""

    def __init__(self, package: str, name: str) -> None:
        super().__init__(f"engine mip: {name} is not installed; get it with: pip install {package}")

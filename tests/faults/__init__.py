"""Faults that `mutants.py` injects, one at a time: plausible mistakes, each of which some test must see.

A module for each room that they are made in.
"""

from __future__ import annotations

from .attention import ATTENTION
from .budget import BUDGET
from .charges import CHARGES
from .checker_bounds import CHECKER_BOUNDS
from .checker_tree import CHECKER_TREE
from .curves import CURVES
from .deep import DEEP
from .fault import Fault
from .intervals import INTERVALS
from .linear import LINEAR
from .maxima import MAXIMA
from .pairwise import PAIRWISE
from .problem import PROBLEM
from .state import STATE
from .strategies import STRATEGIES
from .symmetry import SYMMETRY
from .tree import TREE
from .wider import WIDER

IN_SEARCH = (
    *STATE,
    *PAIRWISE,
    *TREE,
    *SYMMETRY,
    *STRATEGIES,
    *LINEAR,
    *INTERVALS,
    *CURVES,
    *PROBLEM,
    *CHARGES,
)
IN_ATTENTION = (*ATTENTION,)
IN_DEEP = (*DEEP,)
IN_BUDGET = (
    *BUDGET,
    *MAXIMA,
)
IN_WIDER = (*WIDER,)
IN_CHECKER = (
    *CHECKER_TREE,
    *CHECKER_BOUNDS,
)

__all__ = ["IN_ATTENTION", "IN_BUDGET", "IN_CHECKER", "IN_DEEP", "IN_SEARCH", "IN_WIDER", "Fault"]

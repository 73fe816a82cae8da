"""Sets of edges that the charges leave in doubt: each is evaluated, the worst first.

Theory: "From neurons to edges".
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...model.arrays import FloatArray
from .top import Bound


class TooManyError(Exception):
    """More sets are in doubt than anybody wants to evaluate."""


def doubtful_sets(bound: Bound, tolerance: float, most: int) -> list[tuple[float, tuple[int, ...]]]:
    """Sets of edges (numbers among the listed ones, those into the node first) whose charges may use up the margin,
    with what they leave of it. Too many: also where a part of a set uses it up, whatever else goes.
    """
    slack = bound.margin - tolerance
    if bound.others and bound.rest > 0.0:
        # an edge that is not listed may be in a set: then none of its sets can be left in doubt
        cheaper = bound._replace(others=bound.others - 1)
        if bound.worst_near + cheaper.worst_far + bound.rest >= slack:
            raise TooManyError
    near, far = _order(bound.near), _order(bound.far)
    near_charge, far_charge = bound.near[near], np.maximum(bound.far[far], 0.0)
    found: list[tuple[float, tuple[int, ...]]] = []
    far_most = [0.0, *np.cumsum(far_charge[: bound.others]).tolist()]
    near_sums = np.concatenate([[0.0], np.cumsum(near_charge)])

    def take_far(start: int, chosen: tuple[int, ...], left: float, room: int) -> None:
        if left <= 0.0:
            found.append((left, chosen))
            if room or len(found) > most:
                raise TooManyError  # whatever else goes, what comes is in doubt too
        if not room:
            return
        for at in range(start, far.size):
            best = float(far_charge[at : at + room].sum())
            if best <= 0.0 or left - best > 0.0:
                return
            take_far(at + 1, (*chosen, bound.near.size + int(far[at])), left - float(far_charge[at]), room - 1)

    def take_near(start: int, chosen: tuple[int, ...], left: float, room: int) -> None:
        if not room:
            if left - far_most[min(bound.others, len(far_most) - 1)] <= 0.0:
                take_far(0, chosen, left, bound.others)
            return
        for at in range(start, near.size - room + 1):
            best = float(near_sums[at + room] - near_sums[at])
            if left - best - far_most[-1] > 0.0:
                return
            take_near(at + 1, (*chosen, int(near[at])), left - float(near_charge[at]), room - 1)

    take_near(0, (), slack, bound.into)
    return found


def _order(charges: FloatArray) -> NDArray[np.int64]:
    return np.argsort(-charges, kind="stable")

"""The split tree: reading it against the budgets, so that its leaves cover every admissible graph."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..clock import UNLIMITED, Clock
from ..errors import RejectedError
from ..model.graph import Pair
from .format import BOX, KEPT_FIRST, KIND_BITS, LINE, LINES, LINES_AGAIN, SPLIT, TIGHTEN, Reader
from .region import Region

STRIDE = 1 << 12  # nodes between two looks at the clock


class Node(NamedTuple):
    """kept, flipped: numbers of the children, -1 for none."""

    mark: int
    pair: int
    kept: int
    flipped: int

    @property
    def kind(self) -> int:
        return self.mark & KIND_BITS


class Step(NamedTuple):
    """One look at a node: its boxes, tightened by lines first or not; then lines for the rivals still open, or not."""

    tighten: bool
    lines: bool


STEPS = (Step(False, False), Step(False, True), Step(True, False), Step(True, True))


def steps_of(mark: int) -> tuple[Step, ...]:
    """What is done at a node before it is left, in order."""
    kind, tighten = mark & KIND_BITS, bool(mark & TIGHTEN)
    if kind == BOX:
        return (Step(tighten=False, lines=False),)
    plain, last = bool(mark & LINES), bool(mark & LINES_AGAIN) or kind == LINE
    if tighten:
        return (*((Step(tighten=False, lines=True),) if plain else ()), Step(tighten=True, lines=last))
    # a second pass over the same boxes finds nothing new
    return (Step(tighten=False, lines=True),) if plain or last else ()


def read_tree(body: bytes, table: list[Pair], region: Region, expected: int, clock: Clock = UNLIMITED) -> list[Node]:
    """The nodes in pre-order. Every split must decide a pair that is fragile, can matter and is not decided yet; its
    flipped branch is there exactly if the budgets allow that flip. So the leaves cover every admissible graph.
    """
    reader, number = Reader(body), region.number()
    marks: list[list[int]] = []  # mark, pair, kept, flipped
    decided = np.zeros(region.F, dtype=np.bool_)
    left, spare = region.limit, None if region.local is None else region.local.copy()
    # what is still to be done: (node, flip) enters a child; (~node, flip) takes its decision back
    todo: list[tuple[int, bool]] = []

    def pay(pair: int, units: int) -> None:
        nonlocal left
        left -= units
        if spare is not None:
            for w in payers(region, pair):
                spare[w] -= units

    def enter() -> int:
        at, here = reader.at, len(marks)
        mark = reader.mark()
        marks.append([mark, -1, -1, -1])
        if here % STRIDE == 0:
            clock.look()
        if len(marks) > expected:
            raise RejectedError(f"byte {at} of the tree: more nodes than the {expected} of the header")
        if mark & KIND_BITS != SPLIT:
            return here
        row = reader.number()
        if row >= len(table):
            raise RejectedError(f"byte {at} of the tree: pair {row} of a table of {len(table)}")
        pair = number.get(table[row])
        if pair is None:
            raise RejectedError(f"byte {at} of the tree: the pair {table[row]} is not fragile or cannot matter")
        if decided[pair]:
            raise RejectedError(f"byte {at} of the tree: the pair {table[row]} was decided before")
        marks[here][1] = pair
        allowed = left > 0 and (spare is None or all(spare[w] > 0 for w in payers(region, pair)))
        branches = [(here, True), (here, False)] if allowed else [(here, False)]
        if mark & KEPT_FIRST:
            branches.reverse()
        for branch in reversed(branches):
            todo.extend([(~here, branch[1]), branch])
        return here

    enter()
    while todo:
        at, flip = todo.pop()
        if at < 0:
            pair = marks[~at][1]
            decided[pair] = False
            if flip:
                pay(pair, -1)
            continue
        pair = marks[at][1]
        decided[pair] = True
        if flip:
            pay(pair, 1)
        child = enter()
        marks[at][3 if flip else 2] = child
    reader.finish()
    if len(marks) != expected:
        raise RejectedError(f"the tree has {len(marks)} nodes, the header says {expected}")
    return [Node(*mark) for mark in marks]


def payers(region: Region, pair: int) -> tuple[int, ...]:
    u, v = region.ends[pair].tolist()
    return (u, v) if region.both_pay and u != v else (v,)

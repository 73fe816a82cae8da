"""The split tree: reading it against the budgets, then establishing every leaf, many nodes at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import chain, combinations, islice
from math import comb
from typing import NamedTuple

import numpy as np

from ..engines.brute import Evaluator
from ..errors import RejectedError
from ..model.arrays import BoolArray, IntArray
from ..model.graph import Pair
from .bounds import Bounds, distances
from .boxes import Box
from .enclose import Enclosure
from .evaluate import evaluate_graphs, objectives
from .format import (
    BOX,
    ENUMERATED,
    KEPT_FIRST,
    KIND_BITS,
    KINDS,
    LINE,
    LINES,
    LINES_AGAIN,
    SETTLED,
    SPENT,
    SPLIT,
    TIGHTEN,
    Reader,
)  # fmt: skip
from .region import Region
from .setting import Batch, Setting

MOST_FLIPS_ENUMERATED = 2
MOST_GRAPHS = 5_000_000
FEW = 32  # so many graphs are evaluated before anybody asks lines which of them are in doubt
CELLS = 1 << 21  # numbers in one array of a batch, more or less: bounds the memory


class Node(NamedTuple):
    """kept, flipped: numbers of the children, -1 for none."""

    mark: int
    pair: int
    kept: int
    flipped: int

    @property
    def kind(self) -> int:
        return self.mark & KIND_BITS


def read_tree(body: bytes, table: list[Pair], region: Region, expected: int) -> list[Node]:
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
            for w in _payers(region, pair):
                spare[w] -= units

    def enter() -> int:
        at, here = reader.at, len(marks)
        mark = reader.mark()
        marks.append([mark, -1, -1, -1])
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
        allowed = left > 0 and (spare is None or all(spare[w] > 0 for w in _payers(region, pair)))
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


def _payers(region: Region, pair: int) -> tuple[int, ...]:
    u, v = region.ends[pair].tolist()
    return (u, v) if region.both_pay and u != v else (v,)


class Pending(NamedTuple):
    """A node that waits: how it was reached, and what was established above it."""

    node: int
    decided: np.ndarray  # (F,) 0 open, 1 kept, 2 flipped
    left: int
    spare: IntArray | None
    excluded: BoolArray  # (rivals,)
    boxes: list[Box] | None  # tightened above, index t - 1: (active[t], D) each


class Walk:
    """Establishes all leaves or raises `RejectedError` for one that it cannot."""

    def __init__(self, setting: Setting, nodes: list[Node], progress: Callable[[int, int], None] | None) -> None:
        self.setting, self.nodes, self.progress = setting, nodes, progress
        self.region = setting.region
        self.enclosure = Enclosure(setting)
        self.evaluations = self.exact_decisions = 0

    @cached_property
    def exact(self) -> Evaluator:
        return Evaluator(self.setting.query)

    def run(self) -> None:
        region, rivals = self.region, len(self.setting.query.rivals)
        root = Pending(
            0, np.zeros(region.F, dtype=np.int8), region.limit, region.local, np.zeros(rivals, dtype=np.bool_), None
        )
        stack, done = [root], 0
        widest = max(stage.width for stage in self.setting.chain.stages)
        size = max(1, min(128, CELLS // max((region.n + region.source.size) * widest, region.F + 1)))
        while stack:
            some, stack = stack[-size:], stack[:-size]
            stack += self._establish(some)
            done += len(some)
            if self.progress is not None:
                self.progress(done, len(self.nodes))

    def _establish(self, some: list[Pending]) -> list[Pending]:
        """Close the leaves among these nodes; returns the children of the others."""
        children: list[Pending] = []
        bounded: list[Pending] = []
        for one in some:
            mark, kind = self.nodes[one.node].mark, self.nodes[one.node].kind
            if kind in (SPENT, SETTLED, ENUMERATED):
                self._close_by_evaluation(one, kind)
            elif kind in (BOX, LINE) or mark & (LINES | TIGHTEN | LINES_AGAIN):
                bounded.append(one)
            else:
                children += self._children(one)
        if bounded:
            for one in self._bound(bounded):
                if self.nodes[one.node].kind == SPLIT:
                    children += self._children(one)
        return children

    def _children(self, one: Pending) -> Iterator[Pending]:
        node = self.nodes[one.node]
        for child, flip in ((node.kept, False), (node.flipped, True)):
            if child < 0:
                continue
            decided = one.decided.copy()
            decided[node.pair] = 2 if flip else 1
            spare = one.spare
            if flip and spare is not None:
                spare = spare.copy()
                for w in _payers(self.region, node.pair):
                    spare[w] -= 1
            yield one._replace(node=child, decided=decided, left=one.left - flip, spare=spare)

    def _batch(self, some: list[Pending]) -> Batch:
        decided = np.array([one.decided for one in some])
        spare = None if some[0].spare is None else np.array([one.spare for one in some])
        return Batch(self.setting, decided, np.array([one.left for one in some]), spare)

    def _refuse(self, one: Pending, why: str) -> RejectedError:
        flips = [tuple(pair) for pair in self.region.pairs[one.decided == 2].tolist()]
        kept = int((one.decided == 1).sum())
        where = f"with {flips or 'nothing'} flipped and {kept} pairs kept"
        return RejectedError(f"node {one.node} ({KINDS[self.nodes[one.node].kind]}), {where}: {why}")

    # --- evaluation ---

    def _close_by_evaluation(self, one: Pending, kind: int) -> None:
        batch = self._batch([one])
        movable = np.flatnonzero(batch.movable[0])
        if kind == SPENT and movable.size:
            raise self._refuse(one, f"{movable.size} pairs may still flip")
        if kind == SETTLED and self._reaching(batch, movable):
            raise self._refuse(one, "a pair that may still flip can matter")
        if kind == ENUMERATED and one.left > MOST_FLIPS_ENUMERATED and movable.size > one.left:
            raise self._refuse(one, f"{one.left} flips are left, up to {MOST_FLIPS_ENUMERATED} are enumerated")
        if kind == ENUMERATED and one.left == 1:
            movable = self._doubtful(one, batch, movable)
        most = min(one.left, movable.size) if kind == ENUMERATED else 0
        graphs = sum(comb(movable.size, count) for count in range(most + 1))
        if graphs > MOST_GRAPHS:
            raise self._refuse(one, f"{graphs:,} graphs to evaluate, the checker takes up to {MOST_GRAPHS:,} a leaf")
        subsets = chain.from_iterable(combinations(movable.tolist(), count) for count in range(most + 1))
        self._evaluate(one, (chosen for chosen in subsets if self._admissible(one, chosen)))

    def _doubtful(self, one: Pending, batch: Batch, movable: IntArray) -> IntArray:
        """With one flip left: the pairs of which lines do not show that flipping them alone breaks nothing."""
        if movable.size < FEW or not self.enclosure.finite:
            return movable
        bounds = Bounds(self.enclosure, batch, self._inherited([one]))
        bounds.propagate(tighten=False)
        rivals = np.flatnonzero(~(one.excluded | bounds.excluded_by_boxes()[0]))
        line = bounds.objective_lines(np.zeros(len(rivals), dtype=np.int64), rivals)
        gains, const = line.gains[:, movable], line.const[:, None]
        above = const + gains + line.error[:, None] + (abs(const) + abs(gains)) * 2.0**-50
        return movable[~(above <= 0.0).all(axis=0)]

    def _reaching(self, batch: Batch, movable: IntArray) -> bool:
        """Whether one of these pairs leads into a vertex from which the node in question can still be reached."""
        if self.setting.query.claim.node is None or not movable.size:
            return bool(movable.size) and self.setting.chain.depth > 0
        near = distances(self.setting, batch)[0] < self.setting.chain.depth
        ends = self.region.ends[movable]
        return bool(near[ends[:, 1]].any() or (self.region.both_pay and near[ends[:, 0]].any()))

    def _admissible(self, one: Pending, chosen: tuple[int, ...]) -> bool:
        if one.spare is None or len(chosen) < 2:
            return True
        spent = np.zeros(self.region.n, dtype=np.int64)
        for pair in chosen:
            for w in _payers(self.region, pair):
                spent[w] += 1
        return bool((spent <= one.spare).all())

    def _evaluate(self, one: Pending, flips: Iterator[tuple[int, ...]]) -> None:
        """Every one of these graphs keeps the claim: in floats if they leave no doubt, otherwise exactly."""
        region = self.region
        widest = max(stage.width for stage in self.setting.chain.stages)
        size = max(1, CELLS // max((region.n + region.source.size) * widest, 1))
        grounding = np.append(region.present ^ (one.decided == 2), True)
        while some := list(islice(flips, size)):
            there = np.repeat(grounding[None], len(some), axis=0)
            for row, chosen in enumerate(some):
                there[row, list(chosen)] ^= True
            with np.errstate(over="ignore", invalid="ignore"):
                found = objectives(self.setting, evaluate_graphs(self.setting, there[:, region.pair]))
                doubtful = ~(found + self.enclosure.error <= 0.0).all(axis=1)
            self.evaluations += len(some)
            for row in np.flatnonzero(doubtful).tolist():
                self._decide_exactly(one, some[row])

    def _decide_exactly(self, one: Pending, chosen: tuple[int, ...]) -> None:
        numbers = [*np.flatnonzero(one.decided == 2).tolist(), *chosen]
        pairs = tuple((int(u), int(v)) for u, v in self.region.pairs[numbers])
        self.exact_decisions += 1
        rival = self.exact.winner(pairs)
        if rival is not None:
            raise self._refuse(one, f"flipping {list(pairs)} gives class {rival}: the claim is false")

    # --- bounds ---

    def _bound(self, some: list[Pending]) -> list[Pending]:
        """Boxes and lines as the marks say; leaves must be closed by them."""
        if not self.enclosure.finite:
            raise self._refuse(some[0], "the numbers are too large to be bounded")
        plain: list[Pending] = []
        tight: list[Pending] = []
        done: list[Pending] = []
        for one in some:
            mark, kind = self.nodes[one.node].mark, self.nodes[one.node].kind
            (plain if kind == BOX or mark & LINES or not mark & TIGHTEN else tight).append(one)
        for one in self._bound_once(plain, tighten=False):
            (tight if self.nodes[one.node].mark & TIGHTEN else done).append(one)
        done += self._bound_once(tight, tighten=True)
        for one in done:
            if self.nodes[one.node].kind != SPLIT and not one.excluded.all():
                rivals = [rival for rival, out in zip(self.setting.query.rivals, one.excluded, strict=True) if not out]
                raise self._refuse(one, f"the bound does not exclude class {rivals[0]}")
        return done

    def _bound_once(self, some: list[Pending], tighten: bool) -> list[Pending]:
        if not some:
            return []
        bounds = Bounds(self.enclosure, self._batch(some), self._inherited(some))
        bounds.propagate(tighten)
        for low, high in bounds.boxes[1:]:
            if not (low <= high).all():
                raise self._refuse(some[0], "an empty box: bounds contradict one another")
        excluded = np.array([one.excluded for one in some]) | bounds.excluded_by_boxes()
        marks = np.array([self.nodes[one.node].mark for one in some])
        kinds = marks & KIND_BITS
        if tighten:
            lines = (kinds == LINE) | ((marks & LINES_AGAIN) != 0)
        else:
            lines = ((kinds == LINE) & ((marks & TIGHTEN) == 0)) | ((marks & (LINES | LINES_AGAIN)) != 0)
        excluded |= bounds.bounds_by_lines(~excluded & lines[:, None]) <= 0.0 if lines.any() else False
        excluded_rows = list(excluded)
        return [
            one._replace(excluded=excluded_rows[k], boxes=_take(bounds.boxes, k) if tighten else one.boxes)
            for k, one in enumerate(some)
        ]

    def _inherited(self, some: list[Pending]) -> list[Box]:
        out = []
        for t in range(1, self.setting.T + 1):
            shape = (len(some), self.setting.active[t], self.setting.stage(t).width)
            low, high = np.full(shape, -np.inf), np.full(shape, np.inf)
            for k, one in enumerate(some):
                if one.boxes is not None:
                    low[k], high[k] = one.boxes[t - 1]
            out.append((low, high))
        return out


def _take(boxes: list[Box], k: int) -> list[Box]:
    return [(low[k].copy(), high[k].copy()) for low, high in boxes[1:]]

"""Establishes every leaf of a split tree, many nodes at a time.

A node carries the set of rivals that are proved at it: empty at the root, larger only by what a bound of this very node
returns. Nodes share a batch only where they take the same step, so that nothing in a batch is meant for some of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import chain, combinations, islice
from math import comb
from typing import NamedTuple

import numpy as np

from ..engines.brute import Evaluator
from ..errors import RejectedError
from ..model.arrays import IntArray
from .bounds import Bounds, Shown, distances
from .boxes import Box
from .enclose import Enclosure
from .evaluate import evaluate_graphs, objectives
from .format import BOX, ENUMERATED, KINDS, LINE, SETTLED, SPENT, SPLIT
from .setting import Batch, Setting
from .tree import STEPS, Node, Step, payers, steps_of

MOST_FLIPS_ENUMERATED = 2
MOST_GRAPHS = 5_000_000
MOST_GRAPHS_IN_DOUBT = 5_000  # below a leaf whose bound misses 0 by rounding
MOST_GRAPHS_OF_LINES = 64  # below a leaf that lines should close, where those of the checker do not
FEW = 32  # so many graphs are evaluated before anybody asks lines which of them are in doubt
CELLS = 1 << 21  # numbers in one array of a batch, more or less: bounds the memory
MOST_NODES = 128  # of a batch


class Pending(NamedTuple):
    """A node that waits: how it was reached, and what was established above it."""

    node: int
    decided: np.ndarray  # (F,) 0 open, 1 kept, 2 flipped
    left: int
    spare: IntArray | None
    shown: Shown  # here or above
    boxes: list[Box] | None  # tightened above, index t - 1: (active[t], D) each


class Walk:
    """Establishes all leaves or raises `RejectedError` for one that it cannot; `TimeUpError` when the time is up."""

    def __init__(
        self,
        setting: Setting,
        nodes: list[Node],
        progress: Callable[[int, int], None] | None,
    ) -> None:
        self.setting, self.nodes, self.progress, self.clock = setting, nodes, progress, setting.clock
        self.region = setting.region
        self.rivals = frozenset(range(len(setting.query.rivals)))
        self.enclosure = Enclosure(setting)
        self.evaluations = self.exact_decisions = 0

    @cached_property
    def exact(self) -> Evaluator:
        return Evaluator(self.setting.query, self.clock)

    def root(self) -> Pending:
        region = self.region
        return Pending(0, np.zeros(region.F, dtype=np.int8), region.limit, region.local, Shown(), None)

    def run(self) -> None:
        established = np.zeros(len(self.nodes), dtype=np.bool_)
        widest = max(stage.width for stage in self.setting.chain.stages)
        numbers = max((self.region.n + self.region.source.size) * widest, self.region.F + 1)
        size = max(1, min(MOST_NODES, CELLS // numbers))
        stack, done = [self.root()], 0
        while stack:
            self.clock.look()
            some, stack = stack[-size:], stack[:-size]
            for one in self._establish(some):
                established[one.node] = True
                done += 1
                stack += self._children(one)
            if self.progress is not None:
                self.progress(done, len(self.nodes))
        if not established.all():
            raise RejectedError(f"node {int(established.argmin())} was never looked at")

    def _establish(self, some: list[Pending]) -> Iterator[Pending]:
        """These nodes again, with all that was proved at them; a leaf comes back only if that closes it."""
        for one in self._bound(some):
            kind = self.nodes[one.node].kind
            if kind in (BOX, LINE):
                self._close_by_bounds(one)
            elif kind in (SPENT, SETTLED, ENUMERATED):
                self._close_by_evaluation(one, kind)
            elif kind != SPLIT:
                raise self._refuse(one, "nothing is known of this kind of node")
            yield one

    def _close_by_bounds(self, one: Pending) -> None:
        if self.rivals <= one.shown.excluded:
            return
        rival = self.setting.query.rivals[min(self.rivals - one.shown.excluded)]
        movable = np.flatnonzero(self._batch([one]).movable[0])
        # What lies between rounding and 0 is decided exactly, graph by graph. And a line is one choice of many: the
        # search, with options of its own, may have found a better one.
        by_lines = self.nodes[one.node].kind == LINE
        most = MOST_GRAPHS_IN_DOUBT if self.rivals <= one.shown.nearly else MOST_GRAPHS_OF_LINES if by_lines else 0
        if self._count(one.left, movable.size) > most:
            raise self._refuse(one, f"the bound does not exclude class {rival}")
        self._evaluate_all(one, movable, one.left)

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
                for w in payers(self.region, node.pair):
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

    # --- bounds ---

    def _bound(self, some: list[Pending]) -> list[Pending]:
        """The steps that the marks ask for, one after the other; those who take the same one take it together."""
        found = list(some)
        steps = [steps_of(self.nodes[one.node].mark) for one in some]
        for turn in range(max(len(mine) for mine in steps)):
            for step in STEPS:
                group = [k for k, mine in enumerate(steps) if len(mine) > turn and mine[turn] == step]
                if group:
                    taken = self._take_step([found[k] for k in group], step)
                    for k, one in zip(group, taken, strict=True):
                        found[k] = one
        return found

    def _take_step(self, some: list[Pending], step: Step) -> list[Pending]:
        if not self.enclosure.finite:
            raise self._refuse(some[0], "the numbers are too large to be bounded")
        bounds = Bounds(self.enclosure, self._batch(some), self._inherited(some))
        bounds.propagate(step.tighten)
        for low, high in bounds.boxes[1:]:
            sound = (low <= high).all(axis=(1, 2))
            if not sound.all():
                raise self._refuse(some[int(sound.argmin())], "an empty box: bounds contradict one another")
        shown = [one.shown | more for one, more in zip(some, bounds.shown_by_boxes(), strict=True)]
        if step.lines:
            by_lines = bounds.shown_by_lines([self.rivals - known.excluded for known in shown])
            shown = [known | more for known, more in zip(shown, by_lines, strict=True)]
        return [
            one._replace(shown=known, boxes=_take(bounds.boxes, k) if step.tighten else one.boxes)
            for k, (one, known) in enumerate(zip(some, shown, strict=True))
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
        flips = one.left if kind == ENUMERATED else 0
        graphs = self._count(flips, movable.size)
        if graphs > MOST_GRAPHS:
            raise self._refuse(
                one, f"at least {graphs:,} graphs to evaluate, the checker takes up to {MOST_GRAPHS:,} a leaf"
            )
        self._evaluate_all(one, movable, flips)

    def _count(self, flips: int, pairs: int) -> int:
        """Graphs with so many flips among so many pairs, local budgets apart; stops where that is too many anyway."""
        graphs = 0
        for count in range(min(flips, pairs) + 1):
            graphs += comb(pairs, count)
            if graphs > MOST_GRAPHS:
                break
        return graphs

    def _evaluate_all(self, one: Pending, movable: IntArray, flips: int) -> None:
        """Every graph below a node with up to so many more flips among these pairs."""
        sizes = range(min(flips, movable.size) + 1)
        subsets = chain.from_iterable(combinations(movable.tolist(), count) for count in sizes)
        self._evaluate(one, (chosen for chosen in subsets if self._admissible(one, chosen)))

    def _doubtful(self, one: Pending, batch: Batch, movable: IntArray) -> IntArray:
        """With one flip left: the pairs of which lines do not show that flipping them alone breaks nothing."""
        if movable.size < FEW or not self.enclosure.finite:
            return movable
        bounds = Bounds(self.enclosure, batch, self._inherited([one]))
        bounds.propagate(tighten=False)
        rivals = sorted(self.rivals - one.shown.excluded - bounds.shown_by_boxes()[0].excluded)
        line = bounds.objective_lines(np.zeros(len(rivals), dtype=np.int64), np.array(rivals, dtype=np.int64))
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
            for w in payers(self.region, pair):
                spent[w] += 1
        return bool((spent <= one.spare).all())

    def _evaluate(self, one: Pending, flips: Iterator[tuple[int, ...]]) -> None:
        """Every one of these graphs keeps the claim: in floats if they leave no doubt, otherwise exactly."""
        region = self.region
        widest = max(stage.width for stage in self.setting.chain.stages)
        size = max(1, CELLS // max((region.n + region.source.size) * widest, 1))
        grounding = np.append(region.present ^ (one.decided == 2), True)
        while some := list(islice(flips, size)):
            self.clock.look()
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


def _take(boxes: list[Box], k: int) -> list[Box]:
    return [(low[k].copy(), high[k].copy()) for low, high in boxes[1:]]

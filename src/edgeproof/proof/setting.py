"""What the checker prepares once for a claim: who matters at which stage, and the numbers of the first stage."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..clock import UNLIMITED, Clock
from ..model.arrays import BoolArray, FloatArray, IntArray
from ..model.network import Aggregation
from ..model.query import Query
from .chain import Chain, Kind, Stage, make_chain
from .region import Group, Region, find_region

# bits of a slot's status below a node of the tree
PRESENT, MOVABLE = 1, 2


class RawSlots(NamedTuple):
    """A first stage that takes the max of features as they are: the columns that occur among possible in-neighbours."""

    x: FloatArray  # (slots, columns)
    weight: FloatArray  # (columns, out): A, transposed
    weight_abs: FloatArray
    value: FloatArray  # (columns,) the largest value of a column
    uniform: bool  # every column is 0 or this value, which is positive


class Setting:
    """A claim, the part of the graph that can matter to it, and the chain of stages."""

    def __init__(self, query: Query, differences: bool = True, clock: Clock = UNLIMITED) -> None:
        self.query, self.clock = query, clock
        self.chain: Chain = make_chain(query, differences)
        self.region: Region = find_region(query, self.chain.depth, clock)
        self.T = len(self.chain.stages)
        self.active = self._active()
        self.groups: list[list[Group]] = [[], *(self.region.groups(count) for count in self.active[1:])]

    def stage(self, t: int) -> Stage:
        return self.chain.stages[t - 1]

    def _active(self) -> list[int]:
        """active[t]: vertices 0 .. active[t] - 1 matter after stage t. The readout and its head stand at vertex 0."""
        region, node = self.region, self.query.claim.node
        counts, reach, whole = [0] * (self.T + 1), 0, False
        pooled = any(stage.kind is Kind.POOL for stage in self.chain.stages)
        for t in range(self.T, -1, -1):
            if whole or (node is None and not pooled):
                counts[t] = region.n
            elif node is None:
                counts[t] = 1
            else:
                counts[t] = int(np.searchsorted(region.distance, reach, side="right"))
            if t > 0 and self.stage(t).kind is Kind.POOL:
                whole = True
            if t > 0 and self.stage(t).kind is Kind.GRAPH:
                reach += 1
        return counts

    @cached_property
    def features(self) -> FloatArray:
        return self.query.graph.features.dense(self.region.vertices)

    @cached_property
    def own(self) -> FloatArray:
        """C x + b of the first stage, for every vertex."""
        first = self.stage(1)
        return self.features @ first.C.T + first.b

    @cached_property
    def sent(self) -> FloatArray:
        """A x of the first stage, for every vertex."""
        return self.features @ self.stage(1).A.T

    @property
    def takes_raw(self) -> bool:
        """Whether the first stage aggregates features as they are."""
        first = self.stage(1)
        return first.kind is Kind.GRAPH and first.how is Aggregation.MAX

    @cached_property
    def raw(self) -> dict[int, RawSlots]:
        """For every vertex with slots that matters after the first stage."""
        found = {}
        first, region = self.stage(1), self.region
        for v in range(self.active[1]):
            rows = self.features[region.source[region.ptr[v] : region.ptr[v + 1]]]
            if not len(rows):
                continue
            columns = np.flatnonzero(rows.any(axis=0))
            x = rows[:, columns]
            value = x.max(axis=0, initial=0.0)
            uniform = bool((x >= 0).all() and ((x == 0) | (x == value)).all())
            found[v] = RawSlots(x, first.A[:, columns].T.copy(), first.A_abs[:, columns].T.copy(), value, uniform)
        return found

    @cached_property
    def most_nonzero(self) -> int:
        return int((self.features != 0).sum(axis=1).max(initial=0))


class Batch:
    """Some nodes of the tree at once. Axes: B nodes, S slots, n vertices, F pairs.

    status: PRESENT in the grounding (the input graph with the decided flips), MOVABLE if it may still flip.
    left: flips that are left; cap: how many of its slots a vertex can see flipped in one graph.
    """

    def __init__(self, setting: Setting, decided: np.ndarray, left: IntArray, spare: IntArray | None) -> None:
        """decided: (B, F) 0 open, 1 kept, 2 flipped; spare: (B, n) what is left of local budgets."""
        region = setting.region
        self.size = len(decided)
        self.decided, self.left, self.spare = decided, left, spare
        movable = (decided == 0) & (left > 0)[:, None]
        if spare is not None:
            pays = spare > 0
            movable &= pays[:, region.ends[:, 1]]
            if region.both_pay:
                movable &= pays[:, region.ends[:, 0]]
        self.movable: BoolArray = movable
        present = region.present ^ (decided == 2)
        status = np.full((self.size, region.F + 1), PRESENT, dtype=np.int8)  # the last column: never flips
        status[:, :-1] = present * PRESENT + movable * MOVABLE
        self.status = status[:, region.pair]
        opened = np.zeros((self.size, region.source.size + 1), dtype=np.int64)
        np.cumsum((self.status & MOVABLE) != 0, axis=1, out=opened[:, 1:])
        opened = opened[:, region.ptr[1:]] - opened[:, region.ptr[:-1]]
        self.cap = np.minimum(opened, left[:, None])
        if spare is not None:
            self.cap = np.minimum(self.cap, spare)


def root_batch(setting: Setting) -> Batch:
    region = setting.region
    spare = None if region.local is None else region.local[None].copy()
    return Batch(setting, np.zeros((1, region.F), dtype=np.int8), np.array([region.limit]), spare)

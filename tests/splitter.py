"""A slow writer of proofs, over the checker's own bounds: for tests of the checker that need no search.

Draws how it goes on at every node, so that all marks and all combinations of them occur.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from edgeproof.model.query import Query
from edgeproof.proof.bounds import Bounds
from edgeproof.proof.format import (
    BOX,
    ENUMERATED,
    KEPT_FIRST,
    LINE,
    LINES,
    LINES_AGAIN,
    SETTLED,
    SPENT,
    SPLIT,
    TIGHTEN,
    encode_tree,
    pack,
    pair_list,
)  # fmt: skip
from edgeproof.proof.setting import Setting
from edgeproof.proof.statement import describe
from edgeproof.proof.tree import Pending, Walk


class Splitter(Walk):
    """Grows a tree until every leaf is closed; what no argument closes is evaluated, true or not."""

    def __init__(self, query: Query, rng: np.random.Generator) -> None:
        self.rng = rng
        setting = Setting(query)
        super().__init__(setting, [], None)
        self.marks: list[tuple[int, int]] = []

    def chance(self, probability: float) -> bool:
        return bool(self.rng.random() < probability)

    def write(self) -> bytes:
        region = self.region
        rivals = np.zeros(len(self.setting.query.rivals), dtype=np.bool_)
        decided = np.zeros(region.F, dtype=np.int8)
        self._grow(Pending(0, decided, region.limit, region.local, rivals, None))
        return self.packed()

    def packed(self) -> bytes:
        kinds, pairs = np.array(self.marks, dtype=np.int64).T
        header = describe(self.setting.query, "robust")
        header |= {"pairs": pair_list(self.region.pairs), "nodes": len(self.marks)}
        return pack(header, encode_tree(kinds, pairs))

    def _grow(self, one: Pending) -> None:
        batch = self._batch([one])
        movable = np.flatnonzero(batch.movable[0])
        flags = 0
        if self.enclosure.finite and self.chance(0.7):
            bounds = Bounds(self.enclosure, batch, self._inherited([one]))
            bounds.propagate(tighten=False)
            found = one.excluded | bounds.excluded_by_boxes()[0]
            if found.all():
                return self.marks.append((BOX, 0))
            if self.chance(0.5):
                found = found | (bounds.bounds_by_lines(~found[None])[0] <= 0.0)
                if found.all():
                    return self.marks.append((LINE, 0))
                flags |= LINES
                one = one._replace(excluded=found)
            if self.chance(0.5):
                bounds = Bounds(self.enclosure, batch, self._inherited([one]))
                bounds.propagate(tighten=True)
                boxes = [(low[0], high[0]) for low, high in bounds.boxes[1:]]
                found = found | bounds.excluded_by_boxes()[0]
                found = found | (bounds.bounds_by_lines(~found[None])[0] <= 0.0)
                if found.all():
                    return self.marks.append((LINE | flags | TIGHTEN, 0))
                flags |= TIGHTEN | LINES_AGAIN
                one = one._replace(excluded=found, boxes=boxes)
        if not movable.size:
            return self.marks.append((SPENT, 0))
        if not self._reaching(batch, movable):
            return self.marks.append((SETTLED, 0))
        if one.left <= 2 and self.chance(0.3):
            return self.marks.append((ENUMERATED, 0))
        pair = int(self.rng.choice(np.flatnonzero(one.decided == 0)))
        flags |= KEPT_FIRST * self.chance(0.5)
        self.marks.append((SPLIT | flags, pair))
        for flip in (False, True) if flags & KEPT_FIRST else (True, False):
            for child in self._child(one, pair, flip, bool(batch.movable[0, pair])):
                self._grow(child)
        return None

    def _child(self, one: Pending, pair: int, flip: bool, movable: bool) -> Iterator[Pending]:
        if flip and not movable:
            return
        decided = one.decided.copy()
        decided[pair] = 2 if flip else 1
        spare = one.spare
        if flip and spare is not None:
            spare = spare.copy()
            u, v = self.region.ends[pair].tolist()
            for w in {u, v} if self.region.both_pay else {v}:
                spare[w] -= 1
        yield one._replace(decided=decided, left=one.left - flip, spare=spare)

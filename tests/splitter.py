"""A slow writer of proofs, over the checker's own bounds: for tests of the checker that need no search.

Draws how it goes on at every node, so that all marks and all combinations of them occur.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from edgeproof import RejectedError
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
from edgeproof.proof.tree import Node
from edgeproof.proof.walk import Pending, Walk


class Splitter(Walk):
    """Grows a tree until every leaf is closed; what no argument closes is evaluated, true or not."""

    def __init__(self, query: Query, rng: np.random.Generator, judges: bool = False, most: int | None = None) -> None:
        """judges: note which leaves are true; most: raise OverflowError past so many nodes."""
        self.rng, self.judges = rng, judges
        setting = Setting(query)
        super().__init__(setting, [], None)
        self.most = most
        self.marks: list[tuple[int, int]] = []
        self.children: list[int] = []  # of every node
        self.truths: list[bool] = []  # of every leaf: whether the argument holds

    def chance(self, probability: float) -> bool:
        return bool(self.rng.random() < probability)

    def write(self) -> bytes:
        self._grow(self.root())
        return self.packed()

    def packed(self) -> bytes:
        kinds, pairs = np.array(self.marks, dtype=np.int64).T
        header = describe(self.setting.query, "robust")
        header |= {"pairs": pair_list(self.region.pairs), "nodes": len(self.marks)}
        return pack(header, encode_tree(kinds, pairs))

    def _grow(self, one: Pending) -> None:
        if self.most is not None and len(self.marks) >= self.most:
            raise OverflowError(f"more than {self.most} nodes")
        batch = self._batch([one])
        movable = np.flatnonzero(batch.movable[0])
        flags = 0
        if self.enclosure.finite and self.chance(0.7):
            bounds = Bounds(self.enclosure, batch, self._inherited([one]))
            bounds.propagate(tighten=False)
            found = one.shown | bounds.shown_by_boxes()[0]
            if found.excluded == self.rivals:
                return self._leaf(BOX)
            if self.chance(0.5):
                found |= bounds.shown_by_lines([self.rivals - found.excluded])[0]
                if found.excluded == self.rivals:
                    return self._leaf(LINE)
                flags |= LINES
                one = one._replace(shown=found)
            if self.chance(0.5):
                bounds = Bounds(self.enclosure, batch, self._inherited([one]))
                bounds.propagate(tighten=True)
                boxes = [(low[0], high[0]) for low, high in bounds.boxes[1:]]
                found |= bounds.shown_by_boxes()[0]
                found |= bounds.shown_by_lines([self.rivals - found.excluded])[0]
                if found.excluded == self.rivals:
                    return self._leaf(LINE | flags | TIGHTEN)
                flags |= TIGHTEN | LINES_AGAIN
                one = one._replace(shown=found, boxes=boxes)
        if not movable.size:
            return self._leaf(SPENT, self._holds(one, SPENT))
        if not self._reaching(batch, movable):
            return self._leaf(SETTLED, self._holds(one, SETTLED))
        if one.left <= 2 and self.chance(0.3):
            return self._leaf(ENUMERATED, self._holds(one, ENUMERATED))
        pair = int(self.rng.choice(np.flatnonzero(one.decided == 0)))
        flags |= KEPT_FIRST * self.chance(0.5)
        self.marks.append((SPLIT | flags, pair))
        self.children.append(1 + bool(batch.movable[0, pair]))
        for flip in (False, True) if flags & KEPT_FIRST else (True, False):
            for child in self._child(one, pair, flip, bool(batch.movable[0, pair])):
                self._grow(child)
        return None

    def _leaf(self, mark: int, truth: bool = True) -> None:
        self.marks.append((mark, 0))
        self.children.append(0)
        self.truths.append(truth)

    def _holds(self, one: Pending, kind: int) -> bool:
        """Whether every graph that evaluation looks at here keeps the claim."""
        if not self.judges:
            return True
        self.nodes = [Node(kind, -1, -1, -1)]
        try:
            self._close_by_evaluation(one._replace(node=0), kind)
        except RejectedError:
            return False
        return True

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

"""The node itself: how many of its own edges go is fixed in turn, so that its degree is known.

Theory: "From neurons to edges".
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...model.arrays import FloatArray, IntArray
from ..base.layout import GATHERED, GCN, SENT
from .assemble import Charges
from .ledger import largest_grown, list_edges, total_charges

# of what is left of a margin, what charges are not told apart below
FAINT = 0.01


class Bound(NamedTuple):
    """One rival, one number `into` of edges into the node that go.

    The margin is at least `margin` minus the `into` largest of `near` minus the `others` largest of `far` and of any
    number of edges charged `rest`.
    """

    rival: int
    into: int
    others: int
    alpha: float  # of the node
    margin: float
    near: FloatArray  # edges into the node, as listed
    far: FloatArray  # all others that are listed
    rest: float

    @property
    def worst_near(self) -> float:
        return _largest_sum(self.near, self.into)

    @property
    def worst_far(self) -> float:
        found = _largest(self.far, self.others)
        return float(np.sort(np.concatenate([found, np.full(self.others, self.rest)]))[::-1][: self.others].sum())

    @property
    def left(self) -> float:
        return self.margin - self.worst_near - self.worst_far

    @property
    def left_crudely(self) -> float:
        """At most `left`, without sorting."""
        most = max(float(self.far.max(initial=0.0)), self.rest)
        return self.margin - self.into * float(self.near.max(initial=0.0)) - self.others * most

    def left_if_gathered(self, many: int, ends: IntArray) -> float:
        """What is left if some vertex loses `many` edges. ends: (far edges, 1 or 2) vertices that lose them."""
        if self.into >= many:
            return self.left  # the node may be that vertex
        there = many - (self.into > 0)  # and one of the vertex's edges the one into the node
        if there > self.others:
            return np.inf
        slack = self.margin - self.worst_near - self._replace(others=self.others - there).worst_far
        # charges below this count as much, which a vertex cannot have too many of
        least = max(self.rest, FAINT * slack / there)
        some = np.flatnonzero(self.far > least)
        vertex, charge = ends[some].ravel(), np.repeat(self.far[some] - least, ends.shape[1])
        order = np.lexsort((-charge, vertex))
        vertex, charge = vertex[order], charge[order]
        first = np.flatnonzero(np.diff(vertex, prepend=-1))
        rank = np.arange(vertex.size) - np.repeat(first, np.diff(first, append=vertex.size))
        most = np.bincount(np.cumsum(rank == 0)[rank < there], charge[rank < there], minlength=1).max()
        return float(slack - most - there * least)


def _largest(charges: FloatArray, k: int) -> FloatArray:
    return (
        np.partition(charges, charges.size - k)[charges.size - k :]
        if 0 < k < charges.size
        else charges[: charges.size * (k > 0)]
    )


def _largest_sum(charges: FloatArray, k: int) -> float:
    return float(_largest(charges, k).sum())


class Top:
    """Bounds of every rival from the charges of one question."""

    def __init__(self, charges: Charges, reverse: IntArray, targets: IntArray, margins: FloatArray) -> None:
        self.charges, self.margins, self._reverse, self._targets = charges, margins, reverse, targets
        base, node = charges.base, charges.node
        slots = np.empty(base.source.size, dtype=np.int64)
        count, self.into = list_edges(
            base.in_ptr, base.source, base.directed, charges.near, base.L, node, reverse, charges.status, slots
        )
        self.slots = slots[:count].copy()
        label, rivals = charges.query.claim.label, list(charges.query.rivals)
        last, view = base.L - 1, charges.view
        own, heard = view.row(last, SENT, node), view.row(last, GATHERED, node)
        senders = base.source[self.slots[: self.into]]
        weights = np.array([charges._beta(u, 0) for u in senders.tolist()])
        sent = view.take(last, SENT, senders)
        self._sent = (sent[:, label][:, None] - sent[:, rivals]) * weights[:, None]
        self._heard = heard[label] - heard[rivals]
        self._kept = own[label] - own[rivals] if base.how[-1] == GCN else np.zeros(len(rivals))

    def bounds(self, rival: int) -> list[Bound]:
        """Of every number of edges into the node; `rival` is its place among the query's."""
        c, out = self.charges, np.empty(self.slots.size)
        length = float(c.length[rival])
        grown = c.grown_cost, c.grown.place, c.grown.rows
        total_charges(
            c.base.source, c.base.directed, self._targets, self.slots, self.slots.size, rival, length, c.lost_cost,
            c.lost.place, c.lost.rows, *grown, self._reverse, out,
        )  # fmt: skip
        first, second = largest_grown(c.near, c.base.L, rival, length, *grown)
        rest = first + (0.0 if c.base.directed else second)
        if rest > 0.0 or c.budget > 1:
            out = np.maximum(out, 0.0) if c.budget > 1 else out
        found, before = [], c._alpha(0)
        for into in range(min(c.each, self.into) + 1):
            after = c._alpha(into)
            margin = self.margins[rival] + (after - before) * self._heard[rival]
            margin += (after * after - before * before) * self._kept[rival]
            near = after * (self._sent[:, rival] + out[: self.into])
            found.append(
                Bound(rival, into, c.budget - into, after, float(margin), near, after * out[self.into :], after * rest)
            )
        return found

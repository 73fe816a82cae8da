"""Charges of all edges of one question, gathered at the neighbours of the node.

Theory: "Several changes at one neuron", "From neurons to edges".
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ...model.arrays import FloatArray, IntArray
from ...model.query import Query
from ..base.layout import GATHERED, GCN, HIDDEN, MEAN, SENT
from ..deadline import Alarm
from .first_changes import grown_changes, lost_changes
from .ledger import Rows
from .near_changes import direct_changes, far_changes, find_peak
from .norms import Norms, row_lengths
from .rows import FREE, GONE
from .screen import count_slots, screen
from .seen import View

# rows that are worked on together
BLOCK = 1024
# of the margin, what an edge may be charged by lengths only
CRUDE = 0.02


class Charges:
    """For at most `budget` deletions of which at most `each` are at one vertex, whatever they are: the margin of a
    rival (score of the label minus the rival's) falls by no more than the sum of the charges of the edges that go,
    times `alpha` of the node over what it was, and what top.py adds for edges into the node itself. Charges are in
    units of what the node hears.
    """

    def __init__(
        self,
        query: Query,
        view: View,
        norms: Norms,
        budget: int,
        each: int,
        margins: FloatArray,
        status: NDArray[np.int8],
        near: IntArray,
        finer: float = 1.0,
    ) -> None:
        assert query.claim.node is not None
        base = view.base
        # in-degrees are those that are left
        self.query, self.view, self.base, self.lent, self.norms = query, view, view.seen, view.lent, norms
        self.node, self.budget, self.status = query.claim.node, budget, status
        self.each, self.rest, self.more = min(each, budget), min(each, budget - 1), budget - 1
        self._lengths = view.lent_lengths
        last = query.network.layers[-1]
        label, rivals = query.claim.label, list(query.rivals)
        # (rivals, width): what a change of the last hidden rows makes of the margins
        self.heard: FloatArray = last.A[label] - last.A[rivals]
        self.kept: FloatArray = last.C[label] - last.C[rivals]
        n, R = base.n, len(rivals)
        self.near = near
        self.lost_cost, self.grown_cost = np.zeros(base.source.size), np.zeros(n)
        self.lost, self.grown = Rows(base.source.size, R), Rows(n, R)
        self._sums, self._touched = np.zeros(n), np.zeros(n, dtype=np.int64)
        # whether the node's own row is looked at as what C makes of it, or as a message to itself
        self._keeps = False
        both = self.heard, self.kept / self._alpha(0)
        self.length = np.max([row_lengths(one) for one in both], axis=0)
        self.threshold = CRUDE / finer * float((margins / self.length).min()) / max(budget, 1)
        self.threshold /= self._alpha(0)
        W = max(base.width[1:])
        self._rows = np.zeros((6, BLOCK, W))
        self._scratch = np.zeros((4, W))

    # --- weights of degrees, as in scales.py ---

    def _most_at(self, v: int, limit: int) -> int:
        count = int(self.base.heard[v])
        return min(limit, count - (v != self.node and not self.base.directed))

    def _alpha(self, k: int) -> float:
        return self._alpha_at(self.base.L - 1, self.node, k)

    def _beta(self, v: int, k: int) -> float:
        return self._beta_at(self.base.L - 1, v, k)

    def _coefficients(self, u: int) -> FloatArray:
        """What a change of u's last hidden row makes of the margins, over the node's alpha."""
        if u != self.node:
            return self.heard
        own: FloatArray = self.kept / self._alpha(0) if self._keeps else self._beta(u, 0) * self.heard
        return own

    def collect(self, alarm: Alarm | None = None) -> bool:
        """False if time is up before all charges are known."""
        b = self.base
        around = b.source[b.in_ptr[self.node] : b.in_ptr[self.node + 1]]
        gone = self.status[b.in_ptr[self.node] : b.in_ptr[self.node + 1]] == GONE
        ways = [(self.node, False)] * bool(b.how[-1] == GCN) + [(self.node, True)] * bool(b.has_own[-1])
        for u, keeps in [*ways, *((u, False) for u in around[~gone].tolist())]:
            self._keeps = keeps
            self._collect_at(u)
            if alarm is not None and alarm.is_up():
                return False
        return True

    def _collect_at(self, u: int) -> None:
        if self.base.L == 2:
            self._collect_two_layers(u)
        else:
            self._collect_three_layers(u)

    def _slots_into(self, u: int) -> tuple[IntArray, IntArray]:
        """Edges into u that may go while u matters, and all that are there."""
        b = self.base
        slots = np.arange(b.in_ptr[u], b.in_ptr[u + 1])
        there = slots[self.status[slots] != GONE]
        may_go = there[self.status[there] == FREE]
        if u != self.node and not b.directed:
            may_go = may_go[b.source[may_go] != self.node]
        return (may_go if self._most_at(u, self.each) > 0 else may_go[:0]), there

    def _factor(self, u: int, limit: int) -> float:
        """How much more u's messages can weigh than they did, if so many edges may go there."""
        return 1.0 if self._keeps else self._beta(u, max(self._most_at(u, limit), 0)) / self._beta(u, 0)

    def _settle_direct(
        self, u: int, slots: IntArray, change: FloatArray, radius: FloatArray, radius_cost: FloatArray
    ) -> None:
        """Charge edges into u with what they do to u's message: to the row, and by their number to its weight.

        change, radius: (rows, width) of u's hidden row; radius_cost: (rows, rivals) on top.
        """
        Q, most = self._coefficients(u), self._most_at(u, self.each)
        before, moved = self._beta(u, 0), change @ Q.T
        around = radius @ abs(Q).T + radius_cost
        if u == self.node:
            charge = self._factor(u, most) * np.maximum(around - moved, 0.0)
        else:
            here = Q @ self.view.row(self.base.L - 2, HIDDEN, u)
            charge = np.full(moved.shape, -np.inf)
            for k in range(1, most + 1):
                after = self._beta(u, k)
                charge = np.maximum(charge, after * (around - moved) - (after - before) / k * here)
            if self.budget > 1:
                charge = np.maximum(charge, 0.0)
        self.lost.add(slots, charge)

    def _settle_far(self, u: int, loses: bool, things: IntArray, charge: FloatArray) -> None:
        """charge: (rows, rivals) for a change of u's hidden row, of which u sends `beta`. Only with one deletion, and
        where it is at a known edge, is it known that nothing else changes, and a benefit sure to come.
        """
        scale = 1.0 if u == self.node else self._beta(u, 0)
        if not loses or self.budget > 1:
            charge = np.maximum(charge, 0.0)
            scale *= self._factor(u, self.rest if loses else self.each)
        (self.lost if loses else self.grown).add(things, charge * scale)

    # --- two layers: rows after layer 1 are the last hidden rows ---

    def _collect_two_layers(self, u: int) -> None:
        may_go, there = self._slots_into(u)
        Q = self._coefficients(u)
        for start in range(0, may_go.size, BLOCK):
            some = may_go[start : start + BLOCK]
            rows, radii = self._first(lost_changes, np.full(some.size, u), some, 0)
            self._settle_direct(u, some, rows, radii, np.zeros((some.size, len(Q))))
        if self.base.how[0] == GCN:
            for start in range(0, there.size, BLOCK):
                some = there[start : start + BLOCK]
                rows, radii = self._first(grown_changes, np.full(some.size, u), some, 0)
                self._settle_far(u, False, self.base.source[some], radii @ abs(Q).T - rows @ Q.T)

    def _first(
        self, kernel: Callable[..., None], owners: IntArray, slots: IntArray, at: int
    ) -> tuple[FloatArray, FloatArray]:
        """Changes of hidden rows after layer 1, and their radii, as views of scratch."""
        width, m = int(self.base.width[1]), slots.size
        rows, radii = (self._rows[at + i].reshape(-1)[: m * width].reshape(m, width) for i in (0, 1))
        scratch = self._scratch.reshape(-1)[: 4 * width].reshape(4, width)
        owners, slots = np.ascontiguousarray(owners), np.ascontiguousarray(slots)
        limits = self.each, self.rest, self.more
        kernel(self.lent, self.node, *limits, self.status, owners, slots, m, rows, radii, scratch)
        return rows, radii

    # --- three layers ---

    def _collect_three_layers(self, u: int) -> None:
        b, second = self.base, self.query.network.layers[1]
        width, gcn = int(b.width[2]), b.how[1] == GCN
        Q, reach = self._coefficients(u), self.norms.reach[1]
        may_go, _ = self._slots_into(u)
        room = int(count_slots(self.lent, u))
        lost, grown = np.empty((2, room), dtype=np.int64), np.empty((2, room), dtype=np.int64)
        spread = float(self.norms.spread[1])
        own = max(1.0, float(self.norms.own_spread[1]) / spread) if spread else 1.0
        scale = (1.0 if u == self.node else self._beta(u, 0)) * self._factor(u, self.each)
        found, found_grown, largest, largest_sum = screen(
            self.lent, self._lengths, self.node, u, self.each, self.rest, self.status, self.threshold, spread * scale,
            own, self.lost_cost, self.grown_cost, lost, grown, self._sums, self._touched,
        )  # fmt: skip
        # direct: exact rows of layer 1 first
        sent, own_rows = np.zeros((may_go.size, width)), np.zeros((may_go.size, width))
        radii = np.zeros((may_go.size, int(b.width[1])))
        for start in range(0, may_go.size, BLOCK):
            some = slice(start, min(start + BLOCK, may_go.size))
            rows, radius = self._first(lost_changes, np.full(may_go[some].size, u), may_go[some], 0)
            radii[some] = radius
            if gcn:
                np.matmul(rows, second.A.T, out=sent[some])
            if b.has_own[1]:
                np.matmul(rows, second.C.T, out=own_rows[some])
        peak, row = np.zeros(width), np.zeros(width)
        find_peak(self.lent, 1, self.node, u, self.each, may_go, may_go.size, sent, own_rows, peak, row)
        if may_go.size:
            peak += row_lengths(radii).max() * reach
        # what one edge can do at u: by itself (as a far one, at both its ends), and with all whose ends weigh more
        gone = np.maximum(peak, 2.0 * largest * reach)
        once = gone + 2.0 * largest_sum * reach
        others = self.more * gone
        P, spare = self._pulled_back(u, Q, self.budget * once)
        after = self._beta_at(1, u, self._most_at(u, self.each))
        for start in range(0, may_go.size, BLOCK):
            some = slice(start, min(start + BLOCK, may_go.size))
            m = some.stop - some.start
            change, radius = self._pair(2, m, width)
            scratch = self._scratch.reshape(-1)[: 2 * width].reshape(2, width)
            direct_changes(
                self.lent, 1, self.node, u, self.each, may_go[some], m, sent[some], own_rows[some],
                (self.each - 1) * peak,
                change, radius, scratch,
            )  # fmt: skip
            cost = radii[some] @ (abs(P[0]) + spare[0]).T * (after * after if gcn else 0.0)
            if b.has_own[1]:
                cost += radii[some] @ (abs(P[1]) + spare[1]).T
            self._settle_direct(u, may_go[some], change, radius, cost)
        both = np.stack([others, others + largest * reach])
        self._collect_far(u, lost[:, :found], True, both, P, spare)
        self._collect_far(u, grown[:, :found_grown], False, np.stack([self.budget * once] * 2), P, spare)

    def _beta_at(self, layer: int, v: int, k: int) -> float:
        return float(1 / np.sqrt(self.base.heard[v] - k + 1)) if self.base.how[layer] == GCN else 1.0

    def _alpha_at(self, layer: int, v: int, k: int) -> float:
        how, count = int(self.base.how[layer]), int(self.base.heard[v]) - k
        if how == GCN:
            return float(1 / np.sqrt(count + 1))
        return 1 / max(count, 1) if how == MEAN else 1.0

    def _pair(self, at: int, m: int, width: int) -> tuple[FloatArray, FloatArray]:
        rows, radii = (self._rows[at + i].reshape(-1)[: m * width].reshape(m, width) for i in (0, 1))
        return rows, radii

    def _pulled_back(self, u: int, Q: FloatArray, room: FloatArray) -> tuple[list[FloatArray], list[FloatArray]]:
        """What a small change of layer 1 makes of the margins through u: coefficients through A and through C, and how
        far each may be off because u's neurons bend anywhere within `room` of where they are.
        """
        b, layer = self.base, self.query.network.layers[1]
        slope = layer.negative_slopes
        z = self._pre_activation(u)
        low, high = np.where(z - room < 0, slope, 1.0), np.where(z + room > 0, 1.0, slope)
        middle, half = (low + high) / 2, (high - low) / 2
        pulled, spare = [], []
        for weight, used in ((layer.A, True), (layer.C, bool(b.has_own[1]))):
            pulled.append((Q * middle) @ weight if used else np.zeros((1, 1)))
            spare.append((abs(Q) * half) @ abs(weight) if used else np.zeros((1, 1)))
        return pulled, spare

    def _pre_activation(self, u: int) -> FloatArray:
        b, layer = self.base, self.query.network.layers[1]
        scale = self._alpha_at(1, u, 0)
        kept = scale if b.how[1] == GCN else 0.0
        z: FloatArray = scale * (self.view.row(1, GATHERED, u) + kept * self.view.row(1, SENT, u)) + layer.b
        return z + layer.C @ self.view.row(0, HIDDEN, u) if b.has_own[1] else z

    def _collect_far(
        self, u: int, found: IntArray, loses: bool, others: FloatArray, P: list[FloatArray], spare: list[FloatArray]
    ) -> None:
        b, second = self.base, self.query.network.layers[1]
        width, Q = int(b.width[2]), self._coefficients(u)
        alpha = self._alpha_at(1, u, max(self._most_at(u, self.rest if loses else self.each), 0))
        around = b.source[b.in_ptr[u] : b.in_ptr[u + 1]]
        for start in range(0, found.shape[1], BLOCK):
            owners, slots = found[:, start : start + BLOCK]
            m = slots.size
            rows, radii = self._first(lost_changes if loses else grown_changes, owners, slots, 0)
            sent, own = self._pair(2, m, width)
            np.matmul(rows, second.A.T, out=sent)
            own[:] = 0.0
            at_u = owners == u
            if b.has_own[1] and at_u.any():
                own[at_u] = rows[at_u] @ second.C.T
            change, radius = self._pair(4, m, width)
            # both ends of the edge send to u
            crossed = np.isin(b.source[slots], around, kind="sort").astype(np.int64)
            z = self._scratch.reshape(-1)[:width]
            far_changes(
                self.lent, 1, self.node, u, self.each, self.rest, np.ascontiguousarray(owners), m, int(loses), sent,
                own, crossed, others, change, radius, z,
            )  # fmt: skip
            charge = radius @ abs(Q).T - change @ Q.T
            weights = np.array([self._weight_of(u, w, alpha, loses) for w in owners.tolist()])
            charge += radii @ (abs(P[0]) + spare[0]).T * weights[:, None]
            if b.has_own[1] and at_u.any():
                charge[at_u] += radii[at_u] @ (abs(P[1]) + spare[1]).T
            self._settle_far(u, loses, slots if loses else b.source[slots], charge)

    def _weight_of(self, u: int, w: int, alpha: float, loses: bool) -> float:
        """What a change of w's hidden row weighs at u at most."""
        if w == u and self.base.how[1] != GCN:
            return 0.0
        return alpha * self._beta_at(1, w, max(self._most_at(w, self.each if loses else self.rest), 0))

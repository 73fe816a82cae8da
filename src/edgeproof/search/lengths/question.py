"""One question by lengths: a bound of what every edge can cost, and what that leaves in doubt, evaluated.

Theory: "Lengths alone".
"""

from __future__ import annotations

import numpy as np

from ...model.arrays import FloatArray, IntArray
from ..base.layout import GATHERED_ERROR, HIDDEN_ERROR, MAX, SENT_ERROR
from ..charges.ledger import Rows, largest_grown, list_edges, total_charges
from ..charges.norms import FAINT, ROUND_UP, row_lengths
from ..charges.question import Answer, Question
from ..charges.top import Bound
from .at_node import own_edges
from .pull_back import RANKS, pull_back, pull_back_largest

# What a cost multiplies, one magnitude a layer and a last one, stays below this. Then it is finite, and what underflows
# on the way is below FAINT, as where charges are bounded (norms.py).
LARGEST_COST = 2.0**500
# vertices between two looks at the clock
BLOCK = 1 << 13


class Listed:
    """The edges that bounds number, by one slot of each."""

    def __init__(self, slots: IntArray) -> None:
        self.slots = slots


class LengthQuestion(Question):
    """The same calls as `Question`, for networks of any depth and aggregation whose scores are linear. With one
    deletion every edge is bounded or evaluated; with more, what is in doubt beyond a list of sets stays open.
    """

    def _knows(self) -> bool:
        return self.base.L > 1 and not self.base.loop.any()

    def _solve(self, gone: tuple[int, ...], budget: int) -> Answer | None:
        found = self._look(())
        if found is not None or budget == 0:
            return found
        if not self.norms.largest <= LARGEST_COST ** (1.0 / (self.base.L + 1)):
            return self._answer(reason="rounding")
        margins, error = self._margins(())
        self.tolerance = 2.0 * error + (ROUND_UP - 1.0) * float(abs(margins).max()) + FAINT
        lost, grown = np.zeros(self.base.source.size), np.zeros(self.base.n)
        if not self._pull_back(budget, lost, grown):
            return self._answer(reason=self.alarm.reason)
        lost *= ROUND_UP
        grown *= ROUND_UP
        if not (np.isfinite(lost).all() and np.isfinite(grown).all()):
            return self._answer(reason="rounding")
        listed, bounds = self._bounds(budget, lost, grown, margins)
        doubtful = [bound for bound in bounds if not bound.left > self.tolerance]
        if not doubtful:
            return None
        return (budget > 1 and self._attack((), listed, doubtful, budget)) or self._evaluate((), doubtful, listed)

    def _pull_back(self, budget: int, lost: FloatArray, grown: FloatArray) -> bool:
        """Costs of all edges, for a margin whose rows of A and C have length 1. False if time is up."""
        b, norms = self.base, self.norms
        reach = np.zeros(b.n)
        reach[self.node] = 1.0
        width = int(b.width[:-1].max())
        top, row = np.zeros((RANKS + 1, width)), np.zeros(width)
        leader, gaps = np.zeros(width, dtype=np.int64), np.zeros(int(np.diff(b.in_ptr).max(initial=0)))
        for layer in range(b.L - 1, -1, -1):
            last, layer_of = layer == b.L - 1, self.query.network.layers[layer]
            bend = max(1.0, float(layer_of.steepest.max()))
            spread, own = (1.0, 1.0) if last else (float(norms.spread[layer]), float(norms.own_spread[layer]))
            own *= bool(layer_of.C.any())
            reach *= bend
            below, at_slots = np.zeros(b.n), lost[:0] if last else lost
            sent, gathered = self._lengths_at(layer, last)
            for start in range(0, b.n, BLOCK):
                stop = min(start + BLOCK, b.n)
                if not reach[start:stop].any():
                    continue
                about = self.evaluator.lent, layer, self.node, budget, start, stop, self.status
                if b.how[layer] == MAX:
                    pull_back_largest(*about, spread, own, reach, below, at_slots, top, leader, row, gaps)
                else:
                    pull_back(*about, sent, gathered, spread, own, reach, below, at_slots, grown)
                if self._late():
                    return False
            reach = below
        return True

    def _lengths_at(self, layer: int, last: bool) -> tuple[FloatArray, FloatArray]:
        """Of what A makes of rows; in the last layer, of the rows. With what rounding may add."""
        bounds, lengths, widths = self.base.bounds, self.norms.lengths, np.sqrt(self.base.width)
        gathered: FloatArray = lengths.gathered[layer] + widths[layer + 1] * bounds[layer, GATHERED_ERROR]
        if last:
            return lengths.hidden[layer - 1] + widths[layer] * bounds[layer - 1, HIDDEN_ERROR], gathered
        return lengths.sent[layer] + widths[layer + 1] * bounds[layer, SENT_ERROR], gathered

    def _bounds(
        self, budget: int, lost: FloatArray, grown: FloatArray, margins: FloatArray
    ) -> tuple[Listed, list[Bound]]:
        b, rivals = self.base, list(self.query.rivals)
        slots = np.empty(b.source.size, dtype=np.int64)
        reverse = self.edges.reverse
        count, into = list_edges(b.in_ptr, b.source, b.directed, self.near, b.L, self.node, reverse, self.status, slots)
        slots = slots[:count].copy()
        own = own_edges(self.query, b, budget)
        last, label = self.query.network.layers[-1], self.query.claim.label
        rows_of = [one[label] - one[rivals] for one in (last.A, last.C)]
        lengths = np.maximum(*(row_lengths(rows) for rows in rows_of))
        none, no_grown = Rows(b.source.size, 1), Rows(b.n, 1)
        found = []
        for at, margin in enumerate(margins.tolist()):
            out, length = np.empty(count), float(lengths[at])
            total_charges(
                b.source, b.directed, self.edges.target, slots, count, 0, length, lost, none.place, none.rows,
                grown, no_grown.place, no_grown.rows, reverse, out,
            )  # fmt: skip
            out[:into] += own[slots[:into] - b.in_ptr[self.node], at]
            first, second = largest_grown(self.near, b.L, 0, length, grown, no_grown.place, no_grown.rows)
            rest = first + (0.0 if b.directed else second)
            found.append(Bound(at, 0, budget, 1.0, margin, np.zeros(0), out * ROUND_UP, rest * ROUND_UP))
        return Listed(slots), found

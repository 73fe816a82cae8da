"""What a vertex can come to by flips around it: exactly where sets are few, in linear bounds where they are many.

An option bounds what the vertex then adds to logits and to leads. It is one set of flips, or, with linear bounds, any
set whose cost is no more than the option's.

Theory: "Values after every set of flips", "Linear bounds of a hidden row".
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import NamedTuple

import numpy as np

from ...arithmetic.attention import EXP_OFF, EXTRA, TINY, growth
from ...model.arrays import FloatArray, IntArray
from ...model.network import Layer
from .lines import line_bounds
from .messages import SAFETY, Messages
from .rows import LastRows
from .subsets import every_set

# sets of flips around one vertex that are looked at one by one
MOST_SETS = 2000
# logits so far below the largest lose their relative precision
LOWEST = -600.0
# of an activation, relative to its argument
BEND = 2.0**-48
# more than what adding up a few gains rounds
SAFETY_OF_SUMS = 1.0 + 2.0**-40


class FarApartError(Exception):
    """Logits around one vertex are too far apart for weights in floating point."""


class Around(NamedTuple):
    """Senders of one vertex under some decisions."""

    fixed: IntArray
    doubtful: IntArray
    there: IntArray
    costs: IntArray
    pairs: IntArray


class Options(NamedTuple):
    low: FloatArray  # (options, channels): what is added to logits as a sender
    high: FloatArray
    lead: FloatArray  # (options, rivals), at most
    to_low: FloatArray  # as a receiver
    to_high: FloatArray
    extra: FloatArray  # (options, rivals): what the receiver adds to every lead, at most
    cost: IntArray
    size: IntArray
    flips: Sequence[IntArray]  # of each option
    gains: FloatArray | None  # (doubtful, rivals) with linear bounds: what each flip adds to a lead, at most
    around: Around
    most: int

    def flips_of(self, option: int, rival: int, most: int) -> list[int]:
        """Pairs that an option stands for; with linear bounds, those that gain most."""
        if self.gains is None:
            flipped: list[int] = self.around.pairs[self.flips[option]].tolist()
            return flipped
        gains, left = self.gains[:, rival], int(self.cost[option])
        out: list[int] = []
        for at in np.argsort(-gains / self.around.costs).tolist():
            if gains[at] > 0.0 and self.around.costs[at] <= left and len(out) < most:
                out.append(int(self.around.pairs[at]))
                left -= int(self.around.costs[at])
        return out


class VertexBounds:
    """Makes options; knows nothing of who asks."""

    def __init__(self, layer: Layer, bends: FloatArray, messages: Messages, rows: LastRows, most_sets: int) -> None:
        attention = layer.attention
        assert attention is not None
        self._attention, self._bends, self._messages, self._rows = attention, bends, messages, rows
        is_plain = layer.A.shape[0] == layer.A.shape[1] and bool((np.eye(len(layer.A)) == layer.A).all())
        self._spread = np.zeros((0, 0)) if is_plain else layer.A.copy()
        self._norm = 1.0 if is_plain else float(abs(layer.A).sum(axis=1).max())
        self._is_plain, self._most_sets = is_plain, most_sets

    def make(self, v: int, around: Around, most: int, most_cost: int, *, is_target: bool) -> Options | None:
        """None where sets are too many and linear bounds do not apply."""
        doubtful, weights = self._weights(v, around)
        most = min(most, around.doubtful.size)
        rows = self._rows if is_target else _of_senders(self._rows)
        error = self._error(v, around)
        attends, sent = self._messages, self._messages.sent
        fixed = weights[: around.fixed.size]
        heads = self._attention.heads
        by_head = sent[around.fixed].reshape(-1, heads, self._attention.channels)
        sums = (fixed[:, :, None] * by_head).sum(axis=0).ravel()
        totals, messages = fixed.sum(axis=0), sent[around.doubtful]
        row_error = rows.norm * error
        if sum(comb(around.doubtful.size, k) for k in range(most + 1)) <= self._most_sets:
            room = self._most_sets
            out, flips = np.empty((room, len(rows.weight))), np.zeros((room, max(most, 1)), dtype=np.int64)
            size, cost = np.zeros(room, dtype=np.int64), np.zeros(room, dtype=np.int64)
            found = every_set(
                sums, totals, doubtful, messages, around.there, around.costs, most, most_cost, attends.own[v],
                self._spread, self._bends, int(self._attention.mean), rows.weight, rows.bias, out, flips, size, cost,
            )  # fmt: skip
            out, size = out[:found], size[:found].copy()
            listed = [flips[k, : size[k]].copy() for k in range(found)]
            return self._as_options(
                out - row_error, out + row_error, cost[:found].copy(), size, listed, None, around, most, rows
            )
        if not self._is_plain:
            return None
        count = around.doubtful.size
        base, pad = np.zeros(len(rows.weight)), np.zeros(count)
        up, down = np.zeros((count, base.size)), np.zeros((count, base.size))
        largest = float(attends.size[np.concatenate([around.fixed, around.doubtful])].max())
        line_bounds(
            sums, totals, doubtful, messages, around.there, most, attends.own[v], self._bends,
            int(self._attention.mean), rows.weight, rows.bias, largest, base, up, down, pad,
        )  # fmt: skip
        loose = pad[:, None] * rows.norm
        up, down = up + loose, down + loose
        costs = np.arange(most + 1) if is_target else np.arange(most_cost + 1)
        paid = np.ones(count, dtype=np.int64) if is_target else around.costs
        high = base + row_error + _largest_sums(up, paid, costs, most)
        low = base - row_error - _largest_sums(down, paid, costs, most)
        size = costs if is_target else np.zeros(costs.size, dtype=np.int64)
        gains = up[:, self._rows.channels : self._rows.channels + self._rows.rivals.size]
        return self._as_options(low, high, costs, size, [], gains, around._replace(costs=paid), most, rows)

    def _weights(self, v: int, around: Around) -> tuple[FloatArray, FloatArray]:
        """Of those in doubt, and of all, fixed ones first: relative to the largest of each head."""
        held, heads = self._messages, self._attention.heads
        every = np.concatenate([around.fixed, around.doubtful])
        added = (held.source[every] + held.target[v]).reshape(every.size, heads, -1)
        logits = (np.maximum(added, self._attention.slope * added) * held.factor).sum(axis=2)
        logits -= logits.max(axis=0)
        if not (logits >= LOWEST).all():
            raise FarApartError
        weights = np.exp(logits)
        return np.ascontiguousarray(weights[around.fixed.size :]), weights

    def _error(self, v: int, around: Around) -> float:
        """How far entries of the hidden row can be off, whatever flips, and what that makes of a row of norm 1."""
        held = self._messages
        every = np.concatenate([around.fixed, around.doubtful])
        largest = float(held.size[every].max())
        off = float(held.off[every].max() + held.off[v]) + EXP_OFF
        heads, channels = self._attention.heads, self._attention.channels
        terms = growth(2 * (every.size + heads) + EXTRA)
        gathered = SAFETY * (float(held.error[every].max()) + (np.expm1(2.0 * off) + 2.0 * terms) * largest)
        reach = self._norm * largest + float(abs(held.own[v]).max())
        rounding = growth(2 * heads * channels + EXTRA) * reach
        hidden = self._norm * gathered + float(held.own_error[v]) + rounding + BEND * (reach + 1.0) + TINY
        return float(SAFETY * (hidden + self._rows.loose * (reach + 1.0)))

    def _as_options(
        self,
        low: FloatArray,
        high: FloatArray,
        cost: IntArray,
        size: IntArray,
        flips: Sequence[IntArray],
        gains: FloatArray | None,
        around: Around,
        most: int,
        rows: LastRows,
    ) -> Options:
        L, R = rows.channels, rows.rivals.size
        to, extra = slice(L + R, 2 * L + R), slice(2 * L + R, None)
        packed = np.ascontiguousarray
        return Options(
            packed(low[:, :L]), packed(high[:, :L]), packed(high[:, L : L + R]), packed(low[:, to]),
            packed(high[:, to]), packed(high[:, extra]), cost, size, flips, gains, around, most,
        )  # fmt: skip


def _of_senders(rows: LastRows) -> LastRows:
    """Without what only a receiver adds."""
    kept = rows.channels + rows.rivals.size
    return rows._replace(weight=rows.weight[:kept], bias=rows.bias[:kept], norm=rows.norm[:kept])


def _largest_sums(gains: FloatArray, costs: IntArray, limits: IntArray, most: int) -> FloatArray:
    """(limits, rows): the most that `most` of the gains add up to where they cost 1 or 2, up to each limit."""
    positive = np.maximum(gains, 0.0)
    ones, twos = (-np.sort(-positive[costs == c], axis=0)[:most] for c in (1, 2))
    sums = [np.concatenate([np.zeros((1, gains.shape[1])), np.cumsum(one, axis=0)]) for one in (ones, twos)]
    out = np.zeros((limits.size, gains.shape[1]))
    for at, limit in enumerate(limits.tolist()):
        for a in range(min(len(sums[0]) - 1, limit, most) + 1):
            b = min(len(sums[1]) - 1, (limit - a) // 2, most - a)
            out[at] = np.maximum(out[at], sums[0][a] + sums[1][b])
    return out * SAFETY_OF_SUMS

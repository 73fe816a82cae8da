"""Insertions between vertices at distance depth - 1 at least, all at once: what an end adds, whoever the partner is.

Theory: "Insertions on the outskirts".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...model.arrays import FloatArray, IntArray
from .insertions import Insertions, through
from .intervals import go_down, most_between
from .raised import Raised
from .stand import activate


@dataclass(frozen=True)
class Outskirts:
    """Margins of a pair {x, y} of `ends` are at most `margins` plus the `gains` of both; of a pair with one end that is
    none of them, plus the gain of that one. Pairs are undirected.
    """

    ends: IntArray
    margins: FloatArray
    gains: FloatArray

    def partners(self, at: int, slack: float) -> IntArray:
        """Which ends an insertion with ends[at] may break the claim with."""
        sums = self.margins + self.gains[at] + self.gains
        found: IntArray = self.ends[~(sums + slack <= 0.0).all(axis=1)]
        return found

    def is_harmless(self, at: int, slack: float) -> bool:
        """Whether no partner makes ends[at] break the claim."""
        best = np.maximum(self.gains.max(axis=0), 0.0)
        return bool((self.margins + self.gains[at] + best + slack <= 0.0).all())


def survey(insertions: Insertions) -> Outskirts:
    stand, degrees = insertions.stand, insertions.degrees
    first, second, depth = insertions.first, insertions.second, stand.question.depth
    raised = Raised(stand, None)
    rim = np.arange(stand.count[depth - 2], stand.count[depth - 1])
    low, high = _passed_on(insertions, stand.order[rim])
    weight = stand.question.layers[second].A
    sent_low, sent_high = through(weight, low, high)
    held, more = stand.scales[second], stand.raised[second]
    before, after = held.beta[stand.order[rim], None], more.beta[stand.order[rim], None]
    now = before * (stand.passed[stand.order[rim]] @ weight.T)
    ranges = insertions.first_ranges(raised, 2)
    down, up = _heard(insertions, after * sent_low - now, after * sent_high - now)
    shaken = np.maximum(degrees.shaken[depth - 1], degrees.shaken[depth])
    ranges |= insertions.upper_ranges(raised, 2.0 * (down - shaken), 2.0 * (up + shaken))
    descent = go_down(stand, raised, ranges)
    local = np.arange(stand.count[depth - 2], stand.order.size)
    gains = np.zeros((local.size, raised.margins.size))
    passed = stand.passed[stand.order[rim]]
    gains[: rim.size] += most_between(descent.passed, rim, low - passed, high - passed)
    if degrees.works[second]:
        step = degrees.step[second][stand.order[rim], None]
        held_there = insertions.over_hearers(second, descent)
        gains[: rim.size] += most_between(held_there, rim, step * sent_high, step * sent_low)
    if degrees.works[first]:
        gains += insertions.over_hearers(first, descent).most_each(local, degrees.message[local])
    return Outskirts(stand.order[local], raised.margins, gains)


def _passed_on(insertions: Insertions, ys: IntArray) -> tuple[FloatArray, FloatArray]:
    """Range of what each y passes on to the second layer that hears, whoever is inserted there."""
    stand, question = insertions.stand, insertions.stand.question
    number, sent = insertions.first, question.sent
    more = stand.raised[number]
    messages = more.beta[:, None] * sent
    heard = stand.gathered[ys] + more.kept[ys, None] * sent[ys]
    own, alpha = question.own[ys], more.alpha[ys, None]
    low, high = own + alpha * (heard + messages.min(axis=0)), own + alpha * (heard + messages.max(axis=0))
    slope = question.layers[number].negative_slopes
    low, high = activate(low, slope), activate(high, slope)
    for layer in question.layers[number + 1 : insertions.second]:
        low, high = (activate(one + layer.b, layer.negative_slopes) for one in through(layer.C, low, high))
    return low, high


def _heard(insertions: Insertions, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The least and the most that one vertex of the rim adds at those that hear it."""
    stand, second = insertions.stand, insertions.second
    ptr, targets = insertions.hearers[second]
    source = np.repeat(np.arange(stand.order.size), np.diff(ptr))
    chosen = (source >= stand.count[stand.question.depth - 2]) & (source < stand.count[stand.question.depth - 1])
    row, target = source[chosen] - stand.count[stand.question.depth - 2], targets[chosen]
    alpha = stand.scales[second].alpha[stand.order[target], None]
    shape = (stand.count[stand.question.depth - 2], low.shape[1])
    least, most = np.zeros(shape), np.zeros(shape)
    np.minimum.at(least, target, alpha * low[row])
    np.maximum.at(most, target, alpha * high[row])
    return least, most

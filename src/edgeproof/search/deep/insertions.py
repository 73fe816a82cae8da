"""What one inserted pair may add, for all partners of a vertex at once.

Theory: "Single insertions through any depth".
"""

from __future__ import annotations

import numpy as np

from ...model.arrays import FloatArray, IntArray
from .degrees import Degrees
from .intervals import Coefficients, Descent, go_down, moved, slopes
from .raised import Raised
from .stand import Stand, sum_rows


class Insertions:
    """Insertions x -> w from one stand, w at distance depth - 2 or depth - 1 and x, if pairs are undirected, at
    distance depth - 1 at least: then x changes nothing by itself but through w and, by its degree, through those who
    hear it.
    """

    def __init__(self, stand: Stand) -> None:
        self.stand, self.degrees = stand, Degrees(stand)
        question = stand.question
        self.first, self.second = question.first, question.second
        self._prepare_hearers()

    def _prepare_hearers(self) -> None:
        """Local arcs sorted by their source, into where the first and the second layer matter; nobody hears itself."""
        stand, self.hearers = self.stand, {}
        for layer in (self.first, self.second):
            arcs = stand.arcs_into(layer)
            chosen = np.flatnonzero(~stand.to_itself[:arcs])
            chosen = chosen[np.argsort(stand.source[chosen], kind="stable")]
            ptr = np.searchsorted(stand.source[chosen], np.arange(stand.order.size + 1))
            self.hearers[layer] = ptr, stand.target[chosen]

    # --- what is known of both ends ---

    def at_ends(self, w: int, xs: IntArray, everybody: FloatArray) -> tuple[FloatArray, FloatArray]:
        """What w and x pass on to the second layer that hears, row by row for each x."""
        stand, question, layer = self.stand, self.stand.question, self.first
        sent, held, more = question.sent, stand.scales[layer], stand.raised[layer]
        factor = held.beta[xs] if stand.directed else more.beta[xs]
        heard = stand.gathered[w] + more.kept[w] * sent[w] + factor[:, None] * sent[xs]
        at_w = stand.pass_on(question.own[w] + more.alpha[w] * heard)
        if stand.directed:
            return at_w, everybody[xs]
        heard = stand.gathered[xs] + more.kept[xs, None] * sent[xs] + more.beta[w] * sent[w]
        return at_w, stand.pass_on(question.own[xs] + more.alpha[xs, None] * heard)

    # --- how far values may move ---

    def first_ranges(self, raised: Raised, ends: int = 1) -> dict[int, tuple[FloatArray, FloatArray]]:
        """Where only the degree of x is felt, or those of several such ends."""
        stand, question = self.stand, self.stand.question
        low, high, found = ends * self.degrees.low, ends * self.degrees.high, {}
        for number in range(self.first, self.second):
            layer, pre = question.layers[number], raised.pre[number]
            if number > self.first:
                low, high = through(layer.C, low, high)
            found[number] = slopes(pre, low, high, layer.negative_slopes, stand.errors[number])
            low, high = (moved(pre, one, layer.negative_slopes) for one in (low, high))
        return found

    def _second_box(
        self, w: int, xs: IntArray, raised: Raised, change: FloatArray, sent: FloatArray, before: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Of pre-activations of the second layer that hears. `change`: of what w passes on; `sent`: what x sends there
        now, `before`: in the stand; each a row for every x.
        """
        stand, number = self.stand, self.second
        layer = stand.question.layers[number]
        distances = np.unique(np.clip(stand.near[xs], None, stand.question.depth))
        size = stand.count[stand.question.depth - 2]
        high = np.zeros((size, layer.width_out))
        for distance in distances:
            high = np.maximum(high, self.degrees.shaken[int(distance)]) if not stand.directed else high
        low = -high
        at = stand.place[w]
        down, up = _hull(change @ layer.A.T)
        arcs = stand.arcs_into(number)
        for k in np.flatnonzero(stand.source[:arcs] == at):
            low[stand.target[k]] += raised.weight[number][k] * down
            high[stand.target[k]] += raised.weight[number][k] * up
        if at < size:
            down, up = _hull(change @ layer.C.T)
            other_down, other_up = _hull(raised.scales[number].alpha[at] * sent)
            low[at] += down + other_down
            high[at] += up + other_up
        if not stand.directed:
            self._heard_before(xs, sent - before, low, high)
        return low, high

    def _heard_before(self, xs: IntArray, change: FloatArray, low: FloatArray, high: FloatArray) -> None:
        """Those that hear x already hear it otherwise."""
        stand = self.stand
        row = np.full(stand.order.size, -1)
        local = stand.place[xs]
        row[local[local >= 0]] = np.flatnonzero(local >= 0)
        ptr, targets = self.hearers[self.second]
        source = np.repeat(np.arange(stand.order.size), np.diff(ptr))
        chosen = row[source] >= 0
        source, target = source[chosen], targets[chosen]
        felt = stand.scales[self.second].alpha[stand.order[target], None] * change[row[source]]
        least, most = np.zeros_like(low), np.zeros_like(high)
        np.minimum.at(least, target, felt)
        np.maximum.at(most, target, felt)
        low += least
        high += most

    def upper_ranges(
        self, raised: Raised, low: FloatArray, high: FloatArray
    ) -> dict[int, tuple[FloatArray, FloatArray]]:
        """From the second layer that hears on."""
        stand, question, found = self.stand, self.stand.question, {}
        for number in range(self.second, len(question.layers)):
            layer, pre = question.layers[number], raised.pre[number]
            if number > self.second:
                size = pre.shape[0]
                down, up = through(layer.C, low[:size], high[:size])
                if question.hears(number):
                    arcs = stand.arcs_into(number)
                    ptr, weight = stand.ptr[: size + 1], raised.weight[number][:, None]
                    below, above = through(layer.A, low, high)
                    down += sum_rows(ptr, weight * below[stand.source[:arcs]])
                    up += sum_rows(ptr, weight * above[stand.source[:arcs]])
                low, high = down, up
            found[number] = slopes(pre, low, high, layer.negative_slopes, stand.errors[number])
            low, high = (moved(pre, one, layer.negative_slopes) for one in (low, high))
        return found

    # --- the bound ---

    def bound(self, w: int, xs: IntArray, raised: Raised | None = None) -> FloatArray:
        """Of each x in xs: no margin is larger with x -> w inserted, up to the error of the last layer."""
        stand, number = self.stand, self.second
        raised = raised or Raised(stand, w)
        everybody = raised.everybody()
        at_w, at_x = self.at_ends(w, xs, everybody)
        change = at_w - everybody[w]
        held, more = stand.scales[number], stand.raised[number]
        factor = held.beta[xs] if stand.directed else more.beta[xs]
        A = stand.question.layers[number].A
        sent = factor[:, None] * (at_x @ A.T)
        before = held.beta[xs, None] * (everybody[xs] @ A.T)
        ranges = self.first_ranges(raised)
        ranges |= self.upper_ranges(raised, *self._second_box(w, xs, raised, change, sent, before))
        descent = go_down(stand, raised, ranges)
        at = stand.place[w]
        total = raised.margins + descent.passed.most(at, change)
        if at < descent.heard.middle.shape[0]:
            total += descent.heard.most(at, raised.scales[number].alpha[at] * sent)
        if not stand.directed:
            total += self._of_partner(xs, descent, at_x, at_x - everybody[xs])
        bound: FloatArray = total.max(axis=1)
        return bound

    def _of_partner(self, xs: IntArray, descent: Descent, at_x: FloatArray, change: FloatArray) -> FloatArray:
        """What x adds at those that hear it in the stand."""
        stand, out = self.stand, np.zeros((xs.size, self.stand.question.rows.shape[0]))
        local, depth = stand.place[xs], stand.question.depth
        inside = np.flatnonzero((local >= 0) & (local < stand.count[depth - 1]))
        out[inside] += descent.passed.most_each(local[inside], change[inside])
        if self.degrees.works[self.second] and inside.size:
            rows = self.degrees.step[self.second][xs[inside], None] * at_x[inside]
            rows = rows @ stand.question.layers[self.second].A.T
            out[inside] += self.over_hearers(self.second, descent).most_each(local[inside], rows)
        some = np.flatnonzero(local >= 0)
        if self.degrees.works[self.first] and some.size:
            rows = self.degrees.message[local[some]]
            out[some] += self.over_hearers(self.first, descent).most_each(local[some], rows)
        return out

    def over_hearers(self, layer: int, descent: Descent) -> Coefficients:
        """Of what a vertex sends at this layer, times its factor: summed over all that hear it in the stand."""
        held = descent.first if layer == self.first else descent.heard
        ptr, targets = self.hearers[layer]
        return held.gathered(ptr, targets, self.stand.scales[layer].alpha[self.stand.order[targets]])


def _hull(rows: FloatArray) -> tuple[FloatArray, FloatArray]:
    return rows.min(axis=0, initial=0.0), rows.max(axis=0, initial=0.0)


def through(weight: FloatArray, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Range of weight @ d for rows d between low and high."""
    middle, radius = 0.5 * (low + high) @ weight.T, 0.5 * (high - low) @ abs(weight).T
    return middle - radius, middle + radius

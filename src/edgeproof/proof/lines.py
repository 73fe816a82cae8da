"""Lines: linear upper bounds in the flips, with one budget for all vertices and layers (docs/proofs.md, "Lines").

A pass takes rows of coefficients on pre-activations, each at one vertex and for one node of the tree, and walks down
the stages. For every row it finds const and gains with

    row . p  <=  const + sum over movable pairs of gain[pair] * flip[pair]        in every graph below its node,

up to `error`, which bounds the rounding of the pass. Rows of different vertices and nodes go side by side.

A gain asks what a neighbour sends at its worst. A pass of its own that starts at the neighbour answers better than its
box does, with one flip less to spend: the one whose gain it is. Inside such a pass, others start at the first stage.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..model.arrays import BoolArray, FloatArray, IntArray
from ..model.network import Aggregation
from .boxes import Box, Carried, activate, is_wide
from .chain import Kind
from .enclose import FAINT, Enclosure
from .means import mean_gains
from .setting import MOVABLE, PRESENT, Batch, Setting
from .spend import Line, spend
from .stars import Stars

ROWS = 2048  # rows of one pass: bounds its memory


class Rows(NamedTuple):
    """Coefficients at one vertex: which rows have any, and what they are."""

    rows: IntArray  # (k,) ascending
    on: FloatArray  # (k, D)


class Pass:
    """Walks from coefficients down to the flips. What rows of one node share is kept: boxes below a stage do not change
    while passes start at it.
    """

    def __init__(self, enclosure: Enclosure, batch: Batch, boxes: list[Box], values: list[FloatArray]) -> None:
        """boxes[t]: of the pre-activations of stage t; values[t]: of the grounding (only a max looks at them)."""
        self.enclosure, self.batch, self.boxes, self.values = enclosure, batch, boxes, values
        self.setting: Setting = enclosure.setting
        self.inside = False  # of another pass
        self._chords: dict[int, Chords] = {}
        self._features: dict[int, Box] = {}
        self._stars: dict[tuple[int, int], Stars] = {}
        self._carried: dict[int, Carried] = {}

    def _inside(self) -> Pass:
        """A pass that starts within this one."""
        inner = Pass(self.enclosure, self.batch, self.boxes, self.values)
        inner.inside = True
        inner._chords, inner._features = self._chords, self._features
        inner._stars, inner._carried = self._stars, self._carried
        return inner

    def descend(self, top: int, node: IntArray, start: IntArray, coefficients: FloatArray) -> Line:
        """Row r: coefficients[r] on the pre-activation of stage `top` at vertex start[r], below node[r]."""
        setting = self.setting
        R = len(node)
        self.node = node
        self.const, self.size, self.additions = np.zeros(R), np.zeros(R), np.zeros(R)
        self.gains = np.zeros((R, setting.region.F))
        on = {}
        for v in np.unique(start).tolist():
            rows = np.flatnonzero(start == v)
            on[v] = Rows(rows, coefficients[rows])
        for t in range(top, 0, -1):
            self.below: dict[int, list[Rows]] = {}
            for v, held in on.items():
                self._step(t, v, held)
            on = {u: self._relax(t - 1, u, _merge(parts)) for u, parts in self.below.items()}
        # the sums that run through the whole pass round once more at every addition
        unit = self.enclosure.unit * (1.0 + self.additions / self.enclosure.roundings)
        return Line(self.const, self.gains, self.size * unit + FAINT)

    def relaxed_start(self, node: IntArray, coefficients: FloatArray) -> tuple[FloatArray, FloatArray]:
        """From coefficients on what the last stage gives to coefficients on its pre-activation, and the constant."""
        return self.chords(self.setting.T).apply(node, 0, coefficients)

    def _pass_on(self, u: int, rows: IntArray, on: FloatArray) -> None:
        if len(rows):
            self.below.setdefault(u, []).append(Rows(rows, on))

    def _step(self, t: int, v: int, held: Rows) -> None:
        """From p_t(v) = C h(v) + A agg + b to what stage t - 1 gives, the constant and the gains."""
        setting, stage = self.setting, self.setting.stage(t)
        rows, on = held
        around = setting.region.ptr[v + 1] - setting.region.ptr[v] if stage.kind is Kind.GRAPH else setting.region.n
        self.size[rows] += abs(on) @ self.enclosure.line_size[t][v]
        self.additions[rows] += 4.0 + around
        if t == 1:
            self.const[rows] += on @ setting.own[v]
        else:
            self.const[rows] += on @ stage.b
            self._pass_on(v, rows, on @ stage.C)
        if stage.kind is Kind.POOL:
            self._step_pool(t, rows, on @ stage.A)
        elif stage.kind is Kind.GRAPH and around:
            if stage.how is not Aggregation.MAX:
                self._step_sum(t, v, rows, on)
            elif t > 1:
                self._step_max(t, v, rows, on @ stage.A)
            elif setting.raw[v].uniform:
                self._step_carried(v, rows, on)
            else:
                self._step_raw(v, rows, on @ setting.raw[v].weight.T)

    def _slots(self, v: int) -> slice:
        return slice(int(self.setting.region.ptr[v]), int(self.setting.region.ptr[v + 1]))

    def _add_gains(self, v: int, rows: IntArray, gains: FloatArray) -> None:
        """gains: (k, slots into v); 0 where a slot does not move."""
        region = self.setting.region
        pairs = region.pair[region.ptr[v] : region.ptr[v + 1]]
        fragile = np.flatnonzero(pairs < region.F)
        self.gains[np.ix_(rows, pairs[fragile])] += gains[:, fragile]

    def features(self, t: int) -> Box:
        """Centre and radius of the box of h_t."""
        if t not in self._features:
            slope = self.setting.stage(t).slope
            low, high = (activate(end, slope) for end in self.boxes[t])
            self._features[t] = 0.5 * (low + high), 0.5 * (high - low)
        return self._features[t]

    def chords(self, t: int) -> Chords:
        if t not in self._chords:
            self._chords[t] = Chords(self.boxes[t], self.setting.stage(t).slope)
        return self._chords[t]

    def _step_sum(self, t: int, v: int, rows: IntArray, on: FloatArray) -> None:
        """Sum and mean: a deletion gains minus what was sent, an insertion what is sent, each at its worst."""
        setting, node = self.setting, self.node[rows]
        sources, status = setting.region.source[self._slots(v)], self.batch.status[node, self._slots(v)]
        there, moves = (status & PRESENT) != 0, (status & MOVABLE) != 0
        mean = setting.stage(t).how is Aggregation.MEAN
        share = 1.0 / np.maximum(there.sum(axis=1), 1)
        if t == 1:
            low = high = on @ setting.sent[sources].T
            total = (high * there).sum(axis=1)
            self.const[rows] += share * total if mean else total
        else:
            a = on @ setting.stage(t).A
            passed = share[:, None] * a if mean else a
            for k, u in enumerate(sources.tolist()):
                some = there[:, k]
                if some.all():
                    self._pass_on(u, rows, passed)
                elif some.any():
                    self._pass_on(u, rows[some], passed[some])
            if not moves.any():
                return
            centre, radius = self.features(t - 1)
            where = node[:, None], sources[None]
            middle = np.einsum("kd,ksd->ks", a, centre[where])
            spread = np.einsum("kd,ksd->ks", abs(a), radius[where])
            low, high = middle - spread, middle + spread
            self._narrow_ends(t, v, rows, a, low, high)
        if mean:
            gains = mean_gains(low, high, there, moves, self.batch.cap[node, v])
        else:
            gains = np.where(there, -low, high) * moves
        self._add_gains(v, rows, gains)

    def _narrows(self, t: int) -> bool:
        """As the search does: with other gains there would be other boxes, and narrower ones may give worse lines."""
        return self.setting.query.claim.node is not None and (not self.inside or t == 2)

    def _moving(self, t: int, u: int) -> BoolArray:
        """(B,): where h_t(u) can move, by its box."""
        low, high = (end[:, u] for end in self.boxes[t])
        felt: BoolArray = (is_wide(low, high) & ((high > 0.0) | (self.setting.stage(t).slope != 0.0))).any(axis=1)
        return felt

    def _bound_sent(self, t: int, v: int, asked: list[Rows], sources: list[int]) -> list[FloatArray]:
        """The most that on . h_t(u) can be in graphs where some pair at v is flipped, for asked[0] with u = sources[0],
        and so on: one pass for all, they go side by side.
        """
        region, stage = self.setting.region, self.setting.stage(t)
        node = self.node[np.concatenate([one.rows for one in asked])]
        start = np.repeat(np.array(sources, dtype=np.int64), [len(one.rows) for one in asked])
        on, const = np.concatenate([one.on for one in asked]), np.zeros(len(node))
        if not stage.linear:
            on, const = self.chords(t).apply(node, start, on)
        out = np.zeros(len(node))
        for begin in range(0, len(node), ROWS):
            some = slice(begin, begin + ROWS)
            line = self._inside().descend(t, node[some], start[some], on[some])
            total = line.const + const[some]
            line = line._replace(const=total, error=line.error + abs(total) * 2.0**-52)
            pairs = region.pair[self._slots(v)]
            # a pair that moves u too may count among those that are spent
            apart = (line.gains[:, pairs[pairs < region.F]] <= 0.0).all(axis=1)
            out[some] = spend(self.batch, region.ends[:, 1], node[some], line, np.where(apart, 1, 0))
        return np.split(out, np.cumsum([len(one.rows) for one in asked])[:-1])

    def _narrow_ends(self, t: int, v: int, rows: IntArray, a: FloatArray, low: FloatArray, high: FloatArray) -> None:
        """In place. A sum asks for the worse end only, a mean for both."""
        if not self._narrows(t):
            return
        node = self.node[rows]
        status = self.batch.status[node, self._slots(v)]
        there, moves = (status & PRESENT) != 0, (status & MOVABLE) != 0
        mean = self.setting.stage(t).how is Aggregation.MEAN
        asked, sources, ends = [], [], []
        for k, u in enumerate(self.setting.region.source[self._slots(v)].tolist()):
            felt = self._moving(t - 1, u)[node] & (self.batch.cap[node, v] > 0)
            both = felt & (there[:, k] | moves[:, k]) if mean else np.zeros(len(rows), dtype=np.bool_)
            for end, wanted in ((low, there[:, k]), (high, ~there[:, k])):
                some = np.flatnonzero(both | (felt & moves[:, k] & wanted))
                if len(some):
                    asked.append(Rows(rows[some], a[some] if end is high else -a[some]))
                    sources.append(u)
                    ends.append((end, some, k))
        bounds = self._bound_sent(t - 1, v, asked, sources) if asked else []
        for (end, some, k), bound in zip(ends, bounds, strict=True):
            end[some, k] = np.minimum(end[some, k], bound) if end is high else np.maximum(end[some, k], -bound)

    def _narrow_losses(self, t: int, v: int, rows: IntArray, a: FloatArray, stars: Stars, gains: FloatArray) -> None:
        """In place: what changes when a slot is deleted, in all coordinates whose lines it carries. Below, h falls to
        no less than the floor; above, slope h + rise falls to no more than the second largest.
        """
        if not self._narrows(t):
            return
        node = self.node[rows]
        up, down = np.maximum(a, 0.0), np.minimum(a, 0.0)
        above, below = stars.above[node], stars.below[node]
        asked, sources, known, where = [], [], [], []
        for k, u in enumerate(self.setting.region.source[self._slots(v)].tolist()):
            goes = (stars.there & stars.moves)[node, k] & (self.batch.cap[node, v] > 0) & self._moving(t - 1, u)[node]
            lost = down * ((below == k) & (stars.loss[node] > 0.0))
            some = np.flatnonzero(goes & lost.any(axis=1))
            if not len(some):
                continue
            lost, paid, at = lost[some], (up * (above == k))[some], node[some]
            second = np.where(paid > 0.0, stars.second[at], 0.0)
            terms = lost * stars.floor[at], paid * stars.rise[at], paid * second
            size = sum(abs(term).sum(axis=1) for term in terms)
            known.append((terms[0] - terms[1] + terms[2]).sum(axis=1) + size * (a.shape[1] + 8) * 2.0**-50)
            asked.append(Rows(rows[some], -lost - paid * stars.slope[at]))
            sources.append(u)
            where.append((some, k))
        bounds = self._bound_sent(t - 1, v, asked, sources) if asked else []
        for (some, k), number, bound in zip(where, known, bounds, strict=True):
            total = bound + number + (abs(bound) + abs(number)) * 2.0**-50
            gains[some, k] = np.minimum(gains[some, k], total)

    def _step_pool(self, t: int, rows: IntArray, a: FloatArray) -> None:
        """The readout: every vertex is there."""
        stage, n = self.setting.stage(t), self.setting.region.n
        if stage.how is Aggregation.MAX:
            everyone = np.full((self.batch.size, n), PRESENT, dtype=np.int8)
            self._carry_max(range(n), rows, a, self._find_stars(t, 0, np.arange(n), everyone))
            return
        share = 1.0 / n if stage.how is Aggregation.MEAN else 1.0
        for u in range(n):
            self._pass_on(u, rows, share * a)

    def _find_stars(self, t: int, v: int, sources: IntArray, status: np.ndarray) -> Stars:
        if (t, v) not in self._stars:
            slope = self.setting.stage(t - 1).slope
            low, high = (activate(end[:, sources], slope) for end in self.boxes[t - 1])
            # where nobody can go, the lower end that is largest is the best line below
            now = low if self.setting.stage(t).kind is Kind.POOL else self.values[t - 1][:, sources]
            self._stars[t, v] = Stars(low, high, now, status, self.batch.cap[:, v])
        return self._stars[t, v]

    def _step_max(self, t: int, v: int, rows: IntArray, a: FloatArray) -> None:
        sources = self.setting.region.source[self._slots(v)]
        stars = self._find_stars(t, v, sources, self.batch.status[:, self._slots(v)])
        self._carry_max(sources.tolist(), rows, a, stars)
        gains = stars.gains(self.node[rows], a)
        self._narrow_losses(t, v, rows, a, stars, gains)
        self._add_gains(v, rows, gains)

    def _carry_max(self, sources: range | list[int], rows: IntArray, a: FloatArray, stars: Stars) -> None:
        """Coefficients go to the slots that carry the lines of a max."""
        node = self.node[rows]
        up, down = np.maximum(a, 0.0), np.minimum(a, 0.0)
        self.const[rows] += (up * stars.rise[node]).sum(axis=1)
        sloped, above, below = up * stars.slope[node], stars.above[node], stars.below[node]
        for k, u in enumerate(sources):
            on = sloped * (above == k) + down * (below == k)
            some = on.any(axis=1)
            if some.any():
                self._pass_on(u, rows[some], on[some])

    def _step_raw(self, v: int, rows: IntArray, a: FloatArray) -> None:
        """A max over features: the slots' rows are numbers."""
        node = self.node[rows]
        if (1, v) not in self._stars:
            x = np.broadcast_to(self.setting.raw[v].x, (self.batch.size, *self.setting.raw[v].x.shape))
            self._stars[1, v] = Stars(x, x, x, self.batch.status[:, self._slots(v)], self.batch.cap[:, v])
        stars = self._stars[1, v]
        above, below = stars.carried_values()
        up, down = np.maximum(a, 0.0), np.minimum(a, 0.0)
        self.const[rows] += (up * (stars.rise + stars.slope * above)[node] + down * below[node]).sum(axis=1)
        self._add_gains(v, rows, stars.gains(node, a))

    def _step_carried(self, v: int, rows: IntArray, on: FloatArray) -> None:
        """0/1 features: a column that hangs on one slot is linear in its flip. In a crowd of c that may all go, its
        share is at least 1 - flips / c and at most 1; in one that may only come, at least flips / c and at most their
        sum.
        """
        if v not in self._carried:
            status = self.batch.status[:, self._slots(v)]
            self._carried[v] = Carried(self.setting.raw[v], status, self.batch.cap[:, v])
        held = self._carried[v]
        node = self.node[rows]
        status = self.batch.status[node, self._slots(v)]
        there, moves = (status & PRESENT) != 0, (status & MOVABLE) != 0
        numbers = np.einsum("kd,ksd->ks", on, held.sent[node])
        self.const[rows] += (numbers * there).sum(axis=1) + (on * held.const[node]).sum(axis=1)
        gains = np.where(there, -numbers, numbers) * moves
        if held.worth.shape[1]:
            worth = np.einsum("kd,kgd->kg", on, held.worth[node])
            goes, comes, crowd = held.goes[node], held.comes[node], held.crowd[node]
            leaving = np.where(goes > 0, np.maximum(-worth, 0.0) / np.maximum(goes, 1), 0.0)
            coming = np.maximum(worth, 0.0) + np.minimum(worth, 0.0) / np.maximum(comes, 1)
            coming = np.where(goes == 0, coming, 0.0)
            gains = gains + np.einsum("kg,ksg->ks", leaving, crowd & there[..., None])
            gains = gains + np.einsum("kg,ksg->ks", coming, crowd & ~there[..., None])
        self._add_gains(v, rows, gains)

    def _relax(self, t: int, u: int, held: Rows) -> Rows:
        """From coefficients on h_t(u) to coefficients on p_t(u)."""
        if t == 0 or self.setting.stage(t).linear:
            return held
        on, const = self.chords(t).apply(self.node[held.rows], u, held.on)
        self.const[held.rows] += const
        self.additions[held.rows] += 1.0
        return Rows(held.rows, on)


class Chords:
    """An activation of negative slope k on [low, high]: above it the line through its ends, below it slope 1 or k,
    whichever is closer. Any float slope will do as long as the constant puts the line on the right side.
    """

    def __init__(self, box: Box, k: FloatArray) -> None:
        low, high = box
        bends = (low < 0.0) & (high > 0.0) & (k < 1.0)
        chord = (high - k * low) / np.where(bends, high - low, 1.0)
        self.rise = np.where(bends, np.maximum(k * low - chord * low, high - chord * high), 0.0)
        straight = np.where((high <= 0.0) & (low < 0.0), k, 1.0)
        self.upper = np.where(bends, chord, straight)
        self.lower = np.where(bends, np.where(high > -low, 1.0, k), straight)

    def apply(self, node: IntArray, u: IntArray | int, on: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Coefficients on the pre-activation of vertex u (of u[r] in row r), and what goes to the constant."""
        up, down = np.maximum(on, 0.0), np.minimum(on, 0.0)
        const = np.einsum("kd,kd->k", up, self.rise[node, u])
        return up * self.upper[node, u] + down * self.lower[node, u], const


def _merge(parts: list[Rows]) -> Rows:
    """The sum of what several vertices passed on."""
    if len(parts) == 1:
        return parts[0]
    rows, at = np.unique(np.concatenate([part.rows for part in parts]), return_inverse=True)
    on = np.zeros((len(rows), parts[0].on.shape[1]))
    begin = 0
    for part in parts:
        on[at[begin : begin + len(part.rows)]] += part.on  # rows of one part differ
        begin += len(part.rows)
    return Rows(rows, on)

"""The bound of one shape of attack under layers that take a max: what `budget/shape.py` is for sums, means and GCN.

A shape is (i, k, joins, cuts): insertions and deletions at the node, insertions and deletions elsewhere. What
newcomers, deletions and flips at in-neighbours add is bounded one by one; sums of these bounds hold
(docs/theory/maxima.md), and the program that shares the budget is the same.

Theory: "What flips add to a margin under a max".
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...model.arrays import FloatArray, IntArray
from ..budget.layout import MAX, NEVER_WORTH, Pass, Stand, Tables
from ..jit.by_address import Bundle
from .gains import Gain, linear, newcomer, old_neighbour
from .setting import MaxQuestion, scale_of
from .sharing import enter, leave, share_out, spend_without
from .vertex import Items, Vertices

# newcomers whose flips are gone through one by one
MOST_REFINED = 48
# bytes of items that are kept from one rival to the next; those of other in-neighbours are made again
MOST_HELD = 1 << 27
Shape = tuple[int, int, int, int]


class ShapeBound:
    """Fills the tables of one shape where the stand is; in-neighbours of the node are `near`."""

    def __init__(
        self,
        vertices: Vertices,
        found: Pass,
        tables: Tables,
        lent: tuple[Bundle, Bundle, Bundle, Bundle],
        shape: Shape,
        look: Callable[[], None],
    ) -> None:
        self._look_at_clock = look
        self.vertices, self.found, self.tables, self.lent = vertices, found, tables, lent
        self.question: MaxQuestion = vertices.question
        self.stand: Stand = vertices.stand
        self.i, self.k, self.joins, self.cuts = shape
        self.m = self.joins + self.cuts
        star = self.question.star
        self.both = 0 if star.directed else 1
        self.count = int(enter(*lent[:3]))
        self.near = found.near[: self.count].copy()
        node, after = star.node, self.count + self.i - self.k
        self.last = float(scale_of(star.last, after)) if star.last != MAX else 1.0
        self.z_node = vertices.pre(node, self.i - self.k)
        self.at_node = vertices.items(node, self.i, self.k, after)
        up, down = self.at_node.reach(self.i, self.k)
        self.box_node = self.z_node - down, self.z_node + up
        self.z = np.array([vertices.pre(int(w)) for w in self.near]).reshape(self.count, star.H)
        self.h = np.maximum(self.z, 0.0) + star.slope * np.minimum(self.z, 0.0)
        self._find_tops()
        self._held = 0
        self._splits: dict[int, list[tuple[int, int, FloatArray, Items, FloatArray, FloatArray]]] = {}
        self.pres = vertices.as_newcomers() if self.i else np.zeros((0, star.H))
        self.inside = np.zeros(star.n, dtype=np.bool_)
        if self.both:
            self.inside[self.near] = True

    def close(self) -> None:
        leave(*self.lent[:3], self.count)

    def _find_tops(self) -> None:
        """Of a last layer that takes a max: the largest a coordinate, whose it is, and how far it can fall if so many
        in-neighbours go or change.
        """
        H = self.question.star.H
        self.top, self.whose = np.zeros(H), np.full(H, -1)
        self.fall = np.zeros(H)
        if not self.count:
            return
        touched = min(self.k + self.m * (1 + self.both), self.count)
        ordered = -np.sort(-self.h, axis=0)
        self.top, self.whose = ordered[0], self.h.argmax(axis=0)
        self.fall = ordered[0] - (ordered[touched] if touched < self.count else 0.0)

    # --- the parts of one rival ---

    def bound(self, r: int, floor: float) -> float:
        """Also fills total (i > 0) or worth (i + k == 0) where the bound is above `floor`."""
        star, tables = self.question.star, self.tables
        take, keep = star.take[r], linear(star.keep[r], star.slope)
        start = float(star.const[r] + keep.value(self.z_node))
        if star.last == MAX:
            start += float(take @ self.top)
            tables.term[: self.count] = 0.0
        else:
            tables.term[: self.count] = self.last * (self.h @ take)
            start += float(tables.term[: self.count].sum())
        at_node = keep.by_item(self.z_node, self.at_node, *self.box_node, self.i + self.k == 1)
        tables.psi[: self.count] = NEVER_WORTH
        for at in range(self.count if self.m else 0):
            self._fill_psi(at, take)
        self._fill_gone(take, at_node)
        if self.i:
            self._fill_newcomers(take, at_node)
        reached = self._share_out(start)
        if reached > floor and self.i and self.m and self._refine(take, floor):
            reached = self._share_out(start)
        if reached > floor and not self.i + self.k:
            self._fill_worth(take, start)
        self.start = start
        return reached

    def _share_out(self, start: float) -> float:
        return float(share_out(*self.lent, self.count, self.i, self.k, self.m, start))

    def _gain_of_old(self, at: int, take: FloatArray) -> Gain:
        star = self.question.star
        if star.last != MAX:
            return linear(self.last * take, star.slope)
        return old_neighbour(take, self.top, self.fall, self.h[at], self.whose == at)

    def _fill_gone(self, take: FloatArray, at_node: FloatArray) -> None:
        gone = self.tables.gone
        gone[: self.count] = 0.0
        place = {int(w): at for at, w in enumerate(self.near)}
        for x, gain in zip(self.at_node.who[self.at_node.inserted :], at_node[self.at_node.inserted :], strict=True):
            at = place[int(x)]
            gone[at] = gain - self.tables.term[at]
            if self.question.star.last == MAX:
                gone[at] += np.maximum(-take, 0.0)[self.whose == at] @ self.fall[self.whose == at]

    def _splits_at(self, at: int) -> list[tuple[int, int, FloatArray, Items, FloatArray, FloatArray]]:
        """Of an in-neighbour, for every number of insertions and deletions: its pre-activation without the messages of
        these, the flips, and the box of what they reach.
        """
        if at in self._splits:
            return self._splits[at]
        self._look_at_clock()
        w, stand, found = int(self.near[at]), self.stand, []
        come, go = self.vertices.allowed(w)
        heard = int(stand.heard[w])
        for size in range(1, min(self.m, int(stand.spare[w])) + 1):
            for a in range(size + 1):
                c = size - a
                if a > min(self.joins, come.size) or c > min(self.cuts, go.size):
                    continue
                z = self.vertices.pre(w, a - c)
                items = self.vertices.items(w, a, c, heard + a - c)
                up, down = items.reach(a, c)
                found.append((a, c, z, items, z - down, z + up))
        size = sum(items.up.nbytes + items.down.nbytes for _, _, _, items, _, _ in found)
        if self._held + size <= MOST_HELD:
            self._held += size
            self._splits[at] = found
        return found

    def _fill_psi(self, at: int, take: FloatArray) -> None:
        gain, term, psi = self._gain_of_old(at, take), self.tables.term[at], self.tables.psi[at]
        for a, c, z, items, low, high in self._splits_at(at):
            start = float(gain.value(z)) - term
            values = gain.by_item(z, items, low, high, a + c == 1)
            boxed = float(gain.most_in(low, high)) - term
            self._enter(psi, values, items, a, c, start, boxed)

    def _enter(
        self, psi: FloatArray, values: FloatArray, items: Items, a: int, c: int, start: float, boxed: float
    ) -> None:
        """psi[s, o]: the best of these, o of them with in-neighbours of the node."""
        tops = self._tops(values, items, a, c)
        for o in range(a + c + 1):
            best = NEVER_WORTH
            for come in range(max(o - c, 0), min(a, o) + 1):
                parts = tops[2][come], tops[0][a - come], tops[3][o - come], tops[1][c - (o - come)]
                if min(parts) > NEVER_WORTH:
                    best = max(best, sum(parts))
            if best > NEVER_WORTH:
                psi[a + c - o, o] = max(psi[a + c - o, o], min(start + best, boxed))

    def _tops(self, values: FloatArray, items: Items, a: int, c: int) -> list[list[float]]:
        """Sums of the largest: insertions and deletions, then the same with in-neighbours of the node."""
        inside, out = self.inside[items.who], []
        inserts = np.arange(items.who.size) < items.inserted
        for chosen, most in (
            (inserts & ~inside, a),
            (~inserts & ~inside, c),
            (inserts & inside, a),
            (~inserts & inside, c),
        ):
            some = values[chosen]
            kept = np.sort(some if some.size <= most else np.partition(some, some.size - most)[some.size - most :])[
                ::-1
            ]
            sums = [0.0, *np.cumsum(kept).tolist()] if most else [0.0]
            out.append(sums + [NEVER_WORTH] * (most + 1 - len(sums)))
        return out

    # --- newcomers ---

    def _fill_newcomers(self, take: FloatArray, at_node: FloatArray) -> None:
        """value[s, o, u], coordinate by coordinate over what flips anywhere can do to u."""
        star, value = self.question.star, self.tables.value
        value[: self.m + 1, : self.m + 1] = NEVER_WORTH
        who = self.at_node.who[: self.at_node.inserted]
        free = self.tables.banned[who] == 0
        who, shared = who[free], at_node[: self.at_node.inserted][free]
        self.shared = np.full(star.n, NEVER_WORTH)
        self.shared[who] = shared
        gain = self._gain_of_new(take)
        spare = self.stand.spare[who] - self.both
        for own in range(self.m + 1):
            most = np.full(who.size, NEVER_WORTH)
            for c in range(max(own - self.joins, 0), min(own, self.cuts) + 1):
                low, high = self._newcomer_boxes(who, own - c, c)
                if low is not None:
                    most = np.maximum(most, gain.most_in(low, high))
            most = np.where((spare >= own) & (most > NEVER_WORTH), most + shared, NEVER_WORTH)
            for o in range((own if self.both else 0) + 1):
                value[own - o, o, who] = most

    def _gain_of_new(self, take: FloatArray) -> Gain:
        star = self.question.star
        return newcomer(take, self.top, 1.0 / self.i) if star.last == MAX else linear(self.last * take, star.slope)

    def _newcomer_boxes(self, who: IntArray, a: int, c: int) -> tuple[FloatArray | None, FloatArray]:
        """Between what u can be made, with a insertions and c deletions at it anywhere."""
        star, whole = self.question.star, self.question.whole
        if a and not star.insert & 1:
            return None, whole.rise
        if star.first == MAX:
            z, scale = self.pres[who], np.ones((who.size, 1))
        else:
            before = scale_of(star.first, self.stand.heard[who] + self.both)[:, None]
            scale = scale_of(star.first, self.stand.heard[who] + self.both + a - c)[:, None]
            # what is heard, freed from the scale that it has now
            own = whole.own[who]
            z = own + (self.pres[who] - own) * (scale / before)
        # under a max these are what all deletions together can do
        times = c if star.first != MAX else min(c, 1)
        lift, drop = self._moved(who)
        return z - scale * (whole.fall[a] + times * drop), z + scale * (whole.rise[a] + times * lift)

    def _moved(self, who: IntArray) -> tuple[FloatArray, FloatArray]:
        """What a deletion can do; at vertices with flips it is what it was, or what came with these."""
        whole = self.question.whole
        lift, drop = whole.lift[who], whole.drop[who]
        arcs = self.vertices.arcs()
        ends = {y for _, y, _ in arcs}
        for at in np.flatnonzero(np.isin(who, list(ends))) if ends else ():
            extra = sum(1 for _, y, there in arcs if y == who[at] and there)
            lift[at] += whole.fall[extra]
            drop[at] += whole.rise[extra]
        return lift, drop

    def _refine(self, take: FloatArray, floor: float) -> int:
        """Go through the flips of those newcomers that may bring an attack above `floor` by them; how many."""
        busy = np.flatnonzero(self.tables.busy > floor)
        if busy.size > MOST_REFINED:
            return 0
        value, star, gain = self.tables.value, self.question.star, self._gain_of_new(take)
        for u in busy.tolist():
            self._look_at_clock()
            psi = np.full((self.m + 1, self.m + 1), NEVER_WORTH)
            psi[0, 0] = value[0, 0, u]
            come, go = self.vertices.allowed(u)
            for own in range(1, min(self.m, int(self.stand.spare[u]) - self.both) + 1):
                for a in range(own + 1):
                    c = own - a
                    if a > min(self.joins, come.size) or c > min(self.cuts, go.size):
                        continue
                    more, also = self.both + a - c, star.node if self.both else None
                    z = self.vertices.pre(u, more, also)
                    items = self.vertices.items(u, a, c, int(self.stand.heard[u]) + more, also)
                    up, down = items.reach(a, c)
                    low, high = z - down, z + up
                    start = float(gain.value(z)) + self.shared[u]
                    boxed = float(gain.most_in(low, high)) + self.shared[u]
                    self._enter(psi, gain.by_item(z, items, low, high, own == 1), items, a, c, start, boxed)
            value[: self.m + 1, : self.m + 1, u] = np.minimum(value[: self.m + 1, : self.m + 1, u], psi)
        return int(busy.size)

    # --- flips elsewhere ---

    def _fill_worth(self, take: FloatArray, start: float) -> None:
        """worth[at, x]: the most that an attack with a flip of this in-neighbour and x reaches, for rivals so far."""
        m, halves = self.m, 1 + (1 - self.both)
        for at in range(self.count):
            spend_without(*self.lent, self.count, 0, m, at)
            gain, term = self._gain_of_old(at, take), self.tables.term[at]
            for a, c, z, items, low, high in self._splits_at(at):
                base = start + float(gain.value(z)) - term
                values = gain.by_item(z, items, low, high, a + c == 1)
                tops, others = self._tops(values, items, a, c), a + c - 1
                single = max([row[1] for row in tops[:2] if len(row) > 1])
                inner = max([row[1] for row in tops[2:] if len(row) > 1])
                inside = self.inside[items.who]
                for o in range(others + 1):
                    if (o < others and single <= NEVER_WORTH) or (o and inner <= NEVER_WORTH):
                        continue
                    beside = (others - o) * (single if o < others else 0.0) + o * (inner if o else 0.0)
                    for which, spent in ((inside, 1), (~inside, 2)):
                        rest = 2 * m - spent - 2 * (others - o) - halves * o
                        if rest < 0 or self.tables.spend[0, rest] <= NEVER_WORTH:
                            continue
                        reached = base + values[which] + beside + self.tables.spend[0, rest]
                        who = items.who[which]
                        self.tables.worth[at, who] = np.maximum(self.tables.worth[at, who], reached)


__all__ = ["ShapeBound"]

"""One vertex where a search stands: its pre-activation, and what insertions and deletions at it change in that.

Theory: "Flips at one vertex under a max".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...model.arrays import FloatArray, IntArray
from ..base.gather import gather_largest
from ..budget.layout import ARCS, DELETE, INSERT, MAX, Stand
from ..jit.by_address import Bundle
from .products import newcomers_products
from .setting import MaxQuestion, scale_of
from .sharing import kinds_at


@dataclass(frozen=True)
class Items:
    """Flips at one vertex, one a row: insertions first. `up` and `down`: what a flip adds to a pre-activation, and what
    it takes away, a coordinate. Of several flips together, the change D has D <= sum of `up` and -D <= sum of `down`.
    """

    who: IntArray
    up: FloatArray
    down: FloatArray
    inserted: int

    def reach(self, a: int, c: int) -> tuple[FloatArray, FloatArray]:
        """How far a insertions and c deletions take the pre-activation, up and down."""
        out = []
        for rows in (self.up, self.down):
            total = _largest(rows[: self.inserted], a) + _largest(rows[self.inserted :], c)
            out.append(total)
        return out[0], out[1]


def _largest(rows: FloatArray, count: int) -> FloatArray:
    """Sums of the `count` largest of each column, or of fewer."""
    if count == 0 or not len(rows):
        return np.zeros(rows.shape[1])
    rows = np.maximum(rows, 0.0)
    if count == 1:
        return np.asarray(rows.max(axis=0))
    if count < len(rows):
        rows = np.partition(rows, len(rows) - count, axis=0)[len(rows) - count :]
    return np.asarray(rows.sum(axis=0))


class Vertices:
    """The vertices of a question, where its `stand` is."""

    def __init__(self, question: MaxQuestion, stand: Stand, star: Bundle, lent: Bundle) -> None:
        self.question, self.stand, self._star, self._stand = question, stand, star, lent
        self.plus, self.minus = (np.maximum(one, 0.0) for one in (question.whole.weight, -question.whole.weight))
        n, H = question.whole.pre.shape
        self._rows = np.zeros((2, n, H))
        self._toward = self._hear_node()

    def arcs(self) -> list[tuple[int, int, int]]:
        made = int(self.stand.made[ARCS])
        return [(int(x), int(y), int(there)) for x, y, there in self.stand.arcs[:, :made].T]

    def heard(self, y: int) -> list[int]:
        """In-neighbours."""
        star, arcs = self.question.star, self.arcs()
        gone = {x for x, at, there in arcs if at == y and not there}
        old = star.source[star.in_ptr[y] : star.in_ptr[y + 1]]
        return [int(x) for x in old if x not in gone] + [x for x, at, there in arcs if at == y and there]

    def scale(self, count: int) -> float:
        """Of a first layer that is linear."""
        return float(scale_of(self.question.star.first, count))

    def _features(self, x: int) -> tuple[IntArray, FloatArray]:
        base = self.question.base
        part = slice(base.feature_ptr[x], base.feature_ptr[x + 1])
        return base.feature_column[part], base.feature_value[part]

    def peak(self, xs: list[int]) -> FloatArray:
        """Largest features among these."""
        peak = np.zeros(self.question.whole.weight.shape[0])
        for x in xs:
            column, value = self._features(x)
            peak[column] = np.maximum(peak[column], value)
        return peak

    def _of_peak(self, y: int, peak: FloatArray) -> FloatArray:
        some = np.flatnonzero(peak)
        return np.asarray(self.question.whole.own[y] + peak[some] @ self.question.whole.weight[some])

    def pre(self, y: int, more: int = 0, also: int | None = None) -> FloatArray:
        """The pre-activation of y; with so many in-neighbours more, whose messages are not counted; with one of them
        whose message is.
        """
        whole, first = self.question.whole, self.question.star.first
        if first == MAX:
            return self._of_peak(y, self.peak(self.heard(y) + ([] if also is None else [also])))
        gathered = self.stand.gathered[y] if also is None else self.stand.gathered[y] + whole.sent[also]
        return np.asarray(whole.own[y] + self.scale(int(self.stand.heard[y]) + more) * gathered)

    def _hear_node(self) -> FloatArray:
        """Pre-activations of all vertices, as they are in the graph, once the node is an in-neighbour; the latter if
        pairs are undirected.
        """
        star, base, whole = self.question.star, self.question.base, self.question.whole
        if star.directed:
            return whole.pre
        if star.first != MAX:
            scale = scale_of(star.first, base.heard + 1)
            return np.asarray(whole.own + scale[:, None] * (whole.gathered + whole.sent[star.node]))
        out = whole.pre.copy()
        column, value = self._features(star.node)
        place = np.full(whole.weight.shape[0], -1)
        place[column] = np.arange(column.size)
        peak = np.zeros((star.n, column.size))
        row = np.repeat(np.arange(star.n), np.diff(base.feature_ptr))
        some = np.flatnonzero(place[base.feature_column] >= 0)
        held = np.zeros((star.n, column.size))
        held[row[some], place[base.feature_column[some]]] = base.feature_value[some]
        gather_largest(star.in_ptr, star.source, held, peak)
        out += np.maximum(value - peak, 0.0) @ whole.weight[column]
        return out

    def as_newcomers(self) -> FloatArray:
        """Pre-activations of all vertices once they are in-neighbours of the node; a new array."""
        star, out = self.question.star, self._toward.copy()
        for y in {y for _, y, _ in self.arcs()} - {star.node}:
            out[y] = self.pre(y) if star.directed else self.pre(y, 1, star.node)
        return out

    def kinds(self, y: int) -> IntArray:
        """How the pairs x -> y may flip."""
        kinds_at(self._star, self._stand, np.int64(y))
        return self.stand.kinds

    def allowed(self, y: int) -> tuple[IntArray, IntArray]:
        """Those that may come to y, and those that may go, by flips that count at y."""
        star, kinds = self.question.star, self.kinds(y).copy()
        kinds[y] = 0
        if y != star.node and not star.directed:
            kinds[star.node] = 0
        return np.flatnonzero(kinds == INSERT), np.flatnonzero(kinds == DELETE)

    def items(self, y: int, a: int, c: int, count: int, also: int | None = None) -> Items:
        """Flips at y of which a insert and c delete; `count`: in-neighbours after them."""
        come, go = self.allowed(y)
        come, go = come[: come.size if a else 0], go[: go.size if c else 0]
        if self.question.star.first != MAX:
            sent = self.scale(count) * self.question.whole.sent
            up = np.concatenate([sent[come], -sent[go]])
            return Items(np.concatenate([come, go]), up, -up, come.size)
        xs = self.heard(y) + ([] if also is None else [also])
        ups, downs = [], []
        if a:
            base, (up, down) = self.question.base, self._rows
            newcomers_products(
                base.feature_ptr, base.feature_column, base.feature_value, self.peak(xs), self.question.whole.weight,
                up, down,
            )  # fmt: skip
            # a column that several bring counts once: between 1 / a and all of what each of them brings
            up, down = up[come], down[come]
            ups.append(up - down / a)
            downs.append(down - up / a)
        if c:
            less, more = self._losses(xs, go, c)
            ups.append(more if a + c > 1 else more - less)
            downs.append(less if a + c > 1 else less - more)
        none = np.zeros((0, self.question.star.H))
        return Items(
            np.concatenate([come, go]), np.concatenate([none, *ups]), np.concatenate([none, *downs]), come.size
        )

    def _losses(self, xs: list[int], go: IntArray, c: int) -> tuple[FloatArray, FloatArray]:
        """What one of c deletions takes from a pre-activation at most, and adds: a column falls only if the largest
        goes, and to the value number c + 1 at the lowest.
        """
        columns = np.unique(np.concatenate([self._features(x)[0] for x in xs])) if xs else np.zeros(0, dtype=np.int64)
        held = np.zeros((len(xs), columns.size))
        for at, x in enumerate(xs):
            column, value = self._features(x)
            held[at, np.searchsorted(columns, column)] = value
        less, more = np.zeros((2, go.size, self.question.star.H))
        if columns.size:
            first = held.argmax(axis=0)
            ordered = -np.sort(-held, axis=0)
            fall = ordered[0] - (ordered[c] if c < len(xs) else 0.0)
            for at, x in enumerate(go):
                some = first == xs.index(int(x))
                less[at] = fall[some] @ self.plus[columns[some]]
                more[at] = fall[some] @ self.minus[columns[some]]
        return less, more

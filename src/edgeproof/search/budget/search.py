"""Deciding budgets size by size: is there an attack of exactly so many flips?

Attacks are looked for first, by beams over exact passes. Then every shape of attack is bounded; one that stays open is
split: on the newcomer that an attack of this shape must have, with those before it banned; else on the in-neighbour
that goes; else on a flip elsewhere. With one flip left, a bound of the rivals in doubt is cheaper than the pass over
all flips; where it is not enough, the pass is exact.

Theory: "Sizes of attacks", "Splitting a shape".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from ...arithmetic.decide import Decider
from ...model.arrays import FloatArray, IntArray
from ...model.graph import Pair
from ..deadline import Alarm
from ..jit.by_address import Bundle
from .layout import BOUNDS, DELETE, EVALUATIONS, FLIPS, GCN, NEVER_WORTH, PASSES, STOP, Pass, Stand
from .limits import Limits
from .question import Askable
from .ranking import lost_until, rank_vertices
from .shape import bound_shape
from .single_flips import make_pass, pass_single_flips
from .stand import kind_between, move, retreat
from .tables import make_tables

# single flips that a pass keeps; where none of them is an attack and more are in doubt, it is repeated with more room
KEPT = 32
# attacks that a beam holds
WIDTH = 5
# branches of a split before it is bounded again without them; then twice as many
FIRST_TURN = 8
# insertions and deletions at the node, insertions and deletions elsewhere
Shape = tuple[int, int, int, int]


class SizeSearch:
    """Settles sizes 1, 2, ... of attacks on one question."""

    def __init__(
        self,
        question: Askable,
        alarm: Alarm,
        node_limit: int | None,
        on_attack: Callable[[list[Pair]], None],
    ) -> None:
        self.question = question
        star = question.star
        self.stand: Stand = question.stand()
        self.floor = -question.slack
        self._on_attack = on_attack
        self._star, self._stand = Bundle(star), Bundle(self.stand)
        self._near = int(question.base.heard[star.node]) + question.most + 1
        self._make_pass(KEPT)
        self._tables: Bundle | None = None
        self._decider = Decider(question.query.network, question.query.graph)
        self._refuted: set[frozenset[Pair]] = set()
        self.attack: list[Pair] | None = None
        self.rival: int | None = None
        self.nodes = self.exact_checks = 0
        self._cut = False  # whether the last pass had no room for all that were in doubt
        self._alarm = alarm
        self.limits = Limits(alarm, node_limit, self.stand.tally, STOP)

    def _make_pass(self, kept: int) -> None:
        self.found: Pass = make_pass(self.question.star, self._near, kept)
        self._found = Bundle(self.found)

    # --- where the search stands ---

    def _flip(self, pair: Pair) -> None:
        move(self._star, self._stand, *pair)

    def _take_back(self, times: int = 1) -> None:
        for _ in range(times):
            retreat(self._star, self._stand)

    def _look_at_clock(self) -> None:
        self.limits.check(self.nodes)

    def _heard(self) -> int:
        return int(self.stand.heard[self.question.star.node])

    def flips(self) -> list[Pair]:
        graph, count = self.question.query.graph, int(self.stand.made[FLIPS])
        return [graph.pair(int(x), int(y)) for x, y in self.stand.flips[:, :count].T]

    def _breaks(self, pairs: list[Pair]) -> bool:
        """Whether these flips break the claim, in exact arithmetic."""
        key = frozenset(pairs)
        if key in self._refuted:
            return False
        claim, query = self.question.query.claim, self.question.query
        self.exact_checks += 1
        rival = self._decider.rival(claim.node, claim.label, query.rivals, sorted(key), self._alarm)
        if rival is None:
            self._refuted.add(key)
            return False
        self.attack, self.rival = sorted(key), rival
        self._on_attack(self.attack)
        return True

    # --- exact passes and beams ---

    def _pass(self, floor: float) -> list[tuple[float, Pair]]:
        """The best single flips from here, best first: all that are above `floor`, where there is room."""
        self._look_at_clock()
        self.nodes += 1
        pass_single_flips(self._star, self._stand, self._found, floor)
        self._look_at_clock()
        held = int(self.found.held[0])
        values = self.found.value[:held]
        self._cut = bool(held == self.found.value.size and values.min() > floor)
        pair = self.question.query.graph.pair
        best = np.argsort(-values, kind="stable")
        found = self.found
        return [(float(values[k]), pair(int(found.pair[0, k]), int(found.pair[1, k]))) for k in best]

    def _finish(self) -> bool:
        """With one flip left: does any break the claim?"""
        here = self.flips()
        for value, pair in self._pass(self.floor):
            if value <= self.floor:
                break
            self._look_at_clock()
            if self._breaks([*here, pair]):
                return True
        if not self._cut:
            return False
        # rare: so many are refuted by exact arithmetic alone
        self._make_pass(8 * self.found.value.size)
        try:
            return self._finish()
        finally:
            self._make_pass(KEPT)

    def beam(self, size: int) -> bool:
        """Look for an attack of at most so many flips."""
        held: list[tuple[float, tuple[Pair, ...]]] = [(-np.inf, ())]
        for _ in range(size):
            grown: dict[frozenset[Pair], tuple[float, tuple[Pair, ...]]] = {}
            for _, flips in held:
                for pair in flips:
                    self._flip(pair)
                try:
                    extended = self._pass(self.floor)
                    for value, pair in extended:
                        if value > self.floor and self._breaks([*flips, pair]):
                            return True
                finally:
                    self._take_back(len(flips))
                for value, pair in extended[: 2 * WIDTH]:
                    grown[frozenset((*flips, pair))] = value, (*flips, pair)
            held = sorted(grown.values(), key=lambda one: -one[0])[:WIDTH]
        return False

    # --- bounds ---

    def settle(self, size: int) -> bool:
        """Whether an attack of exactly this size exists; none smaller does."""
        if size == 1:
            return self._finish()
        star, stand = self.question.star, self.stand
        if self._tables is None or size > self._tables.bundle.B:
            self._tables = Bundle(make_tables(self.question, self._near, max(size, 2)))
        every = np.ones(star.R, dtype=np.int64)
        if self._search_all(size, every):
            return True
        node = star.node
        if stand.loop[node] and kind_between(self._star, self._stand, node, node) == DELETE:
            self._flip((node, node))
            try:
                return self._finish() if size == 2 else self._search_all(size - 1, every)
            finally:
                self._take_back()
        return False

    def _search_all(self, size: int, rivals: IntArray) -> bool:
        return any(self._search(shape, rivals) for shape in self._shapes(size))

    def _shapes(self, size: int) -> Iterator[Shape]:
        """Those of so many flips that this threat allows, few flips elsewhere first."""
        star = self.question.star
        for elsewhere in range(size + 1):
            for k in range(size + 1 - elsewhere):
                for cuts in range(elsewhere + 1):
                    i, joins = size - elsewhere - k, elsewhere - cuts
                    if (k + cuts == 0 or star.delete) and (i == 0 or star.insert) and (joins == 0 or star.insert & 1):
                        yield i, k, joins, cuts

    def _bound(self, shape: Shape, rivals: IntArray) -> tuple[IntArray, FloatArray, float]:
        """Rivals that may win by an attack of this shape, and what is reached with each newcomer, and by degrees alone;
        the tables hold the rest.
        """
        self._look_at_clock()
        self.nodes += 1
        star = self.question.star
        bounds, totals = np.full(star.R, NEVER_WORTH), np.empty(star.n)
        assert self._tables is not None
        lost = lost_until(star, self.stand, shape[1], shape[3])
        rank_vertices(self.question, self._tables.bundle, lost, rivals)
        lent = self._star, self._stand, self._found, self._tables
        pure = bound_shape(*lent, *shape, lost, self.floor, rivals, bounds, totals)
        self._look_at_clock()
        return (bounds > self.floor).astype(np.int64), totals, float(pure)

    def _search(self, shape: Shape, rivals: IntArray) -> bool:
        """Whether an attack of this shape exists from here, without banned newcomers and barred pairs."""
        left, totals, pure = self._bound(shape, rivals)
        if not left.any():
            return False
        if sum(shape) == 1:
            return self._finish()
        i, k, joins, cuts = shape
        if i > 0:
            return self._split_on_newcomers(shape, left, totals)
        if k > 0:
            return self._split_on_deletions(shape, left)
        return self._split_elsewhere(joins, cuts, left, pure)

    def _try(self, pair: Pair, shape: Shape, rivals: IntArray) -> bool:
        """The same with this pair flipped before."""
        self._flip(pair)
        try:
            return self._search(shape, rivals)
        finally:
            self._take_back()

    def _split_on_newcomers(self, shape: Shape, rivals: IntArray, totals: FloatArray) -> bool:
        i, k, joins, cuts = shape
        assert self._tables is not None
        banned: IntArray = self._tables.bundle.banned
        tried: list[int] = []
        turn = FIRST_TURN
        try:
            while True:
                ranked = np.argsort(-totals, kind="stable")
                open_ = [int(u) for u in ranked[totals[ranked] > self.floor]]
                for u in open_ if i == 1 else open_[:turn]:
                    if self._try((u, self.question.star.node), (i - 1, k, joins, cuts), rivals):
                        return True
                    banned[u] += 1
                    tried.append(u)
                if i == 1 or len(open_) <= turn:
                    return False
                # without the best, the others reach less
                turn *= 2
                rivals, totals, _ = self._bound(shape, rivals)
                if not rivals.any():
                    return False
        finally:
            for u in tried:
                banned[u] -= 1

    def _split_on_deletions(self, shape: Shape, rivals: IntArray) -> bool:
        i, k, joins, cuts = shape
        node = self.question.star.node
        near = self.found.near[: self._heard()].copy()
        gone = [int(w) for w in near if kind_between(self._star, self._stand, int(w), node) == DELETE]
        return any(self._try((w, node), (i, k - 1, joins, cuts), rivals) for w in gone)

    def _try_elsewhere(self, pair: Pair, joins: int, cuts: int, rivals: IntArray) -> bool:
        """The same with this pair flipped before, which is no pair of the node; False where the shape has none such."""
        if kind_between(self._star, self._stand, *pair) == DELETE:
            return cuts > 0 and self._try(pair, (0, 0, joins, cuts - 1), rivals)
        return joins > 0 and self._try(pair, (0, 0, joins - 1, cuts), rivals)

    def _split_elsewhere(self, joins: int, cuts: int, rivals: IntArray, pure: float) -> bool:
        """An attack of flips elsewhere has a best one: those tried before are barred from what is looked for after."""
        assert self._tables is not None
        tables, bars = self._tables.bundle, self.stand.bars
        before, turn = int(bars[0]), FIRST_TURN
        name, done = self.question.query.graph.pair, set[Pair]()
        far = pure > self.floor
        try:
            while True:
                near = self.found.near[: self._heard()].copy()
                worth = tables.worth[: near.size]
                at, other = np.nonzero(worth > self.floor)
                order = np.argsort(-worth[at, other], kind="stable")
                open_ = dict.fromkeys(name(int(other[e]), int(near[at[e]])) for e in order)
                pairs = [pair for pair in open_ if pair not in done]
                for pair in pairs[:turn]:
                    done.add(pair)
                    if self._try_elsewhere(pair, joins, cuts, rivals):
                        return True
                    self._bar(pair)
                if len(pairs) <= turn:
                    break
                turn *= 2
                rivals, _, _ = self._bound((0, 0, joins, cuts), rivals)
                if not rivals.any():
                    return False
            return far and self._search_far(joins, cuts, rivals, done)
        finally:
            bars[0] = before

    def _bar(self, pair: Pair) -> None:
        at = int(self.stand.bars[0])
        if at < self.stand.barred.shape[1]:
            self.stand.barred[:, at] = pair
            self.stand.bars[0] = at + 1

    def _search_far(self, joins: int, cuts: int, rivals: IntArray, done: set[Pair]) -> bool:
        """Attacks whose flips change nothing but degrees at distance two: rare enough to be gone through one by one."""
        self._bound((0, 0, joins, cuts), rivals)  # who is near where one stands
        return any(
            self._try_elsewhere(pair, joins, cuts, rivals)
            for pair in self._far_pairs()
            if self.question.query.graph.pair(*pair) not in done
        )

    def _far_pairs(self) -> Iterator[Pair]:
        star = self.question.star
        if star.first != GCN:
            return
        near = set(self.found.near[: self._heard()].tolist())
        heard = self.found.seconds[: int(self._tables.bundle.second[0])].tolist()  # type: ignore[union-attr]
        second = sorted(set(heard) - near)
        for x in second:
            for y in range(star.n):
                self._look_at_clock()
                if y in near or y == star.node or (not star.directed and y in second and y < x):
                    continue
                if kind_between(self._star, self._stand, y, x):
                    yield y, x

    def counts(self) -> dict[str, int]:
        tally = self.stand.tally
        return {
            "nodes": self.nodes, "evaluations": int(tally[EVALUATIONS]), "passes": int(tally[PASSES]),
            "bounds": int(tally[BOUNDS]), "exact_checks": self.exact_checks,
        }  # fmt: skip

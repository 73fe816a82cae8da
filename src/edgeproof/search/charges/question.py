"""One question by charges: bounds of all rivals, then sets in doubt, evaluated.

Theory: "From neurons to edges".
"""

from __future__ import annotations

import threading
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ...clock import UNLIMITED
from ...model.arrays import FloatArray, IntArray
from ...model.graph import Graph, Pair
from ...model.memo import Memo
from ...model.network import Network
from ...model.query import Query
from ..base.evaluator import FlipEvaluator
from ..base.layout import Base
from ..base.values import base_values
from ..deadline import Alarm
from .assemble import Charges
from .norms import FAINT, LARGE, norms_of, supported
from .rows import FREE, GONE, KEPT
from .seen import View
from .sets import TooManyError, doubtful_sets
from .top import Bound, Top
from .two import Doubt, doubt_apart, doubt_shared, ends_of, make_table

# sets that are evaluated at most, a millisecond or two each
MOST_SETS = 20_000
# edges that are taken out in turn at most, each a question of its own
MOST_TAKEN = 400
# how many times less is charged by lengths only, where that leaves edges in doubt that are not listed
FINER = 8.0
# numbers that a whole graph's values take: from here on an evaluation may take seconds
LONG = 1 << 24
# greedy attacks look at so many edges of each of so many bounds
GREEDY_BOUNDS, GREEDY_EDGES = 3, 12
# what rounding may do to charges, over what it does to magnitudes that no flip has changed (docs/theory/charges.md)
SPREAD = 16.0


class Answer(NamedTuple):
    """robust: proved. attack: evaluated, and beyond rounding. Neither: nothing is known but the reason."""

    robust: bool
    attack: tuple[Pair, ...] | None
    rival: int | None
    reason: str | None
    evaluations: int
    fragile: int


class _Edges(NamedTuple):
    target: IntArray  # (E,) of every slot
    reverse: IntArray  # (E,) the slot of the same edge at its other end; only where the graph is undirected


def _lay_edges(network: Network, graph: Graph) -> _Edges:
    base = base_values(network, graph)
    target = np.repeat(np.arange(base.n), np.diff(base.in_ptr))
    return _Edges(target, np.lexsort((target, base.source)))


_edges: Memo[_Edges] = Memo(_lay_edges)
_making = threading.Lock()  # of two threads that ask first, one makes what both need


class Listing(Protocol):
    """What bounds number edges by: one slot of each."""

    slots: IntArray


class Question:
    def __init__(self, query: Query, alarm: Alarm) -> None:
        assert query.claim.node is not None
        self.query, self.alarm, self.node = query, alarm, query.claim.node
        with _making:
            self.base: Base = base_values(query.network, query.graph, alarm or UNLIMITED)
            self.norms = norms_of(query.network, query.graph)
            self.edges = _edges(query.network, query.graph)
        assert self._knows()
        self.evaluator = FlipEvaluator(query)
        if alarm is not None and self.base.rows.size > LONG:
            self.evaluator.watch(alarm)
        self.evaluations = 0
        self.status: NDArray[np.int8] = np.zeros(self.base.source.size, dtype=np.int8)
        for u, v in query.threat.protected_pairs(query.graph):
            for s, t in {(u, v), (v, u)} if not query.graph.directed else {(u, v)}:
                first, last = self.base.in_ptr[t], self.base.in_ptr[t + 1]
                at = first + np.searchsorted(self.base.source[first:last], s)
                if at < last and self.base.source[at] == s:
                    self.status[at] = KEPT
        self.near = self.evaluator.overlay.near
        self.view = View(self.base, self.norms.lengths)
        self.fragile = self._count_fragile()

    def _knows(self) -> bool:
        return supported(self.base)

    def _count_fragile(self) -> int:
        base, near = self.base, self.near
        reach = base.L if self.query.network.normalises else base.L - 1
        matters = (near[self.edges.target] <= reach) & (self.status == FREE)
        if not base.directed:
            other = near[base.source] <= reach
            matters &= ~other | (base.source < self.edges.target)
        return int(matters.sum())

    def _late(self) -> bool:
        return self.alarm.is_up()

    def decide(self, budget: int) -> Answer:
        self.evaluations = 0
        if self.fragile:
            budget = min(budget, self.fragile)
        with np.errstate(over="ignore"):
            growth = (1.0 + budget) ** self.base.L
            self.tolerance = SPREAD * (budget + 2) * growth * float(self.norms.rounding[self.node]) + FAINT
        self._seen = set[tuple[Pair, ...]]()
        self._left = dict[tuple[Pair, ...], float]()
        return self._solve((), budget if self.fragile else 0) or self._answer(robust=True)

    def _solve(self, gone: tuple[int, ...], budget: int) -> Answer | None:
        """What becomes of the claim when the edges at these slots are gone and `budget` more may go; None: it holds."""
        flips = self._flips(gone)
        if not self._is_admissible(flips):
            return None
        found = self._look(flips)
        if found is not None or budget == 0:
            return found
        margins, _ = self._margins(flips)
        if not (self.norms.largest <= LARGE and self.tolerance < margins.min()):
            return self._answer(reason="rounding")
        view = self.view
        if gone:
            every = [k for slot in gone for k in self._both(slot)]
            view = view.without(self.query.network, every, self.edges.target, self.near, self.status)
        if budget == 2:
            return self._solve_two(gone, view, margins)
        return self._solve_by_most(gone, view, margins, budget)

    def _solve_by_most(self, gone: tuple[int, ...], view: View, margins: FloatArray, budget: int) -> Answer | None:
        """By how many edges one vertex loses at most: only sets that are gathered at one vertex have charges that hold
        for many there.
        """
        for each in range(1, budget + 1):
            top = self._top(view, budget, each, margins)
            if top is None:
                return self._answer(reason=self.alarm.reason)
            doubtful = [b for rival in range(len(margins)) for b in self._doubtful(top, rival, each)]
            found = None
            if doubtful:
                found = (budget > 1 and self._attack(gone, top, doubtful, budget)) or self._evaluate(
                    gone, doubtful, top
                )
            if found is not None:
                return found
            if self._late():
                return self._answer(reason=self.alarm.reason)
        return None

    def _doubtful(self, top: Top, rival: int, each: int) -> list[Bound]:
        unclear = [bound for bound in top.bounds(rival) if not bound.left_crudely > self.tolerance]
        if each == 1 or not unclear:
            return [bound for bound in unclear if not bound.left > self.tolerance]
        ends = ends_of(top.slots, self.base.source, self.edges.target, self.base.directed)[top.into :]
        return [bound for bound in unclear if not bound.left_if_gathered(each, ends) > self.tolerance]

    def _top(self, view: View, budget: int, each: int, margins: FloatArray, finer: float = 1.0) -> Top | None:
        charges = Charges(self.query, view, self.norms, budget, each, margins, self.status, self.near, finer)
        if not charges.collect(self.alarm):
            return None
        return Top(charges, self.edges.reverse, self.edges.target, margins)

    def _solve_two(self, gone: tuple[int, ...], view: View, margins: FloatArray) -> Answer | None:
        """Two more edges may go (two.py). Lengths are finer the second time, where edges that are not listed
        are in doubt.
        """
        for finer in (1.0, FINER):
            apart, any_two = (self._top(view, 2, each, margins, finer) for each in (1, 2))
            if apart is None or any_two is None:
                return self._answer(reason=self.alarm.reason)
            doubtful = [b for rival in range(len(margins)) for b in apart.bounds(rival) if not b.left > self.tolerance]
            found = self._attack(gone, apart, doubtful, 2) if doubtful and finer == 1.0 else None
            if found is not None:
                return found
            heavy = self._doubts(apart, any_two, len(margins))
            if heavy is not None:
                return self._settle(gone, apart, heavy)
        return self._answer(reason="open")

    def _doubts(self, apart: Top, any_two: Top, rivals: int) -> Doubt | None:
        """Edges to take out in turn, and pairs to evaluate."""
        tables = [make_table(top, self.tolerance, rivals) for top in (apart, any_two)]
        base = self.base
        ends = ends_of(apart.slots, base.source, self.edges.target, base.directed)
        outer: NDArray[np.bool_] = np.any(self.near[ends] >= base.L, axis=1)
        one, other = doubt_apart(tables[0], apart.into), doubt_shared(tables[1], apart.into, ends, base.n, outer)
        if one is None or other is None:
            return None
        heavy = list(dict.fromkeys([*one.heavy, *other.heavy]))
        return Doubt(heavy, [*one.pairs, *other.pairs]) if len(heavy) <= MOST_TAKEN else None

    def _settle(self, gone: tuple[int, ...], top: Top, doubt: Doubt) -> Answer | None:
        slots, taken = top.slots, set(doubt.heavy)
        for a, b in doubt.pairs:
            if a not in taken and b not in taken:
                found = self._look(self._flips((*gone, int(slots[a]), int(slots[b]))))
                if found is not None:
                    return found
        before = self.status.copy()
        try:
            for edge in doubt.heavy:
                slot = int(slots[edge])
                self.status[self._both(slot)] = GONE
                found = self._solve((*gone, slot), 1)
                if found is not None:
                    return found
                self.status[self._both(slot)] = KEPT  # all sets with this edge are done
        finally:
            self.status[:] = before
        return None

    def _both(self, slot: int) -> list[int]:
        return [slot] if self.base.directed else [slot, int(self.edges.reverse[slot])]

    def _flips(self, slots: tuple[int, ...]) -> tuple[Pair, ...]:
        return tuple(sorted(self._pair(slot) for slot in slots))

    def _attack(self, gone: tuple[int, ...], top: Listing, doubtful: list[Bound], budget: int) -> Answer | None:
        """Greedy: of the edges that are charged most, take the one that leaves least, and go on from there."""
        worth: dict[int, float] = {}
        for bound in sorted(doubtful, key=lambda bound: bound.left)[:GREEDY_BOUNDS]:
            for charges, offset in ((bound.near, 0), (bound.far, bound.near.size)):
                for at in np.argsort(-charges, kind="stable")[:GREEDY_EDGES].tolist():
                    share = float(charges[at]) / bound.margin
                    worth[at + offset] = max(share, worth.get(at + offset, 0.0))
        candidates = sorted(worth, key=lambda at: -worth[at])[: 2 * GREEDY_EDGES]
        chosen = [int(slot) for slot in gone]
        for _ in range(budget):
            best, least = None, np.inf
            for at in candidates:
                slot = int(top.slots[at])
                if slot in chosen:
                    continue
                flips = self._flips((*chosen, slot))
                found = self._look(flips)
                if found is not None and found.attack is not None:
                    return found
                if self._late():
                    return self._answer(reason=self.alarm.reason)
                left = self._left.get(flips, np.inf)
                if left < least:
                    best, least = slot, left
            if best is None:
                return None
            chosen.append(best)
        return None

    def _margins(self, flips: tuple[Pair, ...]) -> tuple[FloatArray, float]:
        """score[label] - score[rival] of every rival."""
        self.evaluations += 1
        margins, error = self.evaluator.margins(flips)
        return -margins, error

    def _evaluate(self, gone: tuple[int, ...], doubtful: list[Bound], top: Listing) -> Answer | None:
        """The worst set of every bound first, then all that are in doubt; None if they break nothing."""

        def look(chosen: tuple[int, ...]) -> Answer | None:
            return self._look(self._flips((*gone, *(int(top.slots[at]) for at in chosen))))

        doubtful.sort(key=lambda bound: bound.left)
        for bound in doubtful:
            near = np.argsort(-bound.near, kind="stable")[: bound.into]
            far = np.argsort(-bound.far, kind="stable")[: bound.others]
            far = far[bound.far[far] > 0.0] + bound.near.size
            found = look((*near.tolist(), *far.tolist()))
            if found is not None:
                return found
        waiting: dict[tuple[int, ...], float] = {}
        try:
            for bound in doubtful:
                for left, chosen in doubtful_sets(bound, self.tolerance, MOST_SETS):
                    key = tuple(sorted(chosen))
                    waiting[key] = min(left, waiting.get(key, 0.0))
                if len(waiting) > MOST_SETS or self._late():
                    return self._answer(reason=self.alarm.reason if self._late() else "open")
        except TooManyError:
            return self._answer(reason="open")
        for chosen in sorted(waiting, key=waiting.__getitem__):
            found = look(chosen)
            if found is not None:
                return found
        return None

    def _look(self, flips: tuple[Pair, ...]) -> Answer | None:
        """Evaluate a set; None if it breaks nothing, or is not allowed."""
        if flips in self._seen or not self._is_admissible(flips):
            return None
        if self._late():
            return self._answer(reason=self.alarm.reason)
        margins, error = self._margins(flips)
        if not np.isfinite(error) and self._late():
            return self._answer(reason=self.alarm.reason)
        if not np.isfinite(error):
            return self._answer(reason="rounding")
        if (margins < -error).any():
            return self._answer(attack=flips, margins=margins)
        if (margins <= error).any():
            return self._answer(reason="tie")
        self._seen.add(flips)
        self._left[flips] = float(margins.min())
        return None

    def _pair(self, slot: int) -> Pair:
        return self.query.graph.pair(int(self.base.source[slot]), int(self.edges.target[slot]))

    def _is_admissible(self, flips: tuple[Pair, ...]) -> bool:
        threat, spent = self.query.threat, dict[int, int]()
        for u, v in flips:
            for end in (v,) if self.query.graph.directed else (u, v):
                spent[end] = spent.get(end, 0) + 1
        return all((limit := threat.local_budget_of(v)) is None or used <= limit for v, used in spent.items())

    def _answer(
        self,
        robust: bool = False,
        attack: tuple[Pair, ...] | None = None,
        margins: FloatArray | None = None,
        reason: str | None = None,
    ) -> Answer:
        rival = None
        if margins is not None:
            rival = self.query.rivals[int(np.argmin(margins))]
        return Answer(robust, attack, rival, reason, self.evaluations, self.fragile)

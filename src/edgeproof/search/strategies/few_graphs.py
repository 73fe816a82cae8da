"""Questions about deletions around a node, where few graphs are admissible or an attack is plain to see.

Most questions of a sweep are such. Their cost is that of laying out a problem for the search tree, so none is laid out:
sets of flips are evaluated beside the values of the whole graph (search/base), which all questions share. What one
question about a node has found out about single flips serves the next one, whatever its budgets.

Theory: "Few graphs".
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import comb

import numpy as np

from ...arithmetic.decide import Decider
from ...clock import TimeUpError
from ...model.arrays import FloatArray, IntArray
from ...model.graph import Graph, Pair
from ...model.memo import Latest, Memo
from ...model.network import Aggregation, Network
from ...model.query import Query
from ...model.verdict import Radius, Stats, Verdict
from ..answers import radius_of, verdict_of
from ..base.evaluate import set_near
from ..base.layout import COMPUTED, EVALUATED, Base, Overlay
from ..base.overlay import FAR, MOST_FLIPS, make_overlay
from ..base.values import base_values, holds
from ..deadline import Alarm
from ..jit.by_address import Bundle
from .few_kernels import (
    BROKEN,
    DONE,
    DOUBTFUL,
    HOLDS,
    NO_ROOM,
    SIZE,
    evaluate_sets_of,
    evaluate_singles,
    follow_gains,
    list_pairs,
)

# vertices from which on values of the whole graph are worth having, and up to which they are had in a second
MANY, WHOLE = 100, 20_000
# bytes of these values
LARGEST = 1 << 28
# pairs that are looked at one by one, and sets that are: as long as a search tree takes to begin
MOST_PAIRS, MOST_SETS = 512, 600
# numbers that are computed before the question is left to bounds: some 20 ms
MOST_WORK = 1 << 26
# and between two looks at the clock
QUOTA = 1 << 23
# rivals for whom the pairs that gain most are flipped together
TRIES = 3
FIRST_ROOM = 128
FREE = np.iinfo(np.int64).max // 2


class _Lender:
    """Values of one graph under one network, and desks that nobody uses at the moment."""

    def __init__(self, network: Network, graph: Graph) -> None:
        self.base: Base = base_values(network, graph)
        self.lent = Bundle(self.base)
        self.price = 2 * int(max(network.widths[1:])) ** 2  # of computing one vertex at one layer
        looking = [layer.aggregation for layer in network.layers if not layer.is_dense]
        # as in problem/receptive_field.py: GCN looks at the degrees of senders, and gives every vertex a self-loop
        self.rings = len(looking) + int(len(looking) > 0 and looking[0] is Aggregation.GCN)
        self.loops = int(any(how is not Aggregation.GCN for how in looking))
        self._free: list[_Desk] = []

    def take(self) -> _Desk:
        try:
            return self._free.pop()
        except IndexError:
            return _Desk(self.base, FIRST_ROOM)

    def give_back(self, desk: _Desk) -> None:
        self._free.append(desk)


class _Desk:
    """What one question works on; between two evaluations an overlay knows nothing of them."""

    def __init__(self, base: Base, room: int) -> None:
        self.room = room
        self.overlay: Overlay = make_overlay(base, room)
        self.held = Bundle(self.overlay)
        self.pairs = np.zeros((2, MOST_PAIRS), dtype=np.int64)
        self.arcs = np.zeros((3, 2 * MOST_FLIPS), dtype=np.int64)
        self.chosen = np.zeros(MOST_PAIRS + 1, dtype=np.int64)
        self.promise = np.zeros(base.W)


def _bytes_of(network: Network, graph: Graph) -> int:
    """About what the values of the whole graph take."""
    return 8 * graph.num_vertices * sum(4 * width + 16 for width in network.widths[1:])


_bytes: Memo[int] = Memo(_bytes_of)
_lenders: Memo[_Lender] = Memo(_Lender)


def is_for(query: Query, options: Mapping[str, bool], memory: float | None) -> bool:
    """Whether this strategy looks at the query first."""
    threat, network, graph = query.threat, query.network, query.graph
    if threat.insert or threat.fragile is not None or not threat.delete or not options["few_graphs"]:
        return False
    if query.claim.node is None or not (options["few_graphs_at_once"] or MANY <= graph.num_vertices <= WHOLE):
        return False
    return holds(network) and _bytes(network, graph) <= (LARGEST if memory is None else min(LARGEST, memory * 1e9))


@dataclass
class _Singles:
    """What is known of a claim and of flips one by one, whatever the budgets."""

    pairs: IntArray | None  # (2, F); None: too many
    margins: FloatArray  # (F + 1, rivals)
    status: IntArray  # (F + 1,)
    free: IntArray  # (2, F) local budgets that forbid nothing
    done: int = 0  # so many of these rows are filled
    work: int = 0  # that this took
    rivals: dict[int, int | None] = field(default_factory=dict)  # of those in doubt: who wins, if anybody


_latest: Latest[_Singles] = Latest()


class TooManyError(Exception):
    """More graphs than are looked at one by one."""


class FewGraphs:
    """One question. lower: no set of so many flips or fewer breaks the claim; attack: one that does."""

    def __init__(self, query: Query, alarm: Alarm, progress: Callable[[int, int | None], None] | None = None) -> None:
        self.query, self.alarm, self._progress = query, alarm, progress
        self._lender = _lenders(query.network, query.graph)
        self._rivals = np.array(query.rivals, dtype=np.int64)
        self.lower, self.exact_checks, self.evaluations, self.fragile = -1, 0, 0, 0
        self.attack: tuple[Pair, ...] | None = None
        self.rival: int | None = None

    def run(self, first_only: bool) -> bool:
        """Whether it is settled; with `first_only`, by any attack. Raises `TimeUpError`."""
        self._desk = self._lender.take()
        tally = self._desk.overlay.tally
        tally[:] = 0
        settled = self._run(first_only)
        self.evaluations = int(self._desk.overlay.tally[EVALUATED])
        # not where an exception has passed: somebody may have been interrupted in the middle of an evaluation
        self._lender.give_back(self._desk)
        return settled

    def _run(self, first_only: bool) -> bool:
        found = self._set_near()
        key = self.query.claim, self.query.threat.protected
        self._known = _latest(self.query.network, self.query.graph, key, lambda: self._list(found))
        if self._known.pairs is None:
            return False
        self._pairs = self._known.pairs
        self.fragile = self._pairs.shape[1]
        budget = self.query.threat.budget
        self.most = self.fragile if budget is None else min(budget, self.fragile)
        self._local = self._local_budgets()
        try:
            self._evaluate_singles()
            if self._settle_singles() or (first_only and self._follow_gains()):
                return True
            sizes = [(2, self.most)] if first_only else [(size, size) for size in range(2, self.most + 1)]
            for least, most in sizes:
                if self._evaluate_sets(least, most):
                    return True
        except TooManyError:
            return False
        return True

    @property
    def robust(self) -> bool:
        return self.attack is None and self.lower >= self.most

    # the node and its surroundings

    def _set_near(self) -> int:
        overlay, node = self._desk.overlay, self.query.claim.node
        return int(set_near(self._lender.lent, overlay.near, overlay.touched, node, FAR))

    def _list(self, found: int) -> _Singles:
        """The fragile pairs that can matter."""
        lender, desk, graph = self._lender, self._desk, self.query.graph
        count = int(list_pairs(lender.lent, desk.held, found, lender.rings, lender.loops, desk.pairs))
        if count < 0:
            return _Singles(None, np.zeros((0, 0)), np.zeros(0, dtype=np.int64), desk.pairs)
        pairs = desk.pairs[:, :count].copy()
        protected = self.query.threat.protected_pairs(graph)
        if protected:
            free = [graph.pair(u, v) not in protected for u, v in pairs.T.tolist()]
            pairs = np.ascontiguousarray(pairs[:, free])
        rows = pairs.shape[1] + 1
        status = np.zeros(rows, dtype=np.int64)
        return _Singles(pairs, np.zeros((rows, self._rivals.size)), status, np.full(pairs.shape, FREE))

    def _local_budgets(self) -> IntArray:
        """Of both ends of each pair; a directed one is paid for at its target."""
        local, pairs = self.query.threat.local_budget, self._pairs
        if local is None:
            return self._known.free
        out = local[pairs] if isinstance(local, np.ndarray) else np.full(pairs.shape, local)
        if self.query.graph.directed:
            out[0] = FREE
        return out

    def _names(self, pairs: Sequence[int]) -> tuple[Pair, ...]:
        return tuple(self.query.graph.pair(*self._pairs[:, pair].tolist()) for pair in pairs)

    # one flip

    def _evaluate_singles(self) -> None:
        known, lender, desk = self._known, self._lender, self._desk
        before = int(desk.overlay.tally[COMPUTED])
        while known.done < known.status.size:
            self._look_at_clock()
            claim, desk = self.query.claim, self._desk
            done = int(
                evaluate_singles(
                    lender.lent, desk.held, claim.node, claim.label, self._rivals, self._pairs, desk.arcs, desk.chosen,
                    known.done, QUOTA // lender.price, known.margins, known.status,
                )
            )  # fmt: skip
            known.done = done if done >= 0 else ~done
            known.work = int(self._desk.overlay.tally[COMPUTED]) - before
            if done < 0:
                self._make_room()

    def _settle_singles(self) -> bool:
        """Whether the graph as it is and single flips settle the question."""
        status = self._known.status
        if status[0] != HOLDS and self._breaks_alone(0):
            self._note((), self._known.rivals.get(0))
            return True
        self._raise_lower(0)
        if self.most == 0:
            return True
        if status.any():
            allowed = (self._local > 0).all(axis=0)
            for wanted in (BROKEN, DOUBTFUL):
                for row in (np.flatnonzero((status[1:] == wanted) & allowed) + 1).tolist():
                    if self._breaks_alone(row):
                        self._note(self._names([row - 1]), self._known.rivals.get(row))
                        return True
        self._raise_lower(1)
        return self.most == 1

    def _breaks_alone(self, row: int) -> bool:
        """Whether this flip breaks the claim; no flip at all in row 0. Doubts are decided exactly, once."""
        known = self._known
        if row not in known.rivals:
            if known.status[row] == BROKEN:
                known.rivals[row] = int(self._rivals[known.margins[row].argmax()])
            else:
                known.rivals[row] = self._decide(self._names([row - 1] if row else []))
        return known.rivals[row] is not None

    # several flips

    def _follow_gains(self) -> bool:
        """Whether an attack is found by flipping what gains most."""
        lender, desk, claim = self._lender, self._desk, self.query.claim
        promise = desk.promise[: self._rivals.size]
        size = int(
            follow_gains(
                lender.lent, desk.held, claim.node, claim.label, self._rivals, self._pairs, self._local,
                self._known.margins, min(self.most, MOST_FLIPS), TRIES, desk.arcs, desk.chosen, promise,
            )
        )  # fmt: skip
        if size:
            self._note_chosen(size)
        return size > 0

    def _evaluate_sets(self, least: int, most: int) -> bool:
        """Whether some set of so many flips breaks the claim. Raises `TooManyError`."""
        self._expect(sum(comb(self.fragile, size) for size in range(least, most + 1)))
        lender, claim, cursor = self._lender, self.query.claim, np.zeros(2, dtype=np.int64)
        while True:
            self._look_at_clock()
            desk = self._desk
            code = evaluate_sets_of(
                lender.lent, desk.held, claim.node, claim.label, self._rivals, self._pairs, self._local, least, most,
                desk.arcs, desk.chosen, cursor, QUOTA // lender.price,
            )  # fmt: skip
            if code == DONE:
                self._raise_lower(most)
                return False
            if code == NO_ROOM:
                self._make_room()
            elif code == BROKEN:
                self._note_chosen(int(cursor[SIZE]))
                return True
            elif code == DOUBTFUL:
                flips = self._names(desk.chosen[: cursor[SIZE]].tolist())
                rival = self._decide(flips)
                if rival is not None:
                    self._note(flips, rival)
                    return True

    def _expect(self, sets: int) -> None:
        """Whether so many sets are few: they change no less than single flips do."""
        known = self._known
        if sets > MOST_SETS or sets * known.work * self._lender.price > MOST_WORK * known.status.size:
            raise TooManyError

    # what comes of it

    def _look_at_clock(self) -> None:
        self.alarm.look()
        if int(self._desk.overlay.tally[COMPUTED]) * self._lender.price > MOST_WORK:
            raise TooManyError

    def _make_room(self) -> None:
        """Also for those who come later."""
        old, n = self._desk, self._lender.base.n
        self._desk = _Desk(self._lender.base, min(4 * old.room, n + 1))
        self._desk.overlay.tally[:] = old.overlay.tally
        self._desk.chosen[:] = old.chosen
        self._set_near()

    def _decide(self, flips: tuple[Pair, ...]) -> int | None:
        """The rival that wins, in exact arithmetic if need be."""
        query = self.query
        self.exact_checks += 1
        decider = Decider(query.network, query.graph)
        return decider.rival(query.claim.node, query.claim.label, query.rivals, flips, self.alarm)

    def _note_chosen(self, size: int) -> None:
        """A set that was just evaluated is an attack."""
        scores = self._desk.overlay.score
        self._note(self._names(self._desk.chosen[:size].tolist()), int(self._rivals[scores[self._rivals].argmax()]))

    def _note(self, flips: tuple[Pair, ...], rival: int | None) -> None:
        self.attack, self.rival = flips, rival
        if self._progress is not None:
            self._progress(self.lower, len(flips) - 1)

    def _raise_lower(self, size: int) -> None:
        self.lower = size
        if self._progress is not None:
            self._progress(size, None)

    def _stats(self, started: float) -> Stats:
        return Stats(
            nodes=1, seconds=time.perf_counter() - started, leaves=1, fragile=self.fragile, exploration=0.0,
            evaluations=self.evaluations, exact_checks=self.exact_checks,
        )  # fmt: skip

    def verdict(self, started: float) -> Verdict:
        """Of a question that is settled."""
        return verdict_of(self.query, self.attack, self.rival, None, self._stats(started))

    def find_radius(self, started: float) -> Radius:
        """What is known when it is settled, left to bounds (the reason is "incomplete"), or at an end."""
        try:
            return self._radius(started, None if self.run(first_only=False) else "incomplete")
        except KeyboardInterrupt:
            self.alarm.interrupted = True
        except TimeUpError:
            pass
        return self._radius(started, self.alarm.reason)

    def _radius(self, started: float, reason: str | None) -> Radius:
        robust = reason is None and self.attack is None
        return radius_of(self.query, self.lower, self.attack, self.rival, reason, self._stats(started), robust=robust)


_warm = False


def warm_up_few() -> None:
    """Load the kernels of this strategy, or compile them, before a clock runs: on three vertices."""
    global _warm  # noqa: PLW0603
    if _warm:
        return
    _warm = True
    from ...model.network import Layer
    from ...model.query import make_query
    from ...model.threat import Threat

    layer = Layer([[0.0], [0.0]], [[1.0], [1.0]], [1.0, 0.0], "sum", "none")  # class 0 wins, whatever is flipped
    graph = Graph([[0, 2], [1, 1]], [[1.0], [1.0], [0.0]], directed=True)
    few = FewGraphs(make_query(Network([layer]), graph, Threat(2), node=1, label=0), Alarm())
    assert few.run(first_only=True)

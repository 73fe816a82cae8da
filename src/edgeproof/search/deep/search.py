"""Networks of any depth and aggregation where pairs are too many to list: all single flips, and beams from them. Size 1
is settled: flips that no bound leaves out are evaluated. Of larger sizes it finds attacks, and proves nothing.

Theory: "Single insertions through any depth".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property

import numpy as np

from ...arithmetic.decide import Decider
from ...model.arrays import IntArray
from ...model.graph import Pair
from ...model.injection import NewEnds
from ...model.query import Query
from ..base.evaluator import FlipEvaluator
from ..base.layout import ALONE, GCN
from ..base.overlay import MOST_FLIPS
from ..base.row_scores import score_row
from ..budget.limits import IncompleteError, Limits
from ..deadline import Alarm
from .insertions import Insertions
from .outskirts import Outskirts, survey
from .question import make_question
from .stand import Stand

# of single flips that are kept a row, flip sets that a beam grows, and pairs that it tries everywhere
KEPT, WIDTH, POOL = 32, 6, 512


class AnyDepthSearch:
    """The same calls as `SizeSearch`."""

    def __init__(
        self, query: Query, alarm: Alarm, node_limit: int | None, on_attack: Callable[[list[Pair]], None]
    ) -> None:
        self.query, self._on_attack = query, on_attack
        self.evaluator = FlipEvaluator(query)
        base = self.evaluator.base
        hearing = base.how[base.how != ALONE]
        self._depth = hearing.size
        self._far_senders = bool(hearing.size and hearing[0] == GCN)
        self._decider = Decider(query.network, query.graph)
        self._refuted: set[frozenset[Pair]] = set()
        self._arcs = np.zeros((3, 2 * MOST_FLIPS + 2), dtype=np.int64)
        self._stop = np.zeros(1, dtype=np.int64)
        self._alarm = alarm
        self._seeds: list[tuple[float, Pair]] = []
        self.limits = Limits(alarm, node_limit, self._stop, 0)
        self.attack: list[Pair] | None = None
        self.rival: int | None = None
        self.nodes = self.exact_checks = self.evaluations = 0

    @cached_property
    def _bounds(self) -> Insertions | None:
        question = make_question(self.query)
        return None if question is None else Insertions(Stand(question))

    @cached_property
    def _outskirts(self) -> Outskirts | None:
        return None if self._bounds is None or self.query.graph.directed else survey(self._bounds)

    # --- which flips there are ---

    def _near(self, flips: tuple[Pair, ...]) -> dict[int, int]:
        """How far vertices are from the node, where it may not hear of them otherwise; deletions are not looked at."""
        graph, node = self.query.graph, self.query.claim.node
        assert node is not None
        more: dict[int, list[int]] = {}
        for u, v in flips:
            more.setdefault(v, []).append(u)
            if not graph.directed:
                more.setdefault(u, []).append(v)
        near, layer = {node: 0}, [node]
        for distance in range(1, self._depth + 1):
            found = []
            for w in layer:
                for x in [*graph.in_neighbours(w).tolist(), *more.get(w, [])]:
                    if x not in near:
                        near[x] = distance
                        found.append(x)
            layer = found
        return near

    def _allowed(self, w: int, flips: tuple[Pair, ...], spent: IntArray) -> IntArray:
        """The x of pairs x -> w that may flip."""
        query, graph, threat = self.query, self.query.graph, self.query.threat
        node, n = query.claim.node, graph.num_vertices
        inside = graph.in_neighbours(w)
        allowed = np.zeros(n, dtype=np.bool_)
        if threat.insert is True or (threat.insert == "target" and w == node):
            allowed[:] = True
        elif threat.insert == "target" and not graph.directed and node is not None:
            allowed[node] = True
        elif isinstance(threat.insert, NewEnds):
            allowed[0 if w >= threat.insert.first else threat.insert.first :] = True
        allowed[w] = False
        allowed[inside] = threat.delete
        room = self._room(spent)
        if not graph.directed:
            allowed &= room
        if not room[w]:
            allowed[:] = False
        for u, v in (*flips, *threat.protected_pairs(graph)):
            if v == w:
                allowed[u] = False
            if u == w and not graph.directed:
                allowed[v] = False
        return np.flatnonzero(allowed)

    def _room(self, spent: IntArray) -> np.ndarray:
        local = self.query.threat.local_budget
        if local is None:
            return np.ones(spent.size, dtype=np.bool_)
        return spent < local

    def _rows(self, flips: tuple[Pair, ...]) -> Iterator[tuple[int, IntArray]]:
        """(w, sources) of all flips that can matter alone after these, each pair once."""
        graph = self.query.graph
        spent = np.zeros(graph.num_vertices, dtype=np.int64)
        for u, v in flips:
            spent[v] += 1
            spent[u] += not graph.directed and u != v
        near = self._near(flips)
        rank = np.full(graph.num_vertices, len(near) + 1)
        hears = [w for w, distance in near.items() if distance < self._depth]
        rank[hears] = np.arange(len(hears))
        for w in hears:
            xs = self._allowed(w, flips, spent)
            if not graph.directed:
                xs = xs[rank[xs] >= rank[w]]  # the others were met from their other end
            yield w, xs
        if not self._far_senders:
            return
        # what the farthest hear does not matter, but how many: one partner stands for all that are farther
        far = [w for w, distance in near.items() if distance == self._depth]
        outside = len(near) + 1
        rank[far] = len(hears) + np.arange(len(far))
        for w in far:
            xs = self._allowed(w, flips, spent)
            there = np.isin(xs, graph.in_neighbours(w))
            beyond = rank[xs] == outside if not graph.directed else np.ones(xs.size, dtype=np.bool_)
            beside = xs[(rank[xs] > rank[w]) & ~beyond] if not graph.directed else xs[:0]
            if self._bounds is not None:
                beside = beside[np.isin(beside, graph.in_neighbours(w))]  # the others: _far_pairs_break
            yield w, np.concatenate([beside, xs[beyond & ~there][:1], xs[beyond & there][:1]])

    # --- passes ---

    def _lay(self, flips: tuple[Pair, ...]) -> int:
        graph, count = self.query.graph, 0
        for u, v in flips:
            for s, t in ((u, v),) if graph.directed or u == v else ((u, v), (v, u)):
                self._arcs[:, count] = s, t, not graph.has_edge(s, t)
                count += 1
        return count

    def _breaks_one(self, w: int, xs: IntArray, flips: tuple[Pair, ...], top: list[tuple[float, Pair]]) -> bool:
        """Whether one of the pairs xs -> w does, after these flips; the best are put into `top`."""
        self.limits.check(self.nodes)
        if not xs.size:
            return False
        values, errors = self._score(w, xs, self._lay(flips))
        graph = self.query.graph
        open_ = np.flatnonzero(~(values + errors <= 0.0))
        for k in open_[np.argsort(-values[open_], kind="stable")]:
            if self._breaks([*flips, graph.pair(int(xs[k]), w)]):
                return True
        best = np.argsort(-values, kind="stable")[:KEPT]
        top += [(float(values[k]), graph.pair(int(xs[k]), w)) for k in best]
        if len(top) > 8 * KEPT:
            top[:] = sorted(top, key=lambda one: -one[0])[:KEPT]
        return False

    def _score(self, w: int, xs: IntArray, count: int) -> tuple[np.ndarray, np.ndarray]:
        values, errors = np.full(xs.size, np.inf), np.full(xs.size, np.inf)
        made, one = 0, self.evaluator
        while made < xs.size:
            at = score_row(
                one.lent, one.held, one.node, self.query.claim.label, one.rivals, self._arcs, count, w, xs, made,
                values, errors, self._stop,
            )  # fmt: skip
            self.limits.check(self.nodes)
            self.evaluations += at - made
            made = at
            if made < xs.size:
                one.make_more_room()
        return values, errors

    def _breaks(self, pairs: list[Pair]) -> bool:
        key = frozenset(pairs)
        if key in self._refuted:
            return False
        claim = self.query.claim
        self.limits.check(self.nodes)
        self.exact_checks += 1
        rival = self._decider.rival(claim.node, claim.label, self.query.rivals, sorted(key), self._alarm)
        if rival is None:
            self._refuted.add(key)
            return False
        self.attack, self.rival = sorted(key), rival
        self._on_attack(self.attack)
        return True

    # --- size 1 ---

    def _settle_one(self) -> bool:
        self._seeds = []
        for w, xs in self._rows(()):
            if self._breaks_one(w, self._doubtful(w, xs), (), self._seeds):
                return True
        return self._far_pairs_break()

    def _bounded(self, w: int, xs: IntArray) -> IntArray:
        """Which of the x are insertions that bounds are made for."""
        bounds = self._bounds
        if bounds is None:
            return np.zeros(xs.size, dtype=np.bool_)
        near, depth = bounds.stand.near, bounds.stand.question.depth
        graph = self.query.graph
        fits = (xs != w) & ~np.isin(xs, graph.in_neighbours(w))
        if not graph.directed:
            fits &= near[xs] >= depth - 1
        return fits if depth - 2 <= near[w] < depth else np.zeros(xs.size, dtype=np.bool_)

    def _doubtful(self, w: int, xs: IntArray) -> IntArray:
        """Those that no bound leaves out."""
        bounds, bounded = self._bounds, self._bounded(w, xs)
        keep = ~bounded
        if bounds is None or not bounded.any():
            return xs
        stand, outskirts = bounds.stand, self._outskirts
        if outskirts is not None and stand.near[w] == stand.question.depth - 1:
            at = int(stand.place[w] - stand.place[outskirts.ends[0]])
            if outskirts.is_harmless(at, stand.errors[-1]):
                return xs[keep]
        outer = stand.near[xs] >= stand.question.depth
        for chosen in (np.flatnonzero(bounded & outer), np.flatnonzero(bounded & ~outer)):
            if chosen.size:
                self.limits.check(self.nodes)
                bound = bounds.bound(w, xs[chosen])
                keep[chosen] = ~(bound + stand.errors[-1] <= 0.0)
                best = np.argsort(-bound, kind="stable")[:KEPT]
                pairs = [self.query.graph.pair(int(x), w) for x in xs[chosen[best]]]
                self._seeds += zip(bound[best].tolist(), pairs, strict=True)
        return xs[keep]

    def _far_pairs_break(self) -> bool:
        """Insertions between two of the farthest whose degree matters."""
        bounds, outskirts, threat = self._bounds, self._outskirts, self.query.threat
        elsewhere = threat.insert is True or isinstance(threat.insert, NewEnds)
        if bounds is None or outskirts is None or not self._far_senders or not elsewhere:
            return False
        stand, spent = bounds.stand, np.zeros(self.query.graph.num_vertices, dtype=np.int64)
        inner = int(stand.count[stand.question.depth - 1] - stand.count[stand.question.depth - 2])
        for at in range(inner, outskirts.ends.size):
            w = int(outskirts.ends[at])
            if outskirts.is_harmless(at, stand.errors[-1]):
                continue
            xs = outskirts.partners(at, stand.errors[-1])
            xs = xs[stand.place[xs] > stand.place[w]]
            xs = np.setdiff1d(np.intersect1d(xs, self._allowed(w, (), spent)), self.query.graph.in_neighbours(w))
            if self._breaks_one(w, xs, (), self._seeds):
                return True
        return False

    # --- larger sizes: attacks ---

    def _pool(self) -> list[Pair]:
        return [pair for _, pair in sorted(self._seeds, key=lambda one: -one[0])[:POOL]]

    def _extensions(self, flips: tuple[Pair, ...], pool: list[Pair]) -> Iterator[tuple[int, IntArray]]:
        """What is tried after these flips: any pair at the node and at the ends that came, and what was best alone."""
        graph, node = self.query.graph, self.query.claim.node
        assert node is not None
        spent = np.zeros(graph.num_vertices, dtype=np.int64)
        for u, v in flips:
            spent[v] += 1
            spent[u] += not graph.directed and u != v
        near = self._near(flips)
        ends = {node, *(end for pair in flips for end in pair)}
        full = [w for w in sorted(ends) if near.get(w, self._depth) < self._depth]
        for w in full:
            yield w, self._allowed(w, flips, spent)
        rows: dict[int, list[int]] = {}
        for u, v in pool:
            if (u, v) not in flips:
                rows.setdefault(v, []).append(u)
        for w, xs in rows.items():
            if w not in full:
                yield w, np.intersect1d(xs, self._allowed(w, flips, spent))

    # --- the calls ---

    def settle(self, size: int) -> bool:
        if size > 1:
            raise IncompleteError
        self.nodes += 1
        return self._settle_one()

    def beam(self, size: int) -> bool:
        held: list[tuple[float, tuple[Pair, ...]]] = [(-np.inf, ())]
        pool = self._pool()
        for _ in range(min(size, MOST_FLIPS)):
            grown: dict[frozenset[Pair], tuple[float, tuple[Pair, ...]]] = {}
            for _, flips in held:
                self.nodes += 1
                top: list[tuple[float, Pair]] = []
                for w, xs in self._extensions(flips, pool):
                    if self._breaks_one(w, xs, flips, top):
                        return True
                best = sorted(top, key=lambda one: -one[0])[:KEPT]
                grown.update((frozenset((*flips, pair)), (value, (*flips, pair))) for value, pair in best)
            held = sorted(grown.values(), key=lambda one: -one[0])[:WIDTH]
        return False

    def counts(self) -> dict[str, int]:
        return {"nodes": self.nodes, "evaluations": self.evaluations, "exact_checks": self.exact_checks}

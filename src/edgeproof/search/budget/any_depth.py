"""Networks of any depth and aggregation where pairs are too many to list: all single flips one after the other, and
beams from them. That settles size 1; of larger sizes it finds attacks, and proves nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from ...arithmetic.decide import Decider
from ...model.arrays import IntArray
from ...model.graph import Pair
from ...model.query import Query
from ..base.evaluator import FlipEvaluator
from ..base.layout import ALONE, GCN
from ..base.overlay import MOST_FLIPS
from ..base.row_scores import score_row
from ..deadline import Alarm
from .limits import IncompleteError, Limits

KEPT, WIDTH = 32, 6


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
        self.limits = Limits(alarm, node_limit, self._stop, 0)
        self.attack: list[Pair] | None = None
        self.rival: int | None = None
        self.nodes = self.exact_checks = self.evaluations = 0

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
            yield w, np.concatenate([beside, xs[beyond & ~there][:1], xs[beyond & there][:1]])

    # --- passes ---

    def _pass(self, flips: tuple[Pair, ...]) -> tuple[list[tuple[float, Pair]], list[tuple[float, Pair]]]:
        """The best single flips after these, best first; and all that may break the claim."""
        self.limits.check(self.nodes)
        self.nodes += 1
        graph = self.query.graph
        count = 0
        for u, v in flips:
            for s, t in ((u, v),) if graph.directed or u == v else ((u, v), (v, u)):
                self._arcs[:, count] = s, t, not graph.has_edge(s, t)
                count += 1
        best: list[tuple[float, Pair]] = []
        doubtful: list[tuple[float, Pair]] = []
        for w, xs in self._rows(flips):
            values, errors = self._score(w, xs, count)
            open_ = ~(values + errors <= 0.0)
            doubtful += [(float(values[k]), graph.pair(int(xs[k]), w)) for k in np.flatnonzero(open_)]
            top = np.argsort(-values, kind="stable")[:KEPT]
            best += [(float(values[k]), graph.pair(int(xs[k]), w)) for k in top]
            if len(best) > 8 * KEPT:
                best = sorted(best, key=lambda one: -one[0])[:KEPT]
        return sorted(best, key=lambda one: -one[0])[:KEPT], sorted(doubtful, key=lambda one: -one[0])

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

    # --- the calls ---

    def settle(self, size: int) -> bool:
        if size > 1:
            raise IncompleteError
        return any(self._breaks([pair]) for _, pair in self._pass(())[1])

    def beam(self, size: int) -> bool:
        held: list[tuple[float, tuple[Pair, ...]]] = [(-np.inf, ())]
        for _ in range(min(size, MOST_FLIPS)):
            grown: dict[frozenset[Pair], tuple[float, tuple[Pair, ...]]] = {}
            for _, flips in held:
                best, doubtful = self._pass(flips)
                if any(self._breaks([*flips, pair]) for _, pair in doubtful):
                    return True
                grown.update((frozenset((*flips, pair)), (value, (*flips, pair))) for value, pair in best)
            held = sorted(grown.values(), key=lambda one: -one[0])[:WIDTH]
        return False

    def counts(self) -> dict[str, int]:
        return {"nodes": self.nodes, "evaluations": self.evaluations, "exact_checks": self.exact_checks}

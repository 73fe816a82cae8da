"""A second checker of proofs, naive on purpose: one node at a time, rationals, every graph below a node looked at.

It says `refused`, `accepted` or `open`. The real one must refuse what is refused here and accept what is accepted here.
Open is what the real one may decide either way: a leaf that is true, but closed by an exact box bound within the stated
rounding band of 0 (`ROUNDED` times the error of an objective, as the real one computes it), or closed by lines, which
are not followed here (a box below marks 8, 16 or 32; a line above more graphs than the real one evaluates instead).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations

from edgeproof.model.query import Query
from edgeproof.proof.bounds import ROUNDED
from edgeproof.proof.enclose import Enclosure
from edgeproof.proof.setting import Setting

MOST_BY_LINES = 64  # graphs below a leaf that the real one evaluates where its lines do not close it
Rows = list[list[Fraction]]
Interval = tuple[Fraction, Fraction]


class RefusedError(Exception):
    """The first thing wrong."""


def exact(values) -> Rows:
    return [[Fraction(float(x)) for x in row] for row in values]


class NaiveChecker:
    def __init__(self, query: Query) -> None:
        self.query = query
        graph, network = query.graph, query.network
        self.n, self.directed, self.node = graph.num_vertices, graph.directed, query.claim.node
        self.edges = set(zip(graph.sources.tolist(), graph.targets.tolist(), strict=True))
        self.features = exact(graph.features.dense())
        self.depth = sum(not layer.is_dense for layer in network.layers)
        self.rivals, self.label = query.rivals, query.claim.label
        self.layers = [
            (exact(one.C), exact(one.A), exact([one.b])[0], one.aggregation.value, exact([one.negative_slopes])[0])
            for one in network.layers
        ]
        self.head = [(exact(one.C), exact([one.b])[0], exact([one.negative_slopes])[0]) for one in network.head]
        self.known: dict[frozenset[tuple[int, int]], list[Fraction]] = {}
        enclosure = Enclosure(Setting(query))
        self.finite = enclosure.finite
        self.band = [Fraction(x) for x in (ROUNDED * enclosure.error).tolist()]

    # --- who may flip ---

    def name(self, u: int, v: int) -> tuple[int, int]:
        return (u, v) if self.directed or u <= v else (v, u)

    def ways(self, u: int, v: int) -> set[tuple[int, int]]:
        return {(u, v)} if self.directed else {(u, v), (v, u)}

    def payers(self, pair: tuple[int, int]) -> set[int]:
        return {pair[1]} if self.directed else set(pair)

    def fragile(self, threat: dict) -> set[tuple[int, int]]:
        protected = {self.name(*pair) for pair in threat["protected"]}
        if threat["fragile"] is not None:
            return {self.name(*pair) for pair in threat["fragile"]} - protected
        found = set()
        for u in range(self.n):
            for v in range(self.n):
                if (u, v) in self.edges:
                    chosen = threat["delete"]
                elif threat["insert"] == "target":
                    chosen = u != v and (v == self.node or (not self.directed and u == self.node))
                else:
                    chosen = threat["insert"] and u != v
                if chosen:
                    found.add(self.name(u, v))
        return found - protected

    def that_matter(self, fragile: set[tuple[int, int]], budget: int | None) -> set[tuple[int, int]]:
        """Pairs into a vertex from which the node is nearer than `depth`, over edges and the insertions left."""
        if self.depth == 0 or budget == 0:
            return set()
        if self.node is None:
            return set(fragile)
        absent = {way for u, v in fragile if (u, v) not in self.edges for way in self.ways(u, v)}
        insertions = (self.depth if budget is None else min(budget, self.depth)) - 1
        reached = {(self.node, 0)}  # vertex, insertions used
        for _ in range(self.depth - 1):
            further = {(u, k) for v, k in reached for u in range(self.n) if (u, v) in self.edges}
            further |= {(u, k + 1) for v, k in reached for u in range(self.n) if (u, v) in absent and k < insertions}
            reached |= further
        near = {v for v, _ in reached}
        return {pair for pair in fragile if near & self.payers(pair)}

    # --- what the network says ---

    def act(self, values: list[Fraction], slopes: list[Fraction]) -> list[Fraction]:
        return [x if x >= 0 else x * slope for x, slope in zip(values, slopes, strict=True)]

    def aggregate(self, how: str, rows: Rows) -> list[Fraction]:
        columns = list(zip(*rows, strict=True))
        if how == "max":
            return [max(column) for column in columns]
        return [sum(column) / (len(rows) if how == "mean" else 1) for column in columns]

    def objectives(self, flips: frozenset[tuple[int, int]]) -> list[Fraction]:
        """`score[rival] - score[label]` with these pairs flipped."""
        if flips not in self.known:
            edges = self.edges ^ {way for pair in flips for way in self.ways(*pair)}
            h = self.features
            for C, A, b, how, slopes in self.layers:
                above = []
                for v in range(self.n):
                    around = [h[u] for u in range(self.n) if (u, v) in edges]
                    row = [x + y for x, y in zip(times(C, h[v]), b, strict=True)]
                    if around:
                        row = [x + y for x, y in zip(row, times(A, self.aggregate(how, around)), strict=True)]
                    above.append(self.act(row, slopes))
                h = above
            if self.node is not None:
                scores = h[self.node]
            else:
                held = self.query.network.readout
                scores = times(exact(held.C), self.aggregate(held.pool.value, h))
                scores = [x + y for x, y in zip(scores, exact([held.b])[0], strict=True)]
                for C, b, slopes in self.head:
                    scores = self.act([x + y for x, y in zip(times(C, scores), b, strict=True)], slopes)
            self.known[flips] = [scores[r] - scores[self.label] for r in self.rivals]
        return self.known[flips]

    # --- the file ---

    def says(self, data: bytes) -> str:
        try:
            return "accepted" if self.check(data) else "open"
        except RefusedError:
            return "refused"

    def check(self, data: bytes) -> bool:
        """Whether every argument holds beyond doubt; raises RefusedError for one that does not."""
        if hashlib.sha256(data[:-32]).digest() != data[-32:]:
            raise RefusedError("digest")
        _, line, body = data[:-32].split(b"\n", 2)
        header = json.loads(line)
        claim, threat = header["claim"], header["threat"]
        about = (header["network"], header["graph"], claim["node"], claim["label"], claim["target"])
        asked = self.query.claim
        if about != (
            self.query.network.fingerprint, self.query.graph.fingerprint, asked.node, asked.label, asked.target,
        ):  # fmt: skip
            raise RefusedError("another question")
        fragile = self.fragile(threat)
        self.pairs = sorted(self.that_matter(fragile, threat["budget"]))
        self.table = [tuple(pair) for pair in header["pairs"]]
        budget = len(self.pairs) if threat["budget"] is None else threat["budget"]
        local = threat["local_budget"]
        spare = {
            v: len(self.pairs) if local is None else local[v] if isinstance(local, list) else local
            for v in range(self.n)
        }
        self.bytes, self.at, self.count = body, 0, 0
        sure = self.below({}, budget, spare, set(), False)
        if self.at != len(body) or self.count != header["nodes"]:
            raise RefusedError("the tree's end")
        return sure

    def byte(self) -> int:
        if self.at == len(self.bytes):
            raise RefusedError("ends early")
        self.at += 1
        return self.bytes[self.at - 1]

    def below(self, decided: dict, left: int, spare: dict[int, int], lined: set[int], tightened: bool) -> bool:
        """One node and all below it. lined: rivals that lines may have excluded; tightened: boxes may be narrower."""
        self.count += 1
        mark = self.byte()
        kind = mark & 7
        if kind > 5 or (kind == 2 and mark & ~0b11010) or (kind not in (0, 2) and mark > 7) or mark > 127:
            raise RefusedError("mark")
        if not self.finite and (kind in (1, 2) or mark & 56):
            raise RefusedError("too large to be bounded")
        open_pairs = [pair for pair in self.pairs if pair not in decided]
        movable = [p for p in open_pairs if left > 0 and all(spare[w] > 0 for w in self.payers(p))]
        flipped = frozenset(pair for pair, flip in decided.items() if flip)
        if kind:
            return self.leaf(kind, movable, left, spare, flipped, lined, tightened or bool(mark & 16))
        row, shift = 0, 0
        while True:
            digit = self.byte()
            row |= (digit & 127) << shift
            shift += 7
            if digit < 128:
                break
        if shift > 7 and digit == 0:
            raise RefusedError("superfluous byte")
        if row >= len(self.table) or self.table[row] not in open_pairs:
            raise RefusedError("pair")
        pair = self.table[row]
        if mark & 40:
            graphs = list(self.graphs(movable, left, spare, flipped))
            lined = lined | {r for r in range(len(self.rivals)) if all(self.objectives(g)[r] <= 0 for g in graphs)}
        sure = True
        for flip in (False, True) if mark & 64 else (True, False):
            if flip and pair not in movable:
                continue
            after = {w: spare[w] - (flip and w in self.payers(pair)) for w in spare}
            child = self.below(decided | {pair: flip}, left - flip, after, lined, tightened or bool(mark & 16))
            sure = sure and child
        return sure

    def graphs(self, movable: list, left: int, spare: dict[int, int], flipped: frozenset) -> Iterator[frozenset]:
        for size in range(min(left, len(movable)) + 1):
            for chosen in combinations(movable, size):
                if all(sum(w in self.payers(pair) for pair in chosen) <= spare[w] for w in spare):
                    yield flipped | set(chosen)

    def leaf(
        self, kind: int, movable: list, left: int, spare: dict[int, int], flipped: frozenset, lined: set[int],
        tightened: bool,
    ) -> bool:  # fmt: skip
        graphs = [flipped] if kind in (3, 4) else list(self.graphs(movable, left, spare, flipped))
        if kind == 3 and movable:
            raise RefusedError("spent")
        if kind == 4 and self.can_matter(movable, flipped):
            raise RefusedError("settled")
        if kind == 5 and left > 2 and len(movable) > left:
            raise RefusedError("enumerated")
        if any(x > 0 for one in graphs for x in self.objectives(one)):
            raise RefusedError("false")
        few = sum(1 for size in range(min(left, len(movable)) + 1) for _ in combinations(movable, size))
        if kind > 2 or (kind == 2 and few <= MOST_BY_LINES):
            return True
        bounds = Boxes(self, movable, left, spare, flipped).above()
        sure = all(bound <= -band for bound, band in zip(bounds, self.band, strict=True))
        if kind == 1 and not tightened:
            beyond = [r for r, bound in enumerate(bounds) if bound > self.band[r] and r not in lined]
            if beyond:
                raise RefusedError("box")
        return sure

    def can_matter(self, movable: list, flipped: frozenset) -> bool:
        """Whether a pair that may still flip leads to where the node is nearer than `depth`."""
        if self.node is None:
            return bool(movable) and self.depth > 0
        usable = self.edges ^ {way for pair in flipped for way in self.ways(*pair)}
        usable |= {way for pair in movable for way in self.ways(*pair)}
        near = {self.node} if self.depth else set()
        for _ in range(self.depth - 1):
            near |= {u for u, v in usable if v in near}
        return any(near & self.payers(pair) for pair in movable)


def times(matrix: Rows, column: list[Fraction]) -> list[Fraction]:
    return [sum((w * x for w, x in zip(row, column, strict=True)), Fraction(0)) for row in matrix]


class Boxes:
    """Interval bounds below one node, as docs/proofs.md says under "Boxes", without rounding."""

    def __init__(self, checker: NaiveChecker, movable: list, left: int, spare: dict[int, int], flipped: frozenset):
        self.c = checker
        now = checker.edges ^ {way for pair in flipped for way in checker.ways(*pair)}
        moves = {way for pair in movable for way in checker.ways(*pair)}
        # slots into v: source, is there, may change
        self.slots = [
            [(u, (u, v) in now, (u, v) in moves) for u in range(checker.n) if (u, v) in now | moves]
            for v in range(checker.n)
        ]
        # who may ever be a neighbour decides whether the columns of the first layer are all 0 or one number
        ever = checker.edges | {way for pair in checker.pairs for way in checker.ways(*pair)}
        self.ever = [[u for u in range(checker.n) if (u, v) in ever] for v in range(checker.n)]
        self.cap = [min(sum(m for *_, m in s), left, spare[v]) for v, s in enumerate(self.slots)]

    def times(self, matrix: Rows, box: list[Interval]) -> list[Interval]:
        out = []
        for row in matrix:
            ends = [(w * lo, w * hi) for w, (lo, hi) in zip(row, box, strict=True)]
            out.append((sum(min(e) for e in ends) + Fraction(0), sum(max(e) for e in ends) + Fraction(0)))
        return out

    def stages(self) -> tuple[list[tuple], bool]:
        """Layers, readout and head as (kind, how, C, A, b, slopes); whether the last gives differences."""
        network = self.c.query.network
        out = [
            ("dense" if layer.is_dense else "graph", how, C, A, b, slopes)
            for layer, (C, A, b, how, slopes) in zip(network.layers, self.c.layers, strict=True)
        ]
        if network.readout is not None:
            held, head = network.readout, list(self.c.head)
            C, b = exact(held.C), exact([held.b])[0]
            slopes = [Fraction(1)] * len(b)
            identity = all(w == (i == j) for i, row in enumerate(C) for j, w in enumerate(row)) and not any(b)
            if head and identity and len(C) == len(C[0]):
                (C, b, slopes), head = head[0], head[1:]
            out.append(("pool", held.pool.value, None, C, b, slopes))
            out += [("dense", "sum", C, None, b, slopes) for C, b, slopes in head]
        kind, how, C, A, b, slopes = out[-1]
        if any(slope != 1 for slope in slopes):
            return out, False
        C, A = (None if M is None else [minus(M[r], M[self.c.label]) for r in self.c.rivals] for M in (C, A))
        b = [b[r] - b[self.c.label] for r in self.c.rivals]
        slopes = [Fraction(1)] * len(b)
        out[-1] = (kind, how, C, A, b, slopes)
        if len(out) > 1 and kind == "pool" and how != "max" and all(slope == 1 for slope in out[-2][5]):
            kind2, how2, C2, A2, b2, _ = out[-2]
            joined = [
                [sum(w * M[k][j] for k, w in enumerate(row)) for j in range(len(M[0]))] for M in (C2, A2) for row in A
            ]
            identity = [[Fraction(i == j) for j in range(len(A))] for i in range(len(A))]
            out[-2] = (kind2, how2, joined[: len(A)], joined[len(A) :], times(A, b2), slopes)
            out[-1] = (kind, how, None, identity, b, slopes)
        return out, True

    def above(self) -> list[Fraction]:
        """An upper bound of every objective."""
        stages, differences = self.stages()
        box = [[(x, x) for x in row] for row in self.c.features]
        for t, (kind, how, C, A, b, slopes) in enumerate(stages):
            if kind == "pool":
                box = [self.pool(how, A, box)]
            else:
                box = [self.vertex(t, v, kind, how, C, A, box) for v in range(len(box))]
            box = [[(lo + k, hi + k) for (lo, hi), k in zip(row, b, strict=True)] for row in box]
            box = [
                [tuple(x if x >= 0 else x * s for x in ends) for ends, s in zip(row, slopes, strict=True)]
                for row in box
            ]
        last = box[0 if self.c.node is None else self.c.node]
        if differences:
            return [hi for _, hi in last]
        return [last[r][1] - last[self.c.label][0] for r in self.c.rivals]

    def pool(self, how: str, A: Rows, box: list) -> list[Interval]:
        if how == "max":
            columns = list(zip(*box, strict=True))
            return self.times(A, [(max(lo for lo, _ in c), max(hi for _, hi in c)) for c in columns])
        rows = [self.times(A, one) for one in box]
        share = len(rows) if how == "mean" else 1
        return [(sum(lo for lo, _ in c) / share, sum(hi for _, hi in c) / share) for c in zip(*rows, strict=True)]

    def vertex(self, t: int, v: int, kind: str, how: str, C: Rows, A: Rows, box: list) -> list[Interval]:
        own = self.times(C, box[v])
        if kind == "dense" or not self.ever[v]:
            return own
        if how == "max":
            around = self.carried(v, A, box) if t == 0 and self.is_uniform(v) else self.times(A, self.largest(v, box))
        else:
            sent = {u: self.times(A, box[u]) for u, *_ in self.slots[v]}
            gather = self.summed if how == "sum" else self.averaged
            around = [gather(v, {u: row[i] for u, row in sent.items()}) for i in range(len(own))]
        return [(lo + x, hi + y) for (lo, hi), (x, y) in zip(own, around, strict=True)]

    def summed(self, v: int, sent: dict[int, Interval]) -> Interval:
        low = sum((sent[u][0] for u, there, _ in self.slots[v] if there), Fraction(0))
        high = sum((sent[u][1] for u, there, _ in self.slots[v] if there), Fraction(0))
        falls = sorted((sent[u][0] if there else -sent[u][0] for u, there, m in self.slots[v] if m), reverse=True)
        rises = sorted((-sent[u][1] if there else sent[u][1] for u, there, m in self.slots[v] if m), reverse=True)
        k = self.cap[v]
        return low - sum(max(x, Fraction(0)) for x in falls[:k]), high + sum(max(x, Fraction(0)) for x in rises[:k])

    def averaged(self, v: int, sent: dict[int, Interval]) -> Interval:
        """Every number of deletions and insertions, each of the best by rank."""
        slots = self.slots[v]
        there = [u for u, t, _ in slots if t]
        goes, comes = [u for u, t, m in slots if t and m], [u for u, t, m in slots if m and not t]
        lows, highs = [], []
        for i in range(len(goes) + 1):
            for j in range(len(comes) + 1):
                if i + j > self.cap[v]:
                    continue
                left = len(there) - i + j
                if left == 0:
                    lows.append(Fraction(0))
                    highs.append(Fraction(0))
                    continue
                low = sum((sent[u][0] for u in there), Fraction(0)) + sum(sorted(sent[u][0] for u in comes)[:j])
                low -= sum(sorted((sent[u][0] for u in goes), reverse=True)[:i])
                high = sum((sent[u][1] for u in there), Fraction(0)) - sum(sorted(sent[u][1] for u in goes)[:i])
                high += sum(sorted((sent[u][1] for u in comes), reverse=True)[:j])
                lows.append(low / left)
                highs.append(high / left)
        return min(lows), max(highs)

    def largest(self, v: int, box: list) -> list[Interval]:
        slots, cap = self.slots[v], self.cap[v]
        out = []
        if not slots:
            return [(Fraction(0), Fraction(0))] * len(box[0])
        goes = [u for u, there, m in slots if there and m]
        stays = [u for u, there, m in slots if there and not m]
        empties = not stays and len(goes) <= cap
        for i in range(len(box[0])):
            high = max((box[u][i][1] for u, *_ in slots), default=Fraction(0))
            if empties:
                alone = [u for u, there, m in slots if m and (there or cap > len(goes))]
                out.append((min([Fraction(0), *(box[u][i][0] for u in alone)]), max(high, Fraction(0))))
                continue
            ranked = sorted((box[u][i][0] for u in goes), reverse=True)
            floors = [box[u][i][0] for u in stays] + ranked[cap : cap + 1]
            out.append((max(floors), high))
        return out

    def is_uniform(self, v: int) -> bool:
        """Every column that occurs around v is 0 or one positive value."""
        rows = [self.c.features[u] for u in self.ever[v]]
        return all(len({x for x in column if x}) <= 1 and min(column) >= 0 for column in zip(*rows, strict=True))

    def carried(self, v: int, A: Rows, box: list) -> list[Interval]:
        """A max over 0/1 features: columns that are sure, hang on one slot, or on a crowd."""
        slots, cap, x = self.slots[v], self.cap[v], self.c.features
        moves = {u for u, _, m in slots if m and cap > 0}
        alone: dict[int, list[Fraction]] = {u: [Fraction(0)] * len(A) for u in moves}
        crowds: dict[tuple[int, ...], list[Fraction]] = {}
        const = [Fraction(0)] * len(A)
        for j in range(len(x[0])):
            value = max((x[u][j] for u in self.ever[v]), default=Fraction(0))
            worth = [row[j] * value for row in A]
            carriers = [(u, there) for u, there, _ in slots if x[u][j]]
            open_ones = [(u, there) for u, there in carriers if u in moves]
            going = sum(there for _, there in open_ones)
            if any(there and u not in moves for u, there in carriers) or going > cap:
                const = plus(const, worth)
            elif len(open_ones) == 1:
                u = open_ones[0][0]
                alone[u] = plus(alone[u], worth)
            elif open_ones:
                name = tuple(sorted(u for u, _ in open_ones))
                crowds[name] = plus(crowds.get(name, [Fraction(0)] * len(A)), worth)
        out = []
        for i in range(len(A)):
            sent = {u: (row[i], row[i]) for u, row in alone.items()} | {
                u: (Fraction(0), Fraction(0)) for u, *_ in slots if u not in alone
            }
            low, high = self.summed(v, sent)
            shares = [worth[i] for worth in crowds.values()]
            low += const[i] + sum(min(w, Fraction(0)) for w in shares)
            out.append((low, high + const[i] + sum(max(w, Fraction(0)) for w in shares)))
        return out


def plus(one: list[Fraction], other: list[Fraction]) -> list[Fraction]:
    return [x + y for x, y in zip(one, other, strict=True)]


def minus(one: list[Fraction], other: list[Fraction]) -> list[Fraction]:
    return [x - y for x, y in zip(one, other, strict=True)]

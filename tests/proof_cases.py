"""A claim that just holds, one that just fails, and proofs taken apart so that tests can alter them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from edgeproof import Graph, Layer, Network, Threat
from edgeproof.engines import brute
from edgeproof.model.query import Query, make_query
from edgeproof.proof.format import KEPT_FIRST, KIND_BITS, SPLIT, Reader, pack, unpack
from edgeproof.proof.statement import query_hash
from splitter import Splitter

THREAT = Threat(budget=3, local_budget=2, delete=True, insert=True, protected=[(0, 5), (1, 2)])


def _network(shift: float) -> Network:
    rng = np.random.default_rng(4)
    layers = [
        Layer(*(rng.integers(-8, 9, shape) / 4.0 for shape in ((4, 3), (4, 3), (4,)))),
        Layer(*(rng.integers(-8, 9, shape) / 4.0 for shape in ((3, 4), (3, 4), (3,))), activation="none"),
    ]
    bias = layers[1].b.copy()
    bias[0] += shift
    return Network([layers[0], Layer(layers[1].C, layers[1].A, bias, activation="none")])


def _graph() -> Graph:
    rng = np.random.default_rng(3)
    there = np.triu(rng.random((6, 6)) < 0.4, 1)
    return Graph(np.array(np.nonzero(there | there.T)), rng.integers(0, 3, (6, 3)).astype(float), directed=False)


@cache
def worst_margin() -> float:
    """How much class 0 of vertex 1 beats the others by, in the worst graph that the threat admits."""
    query = make_query(_network(0.0), _graph(), THREAT, 1, 0)
    room = brute._LocalBudgets(query)
    pairs, evaluator = brute.fragile_pairs(query), brute.Evaluator(query)
    margins = []
    for size in range(4):
        for chosen in brute._subsets(pairs, size, room):
            scores = evaluator.scores(chosen)
            margins.append(scores[0] - max(scores[1], scores[2]))
    return float(min(margins))


@cache
def case(holds: bool) -> Query:
    """Class 0 wins every admissible graph by at least 1/8, or loses the worst one by 1/8."""
    shift = -worst_margin() + (0.125 if holds else -0.125)
    return make_query(_network(shift), _graph(), THREAT, 1, 0)


@cache
def proof_of(holds: bool, seed: int = 0) -> bytes:
    return Splitter(case(holds), np.random.default_rng(seed)).write()


@dataclass
class Twig:
    """A node with its children as the file has them."""

    mark: int
    pair: int = 0
    children: list[Twig] = field(default_factory=list)

    @property
    def kind(self) -> int:
        return self.mark & KIND_BITS

    def walk(self) -> list[Twig]:
        return [self, *(one for child in self.children for one in child.walk())]

    def written(self) -> bytes:
        if self.kind != SPLIT:
            return bytes([self.mark])
        number, out = self.pair, bytearray([self.mark])
        while number > 127:
            out.append(number & 127 | 128)
            number >>= 7
        out.append(number)
        return bytes(out) + b"".join(child.written() for child in self.children)


def tree_of(data: bytes, query: Query) -> Twig:
    """Takes a valid proof apart; the budgets say which splits have two children."""
    certificate = unpack(data)
    reader, table = Reader(certificate.body), certificate.header["pairs"]
    local = query.threat.local_budget_of(0)
    assert local is not None
    assert query.threat.budget is not None

    def read(left: int, spent: dict[int, int]) -> Twig:
        mark = reader.mark()
        if mark & KIND_BITS != SPLIT:
            return Twig(mark)
        twig = Twig(mark, reader.number())
        u, v = table[twig.pair]
        allowed = left > 0 and spent.get(u, 0) < local and spent.get(v, 0) < local
        branches = [True, False] if allowed else [False]
        for flip in reversed(branches) if mark & KEPT_FIRST else branches:
            after = spent | {w: spent.get(w, 0) + 1 for w in (u, v)} if flip else spent
            twig.children.append(read(left - flip, after))
        return twig

    root = read(query.threat.budget, {})
    reader.finish()
    return root


def rewritten(data: bytes, body: bytes | None = None, nodes: int | None = None, **fields: Any) -> bytes:
    """The same file with another tree or other fields; hash and digest match again."""
    header, old = unpack(data)
    for name, value in fields.items():
        if isinstance(value, dict):
            header[name] = header[name] | value
        else:
            header[name] = value
    if "query" not in fields:
        header["query"] = query_hash(header)
    if nodes is not None:
        header["nodes"] = nodes
    return pack(header, old if body is None else body)


def regrown(data: bytes, root: Twig) -> bytes:
    return rewritten(data, root.written(), len(root.walk()))

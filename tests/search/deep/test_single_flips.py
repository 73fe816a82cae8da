"""Size 1 on graphs where most pairs are never evaluated: claims that the best single flip just breaks, or just not."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pytest

import edgeproof as ep
from edgeproof import Graph, Layer, Network, Threat
from edgeproof.model.query import make_query
from edgeproof.search.base.evaluator import FlipEvaluator
from edgeproof.search.deadline import Alarm
from edgeproof.search.deep.search import AnyDepthSearch

KINDS = (
    ("gcn", "gcn", "gcn"),
    ("mean", "mean", "mean"),
    ("sum", "gcn", "mean"),
    ("mean", "gcn", "gcn"),
    ("gcn", "dense", "gcn", "gcn"),
    ("gcn", "gcn", "gcn", "dense"),
    ("gcn", "gcn", "gcn", "gcn"),
)
CLOSE = 1e-5


def network(kinds: tuple[str, ...], rng: np.random.Generator, bias: float = 0.0) -> Network:
    widths = [5, *[6] * (len(kinds) - 1), 3]
    layers = []
    for at, kind in enumerate(kinds):
        shape = widths[at + 1], widths[at]
        own = rng.normal(size=shape) * (kind == "dense" or rng.random() < 0.5)
        heard = rng.normal(size=shape) * (kind != "dense")
        last = at == len(kinds) - 1
        shift = rng.normal(size=shape[0]) + bias * last * np.eye(shape[0])[0]
        activation = "none" if last else ("relu", "leaky_relu")[int(rng.random() < 0.3)]
        layers.append(Layer(own, heard, shift, "sum" if kind == "dense" else kind, activation, 0.1))
    return Network(layers)


def sparse_graph(n: int, rng: np.random.Generator, directed: bool) -> Graph:
    edges = np.array([[v, int(rng.integers(max(0, v - 6), v))] for v in range(1, n)]).T
    if not directed:
        edges = np.concatenate([edges, edges[::-1]], axis=1)
    return Graph(np.unique(edges, axis=1), rng.normal(size=(n, 5)), directed=directed)


def protections(graph: Graph, node: int, pairs: list[tuple[int, int]], depth: int) -> list[list[tuple[int, int]]]:
    """So that not only pairs at the node decide, but those that bounds are made for, and those next to them."""
    near, layer = {node: 0}, {node}
    for distance in range(1, depth + 1):
        layer = {x for w in layer for x in graph.in_neighbours(w).tolist() if x not in near}
        near |= dict.fromkeys(layer, distance)
    ends = [sorted((near.get(x, depth + 1), near.get(y, depth + 1))) for x, y in pairs]
    allowed = (
        lambda one, other: True,
        lambda one, other: one > 0,
        lambda one, other: (one, other) == (depth - 2, depth - 2),
        lambda one, other: one >= depth - 1,
        lambda one, other: one >= depth,
    )
    return [[pair for pair, end in zip(pairs, ends, strict=True) if not keep(*end)] for keep in allowed]


@pytest.mark.parametrize("directed", [False, True], ids=["undirected", "directed"])
@pytest.mark.parametrize("kinds", KINDS, ids=["-".join(kinds) for kinds in KINDS])
def test_the_best_single_flip_decides(kinds: tuple[str, ...], directed: bool) -> None:
    n, evaluated, pairs_there, cases = 36, 0, 0, 0
    for seed in range(4):
        graph = sparse_graph(n, np.random.default_rng((seed, 1)), directed)
        node = int(np.random.default_rng(seed).integers(n))
        pairs = list(permutations(range(n), 2)) if directed else list(combinations(range(n), 2))
        for protected in protections(graph, node, pairs, sum(kind != "dense" for kind in kinds)):
            threat = Threat(1, insert=True, protected=protected)
            weights = np.random.default_rng((seed, 2))
            query = make_query(network(kinds, weights), graph, threat, node, label=0)
            evaluator, free = FlipEvaluator(query), sorted(set(pairs) - set(protected))
            if not free:
                continue
            best = max(float(evaluator.margins([pair])[0].max()) for pair in free)
            base = float(evaluator.margins([])[0].max())
            for shift in (-CLOSE, CLOSE):
                bias = best - shift  # the label's score: the best flip has margin `shift`
                moved = network(kinds, np.random.default_rng((seed, 2)), bias)
                query = make_query(moved, graph, threat, node, label=0)
                if not base - bias < -CLOSE:
                    continue
                cases += 1
                with Alarm() as alarm:
                    search = AnyDepthSearch(query, alarm, None, lambda _: None)
                    broken = search.settle(1)
                where = f"seed {seed}, shift {shift}, {len(protected)} protected"
                assert broken == (shift > 0), where
                if shift < 0:
                    evaluated += search.evaluations
                    pairs_there += len(free)
                found = ep.radius(moved, graph, threat, node, label=0, options={"by_size_at_once": True})
                assert (found.exact, found.robust) == (True, shift < 0), where
    assert evaluated < 0.7 * pairs_there
    assert cases >= 12

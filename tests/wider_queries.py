"""Random queries whose threats are more than flips of equal cost, each reproducible from (seed, index)."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import numpy as np

import edgeproof as ep
from edgeproof.arithmetic.float64 import evaluate
from edgeproof.engines.brute import Evaluator
from edgeproof.engines.brute_wider import changes
from edgeproof.model.graph import Graph
from edgeproof.model.query import Query, make_query
from random_queries import Grid, draw

SMALL = Grid(
    vertices=(1, 2, 2, 3, 3, 3, 4, 4),
    layers=(1, 1, 2, 2, 2, 3),
    widths=(1, 2, 2, 3),
    classes=(2, 2, 3),
    features=("style", "binary", "binary", "real", "same rows"),
    budgets=(0, 1, 1, 2, 2, 2, 3, 3, None),
    most_graphs=60,
)
# what the search knows features of
LINEAR = replace(SMALL, aggregations=("sum", "mean", "gcn"), pools=("sum", "mean"))
KINDS = ("cost", "cost", "inject", "inject", "cost+inject", "features", "features", "cost+features")
MOST = 4000


def draw_wider(seed: int, index: int, kinds: tuple[str, ...] = KINDS, grid: Grid = SMALL) -> Query:
    """A query of one of these kinds, small enough for brute force."""
    rng = np.random.default_rng((seed, index, 29))
    kind = kinds[int(rng.integers(len(kinds)))]
    base = draw(seed, index, grid)
    graph, threat = base.graph, base.threat
    if "features" in kind:
        x = (rng.random((graph.num_vertices, graph.features.num_columns)) < 0.5).astype(float)
        graph = Graph(np.stack([graph.sources, graph.targets]), x, directed=graph.directed)
    for _ in range(30):
        wider = replace(threat, **_more(rng, kind, graph, threat))
        query = make_query(base.network, graph, wider, base.claim.node, base.claim.label, base.claim.target)
        if rng.random() < 0.5:
            query = replace(query, claim=replace(query.claim, label=_predicted(query), target=None))
        if sum(1 for _ in islice(changes(query), MOST + 1)) <= MOST:
            return _calibrated(rng, query)
        budget = threat.budget
        threat = replace(threat, budget=2 if budget is None else max(budget - 1, 0))
    return _calibrated(rng, query)


def _predicted(query: Query) -> int:
    scores = Evaluator(replace(query, threat=query.threat.edges_only())).scores(())
    return max(range(len(scores)), key=lambda c: (scores[c], -c))


def _more(rng: np.random.Generator, kind: str, graph: Graph, threat: ep.Threat) -> dict[str, object]:
    n, width = graph.num_vertices, graph.features.num_columns
    more: dict[str, object] = {}
    if "cost" in kind:
        pairs = [(u, v) for u in range(n) for v in range(n if graph.directed else u + 1)]
        share = (0.3, 0.6, 1.0)[int(rng.integers(3))]
        least = int(rng.integers(1, 3))
        more["cost"] = {pair: int(rng.integers(least, 4)) for pair in pairs if rng.random() < share}
        if threat.budget is not None and rng.random() < 0.5:
            more["budget"] = threat.budget + int(rng.integers(0, 3))
    if "inject" in kind:
        rows = rng.integers(-1, 3, (int(rng.integers(1, 3)), width)).astype(float)
        more["inject"] = ep.Injection(int(rng.integers(1, 3)), int(rng.integers(1, 4)), features=rows)
        more["budget"] = int(rng.integers(0, 4))
    if "features" in kind:
        budget = (None, 0, 1, 1, 2)[int(rng.integers(5))]
        local = (None, None, 1, 0)[int(rng.integers(4))]
        nodes = None if rng.random() < 0.5 else [v for v in range(n) if rng.random() < 0.6]
        columns = None if rng.random() < 0.5 else [c for c in range(width) if rng.random() < 0.6]
        add, remove = bool(rng.random() < 0.8), bool(rng.random() < 0.8)
        more["features"] = ep.FeatureFlips(budget, local, nodes, columns, add, remove)
        if budget is None and more.get("budget", threat.budget) is None:
            more["budget"] = int(rng.integers(0, 4))
    return more


def _calibrated(rng: np.random.Generator, query: Query) -> Query:
    """Often with a label that hardly keeps the claim, by a shift of its bias: random weights are seldom in doubt."""
    last = query.network.head[-1] if query.network.head else query.network.layers[-1]
    if rng.random() < 0.4 or (query.network.readout is not None and not query.network.head):
        return query
    if last.activation.value != "none":
        return query
    numbers = evaluate(query.network, query.graph, query.claim.node)
    if not np.isfinite(numbers).all() or abs(numbers).max() > 1e12:
        return query
    label = query.claim.label
    ahead = numbers[label] - max(numbers[c] for c in query.rivals)
    b = last.b.copy()
    b[label] -= ahead * (1.0 - float(rng.choice([0.0, 0.05, 0.2, 0.5])))
    shifted = ep.Layer(last.C, last.A, b, last.aggregation, last.activation, last.slope)
    network = query.network
    if network.head:
        network = ep.Network(network.layers, network.readout, network.name, [*network.head[:-1], shifted])
    else:
        network = ep.Network([*network.layers[:-1], shifted], network.readout, network.name)
    return replace(query, network=network)

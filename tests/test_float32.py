"""Claims about float32: what is said to be robust survives every order of summation that is tried."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

import edgeproof as ep
from edgeproof.engines import brute
from edgeproof.float32 import REASON, score_errors
from edgeproof.model.query import Query
from random_queries import RATIONAL, Grid, draw, fragile_pairs

GRID = Grid(
    vertices=(3, 4, 5), classes=(2, 3), most_graphs=60, styles=("gaussian", "cancelling", "dyadic"),
    calibrations=("none", "between", "tie", "last bit"),
)  # fmt: skip


class Shuffled:
    """The network in float32, every sum in an order of its own."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng

    def total(self, terms: list[np.float32]) -> np.float32:
        out = np.float32(0)
        for at in self.rng.permutation(len(terms)):
            out = np.float32(out + terms[at])
        return out

    def product(self, matrix: np.ndarray, vector: np.ndarray) -> list[list[np.float32]]:
        """Terms of each row."""
        return [[np.float32(w * x) for w, x in zip(row, vector, strict=True)] for row in matrix.astype(np.float32)]

    def act(self, values: list[np.float32], slopes: np.ndarray) -> np.ndarray:
        pairs = zip(values, slopes.astype(np.float32), strict=True)
        return np.array([x if x >= 0 else np.float32(x * k) for x, k in pairs], dtype=np.float32)

    def aggregate(self, how: str, rows: list[np.ndarray]) -> np.ndarray:
        columns = list(zip(*rows, strict=True))
        if how == "max":
            return np.array([max(column) for column in columns], dtype=np.float32)
        sums = [self.total(list(column)) for column in columns]
        return np.array(sums, dtype=np.float32) / np.float32(len(rows) if how == "mean" else 1)

    def scores(self, query: Query, graph: ep.Graph) -> np.ndarray:
        network = query.network
        h = list(graph.features.dense().astype(np.float32))
        for layer in network.layers:
            h = [self.vertex(layer, h, v, graph) for v in range(len(h))]
        if network.readout is None:
            assert query.claim.node is not None
            return h[query.claim.node]
        held = network.readout
        pooled = self.aggregate(held.pool.value, h)
        terms = self.product(held.C, pooled)
        out = np.array([self.total([*row, np.float32(b)]) for row, b in zip(terms, held.b, strict=True)])
        for layer in network.head:
            rows = self.product(layer.C, out)
            sums = [self.total([*row, np.float32(b)]) for row, b in zip(rows, layer.b, strict=True)]
            out = self.act(sums, layer.negative_slopes)
        return out

    def vertex(self, layer: ep.Layer, h: list[np.ndarray], v: int, graph: ep.Graph) -> np.ndarray:
        terms = self.product(layer.C, h[v])
        around = [h[u] for u in graph.in_neighbours(v)]
        if around:
            more = self.product(layer.A, self.aggregate(layer.aggregation.value, around))
            terms = [own + other for own, other in zip(terms, more, strict=True)]
        sums = [self.total([*row, np.float32(b)]) for row, b in zip(terms, layer.b, strict=True)]
        return self.act(sums, layer.negative_slopes)


def admissible(query: Query) -> list[tuple[tuple[int, int], ...]]:
    room = brute._LocalBudgets(query)
    pairs = fragile_pairs(query.graph, query.threat, query.claim.node)
    budget = len(pairs) if query.threat.budget is None else query.threat.budget
    return [chosen for size in range(min(budget, len(pairs)) + 1) for chosen in brute._subsets(pairs, size, room)]


def test_what_is_robust_or_vulnerable_is_so_in_every_order() -> None:
    seen: Counter[str] = Counter()
    with np.errstate(all="ignore"):
        for index in range(60):
            query = draw(61, index, GRID)
            if query.network.normalises:
                continue
            machine = Shuffled(np.random.default_rng((62, index)))
            asked = {"label": query.claim.label, "target": query.claim.target, "arithmetic": "float32"}
            found = ep.verify(query.network, query.graph, query.threat, query.claim.node, **asked)
            seen[found.status] += 1
            flips = admissible(query) if found.status == "robust" else [found.attack] * (found.attack is not None)
            for chosen in flips[:40]:
                for _ in range(2):
                    scores = machine.scores(query, query.graph.flip(chosen))
                    broken = any(scores[rival] > scores[query.claim.label] for rival in query.rivals)
                    assert broken == (found.status == "vulnerable"), f"index {index}: {chosen}"
            if found.status == "unknown":
                assert found.reason == REASON
    assert set(seen) == {"robust", "vulnerable", "unknown"}


def test_errors_of_scores_are_bounds() -> None:
    with np.errstate(all="ignore"):
        for index in range(40):
            query = draw(63, index, GRID)
            bound = None if query.network.normalises else score_errors(query)
            if bound is None:
                continue
            machine = Shuffled(np.random.default_rng((64, index)))
            flips = admissible(query)
            for chosen in flips[:: max(1, len(flips) // 5)]:
                exact = brute.Evaluator(query).scores(tuple(chosen))
                got = machine.scores(query, query.graph.flip(chosen))
                for x, truth, error in zip(got.tolist(), exact, bound, strict=True):
                    assert abs(x - float(truth)) <= error


def test_orders_differ_where_nobody_can_tell() -> None:
    """Two large numbers that cancel, and a small one: float32 keeps it or loses it by the order."""
    layer = ep.Layer([[0.0], [0.0]], [[1.0], [0.0]], [0.0, 0.0], "sum", "none")
    graph = ep.Graph([[1, 2, 3], [0, 0, 0]], [[0.0], [1e8], [-1e8], [1.0]], directed=True)
    network = ep.Network([layer])
    real = ep.verify(network, graph, ep.Threat(budget=0), 0, label=0)
    assert real.status == "robust"
    told = ep.verify(network, graph, ep.Threat(budget=0), 0, label=0, arithmetic="float32")
    assert (told.status, told.reason) == ("unknown", REASON)


def lonely(weight: float, feature: float, bias: float) -> tuple[ep.Network, ep.Graph]:
    """Class 1 leads class 0 by weight * feature + bias."""
    layer = ep.Layer([[0.0], [weight]], [[0.0], [1.0]], [0.0, bias], "sum", "none")
    return ep.Network([layer]), ep.Graph([[1], [0]], [[feature], [0.0]], directed=True)


@pytest.mark.parametrize(
    ("weight", "feature", "bias"),
    [
        (1e-39, 1e30, -1e-10),  # the weight may be flushed, and with it 1e-9
        (1e-50, 1e25, -1e-26),  # it is, though both products are small
        (1e30, 1e-39, -1e-10),  # the feature may be flushed
        (1e39, 1e-30, -1.0),  # the weight is infinite in float32
        (1e-30, 1e39, -1.0),  # the feature is
        (0.0, 1e39, -1.0),  # 0 times infinity is no number
    ],
)
def test_numbers_that_float32_does_not_have_decide_nothing(weight: float, feature: float, bias: float) -> None:
    network, graph = lonely(weight, feature, bias)
    for label in (0, 1):
        found = ep.verify(network, graph, ep.Threat(budget=0), 0, label=label, arithmetic="float32")
        assert (found.status, found.reason) == ("unknown", REASON)


def test_small_numbers_that_float32_has_are_told() -> None:
    for weight, feature in ((1e-20, 1e20), (1e-30, 1e25), (1e20, 1e-25)):
        network, graph = lonely(weight, feature, 0.0)
        assert ep.verify(network, graph, ep.Threat(budget=0), 0, label=1, arithmetic="float32").status == "robust"
        assert ep.verify(network, graph, ep.Threat(budget=0), 0, label=0, arithmetic="float32").status == "vulnerable"


def test_a_vertex_reached_by_the_last_insertion_is_bounded() -> None:
    """The checker's region died of it, and float32 with it."""
    rng = np.random.default_rng(5)
    shapes = ((2, 2), (2, 2), (2,))
    layers = [
        ep.Layer(*(rng.integers(-4, 5, shape) / 4.0 for shape in shapes), "max", act)
        for act in ("relu", "relu", "none")
    ]
    graph = ep.Graph([[0, 1, 5], [1, 4, 3]], rng.integers(0, 3, (6, 2)).astype(float), directed=True)
    threat = ep.Threat(budget=1, fragile=[(0, 4), (3, 0)])
    real = ep.verify(ep.Network(layers), graph, threat, 4)
    told = ep.verify(ep.Network(layers), graph, threat, 4, arithmetic="float32")
    assert told.status in (real.status, "unknown")


@pytest.mark.campaign
def test_float32_never_contradicts_itself_nor_dies(request: pytest.FixtureRequest) -> None:
    """Of the default campaign 60 queries over the whole grid, far insertions included."""
    count, seed = request.config.getoption("--campaign") // 50, request.config.getoption("--campaign-seed")
    grid = replace(RATIONAL, layers=(1, 2, 3, 4), flips=("list", "insert", "both", "target", "delete"))
    with np.errstate(all="ignore"):
        for index in range(count):
            query = draw(seed, index, grid)
            machine = Shuffled(np.random.default_rng((seed, index, 9)))
            asked = {"label": query.claim.label, "target": query.claim.target, "arithmetic": "float32"}
            found = ep.verify(query.network, query.graph, query.threat, query.claim.node, **asked)
            flips = admissible(query)
            some = [found.attack] if found.status == "vulnerable" else flips[:: max(1, len(flips) // 12)]
            for chosen in some if found.status != "unknown" else []:
                scores = machine.scores(query, query.graph.flip(chosen))
                broken = any(scores[rival] > scores[query.claim.label] for rival in query.rivals)
                assert broken == (found.status == "vulnerable"), f"seed {seed}, index {index}: {chosen}"

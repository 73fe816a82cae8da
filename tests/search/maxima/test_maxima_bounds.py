"""Bounds of shapes under layers that take a max: every flip set of a shape against the bound of that shape."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from edgeproof import Graph
from edgeproof.engines import brute
from edgeproof.model.query import Query
from edgeproof.search.base.evaluator import FlipEvaluator
from edgeproof.search.budget.single_flips import make_pass
from edgeproof.search.budget.stand import move, retreat
from edgeproof.search.budget.tables import make_tables
from edgeproof.search.jit.by_address import Bundle
from edgeproof.search.maxima.bounds import ShapeBound
from edgeproof.search.maxima.setting import MaxQuestion, make_max_question
from edgeproof.search.maxima.vertex import Vertices
from random_queries import Grid, draw

SEED = 33
WITH_A_MAX = Grid(
    vertices=(4, 5, 5, 6, 6, 7),
    layers=(2, 2, 2, 3),
    widths=(1, 2, 3, 4, 5),
    tasks=("node",),
    aggregations=("max", "max", "mixed", "mixed", "max first"),
    activations=("relu then none",),
    features=("binary", "binary", "carried"),
    flips=("insert", "both", "both", "both", "both", "both", "target", "delete+target", "delete"),
    budgets=(3,),
    densities=(0.0, 0.15, 0.3, 0.5, 0.5, 0.7),
    loops=(0.0,),
    local=("none", "none", "none", "1", "2", "per vertex"),
    styles=("integers", "signs", "dyadic", "gaussian", "gaussian", "gaussian"),
    calibrations=("none",),
)
Shape = tuple[int, int, int, int]


class Bench:
    """A question with everything that a bound needs."""

    def __init__(self, query: Query, question: MaxQuestion, most: int) -> None:
        self.query, self.question, self.star = query, question, question.star
        self.stand, n = question.stand(), question.star.n
        self.found = make_pass(self.star, n, 32)
        self.tables = make_tables(question, n, most)
        self.lent = tuple(Bundle(one) for one in (self.star, self.stand, self.found, self.tables))
        self.vertices = Vertices(question, self.stand, self.lent[0], self.lent[1])
        self.evaluator = FlipEvaluator(query)

    def bound(self, shape: Shape) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        bounds, totals = np.zeros(self.star.R), np.full(self.star.n, -1e300)
        self.tables.worth[:] = -1e300
        one = ShapeBound(self.vertices, self.found, self.tables, self.lent, shape, lambda: None)
        for r in range(self.star.R):
            bounds[r] = one.bound(r, -1e290)
            if shape[0] and bounds[r] > -1e290:
                totals = np.maximum(totals, self.tables.total)
        one.close()
        return bounds, totals, self.tables.worth.copy()

    def shape_of(self, flips: tuple[tuple[int, int], ...]) -> Shape:
        graph, node = self.query.graph, self.query.claim.node
        at = [pair for pair in flips if pair[1] == node or (not graph.directed and pair[0] == node)]
        gone = sum(graph.has_edge(*pair) for pair in at)
        cuts = sum(graph.has_edge(*pair) for pair in flips) - gone
        return len(at) - gone, gone, len(flips) - len(at) - cuts, cuts


def scaled(query: Query, index: int) -> Query:
    """The same with features of every size, so that few of them are the largest together; every other time."""
    if index % 2:
        return query
    given = query.graph
    features = given.features.dense() * np.random.default_rng((SEED, index)).uniform(
        0.5, 1.5, given.features.dense().shape
    )
    graph = Graph(np.stack([given.sources, given.targets]), features, directed=given.directed)
    return Query(query.network, graph, query.threat, query.claim)


def benches(part: int, parts: int, count: int, most: int = 3):
    for index in range(part, count, parts):
        query = scaled(draw(SEED, index, WITH_A_MAX), index // parts)
        question = make_max_question(query, most)
        if question is not None and question.slack < 1e-3:
            yield index, Bench(query, question, most)


@pytest.mark.parametrize("part", range(4))
def test_no_flip_set_exceeds_the_bound_of_its_shape(part: int, request: pytest.FixtureRequest) -> None:
    count = max(200, request.config.getoption("--campaign") // 20)
    checked = 0
    for index, bench in benches(part, 4, count):
        room = brute._LocalBudgets(bench.query)
        pairs = [pair for pair in brute.fragile_pairs(bench.query) if room.allows(pair)]
        slack, near = bench.question.slack, bench.query.graph.in_neighbours(bench.star.node).tolist()
        found: dict[Shape, tuple[np.ndarray, np.ndarray, np.ndarray]] = {}
        for size in (1, 2, 3):
            for flips in brute._subsets(pairs, size, room):
                shape = bench.shape_of(flips)
                if shape not in found:
                    found[shape] = bench.bound(shape)
                bounds, totals, worth = found[shape]
                margins, error = bench.evaluator.margins(flips)
                checked += 1
                where = f"seed {SEED}, index {index}, shape {shape}, flips {flips}"
                assert (margins <= bounds + slack + error).all(), f"{where}: {margins} above {bounds}"
                most = margins.max() - slack - error
                if shape[0]:
                    came = [u for pair in flips for u in pair if is_newcomer(bench, pair, u)]
                    assert all(most <= totals[u] for u in came), f"{where}: {most} above {totals[came]}"
                elif not shape[1]:
                    best = [worth_of(bench, worth, near, pair) for pair in flips]
                    entries = [entry for entry in best if entry is not None]
                    if len(entries) == len(best):
                        assert all(most <= entry for entry in entries), f"{where}: {most} above {entries}"
                    elif most > 0.0 and entries:
                        # flips at nobody who is heard change nothing: the others alone reach as much
                        assert most <= max(entries), f"{where}: {most} above {entries}"
    assert checked > 1000


def is_newcomer(bench: Bench, pair: tuple[int, int], u: int) -> bool:
    graph, node = bench.query.graph, bench.star.node
    if u == node or node not in pair or (graph.directed and pair[1] != node):
        return False
    return not graph.has_edge(u, node)


def worth_of(bench: Bench, worth: np.ndarray, near: list[int], pair: tuple[int, int]) -> float | None:
    """What the tables say of a flip elsewhere; None where it is at no in-neighbour."""
    x, y = pair
    ends = [(near.index(y), x)] if y in near else []
    if not bench.query.graph.directed and x in near:
        ends.append((near.index(x), y))
    return max(worth[at, other] for at, other in ends) if ends else None


def test_pairs_of_the_grid_are_all_met() -> None:
    """What the test above claims to cover."""
    met = {(bench.star.first, bench.star.last, bench.star.directed) for _, bench in benches(0, 1, 240)}
    assert {(2, 2), (0, 2), (1, 2), (2, 0), (2, 1)} <= {pair[:2] for pair in met}
    assert len(met) >= 9


def test_items_bound_what_flips_do_to_one_vertex() -> None:
    """Every set of flips at a vertex against the sum of its rows: the pre-activation after moving, vertex by vertex."""
    checked = 0
    for index, bench in benches(0, 1, 120):
        vertices, graph = bench.vertices, bench.query.graph
        for y in range(bench.star.n):
            come, go = (set(some.tolist()) for some in vertices.allowed(y))
            for a, c in ((1, 0), (0, 1), (2, 0), (1, 1), (0, 2), (2, 1)):
                z = vertices.pre(y, a - c)
                items = vertices.items(y, a, c, len(graph.in_neighbours(y)) + a - c)
                row = {int(x): at for at, x in enumerate(items.who)}
                for chosen in ((*ins, *outs) for ins in combinations(come, a) for outs in combinations(go, c)):
                    for x in chosen:
                        move(*bench.lent[:2], x, y)
                    change = vertices.pre(y) - z
                    for _ in chosen:
                        retreat(*bench.lent[:2])
                    rows = [row[x] for x in chosen]
                    where = f"seed {SEED}, index {index}, vertex {y}: {chosen}"
                    assert (change <= items.up[rows].sum(axis=0) + 1e-9).all(), where
                    assert (-change <= items.down[rows].sum(axis=0) + 1e-9).all(), where
                    up, down = items.reach(a, c)
                    assert (change <= up + 1e-9).all(), where
                    assert (-change <= down + 1e-9).all(), where
                    if a + c == 1:
                        assert np.allclose(change, items.up[rows[0]], atol=1e-9), where
                    checked += 1
    assert checked > 600

"""Bounds that share the budget hold shape by shape: every flip set of a shape against the bound of that shape.

Verdicts do not tell: a bound that allowed one change of degree a flip was unsound while every radius was right.
"""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest

from edgeproof.engines import brute
from edgeproof.model.query import Query
from edgeproof.search.base.evaluator import FlipEvaluator
from edgeproof.search.budget.layout import GCN, MEAN
from edgeproof.search.budget.question import Question, make_question
from edgeproof.search.budget.ranking import lost_until, rank_vertices
from edgeproof.search.budget.reach import line_slopes, steps
from edgeproof.search.budget.shape import bound_shape
from edgeproof.search.budget.single_flips import make_pass, pass_single_flips
from edgeproof.search.budget.stand import move, retreat
from edgeproof.search.budget.tables import make_tables
from edgeproof.search.jit.by_address import Bundle
from random_queries import Grid, draw

SEED = 21
TWO_LAYERS = Grid(
    vertices=(4, 5, 5, 6, 6, 7),
    layers=(2, 2, 2, 3),
    widths=(1, 2, 3, 4, 5),
    tasks=("node",),
    aggregations=("sum", "mean", "gcn", "gcn", "gcn", "mixed with gcn"),
    activations=("relu then none", "relu then none", "relu then none", "mixed"),
    flips=("insert", "both", "both", "both", "both", "both", "target", "delete+target", "delete"),
    budgets=(3,),
    densities=(0.15, 0.3, 0.5, 0.5, 0.7),
    loops=(0.0, 0.0, 0.0, 0.3),
    local=("none", "none", "none", "1", "2", "per vertex"),
    styles=("integers", "signs", "dyadic", "gaussian", "gaussian", "gaussian"),
    calibrations=("none",),
)


Shape = tuple[int, int, int, int]


class Bench:
    """A question with everything that a bound needs."""

    def __init__(self, query: Query, question: Question, most: int) -> None:
        self.query, self.question, self.star = query, question, question.star
        self.stand = question.stand()
        n = self.star.n
        self.searching = make_pass(self.star, n, 5000)
        self.tables = make_tables(question, n, most)
        self.lent = [Bundle(one) for one in (self.star, self.stand, self.searching, self.tables)]
        self.evaluator = FlipEvaluator(query)

    def bound(self, shape: Shape) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
        rivals, bounds = np.ones(self.star.R, dtype=np.int64), np.zeros(self.star.R)
        totals = np.zeros(self.star.n)
        lost = lost_until(self.star, self.stand, shape[1], shape[3])
        rank_vertices(self.question, self.tables, lost, rivals)
        pure = bound_shape(*self.lent, *shape, lost, -1e290, rivals, bounds, totals)
        return bounds, totals, self.tables.worth.copy(), float(pure)

    def shape_of(self, flips: tuple[tuple[int, int], ...]) -> Shape | None:
        """None for sets with the node's own self-loop, which is decided before."""
        graph, node = self.query.graph, self.query.claim.node
        at = [pair for pair in flips if pair[1] == node or (not graph.directed and pair[0] == node)]
        if (node, node) in at:
            return None
        gone = sum(graph.has_edge(*pair) for pair in at)
        cuts = sum(graph.has_edge(*pair) for pair in flips) - gone
        return len(at) - gone, gone, len(flips) - len(at) - cuts, cuts


def benches(part: int, parts: int, count: int, most: int = 3):
    for index in range(part, count, parts):
        query = draw(SEED, index, TWO_LAYERS)
        question = make_question(query, most)
        if question is not None and question.slack < 1e-3:
            yield index, Bench(query, question, most)


@pytest.mark.parametrize("part", range(4))
def test_no_flip_set_exceeds_the_bound_of_its_shape(part: int, request: pytest.FixtureRequest) -> None:
    count = max(160, request.config.getoption("--campaign") // 20)
    checked = 0
    for index, bench in benches(part, 4, count):
        room = brute._LocalBudgets(bench.query)
        pairs = [pair for pair in brute.fragile_pairs(bench.query) if room.allows(pair)]
        slack, near = bench.question.slack, bench.query.graph.in_neighbours(bench.star.node)
        near = [int(w) for w in near if w != bench.star.node]
        found: dict[Shape, tuple[np.ndarray, np.ndarray, np.ndarray, float]] = {}
        for size in (1, 2, 3):
            chosen = list(brute._subsets(pairs, size, room))
            for flips in chosen:
                shape = bench.shape_of(flips)
                if shape is None:
                    continue
                if shape not in found:
                    found[shape] = bench.bound(shape)
                bounds, totals, worth, pure = found[shape]
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
                    if any(entry is None for entry in best):
                        best = [entry for entry in best if entry is not None]
                    assert most <= max([pure, *best]), f"{where}: {most} above {best}, {pure}"
                    assert all(most <= entry for entry in best), f"{where}: {most} above {best}"
    assert checked > 800


def is_newcomer(bench: Bench, pair: tuple[int, int], u: int) -> bool:
    graph, node = bench.query.graph, bench.star.node
    if u == node or node not in pair or (graph.directed and pair[1] != node):
        return False
    return not graph.has_edge(u, node)


def worth_of(bench: Bench, worth: np.ndarray, near: list[int], pair: tuple[int, int]) -> float | None:
    """What the tables say of a flip elsewhere; None where it is at no in-neighbour."""
    x, y = pair
    if x == y and bench.star.first == GCN:
        return None  # every vertex has a loop there
    ends = [(near.index(y), x)] if y in near else []
    if not bench.query.graph.directed and x in near and x != y:
        ends.append((near.index(x), y))
    return max(worth[at, other] for at, other in ends) if ends else None


def pre_activation(bench: Bench, w: int) -> np.ndarray:
    """Where the bench stands, by the formula of docs/theory/insertions.md."""
    t, s = bench.star, bench.stand
    scale = {GCN: 1 / np.sqrt(s.heard[w] + 1), MEAN: 1 / max(s.heard[w] + s.loop[w], 1)}.get(t.first, 1.0)
    kept = scale if t.first == GCN else s.loop[w]
    return np.asarray(t.own[w] + scale * (s.gathered[w] + kept * t.sent[w]))


@pytest.mark.parametrize("part", range(2))
def test_no_pre_activation_leaves_its_box(part: int, request: pytest.FixtureRequest) -> None:
    """Of the node and of in-neighbours that stay, under every flip set of a shape."""
    count = max(120, request.config.getoption("--campaign") // 30)
    checked = 0
    for index, bench in benches(part, 2, count):
        room, node = brute._LocalBudgets(bench.query), bench.star.node
        pairs = [pair for pair in brute.fragile_pairs(bench.query) if room.allows(pair)]
        found: dict[Shape, tuple[list[int], np.ndarray, np.ndarray]] = {}
        for size in (1, 2, 3):
            for flips in brute._subsets(pairs, size, room):
                shape = bench.shape_of(flips)
                if shape is None:
                    continue
                if shape not in found:
                    bench.bound(shape)
                    near = bench.searching.near[: bench.stand.heard[node]].tolist()
                    found[shape] = [*near, node], bench.tables.low.copy(), bench.tables.high.copy()
                looked_at, low, high = found[shape]
                for pair in flips:
                    move(*bench.lent[:2], *pair)
                for at, w in enumerate(looked_at):
                    gone = (w, node) in flips or (not bench.query.graph.directed and (node, w) in flips)
                    if w != node and gone:
                        continue
                    z = pre_activation(bench, w)
                    where = f"seed {SEED}, index {index}, flips {flips}: {z} of {w} leaves {low[at]} to {high[at]}"
                    assert (z >= low[at] - 1e-9).all(), where
                    assert (z <= high[at] + 1e-9).all(), where
                    checked += 1
                for _ in flips:
                    retreat(*bench.lent[:2])
    assert checked > 3000


def test_steps_cover_every_change_of_a_degree() -> None:
    """Any number of in-neighbours more and fewer, up to as many as may come and go: also net of each other."""
    for count, comes, goes in product(range(9), range(3), range(5)):
        fall, rise = steps(GCN, count, comes, goes)
        for more, less in product(range(comes + 1), range(goes + 1)):
            if count + more - less >= 0:
                change = 1 / np.sqrt(count + more - less + 1) - 1 / np.sqrt(count + 1)
                assert change <= less * rise + 1e-12, (count, more, less)
                assert -change <= more * fall + 1e-12, (count, more, less)


def test_lines_bound_an_activation_from_above() -> None:
    """Over the whole box: a weight times act lies below its value at z plus the better slope times the step."""
    rng = np.random.default_rng(SEED)
    for _ in range(500):
        weight, z, slope = rng.normal(), rng.normal(), rng.choice([0.0, 0.2, 1.0])
        low, high = -rng.exponential() * rng.integers(0, 2), rng.exponential() * rng.integers(0, 2)
        least, greatest = line_slopes(weight, z, low, high, slope)
        for step in np.linspace(low, high, 21):
            rise = weight * (max(z + step, 0) + slope * min(z + step, 0) - max(z, 0) - slope * min(z, 0))
            assert rise <= max(weight * least * step, weight * greatest * step) + 1e-12, (weight, z, low, high, slope)


@pytest.mark.parametrize("part", range(2))
def test_the_pass_over_single_flips_is_exact(part: int) -> None:
    """Also from a graph with some pairs flipped already, and with a floor."""
    offered = 0
    for index, bench in benches(part, 2, 160):
        pairs = brute.fragile_pairs(bench.query)
        room = brute._LocalBudgets(bench.query)
        allowed = [pair for pair in pairs if room.allows(pair)]
        values = {pair: bench.evaluator.margins([pair]) for pair in allowed}
        best = max((margins.max() for margins, _ in values.values()), default=-np.inf)
        slack, searching = bench.question.slack, bench.searching
        for floor in (-1e290, float(np.median([m.max() for m, _ in values.values()])) if values else 0.0):
            here = pass_single_flips(*bench.lent[:3], floor)
            held = int(searching.held[0])
            for value, x, y in zip(searching.value[:held], *searching.pair[:, :held], strict=True):
                margins, error = values[bench.query.graph.pair(int(x), int(y))]
                assert abs(value - margins.max()) <= error + slack, f"seed {SEED}, index {index}, pair {x, y}"
                offered += 1
            top = searching.value[:held].max(initial=-np.inf)
            assert best <= max(top, here, floor) + 2 * slack, f"seed {SEED}, index {index}, floor {floor}"
        assert (searching.second == -1).all()
        assert (bench.stand.place == -1).all()
    assert offered > 200


def test_pairs_of_the_grid_are_all_met() -> None:
    """What the tests above claim to cover."""
    met = set()
    for _, bench in benches(0, 1, 240):
        met.add((bench.star.first, bench.star.last, bench.star.directed))
    assert {(0, 0), (1, 1), (3, 3)} <= {pair[:2] for pair in met}
    assert len(list(combinations(sorted(met), 1))) >= 8

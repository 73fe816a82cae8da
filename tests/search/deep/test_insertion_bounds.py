"""Bounds of single insertions hold by themselves: every pair against the bound of it, from graphs with flips made."""

from __future__ import annotations

import numpy as np
import pytest

from edgeproof.engines import brute
from edgeproof.model.query import Query
from edgeproof.search.base.evaluator import FlipEvaluator
from edgeproof.search.deep.insertions import Insertions
from edgeproof.search.deep.outskirts import survey
from edgeproof.search.deep.question import make_question
from edgeproof.search.deep.raised import Raised
from edgeproof.search.deep.stand import Stand, activate
from random_queries import Grid, draw

SEED = 31
GRID = Grid(
    vertices=(5, 6, 6, 7, 7, 8),
    layers=(2, 3, 3, 3, 3, 4, 5),
    widths=(1, 2, 3, 4, 5),
    tasks=("node",),
    aggregations=("sum", "mean", "gcn", "gcn", "gcn", "mixed with gcn", "mixed with gcn"),
    activations=("relu then none", "relu then none", "relu", "mixed"),
    flips=("both",),
    budgets=(3,),
    densities=(0.1, 0.15, 0.3, 0.3, 0.5),
    loops=(0.0, 0.0, 0.0, 0.3),
    local=("none",),
    styles=("integers", "signs", "dyadic", "gaussian", "gaussian", "gaussian"),
    calibrations=("none",),
)


def stands(part: int, parts: int, count: int):
    for index in range(part, count, parts):
        query = draw(SEED, index, GRID)
        question = make_question(query)
        if question is None:
            continue
        rng = np.random.default_rng((SEED, index))
        pairs = brute.fragile_pairs(query)
        for made in (0, 1, 2):
            flips = [pairs[at] for at in rng.permutation(len(pairs))[:made]]
            stand = Stand(question, flips)
            if stand.errors[-1] < 1e-3:
                yield index, query, flips, stand


def eligible(query: Query, stand: Stand, w: int, flips: list[tuple[int, int]]) -> np.ndarray:
    depth = stand.question.depth
    xs = np.arange(query.graph.num_vertices)
    heard = stand.arcs[0][stand.arcs[1] == w]
    xs = xs[(xs != w) & ~np.isin(xs, heard)]
    if not query.graph.directed:
        xs = xs[stand.near[xs] >= depth - 1]
    return np.array([x for x in xs if query.graph.pair(int(x), w) not in flips], dtype=np.int64)


@pytest.mark.parametrize("part", range(4))
def test_no_insertion_exceeds_its_bound(part: int, request: pytest.FixtureRequest) -> None:
    count = max(600, request.config.getoption("--campaign") // 4)
    checked, tight = 0, 0
    for index, query, flips, stand in stands(part, 4, count):
        insertions, evaluator, depth = Insertions(stand), FlipEvaluator(query), stand.question.depth
        slack = float(stand.errors[-1])
        margins, error = evaluator.margins(flips)
        rng = np.random.default_rng((SEED + 1, index))
        for w in np.flatnonzero((stand.near >= depth - 2) & (stand.near < depth)):
            xs = eligible(query, stand, int(w), flips)
            if rng.random() < 0.5:  # a bound is made for those that are asked about
                xs = xs[rng.random(xs.size) < 0.5]
            if not xs.size:
                continue
            bounds = insertions.bound(int(w), xs)
            for x, bound in zip(xs.tolist(), bounds, strict=True):
                margins, error = evaluator.margins([*flips, query.graph.pair(x, int(w))])
                where = f"seed {SEED}, index {index}, flips {flips}, {x} -> {w}"
                assert margins.max() <= bound + slack + error, f"{where}: {margins.max()} above {bound}"
                checked += 1
                tight += bool(bound <= margins.max() + 1e-6)
    assert checked > 1500
    assert tight > checked // 10


@pytest.mark.parametrize("part", range(4))
def test_no_insertion_exceeds_what_its_ends_gain(part: int, request: pytest.FixtureRequest) -> None:
    """Between vertices far from the node, of which nothing is known but what each end can add."""
    count = max(600, request.config.getoption("--campaign") // 4)
    checked = 0
    for index, query, flips, stand in stands(part, 4, count):
        if query.graph.directed:
            continue
        depth, n, evaluator = stand.question.depth, query.graph.num_vertices, FlipEvaluator(query)
        outskirts = survey(Insertions(stand))
        gains = np.zeros((n, outskirts.margins.size))
        gains[outskirts.ends] = outskirts.gains
        slack = float(stand.errors[-1])
        for x in np.flatnonzero(stand.near >= depth - 1):
            for y in eligible(query, stand, int(x), flips):
                if stand.near[y] < depth - 1 or (x, y) in flips:
                    continue
                margins, error = evaluator.margins([*flips, query.graph.pair(int(x), int(y))])
                bound = outskirts.margins + gains[x] + gains[y]
                where = f"seed {SEED}, index {index}, flips {flips}, {x} - {y}"
                assert (margins <= bound + slack + error).all(), f"{where}: {margins} above {bound}"
                checked += 1
                for one, other in ((x, y), (y, x)):
                    if stand.near[one] > depth or not (margins + error).max() > slack:
                        continue
                    at = int(np.flatnonzero(outskirts.ends == one)[0])
                    assert not outskirts.is_harmless(at, slack), where
                    assert stand.near[other] > depth or other in outskirts.partners(at, slack), where
    assert checked > 1500


def test_values_of_a_stand_are_those_of_its_graph() -> None:
    for index, query, flips, stand in stands(0, 1, 200):
        margins, error = FlipEvaluator(query).margins(flips)
        found = Raised(stand, None).margins
        where = f"seed {SEED}, index {index}, flips {flips}: {found}, {margins}"
        assert (abs(found - margins) <= error + stand.errors[-1]).all(), where


class Recorded(Insertions):
    """Keeps the ranges of slopes that were asked for last."""

    def first_ranges(self, raised: Raised, ends: int = 1):
        self.raised, self.found = raised, super().first_ranges(raised, ends)
        return dict(self.found)

    def upper_ranges(self, raised: Raised, low: np.ndarray, high: np.ndarray):
        self.box = low, high
        upper = super().upper_ranges(raised, low, high)
        self.found |= upper
        return upper


def leaves_ranges(recorded: Recorded, pair: tuple[int, int], flips: list[tuple[int, int]]) -> str | None:
    """What the pair does that no range allows: from the values of the graph with it flipped."""
    stand, question = recorded.stand, recorded.stand.question
    after = Stand(question, [*flips, pair])
    values = Raised(after, None).pre
    for number, range_ in recorded.found.items():
        low, high = range_
        inner = stand.order[: low.shape[0]]
        before, now = recorded.raised.pre[number], values[number][after.place[inner]]
        moves, error = now - before, float(stand.errors[number] + after.errors[number])
        if number < question.second:
            apart = ~np.isin(inner, pair)  # what the ends do themselves is exact
            before, now, moves, low, high = before[apart], now[apart], moves[apart], low[apart], high[apart]
        if number == question.second and not (
            (moves >= recorded.box[0] - error).all() and (moves <= recorded.box[1] + error).all()
        ):
            return f"box of layer {number}: {moves} outside {recorded.box}"
        slope = question.layers[number].negative_slopes
        large = abs(moves) > 1e-6
        quotient = (activate(now, slope) - activate(before, slope))[large] / moves[large]
        if not ((quotient >= low[large] - 1e-6).all() and (quotient <= high[large] + 1e-6).all()):
            return f"slopes of layer {number}: {quotient} outside {low[large]}, {high[large]}"
    return None


@pytest.mark.parametrize("part", range(4))
def test_no_value_leaves_its_range(part: int, request: pytest.FixtureRequest) -> None:
    count = max(300, request.config.getoption("--campaign") // 4)
    checked = 0
    for index, query, flips, stand in stands(part, 4, count):
        recorded, depth, graph = Recorded(stand), stand.question.depth, query.graph
        where = f"seed {SEED}, index {index}, flips {flips}"
        for w in np.flatnonzero((stand.near >= depth - 2) & (stand.near < depth)):
            xs = eligible(query, stand, int(w), flips)
            if xs.size:
                recorded.bound(int(w), xs)
            for x in xs.tolist():
                checked += 1
                problem = leaves_ranges(recorded, graph.pair(x, int(w)), flips)
                assert problem is None, f"{where}, {x} -> {w}: {problem}"
        if graph.directed:
            continue
        survey(recorded)
        for x in np.flatnonzero(stand.near >= depth - 1):
            for y in eligible(query, stand, int(x), flips):
                problem = leaves_ranges(recorded, graph.pair(int(x), int(y)), flips)
                assert problem is None, f"{where}, {x} - {y}: {problem}"
    assert checked > 700

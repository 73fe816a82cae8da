"""Attacks are decided by enclosures where these can tell, and always as exact numbers say: on random queries, on ties
and on what differs by one unit in the last place; and a bound on rounding that is too small is caught.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import flint
import numpy as np
import pytest

import edgeproof.arithmetic.decide
from edgeproof import Graph, Layer, Network
from edgeproof.arithmetic import enclosure
from edgeproof.arithmetic.decide import Decider
from edgeproof.arithmetic.evaluator import ExactEvaluator, exact_scores
from edgeproof.arithmetic.receptive_field import find_field
from edgeproof.clock import Clock, TimeUpError
from edgeproof.model.query import Query
from random_queries import EVERYTHING, RATIONAL, Grid, _Draw, draw, fragile_pairs, with_bias

SEED = 71
FAR_APART = replace(EVERYTHING, styles=("wild", "cancelling"))


def cases(count: int, grid: Grid = EVERYTHING, seed: int = SEED) -> Iterator[tuple[int, Query, list[tuple]]]:
    """Queries, each with a few admissible attacks."""
    for index in range(count):
        query = draw(seed, index, grid)
        hand = _Draw(np.random.default_rng((seed, index, 2)), None)
        pairs = fragile_pairs(query.graph, query.threat, query.claim.node)
        yield index, query, [(), *(tuple(hand.attack(query, pairs)) for _ in range(3))]


def by_exact_numbers(query: Query, flips: tuple) -> int | None:
    claim = query.claim
    margin, rival = ExactEvaluator(query.network, query.graph).margin(claim.node, claim.label, query.rivals, flips)
    return rival if margin > 0 else None


def last_bias(network: Network) -> np.ndarray:
    return [*network.layers, *([network.readout] if network.readout else ()), *network.head][-1].b


def tied(query: Query) -> Query:
    """A query of which a rival has the weights of the label: their scores are equal in every graph."""
    network, label, rival = query.network, query.claim.label, query.rivals[0]

    def same(one):
        C, b = one.C.copy(), one.b.copy()
        C[rival], b[rival] = C[label], b[label]
        if not isinstance(one, Layer):
            return type(one)(C, b, one.pool)
        A = one.A.copy()
        A[rival] = A[label]
        slope = one.slope
        if isinstance(slope, np.ndarray):
            slope = slope.copy()
            slope[rival] = slope[label]
        return Layer(C, A, b, one.aggregation, one.activation, slope)

    layers, readout, head = list(network.layers), network.readout, list(network.head)
    if head:
        head[-1] = same(head[-1])
    elif readout is not None:
        readout = same(readout)
    else:
        layers[-1] = same(layers[-1])
    made = replace(query, network=Network(layers, readout, head=head))
    return replace(made, claim=replace(made.claim, target=rival))


@pytest.mark.parametrize("grid", [EVERYTHING, FAR_APART], ids=["everything", "far apart"])
@pytest.mark.parametrize("products", [edgeproof.arithmetic.decide.FEW_PRODUCTS, -1], ids=["small", "with balls"])
def test_every_way_decides_as_exact_numbers_do(grid: Grid, products: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edgeproof.arithmetic.decide, "FEW_PRODUCTS", products)
    ways = Counter[str]()
    for index, query, attacks in cases(400, grid):
        decider = Decider(query.network, query.graph)
        for flips in attacks:
            claim = query.claim
            found = decider.rival(claim.node, claim.label, query.rivals, flips)
            assert found == by_exact_numbers(query, flips), (SEED, index, flips)
        ways += Counter(decider.counts)
    assert ways["float64"] > ways["exact"] > (5 if products < 0 else 20)
    assert (ways["balls"] > 20) == (products < 0)


@pytest.mark.parametrize("products", [edgeproof.arithmetic.decide.FEW_PRODUCTS, -1], ids=["small", "with balls"])
def test_ties_hold_and_one_unit_in_the_last_place_breaks(products: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edgeproof.arithmetic.decide, "FEW_PRODUCTS", products)
    seen = Counter[bool]()
    for index, drawn, attacks in cases(150):
        query = tied(drawn)
        claim, rival = query.claim, query.rivals[0]
        for flips in attacks:
            decider = Decider(query.network, query.graph)
            assert decider.rival(claim.node, claim.label, query.rivals, flips) is None, (SEED, index, flips)
            # balls at a precision that rounds nothing tell a tie, too
            assert decider.counts["exact"] + decider.counts["balls"] > 0
        for towards in (-np.inf, np.inf):
            bias = last_bias(query.network).copy()
            bias[rival] = np.nextafter(bias[rival], towards)
            near = with_bias(query, bias)
            for flips in attacks:
                found = Decider(near.network, near.graph).rival(claim.node, claim.label, near.rivals, flips)
                assert found == by_exact_numbers(near, flips), (SEED, index, flips, towards)
                seen[found is not None] += 1
    assert min(seen.values()) > 50, seen


def test_the_largest_class_is_the_exact_one_lowest_index_on_ties() -> None:
    for index, drawn, attacks in cases(100):
        for query in (drawn, tied(drawn)):
            for flips in attacks:
                scores = exact_scores(query.network, query.graph, query.claim.node, flips)
                best = max(range(len(scores)), key=lambda c, scores=scores: (scores[c], -c))
                assert Decider(query.network, query.graph).largest(query.claim.node, flips) == best, (SEED, index)


def outside(count: int, grid: Grid) -> int:
    """How many exact scores lie outside of what is said of them; none should."""
    found = 0
    for _, query, attacks in cases(count, grid):
        # each time as if nothing were known of this network
        network = Network(query.network.layers, query.network.readout, head=query.network.head)
        for flips in attacks:
            node = query.claim.node
            field = find_field(query.graph, network.layers, node, flips, degrees=network.normalises)
            scores, error = enclosure.bounded_scores(network, query.graph, field)
            if not (np.isfinite(scores).all() and error < enclosure.LARGE):
                continue
            for score, exact in zip(
                scores.tolist(), exact_scores(query.network, query.graph, node, flips), strict=True
            ):
                true = Fraction(int(exact.p), int(exact.q))
                found += abs(Fraction(score) - true) > Fraction(error)
                ball = flint.arb(score, error)
                assert ball.mid() == score
                assert ball.rad() >= error
    return found


@pytest.mark.parametrize("grid", [RATIONAL, replace(RATIONAL, styles=FAR_APART.styles)], ids=["all", "far apart"])
def test_exact_scores_lie_in_their_enclosures(grid: Grid) -> None:
    assert outside(400, grid) == 0


def test_vertices_in_pieces_are_enclosed_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(enclosure, "SLICE", 4)
    monkeypatch.setattr(enclosure, "PIECE", 4)
    monkeypatch.setattr(enclosure, "KEPT", 0)
    assert outside(200, RATIONAL) == 0


def test_balls_hold_what_exact_numbers_say_where_degrees_normalise() -> None:
    looked = 0
    for index, query, attacks in cases(150, replace(EVERYTHING, aggregations=("gcn", "mixed with gcn"))):
        decider = Decider(query.network, query.graph)
        for flips in attacks:
            exact = exact_scores(query.network, query.graph, query.claim.node, flips)
            rough, *_ = decider._ways(query.claim.node, flips, Clock())
            for ball, score in zip(rough, exact, strict=True):
                if isinstance(ball, flint.arb):
                    low, high = ball.lower().fmpq(), ball.upper().fmpq()
                    assert low <= score <= high if isinstance(score, flint.fmpq) else score >= low, (SEED, index)
                    assert not score > high, (SEED, index)
                    looked += 1
    assert looked > 500


def no_growth(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(enclosure, "_growth", lambda roundings: 0.0)


def forgotten_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = enclosure._widened

    def smallest(weight):
        out = usual(weight)
        out[-2, -2] = out[-1, -1] = abs(weight).sum(axis=1).min()
        return out

    monkeypatch.setattr(enclosure, "_widened", smallest)


def only_one_rounding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(enclosure, "_growth", lambda roundings: 2.0**-58)


def errors_are_not_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = enclosure._bend

    def forget(part, rows, terms):
        rows[:, -1] = 0.0
        return usual(part, rows, terms)

    monkeypatch.setattr(enclosure, "_bend", forget)


def magnitudes_after_cancellation(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = enclosure._bend

    def cancelled(part, rows, terms):
        rows[:, -2] = abs(rows[:, :-2]).max(axis=1)
        return usual(part, rows, terms)

    monkeypatch.setattr(enclosure, "_bend", cancelled)


def no_magnitudes_of_features(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = enclosure._of_features

    def signed(weight):
        out = usual(weight)
        out[:, -2] = weight.max(axis=0)
        return out

    monkeypatch.setattr(enclosure, "_of_features", signed)


FAULTS = [
    no_growth, forgotten_weights, only_one_rounding, errors_are_not_passed_on, magnitudes_after_cancellation,
    no_magnitudes_of_features,
]  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_bound_that_is_too_small_is_caught(fault, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where weights are far apart, and sums cancel."""
    fault(monkeypatch)
    monkeypatch.setattr(enclosure, "parts_of", enclosure.Parts)  # nothing that was made without the fault
    grid = replace(RATIONAL, styles=("cancelling", "gaussian", "wild"), layers=(2, 3, 4))
    assert outside(400, grid) > 0


def test_flips_that_come_and_go_leave_no_trace() -> None:
    """What is kept of the first layer is kept for vertices whose neighbours are those of the graph."""
    for index, query, attacks in cases(100):
        decider, claim = Decider(query.network, query.graph), query.claim
        for flips in (*attacks, *reversed(attacks)):
            found = decider.rival(claim.node, claim.label, query.rivals, flips)
            assert found == by_exact_numbers(query, flips), (SEED, index, flips)


def wide(width: int, vertices: int) -> tuple[Network, Graph]:
    """Two SAGE layers whose two classes are tied, on a dense graph: only long exact numbers can tell."""
    rng = np.random.default_rng(SEED)
    there = np.triu(rng.random((vertices, vertices)) < 0.3, 1)
    graph = Graph(np.array(np.nonzero(there | there.T)), rng.normal(size=(vertices, 32)), directed=False)
    hidden = Layer(rng.normal(size=(width, 32)), rng.normal(size=(width, 32)), rng.normal(size=width), "mean")
    row = rng.normal(size=(1, width))
    return Network([hidden, Layer(np.repeat(row, 2, 0), np.repeat(row, 2, 0), [0.5, 0.5], "mean", "none")]), graph


@pytest.mark.parametrize("after", ["float64", "balls", "exact"])
def test_every_way_looks_at_the_clock(after: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that strikes in the middle of one of them."""
    monkeypatch.setattr(edgeproof.arithmetic.decide, "FEW_PRODUCTS", -1)
    network, graph = wide(32, 60)

    class Strikes(Clock):
        decider: Decider
        looks = 0

        def is_up(self) -> bool:
            self.looks += self.decider.counts[after] > 0
            return self.looks > 2

    clock = Strikes()
    clock.decider = Decider(network, graph)
    with pytest.raises(TimeUpError):
        clock.decider.rival(0, 0, (1,), (), clock)
    assert clock.looks == 3


def test_a_tie_of_long_numbers_ends_with_the_time() -> None:
    """Without a limit it takes many times longer than it is given here, also on a fast machine."""
    network, graph = wide(512, 600)
    started = time.perf_counter()
    with pytest.raises(TimeUpError):
        Decider(network, graph).rival(0, 0, (1,), (), Clock(started + 0.05))
    assert time.perf_counter() - started < 4.0

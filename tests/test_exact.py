"""Exact evaluation against brute force's own, against plain fractions, and against float64."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import edgeproof.exact
import edgeproof.exact_weights
from edgeproof import Graph, Layer, Network
from edgeproof.engines import brute
from edgeproof.evaluate import evaluate_with_error, rough_error
from edgeproof.exact import ExactEvaluator, exact_scores
from edgeproof.query import Query, predicted_class
from random_queries import RATIONAL, _Draw, draw, fragile_pairs

SEED = 7


def by_definition(query: Query, flips) -> list[Fraction]:
    """Scores from the definition: full matrices of fractions, every vertex, every layer."""
    net, graph = query.network, query.graph.flip(flips)
    values = [[Fraction(x) for x in row] for row in graph.features.dense().tolist()]

    def times(matrix, vector):
        return [
            sum((Fraction(w) * x for w, x in zip(row, vector, strict=True)), Fraction(0)) for row in matrix.tolist()
        ]

    def gather(how, vectors, width):
        if not vectors:
            return [Fraction(0)] * width
        rows = list(zip(*vectors, strict=True))
        return {"sum": [sum(r) for r in rows], "max": [max(r) for r in rows], "mean": [sum(r) / len(r) for r in rows]}[
            how
        ]

    def bent(layer, before):
        given = np.broadcast_to(layer.slope, len(before)).tolist()
        slopes = {"relu": [0.0] * len(before), "none": [1.0] * len(before), "leaky_relu": given}[layer.activation.value]
        return [x if x >= 0 else Fraction(slope) * x for x, slope in zip(before, slopes, strict=True)]

    for layer in net.layers:
        after = []
        for v, own in enumerate(values):
            heard = gather(layer.aggregation.value, [values[u] for u in graph.in_neighbours(v)], layer.width_in)
            summed = zip(times(layer.C, own), times(layer.A, heard), layer.b.tolist(), strict=True)
            before = [c + a + Fraction(b) for c, a, b in summed]
            after.append(bent(layer, before))
        values = after
    if net.readout is None:
        return values[query.claim.node]
    pooled = gather(net.readout.pool.value, values, net.layers[-1].width_out)
    scores = [x + Fraction(b) for x, b in zip(times(net.readout.C, pooled), net.readout.b.tolist(), strict=True)]
    for layer in net.head:
        scores = bent(layer, [x + Fraction(b) for x, b in zip(times(layer.C, scores), layer.b.tolist(), strict=True)])
    return scores


def fractions(scores) -> list[Fraction]:
    return [Fraction(int(x.p), int(x.q)) for x in scores]


def cases(count: int):
    """Queries, each with a few admissible attacks."""
    for index in range(count):
        query = draw(SEED, index, RATIONAL)
        hand = _Draw(np.random.default_rng((SEED, index, 2)), None)
        pairs = fragile_pairs(query.graph, query.threat, query.claim.node)
        yield index, query, [(), *(tuple(hand.attack(query, pairs)) for _ in range(3))]


def test_exact_scores_are_those_of_the_definition_and_of_brute_force():
    for index, query, attacks in cases(120):
        exact, other = ExactEvaluator(query.network, query.graph), brute.Evaluator(query)
        for flips in attacks:
            expected = by_definition(query, flips)
            assert fractions(exact.scores(query.claim.node, flips)) == expected, (SEED, index, flips)
            assert fractions(other.scores(flips)) == expected, (SEED, index, flips)


def test_long_rows_of_features_are_multiplied_as_the_definition_says(monkeypatch):
    """The ways of bag-of-words data, on small ones: rows without an entry, and numbers too large for
    sums of limbs in floats, or in whole numbers of the machine."""
    for name in ("DENSE_LIMIT", "FEW_COLUMNS"):
        monkeypatch.setattr(edgeproof.exact, name, 0)
    ways = {"rows": 0, "empty": 0, "large": 0}
    usual = edgeproof.exact.SUM_LIMIT
    for limit, float_limit in ((usual, edgeproof.exact_weights.FLOAT_LIMIT), (usual, 0.0), (0.0, 0.0)):
        monkeypatch.setattr(edgeproof.exact, "SUM_LIMIT", limit)
        monkeypatch.setattr(edgeproof.exact_weights, "FLOAT_LIMIT", float_limit)
        for index, drawn, attacks in cases(60):
            given = drawn.graph
            features = given.features.dense() * (np.arange(given.num_vertices)[:, None] % 3 > 0)
            graph = Graph(np.stack([given.sources, given.targets]), features, directed=given.directed)
            query = replace(drawn, graph=graph)
            exact = ExactEvaluator(query.network, graph)
            for flips in attacks:
                found = fractions(exact.scores(query.claim.node, flips))
                assert found == by_definition(query, flips), f"seed {SEED}, index {index}, flips {flips}"
            ways["rows"] += len(exact.store.own)
            ways["empty"] += sum(graph.features.row(v)[0].size == 0 for v in exact.store.own)
            ways["large"] += limit == 0.0
    assert min(ways.values()) > 50, ways


@pytest.mark.parametrize(
    "values",
    [[0.0], [1.0, 0.0, -2.0], [0.5, 3.0], [0.1, 1e-3, -7.0], [5e-324], [2.5e-310, -1.0, 0.0], [1e300, 2.0**-1022]],
)
def test_a_shift_makes_all_values_whole(values):
    shift = edgeproof.exact_weights.find_shift(np.array(values))
    assert all((Fraction(x) * 2**shift).denominator == 1 for x in values)
    smallest = max(Fraction(x).denominator for x in values).bit_length() - 1
    assert smallest <= shift < smallest + 53  # numbers should not grow without need


def test_a_shift_asks_rows_that_are_not_next_to_each_other():
    assert edgeproof.exact_weights.find_shift(np.array([[1.0, 0.25], [2.0, 0.5]])[:, :1]) == 0


@pytest.mark.parametrize("values", [[0.1, -1e-3, 7.0], [1e-40, -1.0, 0.0], [5e-324, 1.0, -3e200], [2.0**900, -0.75]])
def test_weights_in_whole_numbers(values):
    matrix = np.array([values, values[::-1]])
    shift = edgeproof.exact_weights.find_shift(matrix)
    expected = [[int(Fraction(x) * 2**shift) for x in row] for row in matrix.tolist()]
    found = edgeproof.exact_weights.to_integers(matrix, shift)
    assert [[int(x) for x in row] for row in found.tolist()] == expected
    ones, columns = np.ones((1, 2)), np.arange(2)
    sums = edgeproof.exact_weights.Columns(matrix.T, shift).combine(ones, columns)
    assert [int(x) for x in sums] == [a + b for a, b in zip(*expected, strict=True)]


@pytest.mark.parametrize("shift", [56, 80])
def test_an_interrupt_leaves_no_half_of_the_weights(shift, monkeypatch):
    """They are kept for the next question, which would be answered wrongly."""
    weight = edgeproof.exact_weights.Columns(
        np.array([[0.1, 3.0], [-1e-3, 7.0]]).astype(np.float32).astype(float), shift
    )
    scale, calls = edgeproof.exact_weights._times_power, []

    def interrupted(*args):
        calls.append(args)
        if len(calls) == (1 if shift < 60 else 4):
            raise KeyboardInterrupt
        return scale(*args)

    monkeypatch.setattr(edgeproof.exact_weights, "_times_power", interrupted)
    with pytest.raises(KeyboardInterrupt):
        weight.combine(np.array([[1.0, 1.0]]), np.array([0, 1]))
    expected = [int((Fraction(x) + Fraction(y)) * 2**shift) for x, y in weight.matrix.tolist()]
    assert [int(x) for x in weight.combine(np.array([[1.0, 1.0]]), np.array([0, 1]))] == expected


def test_flipping_is_the_same_as_asking_the_flipped_graph():
    for index, query, attacks in cases(120):
        exact = ExactEvaluator(query.network, query.graph)
        for flips in attacks:
            direct = exact_scores(query.network, query.graph.flip(flips), query.claim.node)
            assert exact.scores(query.claim.node, flips) == direct, (SEED, index, flips)


def test_margin_names_the_best_rival():
    for index, query, attacks in cases(120):
        exact = ExactEvaluator(query.network, query.graph)
        for flips in attacks:
            margin, rival = exact.margin(query.claim.node, query.claim.label, query.rivals, flips)
            winner = brute.Evaluator(query).winner(flips)
            assert (margin > 0) == (winner is not None), (SEED, index, flips)
            assert winner in (None, rival), (SEED, index, flips)


def test_float_scores_are_within_their_error_bound():
    for index, query, attacks in cases(200):
        for flips in attacks:
            graph = query.graph.flip(flips)
            scores, error = evaluate_with_error(query.network, graph, query.claim.node)
            rough = rough_error(query.network, graph)
            assert (error <= 1.000001 * (rough if query.claim.node is None else rough[query.claim.node])).all()
            for score, bound, exact in zip(scores, error, by_definition_fast(query, flips), strict=True):
                assert abs(Fraction(float(score)) - exact) <= Fraction(float(bound)), (SEED, index, flips)


def by_definition_fast(query: Query, flips) -> list[Fraction]:
    return fractions(exact_scores(query.network, query.graph, query.claim.node, flips))


def test_float_scores_of_one_node_are_those_of_all_nodes():
    for index, query, _ in cases(120):
        if query.claim.node is not None:
            one = query.network.scores(query.graph, query.claim.node)
            everyone = query.network.scores(query.graph)[query.claim.node]
            np.testing.assert_allclose(
                one, everyone, rtol=1e-9, atol=1e-9 * (1 + abs(everyone).max()), err_msg=str(index)
            )


def test_the_predicted_class_is_the_exact_one():
    for index, query, _ in cases(200):
        scores = by_definition_fast(query, ())
        assert predicted_class(query.network, query.graph, query.claim.node) == scores.index(max(scores)), (SEED, index)


EXTREMES = [0.0, -0.0, 0.1, 5e-324, 1.7976931348623157e308, -1 / 3]


@pytest.mark.parametrize("value", EXTREMES)
@pytest.mark.parametrize("other", EXTREMES)
def test_weights_and_features_of_any_size_lose_no_bit(value, other):
    net = Network([Layer([[value], [other]], [[other], [value]], [other, value], "sum", "none")])
    for feature, sent in ((value, 1.0), (1.0, other)):
        graph = Graph([[1], [0]], [[feature], [sent]], directed=True)
        exact = [Fraction(int(score.p), int(score.q)) for score in exact_scores(net, graph, 0)]
        v, w, x, y = map(Fraction, (value, other, feature, sent))
        assert exact == [v * x + w * y + w, w * x + v * y + v]


def test_undirected_flips_reach_both_ends_and_loops_only_one():
    net = Network([Layer([[0.0], [0.0]], [[0.0], [1.0]], [0.0, 0.0], "sum", "none")])
    graph = Graph(np.zeros((2, 0), int), [[1.0], [2.0]], directed=False)
    assert exact_scores(net, graph, 0, [(0, 1)]) == [0, 2]
    assert exact_scores(net, graph, 1, [(0, 1)]) == [0, 1]
    assert exact_scores(net, graph, 0, [(0, 0)]) == [0, 1]
    assert exact_scores(net, graph, 1, [(0, 0)]) == [0, 0]

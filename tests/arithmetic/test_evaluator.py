"""Exact evaluation against brute force's own, against plain fractions, and against float64."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import edgeproof.arithmetic.evaluator
import edgeproof.arithmetic.weights
from edgeproof import Graph, Layer, Network, Readout
from edgeproof.arithmetic import rows as exact_rows
from edgeproof.arithmetic.evaluator import ExactEvaluator, exact_scores
from edgeproof.arithmetic.float64 import evaluate_with_error, rough_error
from edgeproof.engines import brute
from edgeproof.model.query import Query, predicted_class
from random_queries import RATIONAL, Grid, _Draw, draw, fragile_pairs

SEED = 7
# Many vertices of few kinds: with features that repeat, and parts that mirror each other.
CROWDS = replace(
    RATIONAL,
    vertices=(8, 12, 20),
    widths=(1, 2, 3),
    tasks=("graph", "graph", "graph", "node"),
    activations=("mixed", "linear"),
    features=("binary", "carried", "same rows"),
    shapes=("even", "mirrored"),
    densities=(0.05, 0.1, 0.2),
    calibrations=("none",),
)


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


def cases(count: int, grid: Grid = RATIONAL):
    """Queries, each with a few admissible attacks."""
    for index in range(count):
        query = draw(SEED, index, grid)
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


@pytest.mark.parametrize("few_pairs", [exact_rows.FEW_PAIRS, 40, 0])
def test_vertices_that_look_alike_are_told_apart_where_they_differ(few_pairs, monkeypatch):
    """With sums as products of matrices, row by row, and now this, now that."""
    ways = Counter()

    def watch(name, count):
        usual = getattr(edgeproof.arithmetic.evaluator, name)

        def watched(how, *args):
            found = usual(how, *args)
            ways[name, how.value] += count(args, found)
            return found

        monkeypatch.setattr(edgeproof.arithmetic.evaluator, name, watched)

    monkeypatch.setattr(exact_rows, "FEW_PAIRS", few_pairs)
    watch("tell_apart", lambda args, found: len(found[1]) < len(found[0]))  # some are alike
    watch("gather", lambda args, found: 1)
    watch("gather_all", lambda args, found: len(set(map(len, args[1]))) > 1)  # added up, with degrees that differ
    for index, query, attacks in cases(60, CROWDS):
        exact = ExactEvaluator(query.network, query.graph)
        for flips in attacks:
            found = fractions(exact.scores(query.claim.node, flips))
            assert found == by_definition(query, flips), f"seed {SEED}, index {index}, flips {flips}"
    assert len(ways) == 9, ways
    assert min(ways.values()) > 10, ways


@pytest.mark.parametrize("how", ["sum", "mean", "max"])
@pytest.mark.parametrize("pool", ["sum", "mean", "max"])
def test_many_vertices_score_the_same_by_products_of_matrices_and_row_by_row(how, pool, monkeypatch):
    rng = np.random.default_rng(SEED)
    there = np.triu(rng.random((60, 60)) < 0.05)  # some vertices have a loop, and some no neighbour
    features = rng.integers(0, 2, (60, 5)).astype(float)
    graph = Graph(np.array(np.nonzero(there | there.T)), features, directed=False)
    layers = [
        Layer(rng.normal(size=(4, n)), rng.normal(size=(4, n)), rng.normal(size=4), how, activation, 0.1)
        for n, activation in ((5, "leaky_relu"), (4, "relu"), (4, "leaky_relu"), (4, "none"))
    ]
    net = Network(layers, Readout(rng.normal(size=(3, 4)), rng.normal(size=3), pool))
    flips = [(0, 1), (2, 2), (3, 50)]
    found = []
    for limit in (exact_rows.FEW_PAIRS, 1000, 0):
        monkeypatch.setattr(exact_rows, "FEW_PAIRS", limit)
        found.append(exact_scores(net, graph, None, flips))
    assert found[0] == found[1] == found[2] == exact_scores(net, graph.flip(flips))
    np.testing.assert_allclose([float(int(x.p) / int(x.q)) for x in found[0]], net.scores(graph.flip(flips)), rtol=1e-9)


@pytest.mark.parametrize(("pool", "pooled"), [("sum", 69.5), ("mean", 17.375), ("max", 21.0)])
def test_a_pool_of_means_over_vertices_of_different_degrees(pool, pooled):
    """A path of three vertices, and one by itself: they come to 13, 16.5, 19 and 21."""
    graph = Graph([[0, 1, 1, 2], [1, 0, 2, 1]], [[1.0], [2.0], [4.0], [8.0]], directed=False)
    net = Network([Layer([[2.0]], [[3.0]], [5.0], "mean", "none")], Readout([[1.0], [-1.0]], [0.25, 0.0], pool))
    assert fractions(exact_scores(net, graph)) == [Fraction(pooled + 0.25), Fraction(-pooled)]


def test_a_layer_that_occurs_twice_is_pooled_only_after_the_second():
    graph = Graph([[0, 1], [1, 0]], [[1.0], [2.0]], directed=False)
    layer = Layer([[2.0]], [[1.0]], [1.0], "sum", "none")  # 5 and 6, then 17 and 18
    net = Network([layer, layer], Readout([[1.0], [0.0]], [0.0, 0.0], "sum"))
    assert exact_scores(net, graph) == [35, 0]


def test_long_rows_of_features_are_multiplied_as_the_definition_says(monkeypatch):
    """The ways of bag-of-words data, on small ones: rows without an entry, and numbers too large for
    sums of limbs in floats, or in whole numbers of the machine."""
    for name in ("DENSE_LIMIT", "FEW_COLUMNS"):
        monkeypatch.setattr(edgeproof.arithmetic.evaluator, name, 0)
    ways = {"rows": 0, "empty": 0, "large": 0}
    usual = edgeproof.arithmetic.evaluator.SUM_LIMIT
    for limit, float_limit in ((usual, edgeproof.arithmetic.weights.FLOAT_LIMIT), (usual, 0.0), (0.0, 0.0)):
        monkeypatch.setattr(edgeproof.arithmetic.evaluator, "SUM_LIMIT", limit)
        monkeypatch.setattr(edgeproof.arithmetic.weights, "FLOAT_LIMIT", float_limit)
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
    shift = edgeproof.arithmetic.weights.find_shift(np.array(values))
    assert all((Fraction(x) * 2**shift).denominator == 1 for x in values)
    smallest = max(Fraction(x).denominator for x in values).bit_length() - 1
    assert smallest <= shift < smallest + 53  # numbers should not grow without need


def test_a_shift_asks_rows_that_are_not_next_to_each_other():
    assert edgeproof.arithmetic.weights.find_shift(np.array([[1.0, 0.25], [2.0, 0.5]])[:, :1]) == 0


@pytest.mark.parametrize("values", [[0.1, -1e-3, 7.0], [1e-40, -1.0, 0.0], [5e-324, 1.0, -3e200], [2.0**900, -0.75]])
def test_weights_in_whole_numbers(values):
    matrix = np.array([values, values[::-1]])
    shift = edgeproof.arithmetic.weights.find_shift(matrix)
    expected = [[int(Fraction(x) * 2**shift) for x in row] for row in matrix.tolist()]
    found = edgeproof.arithmetic.weights.to_integers(matrix, shift)
    assert [[int(x) for x in row] for row in found.tolist()] == expected
    ones, columns = np.ones((1, 2)), np.arange(2)
    sums = edgeproof.arithmetic.weights.Columns(matrix.T, shift).combine(ones, columns)
    assert [int(x) for x in sums] == [a + b for a, b in zip(*expected, strict=True)]


@pytest.mark.parametrize("shift", [56, 80])
def test_an_interrupt_leaves_no_half_of_the_weights(shift, monkeypatch):
    """They are kept for the next question, which would be answered wrongly."""
    weight = edgeproof.arithmetic.weights.Columns(
        np.array([[0.1, 3.0], [-1e-3, 7.0]]).astype(np.float32).astype(float), shift
    )
    scale, calls = edgeproof.arithmetic.weights._times_power, []

    def interrupted(*args):
        calls.append(args)
        if len(calls) == (1 if shift < 60 else 4):
            raise KeyboardInterrupt
        return scale(*args)

    monkeypatch.setattr(edgeproof.arithmetic.weights, "_times_power", interrupted)
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


@pytest.mark.parametrize("how", ["product", "mean", "slope"])
def test_what_underflows_inside_decides_the_predicted_class(how: str) -> None:
    """Class 0 is ahead by what a layer rounds to 0 and the next one multiplies by 1e300."""
    lift, small = [[1e300], [0.0]], 2.0**-1074
    if how == "mean":
        layers = [Layer([[1.0]], [[0.0]], [0.0]), Layer([[0.0], [0.0]], lift, [0.0, 1e-24], "mean", "none")]
    elif how == "slope":
        layers = [
            Layer([[1.0]], [[0.0]], [0.0], activation="leaky_relu", slope=0.25),
            Layer([[-1e300], [0.0]], [[0.0], [0.0]], [0.0, 1e-24], activation="none"),
        ]
    else:
        layers = [
            Layer([[1e-130]], [[0.0]], [0.0]), Layer(lift, [[0.0], [0.0]], [0.0, 1e-40], activation="none"),
        ]  # fmt: skip
    x = {"mean": [[small], [0.0]], "slope": [[-small], [0.0]], "product": [[1e-200], [0.0]]}[how]
    graph = Graph([[0, 1], [0, 0]], x, directed=True)
    network = Network(layers)
    exact = exact_scores(network, graph, 0)
    assert exact[0] > exact[1]
    assert predicted_class(network, graph, 0) == 0
    scores, error = evaluate_with_error(network, graph)
    assert abs(brute._rational(scores[0, 0]) - exact[0]) <= brute._rational(error[0, 0])

"""The reference evaluation: by hand, against exact arithmetic, and on the datasets."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edgeproof import Graph, InputError, Layer, Network, Readout, load_graphs
from edgeproof.arithmetic.evaluator import exact_scores
from edgeproof.arithmetic.float64 import evaluate_with_error
from shared_data import dataset, model, needs_data

# 0 -> 2, 1 -> 2, 2 -> 2; vertices 0 and 1 have no in-neighbours
GRAPH = Graph([[0, 1, 2], [2, 2, 2]], [[1.0], [-4.0], [6.0]], directed=True)


@pytest.mark.parametrize(("aggregation", "combined"), [("sum", 3.0), ("max", 6.0), ("mean", 1.0)])
def test_one_layer_by_hand(aggregation: str, combined: float) -> None:
    network = Network([Layer([[1.0], [0.0]], [[10.0], [1.0]], [0.5, 0.0], aggregation, "none")])
    expected = [[1.5, 0.0], [-3.5, 0.0], [6.5 + 10 * combined, combined]]
    assert network.scores(GRAPH).tolist() == expected
    assert [network.scores(GRAPH, node).tolist() for node in range(3)] == expected


@pytest.mark.parametrize(("pool", "pooled"), [("sum", 3.0), ("max", 6.0), ("mean", 1.0)])
def test_readouts_by_hand(pool: str, pooled: float) -> None:
    dense = Layer.dense([[1.0]], [0.0], "none")
    network = Network([dense], Readout([[2.0], [-1.0]], [1.0, 0.0], pool))
    assert network.scores(GRAPH).tolist() == [2 * pooled + 1, -pooled]


def test_activations_by_hand() -> None:
    for activation, expected in (("relu", 0.0), ("leaky_relu", -1.0), ("none", -4.0)):
        network = Network([Layer.dense([[1.0], [1.0]], [0.0, 0.0], activation, 0.25)])
        assert network.scores(GRAPH, 1).tolist() == [expected, expected]


def test_features_must_fit() -> None:
    network = Network([Layer.dense([[1.0, 1.0], [1.0, 0.0]], [0.0, 0.0])])
    with pytest.raises(InputError, match="the network expects 2 features, the graph has 1"):
        network.scores(GRAPH)


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from(("sum", "max", "mean")), st.sampled_from(("node", "graph")))
def test_exact_scores_lie_within_the_stated_error(seed: int, how: str, task: str) -> None:
    rng = np.random.default_rng(seed)
    n, widths = int(rng.integers(1, 6)), [int(w) for w in rng.integers(2, 4, size=4)]
    layers = [
        Layer(rng.normal(size=(out, width)), rng.normal(size=(out, width)), rng.normal(size=out), how)
        for width, out in pairwise(widths)
    ]
    readout = Readout(rng.normal(size=(2, widths[3])), rng.normal(size=2), how) if task == "graph" else None
    network = Network(layers, readout)
    edges = np.argwhere(rng.random((n, n)) < 0.4).T
    graph = Graph(edges, rng.normal(size=(n, widths[0])), directed=True)
    node = int(rng.integers(n)) if task == "node" else None
    scores, error = evaluate_with_error(network, graph, node)
    exact = [int(x.p) / int(x.q) for x in exact_scores(network, graph, node)]
    assert (np.abs(scores - exact) <= error + 1e-300).all()
    assert (error < 1e-9).all()


@needs_data
def test_the_scores_named_with_the_models() -> None:
    cora = Network.load(model("Cora_mean")).scores(Graph.load(dataset("Cora")), 0)
    assert np.round(cora, 4).tolist() == [0.1617, -1.9638, -4.1057, 16.8916, -2.3753, -20.1892, -8.1624]
    mutag = Network.load(model("MUTAG_sum")).scores(load_graphs(dataset("MUTAG"))[0])
    assert np.round(mutag, 4).tolist() == [-5.2875, -0.3008]


# On the whole dataset; follows from the accuracies and split sizes in the models' README, up to its rounding.
SPLITS = {
    "Cora": (812, 541, 1355), "CiteSeer": (993, 662, 1657), "Cornell": (54, 36, 93), "Texas": (54, 36, 93),
    "Wisconsin": (75, 50, 126), "MUTAG": (150, 18, 20), "ENZYMES": (480, 60, 60),
}  # fmt: skip
ACCURACIES = {
    "Cora_sum": (0.998, 0.776, 0.776), "Cora_max": (0.993, 0.800, 0.782), "Cora_mean": (0.999, 0.826, 0.809),
    "CiteSeer_sum": (1.000, 0.707, 0.719), "CiteSeer_max": (1.000, 0.698, 0.709),
    "CiteSeer_mean": (0.953, 0.704, 0.714), "Cornell_sum": (1.000, 0.444, 0.624),
    "Cornell_max": (1.000, 0.528, 0.667), "Cornell_mean": (1.000, 0.500, 0.699), "Texas_sum": (1.000, 0.722, 0.634),
    "Texas_max": (1.000, 0.722, 0.656), "Texas_mean": (1.000, 0.750, 0.624), "Wisconsin_sum": (1.000, 0.680, 0.635),
    "Wisconsin_max": (1.000, 0.660, 0.635), "Wisconsin_mean": (0.840, 0.660, 0.627),
    "MUTAG_sum": (0.947, 1.000, 0.900), "MUTAG_max": (0.813, 0.944, 0.850), "MUTAG_mean": (0.780, 0.944, 0.800),
    "ENZYMES_sum": (0.767, 0.433, 0.417), "ENZYMES_max": (0.533, 0.400, 0.417), "ENZYMES_mean": (0.650, 0.433, 0.350),
}  # fmt: skip


@needs_data
@pytest.mark.parametrize("name", sorted(ACCURACIES))
def test_every_model_reaches_its_published_accuracy(name: str) -> None:
    network, title = Network.load(model(name)), name.partition("_")[0]
    if network.task == "node":
        graph = Graph.load(dataset(title))
        right = int((network.predict(graph) == graph.labels).sum())
    else:
        right = sum(network.predict(graph) == graph.labels for graph in load_graphs(dataset(title)))
    expected = sum(share * size for share, size in zip(ACCURACIES[name], SPLITS[title], strict=True))
    rounding = sum(0.0005 * size for size in SPLITS[title])
    assert abs(right - expected) <= rounding + 0.5


@pytest.mark.parametrize("aggregation", ["sum", "max", "mean", "gcn"])
def test_one_node_has_the_scores_that_it_has_in_the_whole_graph(aggregation: str) -> None:
    """Only its neighbourhood is evaluated; nothing that matters may be cut off, degrees of the farthest included."""
    rng = np.random.default_rng(0)
    for number in range(40):
        n, directed = int(rng.integers(2, 9)), bool(number % 2)
        there = rng.random((n, n)) < 0.3
        there = there if directed else there | there.T
        graph = Graph(np.array(np.nonzero(there)), rng.normal(size=(n, 3)), directed=directed)
        shape = (3, 3)
        layers = [
            Layer(rng.normal(size=shape), rng.normal(size=shape), rng.normal(size=3), aggregation)
            for _ in range(1 + number % 3)
        ]
        network = Network(layers)
        whole = network.scores(graph)
        for node in range(n):
            assert network.scores(graph, node) == pytest.approx(whole[node], rel=1e-9, abs=1e-9)

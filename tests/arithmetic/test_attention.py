"""Attention in floating point, with bounds on its rounding, against balls of 300 bits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from attention_queries import any_network, attention_layer, drawn, random_attention, two_layers
from edgeproof.arithmetic.balls import ball_scores
from edgeproof.arithmetic.decide import Decider
from edgeproof.arithmetic.enclosure import bounded_scores
from edgeproof.arithmetic.float64 import evaluate, evaluate_with_error
from edgeproof.arithmetic.receptive_field import find_field
from edgeproof.arithmetic.twins import first_twin
from edgeproof.clock import UNLIMITED, Clock
from edgeproof.engines.in_balls import BallEvaluator
from edgeproof.errors import InputError
from edgeproof.model.attention import Attention
from edgeproof.model.graph import Graph
from edgeproof.model.network import Layer, Network


@pytest.mark.parametrize("make", [two_layers, any_network])
@pytest.mark.parametrize("seed", range(40, 70))
def test_bounds_of_rounding_hold_the_true_scores(make: object, seed: int) -> None:
    query = drawn(make, seed)
    if query is None:
        return
    network, node = query.network, query.claim.node
    flips = query.graph.edge_pairs()[:1]
    field = find_field(query.graph, network.layers, node, flips, degrees=network.normalises)
    scores, error = bounded_scores(network, query.graph, field)
    true = [float(ball.mid()) for ball in ball_scores(network, query.graph, field, 300, UNLIMITED)]
    assert (abs(scores - true) <= error).all()
    assert error < 1e-6 * (1.0 + abs(scores).max())
    assert abs(evaluate(network, query.graph.flip(flips), node) - true).max() <= 1e-9 * (1.0 + abs(scores).max())
    # two evaluations in balls that were written apart
    for one, other in zip(true, BallEvaluator(query)._definitions[0].scores(tuple(flips)), strict=True):
        assert abs(one - float(other.mid())) < 1e-12 * (1.0 + abs(one))
    whole, off = evaluate_with_error(network, query.graph.flip(flips), node)
    assert (abs(whole - true) <= off).all()


def test_a_vertex_that_hears_nobody_gets_the_bias_alone() -> None:
    rng = np.random.default_rng(0)
    attention = random_attention(rng, 2, 2, 3, self_loops=False, mean=False)
    layer = Layer(np.zeros((6, 2)), np.eye(6), np.arange(6.0), "attention", "none", attention=attention)
    graph = Graph([[0], [1]], rng.normal(size=(3, 2)), directed=True)
    assert (evaluate(Network([layer]), graph)[[0, 2]] == np.arange(6.0)).all()


def test_logits_of_a_thousand_overflow_nowhere() -> None:
    attention = Attention("gat", [[[1000.0], [-1000.0]]], [[1.0, 0.0]], target=[[0.0, 1.0]])
    layer = Layer(np.zeros((2, 1)), np.eye(2), [0.0, 1.0], "attention", "none", attention=attention)
    graph = Graph([[0, 1], [1, 0]], [[1.0], [3.0]], directed=False)
    scores, error = evaluate_with_error(Network([layer]), graph)
    assert np.isfinite(scores).all()
    assert np.isfinite(error).all()


def test_ties_of_classes_with_equal_rows_keep_the_claim_and_others_are_noted() -> None:
    rng = np.random.default_rng(3)
    attention = random_attention(rng, 2, 1, 2, mean=False)
    A = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    network = Network([Layer(np.zeros((3, 2)), A, [0.0, 0.0, -99.0], "attention", "none", attention=attention)])
    graph = Graph([[0, 1], [1, 0]], rng.normal(size=(2, 2)), directed=False)
    assert first_twin(network) == (0, 0, 2)
    assert Decider(network, graph).rival(0, 1, (0, 2)) is None
    assert Decider(network, graph).largest(0) == 0
    # two vertices that send the same: heads with swapped channels tie, though no weights are equal
    swapped = Attention("gat", [[[1.0], [2.0]], [[2.0], [1.0]]], [[1.0, 0.0], [0.0, 1.0]],
                        target=[[0.0, 0.0], [0.0, 0.0]])  # fmt: skip
    tied = Network([Layer(np.zeros((2, 1)), np.eye(4)[[0, 3]], [0.0, 0.0], "attention", "none", attention=swapped)])
    clock = Clock()
    assert Decider(tied, Graph([[0, 1], [1, 0]], [[1.0], [0.5]], directed=False)).rival(0, 0, (1,), (), clock) is None
    assert clock.tied == 0


def test_networks_with_attention_are_saved_and_read(tmp_path: Path) -> None:
    seen = set()
    for seed in range(20):
        rng = np.random.default_rng(seed)
        attention = random_attention(rng, 3, 2, 2)
        network = Network([attention_layer(rng, 3, attention, "relu", 4)])
        network.save(tmp_path / "net.safetensors")
        found = Network.load(tmp_path / "net.safetensors")
        assert found.fingerprint == network.fingerprint
        seen.add(found.fingerprint)
    assert len(seen) == 20
    with pytest.raises(InputError, match="gnnx carries sum, max and mean"):
        Network([attention_layer(rng, 3, attention, "none", 4)]).save(tmp_path / "net.gnnx")


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"kind": "gatv3"}, "attention kind: expected one of gat, gatv2, got 'gatv3'"),
        ({"slope": 1.5}, "attention slope: expected a number from 0 to 1, got 1.5"),
        ({"target": None}, "gat takes target, and not the other one"),
        ({"target_values": [[[1.0]]]}, "gat takes target, and not the other one"),
        ({"source": [[1.0, 2.0]]}, "attention source: expected shape 1x1"),
        ({"values": [[1.0]]}, "attention values: expected shape"),
    ],
)
def test_attentions_refuse(changes: dict[str, object], complaint: str) -> None:
    given = {"kind": "gat", "values": [[[1.0]]], "source": [[1.0]], "target": [[1.0]], **changes}
    with pytest.raises(InputError, match=complaint):
        Attention(**given)  # type: ignore[arg-type]


def test_layers_refuse_attention_that_does_not_fit() -> None:
    one = Attention("gat", [[[1.0]]], [[1.0]], target=[[1.0]])
    for how, attention, A, complaint in (
        ("sum", one, [[1.0]], "a layer with aggregation 'attention' has one"),
        ("attention", None, [[1.0]], "a layer with aggregation 'attention' has one"),
        ("attention", one, [[0.0]], "nothing of the attention is heard"),
        ("attention", one, [[1.0, 2.0]], "A: expected shape 1x1"),
    ):
        with pytest.raises(InputError, match=complaint):
            Layer([[0.0]], A, [0.0], how, "none", attention=attention)

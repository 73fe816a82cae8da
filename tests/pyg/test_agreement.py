"""Converted networks say what the PyG module says, on the graph and on every graph that an attack can make of it."""

from __future__ import annotations

import pytest

pytest.importorskip("torch_geometric", reason="needs torch and torch_geometric: pip install 'edgeproof[pyg]'")

import numpy as np

import edgeproof as ep
from enumeration import Module, random_graph, smallest_break
from random_queries import fragile_pairs
from zoo import CLASSIFIERS, FEATURES, GCN, LAYERS, MODELS, randomised

EVERYTHING = {**LAYERS, **MODELS, **GCN, **{f"classifier {name}": make for name, make in CLASSIFIERS.items()}}


def ranks(scores: np.ndarray, network: ep.Network, graph: ep.Graph) -> list[np.ndarray]:
    """Our scores, and what a final softmax makes of them."""
    ours = network.scores(graph).reshape(scores.shape)
    shifted = np.exp(ours - ours.max(axis=-1, keepdims=True))
    share = shifted / shifted.sum(axis=-1, keepdims=True)
    return [ours, np.log(share), share]


@pytest.mark.parametrize("name", EVERYTHING)
def test_scores_agree_on_original_and_perturbed_graphs(name: str) -> None:
    for seed in range(3):
        rng = np.random.default_rng(seed)
        model = randomised(EVERYTHING[name](), seed)
        module, network = Module(model), ep.from_pyg(model, num_features=FEATURES)
        for n in (1, 4, 7):
            graph = random_graph(rng, n, FEATURES, bool(seed % 2), network.needs_simple_graph)
            for flips in range(4):
                pairs = fragile_pairs(graph, ep.Threat(insert=True), None)
                chosen = [pairs[at] for at in rng.permutation(len(pairs))[:flips]]
                perturbed = graph.flip(chosen)
                theirs = module.scores(perturbed)
                off = min(abs(theirs - one).max() for one in ranks(theirs, network, perturbed))
                assert off <= 1e-9 * (1 + abs(theirs).max()), f"seed {seed}, {n} vertices, flips {chosen}: off by {off}"


def check_verdicts(name: str, make, seeds: range, engine: str = "search", output: int | str | None = None) -> None:
    """Verdict and radius against enumeration through the module; all margins must be clear of rounding."""
    outcomes = []
    for seed in seeds:
        rng = np.random.default_rng((seed, 1))
        model = randomised(make(), seed)
        network, module = ep.from_pyg(model, num_features=FEATURES, output=output), Module(model, output)
        simple = network.needs_simple_graph
        graph = random_graph(rng, int(rng.integers(3, 5 + simple)), FEATURES, bool(seed % 2), simple)
        node = None if network.task == "graph" else int(rng.integers(graph.num_vertices))
        threat = ep.Threat(budget=2, delete=seed % 3 != 1, insert=seed % 3 != 0)
        scores = module.scores(graph)
        label = int(np.argmax(scores[0 if node is None else node]))
        truth, closest = smallest_break(module, graph, threat, node, label)
        assert closest > 1e-9, "too close to call in float64: take another seed"
        verdict = ep.verify(network, graph, threat, node, timeout=60, engine=engine)
        radius = ep.radius(network, graph, threat, node, timeout=60, engine=engine)
        where = f"{name}, seed {seed}: {network}, {graph}, node {node}"
        assert verdict.label == label, where
        assert verdict.status == ("robust" if truth < 0 else "vulnerable"), where
        assert radius.robust if truth < 0 else radius.lower == truth - 1, where
        for attack in (verdict.attack, radius.attack):
            if attack is not None:
                after = module.scores(attack.apply(graph))[0 if node is None else node]
                assert np.argmax(after) != label, where
        outcomes.append(verdict.status)
    assert set(outcomes) <= {"robust", "vulnerable"}


@pytest.mark.parametrize("name", [*LAYERS, *MODELS, *GCN])
def test_verdicts_agree_with_enumeration_through_the_module(name: str) -> None:
    check_verdicts(name, {**LAYERS, **MODELS, **GCN}[name], range(4))


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_verdicts_on_graphs_agree_with_enumeration_through_the_module(name: str) -> None:
    check_verdicts(name, CLASSIFIERS[name], range(4))


@pytest.mark.parametrize("name", GCN)
def test_verdicts_on_gcn_agree_with_enumeration_through_the_module(name: str) -> None:
    check_verdicts(name, GCN[name], range(4), engine="brute")

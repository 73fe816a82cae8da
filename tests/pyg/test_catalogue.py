"""Models as people write them: accepted, and saying what the module says, or refused in a sentence that helps."""

from __future__ import annotations

import pytest

pytest.importorskip("torch_geometric", reason="needs torch and torch_geometric: pip install 'edgeproof[pyg]'")

import re

import numpy as np
import torch

import edgeproof as ep
from catalogue import ACCEPTED, REFUSED
from enumeration import Module, random_graph
from random_queries import fragile_pairs
from test_agreement import check_verdicts
from zoo import FEATURES, randomised

# a word of torch.fx, or the name of one of its nodes
OF_FX = re.compile(r"[Pp]roxy|symbolic|torch\.fx|getattr|getitem|_\d+\b(?! \()|traced")
# what may stand behind the scores, as it keeps their order
LAST = (
    lambda x: x, lambda x: torch.log_softmax(x, -1), lambda x: torch.softmax(x, -1), torch.sigmoid, torch.tanh,
    torch.nn.functional.elu,
)  # fmt: skip


def off_by(theirs: np.ndarray, network: ep.Network, graph: ep.Graph) -> float:
    ours = torch.tensor(network.scores(graph))
    if theirs.size != ours.numel():  # one number, of which ours are 0 and itself
        assert (ours[..., 0] == 0).all()
        ours = ours[..., 1:]
    return min(abs(theirs.reshape(ours.shape) - last(ours).numpy()).max() for last in LAST)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ACCEPTED)
def test_accepted_models_agree_on_original_and_perturbed_graphs(name: str) -> None:
    make, how = ACCEPTED[name]
    for seed in range(2):
        rng = np.random.default_rng(seed)
        model = randomised(make(), seed)
        network, module = ep.from_pyg(model, num_features=FEATURES, **how), Module(model, how.get("output"))
        for n in (1, 4, 7):
            graph = random_graph(rng, n, FEATURES, bool(seed % 2), network.needs_simple_graph)
            for flips in range(4):
                pairs = fragile_pairs(graph, ep.Threat(insert=True), None)
                chosen = [pairs[at] for at in rng.permutation(len(pairs))[:flips]]
                perturbed = graph.flip(chosen)
                theirs = module.scores(perturbed)
                off = off_by(theirs, network, perturbed)
                assert off <= 1e-9 * (1 + abs(theirs).max()), f"seed {seed}, {n} vertices, flips {chosen}: off by {off}"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", REFUSED)
def test_refused_models_are_told_where_and_why_and_what_instead(name: str) -> None:
    make, complaint = REFUSED[name]
    with pytest.raises(ep.InputError, match=complaint) as refused:
        ep.from_pyg(make(), num_features=FEATURES)
    said = str(refused.value)
    assert "\n" not in said
    assert not OF_FX.search(said), said
    assert re.search(
        r"\b(use|retrain|train|give|leave|keep|write|call|change|return|say|pool|move|compute|build|expand)\b", said
    )


def test_most_models_are_accepted() -> None:
    count = len(ACCEPTED) + len(REFUSED)
    assert count >= 100
    assert len(ACCEPTED) >= 0.7 * count, f"{len(ACCEPTED)} of {count}"


NEW = (
    "GCNConv improved", "GCNConv without self-loops", "SAGEConv min", "SAGEConv mean and max",
    "SAGEConv sum, mean, min and max", "SGConv", "SGConv without self-loops", "SSGConv", "APPNP",
    "APPNP without self-loops", "GCN2Conv", "GCN2Conv own weights", "TAGConv", "TAGConv without normalisation",
    "MixHopConv", "ChebConv 2", "ChebConv 4", "ARMAConv", "LGConv", "relu6", "hardtanh", "hardsigmoid", "clamp", "abs",
    "LeakyReLU negative", "Softshrink", "add_self_loops sum", "add_self_loops GCN", "deep initial",
    "graphs min", "graphs TAG", "elu", "ELU alpha", "CELU", "selu", "GELU", "GELU tanh", "silu", "tanh", "sigmoid",
    "softplus", "Softplus beta", "logsigmoid", "Tanhshrink", "deep gelu",
)  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NEW)
def test_verdicts_agree_with_enumeration_through_the_module(name: str) -> None:
    make, how = ACCEPTED[name]
    check_verdicts(name, make, range(4), **how)

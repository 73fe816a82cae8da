"""Curved activations (ELU, SELU, GELU, SiLU, tanh, sigmoid, softplus): the search against brute force, ties that stay
open, and who refuses them.
"""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np
import pytest

import edgeproof as ep
from differential import check, disagreement
from edgeproof.model.activation import CODES, Activation
from edgeproof.options import resolve
from edgeproof.search import engine, from_base
from edgeproof.search.strategies import few_graphs
from random_queries import CURVED, draw

SEED = int(os.environ.get("EDGEPROOF_SEED", "8"))
PARTS = 6


@pytest.mark.parametrize("part", range(PARTS))
def test_the_search_agrees_with_brute_force(part: int, request: pytest.FixtureRequest) -> None:
    for index in range(part, max(300, request.config.getoption("--campaign") // 6), PARTS):
        report = check(engine, SEED, index, CURVED)
        assert report is None, report


# deletions around a node, which are also answered from the values of the whole graph
AROUND = replace(CURVED, tasks=("node",), flips=("delete",), layers=(2, 2, 3, 3, 4), loops=(0.0, 0.0, 0.3))


@pytest.mark.parametrize("part", range(PARTS))
def test_few_graphs_and_lengths_agree_with_brute_force(part: int) -> None:
    asked = ({"few_graphs_at_once": True}, {"few_graphs": False, "charges_at_once": True})
    used = [0, 0]
    for index in range(part, 300, PARTS):
        query = draw(SEED, index, AROUND)
        for options in asked:
            problem = disagreement(engine, query, options)
            assert problem is None, f"seed {SEED}, index {index}, options {options}: {problem}"
        used[0] += few_graphs.is_for(query, resolve(asked[0]), None)
        used[1] += from_base.lengths_apply_to(query)
    assert min(used) > 20


def star(activation: str, last: list[list[float]]) -> tuple[ep.Network, ep.Graph]:
    """Vertex 0 hears 1 and 2, which hold 1 each, in two entries."""
    first = ep.Layer(np.zeros((2, 1)), [[1.0], [1.0]], [0.0, 0.0], "sum", activation)
    network = ep.Network([first, ep.Layer.dense(last, [0.0] * len(last), "none")])
    return network, ep.Graph([[1, 2], [0, 0]], [[0.0], [1.0], [1.0]], directed=True)


@pytest.mark.parametrize("activation", CODES, ids=str)
@pytest.mark.parametrize("by", ["search", "brute"])
def test_a_tie_is_unknown_and_says_so(activation: Activation, by: str) -> None:
    """Class 1 has twice the first entry, class 0 both: equal, but no row says so. Class 2 is far below."""
    network, graph = star(activation.value, [[1.0, 1.0], [2.0, 0.0], [-9.0, -9.0]])
    # above 0 these are straight, so that balls are exact
    straight = activation in (Activation.ELU, Activation.SELU)
    for budget in (0, 1, 2):
        verdict = ep.verify(network, graph, ep.Threat(budget), 0, label=0, engine=by)
        assert (verdict.status, verdict.reason) == (("robust", None) if straight else ("unknown", "tie"))
        weak = ep.verify(network, graph, ep.Threat(budget), 0, label=0, target=2, engine=by)
        assert weak.status == "robust"
    radius = ep.radius(network, graph, ep.Threat(), 0, label=0, engine=by)
    assert (radius.lower, radius.exact, radius.robust) == ((2, True, True) if straight else (-1, False, False))
    assert radius.reason == (None if straight else "tie")


@pytest.mark.parametrize("by", ["search", "brute"])
def test_an_attack_is_found_beside_a_tie(by: str) -> None:
    """With both neighbours gone tanh(0) = 0 is exact, and the bias decides."""
    network, graph = star("tanh", [[1.0, 1.0], [2.0, 0.0]])
    last = ep.Layer.dense([[1.0, 1.0], [2.0, 0.0], [0.0, 0.0]], [0.0, 0.0, 0.5], "none")
    biased = ep.Network([network.layers[0], last])
    verdict = ep.verify(biased, graph, ep.Threat(2), 0, label=0, engine=by)
    assert verdict.status == "vulnerable"
    assert (len(verdict.attack), verdict.rival) == (2, 2)
    radius = ep.radius(biased, graph, ep.Threat(), 0, label=0, engine=by)
    assert (radius.lower, radius.upper, radius.exact, radius.reason) == (-1, 1, False, "tie")


def test_no_class_is_predicted_at_a_tie() -> None:
    network, graph = star("tanh", [[1.0, 1.0], [2.0, 0.0]])
    with pytest.raises(ep.EdgeproofError, match=r"tie: .*give label="):
        ep.verify(network, graph, ep.Threat(1), 0)
    equal, _ = star("tanh", [[2.0, 0.0], [2.0, 0.0]])
    assert ep.verify(equal, graph, ep.Threat(1), 0).robust


@pytest.mark.parametrize("activation", CODES, ids=str)
def test_who_does_not_know_them_says_so(activation: Activation) -> None:
    network, graph = star(activation.value, [[1.0, 1.0], [2.0, -1.0]])
    for options, complaint in (
        ({"certify": True}, "curved activations have no proof rules"),
        ({"arithmetic": "float32"}, "curved activations have no .* float32 bounds"),
        ({"engine": "mip"}, "the mip engine knows piecewise linear activations only"),
    ):
        with pytest.raises(ep.InputError, match=complaint):
            ep.verify(network, graph, ep.Threat(1), 0, label=0, **options)  # type: ignore[arg-type]


def test_claims_about_several_classes_and_leads() -> None:
    network, graph = star("gelu", [[1.0, 1.0], [2.5, 0.0], [-9.0, -9.0]])
    assert ep.verify(network, graph, ep.Threat(1), 0, label=(0, 1)).robust
    assert ep.verify(network, graph, ep.Threat(1), 0, label=1, margin=0.01).robust
    assert ep.verify(network, graph, ep.Threat(1), 0, label=1, margin=0.9).vulnerable

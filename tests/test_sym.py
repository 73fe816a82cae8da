"""Normalised sums without the vertex itself (`sym`): the search, exact numbers and floats against brute force."""

from __future__ import annotations

import os

import flint
import numpy as np
import pytest

import edgeproof as ep
from differential import check
from edgeproof.arithmetic.balls import ball_scores
from edgeproof.arithmetic.decide import Decider
from edgeproof.arithmetic.enclosure import enclosed_scores
from edgeproof.arithmetic.evaluator import ExactEvaluator
from edgeproof.arithmetic.receptive_field import find_field
from edgeproof.arithmetic.surds import Surd
from edgeproof.clock import UNLIMITED
from edgeproof.engines.brute import Evaluator
from random_queries import SYM, draw, fragile_pairs

SEED = int(os.environ.get("EDGEPROOF_SEED", "7"))
PARTS = 4


@pytest.mark.parametrize("part", range(PARTS))
def test_the_search_agrees_with_brute_force(part: int) -> None:
    from edgeproof.search import engine

    for index in range(part, 240, PARTS):
        report = check(engine, SEED, index, SYM)
        assert report is None, report


def test_scores_are_those_of_the_definition() -> None:
    """Of dense matrices: D^-1/2 A D^-1/2, in which a vertex without neighbours hears nothing."""
    rng = np.random.default_rng(3)
    for n in (1, 3, 6, 9):
        there = np.triu(rng.random((n, n)) < 0.3, 1)
        there = (there | there.T).astype(float)
        x = rng.normal(size=(n, 2))
        C, A, b = rng.normal(size=(3, 2)), rng.normal(size=(3, 2)), rng.normal(size=3)
        degree = there.sum(axis=1)
        root = np.where(degree > 0, 1 / np.sqrt(np.maximum(degree, 1)), 0.0)
        wanted = x @ C.T + (root[:, None] * there * root) @ x @ A.T + b
        network = ep.Network([ep.Layer(C, A, b, "sym", "none")])
        graph = ep.Graph(np.array(np.nonzero(there)), x, directed=False)
        assert network.scores(graph) == pytest.approx(wanted, abs=1e-12)
        for node in range(n):
            assert network.scores(graph, node) == pytest.approx(wanted[node], abs=1e-12)


def as_ball(surd: Surd) -> flint.arb:
    with flint.ctx.workprec(512):
        return sum((flint.arb(factor) * flint.arb(q).sqrt() for q, factor in Surd.of(surd).parts.items()), flint.arb(0))


def test_every_way_to_evaluate_agrees_with_brute_force() -> None:
    for index in range(150):
        query = draw(SEED, 10_000 + index, SYM)
        network, graph, node = query.network, query.graph, query.claim.node
        rng, evaluator = np.random.default_rng(index), Evaluator(query)
        exact, decider = ExactEvaluator(network, graph), Decider(network, graph)
        pairs = fragile_pairs(graph, query.threat, node)
        for size in range(3):
            flips = tuple(pairs[at] for at in rng.permutation(len(pairs))[:size])
            where = f"seed {SEED}, index {index}, flips {flips}"
            truth = evaluator.scores(flips)
            assert all(a == b for a, b in zip(exact.scores(node, flips), truth, strict=True)), where
            field = find_field(graph, network.layers, node, flips, degrees=network.normalises)
            for balls in (enclosed_scores(network, graph, field), ball_scores(network, graph, field, 128, UNLIMITED)):
                for ball, true in zip(balls or (), truth, strict=balls is not None):
                    assert ball.overlaps(as_ball(true)), where
            assert decider.rival(node, query.claim.label, query.rivals, flips) == evaluator.winner(flips), where


@pytest.mark.parametrize(
    ("graph", "threat", "complaint"),
    [
        (ep.Graph([[0], [1]], np.eye(2), directed=True), ep.Threat(1), "'sym' layers .* undirected graphs only"),
        (ep.Graph([[0, 0, 1], [0, 1, 0]], np.eye(2), directed=False), ep.Threat(1), "without self-loops only"),
        (
            ep.Graph([[0, 1], [1, 0]], np.eye(2), directed=False),
            ep.Threat(1, fragile=[(0, 0)]),
            "without self-loops only",
        ),
    ],
)
def test_other_graphs_are_refused(graph: ep.Graph, threat: ep.Threat, complaint: str) -> None:
    network = ep.Network([ep.Layer(np.eye(2), np.eye(2), [0, 0], "sym", "none")])
    with pytest.raises(ep.InputError, match=complaint):
        ep.verify(network, graph, threat, 0)


def test_a_network_counts_vertices_themselves_everywhere_or_nowhere() -> None:
    layers = [ep.Layer(np.eye(2), np.eye(2), [0, 0], how) for how in ("gcn", "sym")]
    with pytest.raises(ep.InputError, match="some are 'gcn', some 'sym'"):
        ep.Network(layers)

"""Features and hidden rows in other units are the same question: no verdict may follow from overflow or underflow.

A hidden unit times 2**k, with what reads it over 2**k, leaves every score as it is, to the last bit of real arithmetic.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from differential import disagreement
from edgeproof import Graph, InputError, Layer, Network, certify
from edgeproof.engines import brute
from edgeproof.model.network import Activation
from edgeproof.model.query import Query, make_query
from edgeproof.search import engine
from random_queries import EVERYTHING, RATIONAL, Grid, draw

STYLES = ("gaussian", "integers", "dyadic", "signs")
INSIDE = replace(EVERYTHING, tasks=("node",), styles=STYLES)
CHARGED = replace(
    INSIDE, vertices=(3, 4, 5, 6), layers=(2, 3), aggregations=("sum", "mean", "gcn"), loops=(0.0,), flips=("delete",),
    activations=("relu then none",), budgets=(1, 2, 2, 3, None),
)  # fmt: skip
SIZED = replace(INSIDE, vertices=(3, 4, 5), flips=("insert", "both", "both", "target", "delete+target"))


def in_other_units(query: Query, rng: np.random.Generator, far: int) -> Query:
    """Units of the features and of every hidden layer are multiplied by powers of two, up to 2**far."""
    layers, graph = query.network.layers, query.graph
    powers = [*rng.integers(-far, far + 1, len(layers)).tolist(), 0]
    if rng.random() < 0.4:
        powers = [power if rng.random() < 0.5 else 0 for power in powers[:-1]] + [0]
    scaled = []
    for layer, before, after in zip(layers, powers, powers[1:], strict=False):
        C, A = (np.ldexp(weight, after - before) for weight in (layer.C, layer.A))
        slopes = layer.negative_slopes if layer.activation is Activation.LEAKY_RELU else 0.01
        scaled.append(Layer(C, A, np.ldexp(layer.b, after), layer.aggregation, layer.activation, slopes))
    rows = np.ldexp(graph.features.dense(np.arange(graph.num_vertices)), powers[0])
    moved = Graph(np.stack([graph.sources, graph.targets]), rows, directed=graph.directed)
    claim = query.claim
    return make_query(Network(scaled), moved, query.threat, claim.node, claim.label, claim.target)


def questions(seed: int, count: int, far: int, grid: Grid) -> Iterator[tuple[int, Query]]:
    for index in range(count):
        query, rng = draw(seed, index, grid), np.random.default_rng((seed, index, 3))
        with np.errstate(over="ignore"):
            try:
                query = in_other_units(query, rng, far)
            except InputError:  # a number is no longer finite
                continue
        yield index, query


@pytest.mark.parametrize("far", [150, 600])
@pytest.mark.parametrize(
    ("grid", "options"),
    [(CHARGED, {"charges_at_once": True}), (SIZED, {"by_size_at_once": True}), (INSIDE, None)],
    ids=["charges", "sizes", "tree"],
)
def test_verdicts_and_radii_agree_with_brute_force(
    grid: Grid, options: dict[str, bool] | None, far: int, request: pytest.FixtureRequest
) -> None:
    count = max(200, request.config.getoption("--campaign") // 10)
    for index, query in questions(5, count, far, grid):
        problem = disagreement(engine, query, options)
        assert problem is None, f"index {index}: {problem}"


def test_charges_answer_whatever_the_units_if_they_are_not_far_apart() -> None:
    """What keeps them from wrong verdicts does not keep them from answering."""

    def charged(query: Query) -> bool:
        verdict = engine.verify(query, timeout=60, node_limit=None, options={"charges_at_once": True})
        return bool(verdict.stats.get("charged"))

    before, after = ([charged(query) for _, query in questions(5, 60, far, CHARGED)] for far in (0, 40))
    assert before == after
    assert sum(before) > 5


def test_no_certificate_says_what_is_false(request: pytest.FixtureRequest) -> None:
    for index, query in questions(6, max(100, request.config.getoption("--campaign") // 20), 600, RATIONAL):
        if query.claim.node is None:
            continue
        found = certify.verify_with_certificate(
            query, timeout=60, node_limit=None, options=None, proof=None, certify=True
        )
        assert found.status in (brute.verify(query).status, "unknown"), f"index {index}"

"""Curved activations in float64 lie as close to their values in balls as their padding says, at every scale; balls of
any precision hold the value; and slopes are no steeper than what is said of them.
"""

from __future__ import annotations

import math
import os

import flint
import numpy as np
import pytest

from edgeproof import Graph, Layer, Network
from edgeproof.arithmetic import enclosure
from edgeproof.arithmetic.curved_balls import activate_ball
from edgeproof.arithmetic.decide import Decider, TieError
from edgeproof.arithmetic.enclosure import LARGE, bounded_scores
from edgeproof.arithmetic.float64 import evaluate_with_error, rough_error
from edgeproof.arithmetic.padding import CALL, PAD
from edgeproof.arithmetic.receptive_field import find_field
from edgeproof.arithmetic.transcendental import activate
from edgeproof.clock import Clock
from edgeproof.engines.brute import UndecidedError
from edgeproof.engines.brute_balls import CurvedEvaluator, _act
from edgeproof.model.activation import AT_ZERO, CODES, STEEPEST, Activation
from random_queries import CURVED, draw, fragile_pairs

SEED = int(os.environ.get("EDGEPROOF_SEED", "27"))
# numbers an activation; millions with `--campaign`
COUNT = 4000


@pytest.fixture
def count(request: pytest.FixtureRequest) -> int:
    return max(COUNT, int(request.config.getoption("--campaign", 0) or 0))


def arguments(count: int, seed: int) -> np.ndarray:
    """Of every scale and sign, and where something changes: near zero, near minima, where exp underflows."""
    rng = np.random.default_rng(seed)
    signs = rng.choice((-1.0, 1.0), count)
    special = [
        0.0,
        -0.0,
        5e-324,
        -5e-324,
        2.0**-1022,
        -0.7517915,
        -1.2784645,
        745.2,
        -745.2,
        709.8,
        -709.8,
        36.8,
        -36.8,
    ]
    special += [-27.3, -38.6, 1e300, -1e300, 20.0, -20.0]
    parts = [rng.normal(size=count) * 3, signs * 10.0 ** rng.uniform(-320, 4, count), rng.uniform(-60, 60, count)]
    return np.concatenate([np.array(special), *(part[: count // 3 + 1] for part in parts)])


def off(computed: float, true: flint.arb) -> float:
    return float(abs(flint.arb(computed) - true).upper())


@pytest.mark.parametrize("how", CODES, ids=str)
def test_floats_are_as_close_as_their_padding_says(how: Activation, count: int) -> None:
    code, xs = CODES[how], arguments(count, SEED)
    found = activate(xs[:, None], np.array([float(code)]))[:, 0]
    with flint.ctx.workprec(1400):
        for x, y in zip(xs.tolist(), found.tolist(), strict=True):
            room = PAD * (abs(x) + AT_ZERO[code])
            # far out brute force's e^-x is too large for python-flint
            true = _act(how, 0.0, flint.arb(x)) if abs(x) < 1e5 else activate_ball(flint.arb(x), float(code))
            assert off(y, true) <= max(room / 4, 2.0**-1070), (SEED, how, x, y)


@pytest.mark.parametrize("name", ["exp", "expm1", "tanh", "erf", "erfc", "log1p"])
def test_calls_of_the_libraries_are_as_close_as_is_said(name: str, count: int) -> None:
    xs = arguments(count, SEED + 1)
    xs = xs[np.abs(xs) < {"exp": 700.0, "expm1": 700.0, "erfc": 26.0}.get(name, np.inf)]
    if name == "log1p":
        xs = np.abs(xs)
    ours = [getattr(math, name)(x) for x in xs.tolist()]
    theirs = getattr(np, name)(xs).tolist() if hasattr(np, name) else ours
    with flint.ctx.workprec(1200):
        for x, *both in zip(xs.tolist(), ours, theirs, strict=True):
            true = getattr(flint.arb(x), name)()
            for y in both:
                assert off(y, true) <= CALL * abs(y) + 2.0**-1073, (SEED, name, x, y)


@pytest.mark.parametrize("how", CODES, ids=str)
def test_balls_hold_the_value(how: Activation) -> None:
    rng = np.random.default_rng(SEED)
    for x in arguments(300, SEED + 2).tolist():
        if abs(x) > 1e4:
            continue
        with flint.ctx.workprec(2000):
            true = _act(how, 0.0, flint.arb(x))
        for bits in (53, 128):
            with flint.ctx.workprec(bits):
                assert activate_ball(flint.arb(x), float(CODES[how])).overlaps(true), (how, x, bits)
                # around a ball that holds x, wherever its centre
                wide = flint.arb(x + float(rng.uniform(-0.9, 0.9)) * 1e-3 * (1 + abs(x)), 1e-3 * (1 + abs(x)))
                assert activate_ball(wide, float(CODES[how])).overlaps(true), (how, x, bits)


@pytest.mark.parametrize("how", CODES, ids=str)
def test_no_activation_is_steeper_than_is_said(how: Activation) -> None:
    code = CODES[how]
    xs = np.linspace(-12, 12, 48001)
    ys = activate(xs[:, None], np.array([float(code)]))[:, 0]
    steep = float((np.abs(np.diff(ys)) / np.diff(xs)).max())
    assert 0.98 * STEEPEST[code] < steep < STEEPEST[code] * (1 + 1e-11)  # of differences, which are rounded
    with flint.ctx.workprec(100):
        assert abs(_act(how, 0.0, flint.arb(0))) <= AT_ZERO[code] + 1e-300


@pytest.mark.parametrize("seed", [SEED, SEED + 1])
def test_scores_lie_in_their_enclosures_and_attacks_are_decided_as_brute_force_does(seed: int) -> None:
    told = 0
    for index in range(120):
        query = draw(seed, index, CURVED)
        claim, network = query.claim, query.network
        pairs = fragile_pairs(query.graph, query.threat, claim.node)
        evaluator, decider = CurvedEvaluator(query), Decider(network, query.graph)
        for flips in ((), *((pair,) for pair in pairs[:3])):
            clock = Clock()
            found = decider.rival(claim.node, claim.label, query.rivals, flips, clock)
            try:
                wanted = evaluator.winner(flips)
            except UndecidedError:  # neither need be better at ties
                continue
            if clock.tied is None:
                told += 1
                assert found == wanted, (seed, index, flips)
        true = evaluator.scores(())
        for name, (scores, error) in estimates(network, query.graph, claim.node).items():
            if not np.isfinite(scores).all() or not (np.max(error) < LARGE):
                continue
            each = np.broadcast_to(error, scores.shape)
            for c in range(network.num_classes):
                lead = flint.arb(float(scores[c])) - flint.arb(float(scores[claim.label]))
                balls = true[c] - true[claim.label]  # both may be differences from the label's
                room = flint.arb(0, float(each[c] + each[claim.label]) * (1 + 1e-12))
                assert (lead + room).overlaps(balls), (seed, index, name)
    assert told > 300


def estimates(network: Network, graph: Graph, node: int | None) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    field = find_field(graph, network.layers, node, (), degrees=network.normalises)
    scores, error = evaluate_with_error(network, graph, node)
    rough = rough_error(network, graph)
    bounded = bounded_scores(network, graph, field)
    return {
        "with error": (scores, error),
        "roughly": (scores, rough if node is None else rough[node]),
        "bounded": (bounded[0], np.asarray(bounded[1])),
    }


def test_a_tie_that_no_precision_separates_is_noted_and_equal_rows_are_none() -> None:
    # class 1 has tanh(1) twice, class 2 has 2 tanh(1): equal, but for their rows
    graph = Graph(np.zeros((2, 0), dtype=np.int64), [[1.0, 1.0]], directed=False)
    hidden = Layer.dense(np.eye(2), np.zeros(2), "tanh")
    C = [[1.0, 1.0], [1.0, 1.0], [2.0, 0.0]]
    decider = Decider(Network([hidden, Layer.dense(C, np.zeros(3), "none")]), graph)
    clock = Clock()
    assert decider.rival(0, 0, (1,), (), clock) is None
    assert clock.tied is None
    assert decider.rival(0, 0, (2,), (), clock) is None
    assert clock.tied == 0
    with pytest.raises(TieError, match="label="):
        decider.rival(0, 0, (2,), ())
    with pytest.raises(TieError):
        decider.largest(0)
    # rows that are equal: the lowest index wins
    assert Decider(Network([hidden, Layer.dense(C[:2], np.zeros(2), "none")]), graph).largest(0) == 0
    assert activate_ball(flint.arb(0), 2.0) == 0


@pytest.mark.parametrize("name", ["gelu", "gelu_tanh", "silu", "selu", "elu", "tanh"])
def test_an_error_before_a_curve_is_enlarged_by_its_steepest_slope(name: str) -> None:
    """`_bend` by itself: whatever lies within the error before the curve lies within the error behind it."""
    layer = Layer.dense(np.eye(2), [0.0, 0.0], name)
    part = enclosure._part(layer)
    for middle in np.linspace(-6.0, 6.0, 241).tolist():
        for error in (0.3, 1e-3):
            rows = enclosure._bend(part, np.array([[middle, 0.0, abs(middle), error]]), 1)
            value, behind = rows[0, 0], rows[0, -1]
            with flint.ctx.workprec(128):
                for end in (middle - error, middle + error):
                    true = activate_ball(flint.arb(end), float(layer.bends[0]))
                    assert abs(true - flint.arb(value)) <= flint.arb(behind), (middle, error)

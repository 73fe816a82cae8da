"""What flips do together: from random base graphs, no set of flips gets beyond the sum over its flips and pairs.

The differential tests see a wrong bound only where it flips a verdict; these look at the bound itself, set by set.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

import edgeproof as ep
from differential import disagreement
from edgeproof.options import resolve
from edgeproof.problem import compile as problem
from edgeproof.problem.compile import compile_problem
from edgeproof.search import engine
from edgeproof.search import worker as walk
from edgeproof.search.attacks.flips import flip_grounding
from edgeproof.search.pairwise.screening import screen
from edgeproof.search.pairwise.tables import MOST_FLIPS
from edgeproof.search.state.budget import affordable
from edgeproof.search.state.state import LIMIT, USED
from edgeproof.search.worker import Worker
from random_queries import Grid, draw
from rings import ring, small_network

PARTS = 10
GRID = Grid(
    vertices=(3, 4, 4, 5, 5, 6),
    layers=(1, 2, 2, 3, 3, 4),
    widths=(1, 2, 3, 4),
    tasks=("graph", "graph", "graph", "node"),
    aggregations=("sum", "mean", "mean", "max", "max", "mixed"),
    activations=("relu then none", "relu then none", "mixed"),
    pools=("sum", "sum", "mean"),
    flips=("both", "both", "insert", "delete", "delete", "list"),
    budgets=(2, 2, 3, 3, 4, 5),
    local=("none", "1", "1", "1", "2", "per vertex"),
    styles=("integers", "dyadic", "gaussian", "gaussian", "wild"),
    calibrations=("none",),
    most_graphs=4000,
)


def at_random_base(seed: int, index: int, grid: Grid = GRID) -> tuple[Worker, list[int], int] | None:
    """A walker some flips from the root, these flips, and how many are left; None where interplay says nothing."""
    query = draw(seed, index, grid)
    options = resolve({})
    walker = Worker(compile_problem(query, options, query.threat.budget), query.threat.budget, options)
    if not walker.can_screen() or walker.limit < 2:
        return None
    walker.follow(walker.options._replace(interplay=1))
    rng = np.random.default_rng((seed, index, 1))
    flips: list[int] = []
    p, s = walker._problem, walker._state
    for _ in range(int(rng.integers(walker.limit - 1))):
        pair = int(rng.integers(len(walker.compiled.pairs)))
        if pair not in flips and affordable(p, s, pair):
            flip_grounding(p, s, walker.options, pair)
            flips.append(pair)
    left = int(walker.state.tally[LIMIT] - walker.state.tally[USED])
    return (walker, flips, left) if 2 <= left <= MOST_FLIPS else None


def is_allowed(walker: Worker, flips: tuple[int, ...]) -> bool:
    p = walker.compiled.problem
    spent = np.zeros(p.n, dtype=np.int64)
    for pair in flips:
        spent[p.pair_v[pair]] += 1
        if p.charge_u and p.pair_u[pair] != p.pair_v[pair]:
            spent[p.pair_u[pair]] += 1
    return bool((spent <= walker.state.local_left).all())


def check_bounds(seed: int, index: int, grid: Grid = GRID) -> int:
    """How many sets were looked at."""
    drawn = at_random_base(seed, index, grid)
    if drawn is None:
        return 0
    walker, flips, left = drawn
    claim, pairs = walker.compiled.query.claim, walker.compiled.pairs
    excluded = np.zeros(len(walker.compiled.rival_classes), dtype=np.int8)
    spare = walker.state.local_left.copy()
    open_pairs = [e for e in range(len(pairs)) if e not in flips and affordable(walker._problem, walker._state, e)]
    alive = screen(walker._problem, walker._state, walker._pairwise, walker.options, excluded, left)
    assert (walker.state.local_left == spare).all()
    x = walker._pairwise.bundle
    status = walker.state.status[walker.compiled.problem.pair_slot[:, 0]]
    hopeful = {e for e in open_pairs if status[e] & 2}
    assert alive == len(hopeful)
    looked = 0
    for size in range(left + 1):
        for more in combinations(open_pairs, size):
            if not is_allowed(walker, more):
                continue
            looked += 1
            named = [(int(u), int(v)) for u, v in pairs[[*flips, *more]]]
            margin, _ = walker.evaluator.margin(claim.node, claim.label, walker.compiled.rival_classes, named)
            if not x.bounded[left]:
                continue
            added = sum(x.joint[left - 2, e, f] for e, f in combinations(more, 2))
            bound = max(x.start[left, r] + sum(x.gain[left, r, e] for e in more) for r in range(excluded.size)) + added
            assert not bound < float(margin), f"seed {seed}, index {index}: {named} reaches {float(margin)} > {bound}"
            if margin > 0:
                assert hopeful.issuperset(more), f"seed {seed}, index {index}: {named} is an attack"
    if not x.bounded[left]:
        assert hopeful == set(open_pairs)
        return 0
    return looked


@pytest.mark.parametrize("part", range(PARTS))
def test_no_set_of_flips_gets_beyond_its_pairs(part: int, pytestconfig: pytest.Config) -> None:
    each = pytestconfig.getoption("--campaign") // 50
    looked = sum(check_bounds(20261116 + part, index) for index in range(each))
    assert looked > 3 * each


@pytest.mark.parametrize("part", range(2))
def test_several_flips_at_one_mean(part: int, pytestconfig: pytest.Config) -> None:
    """Where they may also take all messages of a vertex, or all but those that others bring. Without activations the
    multipliers are known, and no mistake hides behind them.
    """
    grid = replace(
        GRID, aggregations=("mean", "mean", "mixed"), budgets=(3, 3, 4, 5), local=("none", "2", "2", "per vertex"),
        flips=("both", "both", "delete", "delete", "list"), activations=("linear", "relu then none"), heads=(0,),
        densities=(0.3, 0.5, 0.9),
    )  # fmt: skip
    each = pytestconfig.getoption("--campaign") // 15
    assert sum(check_bounds(20261119 + part, index, grid) for index in range(each)) > 30 * each


def test_a_max_over_columns_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where feature rows are long: every vertex looks at the columns that its senders may have."""
    monkeypatch.setattr(problem, "SHORT_ROW", 0)
    grid = replace(GRID, aggregations=("max",), features=("binary", "carried"))
    assert sum(check_bounds(20261118, index, grid) for index in range(80)) > 500


@pytest.mark.parametrize("part", range(PARTS))
def test_answers_are_those_of_brute_force(part: int, pytestconfig: pytest.Config) -> None:
    """With nothing else to rely on: no attack is looked for, and no search node is bounded in another way."""
    grid = replace(GRID, calibrations=("between", "deep", "deep", "deep", "tie", "last bit"))
    options = {"interplay_at_once": True, "attacks": False, "flip_first": part % 2 == 0}
    each, screened = pytestconfig.getoption("--campaign") // 50, 0
    for index in range(each):
        query = draw(20261117 + part, index, grid)
        assert disagreement(engine, query, options) is None, f"seed {20261117 + part}, index {index}"
        screened += engine.verify(query, timeout=60, node_limit=None, options=options).stats.screenings
    assert screened > each // 4


@pytest.mark.parametrize("aggregation", ["sum", "mean"])
def test_fewer_graphs_are_looked_at(aggregation: str) -> None:
    """Claims that nothing breaks: hundreds of flips in sets of three, of which next to none are evaluated."""
    graph, threat = ring(13), ep.Threat(3, 1, insert=True)
    looked_at = np.zeros(2)
    for seed in range(40):
        network = small_network(aggregation, seed)
        verdicts = [
            ep.verify(network, graph, threat, options={"attacks": False, "interplay": on}) for on in (True, False)
        ]
        assert verdicts[0].status == verdicts[1].status
        if verdicts[0].status == "robust" and verdicts[0].stats.screenings:
            looked_at += [verdict.stats.nodes + verdict.stats.evaluations for verdict in verdicts]
    assert 0 < 3 * looked_at[0] < looked_at[1]


def test_a_system_without_room_for_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then the search goes on without them, and without orbits and forks."""

    def refuse(*_: object) -> None:
        raise MemoryError

    statuses = set()
    for seed in range(6):
        graph, network, threat = ring(6), small_network("mean", seed), ep.Threat(3, 1, insert=True)
        options = {"attacks": False, "orbits_at_once": True}
        before = ep.verify(network, graph, threat, options=options)
        with monkeypatch.context() as patch:
            patch.setattr(walk, "make_tables", refuse)
            found = ep.verify(network, graph, threat, options=options)
        assert found.status == before.status
        assert found.stats.screenings == 0
        statuses.add(found.status)
    assert statuses == {"robust", "vulnerable"}


@pytest.mark.parametrize("threads", [2, 3])
def test_threads_agree(threads: int) -> None:
    graph, threat = ring(8), ep.Threat(4, 2, insert=True)
    options = {"interplay_at_once": True, "attacks": False}
    for seed in range(12):
        network = small_network("mean", seed)
        alone = ep.verify(network, graph, threat, options=options)
        together = ep.verify(network, graph, threat, options=options, threads=threads)
        assert alone.status == together.status


def overheard(sign: int) -> tuple[ep.Network, ep.Graph]:
    """What messages from 1 and 2 make together at 0 counts only if 3 is made to hear it, and 1 or 2 alone do not do.

    sign 1: together they lift a neuron over its bias. sign -1: 1 does, which helps by another neuron and hurts by this
    one, unless 2 takes it back.
    """
    x = np.zeros((4, 3))
    x[0, 2], x[1, 0] = 1.0, 1.0
    x[2, 0 if sign > 0 else 1] = 1.0
    heard = np.array([[1.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    kept = np.zeros((3, 3))
    kept[2, 2] = 1.0
    first = ep.Layer(kept, heard, [-1.5 if sign > 0 else -0.5, 0.0, 0.0], "sum", "relu")
    own, passed = ([0.0, 0.0, 0.0], [1.0, 0.0, 0.0]) if sign > 0 else ([0.0, 1.0, 0.0], [-1.0, 0.0, 1.0])
    second = ep.Layer([own], [passed], [0.0], "sum", "none")
    readout = ep.Readout([[0.0], [1.0]], [0.4 if sign > 0 else 1.9, 0.0], "sum")
    return ep.Network([first, second], readout=readout), ep.Graph(np.zeros((2, 0), dtype=int), x, directed=True)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_third_flip_lets_others_hear_what_two_make(sign: int) -> None:
    network, graph = overheard(sign)
    three = [(1, 0), (2, 0), (0, 3)]
    options = {"attacks": False, "interplay_at_once": True}
    assert ep.verify(network, graph, ep.Threat(2, fragile=three), label=0, options=options).status == "robust"
    found = ep.verify(network, graph, ep.Threat(3, fragile=three), label=0, options=options)
    assert found.status == "vulnerable"
    assert found.stats.screenings > 0


@pytest.mark.parametrize("order", [(1.0, -10.0), (-10.0, 1.0)])
def test_hope_for_one_rival_is_enough(order: tuple[float, float]) -> None:
    """Three flips break the claim by one rival; each takes the other one farther away."""
    layer = ep.Layer([[0.0]], [[1.0]], [0.0], "sum", "relu")
    readout = ep.Readout([[0.0], [order[0]], [order[1]]], [2.5, 0.0, 0.0], "sum")
    graph = ep.Graph(np.zeros((2, 0), dtype=int), np.ones((4, 1)), directed=True)
    threat = ep.Threat(3, fragile=[(1, 0), (2, 0), (3, 0)])
    for first in (True, False):
        options = {"attacks": False, "interplay_at_once": True, "flip_first": first}
        found = ep.verify(ep.Network([layer], readout=readout), graph, threat, label=0, options=options)
        assert found.status == "vulnerable"
        assert found.stats.screenings > 0


def decoyed(scale: float, inner: float, outer: float, head: bool) -> tuple[ep.Network, ep.Graph]:
    """Three insertions at one vertex break the claim; single ones look better elsewhere, where more add nothing. The
    numbers inside are scaled, and the scores with them.
    """
    x = np.zeros((6, 2))
    x[:3, 0] = x[3:, 1] = scale
    A = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    first = ep.Layer(-A if head else 0.0 * A, A, np.array([-2.5, 0.0, -1.0]) * scale, "sum", "relu")
    scores, lead = np.array([[0.0, 0.0, 0.0], [1.0, 0.04, -0.04]]) * outer, 0.42 * (scale * inner) * outer
    middle = ep.Layer.dense(np.eye(3) * inner, np.zeros(3), "relu")
    edges = np.array([range(6)] * 2) if head else np.zeros((2, 0), dtype=int)
    graph = ep.Graph(edges, x, directed=True)
    if head:
        again = ep.Layer(np.zeros((3, 3)), np.eye(3), np.zeros(3), "sum", "relu")
        readout, last = ep.Readout(np.eye(3), np.zeros(3), "sum"), ep.Layer.dense(scores, [lead, 0.0], "none")
        return ep.Network([first, again], readout=readout, head=[middle, last]), graph
    last = ep.Layer.dense(scores, [lead / 6, 0.0], "none")
    return ep.Network([first, middle, last], readout=ep.Readout(np.eye(2), np.zeros(2), "sum")), graph


@pytest.mark.parametrize("scales", [(1.0, 1.0, 1.0), (1e95, 1e-165, 1e-165)], ids=["plain", "underflow"])
def test_multipliers_that_underflow(scales: tuple[float, float, float]) -> None:
    network, graph = decoyed(*scales, head=False)
    for options in ({}, {"attacks": False, "interplay_at_once": True}):
        found = ep.radius(network, graph, ep.Threat(3, insert=True), label=0, options=options)
        assert (found.lower, found.upper) == (2, 2)


@pytest.mark.parametrize("scales", [(1.0, 1.0, 1.0), (1e-250, 1e160, 1e160)], ids=["plain", "overflow"])
def test_multipliers_that_overflow(scales: tuple[float, float, float]) -> None:
    network, graph = decoyed(*scales, head=True)
    for options in ({}, {"attacks": False, "interplay_at_once": True}):
        found = ep.radius(network, graph, ep.Threat(3, insert=True, delete=False), label=0, options=options)
        assert (found.lower, found.upper) == (2, 2)

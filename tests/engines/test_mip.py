"""The MIP engine: right on random queries with every solver, honest about what a solver cannot tell."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

import edgeproof as ep
from differential import wrong_answer
from edgeproof import Graph, InputError, Layer, Network, Threat
from edgeproof.engines import brute
from edgeproof.engines.mip import engine as mip
from edgeproof.engines.mip.arena import UNDECIDED, survey
from edgeproof.engines.mip.boxes import Encloser
from edgeproof.engines.mip.doubt import doubt_of_goal
from edgeproof.engines.mip.encode import Encoder
from edgeproof.engines.mip.objective import objective_of, smallest_gap
from edgeproof.engines.mip.settings import resolve
from edgeproof.model.query import Query, make_query
from edgeproof.search import engine as search
from random_queries import RATIONAL, draw

SETTINGS = ("scip static", "scip aggressive", "highs static")
SEED = 80
SMALL = replace(RATIONAL, vertices=(2, 3, 4, 5, 5), widths=(1, 2, 3, 4), most_graphs=300)
TINY = replace(RATIONAL, vertices=(2, 3, 4), widths=(1, 2, 3))
GAVE_UP = {"timeout", "tolerance", "numerics", "overflow"}


def options_of(setting: str) -> dict[str, str]:
    solver, bounds = setting.split()
    pytest.importorskip({"scip": "pyscipopt", "highs": "highspy"}[solver], reason=f"needs the solver {solver}")
    return {"solver": solver, "bounds": bounds}


@pytest.mark.campaign
@pytest.mark.parametrize("setting", SETTINGS)
def test_agrees_with_brute_force_and_with_the_search(setting: str, request: pytest.FixtureRequest):
    """A share of the campaign: 60 of the default 3,000 queries."""
    options = options_of(setting)
    count = max(60, request.config.getoption("--campaign") // 50)
    statuses, reasons = Counter[str](), Counter[str | None]()
    for index in range(count):
        query = draw(SEED, index, SMALL)
        truth = brute.verify(query)
        answer = mip.verify(query, timeout=5, options=options)
        statuses[answer.status] += 1
        where = f"seed {SEED}, index {index}: {query.network}, {query.threat}"
        if answer.status == "unknown":
            reasons[answer.reason] += 1
            continue
        found = search.verify(query, timeout=None, node_limit=None, options=None)
        assert answer.status == truth.status == found.status, where
        assert wrong_answer(query, answer) is None, where
    assert set(reasons) <= GAVE_UP
    assert statuses["unknown"] <= 0.1 * count
    assert min(statuses["robust"], statuses["vulnerable"]) >= 0.2 * count


@pytest.mark.parametrize("setting", ["scip static", "highs static"])
def test_radius_agrees_with_brute_force(setting: str):
    options = options_of(setting)
    for index in range(12):
        query = draw(SEED + 1, index, replace(TINY, styles=("gaussian",), most_graphs=60))
        truth, answer = brute.radius(query), mip.radius(query, timeout=20, options=options)
        assert (answer.lower, answer.upper, answer.exact, answer.robust) == (
            truth.lower, truth.upper, truth.exact, truth.robust,
        ), f"seed {SEED + 1}, index {index}"  # fmt: skip
        assert wrong_answer(query, answer) is None


def parts_of(query: Query, rival: int):
    arena, objective = survey(query, query.threat.budget), objective_of(query, rival)
    return arena, objective, Encloser(query, arena, objective)


def test_boxes_hold_what_every_admissible_graph_gives():
    """The goal's box, at the root and once all pairs are decided, contains the exact lead of the rival."""
    checked = 0
    for index in range(60):
        query = draw(SEED + 2, index, SMALL)
        arena, _, enclose = parts_of(query, query.rivals[0])
        root = enclose(np.full(len(arena.pairs), UNDECIDED)).objective
        rng = np.random.default_rng(index)
        for _ in range(10):
            flips = _admissible(arena, rng)
            scores = brute.Evaluator(query).scores(tuple(p for p, f in zip(arena.pairs, flips, strict=True) if f))
            lead = scores[query.rivals[0]] - scores[query.claim.label]
            for box in (root, enclose(flips).objective):
                assert box.lo[0, 0] <= float(lead) <= box.hi[0, 0] or not np.isfinite(box.magnitude).all()
                checked += 1
    assert checked > 1000


def _admissible(arena, rng) -> np.ndarray:
    flips, spent = np.zeros(len(arena.pairs), dtype=np.int64), Counter[int]()
    for at in rng.permutation(len(arena.pairs)):
        paid = all(spent[w] < arena.local.get(w, 99) for w in arena.payers[at])
        if paid and flips.sum() < arena.budget and rng.random() < 0.7:
            flips[at] = 1
            spent.update(arena.payers[at])
    return flips


def test_the_program_says_of_every_graph_what_the_network_says():
    """With all pairs decided only one value of the goal is left: the lead of the rival, up to the doubt."""
    pytest.importorskip("highspy", reason="needs the solver highs")
    import highspy

    from edgeproof.engines.mip.solve_highs import configured, model_of

    checked = 0
    for index in range(60):
        query = draw(SEED + 3, index, replace(TINY, styles=("gaussian", "integers")))
        arena, objective, enclose = parts_of(query, query.rivals[0])
        boxes = enclose(np.full(len(arena.pairs), UNDECIDED))
        if not arena.pairs or boxes.objective.hi[0, 0] <= 0:
            continue
        doubt = doubt_of_goal(arena, objective, boxes)
        program = Encoder(arena, objective, boxes, None).program(0.0, doubt)
        flips = _admissible(arena, np.random.default_rng(index))
        scores = brute.Evaluator(query).scores(tuple(p for p, f in zip(arena.pairs, flips, strict=True) if f))
        lead = float(scores[query.rivals[0]] - scores[query.claim.label])
        program.lower[: program.flips] = program.upper[: program.flips] = flips
        program.lower[program.goal] = -2.0
        for sense in (highspy.ObjSense.kMinimize, highspy.ObjSense.kMaximize):
            highs = configured(highspy)
            model = model_of(highspy, program)
            model.sense_ = sense
            highs.passModel(model)
            highs.run()
            goal = program.offset[program.goal] + program.scale[program.goal] * highs.getSolution().col_value[-1]
            assert goal == pytest.approx(lead, abs=doubt + 1e-12), f"index {index}"
        checked += 1
    assert checked > 20


def near_tie(bias: float) -> Query:
    """Deleting both edges makes the rival lead by exactly 0.1 + 0.2 - bias in real arithmetic."""
    first = Layer([[0.0], [0.0]], [[0.0], [-1.0]], [0.0, 0.0], "sum", "none")
    second = Layer([[1.0, 0.0], [0.0, 1.0]], np.zeros((2, 2)), [bias, 0.1 + 0.2], "sum", "none")
    network = Network([first, second])
    graph = Graph([[1, 2], [0, 0]], [[0.0], [0.1], [0.2]], directed=True)
    return make_query(network, graph, Threat(budget=2), 0)


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize(("steps", "status"), [(0, "robust"), (1, "robust"), (-1, "vulnerable")])
def test_a_tie_and_its_neighbours_in_the_last_bit(setting: str, steps: int, status: str):
    bias = 0.1 + 0.2
    for _ in range(abs(steps)):
        bias = float(np.nextafter(bias, np.inf if steps > 0 else -np.inf))
    answer = mip.verify(near_tie(bias), timeout=20, options=options_of(setting))
    assert answer.status == brute.verify(near_tie(bias)).status == status
    if status == "robust":
        assert answer.stats.evaluations > 1  # the solver could not tell: candidates were evaluated exactly


def test_whole_numbers_leave_a_gap_that_tells_ties_from_attacks():
    network = Network([Layer([[1.0], [0.0]], [[1.0], [2.0]], [0.0, 1.0], "sum", "none")])
    query = make_query(network, Graph([[1], [0]], [[1.0], [1.0]], directed=True), Threat(1), 0, 1)
    assert smallest_gap(query, survey(query, 1)) == 1.0
    halves = Network([Layer([[1.0], [0.0]], [[0.5], [2.0]], [0.0, 0.25], "sum", "none")])
    query = make_query(halves, query.graph, query.threat, 0, 1)
    assert smallest_gap(query, survey(query, 1)) == 0.25
    query = make_query(Network([Layer([[0.1], [0.0]], [[1.0], [2.0]], [0.0, 1.0])]), query.graph, query.threat, 0, 1)
    assert smallest_gap(query, survey(query, 1)) == 0.0


def large_query() -> Query:
    rng = np.random.default_rng(3)
    layers = [Layer(rng.normal(size=(6, 6)), rng.normal(size=(6, 6)), rng.normal(size=6)) for _ in range(3)]
    network = Network([*layers, Layer(rng.normal(size=(2, 6)), rng.normal(size=(2, 6)), [40.0, 0.0], "sum", "none")])
    there = rng.random((9, 9)) < 0.5
    return make_query(network, Graph(np.array(np.nonzero(there)), rng.normal(size=(9, 6)), directed=True), Threat(9), 0)


@pytest.mark.parametrize("setting", SETTINGS)
def test_limits_end_in_unknown_with_the_reason(setting: str):
    answer = mip.verify(large_query(), timeout=0.3, options=options_of(setting))
    assert (answer.status, answer.reason) == ("unknown", "timeout")
    assert answer.stats.seconds < 5


def test_a_node_limit_is_one_of_the_solver_s_tree():
    answer = mip.verify(large_query(), timeout=60, node_limit=2, options=options_of("scip static"))
    assert (answer.status, answer.reason) == ("unknown", "node limit")
    assert 1 <= answer.stats.nodes <= 2


def test_solvers_print_nothing(capfd: pytest.CaptureFixture[str]):
    for setting in SETTINGS:
        mip.verify(draw(SEED, 1, SMALL), timeout=5, options=options_of(setting))
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(("solver", "package"), [("scip", "pyscipopt"), ("highs", "highspy"), ("gurobi", "gurobipy")])
def test_a_missing_solver_is_named_with_its_command(solver: str, package: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ep.EdgeproofError, match="pip install"):
        mip.verify(near_tie(0.3), options={"solver": solver})


def test_what_it_does_not_know_is_refused_by_name():
    with pytest.raises(InputError, match="solver is one of scip, highs, gurobi"):
        resolve({"solver": "cplex"})
    with pytest.raises(InputError, match="no option 'lines'"):
        resolve({"lines": False})
    with pytest.raises(InputError, match="aggressive"):
        resolve({"solver": "highs", "bounds": "aggressive"})
    gcn = Network([Layer([[1.0], [0.0]], [[1.0], [2.0]], [0.0, 1.0], "gcn", "none")])
    with pytest.raises(InputError, match=r"layer 1: the mip engine knows sum, max and mean, got gcn"):
        ep.verify(gcn, Graph([[1], [0]], [[1.0], [1.0]], directed=True), Threat(1), 0, engine="mip")

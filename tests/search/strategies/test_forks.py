"""Two flips at one vertex as one: every set of five flips is looked at, and no fork gets beyond its bounds."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

import edgeproof as ep
from differential import disagreement
from edgeproof.arithmetic.evaluator import ExactEvaluator
from edgeproof.model.query import make_query
from edgeproof.options import resolve
from edgeproof.problem.compile import compile_problem
from edgeproof.problem.layout import GRAPH, MEAN, Problem
from edgeproof.search import engine
from edgeproof.search import strategy as solve
from edgeproof.search import worker as walk
from edgeproof.search.jit.by_address import Bundle
from edgeproof.search.jit.decorators import entry
from edgeproof.search.pairwise.coarse import (
    CoarseTables,
    bound_coarsely,
    find_largest_shifts,
    find_weight_changes,
    make_coarse,
    size_candidates,
)
from edgeproof.search.pairwise.deltas import forget_deltas
from edgeproof.search.pairwise.interactions import interact_at_activations
from edgeproof.search.pairwise.screening import (
    bound_shifts,
    list_candidates,
    objective_delta,
    record_single_deltas,
    record_two,
)
from edgeproof.search.pairwise.sensitivities import rounding_margin
from edgeproof.search.pairwise.tables import PairwiseTables
from edgeproof.search.state.state import H
from edgeproof.search.strategies.fork_kernels import across, are_apart, bound_sensitivities_around, interact_with_fork
from edgeproof.search.strategies.forks import FORK_FLIPS, drop_images, forks_apply, list_forks, list_others
from edgeproof.search.strategy import Search
from edgeproof.search.tree.enumerate import DONE, FOUND
from random_queries import Grid, draw
from rings import small_network

PARTS = 8
GRID = Grid(
    vertices=(4, 5, 5, 6, 6),
    layers=(1, 2, 2, 3, 3, 4),
    widths=(1, 2, 3, 4),
    classes=(2, 2, 3),
    tasks=("graph", "graph", "graph", "node"),
    directed=(False,),
    aggregations=("mean", "mean", "mean", "mixed"),
    activations=("relu then none", "relu then none", "mixed"),
    pools=("sum", "sum", "mean"),
    heads=(0, 0, 1),
    loops=(0.0,),
    flips=("both", "both", "insert", "delete", "list"),
    densities=(0.15, 0.3, 0.5, 0.9),
    budgets=(5,),
    local=("none", "none", "2", "per vertex"),
    styles=("integers", "dyadic", "gaussian", "gaussian", "wild"),
    calibrations=("none",),
    most_graphs=6000,
)


def shape_of(pairs: tuple[tuple[int, int], ...]) -> dict[int, int]:
    degree: dict[int, int] = {}
    for pair in pairs:
        for v in pair:
            degree[v] = degree.get(v, 0) + 1
    return degree


def touch(one: tuple[int, int], two: tuple[int, int]) -> bool:
    return bool(set(one) & set(two))


def is_found(pairs: tuple[tuple[int, int], ...]) -> bool:
    """Whether some fork of these leaves what is looked at from there."""
    for fork in combinations(pairs, 2):
        if not touch(*fork):
            continue
        rest = [pair for pair in pairs if pair not in fork]
        forks = [two for two in combinations(rest, 2) if touch(*two)]
        if not forks or len(rest) == 2:
            return True
        for two in forks:
            if not any(touch(other, pair) for other in rest if other not in two for pair in two):
                return True
    return False


def complete(n: int) -> ep.Graph:
    return ep.Graph(np.zeros((2, 0), dtype=int), np.ones((n, 3)), directed=False)


def test_all_sets_of_five_flips_are_looked_at() -> None:
    """Those without a fork, those that a fork leads to, and the rest, which is listed: no set is in none of these."""
    n = 7
    query = make_query(small_network("mean", 0), complete(n), ep.Threat(5, insert=True), None, None, None)
    compiled = compile_problem(query, resolve({}), 5)
    pairs = [tuple(pair) for pair in compiled.pairs.tolist()]
    listed = {tuple(sorted(row)) for sets in list_others(compiled.problem) for row in sets.tolist()}
    left = set()
    for chosen in combinations(range(len(pairs)), FORK_FLIPS):
        some = tuple(pairs[k] for k in chosen)
        if max(shape_of(some).values()) > 1 and not is_found(some):
            left.add(chosen)
    assert left == listed
    assert len(listed) == 7 * 6 + 12 * 21 + 6 * 35  # stars, rings, meshes


def test_forks_are_pairs_with_one_vertex_in_common() -> None:
    query = make_query(
        small_network("mean", 0), complete(6), ep.Threat(5, [5, 1, 2, 2, 0, 2], insert=True), None, None, None
    )
    p = compile_problem(query, resolve({}), 5).problem
    found = {tuple(sorted(fork)) for fork in list_forks(p).tolist()}
    budget = p.local.tolist()
    expected = set()
    for e, f in combinations(range(p.pair_u.size), 2):
        ends = [int(p.pair_u[e]), int(p.pair_v[e]), int(p.pair_u[f]), int(p.pair_v[f])]
        if len(set(ends)) == 3 and all(ends.count(v) <= budget[v] for v in ends):
            expected.add((e, f))
    assert found == expected


def test_of_forks_that_are_images_one_is_kept() -> None:
    forks = np.array([[0, 1], [2, 3], [1, 4], [3, 4], [0, 2]])
    image = np.array([[2, 3, 0, 1, 4]])
    assert drop_images(forks, image).tolist() == [[0, 1], [1, 4], [0, 2]]


def at_fork(seed: int, index: int, grid: Grid) -> Search | None:
    """A search that stands on some fork, of a graph with room for two flips more beside another one."""
    acts = ("linear", "relu then none", "relu then none", "mixed")  # without a bend, multipliers are known
    query = draw(seed, index, replace(grid, vertices=(5, 6, 7, 7), activations=acts, most_graphs=1 << 20))
    options = resolve({})
    compiled = compile_problem(query, options, query.threat.budget)
    search = Search(compiled, query.threat.budget, options)
    search.worker.prepare()
    if not (search.worker.can_screen() and forks_apply(compiled.problem) and search.worker.limit == FORK_FLIPS):
        return None
    search.worker.follow(search.worker.options._replace(interplay=1))
    forks = list_forks(compiled.problem)
    if len(forks) == 0:
        return None
    search.worker.start_at(forks[np.random.default_rng((seed, index)).integers(len(forks))], 1 << 30)
    return search


@entry
def bound_fork(p, s, x, rough, excluded, centre, e, f, fine, coarse):
    """What each candidate and this fork reach: fine[r, pair], coarse[r, pair]; returns how many were bounded."""
    left = np.int64(3)
    candidates = record_single_deltas(p, s, x, list_candidates(p, s, x), left)
    find_largest_shifts(p, x, rough, candidates)
    find_weight_changes(p, x, rough)
    bound_shifts(p, s, x, candidates, np.int64(2))
    found = 0
    if bound_sensitivities_around(p, s, x, excluded, centre, left):
        more = rounding_margin(p, x, left)
        size_candidates(p, x, rough, candidates, centre, left)
        record_two(p, s, x, candidates, e, f)
        bound_coarsely(p, x, rough, candidates, candidates, across(p, e, centre), across(p, f, centre))
        for c in range(candidates):
            g = x.candidate[c]
            if are_apart(p, e, g) and are_apart(p, f, g):
                made = interact_at_activations(p, x, np.int64(p.rivals), c, candidates)
                made += interact_with_fork(p, s, x, centre, candidates, c)
                for r in range(p.rivals):
                    alone = s.values[p.T, 0, H, r] + s.error[r] + more + objective_delta(p, x, candidates, r)
                    fine[r, g] = alone + x.gain[left, r, g] + made
                    coarse[r, g] = alone + rough.total[c] + rough.bent[c]
                found += 1
        forget_deltas(x, candidates)
    for c in range(candidates):
        forget_deltas(x, c)
    return found


def check_weights(p: Problem, x: PairwiseTables, rough: CoarseTables, centre: int) -> None:
    """No message counts more than is said, whatever is flipped at the vertex that hears it."""
    for t in range(2, p.T + 1):
        for v in range(p.active[t]) if p.kind[t] == GRAPH else ():
            most, width = 2 if v == centre else 1, p.width[t]
            counts = [x.degree[v] + change for change in range(-most, most + 1) if x.degree[v] + change > 0]
            weight = 1.0 / min(counts) if p.how[t] == MEAN else 1.0
            sizes = np.maximum(-x.bent_low[-1, t, v], x.bent_high[-1, t, v])[:width]
            assert (rough.heaviest[t, :width] >= weight * sizes).all()


def check_forks(seed: int, index: int, grid: Grid) -> int:
    """How many forks with a flip beside them were looked at."""
    search = at_fork(seed, index, grid)
    if search is None:
        return 0
    p, claim, pairs = search.worker.compiled.problem, search.worker.compiled.query.claim, search.worker.compiled.pairs
    rivals = search.worker.compiled.rival_classes
    base, rough = search.worker.flips(), Bundle(make_coarse(p))
    evaluator = ExactEvaluator(search.worker.compiled.query.network, search.worker.compiled.query.graph)
    excluded = np.zeros(p.rivals, dtype=np.int8)
    looked = 0
    for fork in list_forks(p)[:: max(1, len(list_forks(p)) // 12)]:
        e, f = (int(pair) for pair in fork)
        ends = [int(p.pair_u[e]), int(p.pair_v[e])]
        centre = ends[0] if ends[0] in (p.pair_u[f], p.pair_v[f]) else ends[1]
        search.worker.start_at(np.array(base), 1 << 30)
        spare = search.worker.state.local_left
        spent = spare.copy()
        for pair in (e, f):
            spent[[p.pair_u[pair], p.pair_v[pair]]] -= 1
        if set(base) & {e, f} or (spent < 0).any():
            continue
        fine, coarse = np.full((2, p.rivals, p.pair_u.size), np.nan)
        bundles = search.worker._problem, search.worker._state, search.worker._pairwise, rough
        found = int(bound_fork(*bundles, excluded, centre, e, f, fine, coarse))
        if found:
            check_weights(p, search.worker._pairwise.bundle, rough.bundle, centre)
        looked += found
        for g in np.flatnonzero(~np.isnan(fine[0])).tolist():
            named = [(int(u), int(v)) for u, v in pairs[[*base, e, f, g]]]
            scores = evaluator.scores(claim.node, named)
            reached = [float(scores[rival] - scores[claim.label]) for rival in rivals]
            where = f"seed {seed}, index {index}: {named} reaches {reached}"
            assert not (fine[:, g] < reached).any(), f"{where} > {fine[:, g]}"
            assert not (coarse[:, g] < fine[:, g] - 1e-9 * abs(fine[:, g])).any(), f"{where}: {coarse[:, g]}"
    return looked


DENSE = replace(GRID, densities=(0.9,), flips=("delete", "delete", "both"), local=("none", "2"))


@pytest.mark.parametrize("grid", [GRID, DENSE], ids=["any", "dense"])
def test_no_fork_gets_beyond_its_bounds(grid: Grid, pytestconfig: pytest.Config) -> None:
    """Of dense graphs, where many messages count little, until some are deleted."""
    each = pytestconfig.getoption("--campaign") // 20
    looked = sum(check_forks(20261201, index, grid) for index in range(each))
    assert looked > 3 * each


@pytest.mark.parametrize("part", range(PARTS))
def test_answers_are_those_of_brute_force(
    part: int, pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With nothing else to rely on, and interrupted as often as can be in half of the parts."""
    if part % 2:
        monkeypatch.setattr(walk, "FORK_QUOTA", 1)
        monkeypatch.setattr(walk, "QUOTA", 50)
    grid = replace(GRID, calibrations=("between", "deep", "deep", "deep", "tie", "last bit"))
    options = {"forks_at_once": True, "attacks": False, "interplay_symmetries": part % 4 < 2}
    each, used = pytestconfig.getoption("--campaign") // 50, 0
    made = solve.Forks

    def counted(walker: walk.Worker) -> solve.Forks:
        nonlocal used
        used += 1
        return made(walker)

    monkeypatch.setattr(solve, "Forks", counted)
    monkeypatch.setattr("differential.TIMEOUT", None)  # with a time limit, radii settle small budgets first
    for index in range(each):
        query = draw(20261210 + part, index, grid)
        assert disagreement(engine, query, options) is None, f"seed {20261210 + part}, index {index}"
    assert used > each // 2


SHAPES = {
    "no fork": [(0, 1), (2, 3), (4, 5), (6, 7), (8, 9)],
    "one fork": [(0, 1), (1, 2), (3, 4), (5, 6), (7, 8)],
    "two forks": [(0, 1), (1, 2), (3, 4), (4, 5), (6, 7)],
    "a path and a fork": [(0, 1), (1, 2), (2, 3), (4, 5), (5, 6)],
    "a star and a fork": [(0, 1), (0, 2), (0, 3), (4, 5), (5, 6)],
    "a triangle and a fork": [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5)],
    "a path": [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)],
    "a tree": [(0, 1), (1, 2), (1, 3), (3, 4), (3, 5)],
    "a star": [(0, 1), (0, 2), (0, 3), (0, 4), (0, 5)],
    "a ring": [(0, 1), (1, 2), (2, 3), (3, 4), (0, 4)],
    "a mesh": [(0, 1), (1, 2), (2, 3), (0, 3), (0, 2)],
}


def values_of(network: ep.Network, graph: ep.Graph, pairs: list[tuple[int, int]]) -> dict[tuple[int, ...], Fraction]:
    """Class 1 over class 0 after every set of up to five of these flips."""
    evaluator, found = ExactEvaluator(network, graph), {}
    for size in range(FORK_FLIPS + 1):
        for chosen in combinations(range(len(pairs)), size):
            margin, _ = evaluator.margin(None, 0, [1], [pairs[k] for k in chosen])
            found[chosen] = Fraction(int(margin.p), int(margin.q))
    return found


def drawn(rng: np.random.Generator, pairs: list[tuple[int, int]]) -> tuple[ep.Network, ep.Graph, list[tuple[int, int]]]:
    """A network of whole numbers and a graph, in which these pairs, with other numbers, are edges or not."""
    to = rng.permutation(10)
    named = [(min(to[u], to[v]), max(to[u], to[v])) for u, v in pairs]
    edges = {(int(u), int(v)) for u, v in named if rng.random() < 0.3}
    edges |= {(u, v) for u, v in combinations(range(10), 2) if (u, v) not in named and rng.random() < 0.15}
    both = np.array([*edges, *((v, u) for u, v in edges)]).reshape(-1, 2).T
    graph = ep.Graph(both, rng.integers(0, 2, (10, 3)).astype(float), directed=False)
    layers = [
        ep.Layer(*(rng.integers(-2, 3, size).astype(float) for size in ((4, w), (4, w), 4)), "mean", "relu")
        for w in (3, 4)
    ]
    readout = ep.Readout([[0.0] * 4, rng.integers(-2, 3, 4).astype(float)], [0.0, 0.0], "sum")
    return ep.Network(layers, readout), graph, [(int(u), int(v)) for u, v in named]


def lowered(network: ep.Network, by: float) -> ep.Network:
    assert network.readout is not None
    return ep.Network(network.layers, ep.Readout(network.readout.C, [by, 0.0], "sum"))


@pytest.mark.parametrize("shape", SHAPES)
def test_the_only_attack_is_found_whatever_its_shape(shape: str) -> None:
    rng = np.random.default_rng(list(SHAPES).index(shape))
    asked = 0
    while asked < 25:
        network, graph, pairs = drawn(rng, SHAPES[shape])
        values = values_of(network, graph, pairs)
        whole = values.pop(tuple(range(FORK_FLIPS)))
        second = max(values.values())
        if whole <= second:
            continue
        asked += 1
        network = lowered(network, float((whole + second) / 2))
        options = {"forks_at_once": True, "attacks": False, "interplay_symmetries": asked % 2 == 0}
        local = max(shape_of(tuple(pairs)).values()) if asked % 3 else None  # no more than it takes
        found = ep.verify(network, graph, ep.Threat(FORK_FLIPS, local, fragile=pairs), label=0, options=options)
        assert found.attack is not None, (shape, asked, pairs)
        assert set(found.attack) == set(pairs)


@pytest.mark.parametrize("quota", [1, 1 << 40])
def test_after_a_candidate_the_search_goes_on_where_it_was(quota: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where every graph is a candidate, all of them come, each once."""
    monkeypatch.setattr(walk, "FORK_QUOTA", quota)
    network = lowered(drawn(np.random.default_rng(0), [])[0], -1e6)
    query = make_query(network, complete(7), ep.Threat(5, [5, 5, 2, 1, 5, 5, 5], insert=True), None, 0, None)
    options = resolve({})
    search = Search(compile_problem(query, options, 5), 5, options)
    search.worker.prepare()
    search.worker.follow(search.worker.options._replace(interplay=1))
    p = search.worker.compiled.problem
    pairs = list(zip(p.pair_u.tolist(), p.pair_v.tolist(), strict=True))
    forks = [tuple(sorted(fork)) for fork in list_forks(p).tolist()]
    base = forks[len(forks) // 4]
    expected = set()
    for fork in forks:
        others = [k for k in range(len(pairs)) if not any(touch(pairs[k], pairs[e]) for e in fork)]
        if fork > base:
            expected |= {fork, *((*fork, k) for k in others)}
        else:  # with nothing at the base beside it, it is looked at the other way round
            expected |= {(*fork, k) for k in others if any(touch(pairs[k], pairs[e]) for e in base)}
    budget, allowed = p.local.tolist(), set()
    for more in expected:
        ends = [v for k in {*base, *more} for v in pairs[k]]
        if not set(base) & set(more) and all(ends.count(v) <= budget[v] for v in ends):
            allowed.add(tuple(sorted(more)))
    cursor, found = np.zeros(4, dtype=np.int64), []
    search.worker.start_at(np.array(base), 1 << 30)
    while (code := search.worker.enumerate_forks(cursor)) != DONE:
        if code == FOUND:
            found.append(tuple(sorted(set(search.worker.flips()) - set(base))))
        search.worker.start_at(np.array(base), 1 << 30)
    assert sorted(found) == sorted(allowed)
    assert len(found) > 100

"""Symmetries: all that there are, and nothing else; with and without them the answers are those of brute force."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, permutations

import numpy as np
import pytest

import edgeproof as ep
from differential import disagreement, inadmissible
from edgeproof.model.query import Query, make_query
from edgeproof.options import resolve
from edgeproof.problem.compile import compile_problem
from edgeproof.search import engine
from edgeproof.search import parallel as share
from edgeproof.search import strategy as solve
from edgeproof.search.symmetry import automorphisms as symmetries_of
from edgeproof.search.symmetry.automorphisms import MOST_LISTED, find_symmetries
from random_queries import Grid, draw, fragile_pairs, margin_of, with_bias
from rings import ring, small_network

PARTS = 6
MIRRORED = Grid(
    vertices=(3, 4, 4, 5, 5),
    layers=(1, 2, 2, 3),
    widths=(1, 2, 3, 4),
    tasks=("graph", "graph", "graph", "node"),
    aggregations=("sum", "mean", "max", "mixed"),
    activations=("relu then none", "mixed"),
    pools=("sum", "sum", "mean"),
    features=("binary", "binary", "style", "same rows"),
    shapes=("mirrored",),
    flips=("both", "both", "insert", "delete", "list"),
    budgets=(3, 3, 4, 5),
    local=("none", "1", "2", "2", "per vertex"),
    calibrations=("between", "deep", "deep", "deep", "tie"),
    most_graphs=10**8,
)
COPIES = replace(
    MIRRORED, vertices=(4, 5, 6, 6), tasks=("graph", "graph", "node"), shapes=("copies",), budgets=(3, 3, 3, 4)
)
OPTIONS = {"interplay_at_once": True, "attacks": False}


def symmetries(query: Query) -> dict[tuple[int, ...], tuple[int, ...]]:
    """By trying all permutations on the question itself: where its pairs go."""
    graph, threat, node = query.graph, query.threat, query.claim.node
    pairs = fragile_pairs(graph, threat, node)
    features = graph.features.dense(np.arange(graph.num_vertices))
    edges = {(int(u), int(v)) for u, v in zip(*graph.edges_into(np.arange(graph.num_vertices)), strict=True)}
    found = {}
    for to in permutations(range(graph.num_vertices)):
        moved = [graph.pair(to[u], to[v]) for u, v in pairs]
        same = (
            sorted(moved) == sorted(pairs)
            and edges == {(to[u], to[v]) for u, v in edges}
            and (features[list(to)] == features).all()
            and all(threat.local_budget_of(v) == threat.local_budget_of(to[v]) for v in range(len(to)))
        )
        if same and (node is None or to[node] == node):
            found[to] = tuple(pairs.index(pair) for pair in moved)
    return found


def test_all_symmetries_are_found() -> None:
    looked = 0
    for index in range(150):
        query = draw(20261121, index, MIRRORED)
        if query.claim.node is not None:
            continue  # there what cannot matter is left out first
        compiled = compile_problem(query, resolve({}), query.threat.budget)
        pairs = fragile_pairs(query.graph, query.threat, None)
        at = [pairs.index((int(u), int(v))) for u, v in compiled.pairs]
        truth = set(symmetries(query).values())
        identity = tuple(range(len(pairs)))
        found = {identity}
        for image in find_symmetries(compiled).image:
            to = dict(zip(at, (at[k] for k in image), strict=True))
            found.add(tuple(to[k] for k in identity))
        assert found <= truth, f"index {index}"
        assert found == truth or len(found) >= MOST_LISTED, f"index {index}"
        looked += len(truth) > 1
    assert looked > 50


def test_twins_are_those_that_may_be_exchanged() -> None:
    looked = 0
    for index in range(150):
        query = draw(20261127, index, replace(MIRRORED, tasks=("graph",)))
        compiled = compile_problem(query, resolve({}), query.threat.budget)
        truth, twins = symmetries(query), find_symmetries(compiled).twin
        if len(compiled.pairs) < len(fragile_pairs(query.graph, query.threat, None)):
            continue  # some do not matter, and then more are alike
        for u, v in combinations(range(len(twins)), 2):
            to = np.arange(len(twins))
            to[compiled.vertices[[u, v]]] = compiled.vertices[[v, u]]
            assert (twins[u] == twins[v]) == (tuple(to.tolist()) in truth), f"index {index}, {u}, {v}"
            looked += twins[u] == twins[v]
    assert looked > 50


def test_components_are_those_that_may_be_exchanged() -> None:
    looked = 0
    for index in range(160):
        query = draw(20261129, index, replace(COPIES, tasks=("graph",)))
        compiled = compile_problem(query, resolve({}), query.threat.budget)
        if len(compiled.pairs) < len(fragile_pairs(query.graph, query.threat, None)):
            continue  # some do not matter, and then more are alike
        truth, found = symmetries(query), find_symmetries(compiled)
        parts = [compiled.vertices[found.component == c] for c in np.unique(found.component)]
        place = dict(zip(compiled.vertices.tolist(), found.place.tolist(), strict=True))
        for one, other in combinations(parts, 2):
            exchanges = [to for to in truth if exchanges_only(to, one.tolist(), other.tolist())]
            alike = sorted(place[v] for v in one) == sorted(place[v] for v in other)
            assert alike == bool(exchanges), f"index {index}, {one}, {other}"
            for u in one.tolist():
                goes_to = {to[u] for to in exchanges}
                same = {v for v in other.tolist() if place[v] == place[u]}
                assert same <= goes_to, f"index {index}, {u}"
                assert bool(same) == alike, f"index {index}, {u}"
            looked += len(one) > 1 and alike
    assert looked > 30


def exchanges_only(to: tuple[int, ...], one: list[int], other: list[int]) -> bool:
    stay = set(range(len(to))) - {*one, *other}
    return {to[v] for v in one} == set(other) and {to[v] for v in other} == set(one) and all(to[v] == v for v in stay)


def test_flips_between_many_twins_are_told_apart_by_their_shape_only() -> None:
    """Sixty vertices that are all alike: of up to five flips, there are as many graphs as there are shapes."""
    graph = ep.Graph(np.zeros((2, 0), dtype=int), np.ones((60, 3)), directed=False)
    network = small_network("sum", 0)
    scores = network.scores(graph)
    readout = ep.Readout(np.eye(2), [0.0, 1e3 + scores[0] - scores[1]], "sum")
    found = ep.verify(ep.Network(network.layers, readout), graph, ep.Threat(5, insert=True), label=1, options=OPTIONS)
    assert found.status == "robust"
    assert found.stats.nodes < 300


THREE = {
    "a triangle": [(0, 1), (1, 2), (0, 2)],
    "a star": [(0, 1), (0, 2), (0, 3)],
    "a path": [(0, 1), (1, 2), (2, 3)],
    "two at one vertex, and one": [(0, 1), (1, 2), (3, 4)],
    "three apart": [(0, 1), (2, 3), (4, 5)],
}


def alike(joined: bool) -> tuple[ep.Graph, ep.Threat]:
    """Seven vertices that are all alike, alone or all at an eighth one; flips are between the seven."""
    spokes = [(v, 7) for v in range(7)] if joined else []
    both = np.array([*spokes, *((v, u) for u, v in spokes)], dtype=int).reshape(-1, 2).T
    threat = ep.Threat(3, fragile=list(combinations(range(7), 2)))
    return ep.Graph(both, np.ones((7 + joined, 3)), directed=False), threat


@pytest.mark.parametrize("orbits", [False, True])
@pytest.mark.parametrize(
    ("shape", "aggregation", "joined"),
    [
        ("a triangle", "sum", False), ("a star", "sum", False), ("three apart", "sum", False),
        ("three apart", "mean", False), ("a triangle", "sum", True), ("a star", "sum", True),
        ("three apart", "sum", True),
    ],
)  # fmt: skip
def test_of_many_twins_the_only_shape_that_breaks_a_claim_is_found(
    shape: str, aggregation: str, joined: bool, orbits: bool
) -> None:
    graph, threat = alike(joined)
    fewer = [flips[:size] for flips in THREE.values() for size in range(3)]
    others = [*fewer, *(flips for name, flips in THREE.items() if name != shape)]
    asked = 0
    for seed in range(400):
        network = small_network(aggregation, seed)
        leads = [np.subtract(*network.scores(graph.flip(flips))) for flips in (THREE[shape], *others)]
        if leads[0] < min(leads[1:]) - 1e-3:  # the first class leads by least after these flips
            asked += 1
            readout = ep.Readout(np.eye(2), [0.0, (leads[0] + min(leads[1:])) / 2], "sum")
            one = ep.Network(network.layers, readout)
            options = {**OPTIONS, "orbits_at_once": orbits}
            found = ep.verify(one, graph, threat, label=0, options=options)
            assert found.attack is not None, f"seed {seed}"
            degrees = [
                sorted(np.unique(np.ravel(flips), return_counts=True)[1]) for flips in (found.attack, THREE[shape])
            ]
            assert degrees[0] == degrees[1], f"seed {seed}"
    assert asked > 3


@pytest.mark.parametrize("reach", [True, False])
def test_the_node_in_question_stays(reach: bool) -> None:
    graph = ep.Graph(np.zeros((2, 0), dtype=int), np.ones((4, 1)), directed=True)
    last = ep.Layer([[1.0], [0.0]], [[1.0], [0.0]], [0.0, 0.0], "sum", "none")
    network = ep.Network([ep.Layer([[1.0]], [[1.0]], [0.0], "sum", "relu"), last])
    query = make_query(network, graph, ep.Threat(3, insert=True), 2)
    compiled = compile_problem(query, resolve({"reach": reach}), 3)
    images, twins, *_ = find_symmetries(compiled)
    assert len(images) == 5  # the others in any order
    into = compiled.pairs[:, 1] == 2
    assert all((into[image] == into).all() for image in images)
    assert sorted(np.unique(twins, return_counts=True)[1]) == [1, 3]


@pytest.mark.parametrize("part", range(PARTS))
def test_answers_are_those_of_brute_force(
    part: int, pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In some parts by twins and components alone; these also as orbits."""
    each, mirrored = pytestconfig.getoption("--campaign") // 30, 0
    monkeypatch.setattr(symmetries_of, "MOST_LISTED", MOST_LISTED if part % 2 else 0)
    alike = ({"orbits_at_once": True},) if part % 2 == 0 else ()
    for index in range(each):
        query = draw(20261122 + part, index, MIRRORED if part else COPIES)
        for chosen in ({"flip_first": part % 3 > 0}, {"interplay_symmetries": False}, *alike):
            options = {**OPTIONS, **chosen}
            assert disagreement(engine, query, options) is None, f"seed {20261122 + part}, index {index}, {options}"
        found = find_symmetries(compile_problem(query, resolve({}), query.threat.budget))
        mirrored += len(found.image) > 0 if part % 2 else len(np.unique(found.place)) < len(found.place)
    assert mirrored > each // (3 if part % 2 else 6)


def with_few_attacks(query: Query) -> Query | None:
    """The same, but for a bias: only the graph that comes closest breaks the claim, with its images; None if others
    are as close.
    """
    pairs, budget = fragile_pairs(query.graph, query.threat, query.claim.node), query.threat.budget
    sets = [some for size in range(budget + 1) for some in combinations(pairs, size)]
    margins = [margin_of(query, some) for some in sets if inadmissible(query, some) is None]
    if not np.isfinite(margins).all():
        return None
    first, *others = np.unique(np.round(margins, 9))
    if not others or others[0] - first < 1e-6:
        return None
    net = query.network
    bias = [*net.layers, *([net.readout] if net.readout else ()), *net.head][-1].b.copy()
    bias[query.claim.label] -= (first + others[0]) / 2
    return with_bias(query, bias)


@pytest.mark.parametrize("part", range(PARTS))
def test_the_only_attack_is_found(part: int, pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where one graph breaks the claim and its images do, whoever leaves out too much misses all of them. In every
    other part two threads share the search, in tasks of three nodes.
    """
    if part >= PARTS // 2:
        monkeypatch.setattr(symmetries_of, "MOST_LISTED", 0)  # twins and components alone
    monkeypatch.setattr(solve, "SHARE_AFTER", 2)
    monkeypatch.setattr(share, "TASK_NODES", 3)
    grid = replace(
        COPIES if part == PARTS - 1 else MIRRORED,
        styles=("gaussian", "dyadic"), calibrations=("none",), heads=(0,), budgets=(3,),
        activations=("relu then none",),
    )  # fmt: skip
    each, found = pytestconfig.getoption("--campaign") // 15, 0
    for index in range(each):
        query = with_few_attacks(draw(20261123 + part, index, grid))
        if query is not None and np.argmax(query.network.scores(query.graph, query.claim.node)) == query.claim.label:
            options = {**OPTIONS, "flip_first": index % 2 == 0, "orbits_at_once": part > 2 and index % 3 > 0}
            verdict = engine.verify(query, timeout=60, node_limit=None, options=options, threads=1 + part % 2)
            assert verdict.status == "vulnerable", f"seed {20261123 + part}, index {index}"
            found += len(verdict.attack) > 1
    assert found > each // 8


def scattered(singles: int, couples: int, paths: int) -> ep.Graph:
    """Vertices that are all alike by themselves: alone, in twos, and in threes."""
    edges, n = [], singles
    for size in [2] * couples + [3] * paths:
        edges += [(n + k, n + k + 1) for k in range(size - 1)]
        n += size
    both = np.array([*edges, *((v, u) for u, v in edges)]).T.reshape(2, -1)
    return ep.Graph(both, np.ones((n, 3)), directed=False)


@pytest.mark.parametrize("aggregation", ["sum", "mean", "max"])
def test_the_kinds_of_sets_are_few(aggregation: str) -> None:
    """Sixty vertices, 1,770 pairs: all sets of four, under any aggregation and at any vertex, by default."""
    graph, network = scattered(40, 4, 4), small_network(aggregation, 1)
    label = network.predict(graph)
    scores = network.scores(graph)
    bias = np.zeros(2)
    bias[1 - label] = scores[label] - scores[1 - label] - 100.0  # more than four flips change
    one = ep.Network(network.layers, ep.Readout(np.eye(2), bias, "sum"))
    found = ep.verify(one, graph, ep.Threat(4, insert=True), options={"attacks": False})
    assert found.status == "robust"
    assert found.stats.screenings <= 1  # the first node, before orbits
    assert found.stats.nodes < 10_000


@pytest.mark.parametrize("orbits", [False, True])
def test_of_many_couples_the_only_kind_of_set_that_breaks_a_claim_is_found(orbits: bool) -> None:
    """A couple is no longer like the others once a flip is at one of the two, and the other one is not either."""
    graph = scattered(0, 4, 0)
    pairs = [(u, v) for u, v in combinations(range(8), 2) if u // 2 != v // 2]
    sets = [some for size in range(4) for some in combinations(pairs, size)]
    again = 0
    for seed in range(24):
        network = small_network("sum", seed)
        leads = np.array([np.subtract(*network.scores(graph.flip(some))) for some in sets])
        first, *more = np.unique(leads.round(6))
        if not more:
            continue  # nothing gets through
        flips = sets[int(leads.argmin())]
        again += any({2 * k, 2 * k + 1} <= set(np.ravel(flips)) for k in range(4))
        one = ep.Network(network.layers, ep.Readout(np.eye(2), [0.0, (first + more[0]) / 2], "sum"))
        options = {**OPTIONS, "orbits_at_once": orbits}
        found = ep.verify(one, graph, ep.Threat(3, fragile=pairs), label=0, options=options)
        assert found.status == "vulnerable", f"seed {seed}"
    assert again > 3


@pytest.mark.parametrize("aggregation", ["sum", "mean", "max"])
def test_the_smallest_attack_is_the_same(aggregation: str) -> None:
    """Candidates shrink the budget while kinds are enumerated."""
    sizes = []
    for seed in range(30):
        graph, network = scattered(3, 2, 1), small_network(aggregation, seed)
        threat = ep.Threat(3, 2, insert=True)
        found = [
            ep.radius(network, graph, threat, options={"attacks": False, "radius_from_below": False, **chosen})
            for chosen in ({"orbits_at_once": True}, {"interplay": False})
        ]
        assert (found[0].lower, found[0].upper) == (found[1].lower, found[1].upper), f"seed {seed}"
        sizes.append(found[0].lower)
    assert len(set(sizes)) > 1


def test_fewer_graphs_are_looked_at() -> None:
    """A ring of six kinds, each in the same place in both halves."""
    nodes = np.zeros(2)
    for seed in range(12):
        graph, network = ring(6), small_network("mean", seed)
        threat = ep.Threat(4, 2, insert=True)
        verdicts = [
            ep.verify(network, graph, threat, options={**OPTIONS, "interplay_symmetries": on}) for on in (True, False)
        ]
        assert verdicts[0].status == verdicts[1].status
        if verdicts[0].status == "robust":
            nodes += [verdict.stats.nodes for verdict in verdicts]
    assert 0 < nodes[0] < 0.8 * nodes[1]

"""The comparison itself: it passes a right engine, catches wrong ones and makes their failures small."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from math import comb

import numpy as np
import pytest

from differential import check, disagreement, draw_options, inadmissible
from edgeproof import Graph, Layer, Network, Threat
from edgeproof.engines import brute
from edgeproof.model.query import Query, make_query
from random_queries import Grid, draw, fragile_pairs, number_of_graphs
from shrink import Parts, reproducer, shrink

SEED = 1


class Wrong:
    """Brute force on another query than the one that was asked."""

    def __init__(self, change):
        self.change = change

    def verify(self, query, **limits):
        return brute.verify(self.change(query), **limits)

    def radius(self, query, **limits):
        return brute.radius(self.change(query), **limits)


def without_loops(query: Query) -> Query:
    n = query.graph.num_vertices
    threat = query.threat
    protected = threat.protected | {(v, v) for v in range(n)}
    return replace(
        query,
        threat=Threat(
            threat.budget, threat.local_budget, threat.delete, threat.insert, threat.fragile, protected=protected
        ),
    )


def without_local_budgets(query: Query) -> Query:
    threat = query.threat
    free = Threat(threat.budget, None, threat.delete, threat.insert, threat.fragile, threat.protected)
    return replace(query, threat=free)


def generously(query: Query) -> Query:
    """Favour the label by 1e-5."""
    parts = Parts.of(query)
    last = parts.head[-1] if parts.head else parts.weights[-1] if parts.readout is None else parts.readout
    bias = last[-1].copy()
    bias[query.claim.label] += 1e-5
    if parts.head:
        return parts.but(head=(*parts.head[:-1], (last[0], bias))).query()
    if parts.readout is None:
        return parts.but(weights=(*parts.weights[:-1], (*last[:-1], bias))).query()
    return parts.but(readout=(last[0], bias)).query()


def max_for_mean(query: Query) -> Query:
    parts = Parts.of(query)
    kinds = tuple(("max" if kind[0] == "mean" else kind[0], *kind[1:]) for kind in parts.kinds)
    return parts.but(kinds=kinds).query()


def crash_on_one_layer(query: Query) -> Query:
    if len(query.network.layers) == 1:
        raise IndexError("no such layer")
    return query


WRONG = {
    "loops never flip": without_loops,
    "local budgets ignored": without_local_budgets,
    "tolerance": generously,
    "max instead of mean": max_for_mean,
    "crash on one layer": crash_on_one_layer,
}


def first_failure(engine: Wrong) -> int:
    return next(i for i in range(1000) if disagreement(engine, draw(SEED, i)) is not None)


def test_a_right_engine_passes():
    assert [check(brute, SEED, index) for index in range(100)] == [None] * 100


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_engine_is_caught_and_its_failure_made_small(name: str):
    engine = Wrong(WRONG[name])
    query = draw(SEED, first_failure(engine))
    small = shrink(query, lambda one: disagreement(engine, one) is not None, seconds=20)
    assert disagreement(engine, small) is not None
    assert disagreement(brute, small) is None
    assert len(small.network.layers) <= 2
    assert small.graph.num_vertices <= 4
    assert max(small.network.widths) <= 5
    assert len(fragile_pairs(small.graph, small.threat, small.claim.node)) <= 3


def test_a_report_names_the_seed_and_ends_in_a_program_that_runs(capsys):
    engine = Wrong(without_loops)
    index = first_failure(engine)
    report = check(engine, SEED, index, shrinking=5)
    assert report is not None
    assert report.startswith(f"seed {SEED}, index {index}, options")
    program = report[report.index("import edgeproof") :]
    exec(program.replace('"search"', '"brute"'), {})  # the search may not be what is wrong
    first, _, third, _ = capsys.readouterr().out.splitlines()
    assert first == third


def test_taking_a_query_apart_and_together_changes_nothing():
    for index in range(200):
        query = draw(SEED, index)
        again = Parts.of(query).query()
        assert again.network.fingerprint == query.network.fingerprint
        assert again.graph.fingerprint == query.graph.fingerprint
        assert again.claim == query.claim
        assert again.threat.fragile == query.threat.fragile
        assert again.threat.protected == query.threat.protected
        assert str(again.threat) == str(query.threat)


def test_a_reproducer_asks_the_same_query():
    for index in range(50):
        query = draw(SEED, index)
        scope: dict = {}
        exec(reproducer(query).split("for engine")[0], scope)
        again = make_query(scope["network"], scope["graph"], scope["threat"], **scope["claim"])
        truth, claimed = brute.radius(query), brute.radius(again)
        assert claimed == truth


def test_queries_depend_on_seed_and_index_only():
    first = draw.__wrapped__(3, 14)
    again = draw.__wrapped__(3, 14)
    assert first is not again
    assert reproducer(first) == reproducer(again)
    assert reproducer(first) != reproducer(draw(3, 15))
    assert draw_options(3, 14) == draw_options(3, 14)


def test_the_grid_is_covered_and_both_outcomes_are_common():
    seen: Counter[object] = Counter()
    for index in range(600):
        query = draw(SEED, index)
        threat, net = query.threat, query.network
        pairs = fragile_pairs(query.graph, threat, query.claim.node)
        assert number_of_graphs(len(pairs), threat.budget) <= 3000
        answer = brute.radius(query)
        seen["robust" if answer.robust else "fails at once" if answer.lower < 0 else "vulnerable"] += 1
        seen[f"{net.task} {'directed' if query.graph.directed else 'undirected'}"] += 1
        seen.update(layer.aggregation.value for layer in net.layers)
        seen.update(layer.activation.value for layer in net.layers)
        seen["one layer" if len(net.layers) == 1 else "layers"] += 1
        seen["dense"] += any(layer.is_dense for layer in net.layers)
        seen["weak"] += query.claim.target is not None
        seen["loops fragile"] += any(u == v for u, v in pairs)
        seen["list"] += threat.fragile is not None
        seen["protected"] += bool(threat.protected)
        seen["insert target"] += threat.insert == "target"
        seen["local a vertex"] += isinstance(threat.local_budget, np.ndarray)
        seen["local 0"] += isinstance(threat.local_budget, int) and threat.local_budget == 0
        seen["no cap"] += threat.budget is None
        seen["deep"] += answer.exact and not answer.robust and answer.lower >= 1
        seen[net.readout and net.readout.pool] += 1
        seen[f"head of {len(net.head)}"] += 1
        seen["a slope an output"] += any(np.ptp(layer.negative_slopes) > 0 for layer in net.layers)
        seen["a slope an output of a head"] += any(np.ptp(layer.negative_slopes) > 0 for layer in net.head)
    scarce = {name: count for name, count in seen.items() if count < 15}
    assert not scarce
    assert seen["vulnerable"] > 60


def test_the_fuzzer_and_brute_force_agree_on_what_is_fragile():
    for index in range(300):
        query = draw(SEED, index)
        assert brute.fragile_pairs(query) == fragile_pairs(query.graph, query.threat, query.claim.node)


def test_a_narrowed_grid_is_respected():
    grid = Grid(layers=(3,), tasks=("node",), flips=("insert",), aggregations=("mean",))
    query = draw(SEED, 0, grid)
    assert [layer.aggregation.value for layer in query.network.layers] == ["mean"] * 3
    assert query.threat.insert is True or query.threat.fragile is not None


def test_inadmissible_attacks_are_told_apart():
    net = Network([Layer([[0.0], [0.0]], [[0.0], [1.0]], [0.0, 0.0])])
    graph = Graph([[0, 1, 1, 2, 2], [1, 0, 2, 1, 2]], [[1.0]] * 3, directed=False)

    def problem(attack, **threat):
        return inadmissible(make_query(net, graph, Threat(**threat), 0), attack)

    assert problem(((0, 1), (2, 2)), local_budget=1) is None
    assert problem(((1, 2), (2, 2)), local_budget=1) == "2 flips at vertex 2, its budget is 1"
    assert problem(((0, 1), (1, 2)), budget=1) == "2 flips, the budget is 1"
    assert problem(((1, 0),)) == "(1, 0) is not the name of an undirected pair"
    assert problem(((0, 2),)) == "(0, 2) is not fragile"
    assert problem(((0, 2),), insert=True) is None
    assert problem(((0, 0),), insert=True) == "(0, 0) is not fragile"
    assert problem(((0, 0),), fragile=[(0, 0)]) is None
    assert problem(((0, 1), (0, 1))) == "a pair is flipped twice"
    assert problem(((1, 2),), insert="target", delete=False) == "(1, 2) is not fragile"
    assert problem(((0, 2),), insert="target") is None
    assert problem(((0, 1),), protected=[(1, 0)]) == "(0, 1) is protected"


def test_graphs_are_counted_up_to_the_budget():
    assert number_of_graphs(5, 2) == 1 + 5 + comb(5, 2)
    assert number_of_graphs(5, None) == 2**5

"""Brute force against answers worked out by hand.

Most cases use a network whose class 0 scores a constant `t` and whose class 1 scores the aggregate of the neighbours,
so that the claim `label=1` breaks when the aggregate falls below t, and `label=0` when it rises above t.
"""

from __future__ import annotations

import numpy as np
import pytest

import edgeproof as ep
from edgeproof import Graph, InputError, Layer, Network, Readout, Threat, TooLargeError
from edgeproof.engines import brute
from edgeproof.model.query import make_query


def threshold(t: float, aggregation: str = "sum", activation: str = "none", slope: float = 0.01) -> Network:
    """scores(v) = act(t, aggregate of the neighbours of v)."""
    return Network([Layer([[0.0], [0.0]], [[0.0], [1.0]], [t, 0.0], aggregation, activation, slope)])


def star(*features: float, own: float = 0.0) -> Graph:
    """Vertices 1, 2, ... with these features send to vertex 0."""
    k = len(features)
    return Graph([list(range(1, k + 1)), [0] * k], [[own], *([x] for x in features)], directed=True)


def ask(network: Network, graph: Graph, node: int | None = 0, label: int | None = None, target=None, **threat):
    """Verdict and radius, which must tell the same story."""
    limits = {"label": label, "target": target, "engine": "brute"}
    verdict = ep.verify(network, graph, Threat(**threat), node, **limits)
    radius = ep.radius(network, graph, Threat(**threat), node, **limits)
    assert radius.exact
    assert (verdict.status == "robust") == radius.robust
    assert (verdict.attack, verdict.rival, verdict.label) == (radius.attack, radius.rival, radius.label)
    if not radius.robust:
        assert len(radius.attack) == radius.lower + 1 == radius.upper + 1
    return verdict, radius


def radius_of(*args, **kwargs) -> int | str:
    _, radius = ask(*args, **kwargs)
    return f"robust {radius.lower}" if radius.robust else radius.lower


# --- aggregations: deleting and inserting ---


def test_sum_deletions():
    # 1 + 2 + 4 = 7 > 2.5; one deletion leaves 3 at least, two can leave 2 (without 1 and 4) or 1
    verdict, radius = ask(threshold(2.5), star(1, 2, 4))
    assert radius.lower == 1
    assert verdict.attack == ((1, 0), (3, 0))
    assert (verdict.label, verdict.rival) == (1, 0)
    assert radius_of(threshold(2.5), star(1, 2, 4), budget=1) == "robust 1"


def test_mean_deletions():
    # (1 + 2 + 6) / 3 = 3; without 6: 1.5; with 1 alone: 1 < 1.4
    verdict, radius = ask(threshold(1.4, "mean"), star(1, 2, 6))
    assert radius.lower == 1
    assert verdict.attack == ((2, 0), (3, 0))


def test_mean_can_rise_by_a_deletion():
    # (1 + 5) / 2 = 3 < 4; without 1: 5 > 4
    verdict, radius = ask(threshold(4, "mean"), star(1, 5))
    assert (verdict.label, radius.lower, verdict.attack) == (0, 0, ((1, 0),))


def test_max_deletions():
    # max is 5, then 3, and over nobody 0 < 2
    assert radius_of(threshold(2, "max"), star(5, 3)) == 1
    assert radius_of(threshold(3.5, "max"), star(5, 3)) == 0


@pytest.mark.parametrize(("aggregation", "expected"), [("sum", 1), ("mean", 1), ("max", 1)])
def test_over_no_neighbour_every_aggregation_is_zero(aggregation, expected):
    # -5 and -3: below -2.5 until both are gone, then 0 > -2.5 (sum -8, -5, -3; mean -4, ...; max -3, ...)
    assert radius_of(threshold(-2.5, aggregation), star(-5, -3)) == expected


def test_insertions_sum_mean_max():
    lonely = Graph(np.zeros((2, 0), int), [[0.0], [2.0], [3.0], [-9.0]], directed=True)
    # sum: 3, then 3 + 2 = 5 > 4
    assert radius_of(threshold(4), lonely, delete=False, insert=True) == 1
    # mean and max of anything are at most 3
    assert radius_of(threshold(4, "mean"), lonely, delete=False, insert=True) == "robust 12"
    assert radius_of(threshold(4, "max"), lonely, delete=False, insert=True) == "robust 12"
    assert radius_of(threshold(2.9, "mean"), lonely, delete=False, insert=True) == 0
    # downwards: a mean of -9 alone, a sum of -9 alone, and a max of -9 alone are below -8
    for aggregation in ("sum", "mean", "max"):
        assert radius_of(threshold(-8, aggregation), lonely, delete=False, insert=True, label=1) == 0


def test_insertion_and_deletion_together():
    # 3 > 1.5 must fall: deleting gives 0; with that protected, inserting -2 gives 1
    graph = Graph([[1], [0]], [[0.0], [3.0], [-2.0]], directed=True)
    assert radius_of(threshold(1.5), graph, insert=True) == 0
    verdict, _ = ask(threshold(1.5), graph, insert=True, protected=[(1, 0)])
    assert verdict.attack == ((2, 0),)
    # below -1.5 takes both: 0 - 2
    assert radius_of(threshold(-1.5), graph, insert=True) == 1
    assert radius_of(threshold(-1.5), graph, insert=False) == "robust 1"
    assert radius_of(threshold(-1.5), graph, insert=True, delete=False) == "robust 5"


def test_layers_may_mix_aggregations():
    # layer 1: max of in-neighbours; layer 2: sum of these. 3 -> 1 -> 0 and 4 -> 1, 2 -> 0
    first = Layer([[0.0]], [[1.0]], [0.0], "max", "relu")
    second = Layer([[0.0], [0.0]], [[0.0], [1.0]], [4.5, 0.0], "sum", "none")
    graph = Graph([[3, 4, 1, 2, 4], [1, 1, 0, 0, 2]], [[0.0], [0.0], [0.0], [3.0], [2.0]], directed=True)
    # h(1) = max(3, 2) = 3, h(2) = 2, score 5 > 4.5. Without (3, 1): 2 + 2 = 4.
    verdict, radius = ask(Network([first, second]), graph, label=1, fragile=[(3, 1), (4, 1)])
    assert (radius.lower, verdict.attack) == (0, ((3, 1),))
    assert radius_of(Network([first, second]), graph, label=1, fragile=[(4, 1)]) == "robust 1"


def test_dense_layers_look_at_no_neighbour():
    dense = Network([Layer.dense([[1.0], [-1.0]], [0.0, 0.5])])
    assert radius_of(dense, star(1, 2, 3, own=1), insert=True) == "robust 12"
    # dense after sum: score 1 = 2 * sum = 12 against 7; without 3: 6
    after = Network([Layer([[0.0]], [[1.0]], [0.0]), Layer.dense([[0.0], [2.0]], [7.0, 0.0], "none")])
    assert radius_of(after, star(1, 2, 3)) == 0


# --- activations ---


def test_a_final_relu_turns_negative_scores_into_ties():
    # scores (-1, sum): label 1, sum 2 - 5 after an insertion: -3 < -1 breaks it, but relu makes both 0: a tie
    graph = Graph([[1], [0]], [[0.0], [2.0], [-5.0]], directed=True)
    assert radius_of(threshold(-1, activation="none"), graph, insert=True) == 0
    assert radius_of(threshold(-1, activation="relu"), graph, insert=True) == "robust 6"


def test_leaky_relu_keeps_the_order_of_negative_scores():
    graph = Graph([[1], [0]], [[0.0], [2.0], [-5.0]], directed=True)
    assert radius_of(threshold(-1, activation="leaky_relu", slope=0.25), graph, insert=True) == 0
    assert radius_of(threshold(-1, activation="leaky_relu", slope=0.0), graph, insert=True) == "robust 6"


def test_leaky_relu_multiplies_negative_numbers_by_its_slope():
    # h(1) = leaky(-8) = -2 with slope 1/4; -2 < t
    hidden = Layer([[1.0]], [[0.0]], [0.0], "sum", "leaky_relu", 0.25)
    for t, status in ((-2.0, "robust"), (-2.25, "robust"), (-1.75, "vulnerable")):
        last = Layer([[0.0], [0.0]], [[0.0], [1.0]], [t, 0.0], "sum", "none")
        verdict, _ = ask(Network([hidden, last]), star(-8), label=1, delete=False)
        assert verdict.status == status


def test_a_hidden_relu_cuts_negative_numbers_off():
    hidden = Layer([[1.0]], [[0.0]], [0.0], "sum", "relu")
    last = Layer([[0.0], [0.0]], [[0.0], [1.0]], [0.5, 0.0], "sum", "none")
    # relu(-7) + relu(1) = 1 > 0.5: deleting the -7 changes nothing, deleting the 1 does
    verdict, _ = ask(Network([hidden, last]), star(-7, 1))
    assert verdict.attack == ((2, 0),)


# --- graph tasks ---


def pooled(pool: str, t: float) -> Network:
    """scores = (t, pool of x(v) + sum of the neighbours of v)."""
    return Network([Layer([[1.0]], [[1.0]], [0.0], "sum", "none")], Readout([[0.0], [1.0]], [t, 0.0], pool))


@pytest.mark.parametrize(
    ("pool", "t", "expected"),
    [
        # features 1, 2, 4; edges 0 -> 1, 1 -> 2: values 1, 3, 6; without (1, 2): 1, 3, 4; without both: 1, 2, 4
        ("sum", 8.5, 0), ("sum", 7.5, 1), ("sum", 6.5, "robust 2"),
        ("mean", 2.7, 0), ("mean", 2.5, 1), ("mean", 2.3, "robust 2"),
        ("max", 5.0, 0), ("max", 4.0, "robust 2"), ("max", 3.9, "robust 2"),
    ],
)  # fmt: skip
def test_pools(pool, t, expected):
    graph = Graph([[0, 1], [1, 2]], [[1.0], [2.0], [4.0]], directed=True)
    assert radius_of(pooled(pool, t), graph, node=None, label=1) == expected


def test_graph_task_undirected_flip_changes_both_ends():
    # values x(v) + neighbours: an edge (0, 2) with features 1 and 4 adds 5 to the sum of 7
    graph = Graph(np.zeros((2, 0), int), [[1.0], [2.0], [4.0]], directed=False)
    for t, expected in ((7.0, 0), (12.9, 0), (13.0, 1), (17.9, 1), (18.5, 2), (21.0, "robust 3")):
        # best pairs: (1, 2) adds 6, (0, 2) adds 5, (0, 1) adds 3
        assert radius_of(pooled("sum", t), graph, node=None, label=0, delete=False, insert=True) == expected


def test_max_pool_of_negative_values_is_negative():
    graph = Graph([[0], [1]], [[-3.0], [-1.0]], directed=True)  # values -3, -4; without the edge -3, -1
    assert radius_of(pooled("max", -2), graph, node=None, label=0) == 0


# --- direction and self-loops ---


def test_a_directed_flip_changes_one_direction():
    graph = Graph([[0, 1], [1, 0]], [[1.0], [3.0]], directed=True)
    assert radius_of(threshold(2), graph, fragile=[(0, 1)]) == "robust 1"  # 0 -> 1 does not send to 0
    assert radius_of(threshold(2), graph, fragile=[(1, 0)]) == 0


def test_an_undirected_pair_may_be_named_from_either_end():
    graph = Graph([[0, 1], [1, 0]], [[1.0], [3.0]], directed=False)
    for pair in ((0, 1), (1, 0)):
        verdict, _ = ask(threshold(2), graph, fragile=[pair])
        assert verdict.attack == ((0, 1),)
        assert radius_of(threshold(2), graph, protected=[pair]) == "robust 0"
    assert radius_of(threshold(9), graph, fragile=[(0, 1), (1, 0)], label=0) == "robust 1"


@pytest.mark.parametrize("directed", [True, False])
def test_a_self_loop_is_an_edge_like_any_other(directed):
    graph = Graph([[0], [0]], [[3.0]], directed=directed)
    verdict, radius = ask(threshold(2), graph)
    assert (verdict.label, radius.lower, verdict.attack) == (1, 0, ((0, 0),))
    assert radius_of(threshold(2), graph, local_budget=1) == 0  # one unit, not two
    assert radius_of(threshold(2), graph, local_budget=0) == "robust 1"


@pytest.mark.parametrize("directed", [True, False])
def test_self_loops_are_inserted_only_when_listed(directed):
    graph = Graph(np.zeros((2, 0), int), [[3.0], [0.0]], directed=directed)
    assert radius_of(threshold(2), graph, insert=True).startswith("robust")
    assert radius_of(threshold(2), graph, fragile=[(0, 0)]) == 0


def test_insertions_into_the_target():
    graph = Graph(np.zeros((2, 0), int), [[0.0], [1.0], [2.0]], directed=True)
    two = Network([Layer([[1.0]], [[1.0]], [0.0]), Layer([[0.0], [0.0]], [[0.0], [1.0]], [2.5, 0.0], "sum", "none")])
    # into 0: h(2) = 2, h(1) = 1 make 3 > 2.5; into others too: 1 -> 2 makes h(2) = 3
    verdict, _ = ask(two, graph, delete=False, insert="target")
    assert verdict.attack == ((1, 0), (2, 0))
    assert radius_of(two, graph, delete=False, insert="target", protected=[(1, 0)]) == "robust 1"
    verdict, _ = ask(two, graph, delete=False, insert=True, protected=[(1, 0)])
    assert verdict.attack == ((1, 2), (2, 0))


# --- budgets ---


@pytest.mark.parametrize(("local", "expected"), [(None, 2), (3, 2), (2, "robust 4"), (1, "robust 4"), (0, "robust 4")])
def test_local_budget_directed_charges_the_target(local, expected):
    # 1 + 1 + 1 + 1 must fall below 1.5: three deletions, all paid by vertex 0
    assert radius_of(threshold(1.5), star(1, 1, 1, 1), local_budget=local) == expected


def test_local_budget_a_vertex():
    net = threshold(1.5)
    assert radius_of(net, star(1, 1, 1, 1), local_budget=[3, 0, 0, 0, 0]) == 2  # directed: sources pay nothing
    assert radius_of(net, star(1, 1, 1, 1), local_budget=[2, 9, 9, 9, 9]) == "robust 4"


def test_local_budget_undirected_charges_both_ends():
    graph = Graph([[0, 1, 0, 2, 1, 2], [1, 0, 2, 0, 2, 1]], [[0.0], [1.0], [2.0]], directed=False)
    # vertex 0 hears 1 + 2 = 3; below 0.5 takes both of its edges
    assert radius_of(threshold(0.5), graph) == 1
    assert radius_of(threshold(0.5), graph, local_budget=[2, 1, 1]) == 1
    assert radius_of(threshold(0.5), graph, local_budget=[1, 2, 2]) == "robust 3"
    assert radius_of(threshold(0.5), graph, local_budget=[2, 0, 1]) == "robust 3"
    assert radius_of(threshold(1.5), graph, local_budget=[1, 0, 1]) == 0  # without (0, 2)
    assert radius_of(threshold(1.5), graph, local_budget=[1, 1, 0]) == "robust 3"


def test_undirected_pairs_that_share_a_vertex_compete_for_its_budget():
    # graph task: values add up to 1 + 2 + 4 = 7; (0, 1) adds 3, (1, 2) adds 6, (0, 2) adds 5
    graph = Graph(np.zeros((2, 0), int), [[1.0], [2.0], [4.0]], directed=False)
    ask_for = {"node": None, "label": 0, "delete": False, "insert": True}
    assert radius_of(pooled("sum", 13.5), graph, **ask_for) == 1
    assert radius_of(pooled("sum", 13.5), graph, local_budget=1, **ask_for) == "robust 3"
    assert radius_of(pooled("sum", 12.5), graph, local_budget=1, **ask_for) == 0


def test_global_budget_caps_the_radius():
    for budget, expected in ((0, "robust 0"), (1, "robust 1"), (2, 1), (3, 1), (None, 1)):
        assert radius_of(threshold(2.5), star(1, 2, 4), budget=budget) == expected
    assert radius_of(threshold(-1), star(1, 2, 4), budget=9) == "robust 9"
    assert radius_of(threshold(-1), star(1, 2, 4), budget=None) == "robust 3"


def test_nothing_fragile():
    assert radius_of(threshold(2.5), star(1, 2, 4), delete=False) == "robust 0"
    assert radius_of(threshold(2.5), star(1, 2, 4), fragile=[]) == "robust 0"
    assert radius_of(threshold(2.5), star(1, 2, 4), protected=[(1, 0), (2, 0), (3, 0)]) == "robust 0"


# --- claims ---


def test_a_tie_is_robust():
    # without 1: 2, without 2: 1; the label needs at least 1
    assert radius_of(threshold(1), star(1, 2), label=1) == 1  # both gone: 0 < 1
    assert radius_of(threshold(1), star(1, 2), label=1, budget=1) == "robust 1"
    assert radius_of(threshold(0), star(1, 2), label=1) == "robust 2"
    assert radius_of(threshold(3), star(1, 2), label=0) == "robust 2"  # tied on the input graph itself


def test_ties_are_decided_in_real_arithmetic():
    # 0.1 + 0.2 > 0.3 as doubles, and the doubles themselves add up to slightly more than the double 0.3
    third = threshold(0.3)
    assert radius_of(third, star(0.1, 0.2), label=0) == -1
    # 1e16 + 1 - 1e16 is 1, whatever float64 makes of it
    assert radius_of(threshold(0.5), star(1e16, 1.0, -1e16), label=1, budget=0) == "robust 0"
    assert radius_of(threshold(1.0), star(1e16, 1.0, -1e16), label=0, budget=0) == "robust 0"


def test_a_third_in_a_mean_is_exact():
    # (1 + 0 + 0) / 3 against three thirds: 3 * mean - 1 = 0 exactly, a tie
    net = Network([Layer([[0.0], [0.0]], [[0.0], [3.0]], [1.0, 0.0], "mean", "none")])
    for label in (0, 1):
        assert radius_of(net, star(1, 0, 0), label=label, budget=0) == "robust 0"


def test_a_label_that_is_not_predicted_has_radius_minus_one():
    verdict, radius = ask(threshold(2.5), star(1, 2, 4), label=0)
    assert (verdict.attack, verdict.rival, radius.lower, radius.upper) == ((), 1, -1, -1)
    assert radius.exact
    assert not radius.robust


def test_weak_claims_look_at_one_rival():
    # scores: 2, sum, 10 * x(0) = 0. Deletions bring sum (3) below 2: class 0 wins; class 2 wins never
    net = Network([Layer([[0.0], [0.0], [10.0]], [[0.0], [1.0], [0.0]], [2.0, 0.0, 0.0], "sum", "none")])
    assert radius_of(net, star(1, 2)) == 0
    assert radius_of(net, star(1, 2), target=0) == 0
    assert radius_of(net, star(1, 2), target=2) == "robust 2"


def test_the_winner_is_the_best_rival_lowest_index_on_ties():
    net = Network([Layer(np.zeros((4, 1)), [[0.0], [1.0], [0.0], [0.0]], [1.0, 0.0, 1.5, 1.5], "sum", "none")])
    verdict, _ = ask(net, star(3))
    assert verdict.rival == 2


def test_label_out_of_range_is_refused():
    for label in (-1, 2, 99):
        with pytest.raises(InputError, match="label"):
            ask(threshold(1), star(1), label=label)


# --- reach ---


def test_one_vertex_and_no_edges():
    graph = Graph(np.zeros((2, 0), int), [[1.0]], directed=True)
    assert radius_of(threshold(1), graph, insert=True) == "robust 0"
    assert radius_of(threshold(-1), graph, label=0) == -1


def test_a_pair_two_steps_away_matters_in_two_layers_not_in_one():
    path = Graph([[2, 1], [1, 0]], [[0.0], [1.0], [5.0]], directed=True)
    hidden = Layer([[1.0]], [[1.0]], [0.0])
    last = Layer([[0.0], [0.0]], [[0.0], [1.0]], [3.0, 0.0], "sum", "none")
    verdict, _ = ask(Network([hidden, last]), path, fragile=[(2, 1)])  # 6, then 1
    assert verdict.attack == ((2, 1),)
    assert verdict.stats.fragile == 1
    verdict, _ = ask(threshold(0.5), path, fragile=[(2, 1)])
    assert (verdict.status, verdict.stats.fragile, verdict.stats.nodes) == ("robust", 0, 2)


def test_three_layers_with_insertions_along_a_chain():
    # only 3 has a feature; its message needs 3 -> 2 -> 1 -> 0, one layer a step
    lonely = Graph(np.zeros((2, 0), int), [[0.0], [0.0], [0.0], [1.0]], directed=True)
    step = Layer([[0.0]], [[1.0]], [0.0])
    last = Layer([[0.0], [0.0]], [[0.0], [1.0]], [0.5, 0.0], "sum", "none")
    three = Network([step, step, last])
    assert radius_of(three, lonely, delete=False, insert=True, budget=4, protected=[(0, 3)]) == 2
    # two pairs do as well: 3 -> 0 -> 3 -> 0
    verdict, _ = ask(three, lonely, delete=False, insert=True, budget=4)
    assert verdict.attack == ((0, 3), (3, 0))
    assert radius_of(Network([step, last]), lonely, delete=False, insert=True, budget=3) == 1
    assert radius_of(Network([last]), lonely, delete=False, insert=True, budget=2) == 0


# --- limits ---


def query(network: Network, graph: Graph, **threat):
    return make_query(network, graph, Threat(**threat), 0)


def test_node_limit_gives_unknown_with_what_is_known():
    ones = star(*[1.0] * 6)  # 6 > 0.5 falls only when all six are gone: 64 graphs
    verdict = brute.verify(query(threshold(0.5), ones), node_limit=10)
    assert (verdict.status, verdict.reason, verdict.attack, verdict.stats.nodes) == ("unknown", "node limit", None, 10)
    radius = brute.radius(query(threshold(0.5), ones), node_limit=10)  # 1 + 6 graphs prove budget 1
    assert (radius.lower, radius.upper, radius.exact, radius.robust, radius.reason) == (
        1,
        None,
        False,
        False,
        "node limit",
    )
    assert brute.radius(query(threshold(0.5), ones), node_limit=64).lower == 5
    assert brute.radius(query(threshold(0.5), ones), node_limit=63).reason == "node limit"


def test_timeout_gives_unknown():
    ones = star(*[1.0] * 18)
    verdict = brute.verify(query(threshold(0.5), ones), timeout=0.05)
    assert (verdict.status, verdict.reason) == ("unknown", "timeout")
    assert verdict.stats.seconds < 1


def test_too_many_graphs_are_refused_with_their_number():
    ones = star(*[1.0] * 30)
    with pytest.raises(TooLargeError, match=r"1,073,741,824 graphs \(30 fragile pairs, budget 30\)"):
        brute.verify(query(threshold(0.5), ones))
    with pytest.raises(TooLargeError, match=r"more than 10\^30 graphs"):
        brute.verify(query(threshold(0.5), star(*[1.0] * 20_000)))  # counting itself must not take long
    many = Graph(np.zeros((2, 0), int), np.ones((4000, 1)), directed=True)
    with pytest.raises(TooLargeError, match=r"15,996,000 pairs of 4,000 vertices"):
        brute.verify(query(threshold(0.5), many, insert=True, budget=1))
    assert brute.verify(query(threshold(0.5), ones, budget=2)).status == "robust"
    # vertex 0 can pay for one flip only: 31 graphs
    assert brute.verify(query(threshold(0.5), ones, local_budget=1)).stats.nodes == 31


def test_statistics():
    stats = brute.verify(query(threshold(-1), star(1, 2, 4))).stats
    assert (stats.nodes, stats.leaves, stats.fragile, stats.evaluations) == (8, 8, 3, 0)
    assert stats.exploration == 3 / 4
    assert stats.seconds >= 0


def test_unknown_options_are_refused():
    with pytest.raises(InputError, match="unknown option"):
        brute.verify(query(threshold(1), star(1)), options={"magic": True})


def test_forgetting_remembered_vectors_changes_nothing(monkeypatch):
    expected = brute.radius(query(threshold(2.5), star(1, 2, 4), insert=True, budget=3))
    monkeypatch.setattr(brute, "_REMEMBERED", 2)
    assert brute.radius(query(threshold(2.5), star(1, 2, 4), insert=True, budget=3)) == expected

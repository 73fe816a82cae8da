"""Costs and new vertices: against brute force, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import edgeproof as ep
from wider_differ import disagreement
from wider_queries import draw_wider

SEED = 29


@pytest.mark.parametrize("start", range(0, 240, 60))
def test_costs_and_new_vertices_against_brute_force(start: int) -> None:
    """Brute force answers the questions about flips of equal cost, too: this is about what is made of them."""
    for index in range(start, start + 60):
        query = draw_wider(SEED, index, ("cost", "inject", "cost+inject"))
        problem, _ = disagreement(query)
        assert problem is None, f"seed {SEED}, index {index}: {problem}"


@pytest.mark.parametrize("engine", ["search", "mip"])
def test_engines_below_agree(engine: str) -> None:
    for index in range(25):
        query = draw_wider(SEED + 1, index, ("cost", "inject", "cost+inject"))
        hows = {layer.aggregation for layer in query.network.layers if not layer.is_dense}
        if engine == "mip" and "gcn" in hows:
            continue
        problem, _ = disagreement(query, engine)
        assert problem is None, f"seed {SEED + 1}, index {index}: {problem}"


def star() -> tuple[ep.Network, ep.Graph]:
    """Vertex 0 hears 1, 2 and 3; its class turns when it hears less than 2, or more than 4."""
    layer = ep.Layer([[0.0], [0.0]], [[1.0], [-1.0]], [-4.0, 2.0], "sum", "relu")
    last = ep.Layer.dense([[0.0, 0.0], [1.0, 1.0]], [0.5, 0.0], "none")
    graph = ep.Graph([[1, 2, 3], [0, 0, 0]], [[1.0]] * 4, directed=True)
    return ep.Network([layer, last]), graph


def test_a_radius_counts_cost() -> None:
    network, graph = star()
    plain = ep.radius(network, graph, ep.Threat(), node=0)
    assert (plain.lower, plain.attack.cost) == (1, 2)
    dear = ep.radius(network, graph, ep.Threat(cost={(1, 0): 5, (2, 0): 2}), node=0)
    assert (dear.lower, dear.upper, list(dear.attack), dear.attack.cost) == (2, 2, [(2, 0), (3, 0)], 3)
    assert ep.verify(network, graph, ep.Threat(2, cost={(1, 0): 5, (2, 0): 2}), node=0).robust
    local = ep.Threat(3, local_budget=2, cost={(1, 0): 5, (2, 0): 2})
    assert ep.verify(network, graph, local, node=0).robust, "a flip of cost 2 takes 2 units at its vertex"


def test_edges_out_of_a_new_vertex_count_against_its_limit() -> None:
    """In a directed graph they cost its neighbours, not itself: no local budget of an engine knows of them."""
    add = ep.Layer([[0.0]], [[1.0]], [0.0], "sum", "none")
    end = ep.Layer([[0.0], [0.0]], [[0.0], [1.0]], [1.5, 0.0], "sum", "none")
    network, graph = ep.Network([add, end]), ep.Graph([[1, 2], [0, 0]], [[0.0]] * 3, directed=True)
    for count, edges, status in ((1, 1, "robust"), (1, 2, "vulnerable"), (2, 1, "vulnerable")):
        inject = ep.Injection(count, edges, features=[[1.0]])
        found = ep.verify(network, graph, ep.Threat(3, delete=False, inject=inject), node=0)
        assert found.status == status, (count, edges)


def test_new_vertices_have_numbers_rows_and_a_graph() -> None:
    network, graph = star()
    threat = ep.Threat(delete=False, inject=ep.Injection(2, 1, features=[[0.0], [0.25], [1.0]]))
    found = ep.radius(network, graph, threat, node=0)
    assert (found.lower, list(found.attack), found.attack.injected) == (1, [(4, 0), (5, 0)], (2, 2))
    made = found.attack.apply(graph)
    assert made.num_vertices == 6
    scores = network.scores(made, 0)
    assert scores[1] > scores[0]
    one = ep.Threat(delete=False, inject=ep.Injection(1, 3, features=[[1.0]]))
    assert ep.verify(network, graph, one, node=0).robust, "an edge cannot be added twice"
    copy = ep.Attack(list(found.attack), injected=found.attack.injected, cost=2)
    assert copy == found.attack
    with pytest.raises(ep.InputError, match="pool"):
        copy.apply(graph)
    assert copy.apply(graph, pool=[[0.0], [0.25], [1.0]]).fingerprint == made.fingerprint


def test_an_attack_is_always_true_and_sees_all_its_parts() -> None:
    assert bool(ep.Attack([]))
    assert ep.Attack([(0, 1)]) == ((0, 1),)
    assert ep.Attack([(0, 1)]) != ep.Attack([(0, 1)], features=[(0, 0)])
    assert ep.Attack([(0, 1)]) != ep.Attack([(0, 1)], injected=[0])
    assert len({ep.Attack([(0, 1)]), ep.Attack([(0, 1)], injected=[0]), ((0, 1),)}) == 2


def test_proofs_and_float32_refuse_by_name() -> None:
    network, graph = star()
    rows = [[1.0]]
    for threat, word in (
        (ep.Threat(cost={(1, 0): 2}), "cost"),
        (ep.Threat(inject=ep.Injection(features=rows)), "inject"),
        (ep.Threat(features=ep.FeatureFlips(budget=1)), "features"),
    ):
        with pytest.raises(ep.InputError, match=word):
            ep.verify(network, graph, threat, node=0, certify=True)
        with pytest.raises(ep.InputError, match=word):
            ep.verify(network, graph, threat, node=0, arithmetic="float32")


@pytest.mark.parametrize(
    ("made", "word"),
    [
        (lambda: ep.Threat(cost={(0, 1): 0}), "cost"),
        (lambda: ep.Threat(cost=[(0, 1)]), "cost"),
        (lambda: ep.Injection(0, 1, features=[[1.0]]), "count"),
        (lambda: ep.Injection(1, 0, features=[[1.0]]), "edges"),
        (lambda: ep.Injection(1, 1, features=np.zeros((0, 1))), "features"),
        (lambda: ep.Threat(inject=3), "inject"),
        (lambda: ep.FeatureFlips(-1), "budget"),
        (lambda: ep.FeatureBox(-0.5), "epsilon"),
    ],
)
def test_wrong_parts_are_refused_when_they_are_made(made: object, word: str) -> None:
    with pytest.raises(ep.InputError, match=word):
        made()


def test_parts_that_do_not_fit_the_graph_are_refused() -> None:
    network, graph = star()
    for threat, word in (
        (ep.Threat(cost={(0, 9): 2}), "out of range"),
        (ep.Threat(inject=ep.Injection(features=[[1.0, 2.0]])), "rows of 1"),
        (ep.Threat(features=ep.FeatureFlips(1, nodes=[7])), "out of range"),
        (ep.Threat(features=ep.FeatureFlips(1, columns=[1])), "out of range"),
    ):
        with pytest.raises(ep.InputError, match=word):
            ep.verify(network, graph, threat, node=0)


def test_limits_end_a_question_with_an_interval() -> None:
    network, graph = star()
    threat = ep.Threat(cost={(1, 0): 3, (2, 0): 3})
    found = ep.radius(network, graph, threat, node=0, node_limit=1)
    truth = ep.radius(network, graph, threat, node=0, engine="brute")
    assert found.lower <= truth.lower
    assert found.exact or found.reason == "node limit"


def test_parts_that_are_not_needed_go() -> None:
    network, graph = star()
    rows = [[0.0], [1.0]]
    threat = ep.Threat(inject=ep.Injection(3, 1, features=rows))
    more = ep.Attack([(3, 0), (4, 0), (5, 0), (6, 0)], injected=[0, 1, 1], cost=4, pool=np.array(rows))
    with pytest.raises(ep.InputError, match="does not break"):
        ep.minimise(network, graph, threat, more, 0, label=0)
    enough = ep.Attack([(4, 0), (5, 0), (6, 0)], injected=[0, 1, 1], cost=3, pool=np.array(rows))
    found = ep.minimise(network, graph, threat, enough, 0, label=0)
    assert (list(found), found.injected, found.cost) == ([(4, 0), (5, 0)], (1, 1), 2)
    dear = ep.Threat(cost={(1, 0): 5})
    found = ep.minimise(network, graph, dear, [(1, 0), (2, 0), (3, 0)], 0, label=0)
    assert (list(found), found.cost) == ([(2, 0), (3, 0)], 2)
    flips = ep.Threat(0, features=ep.FeatureFlips(3))
    found = ep.minimise(network, graph, flips, ep.Attack([], features=[(1, 0), (2, 0), (3, 0)], cost=0), 0, label=0)
    assert (list(found), len(found.features), found.cost) == ([], 2, 0)


def test_a_data_object_gets_all_of_it() -> None:
    torch = pytest.importorskip("torch")
    data_of = pytest.importorskip("torch_geometric.data").Data
    edges = torch.tensor([[1, 2, 3], [0, 0, 0]])
    data = data_of(x=torch.ones(4, 1), edge_index=edges, y=torch.tensor([0, 1, 0, 1]))
    attack = ep.Attack([(1, 0), (4, 0)], features=[(2, 0)], injected=[1], cost=3, pool=np.array([[0.0], [0.5]]))
    changed = attack.to_pyg(data, directed=True)
    graph = ep.graph_from_pyg(data, directed=True)
    made = attack.apply(graph)
    assert ep.graph_from_pyg(changed, directed=True).fingerprint == made.fingerprint
    assert made.features.dense().tolist() == [[1.0], [1.0], [0.0], [1.0], [0.5]]
    assert changed.y.tolist() == [0, 1, 0, 1, -1]
    assert data.x.tolist() == [[1.0]] * 4

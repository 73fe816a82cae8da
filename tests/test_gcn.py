"""GCN layers: what they mean, in floats and exactly, and that every engine agrees on it."""

from __future__ import annotations

from decimal import Decimal, localcontext
from itertools import pairwise

import numpy as np
import pytest

import edgeproof as ep
from edgeproof import Graph, Layer, Network, Threat
from edgeproof.arithmetic.evaluator import ExactEvaluator, exact_scores
from edgeproof.arithmetic.float64 import evaluate_with_error, rough_error
from edgeproof.engines import brute
from edgeproof.model.query import Query, make_query
from random_queries import Grid, _Draw, draw, fragile_pairs

SEED = 5
GCN = Grid(aggregations=("gcn", "gcn", "mixed with gcn"), most_graphs=300)
DIGITS = 100


def cases(count: int, grid: Grid = GCN):
    """Queries, each with a few admissible attacks."""
    for index in range(count):
        query = draw(SEED, index, grid)
        hand = _Draw(np.random.default_rng((SEED, index, 2)), None)
        pairs = fragile_pairs(query.graph, query.threat, query.claim.node)
        yield index, query, [(), *(tuple(hand.attack(query, pairs)) for _ in range(3))]


def by_definition(query: Query, flips) -> list[Decimal]:
    """Scores from the definition, in decimals of DIGITS digits: every vertex, every layer."""
    net, graph = query.network, query.graph.flip(flips)
    values = [[Decimal(x) for x in row] for row in graph.features.dense().tolist()]
    around = [graph.in_neighbours(v).tolist() for v in range(graph.num_vertices)]
    degree = [len({*around[v], v}) for v in range(graph.num_vertices)]

    def times(matrix, vector):
        return [sum((Decimal(w) * x for w, x in zip(row, vector, strict=True)), Decimal(0)) for row in matrix.tolist()]

    def gather(how, v, width):
        if how == "gcn":
            terms = [[x / Decimal(degree[u] * degree[v]).sqrt() for x in values[u]] for u in {*around[v], v}]
        else:
            terms = [values[u] for u in around[v]]
        return pool(how, terms, width)

    def pool(how, vectors, width):
        rows = list(zip(*vectors, strict=True)) or [(Decimal(0),)] * width
        if how == "max":
            return [max(row) for row in rows]
        return [sum(row, Decimal(0)) / (len(row) if how == "mean" else 1) for row in rows]

    def bent(layer, before):
        slopes = layer.negative_slopes.tolist()
        return [x if x >= 0 else Decimal(slope) * x for x, slope in zip(before, slopes, strict=True)]

    for layer in net.layers:
        after = []
        for v, own in enumerate(values):
            heard = gather(layer.aggregation.value, v, layer.width_in)
            summed = zip(times(layer.C, own), times(layer.A, heard), layer.b.tolist(), strict=True)
            before = [c + a + Decimal(b) for c, a, b in summed]
            after.append(bent(layer, before))
        values = after
    if net.readout is None:
        return values[query.claim.node]
    pooled = pool(net.readout.pool.value, values, net.layers[-1].width_out)
    scores = [x + Decimal(b) for x, b in zip(times(net.readout.C, pooled), net.readout.b.tolist(), strict=True)]
    for layer in net.head:
        scores = bent(layer, [x + Decimal(b) for x, b in zip(times(layer.C, scores), layer.b.tolist(), strict=True)])
    return scores


def decimals(scores) -> list[Decimal]:
    """Rationals or surds."""
    return [
        sum((Decimal(int(c.p)) / Decimal(int(c.q)) * Decimal(q).sqrt() for q, c in parts(one).items()), Decimal(0))
        for one in scores
    ]


def parts(number) -> dict:
    return getattr(number, "parts", {1: number})


def test_exact_scores_are_those_of_the_definition_and_of_brute_force() -> None:
    for index, query, attacks in cases(150):
        exact, other = ExactEvaluator(query.network, query.graph), brute.Evaluator(query)
        for flips in attacks:
            found = exact.scores(query.claim.node, flips)
            assert found == other.scores(flips), (index, flips)
            assert found == exact_scores(query.network, query.graph.flip(flips), query.claim.node), (index, flips)
            with localcontext() as context:
                context.prec = DIGITS
                expected = by_definition(query, flips)
                size = max(map(abs, expected)) + 1
                for one, truth in zip(decimals(found), expected, strict=True):
                    assert abs(one - truth) <= size * Decimal(10) ** -50, (index, flips)


def test_float_scores_lie_within_their_stated_error() -> None:
    for index, query, attacks in cases(150):
        for flips in attacks:
            graph = query.graph.flip(flips)
            scores, error = evaluate_with_error(query.network, graph, query.claim.node)
            rough = rough_error(query.network, graph)
            assert (error <= 1.000001 * (rough if query.claim.node is None else rough[query.claim.node])).all()
            with localcontext() as context:
                context.prec = DIGITS
                truth = decimals(exact_scores(query.network, graph, query.claim.node))
                for score, bound, exact in zip(scores.tolist(), error.tolist(), truth, strict=True):
                    assert abs(Decimal(score) - exact) <= Decimal(bound), (index, flips)


def test_one_node_gets_the_scores_that_all_nodes_get() -> None:
    """The farthest senders keep their degrees although nobody looks at their in-neighbours."""
    for _, query, _ in cases(150):
        if query.claim.node is not None:
            one, error = evaluate_with_error(query.network, query.graph, query.claim.node)
            everyone, errors = evaluate_with_error(query.network, query.graph)
            apart = abs(one - everyone[query.claim.node])
            assert (apart <= error + errors[query.claim.node]).all()


def test_margins_name_a_winner_where_there_is_one() -> None:
    for index, query, attacks in cases(100):
        exact = ExactEvaluator(query.network, query.graph)
        for flips in attacks:
            margin, rival = exact.margin(query.claim.node, query.claim.label, query.rivals, flips)
            winner = brute.Evaluator(query).winner(flips)
            assert (margin > 0) == (winner is not None), (index, flips)
            assert winner in (None, rival), (index, flips)


def path(directed: bool, loops: tuple[int, ...] = ()) -> Graph:
    """0 -> 1 -> 2, or the same undirected."""
    edges = [(0, 1), (1, 2), *((v, v) for v in loops)]
    edges += [] if directed else [(1, 0), (2, 1)]
    return Graph(np.array(edges).T, [[1.0], [2.0], [4.0]], directed=directed)


def test_one_layer_by_hand() -> None:
    network = Network([Layer([[0.0], [1.0]], [[1.0], [0.0]], [0.0, 0.0], "gcn", "none")])
    # in-degrees with loops: 1, 2, 2 directed; 2, 3, 2 undirected
    directed = [1, 1 / np.sqrt(2) + 1, 1 + 2]
    undirected = [1 / 2 + 2 / np.sqrt(6), 1 / np.sqrt(6) + 2 / 3 + 4 / np.sqrt(6), 2 / np.sqrt(6) + 2]
    for loops in ((), (0,), (0, 1, 2)):
        assert np.allclose(network.scores(path(True, loops))[:, 0], directed)
        assert np.allclose(network.scores(path(False, loops))[:, 0], undirected)
        assert exact_scores(network, path(True, loops), 2) == [3, 4]


def test_flipping_a_self_loop_changes_nothing_in_a_gcn_layer() -> None:
    graph = path(False, (1,))
    for layers in (1, 2):
        stack = [Layer([[1.0], [0.5]], [[1.0], [-1.0]], [0.1, 0.0], "gcn")]
        stack += [Layer(np.eye(2), np.eye(2), [0.0, 0.0], "gcn")] * (layers - 1)
        network = Network(stack)
        assert exact_scores(network, graph, 1) == exact_scores(network, graph, 1, [(0, 0), (1, 1)])
    mixed = Network([Layer([[1.0], [0.5]], [[1.0], [-1.0]], [0.1, 0.0], "sum")])
    assert exact_scores(mixed, graph, 1) != exact_scores(mixed, graph, 1, [(1, 1)])


@pytest.mark.parametrize("directed", [True, False])
def test_a_flip_at_the_farthest_sender_matters(directed: bool) -> None:
    """One layer, node 1: the pair (2, 0) touches neither node 1 nor an edge of it, but the degree of its neighbour."""
    edges = np.array([(0, 1), (2, 0)] + ([] if directed else [(1, 0), (0, 2)])).T
    graph = Graph(edges, [[1.0], [0.0], [0.0]], directed=directed)
    # once the edge (2, 0) is gone, 1 / sqrt(2 * 2) becomes 1 / sqrt(1 * 2); undirected, 1 / sqrt(3 * 2) becomes 1 / 2
    between = 0.6 if directed else 0.45
    network = Network([Layer([[0.0], [0.0]], [[1.0], [0.0]], [0.0, between], "gcn", "none")])
    query = make_query(network, graph, Threat(1, fragile=[(2, 0)]), 1)
    verdict = brute.verify(query)
    assert (verdict.label, verdict.status) == (1, "vulnerable")
    assert verdict.stats.fragile == 1


def test_brute_force_counts_loops_only_where_they_matter() -> None:
    graph = path(False, (1,))
    for how, expected in (("gcn", 2), ("sum", 3)):
        network = Network([Layer([[0.0], [0.0]], [[1.0], [0.0]], [0.0, 0.0], how, "none")])
        assert brute.verify(make_query(network, graph, Threat(0), 1)).stats.fragile == expected


def test_files_keep_gcn_layers(tmp_path) -> None:
    network = Network([Layer([[0.0], [1.0]], [[1.0], [0.0]], [0.0, 0.0], "gcn", "none")])
    network.save(tmp_path / "net.safetensors")
    assert Network.load(tmp_path / "net.safetensors").fingerprint == network.fingerprint
    with pytest.raises(ep.InputError, match="gcn"):
        network.save(tmp_path / "net.gnnx")


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_scores_are_those_of_pytorch_geometric(directed: bool, depth: int) -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    geometric = pytest.importorskip("torch_geometric.nn", reason="PyTorch Geometric is not installed")
    for seed in range(6):
        rng = np.random.default_rng((seed, depth, directed))
        n, widths = int(rng.integers(1, 9)), [3, *rng.integers(2, 5, depth).tolist()]
        torch.manual_seed(seed)
        convolutions = [geometric.GCNConv(*pair).double() for pair in pairwise(widths)]
        there = rng.random((n, n)) < 0.4
        np.fill_diagonal(there, rng.random(n) < 0.5)
        there = there if directed else np.triu(there) | np.triu(there).T
        graph = Graph(np.array(np.nonzero(there)), rng.normal(size=(n, 3)), directed=directed)
        x = torch.from_numpy(graph.features.dense())
        edges = torch.from_numpy(np.stack([graph.sources, graph.targets]))
        layers = []
        with torch.no_grad():
            for at, one in enumerate(convolutions, 1):
                one.bias.copy_(torch.from_numpy(rng.normal(size=one.bias.shape)))
                x = one(x, edges)
                x = x.relu() if at < depth else x
                A, b = one.lin.weight.numpy(), one.bias.numpy()
                layers.append(Layer(np.zeros_like(A), A, b, "gcn", "relu" if at < depth else "none"))
        assert np.allclose(Network(layers).scores(graph), x.numpy(), rtol=0, atol=1e-9)

"""Each bound of attention by itself, against every set of flips of random small graphs."""

from __future__ import annotations

from itertools import combinations, product

import flint
import numpy as np
import pytest

from attention_queries import attention_layer, random_attention, two_layers
from edgeproof.arithmetic.balls import ball_scores
from edgeproof.arithmetic.decide import Decider
from edgeproof.arithmetic.float64 import evaluate
from edgeproof.arithmetic.receptive_field import find_field
from edgeproof.clock import UNLIMITED
from edgeproof.engines import brute
from edgeproof.model.graph import Graph
from edgeproof.model.network import Layer, Network
from edgeproof.model.query import Query, make_query
from edgeproof.model.threat import Threat
from edgeproof.search.attention.branch import NoBoundError, Node, TwoLayers
from edgeproof.search.attention.messages import first_messages
from edgeproof.search.attention.options import MOST_SETS, Around, Options, VertexBounds
from edgeproof.search.attention.program import FIXED, MAY_COME, MAY_GO, best_shape, exponents
from edgeproof.search.attention.rows import LastRows, last_rows
from edgeproof.search.deadline import Alarm

SEED = 28
ROOT = Node(frozenset(), frozenset())


def around(query: Query, v: int, rng: np.random.Generator) -> Around:
    """v itself is fixed, others are fixed or in doubt."""
    n = query.graph.num_vertices
    others = [u for u in rng.permutation(n).tolist() if u != v]
    cut = int(rng.integers(0, min(2, len(others)) + 1))
    doubtful = others[cut:]
    return Around(
        np.array([v, *others[:cut]]), np.array(doubtful, dtype=np.int64), rng.integers(2, size=len(doubtful)),
        rng.integers(1, 3, size=len(doubtful)), np.arange(len(doubtful)),
    )  # fmt: skip


def rows_after(query: Query, rows: LastRows, v: int, senders: list[int]) -> np.ndarray:
    """The rows times the hidden row of v where exactly these send to it, by the reference evaluation."""
    first = query.network.layers[0]
    edges = np.array([[u for u in senders if u != v], [v] * sum(u != v for u in senders)], dtype=np.int64)
    graph = Graph(edges.reshape(2, -1), query.graph.features.dense(), directed=True)
    twice = Layer(
        np.concatenate([first.C] * 2), np.concatenate([first.A] * 2), np.concatenate([first.b] * 2), "attention",
        first.activation, first.slope, first.attention,
    )  # fmt: skip
    hidden = evaluate(Network([twice]), graph)[v, : first.width_out]  # a network has two classes at least
    return rows.weight @ hidden + rows.bias


def bounds_of(query: Query, most_sets: int) -> tuple[VertexBounds, LastRows]:
    layer = query.network.layers[0]
    rows = last_rows(query, np.array(query.rivals))
    messages = first_messages(query.network, query.graph)
    return VertexBounds(layer, layer.bends.copy(), messages, rows, most_sets), rows


def sets_of(where: Around, most: int, most_cost: int) -> list[tuple[int, ...]]:
    every = [flips for k in range(most + 1) for flips in combinations(range(where.doubtful.size), k)]
    return [flips for flips in every if sum(where.costs[t] for t in flips) <= most_cost]


def senders_after(where: Around, flips: tuple[int, ...]) -> list[int]:
    heard = [u for t, u in enumerate(where.doubtful.tolist()) if where.there[t] != (t in flips)]
    return [*where.fixed.tolist(), *heard]


def in_bounds(found: Options, option: int, rows: LastRows, value: np.ndarray, is_target: bool, room: float) -> bool:
    L, R = rows.channels, rows.rivals.size
    inside = (found.low[option] - room <= value[:L]).all() and (value[:L] <= found.high[option] + room).all()
    inside &= (value[L : L + R] <= found.lead[option] + room).all()
    if is_target:
        inside &= (found.to_low[option] - room <= value[L + R : 2 * L + R]).all()
        inside &= (value[L + R : 2 * L + R] <= found.to_high[option] + room).all()
        inside &= (value[2 * L + R :] <= found.extra[option] + room).all()
    return bool(inside)


@pytest.mark.parametrize("seed", range(SEED, SEED + 40))
def test_every_set_of_flips_has_its_option(seed: int) -> None:
    query, rng = two_layers(seed), np.random.default_rng(seed)
    v, is_target = int(rng.integers(query.graph.num_vertices)), bool(rng.random() < 0.5)
    where, most, most_cost = around(query, v, rng), int(rng.integers(0, 4)), int(rng.integers(0, 6))
    if is_target:
        where, most_cost = where._replace(costs=np.ones_like(where.costs)), most
    bounds, rows = bounds_of(query, MOST_SETS)
    found = bounds.make(v, where, most, most_cost, is_target=is_target)
    assert found is not None
    every = sets_of(where, most, most_cost)
    assert [tuple(flips.tolist()) for flips in found.flips] == sorted(every)
    for option, flips in enumerate(sorted(every)):
        value = rows_after(query, rows, v, senders_after(where, flips))
        assert found.size[option] == len(flips)
        assert found.cost[option] == sum(where.costs[t] for t in flips)
        # the reference rounds too, so the exact value lies within this of it
        assert in_bounds(found, option, rows, value, is_target, 1e-11 * (1.0 + abs(value).max())), (seed, flips)
        assert (abs(found.high[option] - found.low[option]) < 1e-6 * (1.0 + abs(value).max())).all()


@pytest.mark.parametrize("seed", range(SEED, SEED + 60))
def test_linear_bounds_hold_for_every_set_of_flips(seed: int) -> None:
    query, rng = two_layers(seed), np.random.default_rng(seed)
    v, is_target = int(rng.integers(query.graph.num_vertices)), bool(rng.random() < 0.5)
    where, most = around(query, v, rng), int(rng.integers(1, 4))
    bounds, rows = bounds_of(query, 0)
    most_cost = most if is_target else 2 * most
    found = bounds.make(v, where, most, most_cost, is_target=is_target)
    if found is None:
        A = query.network.layers[0].A
        assert A.shape[0] != A.shape[1] or (np.eye(len(A)) != A).any()
        return
    most = min(most, where.doubtful.size)
    costs = np.ones_like(where.costs) if is_target else where.costs
    for flips in sets_of(where._replace(costs=costs), most, most_cost):
        value, paid = rows_after(query, rows, v, senders_after(where, flips)), sum(costs[t] for t in flips)
        for option in np.flatnonzero(found.cost >= paid).tolist():
            assert in_bounds(found, option, rows, value, is_target, 1e-9 * (1.0 + abs(value).max())), (seed, flips)


def exact_hidden_row(query: Query, v: int, senders: list[int]) -> list[flint.arb]:
    """In balls of 300 bits."""
    first = query.network.layers[0]
    edges = np.array([[u for u in senders if u != v], [v] * sum(u != v for u in senders)], dtype=np.int64)
    graph = Graph(edges.reshape(2, -1), query.graph.features.dense(), directed=True)
    twice = Layer(
        np.concatenate([first.C] * 2), np.concatenate([first.A] * 2), np.concatenate([first.b] * 2), "attention",
        first.activation, first.slope, first.attention,
    )  # fmt: skip
    network = Network([twice])  # a network has two classes at least
    field = find_field(graph, network.layers, v, (), degrees=False)
    return ball_scores(network, graph, field, 300, UNLIMITED)[: first.width_out]


def exact_leads(query: Query, h: list[flint.arb]) -> list[flint.arb]:
    """g of each rival, from the weights of the last layer as they are stored."""
    last = query.network.layers[-1]
    attention, label = last.attention, query.claim.label
    assert attention is not None
    arb = flint.arb
    sent = [
        sum((arb(x) * y for x, y in zip(row, h, strict=True)), arb(bias))
        for row, bias in zip(attention.values[0].tolist(), attention.values_bias[0].tolist(), strict=True)
    ]
    scores = [sum((arb(x) * y for x, y in zip(row, sent, strict=True)), arb(0)) for row in last.A.tolist()]
    scores = [x + arb(bias) for x, bias in zip(scores, last.b.tolist(), strict=True)]
    return [scores[rival] - scores[label] for rival in query.rivals]


@pytest.mark.parametrize("seed", range(SEED, SEED + 20))
def test_what_rounds_is_in_the_bounds(seed: int) -> None:
    """Without any room: a bound that forgot rounding would be off by the last bit."""
    query, rng = two_layers(seed), np.random.default_rng(seed)
    v = int(rng.integers(query.graph.num_vertices))
    where = around(query, v, rng)
    bounds, rows = bounds_of(query, MOST_SETS)
    found = bounds.make(v, where, 2, 4, is_target=False)
    assert found is not None
    for option, flips in enumerate(found.flips[:20]):
        with flint.ctx.workprec(300):
            leads = exact_leads(query, exact_hidden_row(query, v, senders_after(where, tuple(flips.tolist()))))
        for lead, bound in zip(leads, found.lead[option].tolist(), strict=True):
            assert not lead > flint.arb(bound), (seed, flips)
    assert rows.rivals.size == len(leads)


@pytest.mark.parametrize("seed", range(SEED, SEED + 30))
def test_the_program_is_no_less_than_any_choice(seed: int) -> None:
    """Tables of single options, so that the program's bound is the largest of all choices."""
    rng = np.random.default_rng(seed)
    count, budget, channels = int(rng.integers(1, 4)), int(rng.integers(0, 3)), int(rng.integers(1, 3))
    kinds = rng.choice([FIXED, MAY_GO, MAY_COME], size=count).astype(np.int64)
    factor, slope = rng.normal(size=channels), 0.2
    sizes = rng.integers(1, 4, size=count)
    ptr = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    low, lead = rng.normal(size=(ptr[-1], channels)), rng.normal(size=ptr[-1])
    cost = np.concatenate([np.sort(rng.integers(0, 4, size=n)) * (np.arange(n) > 0) for n in sizes]).astype(np.int64)
    size = (cost + 1) // 2
    own_size = np.arange(budget + 1)
    own, to = rng.normal(size=(2, budget + 1, channels))
    own_lead, own_extra = rng.normal(size=(2, budget + 1))
    reference, halves = rng.normal(size=channels), 2 * budget + 1
    choice = np.zeros((count, budget + 1, halves), dtype=np.int64)
    picked = np.zeros(count, dtype=np.int64)
    value, flips, chosen = best_shape(
        ptr, low, low, lead, cost, size, np.full(count, 9), kinds, own, own, to, to, own_lead, own_extra, own_size,
        reference, factor, slope, budget, 0, budget + 1, np.zeros((count, halves)),
        np.zeros((count, halves), dtype=np.int64), np.zeros((budget + 1, halves)), np.zeros((budget + 1, halves)),
        choice, np.zeros(channels), np.zeros(channels), picked,
    )  # fmt: skip

    def weight(added: np.ndarray, at: np.ndarray) -> float:
        ends = [np.maximum(x + at, slope * (x + at)) for x in (added, reference)]
        return float(np.exp(((ends[0] - ends[1]) * factor).sum()))

    best = -np.inf
    for at_target in range(budget + 1):
        ways = [[None, *range(ptr[u], ptr[u + 1])] for u in range(count)]
        for way in product(*ways):
            used = sum(
                (kinds[u] == MAY_GO and way[u] is None) or (kinds[u] == MAY_COME and way[u] is not None)
                for u in range(count)
            )
            if any(kinds[u] == FIXED and way[u] is None for u in range(count)) or used != at_target:
                continue
            if sum(cost[o] for o in way if o is not None) > 2 * (budget - at_target):
                continue
            total = weight(own[at_target], to[at_target]) * (own_lead[at_target] + own_extra[at_target])
            for option in way:
                if option is not None and size[option] <= budget - at_target:
                    total += weight(low[option], to[at_target]) * (lead[option] + own_extra[at_target])
                elif option is not None:
                    total = -np.inf
            best = max(best, total)
    if best == -np.inf:
        assert value < -1e299
        return
    assert best <= value <= best + 1e-8 * (1.0 + abs(best))
    assert chosen == flips


def test_what_is_not_a_number_is_never_pruned() -> None:
    one, zero = np.ones((1, 1)), np.zeros(1)
    for lead in (np.array([np.nan, -1.0]), np.array([-1.0, np.nan])):
        low = np.zeros((2, 1))
        value, _, _ = best_shape(
            np.array([0, 1, 2]), low, low, lead, np.zeros(2, dtype=np.int64), np.zeros(2, dtype=np.int64),
            np.full(2, 9), np.zeros(2, dtype=np.int64), one, one, one, one, -np.ones(1), zero,
            np.zeros(1, dtype=np.int64), zero, np.ones(1), 0.2, 0, 0, 1, np.zeros((2, 1)),
            np.zeros((2, 1), dtype=np.int64), np.zeros((1, 1)), np.zeros((1, 1)), np.zeros((2, 1, 1), dtype=np.int64),
            np.zeros(1), np.zeros(1), np.zeros(2, dtype=np.int64),
        )  # fmt: skip
        assert not value <= 0.0


@pytest.mark.parametrize("seed", range(SEED, SEED + 60))
def test_no_attack_lies_below_a_node_whose_bound_is_not_positive(seed: int) -> None:
    """At random nodes: some flips decided. The bound alone, without what branch and bound makes of it."""
    query, rng = two_layers(seed), np.random.default_rng(seed)
    budget = query.threat.budget
    assert budget is not None
    decider = Decider(query.network, query.graph)
    with Alarm() as alarm:
        search = TwoLayers(query, alarm, None, most_sets=int(rng.choice([0, 3, MOST_SETS])) or 1)
        numbers = rng.permutation(len(search.pairs)).tolist()
        node = ROOT
        if rng.random() < 0.5 and numbers:
            node = Node(frozenset(numbers[:1]), frozenset(numbers[1:2]))
        room = brute._LocalBudgets(query)
        open_pairs = [k for k in numbers if k not in node.flipped and k not in node.kept]
        admissible = []
        for size in range(budget - len(node.flipped) + 1):
            for chosen in combinations(open_pairs, size):
                flips = [search.pairs[k] for k in sorted({*chosen, *node.flipped})]
                affordable = True
                for pair in flips:
                    affordable &= room.allows(pair)
                    room.pay(pair)
                for pair in flips:
                    room.pay(pair, -1)
                if affordable:
                    admissible.append(flips)
        if not all(room.allows(search.pairs[k]) for k in node.flipped):
            return
        for rival in range(search._rows.rivals.size):
            number = int(search._rows.rivals[rival])
            try:
                bound = search.bound(node, rival, budget)
            except NoBoundError:
                return
            if bound.value <= 0.0:
                for flips in admissible:
                    assert decider.rival(None if query.claim.node is None else query.claim.node, query.claim.label,
                                         [number], flips, alarm) is None, (seed, flips)  # fmt: skip


@pytest.mark.parametrize("seed", range(SEED, SEED + 30))
def test_a_flip_between_two_neighbours_is_charged_to_both_within_one_unit(seed: int) -> None:
    """In a triangle at the target the claim just breaks when the far edge goes: what both its ends do is needed."""
    rng = np.random.default_rng(seed)
    attention = random_attention(rng, 2, 2, 2)
    first = attention_layer(rng, 2, attention, "elu")
    last = random_attention(rng, first.width_out, 1, 2, mean=False)
    edges = np.array([[0, 0, 1, 2, 1, 3], [1, 2, 2, 3, 3, 0]])
    graph = Graph(np.concatenate([edges, edges[::-1]], axis=1), rng.normal(size=(4, 2)), directed=False)

    def network(bias: float) -> Network:
        end = Layer(np.zeros((2, first.width_out)), np.eye(2), [bias, 0.0], "attention", "none", attention=last)
        return Network([first, end])

    leads = [np.subtract(*network(0.0).scores(one, 0)) for one in (graph, graph.flip([(1, 2)]))]
    change = float(leads[1] - leads[0])
    label = int(change > 0.0)  # whose lead falls
    bias = -float(leads[1]) + (1 if label else -1) * 0.01 * abs(change)
    claim = make_query(network(bias), graph, Threat(1, fragile=[(1, 2)]), 0, label)
    with Alarm() as alarm:
        bound = TwoLayers(claim, alarm, None).bound(ROOT, 0, 1)
    assert bound.value > 0.0
    assert brute.verify(claim).status == "vulnerable"


def test_exponents_hold_for_all_points_of_the_intervals() -> None:
    rng = np.random.default_rng(SEED)
    for _ in range(200):
        channels, slope = int(rng.integers(1, 4)), float(rng.choice([0.0, 0.2, 1.0]))
        low, to_low, reference, factor = rng.normal(size=(4, channels))
        high, to_high = low + rng.random(channels), to_low + rng.random(channels)
        least, most = exponents(low, high, to_low, to_high, reference, factor, slope)
        for _ in range(20):
            sender = np.where(rng.random(channels) < 0.5, low, high)
            at = np.where(rng.random(channels) < 0.5, to_low, to_high)
            ends = [np.maximum(x + at, slope * (x + at)) for x in (sender, reference)]
            assert least <= ((ends[0] - ends[1]) * factor).sum() <= most

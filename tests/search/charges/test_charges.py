"""No set of deletions costs more of a margin than its edges are charged: all sets, class by class, on small graphs."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import pytest

from charged_queries import draw
from edgeproof import Graph, Layer, Network, Threat
from edgeproof.model.graph import Pair
from edgeproof.model.query import Query, make_query
from edgeproof.search.base.evaluator import FlipEvaluator
from edgeproof.search.charges import assemble
from edgeproof.search.charges.assemble import Charges
from edgeproof.search.charges.norms import row_lengths
from edgeproof.search.charges.question import Question
from edgeproof.search.charges.top import Bound, Top
from edgeproof.search.charges.two import ends_of

CASES = 60


def bounds_of(query: Query, each: int) -> tuple[list[list[Bound]], Top, FlipEvaluator]:
    assert query.threat.budget is not None
    question = Question(query, None)
    margins = -question.evaluator.margins(())[0]
    charges = Charges(
        query, question.view, question.norms, query.threat.budget, each, abs(margins) + 1e-3, question.status,
        question.near,
    )  # fmt: skip
    charges.collect()
    top = Top(charges, question.edges.reverse, question.edges.target, margins)
    return [top.bounds(rival) for rival in range(len(margins))], top, question.evaluator


def most_at_one_vertex(flips: tuple[Pair, ...], directed: bool) -> int:
    ends = Counter(v for flip in flips for v in (flip[1:] if directed else flip))
    return max(ends.values(), default=0)


def least_margin(bound: Bound, numbers: list[int | None]) -> float:
    """What is left of the margin when these edges go; None: one that is not listed."""
    left = bound.margin
    for at in numbers:
        if at is None:
            left -= bound.rest
        elif at < bound.near.size:
            left -= bound.near[at]
        else:
            left -= bound.far[at - bound.near.size]
    return float(left)


@pytest.mark.parametrize("crude", [0.0, 0.05, 1e9])
def test_no_set_of_deletions_costs_more_than_it_is_charged(
    crude: float, pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(assemble, "CRUDE", crude)
    checked = 0
    for seed in range(max(CASES, pytestconfig.getoption("--campaign") // 50)):
        query = draw(seed)
        graph, node = query.graph, query.claim.node
        assert query.threat.budget is not None
        each = 1 + seed % query.threat.budget
        bounds, top, evaluator = bounds_of(query, each)
        number = {}
        for at, slot in enumerate(top.slots.tolist()):
            number[graph.pair(int(graph.sources[slot]), int(graph.targets[slot]))] = at
        for size in range(query.threat.budget + 1):
            for flips in itertools.combinations(graph.edge_pairs(), size):
                if most_at_one_vertex(flips, graph.directed) > each:
                    continue
                margins = -evaluator.margins(flips)[0]
                into = sum(v == node or (not graph.directed and u == node) for u, v in flips)
                for rival, found in enumerate(bounds):
                    least = least_margin(found[into], [number.get(pair) for pair in flips])
                    checked += 1
                    slack = 1e-9 * (1 + abs(margins[rival]) + abs(least))
                    assert margins[rival] >= least - slack, f"seed {seed}, flips {flips}, rival {rival}"
    assert checked > 1000


def test_no_set_that_is_gathered_at_one_vertex_leaves_less(pytestconfig: pytest.Config) -> None:
    checked = apart = 0
    for seed in range(300, 300 + max(CASES, pytestconfig.getoption("--campaign") // 50)):
        query = draw(seed)
        graph, node, budget = query.graph, query.claim.node, query.threat.budget
        assert budget is not None
        for each in range(2, budget + 1):
            bounds, top, evaluator = bounds_of(query, each)
            targets = np.repeat(np.arange(graph.num_vertices), np.diff(graph.in_ptr))
            ends = ends_of(top.slots, graph.sources, targets, graph.directed)[top.into :]
            left = [[bound.left_if_gathered(each, ends) for bound in found] for found in bounds]
            for rival, found in enumerate(bounds):
                for bound, least in zip(found, left[rival], strict=True):
                    assert bound.left_crudely <= bound.left + 1e-9 * (1 + abs(bound.left))
                    apart += least > bound.left + 1e-6
            for size in range(each, budget + 1):
                for flips in itertools.combinations(graph.edge_pairs(), size):
                    if most_at_one_vertex(flips, graph.directed) != each:
                        continue
                    margins = -evaluator.margins(flips)[0]
                    into = sum(v == node or (not graph.directed and u == node) for u, v in flips)
                    for rival in range(len(bounds)):
                        least = left[rival][into]
                        checked += 1
                        slack = 1e-9 * (1 + abs(margins[rival]) + abs(least))
                        assert margins[rival] >= least - slack, f"seed {seed}, flips {flips}, rival {rival}"
    assert checked > 1000
    assert apart > 10  # it says more than the sum of the largest charges


def test_charges_of_single_edges_are_tight_where_nothing_else_can_change() -> None:
    """At budget 1, on paths, where no vertex hears a change by two ways, most charges are what the deletion costs."""
    rng = np.random.default_rng(5)
    gaps = []
    for _ in range(20):
        ends = np.array([[0, 1, 2, 3], [1, 2, 3, 4]])
        graph = Graph(np.concatenate([ends, ends[::-1]], axis=1), rng.normal(size=(5, 3)), directed=False)
        widths = ((4, 3), (4, 4), (2, 4))
        layers = [
            Layer(
                rng.normal(size=s), rng.normal(size=s), rng.normal(size=s[0]), "mean", "relu" if s[0] == 4 else "none"
            )
            for s in widths
        ]
        query = make_query(Network(layers), graph, Threat(1), 0)
        bounds, top, evaluator = bounds_of(query, 1)
        for at, slot in enumerate(top.slots.tolist()):
            flips = (graph.pair(int(graph.sources[slot]), int(graph.targets[slot])),)
            margin = -evaluator.margins(flips)[0][0]
            gaps.append(margin - least_margin(bounds[0][int(at < top.into)], [at]))
    assert min(gaps) > -1e-9
    assert np.median(gaps) < 1e-9


@pytest.mark.parametrize("power", [0, -300, -520, -600, -1000, -1074, 300])
def test_lengths_are_never_too_short(power: int) -> None:
    rows = np.ldexp(np.random.default_rng(7).normal(size=(50, 6)), power)
    for row, length in zip(rows, row_lengths(rows).tolist(), strict=True):
        assert length >= math.hypot(*row)
        assert length <= math.hypot(*row) * (1.0 + 1e-8) + 2.0**-499

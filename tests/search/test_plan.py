"""What is expensive waits until a query has proved hard enough for it."""

from __future__ import annotations

import numpy as np
import pytest

import edgeproof as ep
from edgeproof.network import Layer, Network, Readout
from edgeproof.options import resolve
from edgeproof.problem import compile_problem
from edgeproof.query import make_query
from edgeproof.search.portfolio import Portfolio
from edgeproof.search.run import FINISHED, TIGHTEN, run
from edgeproof.search.solve import SHARE_AFTER, Search
from edgeproof.search.state import ACTION, EVALUATION_WORK, EVALUATIONS, LIMIT, TIGHTENINGS, USED, WORK

BUDGET = 4


def long_search(threads: int = 1) -> Search:
    """Robust by a wide margin, with bounds that cannot see it: the tree of all graphs within the budget."""
    random = np.random.default_rng(5)
    layers = [Layer(*(random.normal(size=(4, width)) for _ in range(2)), np.zeros(4), "max") for width in (3, 4)]
    network = Network(layers, Readout(random.normal(size=(2, 4)), [1000.0, 0.0], "sum"))
    ring = [(v, (v + step) % 8) for v in range(8) for step in (1, -1)]
    graph = ep.Graph(np.array(ring).T, random.normal(size=(8, 3)), directed=False)
    query = make_query(network, graph, ep.Threat(BUDGET, insert=True))
    options = resolve({"lines": False, "last_flip": False, "budget_boxes": False, "interplay": False})
    return Search(compile_problem(query, options, BUDGET), BUDGET, options, threads)


@pytest.fixture
def beams(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The widths that are tried; nothing is found with them."""
    tried: list[int] = []
    monkeypatch.setattr(Portfolio, "search", lambda self, budget, width: tried.append(width))
    return tried


def test_wide_beams_wait_for_as_much_work_as_they_take(beams: list[int]) -> None:
    search, seen = long_search(), {}
    search.state.boxes[:] = np.nan  # no bound prunes
    while 600 not in beams:
        before = len(beams)
        assert search.run(node_limit=search.nodes + 500, first_only=True) == "node limit"
        seen.update(dict.fromkeys(beams[before:], search.state.tally.copy()))
    assert beams == [1, 5, 24, 100, 600]
    for width in (100, 600):
        tally = seen[width]
        price = tally[EVALUATION_WORK] / max(tally[EVALUATIONS], 1)
        assert tally[WORK] >= width * tally[LIMIT] * 28 * max(price, 1.0)
    assert seen[600][WORK] > seen[100][WORK]


def test_threads_do_not_wait_for_them(beams: list[int]) -> None:
    search = long_search(threads=2)
    search.state.boxes[:] = np.nan
    search.run(node_limit=3000, first_only=True)
    assert search.nodes >= SHARE_AFTER
    assert beams == [1, 5, 24]


def test_nothing_is_tightened_where_no_flip_is_left() -> None:
    """An attack that is found while a node is being tightened may leave less budget than the node has spent."""
    random = np.random.default_rng(7)
    layers = [Layer(*(random.normal(size=(3, 3)) for _ in range(2)), np.zeros(3), "mean") for _ in range(3)]
    ring = [(v, (v + step) % 8) for v in range(8) for step in (1, -1)]
    graph = ep.Graph(np.array(ring).T, random.normal(size=(8, 3)), directed=False)
    query = make_query(Network(layers), graph, ep.Threat(BUDGET), node=0)
    options = resolve({"tighten_at_once": True, "attacks": False})
    search = Search(compile_problem(query, options, BUDGET), BUDGET, options)
    search._take(search._plan.pop(0))
    tally, most = search.state.tally, np.iinfo(np.int64).max
    bundles = search._problem, search._state, search._lines, search._far, search._near, search._interplay
    while not (tally[ACTION] == TIGHTEN and tally[USED] > 1):
        assert run(*bundles, search.options, 1, most) != FINISHED
    tally[LIMIT] = 0
    done = tally[TIGHTENINGS]
    while run(*bundles, search.options, 1, most) != FINISHED:
        pass
    assert tally[TIGHTENINGS] == done

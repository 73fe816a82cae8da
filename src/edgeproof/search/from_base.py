"""Questions that are answered from the values of the whole graph, without a search tree: where much can matter.

Compiling a question and keeping rows a slot costs as much as all that the charges look at; their own cost grows with
the same, but is spent on matrix products.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from ..model.graph import Graph
from ..model.network import Layer, Network
from ..model.query import Query, make_query
from ..model.threat import Threat
from ..model.verdict import Radius, Stats, Verdict
from .answers import radius_of, verdict_of
from .base.values import holds, knows
from .deadline import Alarm
from .radius import Progress
from .room import base_bytes, fits
from .strategy import exploration

if TYPE_CHECKING:
    from .charges.question import Answer, Question

# edges that can matter times width: what charges begin to pay off at
LARGE = 1 << 21


def applies_to(query: Query) -> bool:
    """Whether charges can answer: deletions around a node, two or three layers of sums, means or GCN, linear scores."""
    layers = query.network.layers
    kinds = {str(layer.aggregation) for layer in layers}
    if len(layers) not in (2, 3) or "max" in kinds or any(layer.is_dense for layer in layers):
        return False
    return knows(query.network) and lengths_apply_to(query)


def lengths_apply_to(query: Query) -> bool:
    """Whether lengths can: deletions around a node, two layers or more of any kind, linear scores."""
    network, threat = query.network, query.threat
    if query.claim.node is None or threat.insert or threat.fragile is not None or not threat.delete:
        return False
    if not holds(network) or len(network.layers) < 2 or not network.layers[-1].is_linear:
        return False
    return query.graph.num_loops == 0


def prepare(query: Query, options: Mapping[str, bool], memory: float | None) -> None:
    """Load what charges need, before any clock runs, if they are going to be asked."""
    if _chosen(query, options, memory):
        warm_up_charges()
        if not applies_to(query):
            warm_up_lengths()


@cache
def warm_up_charges() -> None:
    """Load the kernels of charges, or compile them, on five vertices."""
    layers = [Layer([[0.0]], [[1.0]], [0.5], "gcn", "relu"), Layer([[0.0]], [[1.0]], [0.5], "gcn", "relu")]
    last = Layer([[0.0], [0.0]], [[1.0], [-1.0]], [0.0, 0.0], "gcn", "none")
    ends = np.array([[0, 1, 2, 3], [1, 2, 3, 4]])
    graph = Graph(np.concatenate([ends, ends[::-1]], axis=1), np.ones((5, 1)), directed=False)
    for some in (layers, layers[1:]):
        small = make_query(Network([*some, last]), graph, Threat(2), 1, label=0)
        with Alarm() as alarm:
            question = _ask(small, alarm)
            for budget in (1, 2):
                question.decide(budget)


@cache
def warm_up_lengths() -> None:
    """The same of lengths, on three."""
    first, second = (Layer([[0.0]], [[1.0]], [0.5], how, "relu") for how in ("gcn", "max"))
    last = Layer([[0.0], [0.0]], [[1.0], [-1.0]], [0.0, 0.0], "gcn", "none")
    graph = Graph([[0, 1, 1, 2], [1, 0, 2, 1]], np.ones((3, 1)), directed=False)
    with Alarm() as alarm:
        _ask(make_query(Network([first, second, last]), graph, Threat(1), 1, label=0), alarm).decide(1)


def _ask(query: Query, alarm: Alarm) -> Question:
    if applies_to(query):
        from .charges.question import Question

        return Question(query, alarm)
    from .lengths.question import LengthQuestion

    return LengthQuestion(query, alarm)


def _chosen(query: Query, options: Mapping[str, bool], memory: float | None) -> bool:
    if not options["charges"] or not lengths_apply_to(query):
        return False
    return (options["charges_at_once"] or _is_large(query)) and fits(base_bytes(query), memory)


def _is_large(query: Query) -> bool:
    """Whether so much can matter that it is worth going through the whole graph once."""
    graph, width = query.graph, max(query.network.widths[1:])
    if graph.sources.size * width < LARGE:
        return False
    assert query.claim.node is not None
    near = np.array([query.claim.node])
    for _ in range(len(query.network.layers) - 1 + query.network.normalises):
        near = np.union1d(near, graph.edges_into(near)[0])
        if int((graph.in_ptr[near + 1] - graph.in_ptr[near]).sum()) * width >= LARGE:
            return True
    return False


def by_charges(
    query: Query, options: Mapping[str, bool], alarm: Alarm, started: float, memory: float | None
) -> Verdict | None:
    """The verdict, None where charges are not asked. Unknown for any reason but time: what they leave to the search."""
    if not _chosen(query, options, memory):
        return None
    question = _ask(query, alarm)
    budget = question.fragile if query.threat.budget is None else query.threat.budget
    answer = question.decide(budget)
    return verdict_of(query, answer.attack, answer.rival, answer.reason, _stats(answer, started))


def radius_by_charges(
    query: Query,
    options: Mapping[str, bool],
    alarm: Alarm,
    started: float,
    progress: Progress | None,
    memory: float | None,
) -> Radius | None:
    """Budget by budget, up to the first that has an attack, which then is a smallest one."""
    if not _chosen(query, options, memory) or not options["radius_from_below"]:
        return None
    question = _ask(query, alarm)
    most = question.fragile
    if query.threat.budget is not None:
        most = min(most, query.threat.budget)
    answer, lower = None, -1
    while lower < most:
        answer = question.decide(lower + 1)
        if not answer.robust:
            break
        lower += 1
        if progress is not None:
            progress(lower, None)
    assert answer is not None
    if answer.attack is not None and progress is not None:
        progress(lower, lower)
    return radius_of(
        query, lower, answer.attack, answer.rival, answer.reason, _stats(answer, started), robust=answer.robust
    )


def _stats(answer: Answer, started: float) -> Stats:
    return Stats(
        nodes=1,
        seconds=time.perf_counter() - started,
        leaves=1,
        fragile=answer.fragile,
        exploration=exploration(1, answer.fragile),
        evaluations=answer.evaluations,
        exact_checks=0,
        charged=True,
    )

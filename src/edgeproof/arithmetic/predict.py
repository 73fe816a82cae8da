"""The predicted class, right also where two scores are closer than rounding can tell.

Theory: "Rounding of an evaluation".
"""

from __future__ import annotations

import numpy as np

from ..clock import UNLIMITED, Clock
from ..model.arrays import FloatArray, IntArray
from ..model.graph import Graph
from ..model.memo import Memo
from ..model.network import Network
from .enclosure import bounded_everywhere
from .float64 import evaluate, neighbourhood, rough_error

# up to this size all vertices are evaluated at the first question, which takes less than a second
WHOLE = 20_000
# and where this much of a graph's edges lies around the node: a few such questions cost as much as all
MOST = 0.02


def _evaluate(network: Network, graph: Graph) -> tuple[FloatArray, FloatArray]:
    if network.attends:
        return bounded_everywhere(network, graph)
    return evaluate(network, graph), rough_error(network, graph)


_whole_graph: Memo[tuple[FloatArray, FloatArray]] = Memo(_evaluate)


def _certain_classes(network: Network, graph: Graph) -> IntArray:
    """Of every vertex, the class that wins beyond rounding; -1 where none does."""
    scores, error = np.broadcast_arrays(*_whole_graph(network, graph))
    best = scores.argmax(axis=1)
    at = np.arange(best.size), best
    with np.errstate(invalid="ignore", over="ignore"):
        low, high = scores[at] - error[at], scores + error
        high[at] = -np.inf
        bounded = np.isfinite(scores).all(axis=1) & np.isfinite(error).all(axis=1)
        return np.where(bounded & (high < low[:, None]).all(axis=1), best, -1)


_certain: Memo[IntArray] = Memo(_certain_classes)


def _scores_with_error(network: Network, graph: Graph, node: int | None) -> tuple[FloatArray, FloatArray]:
    """Scores of the node or graph in question, and a bound on the rounding of all of them."""
    if node is None or graph.num_vertices <= WHOLE:
        scores, error = _whole_graph(network, graph)
        return (scores, error) if node is None else (scores[node], error[node])
    known = _whole_graph.known(network, graph)
    if known is not None:
        return known[0][node], known[1][node]
    part, at = neighbourhood(network, graph, node)
    if part.sources.size > MOST * graph.sources.size:
        scores, error = _whole_graph(network, graph)
        return scores[node], error[node]
    scores, error = _evaluate(network, part)
    return scores[at], error[at]


def predicted_class(network: Network, graph: Graph, node: int | None, clock: Clock = UNLIMITED) -> int:
    """The class with the largest score, lowest index on ties.

    Two scores that rounding could swap are compared exactly: otherwise the default label of a tied
    vertex would depend on the order of summation.
    """
    if node is not None and graph.num_vertices <= WHOLE:
        known = int(_certain(network, graph)[node])
        if known >= 0:
            return known
    scores, error = _scores_with_error(network, graph, node)
    best, bounded = int(np.argmax(scores)), np.isfinite(scores).all() and np.isfinite(error).all()
    if bounded and (np.delete(scores + error, best) < scores[best] - error).all():
        return best
    from .decide import Decider

    return Decider(network, graph).largest(node, clock=clock)


def leading_class(network: Network, graph: Graph, node: int | None) -> int:
    """The class with the largest score in floating point: the prediction, unless rounding hides a tie."""
    return int(np.argmax(_scores_with_error(network, graph, node)[0]))


def holds_as_it_is(
    network: Network, graph: Graph, node: int | None, label: int, rivals: tuple[int, ...], clock: Clock = UNLIMITED
) -> bool:
    """Whether no rival scores more than the label in the graph without any flip."""
    scores, error = _scores_with_error(network, graph, node)
    low, high = scores - error, scores + error
    if np.isfinite(low).all() and np.isfinite(high).all():
        if all(high[rival] <= low[label] for rival in rivals):
            return True
        if any(low[rival] > high[label] for rival in rivals):
            return False
    from .decide import Decider

    return Decider(network, graph).rival(node, label, rivals, (), clock) is None

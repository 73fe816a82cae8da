"""The predicted class, right also where two scores are closer than rounding can tell."""

from __future__ import annotations

import numpy as np

from .arrays import FloatArray
from .evaluate import evaluate_with_error, neighbourhood
from .graph import Graph
from .memo import Memo
from .network import Network

# up to this size all vertices are evaluated at the first question, which takes less than a second
WHOLE = 20_000

_whole_graph: Memo[tuple[FloatArray, FloatArray]] = Memo(evaluate_with_error)


def scores_with_error(network: Network, graph: Graph, node: int | None) -> tuple[FloatArray, FloatArray]:
    """Scores of the node or graph in question, and a bound on the rounding of each."""
    if node is None:
        return evaluate_with_error(network, graph)
    if graph.num_vertices <= WHOLE:
        scores, error = _whole_graph(network, graph)
        return scores[node], error[node]
    part, at = neighbourhood(network, graph, node)
    scores, error = evaluate_with_error(network, part)
    return scores[at], error[at]


def predicted_class(network: Network, graph: Graph, node: int | None) -> int:
    """The class with the largest score, lowest index on ties.

    Two scores that rounding could swap are compared exactly: otherwise the default label of a tied
    vertex would depend on the order of summation.
    """
    scores, error = scores_with_error(network, graph, node)
    certain = np.isfinite(scores) & np.isfinite(error)
    best = int(np.argmax(scores))
    if certain.all() and (np.delete(scores + error, best) < scores[best] - error[best]).all():
        return best
    from .exact import exact_scores

    exact = exact_scores(network, graph, node)
    return max(range(len(exact)), key=lambda c: (exact[c], -c))

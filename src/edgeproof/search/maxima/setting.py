"""A question about a node under two layers, at least one of which takes a max of values that are nowhere negative.

Theory: "Flips at one vertex under a max", "Single flips under a max".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arithmetic.float64 import max_of_sparse, times
from ...model.arrays import FloatArray, IntArray
from ...model.graph import Graph
from ...model.memo import Memo
from ...model.network import Layer, Network
from ...model.query import Query
from ..base.gather import gather_largest
from ..base.layout import GATHERED, GCN, MAX, MEAN, OWN, OWN_ERROR, SENT, SENT_ERROR, SUM, Base
from ..base.values import base_values, view
from ..budget.layout import Stand, Star, make_stand
from ..budget.question import first_new, fold, guarded, insert_code, local_budgets

SPREAD = 32.0
# insertions at one vertex that envelopes know
MOST = 12


@dataclass(frozen=True)
class Whole:
    """What serves every node of a graph: (n, H) unless said otherwise.

    lift, drop: the most that one deletion at a vertex can add to what it hears, and take from it; under a max, that all
    of them can. rise, fall: (MOST + 1, H) the most that c insertions anywhere can add, and take.
    """

    first: int
    weight: FloatArray  # (features, H) of a first layer that takes a max
    own: FloatArray
    pre: FloatArray  # pre-activations as they are
    sent: FloatArray  # zeros under a max
    gathered: FloatArray
    lift: FloatArray
    drop: FloatArray
    rise: FloatArray
    fall: FloatArray


@dataclass(frozen=True)
class MaxQuestion:
    """The same fields as `budget.question.Question`, for `SizeSearch`."""

    query: Query
    star: Star
    base: Base
    slack: float
    most: int
    whole: Whole

    def stand(self) -> Stand:
        rows = 2 * (self.most + 1)
        return make_stand(self.star, self.base.heard, self.base.loop, self.whole.gathered, self.most, rows)


def applies_to(network: Network) -> bool:
    """Whether such a network is two layers of sums, means and maxima, at least one a max, with a linear output. What
    the second takes a max of has passed a ReLU; what the first takes a max of are features.
    """
    hearing = [number for number, layer in enumerate(network.layers) if not layer.is_dense]
    if network.task != "node" or len(hearing) != 2 or hearing[1] != hearing[0] + 1:
        return False
    kinds = [network.layers[number].aggregation.value for number in hearing]
    if "max" not in kinds or not set(kinds) <= {"max", "sum", "mean"} or (kinds[0] == "max" and hearing[0] != 0):
        return False
    if kinds[1] == "max" and (network.layers[hearing[0]].negative_slopes != 0.0).any():
        return False
    return all(layer.is_linear for layer in network.layers[hearing[1] :])


def make_max_question(query: Query, most: int) -> MaxQuestion | None:
    """None where this does not apply, or where numbers are too large for any bound; `most`: flips at most."""
    network, graph = query.network, query.graph
    if query.claim.node is None or not applies_to(network) or query.threat.fragile is not None or most > MOST:
        return None
    first = next(number for number, layer in enumerate(network.layers) if not layer.is_dense)
    base = base_values(network, graph)
    if base.loop.any() or (base.how[first] == MAX and (graph.features.values < 0.0).any()):
        return None
    keep, take, const, keep_size, take_size, const_size = fold(query, network.layers[first + 1 :])
    with np.errstate(over="ignore", invalid="ignore"):
        whole = _whole(network, graph)
        slack = _slack(base, first, whole, most, (keep_size, take_size, const_size))
    if not np.isfinite(slack):
        return None
    n, H = whole.pre.shape
    star = Star(
        n=n, H=H, R=len(query.rivals), node=query.claim.node, directed=int(graph.directed),
        first=int(base.how[first]), last=int(base.how[first + 1]),
        in_ptr=base.in_ptr, source=base.source, out_ptr=base.out_ptr, target=base.target,
        own=whole.own, sent=whole.sent, slope=base.slope[first, :H].copy(), keep=keep, take=take, const=const,
        delete=int(query.threat.delete), insert=insert_code(query.threat), fresh=first_new(query.threat, n),
        guarded=guarded(graph, query.threat), local=local_budgets(query.threat, n),
    )  # fmt: skip
    return MaxQuestion(query, star, base, slack, most, whole)


def _slack(base: Base, first: int, whole: Whole, most: int, sizes: tuple[FloatArray, FloatArray, FloatArray]) -> float:
    """How far a margin, or a bound of one, is off at most, with magnitudes of the largest vertex and degree."""
    keep_size, take_size, const_size = sizes
    bounds, degree = base.bounds[first], int(base.heard.max(initial=0))
    columns = whole.weight.shape[0] if base.how[first] == MAX else 0
    if base.how[first] == MAX:
        largest = float(abs(base.feature_value).max(initial=0.0))
        heard, error = float(base.norm[first, 1]) * largest, float(bounds[OWN_ERROR].max())
    else:
        heard = (degree + 8 * most + 8) * float(abs(whole.sent).max(initial=0.0))
        error = float(bounds[OWN_ERROR].max() + (degree + 4 * most + 4) * bounds[SENT_ERROR].max())
    size = float(abs(whole.own).max()) + 4.0 * heard
    unit = 2.0**-53 * (degree + 16 * most + columns + sum(base.width) + 64)
    weight = take_size.sum(axis=1) * (degree + most + 2) + keep_size.sum(axis=1)
    return float((SPREAD * (weight * (error + unit * size) + unit * const_size)).max()) + 1e-280


def _make_whole(network: Network, graph: Graph) -> Whole:
    base = base_values(network, graph)
    first = next(number for number, layer in enumerate(network.layers) if not layer.is_dense)
    layer, how = network.layers[first], int(base.how[first])
    n, H = base.n, layer.width_out
    own = view(base, first, OWN) if base.has_own[first] else np.broadcast_to(layer.b, (n, H)).copy()
    if how == MAX:
        plus, minus = np.maximum(layer.A, 0.0), np.maximum(-layer.A, 0.0)
        drop, lift = (max_of_sparse(Layer(0.0 * one, one, layer.b, "max", "none"), graph) for one in (plus, minus))
        falls = times(graph.features, np.ascontiguousarray(minus.T))
        rises = times(graph.features, np.ascontiguousarray(plus.T))
        sent, gathered, pre = np.zeros((n, H)), np.zeros((n, H)), own + drop - lift
        weight = layer.A.T.copy()
    else:
        sent, gathered = view(base, first, SENT), view(base, first, GATHERED)
        lift, drop = _largest_heard(base, -sent), _largest_heard(base, sent)
        rises, falls, weight = np.maximum(sent, 0.0), np.maximum(-sent, 0.0), np.zeros((1, 1))
        pre = own + scale_of(how, base.heard)[:, None] * gathered
    return Whole(first, weight, own, pre, sent, gathered, lift, drop, _sums(rises), _sums(falls))


def _largest_heard(base: Base, rows: FloatArray) -> FloatArray:
    out = np.zeros_like(rows)
    gather_largest(base.in_ptr, base.source, np.ascontiguousarray(rows), out)
    return np.maximum(out, 0.0)


def _sums(rows: FloatArray) -> FloatArray:
    """Sums of the c largest, a coordinate."""
    n, width = rows.shape
    kept = min(MOST, n)
    sums = np.zeros((MOST + 1, width))
    sums[1 : kept + 1] = -np.sort(-np.partition(rows, n - kept, axis=0)[n - kept :], axis=0)
    return np.cumsum(sums, axis=0)


def scale_of(how: int, count: FloatArray | IntArray | int) -> FloatArray:
    """What all that is heard is multiplied with."""
    assert how != GCN
    return 1.0 / np.maximum(count, 1.0) if how == MEAN else np.ones(np.shape(count))


_whole: Memo[Whole] = Memo(_make_whole)

__all__ = ["MAX", "MEAN", "SUM", "MaxQuestion", "Whole", "make_max_question", "scale_of"]

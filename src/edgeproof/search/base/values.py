"""Values of every vertex and layer, with bounds on their rounding error.

Errors are numbers a vertex and layer, in the largest norm: with |C| and |A| the largest row sums, what a layer makes of
entries that are off by e is off by at most (|C| + |A| times what is gathered) e, plus its own rounding, which is at
most `unit` times the magnitudes that it adds up. That is larger than an analysis coordinate by coordinate gives, by
the root of the width or so, and far below any margin that is not decided exactly anyway.

Theory: "Values of a flip set from the whole graph".
"""

from __future__ import annotations

import threading
from typing import NamedTuple

import numpy as np

from ...arithmetic.float64 import max_of_sparse, times
from ...arithmetic.padding import PAD
from ...arithmetic.transcendental import activate
from ...clock import UNLIMITED, Clock
from ...model.arrays import FloatArray
from ...model.graph import Graph
from ...model.memo import Memo
from ...model.network import Aggregation, Layer, Network
from .adjacency import Adjacency, make_adjacency
from .gather import gather_largest, gather_weighted
from .layout import (
    ALONE,
    BLOCKS,
    BOUNDS,
    GATHERED,
    GATHERED_ERROR,
    GATHERED_SIZE,
    GCN,
    HIDDEN,
    HIDDEN_ERROR,
    HIDDEN_SIZE,
    MAX,
    MEAN,
    OWN,
    OWN_ERROR,
    OWN_SIZE,
    SENT,
    SENT_ERROR,
    SENT_SIZE,
    SUM,
    Base,
)

_HOW = {Aggregation.SUM: SUM, Aggregation.MEAN: MEAN, Aggregation.MAX: MAX, Aggregation.GCN: GCN}
# more than the error bounds lose by being computed in floating point themselves
SPREAD = 2.0
# vertices between two looks at the clock
BLOCK = 1 << 14
# more than any underflow can cost
FAINT = 1e-290


def holds(network: Network) -> bool:
    """Whether values of the whole graph can be had of every layer."""
    return all(layer.is_dense or layer.aggregation in _HOW for layer in network.layers)


def knows(network: Network) -> bool:
    """The same for those who also ask for slopes: no activation is curved."""
    return not network.is_smooth and holds(network)


class _Input(NamedTuple):
    """What a layer takes: rows (None for the features), largest magnitude and error of a row's entries."""

    rows: FloatArray | None
    size: FloatArray
    error: FloatArray


def base_values(network: Network, graph: Graph, clock: Clock = UNLIMITED) -> Base:
    """Of a network that classifies vertices; made once, forgotten with the network or the graph. When time is up in
    between, layers that are finished stay, and whoever asks next goes on from there.
    """
    return _kept(network, graph).finish(network, graph, clock)


def how_of(layer: Layer) -> int:
    return ALONE if layer.is_dense else _HOW[layer.aggregation]


def view(base: Base, layer: int, kind: int) -> FloatArray:
    """(n, width): a block of a layer."""
    at, width = int(base.block[layer, kind]), int(base.width[layer + 1])
    return base.rows[at : at + base.n * width].reshape(base.n, width)


class _Build:
    """Layers up to `_done` are finished. It holds neither network nor graph, which would keep both alive."""

    def __init__(self, network: Network, graph: Graph) -> None:
        self._base = _lay_out(network, graph, make_adjacency(graph))
        held = graph.features
        self._given = _Input(None, _row_sizes(held.ptr, held.values), np.zeros(self._base.n))
        self._done, self._lock = 0, threading.Lock()

    def finish(self, network: Network, graph: Graph, clock: Clock) -> Base:
        with self._lock:
            while self._done < self._base.L:
                number = self._done
                self._given = _fill_layer(self._base, number, network.layers[number], graph, self._given, clock)
                self._done += 1
        return self._base


def _lay_out(network: Network, graph: Graph, around: Adjacency) -> Base:
    """Everything but values."""
    layers, n = network.layers, graph.num_vertices
    L, widths = len(layers), np.array(network.widths)
    how = np.array([how_of(layer) for layer in layers])
    raw, W = how[0] == MAX, int(max(widths[1:]))
    block, at = np.full((L, BLOCKS), -1), 0
    for number, layer in enumerate(layers):
        kept = [OWN] * bool(layer.C.any()) + [SENT, GATHERED] * (how[number] not in (ALONE, MAX)) + [HIDDEN]
        for kind in kept:
            block[number, kind] = at
            at += n * layer.width_out
    weights, weight_at = [np.zeros(1)], np.zeros((L, 2), dtype=np.int64)
    place = 1
    for number, layer in enumerate(layers[1:], 1):
        for which, weight in enumerate((layer.C, layer.A)):
            weight_at[number, which] = place
            weights.append(weight.T.ravel())
            place += weight.size
    bias, slope = np.zeros((L, W)), np.ones((L, W))
    for number, layer in enumerate(layers):
        bias[number, : layer.width_out] = layer.b
        slope[number, : layer.width_out] = layer.bends
    held = graph.features
    entries = int(np.diff(held.ptr).max(initial=0))
    norm = np.array([[_norm(one.C), _norm(one.A), abs(one.b).max()] for one in layers])
    terms = np.array([entries, *widths[1:-1]]) + around.most + 64
    return Base(
        n=n, L=L, W=W, directed=int(graph.directed), **around._asdict(),
        how=how, width=widths, depth=np.array([(how[number:] != ALONE).sum() for number in range(L + 1)]),
        weight=np.concatenate(weights), weight_at=weight_at,
        has_own=np.array([int(layer.C.any()) for layer in layers]), bias=bias, slope=slope, norm=norm,
        curves=np.array([int(layer.is_smooth) for layer in layers]),
        steep=np.array([[max(layer.steepest.max(), 1.0), layer.at_zero.max()] for layer in layers]),
        unit=SPREAD * terms * 2.0**-53, rows=np.zeros(at), block=block, bounds=np.zeros((L, BOUNDS, n)),
        feature_ptr=held.ptr.copy() if raw else np.zeros(1, dtype=np.int64),
        feature_column=held.columns.copy() if raw else np.zeros(1, dtype=np.int64),
        feature_value=held.values.copy() if raw else np.zeros(1),
        first=layers[0].A.T.copy() if raw else np.zeros((1, 1)),
    )  # fmt: skip


def _norm(weight: FloatArray) -> float:
    """Largest row sum of magnitudes, rounded up."""
    with np.errstate(over="ignore"):
        return float(abs(weight).sum(axis=1).max() * (1.0 + weight.shape[1] * 2.0**-52))


def _row_sizes(ptr: np.ndarray, values: FloatArray) -> FloatArray:
    out = np.zeros(ptr.size - 1)
    some = np.flatnonzero(np.diff(ptr))
    if some.size:
        out[some] = np.maximum.reduceat(abs(values), ptr[some])
    return out


def _fill_layer(base: Base, number: int, layer: Layer, graph: Graph, given: _Input, clock: Clock) -> _Input:
    """All blocks of a layer, from what the one before it gave; begun anew if time was up before."""
    clock.look()
    bounds, unit, how = base.bounds[number], base.unit[number], int(base.how[number])
    with np.errstate(
        over="ignore", invalid="ignore"
    ):  # what is not finite bounds nothing, and is not taken for a bound
        if base.has_own[number]:
            own = view(base, number, OWN)
            own[:] = _product(given, layer.C, graph) + layer.b
        else:
            own = np.broadcast_to(layer.b, (base.n, layer.width_out))
        clock.look()
        norm_c, norm_a, norm_b = base.norm[number]
        bounds[OWN_SIZE] = norm_c * given.size + norm_b
        bounds[OWN_ERROR] = norm_c * given.error + unit * bounds[OWN_SIZE] + FAINT
        heard, size, error = _hear(base, number, layer, graph, given, norm_a, clock)
        clock.look()
        pre = own if how == ALONE else own + heard
        hidden = view(base, number, HIDDEN)
        size = bounds[OWN_SIZE] + size
        bounds[HIDDEN_ERROR] = bounds[OWN_ERROR] + error + unit * size + FAINT
        if layer.is_smooth:
            steep, at_zero = base.steep[number]
            hidden[:] = activate(pre, layer.bends)
            bounds[HIDDEN_ERROR] = steep * bounds[HIDDEN_ERROR] + 2.0 * PAD * (size + at_zero)
        else:
            np.multiply(np.minimum(pre, 0.0), layer.negative_slopes, out=hidden)
            hidden += np.maximum(pre, 0.0)
        bounds[HIDDEN_SIZE] = abs(hidden).max(axis=1) + bounds[HIDDEN_ERROR]
    return _Input(hidden, bounds[HIDDEN_SIZE], bounds[HIDDEN_ERROR])


def _product(given: _Input, weight: FloatArray, graph: Graph) -> FloatArray:
    """weight @ h for every vertex."""
    if given.rows is None:
        return times(graph.features, np.ascontiguousarray(weight.T))
    return given.rows @ weight.T


def _hear(
    base: Base, number: int, layer: Layer, graph: Graph, given: _Input, norm: float, clock: Clock
) -> tuple[FloatArray | float, FloatArray, FloatArray]:
    """What a layer adds to `own`: values, and of each vertex's row a bound on magnitudes that were added up, and on
    the error from what was given and from gathering.
    """
    bounds, unit, how, n = base.bounds[number], base.unit[number], int(base.how[number]), base.n
    none = np.zeros(n)
    if how == ALONE:
        return 0.0, none, none
    if how == MAX:
        return _hear_largest(base, number, layer, graph, given, norm, clock)
    sent, gathered = view(base, number, SENT), view(base, number, GATHERED)
    sent[:] = _product(given, layer.A, graph)
    bounds[SENT_SIZE] = norm * given.size
    bounds[SENT_ERROR] = norm * given.error + unit * bounds[SENT_SIZE] + FAINT
    beta = 1.0 / np.sqrt(base.heard + 1.0) if how == GCN else np.ones(n)
    for start in range(0, n, BLOCK):
        clock.look()
        some = slice(start, min(start + BLOCK, n))
        gather_weighted(base.in_ptr[some.start : some.stop + 1], base.source, beta, sent, gathered[some])
    both = np.stack([bounds[SENT_SIZE], bounds[SENT_ERROR]], axis=1)
    summed = np.zeros_like(both)
    gather_weighted(base.in_ptr, base.source, beta, both, summed)
    bounds[GATHERED_SIZE] = summed[:, 0]
    bounds[GATHERED_ERROR] = summed[:, 1] + unit * summed[:, 0]
    alpha, kept = _scales(base, how, beta)
    heard = alpha[:, None] * (gathered + kept[:, None] * sent)
    size = alpha * (summed[:, 0] + kept * bounds[SENT_SIZE])
    return heard, size, alpha * (bounds[GATHERED_ERROR] + kept * bounds[SENT_ERROR])


def _scales(base: Base, how: int, beta: FloatArray) -> tuple[FloatArray, FloatArray]:
    """What a vertex multiplies with all that it hears, and before that with what it sends to itself."""
    if how == GCN:
        return beta, beta
    loop = base.loop.astype(np.float64)
    if how == MEAN:
        return 1.0 / np.maximum(base.heard + base.loop, 1), loop
    return np.ones(base.n), loop


def _hear_largest(
    base: Base, number: int, layer: Layer, graph: Graph, given: _Input, norm: float, clock: Clock
) -> tuple[FloatArray, FloatArray, FloatArray]:
    n = base.n
    ends = np.stack([given.size, given.error], axis=1)
    most = np.zeros_like(ends)
    gather_largest(base.in_ptr, base.source, ends, most)
    most = np.where(base.loop[:, None] > 0, np.maximum(most, ends), most)
    if given.rows is None:
        heard = max_of_sparse(layer, graph)
    else:
        largest = np.zeros((n, layer.width_in))
        for start in range(0, n, BLOCK):
            clock.look()
            some = slice(start, min(start + BLOCK, n))
            gather_largest(base.in_ptr[some.start : some.stop + 1], base.source, given.rows, largest[some])
        looped = base.loop[:, None] > 0
        largest = np.where(looped & (base.heard[:, None] > 0), np.maximum(largest, given.rows), largest)
        largest = np.where(looped & (base.heard[:, None] == 0), given.rows, largest)
        heard = largest @ layer.A.T
    size = norm * most[:, 0]
    return heard, size, norm * most[:, 1] + base.unit[number] * size


_kept: Memo[_Build] = Memo(_Build)

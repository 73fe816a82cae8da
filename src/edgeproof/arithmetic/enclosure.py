"""Scores in float64 with a proved bound on their rounding: the receptive field, layer by layer, in matrix form.

A sum of products in which no term passes more than K roundings is off by at most g = K u / (1 - K u) of the terms'
magnitudes, in any order, fused or not. With s >= max |h(v)| and e >= max |h(v) - true h(v)| for a vertex,

    e' = |C| e + |A| agg(e) + g (|C| s + |A| agg(s) + |b|) + tiny

bounds the next layer's error at the vertex, where |C| and |A| stand for the largest sums of magnitudes of a row.
Activations with slopes from 0 to 1 pass errors on no larger; a curved one enlarges them by its steepest slope, and adds
what its own value is off by (transcendental.py). Two numbers a vertex take next to no time beside the layer itself;
where they are too coarse, balls.py goes on.

A row of a vertex is h, then s, then e: weights have two more rows and columns, so that one product moves all of it.
What is not finite spreads along a row, and nothing is claimed then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..clock import UNLIMITED, Clock
from ..model.arrays import FloatArray, IntArray
from ..model.attention import Attention
from ..model.graph import Graph
from ..model.memo import Memo, NetworkMemo
from ..model.network import Aggregation, Layer, Network, Readout
from .attention import attend, stacked_weights
from .float64 import times
from .padding import PAD
from .receptive_field import Field, find_field
from .transcendental import activate

if TYPE_CHECKING:
    import flint

UNIT = 2.0**-53
# covers the rounding of the bound itself, where it is multiplied with g, and where it is added up
SAFETY, GROWS = 1.0001, 1.0 + 2.0**-13
# roundings of a term besides those of sums and products: of degrees, their roots, biases, activations
EXTRA = 40
# more than all underflows of a layer, also where subnormal numbers are flushed
TINY = 2.0**-1000
# past this something may overflow on the way
LARGE = 1e300
# numbers that are gathered in one go: they stay in a cache, and the clock is looked at in between
SLICE = 1 << 18
# products of two numbers in one call of BLAS
PIECE = 1 << 26
# up to so many numbers, the first layer's values are kept for every vertex
KEPT = 1 << 24


class Part(NamedTuple):
    """One layer, the readout, or a layer of the head: C, A and b transposed, with their largest sums of magnitudes."""

    how: Aggregation | None  # None: dense
    CT: FloatArray  # (in + 2, out + 2)
    AT: FloatArray
    b: FloatArray  # (out + 2,)
    bends: FloatArray | None  # None: linear
    is_relu: bool
    steepest: float  # of the activations: how much they enlarge an error
    at_zero: float  # and their largest magnitude at 0
    is_smooth: bool
    attention: Attention | None
    stacked: FloatArray | None  # what an attention multiplies a row with

    @property
    def width(self) -> int:
        return self.b.size - 2


def _widened(weight: FloatArray) -> FloatArray:
    out = np.zeros((weight.shape[1] + 2, weight.shape[0] + 2))
    out[:-2, :-2] = weight.T
    out[-2, -2] = out[-1, -1] = abs(weight).sum(axis=1).max()
    return out


def _part(one: Layer | Readout) -> Part:
    layer = one if isinstance(one, Layer) else Layer.dense(one.C, one.b, "none")
    with np.errstate(over="ignore"):
        bias = np.concatenate([layer.b, [abs(layer.b).max(), 0.0]])
        bends = None if layer.is_linear else layer.bends
        steepest, at_zero = max(1.0, float(layer.steepest.max())), float(layer.at_zero.max())
        how = None if layer.is_dense else layer.aggregation
        held = layer.attention
        return Part(
            how, _widened(layer.C), _widened(layer.A), bias, bends, not layer.bends.any(), steepest, at_zero,
            layer.is_smooth, held, None if held is None else _widened(stacked_weights(held)),
        )  # fmt: skip


class Parts:
    """A network in this form; holds no network, so that it can be forgotten."""

    def __init__(self, network: Network) -> None:
        self.layers = [_part(layer) for layer in network.layers]
        self.readout = None if network.readout is None else _part(network.readout)
        self.pool = None if network.readout is None else network.readout.pool
        self.head = [_part(layer) for layer in network.head]
        first = network.layers[0]
        sent = first.A if first.attention is None else stacked_weights(first.attention)
        self.from_features = _of_features(first.C), _of_features(sent)


def _of_features(weight: FloatArray) -> FloatArray:
    """For the first layer, where features are known column by column: s is made of each one's largest weight. The
    magnitudes of features are multiplied with the last columns, features themselves with the others.
    """
    out = np.zeros((weight.shape[1], weight.shape[0] + 2))
    out[:, :-2] = weight.T
    out[:, -2] = abs(weight).max(axis=0)
    return out


parts_of: NetworkMemo[Parts] = NetworkMemo(Parts)


class _First:
    """The first layer of one network on one graph, kept for vertices whose in-neighbours are those of the graph."""

    def __init__(self, network: Network, graph: Graph) -> None:
        self.parts, self.features = parts_of(network), graph.features
        first, n = self.parts.layers[0], graph.num_vertices
        self.most_nonzero = int(np.diff(self.features.ptr).max(initial=0))
        self.sends = first.how is not None and first.how is not Aggregation.MAX
        # untouched rows cost no memory
        keeps = n * 3 * (first.width + 2) <= KEPT
        self.products = [_Table(n if keeps else 0, weight.shape[1]) for weight in self.parts.from_features]
        self.values = _Table(
            n if keeps and not (first.how is not None and first.how.normalises) else 0, first.width + 2
        )

    def multiply(self, number: int, vertices: IntArray, clock: Clock) -> FloatArray:
        """Rows of C x (0) or A x (1), and bounds of their magnitudes."""
        table = self.products[number]
        if not table.rows.size:
            return self._multiply(number, vertices, clock)
        new = vertices[~table.done[vertices]]
        if new.size:
            table.put(new, self._multiply(number, new, clock))
        return table.rows[vertices]

    def _multiply(self, number: int, vertices: IntArray, clock: Clock) -> FloatArray:
        weight = self.parts.from_features[number]
        out = np.zeros((vertices.size, weight.shape[1]))
        step = max(1, 8 * SLICE // self.features.num_columns)
        for start in range(0, vertices.size, step):
            clock.look()
            piece = slice(start, start + step)
            held = self.features.take(vertices[piece])
            if 4 * held.values.size > held.num_rows * held.num_columns:
                rows = self.features.dense(vertices[piece])
                out[piece] = rows @ weight
                out[piece, -2] = abs(rows) @ weight[:, -2]
            else:
                out[piece] = times(held, weight)
                if (held.values < 0.0).any():
                    out[piece, -2:] = times(held.magnitudes(), np.ascontiguousarray(weight[:, -2:]))
        return out

    def take(self, field: Field, clock: Clock) -> FloatArray:
        """The rows of the vertices that matter after the first layer."""
        count, table = field.sizes[1], self.values
        if not table.rows.size:
            return self.compute(field, np.arange(count), clock)
        vertices, flipped = field.vertices[:count], field.flipped
        missing = ~table.done[vertices]
        if self.parts.layers[0].how is None:
            flipped = flipped[:0]
        elif flipped.size:
            flipped = flipped[flipped < count]
            missing[flipped] = False
        if missing.any():
            places = np.flatnonzero(missing)
            table.put(vertices[places], self.compute(field, places, clock))
        rows = table.rows[vertices]
        if flipped.size:
            rows[flipped] = self.compute(field, flipped, clock)
        return rows

    def compute(self, field: Field, places: IntArray, clock: Clock) -> FloatArray:
        """The rows of the vertices at these places after the first layer."""
        first = self.parts.layers[0]
        rows = self.multiply(0, field.vertices[places], clock) + first.b
        terms = self.most_nonzero
        if first.how is Aggregation.MAX:
            rows += self._peaks(field, places, clock)
            terms = self.features.num_columns
        elif first.how is not None:
            sources, counts = _edges_of(field, places)
            terms += int(counts.max(initial=0))
            hears_itself = first.how.normalises or first.attention is not None
            some = np.unique(np.concatenate([sources, places]) if hears_itself else sources)
            sent = self.multiply(1, field.vertices[some], clock)
            degree = field.degree[some] if field.degree.size else field.degree
            where, selves = np.searchsorted(some, sources), np.searchsorted(some, places)
            if first.attention is not None:
                rows += _attended(first, sent, self.most_nonzero, where, counts, selves, clock)
                return _bend(first, rows, terms + first.AT.shape[0])
            rows += gather(first.how, sent, where, counts, degree, selves, clock)
        return _bend(first, rows, terms)

    def _peaks(self, field: Field, places: IntArray, clock: Clock) -> FloatArray:
        """A times the largest features among the in-neighbours: selecting them rounds nothing."""
        weight, out = self.parts.from_features[1], np.zeros((places.size, self.parts.layers[0].width + 2))
        sources, counts = _edges_of(field, places)
        ends = np.cumsum(counts)
        step, start = max(1, SLICE // self.features.num_columns), 0
        while start < places.size:
            clock.look()
            begin = int(ends[start] - counts[start])
            stop = max(start + 1, int(np.searchsorted(ends, begin + step, side="right")))
            chosen = sources[begin : ends[stop - 1]]
            some = np.unique(chosen)
            rows = self.features.dense(field.vertices[some])
            columns = np.flatnonzero(rows.any(axis=0))
            where = np.searchsorted(some, chosen)
            largest = aggregate(Aggregation.MAX, rows[:, columns], where, counts[start:stop], clock)
            out[start:stop] = largest @ weight[columns]
            out[start:stop, -2] = abs(largest) @ weight[columns, -2]
            start = stop
        return out


class _Table:
    """Rows that are filled when they are first asked for."""

    def __init__(self, count: int, width: int) -> None:
        self.rows = np.zeros((count, width))
        self.done = np.zeros(count, dtype=np.bool_)

    def put(self, at: IntArray, rows: FloatArray) -> None:
        self.rows[at] = rows
        self.done[at] = True  # last: other threads ask too, and an interrupt may come


_firsts: Memo[_First] = Memo(_First)


def _edges_of(field: Field, places: IntArray) -> tuple[IntArray, IntArray]:
    """Sources of the edges into these places, which ascend, one after the other, and how many each has."""
    begin = field.ptr[places]
    counts = field.ptr[places + 1] - begin
    if places.size == field.ptr.size - 1:
        return field.sources, counts
    ends = np.cumsum(counts)
    total = int(ends[-1]) if ends.size else 0
    return field.sources[np.repeat(begin - ends + counts, counts) + np.arange(total)], counts


def aggregate(how: Aggregation, rows: FloatArray, sources: IntArray, counts: IntArray, clock: Clock) -> FloatArray:
    """Sums (maxima) of groups of rows, one group after the other; an empty group gives 0."""
    combine = np.maximum if how is Aggregation.MAX else np.add
    if not counts.all():
        out, occupied = np.zeros((counts.size, rows.shape[1])), np.flatnonzero(counts)
        if occupied.size:
            out[occupied] = aggregate(how, rows, sources, counts[occupied], clock)
        return out
    ends = np.cumsum(counts)
    starts = ends - counts
    if sources.size * rows.shape[1] <= SLICE:
        found: FloatArray = combine.reduceat(rows[sources], starts, axis=0)
        return found
    out = np.empty((counts.size, rows.shape[1]))
    step, first = max(1, SLICE // rows.shape[1]), 0
    while first < counts.size:
        clock.look()
        stop = max(first + 1, int(np.searchsorted(ends, starts[first] + step, side="right")))
        chosen = sources[starts[first] : ends[stop - 1]]
        out[first:stop] = combine.reduceat(rows[chosen], starts[first:stop] - starts[first], axis=0)
        first = stop
    return out


def gather(
    how: Aggregation, rows: FloatArray, sources: IntArray, counts: IntArray, degree: IntArray, selves: IntArray,
    clock: Clock,
) -> FloatArray:  # fmt: skip
    """What is heard, with magnitudes and errors of its terms; its own rounding is for `_bend` to add.

    degree and selves are for GCN and sym: those of the senders, and which of these each receiver is itself.
    """
    if how is Aggregation.GCN:
        root = (1.0 / np.sqrt(degree))[:, None]
        rows = rows * root
        total = aggregate(how, rows, sources, counts, clock)
        looped = np.repeat(np.arange(counts.size), counts)[sources == np.repeat(selves, counts)]
        mine = rows[selves]
        mine[looped] = 0.0  # a self-loop is counted once
        return root[selves] * (total + mine)
    if how is Aggregation.SYM:  # degrees come with one self-loop
        root = (1.0 / np.sqrt(np.maximum(degree - 1, 1)))[:, None]
        return root[selves] * aggregate(how, rows * root, sources, counts, clock)
    total = aggregate(how, rows, sources, counts, clock)
    return total / np.maximum(counts, 1)[:, None] if how is Aggregation.MEAN else total


def _attended(
    part: Part, products: FloatArray, terms: int, sources: IntArray, counts: IntArray, selves: IntArray, clock: Clock
) -> FloatArray:
    """A times what attention gathers, with magnitudes and errors."""
    assert part.attention is not None
    heard = attend(part.attention, products, terms, sources, counts, selves, clock)
    return multiply(np.column_stack(heard), part.AT, clock)


def _growth(roundings: int) -> float:
    """g; infinite where it is not small."""
    share = roundings * UNIT
    return SAFETY * share / (1.0 - share) if share < 2.0**-14 else np.inf


def _bend(part: Part, rows: FloatArray, terms: int) -> FloatArray:
    """The activation, after a sum of so many terms; s comes as what their magnitudes amount to, which nothing on the
    way exceeds.

    Theory: "Curved activations in floating point".
    """
    h, bound, e = rows[:, :-2], rows[:, -2], rows[:, -1]
    e *= GROWS
    e += _growth(2 * terms + EXTRA) * bound + TINY
    if not bound.max() < LARGE:
        e[:] = np.inf
    if part.is_relu:
        np.maximum(h, 0.0, out=h)
    elif part.bends is not None:
        if part.is_smooth:
            e *= part.steepest * GROWS
            e += PAD * (np.abs(h).max(axis=1) * GROWS + part.at_zero)
        np.copyto(h, activate(h, part.bends))
    np.abs(h).max(axis=1, out=bound)
    return rows


def _next(part: Part, rows: FloatArray, field: Field, count: int, clock: Clock) -> FloatArray:
    """One layer, for the first `count` vertices."""
    out = multiply(rows[:count], part.CT, clock)
    out += part.b
    terms = part.CT.shape[0]
    if part.how is not None:
        counts, sources = np.diff(field.ptr[: count + 1]), field.sources[: field.ptr[count]]
        if part.attention is not None:
            assert part.stacked is not None
            products = multiply(rows, part.stacked, clock)
            out += _attended(part, products, terms, sources, counts, np.arange(count), clock)
            return _bend(part, out, terms + part.AT.shape[0])
        heard = gather(part.how, rows, sources, counts, field.degree[: len(rows)], np.arange(count), clock)
        out += multiply(heard, part.AT, clock)
        terms += part.CT.shape[0] + int(counts.max())
    return _bend(part, out, terms)


def multiply(rows: FloatArray, weight: FloatArray, clock: Clock) -> FloatArray:
    """rows @ weight, in pieces between which the clock is looked at."""
    step = max(1, PIECE // weight.size)
    if len(rows) <= step:
        out: FloatArray = rows @ weight
        return out
    out = np.empty((len(rows), weight.shape[1]))
    for start in range(0, len(rows), step):
        clock.look()
        np.matmul(rows[start : start + step], weight, out=out[start : start + step])
    return out


def _pooled(how: Aggregation, rows: FloatArray) -> FloatArray:
    """The pool of all rows, as a row; its s may count more than what is left after cancellation."""
    if how is Aggregation.MAX:
        largest: FloatArray = rows.max(axis=0, keepdims=True)
        return largest
    total: FloatArray = rows.sum(axis=0, keepdims=True)
    if how is Aggregation.MEAN:
        total /= len(rows)
    total[:, -1] = GROWS * total[:, -1] + _growth(2 * len(rows) + EXTRA) * total[:, -2] + TINY
    total[:, -2] *= GROWS
    return total


def enclosed_scores(network: Network, graph: Graph, field: Field, clock: Clock = UNLIMITED) -> list[flint.arb] | None:
    """A ball around each score; None where numbers are too large for float64."""
    import flint

    scores, error = bounded_scores(network, graph, field, clock)
    if not (np.isfinite(scores).all() and error < LARGE):
        return None
    return [flint.arb(score, error) for score in scores.tolist()]


def bounded_scores(network: Network, graph: Graph, field: Field, clock: Clock = UNLIMITED) -> tuple[FloatArray, float]:
    """Scores, and how far they can be off; not finite where nothing is proved."""
    rows = _last_rows(network, graph, field, clock)
    return rows[0, :-2], float(rows[0, -1])


def bounded_everywhere(network: Network, graph: Graph) -> tuple[FloatArray, FloatArray]:
    """The same for every vertex, (n, classes) and (n, 1), or for the graph, (classes,) and (1,)."""
    field = find_field(graph, network.layers, None, (), degrees=network.normalises)
    rows = _last_rows(network, graph, field, UNLIMITED)
    return (rows[:, :-2], rows[:, -1:]) if network.readout is None else (rows[0, :-2], rows[0, -1:])


def _last_rows(network: Network, graph: Graph, field: Field, clock: Clock) -> FloatArray:
    parts = parts_of(network)
    with np.errstate(over="ignore", invalid="ignore"):
        rows = _firsts(network, graph).take(field, clock)
        for part, count in zip(parts.layers[1:], field.sizes[2:], strict=True):
            clock.look()
            rows = _next(part, rows, field, count, clock)
        if parts.readout is not None:
            assert parts.pool is not None
            rows = _pooled(parts.pool, rows)
            for part in (parts.readout, *parts.head):
                rows = _next(part, rows, field, 1, clock)
    return rows

"""The reference evaluation: the semantics in plain NumPy float64, on the part of the graph that matters."""

from __future__ import annotations

import numpy as np

from ..errors import InputError
from ..model.arrays import FloatArray, IntArray
from ..model.features import Features
from ..model.graph import Graph
from ..model.network import Aggregation, Layer, Network, Readout
from .attention import attend, stacked_weights
from .padding import PAD
from .transcendental import activate

# numbers that are multiplied and added up in one go
SLICE = 1 << 16
# the same, of what is gathered from neighbours
MESSAGES = 1 << 22
# the share of features that are not zero from which on zeros are multiplied too
DENSE = 0.25

# No layer amounts to less than this, as far as its rounding goes: what underflows in it is far smaller even than the
# rounding of so little, and later layers multiply both alike.
FAINT = 2.0**-960


def evaluate(network: Network, graph: Graph, node: int | None = None) -> FloatArray:
    """Scores of all vertices (n, classes), of one `node`, or of the graph (classes,)."""
    if network.num_features != graph.features.num_columns:
        raise InputError(
            f"the network expects {network.num_features} features, the graph has {graph.features.num_columns}"
        )
    if node is not None and network.task == "node":
        graph, node = neighbourhood(network, graph, node)
    values = _first_layer(network.layers[0], graph)
    for layer in network.layers[1:]:
        values = _layer(layer, graph, values)
    if network.readout is None:
        return values if node is None else values[node]
    scores = network.readout.C @ _pool(values, network.readout.pool) + network.readout.b
    for layer in network.head:
        scores = _activate(layer, layer.C @ scores + layer.b)
    return scores


def evaluate_with_error(network: Network, graph: Graph, node: int | None = None) -> tuple[FloatArray, FloatArray]:
    """Scores, and for each a rigorous bound on its rounding error.

    Along any path from a feature to a score at most `count` roundings happen, so the error is at most
    `g(count)` times the scores of the network with all signs made positive (docs/theory.md); max becomes
    sum there, which is no smaller.

    Theory: "Rounding of an evaluation".
    """
    if network.attends:
        from .enclosure import bounded_everywhere

        scores, error = (one.copy() for one in np.broadcast_arrays(*bounded_everywhere(network, graph)))
        at_node = node is not None and network.task == "node"
        return (scores[node], error[node]) if at_node else (scores, error)
    scores = evaluate(network, graph, node)
    positive, head = ([_magnified(one) for one in some] for some in (network.layers, network.head))
    readout = network.readout and Readout(
        abs(network.readout.C), abs(network.readout.b) + FAINT, _no_smaller(network.readout.pool)
    )
    edges = np.stack([graph.sources, graph.targets])
    magnitude = Graph(edges, graph.features.magnitudes(), directed=graph.directed)
    with np.errstate(over="ignore"):
        size = evaluate(Network(positive, readout, head=head), magnitude, node)
    return scores, _error_of(network, graph, size)


def rough_error(network: Network, graph: Graph) -> FloatArray:
    """A larger bound, for all scores of a vertex (n, 1) or of the graph (1,) alike, in a fraction of the time: every
    layer is replaced by its largest row sums, so that one number a vertex is passed on.

    Theory: "Rounding of an evaluation".
    """
    held, most = graph.features, np.zeros((graph.num_vertices, 1))
    some = np.flatnonzero(np.diff(held.ptr))
    if some.size:
        most[some, 0] = np.maximum.reduceat(abs(held.values), held.ptr[some])
    with np.errstate(over="ignore", invalid="ignore"):  # an infinity or none at all is no bound, and says so
        for layer in network.layers:
            heard = (
                0.0 if layer.is_dense else _row_sum(layer.A) * _aggregate(_no_smaller(layer.aggregation), graph, most)
            )
            most = _bent(layer, _row_sum(layer.C) * most + heard + abs(layer.b).max()) + FAINT
        if network.readout is not None:
            readout = network.readout
            most = _row_sum(readout.C) * _pool(most, _no_smaller(readout.pool)) + abs(readout.b).max() + FAINT
            for layer in network.head:
                most = _bent(layer, _row_sum(layer.C) * most + abs(layer.b).max()) + FAINT
        return _error_of(network, graph, most)


def _magnified(layer: Layer) -> Layer:
    """The layer with all signs positive; where it is curved, with what an activation may add to magnitudes."""
    steep = np.maximum(layer.steepest, 1.0)[:, None]
    bias = abs(layer.b) * steep[:, 0] + layer.at_zero + FAINT
    return Layer(abs(layer.C) * steep, abs(layer.A) * steep, bias, _no_smaller(layer.aggregation), "none")


def _row_sum(weight: FloatArray) -> float:
    return float(abs(weight).sum(axis=1).max())


def _bent(layer: Layer, most: FloatArray) -> FloatArray:
    """What an activation makes of magnitudes up to so much, at most."""
    out: FloatArray = max(float(layer.steepest.max()), 1.0) * most + float(layer.at_zero.max())
    return out


def _no_smaller(how: Aggregation) -> Aggregation:
    """What bounds the rounding of a max: it selects, but which one is for rounding to say."""
    return Aggregation.SUM if how is Aggregation.MAX else how


def _error_of(network: Network, graph: Graph, size: FloatArray) -> FloatArray:
    """What rounding does to scores of this size, or smaller ones."""
    degree = int(np.diff(graph.in_ptr).max(initial=0))
    count = graph.num_vertices + sum(2 * width + degree + 16 for width in network.widths)
    unit = 2.0**-53
    count += sum(int(2 * PAD / unit) for layer in (*network.layers, *network.head) if layer.is_smooth)
    return size * (2 * count * unit / (1 - 2 * count * unit)) + count * 2.0**-1000


def neighbourhood(network: Network, graph: Graph, node: int) -> tuple[Graph, int]:
    """What reaches `node` through the layers, without edges into the farthest; scores of `node` are the same there."""
    if not 0 <= node < graph.num_vertices:
        raise InputError(f"node: {node} is out of range, there are {graph.num_vertices} vertices")
    depth = len(network.layers) + network.normalises  # degrees of the farthest senders count their in-neighbours
    kept = frontier = np.array([node], dtype=np.int64)
    sources, targets = [], []
    for _ in range(depth):
        found, into = graph.edges_into(frontier)
        sources.append(found)
        targets.append(into)
        frontier = np.setdiff1d(found, kept)
        kept = np.concatenate([kept, frontier])
    order = np.argsort(kept)
    ends = np.stack([np.concatenate(sources), np.concatenate(targets)])
    return Graph(order[np.searchsorted(kept, ends, sorter=order)], graph.features.take(kept), directed=True), 0


def _activate(layer: Layer, values: FloatArray) -> FloatArray:
    return activate(values, layer.bends)


def _layer(layer: Layer, graph: Graph, values: FloatArray) -> FloatArray:
    if layer.attention is not None:
        gathered: FloatArray | float = _attend(layer, graph, values @ stacked_weights(layer.attention).T)
    else:
        gathered = 0.0 if layer.is_dense else _aggregate(layer.aggregation, graph, values) @ layer.A.T
    return _activate(layer, values @ layer.C.T + gathered + layer.b)


def _first_layer(layer: Layer, graph: Graph) -> FloatArray:
    """The first layer sees sparse features, so all but max multiply before they aggregate."""
    held = graph.features
    gathered: FloatArray | float
    if layer.is_dense:
        gathered = 0.0
    elif layer.attention is not None:
        gathered = _attend(layer, graph, times(held, stacked_weights(layer.attention).T.copy()))
    elif layer.aggregation is Aggregation.MAX:
        gathered = max_of_sparse(layer, graph)
    else:
        gathered = _aggregate(layer.aggregation, graph, times(held, layer.A.T.copy()))
    return _activate(layer, times(held, layer.C.T.copy()) + gathered + layer.b)


def _attend(layer: Layer, graph: Graph, products: FloatArray) -> FloatArray:
    assert layer.attention is not None
    unbounded = np.concatenate([products, np.zeros((len(products), 2))], axis=1)  # nobody asks for errors here
    counts, selves = np.diff(graph.in_ptr), np.arange(graph.num_vertices)
    heard: FloatArray = attend(layer.attention, unbounded, 1, graph.sources, counts, selves).values @ layer.A.T
    return heard


def times(features: Features, columns: FloatArray) -> FloatArray:
    """features @ columns for sparse features; a row of `columns` for each feature, contiguous in memory."""
    out = np.zeros((features.num_rows, columns.shape[1]))
    if features.columns.size > DENSE * features.num_rows * features.num_columns:
        step = max(1, MESSAGES // features.num_columns)
        for start in range(0, features.num_rows, step):
            some = np.arange(start, min(start + step, features.num_rows))
            np.matmul(features.dense(some), columns, out=out[start : start + step])
        return out
    rows = np.repeat(np.arange(features.num_rows), np.diff(features.ptr))
    # in slices: the gathered rows of a large graph would not fit into memory, nor those of a small one into a cache
    step, scaled = max(1, SLICE // columns.shape[1]), bool((features.values != 1.0).any())
    for start in range(0, rows.size, step):
        part = slice(start, start + step)
        products = columns.take(features.columns[part], axis=0)
        if scaled:
            products *= features.values[part, None]
        first = np.flatnonzero(np.r_[True, np.diff(rows[part]) > 0])
        out[rows[part][first]] += np.add.reduceat(products, first, axis=0)
    return out


def max_of_sparse(layer: Layer, graph: Graph) -> FloatArray:
    """A times the largest features among the in-neighbours."""
    out, columns = np.zeros((graph.num_vertices, layer.width_out)), layer.A.T.copy()
    start = 0
    while start < graph.num_vertices:  # in slices: the features of all messages of a large graph would not fit
        fitting = np.searchsorted(graph.in_ptr, graph.in_ptr[start] + (1 << 16), side="right") - 1
        stop = max(int(fitting), start + 1)
        out[start:stop] = times(_largest_features(graph, start, stop), columns)
        start = stop
    return out


def _largest_features(graph: Graph, start: int, stop: int) -> Features:
    """A row for each of these vertices: per column the largest number among its in-neighbours, where a zero that is
    not stored counts too.
    """
    sources, into = graph.edges_into(np.arange(start, stop))
    sent = graph.features.take(sources)
    target = np.repeat(into - start, np.diff(sent.ptr))
    order = np.lexsort((sent.columns, target))
    target, columns, values = target[order], sent.columns[order], sent.values[order]
    new = np.ones(target.size, dtype=np.bool_)
    new[1:] = (np.diff(target) > 0) | (np.diff(columns) > 0)
    first = np.flatnonzero(new)
    if first.size:
        degrees = np.diff(graph.in_ptr[start : stop + 1])
        some_lack_it = np.diff(np.r_[first, target.size]) < degrees[target[first]]
        largest = np.maximum.reduceat(values, first)
        values = np.where(some_lack_it, np.maximum(largest, 0.0), largest)
    ptr = np.searchsorted(target[first], np.arange(stop - start + 1))
    return Features(ptr, columns[first], values, graph.features.num_columns)


def _normalised_sum(graph: Graph, values: FloatArray) -> FloatArray:
    """GCN: every vertex has one self-loop, and a message is divided by the roots of both in-degrees."""
    looped = np.zeros((graph.num_vertices, 1), dtype=np.bool_)
    looped[graph.targets[graph.sources == graph.targets]] = True
    root = 1 / np.sqrt(np.diff(graph.in_ptr)[:, None] + ~looped)
    scaled: FloatArray = values * root
    out: FloatArray = root * (_aggregate(Aggregation.SUM, graph, scaled) + np.where(looped, 0.0, scaled))
    return out


def _sum_without_itself(graph: Graph, values: FloatArray) -> FloatArray:
    """sym: the same without self-loops; who has no neighbour hears nothing, whatever is divided by."""
    root = 1 / np.sqrt(np.maximum(np.diff(graph.in_ptr), 1)[:, None])
    out: FloatArray = root * _aggregate(Aggregation.SUM, graph, values * root)
    return out


def _aggregate(how: Aggregation, graph: Graph, values: FloatArray) -> FloatArray:
    if how is Aggregation.GCN:
        return _normalised_sum(graph, values)
    if how is Aggregation.SYM:
        return _sum_without_itself(graph, values)
    out = np.zeros_like(values)
    occupied: IntArray = np.flatnonzero(np.diff(graph.in_ptr))
    if occupied.size == 0:
        return out
    combine = np.maximum if how is Aggregation.MAX else np.add
    # in slices: the messages of a large graph would not fit into memory
    ends, at = graph.in_ptr[occupied + 1], 0
    while at < occupied.size:
        first = graph.in_ptr[occupied[at]]
        until = max(int(np.searchsorted(ends, first + MESSAGES // values.shape[1], side="right")), at + 1)
        some = occupied[at:until]
        messages = values[graph.sources[first : ends[until - 1]]]
        out[some] = combine.reduceat(messages, graph.in_ptr[some] - first, axis=0)
        at = until
    if how is Aggregation.MEAN:
        degrees = np.diff(graph.in_ptr)[occupied]
        out[occupied] /= degrees[:, None]
    return out


def _pool(values: FloatArray, how: Aggregation) -> FloatArray:
    pooled: FloatArray
    if how is Aggregation.MAX:
        pooled = values.max(axis=0)
    else:
        pooled = values.sum(axis=0) if how is Aggregation.SUM else values.mean(axis=0)
    return pooled

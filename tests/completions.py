"""Every graph below a search node, and every pre-activation in each of them; written apart from the engine.

In the widest floats there are (80 bits on most machines), so that the engine's own rounding shows, with a bound on
what is left of it here.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from edgeproof.model.network import Aggregation, Layer
from edgeproof.model.query import Query
from edgeproof.problem.layout import POOL, Compiled
from wide_curves import activate_wide

Wide = np.longdouble


def admissible_sets(query: Query, pairs: list[tuple[int, int]], budget: int) -> np.ndarray:
    """(graphs, pairs) 0/1: the sets of these pairs that the budgets allow."""
    rows = []
    for size in range(min(budget, len(pairs)) + 1):
        for chosen in combinations(range(len(pairs)), size):
            spent: dict[int, int] = {}
            for at in chosen:
                u, v = pairs[at]
                for w in {v} if query.graph.directed else {u, v}:
                    spent[w] = spent.get(w, 0) + 1
            limits = {w: query.threat.local_budget_of(w) for w in spent}
            if all(limits[w] is None or spent[w] <= limits[w] for w in spent):
                row = np.zeros(len(pairs), dtype=np.int8)
                row[list(chosen)] = 1
                rows.append(row)
    return np.array(rows).reshape(len(rows), len(pairs))


def adjacency(query: Query, pairs: list[tuple[int, int]], flips: np.ndarray) -> np.ndarray:
    """(graphs, target, source)."""
    graph = query.graph
    n = graph.num_vertices
    base = np.zeros((n, n), dtype=np.bool_)
    base[graph.targets, graph.sources] = True
    out = np.repeat(base[None], len(flips), axis=0)
    for at, (u, v) in enumerate(pairs):
        out[:, v, u] ^= flips[:, at] == 1
        if not graph.directed and u != v:
            out[:, u, v] ^= flips[:, at] == 1
    return out


class Truth:
    """Of all admissible graphs: `pre[t]` (graphs, n, width) of the engine's stage t, `off[t]` a bound on its error
    here, `reaches[t]` (graphs, n) whether the vertex still matters to the claim, `objective` (graphs, rivals).
    Vertices by the engine's numbers. The readout stands at vertex 0.
    """

    def __init__(self, compiled: Compiled, budget: int) -> None:
        query, p = compiled.query, compiled.problem
        pairs = [(int(u), int(v)) for u, v in compiled.pairs]
        self.flips = admissible_sets(query, pairs, budget)
        self.edges = adjacency(query, pairs, self.flips)
        n = query.graph.num_vertices
        layers, readout = query.network.layers, query.network.readout
        rows, label = list(query.rivals), query.claim.label
        x = query.graph.features.dense(np.arange(n)).astype(Wide)
        h = np.repeat(x[None], len(self.flips), axis=0)
        size = abs(h)
        pre, off = [h], [size * 0]
        terms = 0
        for layer in layers:
            terms += 2 * layer.width_in + n + 8
            before, size = self._layer(layer, h, size)
            h = activate_wide(before, layer.bends)
            pre.append(before)
            off.append(size * self._unit(terms))
            size = size * np.maximum(layer.steepest, 1.0) + layer.at_zero
        if readout is not None:
            terms += 2 * len(readout.C[0]) + n + 8
            pooled, pooled_size = self._pool(readout.pool, h, size)
            before = (pooled @ readout.C.T.astype(Wide) + readout.b)[:, None]
            pre.append(before)
            size = (pooled_size @ abs(readout.C).T + abs(readout.b))[:, None]
            off.append(size * self._unit(terms))
            h = before
            for layer in query.network.head:
                terms += 2 * layer.width_in + 8
                before = h @ layer.C.T.astype(Wide) + layer.b
                size = size @ abs(layer.C).T + abs(layer.b)
                h = activate_wide(before, layer.bends)
                pre.append(before)
                off.append(size * self._unit(terms))
                size = size * np.maximum(layer.steepest, 1.0) + layer.at_zero
            if len(pre) - 1 > p.T:  # the engine pools and applies the first layer of the head in one stage
                del pre[len(layers) + 1], off[len(layers) + 1]
        at = 0 if readout is not None else query.claim.node
        scores, scores_off = h[:, at], size[:, at] * self._unit(terms + 8)
        self.objective = scores[:, rows] - scores[:, [label]]
        self.objective_off = scores_off[:, rows] + scores_off[:, [label]] + abs(self.objective) * self._unit(4)
        if p.folded:
            pre[-1] = pre[-1][..., rows] - pre[-1][..., [label]]
            off[-1] = off[-1][..., rows] + off[-1][..., [label]] + abs(pre[-1]) * self._unit(4)
            if p.kind[p.T] == POOL and self._merged(compiled):
                # the last layer gives what each vertex adds to the differences
                C = query.network.head[0].C if query.network.head else readout.C
                fold = C[rows].astype(Wide) - C[label].astype(Wide)
                weight = abs(C[rows]) + abs(C[label])
                size = off[-2] / self._unit(1)
                pre[-2] = pre[-2] @ fold.T
                off[-2] = (size @ weight.T) * self._unit(2 * weight.shape[1] + 8)
        self.pre, self.off = pre, off
        self._to_engine_numbers(compiled)
        self._find_reach(compiled)

    @staticmethod
    def _merged(compiled: Compiled) -> bool:
        network, p = compiled.query.network, compiled.problem
        linear = p.sends_products[p.T] and network.layers[-1].is_linear
        return bool(linear) and network.readout is not None and network.readout.pool is not Aggregation.MAX

    @staticmethod
    def _unit(terms: int) -> Wide:
        return terms * np.finfo(Wide).eps

    def _layer(self, layer: Layer, h: np.ndarray, size: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        C, A, b = (one.astype(Wide) for one in (layer.C, layer.A, layer.b))
        edges = self.edges
        if layer.aggregation is Aggregation.MAX:
            around = np.where(edges[..., None], h[:, None], -np.inf).max(axis=2)
            around = np.where(edges.any(axis=2)[..., None], around, Wide(0))
        elif layer.aggregation is Aggregation.GCN:
            edges = edges | np.eye(edges.shape[1], dtype=np.bool_)
            root = 1 / np.sqrt(edges.sum(axis=2).astype(Wide))[..., None]
            around = root * (edges.astype(Wide) @ (root * h))
        elif layer.aggregation is Aggregation.SYM:
            root = 1 / np.sqrt(np.maximum(edges.sum(axis=2), 1).astype(Wide))[..., None]
            around = root * (edges.astype(Wide) @ (root * h))
        else:
            around = edges.astype(Wide) @ h
            if layer.aggregation is Aggregation.MEAN:
                around /= np.maximum(edges.sum(axis=2), 1)[..., None]
        grown = edges.astype(Wide) @ size
        return h @ C.T + around @ A.T + b, size @ abs(C).T + grown @ abs(A).T + abs(b)

    @staticmethod
    def _pool(how: Aggregation, h: np.ndarray, size: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if how is Aggregation.MAX:
            return h.max(axis=1), size.sum(axis=1)
        share = 1 if how is Aggregation.SUM else h.shape[1]
        return h.sum(axis=1) / share, size.sum(axis=1) / share

    def _to_engine_numbers(self, compiled: Compiled) -> None:
        vertices = compiled.vertices
        for t in range(len(self.pre)):
            if self.pre[t].shape[1] > 1 or len(vertices) == 1:
                self.pre[t], self.off[t] = self.pre[t][:, vertices], self.off[t][:, vertices]

    def _find_reach(self, compiled: Compiled) -> None:
        query, T = compiled.query, compiled.problem.T
        graphs, n = len(self.flips), query.graph.num_vertices
        self.reaches = [np.ones((graphs, len(compiled.vertices)), dtype=np.bool_) for _ in range(T + 1)]
        if query.claim.node is None:
            for t in range(len(query.network.layers) + 1, T + 1):
                self.reaches[t][:, 1:] = False
            return
        reach = np.zeros((graphs, n), dtype=np.bool_)
        reach[:, query.claim.node] = True
        for t in range(T, -1, -1):
            self.reaches[t] = reach[:, compiled.vertices]
            if t and not query.network.layers[t - 1].is_dense:
                reach = reach | (self.edges & reach[:, :, None]).any(axis=1)

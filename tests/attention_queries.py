"""Random questions about networks with attention, small enough for brute force."""

from __future__ import annotations

from typing import Any

import numpy as np

from edgeproof.errors import InputError
from edgeproof.model.attention import Attention
from edgeproof.model.graph import Graph
from edgeproof.model.network import Layer, Network, Readout
from edgeproof.model.query import Query, make_query
from edgeproof.model.threat import Threat


def random_attention(rng: np.random.Generator, width_in: int, heads: int, channels: int, **fixed: Any) -> Attention:
    spread = float(rng.choice([0.3, 1.0, 2.0]))

    def numbers(*shape: int) -> np.ndarray:
        return rng.normal(size=shape, scale=spread)

    if rng.random() < 0.5:
        own: dict[str, Any] = {"kind": "gat", "target": numbers(heads, channels)}
    else:
        own = {
            "kind": "gatv2", "target_values": numbers(heads, channels, width_in),
            "values_bias": numbers(heads, channels), "target_bias": numbers(heads, channels),
        }  # fmt: skip
    return Attention(
        values=numbers(heads, channels, width_in), source=numbers(heads, channels),
        **{"slope": float(rng.choice([0.0, 0.2, 1.0])), "mean": bool(rng.random() < 0.3), **fixed, **own},
    )  # fmt: skip


def attention_layer(
    rng: np.random.Generator, width_in: int, attention: Attention, activation: str, width: int = 0
) -> Layer:
    """With a residual connection now and then; `width`: A is a matrix, otherwise the identity."""
    A = rng.normal(size=(width, attention.width)) if width else np.eye(attention.width)
    C = rng.normal(size=(len(A), width_in)) if rng.random() < 0.3 else np.zeros((len(A), width_in))
    return Layer(C, A, rng.normal(size=len(A)), "attention", activation, 0.1, attention)


def random_graph(rng: np.random.Generator, features: int, most: int = 7) -> Graph:
    n, density = int(rng.integers(3, most + 1)), float(rng.choice([0.2, 0.4, 0.6]))
    directed = bool(rng.random() < 0.5)
    there = rng.random((n, n)) < density
    there[np.arange(n), np.arange(n)] &= rng.random(n) < 0.3
    if not directed:
        there |= there.T
    return Graph(np.array(np.nonzero(there)), rng.normal(size=(n, features)), directed=directed)


def random_threat(rng: np.random.Generator, graph: Graph, most: int = 3) -> Threat:
    n, kind, more = graph.num_vertices, int(rng.integers(5)), dict[str, Any]()
    if kind == 0:
        more["insert"] = "target"
    elif kind == 1 and n <= 5:
        more = {"insert": True, "delete": bool(rng.random() < 0.5)}
    elif kind == 2:
        more["fragile"] = [tuple(map(int, rng.integers(n, size=2))) for _ in range(int(rng.integers(1, 9)))]
    if rng.random() < 0.3:
        more["local_budget"] = rng.integers(0, 3, size=n) if rng.random() < 0.5 else int(rng.integers(1, 3))
    if rng.random() < 0.2:
        more["protected"] = [tuple(map(int, rng.integers(n, size=2)))]
    return Threat(int(rng.integers(1, most + 1)), **more)


def two_layers(seed: int, activations: tuple[str, ...] = ("relu", "none", "leaky_relu", "elu")) -> Query:
    """Of the kind that tables and the program decide."""
    rng = np.random.default_rng(seed)
    features, classes = int(rng.integers(1, 4)), int(rng.integers(2, 4))
    attention = random_attention(rng, features, int(rng.integers(1, 4)), int(rng.integers(1, 4)))
    width = int(rng.integers(1, 5)) if rng.random() < 0.2 else 0
    first = attention_layer(rng, features, attention, str(rng.choice(activations)), width)
    last = random_attention(rng, first.width_out, 1, classes)
    layers = [first, attention_layer(rng, first.width_out, last, "none")]
    if rng.random() < 0.1:  # two classes whose scores are the same expression
        layers[1] = Layer(np.zeros((classes, first.width_out)), np.eye(classes)[[0] * classes], np.zeros(classes),
                          "attention", "none", attention=last)  # fmt: skip
    graph = random_graph(rng, features)
    return make_query(Network(layers), graph, random_threat(rng, graph), int(rng.integers(graph.num_vertices)))


def any_network(seed: int) -> Query:
    """One to three layers, several heads, attention beside other layers, node and graph tasks."""
    rng = np.random.default_rng(seed)
    depth, features, classes = int(rng.integers(1, 4)), int(rng.integers(1, 3)), int(rng.integers(2, 4))
    graph_task = bool(rng.random() < 0.3)
    layers: list[Layer] = []
    width, attends = features, False
    for number in range(depth):
        is_last = number == depth - 1
        out = classes if is_last and not graph_task else int(rng.integers(1, 4))
        activation = "none" if is_last else str(rng.choice(["relu", "none", "elu"]))
        if rng.random() < 0.7 or (is_last and not attends):
            heads = int(rng.integers(1, 4))
            attention = random_attention(rng, width, heads, out, self_loops=bool(rng.random() < 0.7))
            layers.append(attention_layer(rng, width, attention, activation, out if is_last else 0))
            attends = True
        else:
            how = str(rng.choice(["sum", "mean", "max", "gcn"]))
            C, A = rng.normal(size=(2, out, width))
            layers.append(Layer(C, A, rng.normal(size=out), how, activation))
        width = layers[-1].width_out
    readout = None
    if graph_task:
        pool = str(rng.choice(["sum", "mean", "max"]))
        readout = Readout(rng.normal(size=(classes, width)), rng.normal(size=classes), pool)
    graph = random_graph(rng, features, 5)
    threat = random_threat(rng, graph, 2)
    if graph_task and threat.insert == "target":
        threat = Threat(2)
    node = None if graph_task else int(rng.integers(graph.num_vertices))
    return make_query(Network(layers, readout), graph, threat, node)


def drawn(make: Any, seed: int) -> Query | None:
    """None where the threat or the label does not fit, as in a tie on the graph as it is."""
    try:
        found: Query = make(seed)
    except InputError:
        return None
    return found

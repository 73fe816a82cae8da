"""The paper's hardness constructions: vulnerable exactly when the subset-sum instance has a solution.

With the corrections of the project's notes on the paper: the claim is about class 2 (here 1), the prediction on the
input graph, and the fragile pairs of the max construction are (u_i, v).
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import edgeproof as ep
from edgeproof import Graph, Layer, Network, Threat

ABSOLUTE = [[1.0], [-1.0]]  # relu(a) + relu(-a) = |a|


def has_solution(numbers: list[int], t: int) -> bool:
    return any(sum(some) == t for k in range(1, len(numbers) + 1) for some in combinations(numbers, k))


def by_sum_or_mean(numbers: list[int], t: int, aggregation: str) -> tuple[Network, Graph, Threat]:
    """Vertex 0 is v, 1 is u_0 with -t, then u_1, ..., u_n; score 1 is |aggregate|, score 0 is 1/2."""
    n = len(numbers)
    scale = n + 1 if aggregation == "mean" else 1
    first = Layer([[0.0], [0.0]], ABSOLUTE, [0.0, 0.0], aggregation)
    second = Layer([[0.0, 0.0], [1.0, 1.0]], np.zeros((2, 2)), [0.5, 0.0], aggregation)
    features = [[0.0], [-float(scale * t)], *([float(scale * s)] for s in numbers)]
    graph = Graph([list(range(1, n + 2)), [0] * (n + 1)], features, directed=True)
    return Network([first, second]), graph, Threat(budget=n)


def by_max(numbers: list[int], t: int) -> tuple[Network, Graph, Threat]:
    """u_i has s_i in coordinate i, so the first layer reads off which are there; (u_{n+1}, v) is not fragile."""
    n = len(numbers)
    first = Layer(np.zeros((n + 1, n + 1)), np.eye(n + 1), np.zeros(n + 1), "max")
    difference = np.array([[-1.0] * n + [1.0]])
    second = Layer(np.vstack([difference, -difference]), np.zeros((2, n + 1)), [0.0, 0.0], "max")
    third = Layer([[0.0, 0.0], [1.0, 1.0]], np.zeros((2, 2)), [0.5, 0.0], "max")
    features = np.vstack([np.zeros(n + 1), np.diag([*map(float, numbers), float(t)])])
    graph = Graph([list(range(1, n + 2)), [0] * (n + 1)], features, directed=True)
    return Network([first, second, third]), graph, Threat(budget=n, fragile=[(i, 0) for i in range(1, n + 1)])


def instances(count: int = 40) -> list[tuple[list[int], int]]:
    rng = np.random.default_rng(5)
    drawn = []
    for _ in range(count):
        numbers = sorted({int(s) for s in rng.integers(1, 30, rng.integers(1, 7))})
        t = int(rng.integers(1, sum(numbers) + 1))
        if sum(numbers) != t:  # otherwise the input graph itself is the solution
            drawn.append((numbers, t))
    return drawn


@pytest.mark.parametrize("aggregation", ["sum", "mean", "max"])
def test_vulnerable_exactly_when_there_is_a_solution(aggregation: str):
    outcomes = []
    for numbers, t in instances():
        network, graph, threat = by_max(numbers, t) if aggregation == "max" else by_sum_or_mean(numbers, t, aggregation)
        verdict = ep.verify(network, graph, threat, 0, engine="brute")
        assert verdict.label == 1
        expected = has_solution(numbers, t)
        assert verdict.status == ("vulnerable" if expected else "robust"), (numbers, t)
        if expected:
            kept = [
                s
                for i, s in enumerate(numbers)
                if ((i + 1 if aggregation == "max" else i + 2), 0) not in verdict.attack
            ]
            assert sum(kept) == t
        outcomes.append(expected)
    assert 5 < sum(outcomes) < len(outcomes) - 5

"""Radii of networks with attention against enumeration through the module itself.

All graphs within the budget go through PyTorch Geometric at once, as one graph of many components. Ties within 1e-9 are
left out.
"""

from __future__ import annotations

import pytest

pytest.importorskip("torch_geometric", reason="needs torch and torch_geometric: pip install 'edgeproof[pyg]'")

from itertools import combinations
from typing import Any

import numpy as np
import torch
import torch_geometric.nn as g

import edgeproof as ep
from edgeproof.engines.brute import _LocalBudgets, fragile_pairs
from edgeproof.model.query import make_query

SEED, CLOSE = 280, 1e-9
# graphs of one case
MOST = 3000


class Stacked(torch.nn.Module):
    def __init__(self, convs: list[Any], act: Any, skips: list[bool]) -> None:
        super().__init__()
        self.convs, self.act, self.skips = torch.nn.ModuleList(convs), act, skips

    def forward(self, x: torch.Tensor, edge_index: torch.Tensor) -> torch.Tensor:
        for conv, skips in zip(self.convs, self.skips, strict=False):
            x = self.act(conv(x, edge_index)) + x if skips else self.act(conv(x, edge_index))
        return self.convs[-1](x, edge_index)


def draw_module(rng: np.random.Generator, features: int) -> Stacked:
    depth, v2 = int(rng.choice([1, 2, 2, 2, 3])), bool(rng.random() < 0.5)
    conv, classes = g.GATv2Conv if v2 else g.GATConv, int(rng.integers(2, 4))
    loops, residual = bool(rng.random() < 0.9), bool(rng.random() < 0.3)
    convs, skips, width = [], [], features
    for _ in range(depth - 1):
        heads, channels, concat = int(rng.integers(1, 5)), int(rng.integers(1, 4)), bool(rng.random() < 0.7)
        convs.append(conv(width, channels, heads, concat, residual=residual, add_self_loops=loops))
        before, width = width, channels * heads if concat else channels
        skips.append(bool(before == width and rng.random() < 0.3))
    heads = int(rng.choice([1, 1, 1, 2]))
    convs.append(conv(width, classes, heads, concat=False, residual=residual, add_self_loops=loops))
    act = [torch.nn.functional.elu, torch.relu, torch.nn.functional.leaky_relu][int(rng.integers(3))]
    module, spread = Stacked(convs, act, skips).double().eval(), float(rng.choice([0.5, 1.0, 2.0]))
    generator = torch.Generator().manual_seed(int(rng.integers(1 << 30)))
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.normal_(0.0, spread, generator=generator)
    return module


def draw_graph(rng: np.random.Generator, features: int) -> ep.Graph:
    n, directed = int(rng.integers(3, 7)), bool(rng.random() < 0.5)
    there = rng.random((n, n)) < float(rng.choice([0.2, 0.4, 0.6]))
    there[np.arange(n), np.arange(n)] = False
    there = there if directed else np.triu(there, 1) | np.triu(there, 1).T
    return ep.Graph(np.array(np.nonzero(there)), rng.normal(size=(n, features)), directed=directed)


def draw_threat(rng: np.random.Generator) -> ep.Threat:
    more: dict[str, Any] = {}
    kind = int(rng.integers(4))
    if kind == 1:
        more["insert"] = "target"
    elif kind == 2:
        more["insert"] = True
    elif kind == 3:
        more["local_budget"] = int(rng.integers(1, 3))
    return ep.Threat(int(rng.integers(1, 3 if kind == 2 else 4)), **more)


def leads_after(module: Stacked, graph: ep.Graph, sets: list[tuple[tuple[int, int], ...]], node: int) -> np.ndarray:
    """(sets, classes): scores of the node after each set of flips."""
    n, edges = graph.num_vertices, []
    for number, flips in enumerate(sets):
        changed = graph.flip(flips)
        edges.append(np.stack([changed.sources, changed.targets]) + number * n)
    x = torch.tensor(np.tile(graph.features.dense(), (len(sets), 1)))
    with torch.no_grad():
        scores = module(x, torch.tensor(np.concatenate(edges, axis=1)))
    return scores.numpy().reshape(len(sets), n, -1)[:, node]


def check_case(seed: int) -> bool:
    """Whether it was decided and agrees; False where a tie or too many graphs leave it out."""
    rng = np.random.default_rng(seed)
    features = int(rng.integers(1, 4))
    module, graph, threat = draw_module(rng, features), draw_graph(rng, features), draw_threat(rng)
    node = int(rng.integers(graph.num_vertices))
    network = ep.from_pyg(module, num_features=features)
    query = make_query(network, graph, threat, node)
    assert threat.budget is not None
    room, sets = _LocalBudgets(query), []
    for size in range(threat.budget + 1):
        for flips in combinations(fragile_pairs(query), size):
            used = np.zeros(graph.num_vertices, dtype=np.int64)
            for u, v in flips:
                used[v] += 1
                used[u] += not graph.directed
            if all(room.left(v) is None or used[v] <= room.left(v) for v in range(graph.num_vertices)):
                sets.append(flips)
        if len(sets) > MOST:
            return False
    scores = leads_after(module, graph, sets, node)
    label = query.claim.label
    leads = np.delete(scores, label, axis=1).max(axis=1) - scores[:, label]
    if (abs(leads) < CLOSE * (1.0 + abs(scores).max(axis=1))).any():
        return False
    broken = [len(flips) for flips, lead in zip(sets, leads.tolist(), strict=True) if lead > 0]
    found = ep.radius(network, graph, threat, node, label=label)
    assert found.exact, (seed, found)
    assert found.robust == (not broken), (seed, found, broken[:3])
    if broken:
        assert found.upper == min(broken) - 1, (seed, found, min(broken))
        assert found.attack is not None
        after = leads_after(module, graph, [tuple(found.attack)], node)[0]
        assert after.argmax() != label, seed
    return True


def test_radii_are_those_of_enumeration_through_the_module(request: pytest.FixtureRequest) -> None:
    """`--campaign 500000` for 5,000 cases."""
    count = request.config.getoption("--campaign") // 100
    first = SEED + request.config.getoption("--campaign-seed") * 1_000_000
    assert sum(check_case(seed) for seed in range(first, first + count)) >= count // 2

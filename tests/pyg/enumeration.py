"""The truth about a claim, by asking the PyG module itself on every admissible graph."""

from __future__ import annotations

import copy
import inspect
from itertools import combinations
from typing import Any

import numpy as np
import torch
from torch_geometric.data import Data

from edgeproof import Graph, Threat
from random_queries import fragile_pairs


def random_graph(rng: np.random.Generator, n: int, features: int, directed: bool, simple: bool = False) -> Graph:
    """simple: undirected, without self-loops, whatever else is said."""
    there = rng.random((n, n)) < 0.4
    np.fill_diagonal(there, (rng.random(n) < 0.2) & (not simple))
    directed = directed and not simple
    if not directed:
        there = np.triu(there) | np.triu(there).T
    return Graph(np.array(np.nonzero(there)), rng.normal(size=(n, features)), directed=directed)


def data_of(graph: Graph) -> Data:
    return Data(
        x=torch.tensor(graph.features.dense()),
        edge_index=torch.tensor(np.stack([graph.sources, graph.targets])),
        batch=torch.zeros(graph.num_vertices, dtype=torch.int64),
    )


class Module:
    """Scores of a module (or a list of layers) that was not converted, called as a user would call it."""

    def __init__(self, model: Any, output: int | str | None = None) -> None:
        self.output = output
        model = model if isinstance(model, list) else as_written(model)
        self.model = [copy.deepcopy(one) for one in model] if isinstance(model, list) else copy.deepcopy(model)
        for one in self.model if isinstance(self.model, list) else [self.model]:
            for part in one.modules() if isinstance(one, torch.nn.Module) else ():
                part.training = False

    def scores(self, graph: Graph) -> np.ndarray:
        data = data_of(graph)
        with torch.no_grad():
            found = self._call(data)
            found = found if self.output is None else found[self.output]
            return found.numpy()

    def _call(self, data: Data) -> torch.Tensor:
        if isinstance(self.model, list):
            x = data.x
            for one in self.model:
                if hasattr(one, "propagate"):
                    x = one(x, data.edge_index)
                else:
                    x = one(x, data.batch) if getattr(one, "__name__", "").startswith("global") else one(x)
            return x
        name = type(self.model).__name__
        for part in self.model.modules():  # a filled cache would keep the graph of the first call
            for cache in ("_cached_edge_index", "_cached_x", "_cached_h"):
                if hasattr(part, cache):
                    setattr(part, cache, None)
        takes = list(inspect.signature(self.model.forward).parameters)
        if takes[0] in ("data", "batch"):
            return self.model(data)
        pools = any("pool" in str(part) for part in vars(self.model).values())  # a Sequential that ends in one
        if name == "Classifier" or "batch" in takes[2:3] or pools:
            return self.model(data.x, data.edge_index, data.batch)
        return self.model(data.x, data.edge_index)


def as_written(model: Any) -> Any:
    """Without what cannot be copied: a compiled module computes what the module does that was compiled."""
    model = getattr(model, "_orig_mod", model)
    if type(model) is torch.nn.DataParallel:
        model = model.module
    for name, part in model.named_children():
        if hasattr(part, "_orig_mod"):
            setattr(model, name, part._orig_mod)
    return model


def smallest_break(module: Module, graph: Graph, threat: Threat, node: int | None, label: int) -> tuple[int, float]:
    """The fewest flips with which another class wins (-1: none), and the smallest margin seen that is no tie."""
    pairs = fragile_pairs(graph, threat, node)
    closest = np.inf
    budget = len(pairs) if threat.budget is None else min(threat.budget, len(pairs))
    for flips in range(budget + 1):
        for chosen in combinations(pairs, flips):
            row = module.scores(graph.flip(chosen))[0 if node is None else node]
            margin = row[label] - np.delete(row, label).max()
            closest = min(closest, abs(margin) if margin else np.inf)
            if margin < 0:
                return flips, closest
    return -1, closest

"""From PyTorch Geometric: a trained module and a Data object are all that a verdict takes."""

from __future__ import annotations

import warnings
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .arithmetic.float64 import evaluate_with_error
from .errors import EdgeproofError
from .model.arrays import FloatArray
from .model.graph import Graph
from .model.network import Aggregation, Network

if TYPE_CHECKING:
    from .convert.pyg.networks import Reading


def from_pyg(
    module: Any, *, num_features: int | None = None, name: str = "", output: int | str | None = None
) -> Network:
    """The network that a trained module computes in evaluation mode.

    module: a torch.nn.Module whose forward takes (x, edge_index), (x, edge_index, batch) or a Data object and can be
    followed by torch.fx; or a list of layers, activations and poolings that are applied one after the other.
    num_features: needed only where the first layer does not say how many it takes.
    output: where forward returns several tensors, which of them holds the scores: its place, or its key in a dict.

    BatchNorm is folded, Dropout dropped, a final softmax or sigmoid left out (it keeps the order of the scores); pruned
    and normalised weights (torch.nn.utils) are taken as the module computes with them. A module that returns one number
    z has the scores (0, z): class 1 where z is above 0. What cannot be verified exactly is refused by name. The result
    is compared with the module on small random graphs before it is returned.
    """
    from .convert.pyg.effective import effective_copy
    from .convert.pyg.networks import read_module, require_torch

    require_torch()
    module = effective_copy(module)
    reading = read_module(module, num_features, output)
    network = Network.from_raw(reading.raw._replace(name=name))
    _compare(network, module, reading, output)
    return network


def _compare(network: Network, module: Any, reading: Reading, output: int | str | None) -> None:
    """That both say the same: releases of PyG differ, and a wrong conversion would make every verdict wrong."""
    from .convert.pyg.evaluate import Evaluation

    origin = reading.raw.origin
    rng, evaluation = np.random.default_rng(0), Evaluation(module, origin, output)
    simple = any(layer.aggregation is Aggregation.SYM for layer in network.layers)
    for n, density in ((1, 0.0), (5, 0.5), (6, 0.3)):
        there = rng.random((n, n)) < density
        features = rng.normal(size=(n, network.num_features))
        if simple:  # networks that speak of such graphs only
            there = np.triu(there, 1) | np.triu(there, 1).T
        graph = Graph(np.array(np.nonzero(there)), features, directed=not simple)
        theirs = evaluation.scores(graph.sources, graph.targets, features)
        scores, error = evaluate_with_error(network, graph)
        room = 1e-9 * (1 + abs(scores).max()) + 1e3 * error
        ours = _as_returned(scores, reading)
        off = abs(theirs.reshape(ours.shape) - ours) if theirs.size == ours.size else np.full(1, np.inf)
        if not (off <= room.reshape(scores.shape)[..., -ours.shape[-1] :]).all():
            raise EdgeproofError(
                f"{origin}: the converted network is off by {off.max():.2g} on a random graph, so nothing was "
                "converted: forward changes tensors in place, or this release of torch_geometric computes something new"
            )


def _as_returned(scores: FloatArray, reading: Reading) -> FloatArray:
    """Our scores as the module returns them."""
    import torch

    some = scores[..., 1:] if reading.one_score else scores
    found = torch.tensor(some, dtype=torch.float64).reshape(-1, some.shape[-1])  # a row a graph, too
    if reading.through is not None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a softmax without its dimension
            found = reading.through(found)
    return np.asarray(found.detach().numpy(), dtype=np.float64).reshape(some.shape)


def load_state_dict(path: str | PathLike[str], architecture: str) -> Network:
    """A `.pt` file of weights, and in words what is computed with them: "sage(mean) relu sage(mean)".

    `edgeproof convert --help` lists the words.
    """
    from .convert.pyg.state_dict import read_state_dict

    layers = read_state_dict(Path(path), architecture)
    return from_pyg(layers, name=Path(path).stem)


def graph_from_pyg(data: Any, *, directed: bool | None = None) -> Graph | tuple[Graph, ...]:
    """A `Data` object as a graph, a `Batch` as the graphs that it is made of.

    Without `directed`, a graph whose edges all have their reverse is undirected. Masks (`train_mask`, ...) are kept for
    `nodes="test"`, `y` as the true classes. Edge weights and features, and edges given twice, are refused.
    """
    from .convert.pyg.graphs import read_data

    raws, is_batch = read_data(data)
    graphs = tuple(Graph.from_raw(raw, directed=directed) for raw in raws)
    return graphs if is_batch else graphs[0]

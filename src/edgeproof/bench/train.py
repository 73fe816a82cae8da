"""Trains the paper's models with PyTorch Geometric and its hyperparameters, for `convert/model_npz.py` to read.

The paper gives epochs, learning rate, weight decay, splits and widths. What it leaves open: Adam on cross-entropy, full
batches for nodes and 32 graphs a batch, and the state that is kept: the best on the validation part.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..convert.disk import tell, write_all
from ..convert.pyg.networks import require_torch
from ..errors import InputError
from ..model.arrays import FloatArray, IntArray
from ..model.graph import Graph
from .experiments import NODE_DATASETS

LEARNING_RATE, WEIGHT_DECAY, EPOCHS, BATCH = 1e-3, 5e-5, 1000, 32
NODE_PARTS, GRAPH_PARTS = (0.3, 0.2), (0.8, 0.1)  # training and validation; the rest is for testing
PARTS = ("train", "val", "test")

Progress = Callable[[int, float], None]  # epochs done, best accuracy on the validation part


class Trained(NamedTuple):
    """The fields of the model's archive; indices and accuracy of every part; the epoch that was kept."""

    fields: dict[str, Any]
    parts: dict[str, IntArray]
    accuracy: dict[str, float]
    epoch: int


def parts_of(dataset: str, graphs: Sequence[Graph], seed: int) -> dict[str, IntArray]:
    """Indices of nodes or graphs for training, validation and test, the same for every model of a dataset."""
    of_nodes = dataset in NODE_DATASETS
    count = graphs[0].num_vertices if of_nodes else len(graphs)
    order = np.random.default_rng(seed).permutation(count)
    ends = np.cumsum([int(share * count) for share in (NODE_PARTS if of_nodes else GRAPH_PARTS)])
    return {name: np.sort(part) for name, part in zip(PARTS, np.split(order, ends), strict=True)}


def train(
    dataset: str,
    graphs: Sequence[Graph],
    parts: dict[str, IntArray],
    aggregation: str,
    shape: tuple[int, int],
    epochs: int,
    seed: int,
    progress: Progress,
) -> Trained:
    """shape: layers and width; seed: of the weights and of the batches."""
    require_torch()
    import torch

    torch.manual_seed(seed)
    torch.set_flush_denormal(True)  # weights decay towards zero, and denormals are slow
    try:
        return _Training(dataset, graphs, parts, aggregation, shape).run(epochs, progress)
    finally:
        torch.set_flush_denormal(False)


class _Training:
    def __init__(
        self,
        dataset: str,
        graphs: Sequence[Graph],
        parts: dict[str, IntArray],
        aggregation: str,
        shape: tuple[int, int],
    ) -> None:
        import torch
        from torch_geometric.data import Data
        from torch_geometric.nn import SAGEConv

        self.dataset, self.parts, self.aggregation = dataset, parts, aggregation
        self.of_nodes = dataset in NODE_DATASETS
        layers, width = shape
        labels = [np.asarray(graph.labels).reshape(-1) for graph in graphs]
        classes, features = int(np.concatenate(labels).max()) + 1, graphs[0].features.num_columns
        self.dims = (
            [features, *[width] * (layers - 1), classes] if self.of_nodes else [features, *[width] * layers, classes]
        )
        self.data = [
            Data(
                x=torch.tensor(graph.features.dense(), dtype=torch.float32),
                edge_index=torch.tensor(np.stack([graph.sources, graph.targets])),
                y=torch.tensor(y),
            )
            for graph, y in zip(graphs, labels, strict=True)
        ]
        convs = [SAGEConv(self.dims[at], self.dims[at + 1], aggr=aggregation) for at in range(layers)]
        last = [] if self.of_nodes else [torch.nn.Linear(*self.dims[-2:])]
        self.convs, self.last = torch.nn.ModuleList(convs), torch.nn.ModuleList(last)
        self.optimiser = torch.optim.Adam(
            [*self.convs.parameters(), *self.last.parameters()], lr=LEARNING_RATE, weight_decay=WEIGHT_DECAY
        )

    def scores(self, batch: Any) -> Any:
        from torch_geometric.nn import global_add_pool

        h = batch.x
        for at, conv in enumerate(self.convs):
            h = conv(h if at == 0 else h.relu(), batch.edge_index)
        return h if self.of_nodes else self.last[0](global_add_pool(h, batch.batch, batch.num_graphs))

    def batches(self, part: str, *, shuffle: bool = False) -> Iterator[tuple[Any, Any, Any]]:
        """Data, what of it belongs to the part (nodes), and its classes."""
        from torch_geometric.loader import DataLoader

        indices = self.parts[part]
        if self.of_nodes:
            yield self.data[0], indices, self.data[0].y[indices]
            return
        for batch in DataLoader([self.data[at] for at in indices], batch_size=BATCH, shuffle=shuffle):
            yield batch, slice(None), batch.y

    def learn(self) -> None:
        import torch

        for batch, chosen, classes in self.batches("train", shuffle=True):
            self.optimiser.zero_grad()
            torch.nn.functional.cross_entropy(self.scores(batch)[chosen], classes).backward()
            self.optimiser.step()

    def measure(self, part: str) -> tuple[float, float]:
        """Accuracy and loss."""
        import torch

        right = total = 0
        loss = 0.0
        with torch.no_grad():
            for batch, chosen, classes in self.batches(part):
                scores = self.scores(batch)[chosen]
                right += int((scores.argmax(dim=1) == classes).sum())
                total += len(classes)
                loss += float(torch.nn.functional.cross_entropy(scores, classes, reduction="sum"))
        return right / max(total, 1), loss / max(total, 1)

    def run(self, epochs: int, progress: Progress) -> Trained:
        best, kept, kept_at = (-1.0, 0.0), dict[str, Any](), 0
        for epoch in range(1, epochs + 1):
            self.learn()
            accuracy, loss = self.measure("val")
            if (accuracy, -loss) > best:
                best, kept, kept_at = (accuracy, -loss), self.weights(), epoch
            progress(epoch, best[0])
        self.restore(kept)
        fields = {**kept, "aggr": self.aggregation, "dataset": self.dataset, "dims": np.array(self.dims)}
        fields["task"] = "node" if self.of_nodes else "graph"
        return Trained(fields, self.parts, {part: self.measure(part)[0] for part in PARTS}, kept_at)

    def _tensors(self) -> dict[str, Any]:
        """Weights under their names in the file."""
        named: dict[str, Any] = {}
        for at, conv in enumerate(self.convs, 1):
            named |= {f"C{at}": conv.lin_r.weight, f"A{at}": conv.lin_l.weight, f"b{at}": conv.lin_l.bias}
        for linear in self.last:
            named |= {"C_out": linear.weight, "b_out": linear.bias}
        return named

    def weights(self) -> dict[str, FloatArray]:
        return {name: tensor.detach().numpy().copy() for name, tensor in self._tensors().items()}

    def restore(self, kept: dict[str, FloatArray]) -> None:
        import torch

        with torch.no_grad():
            for name, tensor in self._tensors().items():
                tensor.copy_(torch.from_numpy(kept[name]))


def known_parts(folder: Path) -> dict[str, IntArray]:
    """What `splits.npz` of a folder of models holds."""
    path = folder / "splits.npz"
    if not path.exists():
        return {}
    try:
        with np.load(path, allow_pickle=False) as held:
            return {name: held[name] for name in held.files}
    except (OSError, ValueError) as problem:
        raise InputError(f"{path}: expected an archive of indices: {tell(problem)}") from None


def check_parts(folder: Path, dataset: str, parts: dict[str, IntArray]) -> None:
    """All models of a folder are tested on the same nodes, or accuracies would not be comparable."""
    known = known_parts(folder)
    for part, indices in parts.items():
        name = f"{dataset}_{part}"
        if name in known and not np.array_equal(known[name], indices):
            raise InputError(f"{folder / 'splits.npz'}: {name} is of another seed: train into another folder")


def save(trained: Trained, path: Path) -> None:
    """The model, and the parts of its dataset in `splits.npz` beside it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    parts = {f"{trained.fields['dataset']}_{part}": indices.astype(np.int32) for part, indices in trained.parts.items()}
    splits = path.parent / "splits.npz"
    write_all({path: [_pack(trained.fields)], splits: [_pack(known_parts(path.parent) | parts)]})


def _pack(fields: dict[str, Any]) -> bytes:
    out = io.BytesIO()
    np.savez_compressed(out, **fields)
    return out.getvalue()

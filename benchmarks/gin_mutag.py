"""A GIN with three layers, trained on MUTAG with PyTorch Geometric, verified under insertions and deletions.

python benchmarks/gin_mutag.py [--graphs 60] [--timeout 60] [--budgets 1 2] [--seed 0]

Trains in some seconds, converts with ep.from_pyg, and asks for each graph of a sample whether its class survives.
"""

from __future__ import annotations

import argparse
from statistics import median

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from torch import nn
from torch_geometric.data import Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GINConv, global_add_pool

import edgeproof as ep
import shared_data


class GIN(nn.Module):
    """Three convolutions with an MLP of two layers and BatchNorm each, add pooling, and an MLP that classifies."""

    def __init__(self, features: int, hidden: int, classes: int) -> None:
        super().__init__()
        widths = [features, hidden, hidden]
        self.convs = nn.ModuleList(
            GINConv(
                nn.Sequential(
                    nn.Linear(width, hidden), nn.BatchNorm1d(hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU()
                ),
                train_eps=True,
            )
            for width in widths
        )
        self.lin1, self.lin2 = nn.Linear(hidden, hidden), nn.Linear(hidden, classes)

    def forward(self, x: torch.Tensor, edge_index: torch.Tensor, batch: torch.Tensor) -> torch.Tensor:
        for conv in self.convs:
            x = conv(x, edge_index)
        x = self.lin1(global_add_pool(x, batch)).relu()
        return self.lin2(F.dropout(x, 0.5, training=self.training))


def to_data(graph: ep.Graph) -> Data:
    return Data(
        x=torch.tensor(graph.features.dense(), dtype=torch.float32),
        edge_index=torch.tensor(np.stack([graph.sources, graph.targets])),
        y=torch.tensor([int(graph.labels)]),
    )


def train(graphs: list[Data], hidden: int, epochs: int) -> GIN:
    model = GIN(graphs[0].num_features, hidden, 2)
    optimiser = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)
    model.train()
    for _ in range(epochs):
        for batch in DataLoader(graphs, batch_size=32, shuffle=True):
            optimiser.zero_grad()
            F.cross_entropy(model(batch.x, batch.edge_index, batch.batch), batch.y).backward()
            optimiser.step()
    return model.eval()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graphs", type=int, default=60, help="how many are verified")
    parser.add_argument("--timeout", type=float, default=60.0, help="seconds a query")
    parser.add_argument("--budgets", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--hidden", type=int, default=16)
    parser.add_argument("--epochs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    graphs = shared_data.graphs("MUTAG")
    splits = np.load(shared_data.data_folder() / "models" / "splits.npz")
    chosen = {part: [to_data(graphs[at]) for at in splits[f"MUTAG_{part}"]] for part in ("train", "test")}
    model = train(chosen["train"], args.hidden, args.epochs)
    network = ep.from_pyg(model, name="GIN")
    for part in ("train", "test"):
        right = [int(network.predict(graphs[at])) == int(graphs[at].labels) for at in splits[f"MUTAG_{part}"]]
        print(f"{part} accuracy {np.mean(right):.3f}")
    print(network)
    sample = np.random.default_rng(args.seed).permutation(len(graphs))[: args.graphs]
    ep.verify(network, graphs[0], ep.Threat(1), timeout=5)  # compiles, loads
    print(f"{'threat':18} {'budget':>6} {'robust':>7} {'vuln.':>6} {'open':>5} {'median':>10} {'longest':>9}")
    for name, flips in (("delete", {}), ("delete and insert", {"insert": True})):
        for budget in args.budgets:
            verdicts = [
                ep.verify(network, graphs[at], ep.Threat(budget, **flips), timeout=args.timeout) for at in sample
            ]
            count = [sum(one.status == status for one in verdicts) for status in ("robust", "vulnerable", "unknown")]
            seconds = [one.stats.seconds for one in verdicts]
            print(
                f"{name:18} {budget:>6} {count[0]:>7} {count[1]:>6} {count[2]:>5} {1e3 * median(seconds):>8.1f}ms"
                f" {max(seconds):>8.2f}s",
                flush=True,
            )


if __name__ == "__main__":
    main()

"""Models as people write them, after the documentation, the tutorials and the examples of PyTorch Geometric.

Each is accepted, or refused with a sentence of which a part is given here.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import torch
import torch.nn.functional as F
import torch_geometric.nn as g
from torch import nn
from torch_geometric.utils import add_remaining_self_loops, add_self_loops, degree, dropout_edge, remove_self_loops

from zoo import CLASSES, FEATURES, HIDDEN, STEP, gin

IN, OUT = FEATURES, CLASSES
Make = Callable[[], Any]


# --- nodes: the shapes that models of the examples have ---


class TwoLayers(nn.Module):
    """examples/gcn.py and most others."""

    def __init__(self, conv: Any, act: Any = F.relu, final: Any = None, out: int = OUT, **how: Any) -> None:
        super().__init__()
        self.conv1, self.conv2 = conv(IN, HIDDEN, **how), conv(HIDDEN, out, **how)
        self.act, self.final = act, final

    def forward(self, x, edge_index, edge_weight=None):
        x = F.dropout(x, p=0.5, training=self.training)
        x = self.act(self.conv1(x, edge_index))
        x = F.dropout(x, p=0.5, training=self.training)
        x = self.conv2(x, edge_index)
        return x if self.final is None else self.final(x)


class OfData(nn.Module):
    """The introduction by example."""

    def __init__(self, conv: Any, **how: Any) -> None:
        super().__init__()
        self.conv1, self.conv2 = conv(IN, HIDDEN, **how), conv(HIDDEN, OUT, **how)

    def forward(self, data):
        x, edge_index = data.x, data.edge_index
        x = self.conv1(x, edge_index)
        x = F.relu(x)
        x = F.dropout(x, training=self.training)
        x = self.conv2(x, edge_index)
        return F.log_softmax(x, dim=1)


class OfBatch(nn.Module):
    """`for batch in loader: model(batch)`."""

    def __init__(self, conv: Any) -> None:
        super().__init__()
        self.conv1, self.lin = conv(IN, HIDDEN), nn.Linear(HIDDEN, OUT)

    def forward(self, batch):
        x = self.conv1(batch.x, batch.edge_index).relu()
        return self.lin(g.global_mean_pool(x, batch.batch))


class Deep(nn.Module):
    """A list of layers with norms, residual connections or all hidden states together."""

    def __init__(
        self, conv: Any, layers: int = 3, norm: Any = nn.BatchNorm1d, how: str = "plain", **options: Any
    ) -> None:
        super().__init__()
        widths = [IN] + [HIDDEN] * layers
        self.convs = nn.ModuleList(conv(a, b, **options) for a, b in pairwise(widths))
        self.norms = nn.ModuleList(norm(HIDDEN) for _ in range(layers))
        self.how = how
        self.skip = nn.Linear(IN, HIDDEN)
        self.lin = nn.Linear(HIDDEN * (layers if how == "cat" else 1), OUT)

    def forward(self, x, edge_index):
        hidden = []
        start = self.skip(x)
        for conv, norm in zip(self.convs, self.norms, strict=True):
            h = norm(conv(x, edge_index)).relu()
            x = h + x if self.how == "residual" and x is not None and hidden else h
            x = x + 0.2 * start if self.how == "initial" else x
            hidden.append(x)
        if self.how == "cat":
            x = torch.cat(hidden, dim=-1)
        if self.how == "sum":
            x = sum(hidden)
        if self.how == "mean":
            x = torch.stack(hidden, dim=0).mean(dim=0)
        if self.how == "max":
            x = torch.stack(hidden, dim=-1).max(dim=-1)[0]
        return self.lin(x)


class SGC(nn.Module):
    """examples/sgc.py."""

    def __init__(self, conv: Any = g.SGConv, **how: Any) -> None:
        super().__init__()
        self.conv1 = conv(IN, OUT, **how)

    def forward(self, data):
        x = self.conv1(data.x, data.edge_index)
        return F.log_softmax(x, dim=1)


class Appnp(nn.Module):
    """examples/citation/appnp.py."""

    def __init__(self, **how: Any) -> None:
        super().__init__()
        self.lin1, self.lin2 = nn.Linear(IN, HIDDEN), nn.Linear(HIDDEN, OUT)
        self.prop1 = g.APPNP(**{"K": 3, "alpha": 0.1, **how})

    def forward(self, data):
        x, edge_index = data.x, data.edge_index
        x = F.relu(self.lin1(F.dropout(x, p=0.5, training=self.training)))
        x = self.lin2(x)
        return F.log_softmax(self.prop1(x, edge_index), dim=1)


class GCN2(nn.Module):
    """examples/gcn2_cora.py."""

    def __init__(self, layers: int = 3, shared: bool = True, **how: Any) -> None:
        super().__init__()
        self.lins = nn.ModuleList([nn.Linear(IN, HIDDEN), nn.Linear(HIDDEN, OUT)])
        self.convs = nn.ModuleList(
            g.GCN2Conv(HIDDEN, 0.1, 0.5, k + 1, shared_weights=shared, **how) for k in range(layers)
        )

    def forward(self, x, edge_index):
        x = x_0 = self.lins[0](x).relu()
        for conv in self.convs:
            x = F.dropout(x, 0.6, training=self.training)
            x = conv(x, x_0, edge_index).relu()
        return self.lins[1](x).log_softmax(dim=-1)


class MixHop(nn.Module):
    """examples/mixhop.py, smaller."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.conv2 = g.MixHopConv(IN, 2, [0, 1, 2]), g.MixHopConv(6, 2, [0, 1])
        self.norm, self.lin = g.BatchNorm(6), nn.Linear(4, OUT)

    def forward(self, x, edge_index):
        x = self.norm(self.conv1(x, edge_index)).relu()
        return self.lin(self.conv2(x, edge_index))


class Arma(nn.Module):
    """examples/arma.py."""

    def __init__(self, act: Any = torch.relu, **how: Any) -> None:
        super().__init__()
        how = {"num_stacks": 2, "num_layers": 2, "shared_weights": True, "dropout": 0.25, **how}
        self.conv1, self.conv2 = g.ARMAConv(IN, HIDDEN, act=act, **how), g.ARMAConv(HIDDEN, OUT, act=lambda x: x)

    def forward(self, x, edge_index):
        x = F.relu(self.conv1(F.dropout(x, training=self.training), edge_index))
        return self.conv2(x, edge_index)


class ArmaOne(Arma):
    def __init__(self, act: Any = torch.relu, **how: Any) -> None:
        super().__init__(act, **how)
        self.conv2 = g.ARMAConv(HIDDEN, OUT, act=None)


class Lightly(nn.Module):
    """The layers of LightGCN on given features: the mean of all hops."""

    def __init__(self, normalize: bool = True) -> None:
        super().__init__()
        self.emb = nn.Linear(IN, OUT)
        self.convs = nn.ModuleList(g.LGConv(normalize=normalize) for _ in range(2))

    def forward(self, x, edge_index):
        x = self.emb(x)
        out = x * (1 / 3)
        for conv in self.convs:
            x = conv(x, edge_index)
            out = out + x * (1 / 3)
        return out


class WithLoops(nn.Module):
    """Self-loops are put in by forward, as the tutorial on message passing does."""

    def __init__(self, conv: Any, **how: Any) -> None:
        super().__init__()
        self.conv1, self.conv2 = conv(IN, HIDDEN, **how), conv(HIDDEN, OUT, **how)

    def forward(self, x, edge_index):
        edge_index, _ = add_self_loops(edge_index, num_nodes=x.size(0))
        x = self.conv1(x, edge_index).relu()
        return self.conv2(x, edge_index)


class Completes(WithLoops):
    def forward(self, x, edge_index):
        edge_index, _ = add_remaining_self_loops(edge_index, num_nodes=x.shape[0])
        return self.conv2(self.conv1(x, edge_index).relu(), edge_index)


class Removes(WithLoops):
    def forward(self, x, edge_index):
        edge_index, _ = remove_self_loops(edge_index)
        edge_index, _ = add_self_loops(edge_index, num_nodes=x.size(0))
        return self.conv2(self.conv1(x, edge_index).relu(), edge_index)


class DropsEdges(WithLoops):
    def forward(self, x, edge_index):
        edge_index, _ = dropout_edge(edge_index, p=0.2, training=self.training)
        return self.conv2(self.conv1(x, edge_index).relu(), edge_index)


class Tuple(nn.Module):
    """The first colab notebook: scores, and the embedding before them."""

    def __init__(self, conv: Any, act: Any = torch.relu) -> None:
        super().__init__()
        self.conv1, self.conv2, self.classifier = conv(IN, HIDDEN), conv(HIDDEN, 2), nn.Linear(2, OUT)
        self.act = act

    def forward(self, x, edge_index):
        h = self.act(self.conv1(x, edge_index))
        h = self.act(self.conv2(h, edge_index))
        return self.classifier(h), h


class Dict(Tuple):
    def forward(self, x, edge_index):
        scores, h = super().forward(x, edge_index)
        return {"scores": scores, "embedding": h.tanh()}


class OneLogit(nn.Module):
    def __init__(self, how: str = "") -> None:
        super().__init__()
        self.conv1, self.lin, self.how = g.SAGEConv(IN, HIDDEN), nn.Linear(HIDDEN, 1), how

    def forward(self, x, edge_index):
        x = self.lin(self.conv1(x, edge_index).relu())
        if self.how == "sigmoid":
            return torch.sigmoid(x)
        if self.how == "squeeze":
            return x.squeeze(-1)
        if self.how == "view":
            return torch.sigmoid(x).view(-1)
        return x[:, 0] if self.how == "column" else x


class Jumps(nn.Module):
    """examples/graph_saint.py: three GraphConv whose outputs go side by side into one Linear."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.conv2 = g.GraphConv(IN, HIDDEN), g.GraphConv(HIDDEN, HIDDEN)
        self.lin = nn.Linear(2 * HIDDEN, OUT)

    def forward(self, x0, edge_index, edge_weight=None):
        x1 = F.relu(self.conv1(x0, edge_index, edge_weight))
        x2 = F.relu(self.conv2(x1, edge_index, edge_weight))
        return self.lin(torch.cat([x1, x2], dim=-1)).log_softmax(dim=-1)


class LearnedMix(nn.Module):
    """A learned weight between a layer and a skip connection."""

    def __init__(self, gate: Any = torch.sigmoid) -> None:
        super().__init__()
        self.conv, self.lin, self.last = g.SAGEConv(IN, HIDDEN), nn.Linear(IN, HIDDEN), g.SAGEConv(HIDDEN, OUT)
        self.alpha, self.gate = nn.Parameter(torch.zeros(1)), gate

    def forward(self, x, edge_index):
        a = self.gate(self.alpha)
        x = a * self.conv(x, edge_index) + (1 - a) * self.lin(x)
        return self.last(x.relu(), edge_index)


class Encoder(nn.Module):
    """examples/autoencoder.py and link_pred.py."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.conv2 = g.GCNConv(IN, HIDDEN), g.GCNConv(HIDDEN, OUT)

    def forward(self, x, edge_index):
        return self.conv2(self.conv1(x, edge_index).relu(), edge_index)


class Wrapped(nn.Module):
    """A network inside a network, as a LightningModule is written."""

    def __init__(self, inner: Any) -> None:
        super().__init__()
        self.model = inner

    def forward(self, x, edge_index):
        return self.model(x, edge_index)


class Between(nn.Module):
    """`step` between two layers."""

    def __init__(self, step: Any, conv: Any = g.SAGEConv, **how: Any) -> None:
        super().__init__()
        self.conv1, self.conv2, self.step = conv(IN, HIDDEN, **how), conv(HIDDEN, OUT, **how), step

    def forward(self, x, edge_index):
        return self.conv2(self.step(self.conv1(x, edge_index)), edge_index)


# --- graphs ---


class Graphs(nn.Module):
    """The third colab notebook: three layers, a pooling, a Linear."""

    def __init__(self, conv: Any, pool: Any, act: Any = F.relu, parts: int = 1) -> None:
        super().__init__()
        self.conv1, self.conv2 = conv(IN, HIDDEN), conv(HIDDEN, HIDDEN)
        self.pool, self.act = pool, act
        self.lin1, self.lin2 = nn.Linear(parts * HIDDEN, HIDDEN), nn.Linear(HIDDEN, OUT)

    def forward(self, x, edge_index, batch):
        x = self.act(self.conv1(x, edge_index))
        x = self.act(self.conv2(x, edge_index))
        x = self.pool(x, batch)
        x = F.dropout(x, p=0.5, training=self.training)
        return self.lin2(F.relu(self.lin1(x)))


class Mutag(nn.Module):
    """examples/mutag_gin.py."""

    def __init__(self) -> None:
        super().__init__()
        self.gnn = g.GIN(IN, HIDDEN, 2, dropout=0.5, jk="cat")
        self.classifier = g.MLP([HIDDEN, HIDDEN, OUT], norm="batch_norm", dropout=0.5)

    def forward(self, x, edge_index, batch):
        x = self.gnn(x, edge_index)
        x = g.global_add_pool(x, batch)
        return self.classifier(x)


class SumOfPools(nn.Module):
    """examples/enzymes_topk_pool.py without its ranking: a readout after every layer, added up."""

    def __init__(self, both: bool = False) -> None:
        super().__init__()
        self.conv1, self.conv2 = g.GraphConv(IN, HIDDEN), g.GraphConv(HIDDEN, HIDDEN)
        self.both = both
        self.lin = nn.Linear(HIDDEN * (1 + both), OUT)

    def read(self, x, batch):
        mean = g.global_mean_pool(x, batch)
        return torch.cat([g.global_max_pool(x, batch), mean], dim=1) if self.both else mean

    def forward(self, x, edge_index, batch):
        x = F.relu(self.conv1(x, edge_index))
        x1 = self.read(x, batch)
        x = F.relu(self.conv2(x, edge_index))
        return self.lin(x1 + self.read(x, batch)).log_softmax(dim=-1)


class Ranks(nn.Module):
    def __init__(self, pool: Any) -> None:
        super().__init__()
        self.conv1, self.pool1, self.lin = g.GraphConv(IN, HIDDEN), pool(HIDDEN), nn.Linear(HIDDEN, OUT)

    def forward(self, x, edge_index, batch):
        x = F.relu(self.conv1(x, edge_index))
        x, edge_index, _, batch, _, _ = self.pool1(x, edge_index, None, batch)
        return self.lin(g.global_mean_pool(x, batch))


# --- what asks for more than a network has ---


class Weighted(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.conv2 = g.GCNConv(IN, HIDDEN), g.GCNConv(HIDDEN, OUT)

    def forward(self, x, edge_index, edge_weight):
        return self.conv2(self.conv1(x, edge_index, edge_weight).relu(), edge_index, edge_weight)


class WeightedData(Weighted):
    def forward(self, data):
        x, edge_index, edge_weight = data.x, data.edge_index, data.edge_attr
        return self.conv2(self.conv1(x, edge_index, edge_weight).relu(), edge_index, edge_weight)


class OwnMessages(g.MessagePassing):
    """The tutorial on message passing."""

    def __init__(self, a: int, b: int) -> None:
        super().__init__(aggr="add")
        self.lin = nn.Linear(a, b)

    def forward(self, x, edge_index):
        return self.propagate(edge_index, x=self.lin(x))


class ByDegree(WithLoops):
    def forward(self, x, edge_index):
        _, col = edge_index
        deg = degree(col, x.size(0))
        return self.conv2(self.conv1(x, edge_index) / deg.view(-1, 1), edge_index)


class Positions(Encoder):
    def forward(self, data):
        x = torch.cat([data.x, data.pos], dim=-1)
        return self.conv1(x, data.edge_index)


class PicksTargets(Encoder):
    def forward(self, data):
        return self.conv1(data.x, data.edge_index)[data.train_mask]


class Embeds(Encoder):
    def __init__(self) -> None:
        super().__init__()
        self.emb = nn.Embedding(10, IN)

    def forward(self, x, edge_index):
        return super().forward(self.emb(x), edge_index)


class Branches(Encoder):
    def forward(self, x, edge_index):
        return super().forward(x, edge_index) if x.mean() > 0 else x


class Counts(Encoder):
    def forward(self, x, edge_index):
        for _ in range(len(x)):
            x = self.conv1(x, edge_index)
        return x


class Loops(Encoder):
    def forward(self, x, edge_index):
        for row in x:
            x = x + row
        return self.conv1(x, edge_index)


class Dot(Encoder):
    def forward(self, x, edge_index):
        z = super().forward(x, edge_index)
        return z @ z.t()


def halves(x: Any) -> Any:
    first, second = x.chunk(2, dim=-1)
    return torch.cat([first.relu(), second], dim=-1)


def mean_and_max() -> Any:
    return g.aggr.MultiAggregation(["mean", "max"])


def compiled() -> Any:
    return torch.compile(TwoLayers(g.SAGEConv), backend="eager")


def compiled_inside() -> Any:
    model = TwoLayers(g.SAGEConv)
    model.conv1 = torch.compile(model.conv1, backend="eager")
    return model


def conv(kind: Any, act: Any = F.relu, final: Any = None, **how: Any) -> Make:
    return lambda: TwoLayers(kind, act, final, **how)


def stock(kind: Any, **how: Any) -> Make:
    return lambda: kind(IN, HIDDEN, how.pop("layers", 2) if "layers" in how else 2, OUT, **how)


# name: (how it is made, further arguments of from_pyg)
ACCEPTED: dict[str, tuple[Make, dict[str, Any]]] = {
    name: made if isinstance(made, tuple) else (made, {})
    for name, made in {
        # single kinds of layers, twice
        "GCNConv": conv(g.GCNConv),
        "GCNConv log_softmax": conv(g.GCNConv, final=lambda x: F.log_softmax(x, dim=1)),
        "GCNConv cached": conv(g.GCNConv, cached=True),
        "GCNConv improved": conv(g.GCNConv, improved=True),
        "GCNConv without self-loops": conv(g.GCNConv, add_self_loops=False),
        "GCNConv without normalisation": conv(g.GCNConv, normalize=False),
        "GCNConv without bias": conv(g.GCNConv, bias=False),
        "SAGEConv": conv(g.SAGEConv),
        "SAGEConv max": conv(g.SAGEConv, aggr="max"),
        "SAGEConv min": conv(g.SAGEConv, aggr="min"),
        "SAGEConv sum": conv(g.SAGEConv, aggr="sum"),
        "SAGEConv mean and max": conv(g.SAGEConv, aggr=["mean", "max"]),
        "SAGEConv sum, mean, min and max": conv(g.SAGEConv, aggr=["sum", "mean", "min", "max"]),
        "SAGEConv sum of mean and max": conv(g.SAGEConv, aggr=["mean", "max"], aggr_kwargs={"mode": "sum"}),
        "SAGEConv without root": conv(g.SAGEConv, root_weight=False),
        "SAGEConv project": conv(g.SAGEConv, project=True),
        "GATConv": conv(g.GATConv),
        "GATConv heads": conv(lambda a, b: g.GATConv(a, b, heads=2, concat=False, residual=True)),
        "GATConv without self-loops": conv(g.GATConv, add_self_loops=False, negative_slope=0.0),
        "GATv2Conv": conv(g.GATv2Conv, dropout=0.5),
        "GATv2Conv shared": conv(lambda a, b: g.GATv2Conv(a, b, heads=3, concat=False, share_weights=True)),
        "GATv2Conv residual": conv(g.GATv2Conv, residual=True, bias=False),
        "add_self_loops GAT": lambda: WithLoops(g.GATConv),
        "add_remaining_self_loops GAT": lambda: Completes(lambda *a: g.GATConv(*a, add_self_loops=False)),
        "GraphConv": conv(g.GraphConv),
        "GraphConv mean": conv(g.GraphConv, aggr="mean"),
        "GINConv": lambda: TwoLayers(gin),
        "GINConv Sequential": lambda: TwoLayers(
            lambda a, b: g.GINConv(nn.Sequential(nn.Linear(a, b), nn.ReLU(), nn.Linear(b, b), nn.ReLU()))
        ),
        "SGConv": lambda: SGC(K=2, cached=True),
        "SGConv without self-loops": lambda: SGC(K=2, add_self_loops=False),
        "SSGConv": lambda: SGC(g.SSGConv, alpha=0.1, K=3),
        "APPNP": Appnp,
        "APPNP without self-loops": lambda: Appnp(add_self_loops=False),
        "APPNP without normalisation": lambda: Appnp(normalize=False, add_self_loops=False, K=2),
        "GCN2Conv": GCN2,
        "GCN2Conv own weights": lambda: GCN2(2, False),
        "GCN2Conv deep": lambda: GCN2(5),
        "TAGConv": conv(g.TAGConv, K=2),
        "TAGConv without normalisation": conv(g.TAGConv, K=2, normalize=False),
        "MixHopConv": MixHop,
        "ChebConv 1": conv(g.ChebConv, K=1),
        "ChebConv 2": conv(g.ChebConv, K=2),
        "ChebConv 4": lambda: SGC(g.ChebConv, K=4),
        "ARMAConv": ArmaOne,
        "ARMAConv own weights": lambda: ArmaOne(shared_weights=False, num_stacks=1),
        "LGConv": Lightly,
        "LGConv without normalisation": lambda: Lightly(False),
        "SimpleConv": lambda: [g.SimpleConv(), nn.Linear(IN, OUT)],
        "SimpleConv self_loop": lambda: [g.SimpleConv(combine_root="self_loop"), nn.Linear(IN, OUT)],
        "SimpleConv cat": lambda: [g.SimpleConv("mean", combine_root="cat"), nn.Linear(2 * IN, OUT)],
        # activations
        "relu6": conv(g.SAGEConv, F.relu6),
        "ReLU6": conv(g.GCNConv, nn.ReLU6()),
        "hardtanh": conv(g.SAGEConv, F.hardtanh),
        "Hardtanh": conv(g.SAGEConv, nn.Hardtanh(-2.0, 0.5)),
        "hardsigmoid": conv(g.SAGEConv, F.hardsigmoid),
        "Hardsigmoid": conv(g.GraphConv, nn.Hardsigmoid()),
        "clamp": conv(g.SAGEConv, lambda x: x.clamp(min=-1.0, max=1.0)),
        "clamp below": conv(g.SAGEConv, lambda x: torch.clamp(x, min=0.0)),
        "clamp above": conv(g.SAGEConv, lambda x: x.clamp(max=1.5)),
        "abs": conv(g.SAGEConv, torch.abs),
        "leaky_relu": conv(g.SAGEConv, F.leaky_relu),
        "LeakyReLU negative": conv(g.SAGEConv, nn.LeakyReLU(-0.5)),
        "PReLU": conv(g.SAGEConv, nn.PReLU(HIDDEN)),
        "PReLU steep": conv(g.SAGEConv, nn.PReLU(HIDDEN, init=1.5)),
        "RReLU": conv(g.SAGEConv, nn.RReLU()),
        "Softshrink": conv(g.SAGEConv, nn.Softshrink()),
        "elu": conv(g.SAGEConv, F.elu),
        "ELU alpha": conv(g.GCNConv, nn.ELU(0.5)),
        "CELU": conv(g.SAGEConv, nn.CELU(0.7)),
        "selu": conv(g.GraphConv, torch.selu),
        "gelu": conv(g.SAGEConv, F.gelu),
        "GELU": conv(g.SAGEConv, nn.GELU()),
        "GELU tanh": conv(g.GCNConv, nn.GELU("tanh")),
        "silu": conv(g.SAGEConv, F.silu),
        "tanh": conv(g.GCNConv, torch.tanh),
        "tanh method": conv(g.SAGEConv, lambda x: x.tanh()),
        "sigmoid": conv(g.SAGEConv, torch.sigmoid),
        "softplus": conv(g.GraphConv, F.softplus),
        "Softplus beta": conv(g.SAGEConv, nn.Softplus(2.0)),
        "logsigmoid": conv(g.SAGEConv, F.logsigmoid),
        "Tanhshrink": conv(g.SAGEConv, nn.Tanhshrink()),
        "GCN act elu": stock(g.GCN, act="elu"),
        "GraphSAGE act gelu": stock(g.GraphSAGE, act="gelu"),
        "tanh, as the first notebook": lambda: Between(torch.tanh),
        "deep gelu": lambda: Deep(g.SAGEConv, norm=lambda width: nn.Sequential(nn.BatchNorm1d(width), nn.GELU())),
        "no activation": conv(g.SAGEConv, lambda x: x),
        "final sigmoid": conv(g.SAGEConv, final=torch.sigmoid),
        "final tanh": conv(g.SAGEConv, final=torch.tanh),
        "final softmax": conv(g.GCNConv, final=lambda x: x.softmax(dim=-1)),
        "final ELU": conv(g.SAGEConv, final=nn.ELU()),
        # shapes of models
        "Data": lambda: OfData(g.GCNConv),
        "Data SAGE": lambda: OfData(g.SAGEConv, aggr="max"),
        "batch": lambda: OfBatch(g.GraphConv),
        "deep": lambda: Deep(g.GCNConv),
        "deep residual": lambda: Deep(g.SAGEConv, how="residual"),
        "deep initial": lambda: Deep(g.GCNConv, how="initial"),
        "deep cat": lambda: Deep(g.SAGEConv, how="cat"),
        "deep sum": lambda: Deep(g.GraphConv, how="sum"),
        "deep mean": lambda: Deep(g.SAGEConv, how="mean"),
        "deep max": lambda: Deep(g.SAGEConv, how="max", layers=2),
        "deep PyG BatchNorm": lambda: Deep(g.SAGEConv, norm=g.BatchNorm),
        "tuple": (lambda: Tuple(g.GCNConv), {"output": 0}),
        "tuple's last": (lambda: Tuple(g.SAGEConv), {"output": -1}),
        "dict": (lambda: Dict(g.SAGEConv), {"output": "scores"}),
        "one logit": OneLogit,
        "one logit sigmoid": lambda: OneLogit("sigmoid"),
        "one logit squeezed": lambda: OneLogit("squeeze"),
        "one logit viewed": lambda: OneLogit("view"),
        "one logit's column": lambda: OneLogit("column"),
        "jumps": Jumps,
        "learned mix": LearnedMix,
        "learned mix method": lambda: LearnedMix(lambda a: a.sigmoid()),
        "encoder": Encoder,
        "GAE": lambda: g.GAE(Encoder()),
        "DataParallel": lambda: nn.DataParallel(TwoLayers(g.SAGEConv)),
        "compiled": compiled,
        "compiled inside": compiled_inside,
        "wrapped": lambda: Wrapped(g.GraphSAGE(IN, HIDDEN, 2, OUT)),
        "add_self_loops sum": lambda: WithLoops(g.GraphConv),
        "add_self_loops GCN": lambda: WithLoops(g.GCNConv),
        "add_remaining_self_loops GCN": lambda: Completes(g.GCNConv),
        "remove and add GCN": lambda: Removes(g.GCNConv),
        "dropout_edge": lambda: DropsEdges(g.SAGEConv),
        "Sequential": lambda: g.Sequential(
            "x, edge_index", [(g.GCNConv(IN, HIDDEN), STEP), nn.ReLU(inplace=True), nn.Linear(HIDDEN, OUT)]
        ),
        "split": lambda: Between(halves),
        "columns": lambda: Between(lambda x: torch.cat([x[:, :2].relu(), x[:, 2:]], dim=-1)),
        # stock models
        "GCN": stock(g.GCN),
        "GCN act hardtanh": stock(g.GCN, act="hardtanh"),
        "GraphSAGE": stock(g.GraphSAGE, jk="max"),
        "GraphSAGE mean and max": stock(g.GraphSAGE, aggr=["mean", "max"]),
        "GIN": stock(g.GIN, norm="batch_norm"),
        "GAT": stock(g.GAT),
        "GAT v2 jumping": stock(g.GAT, v2=True, jk="cat"),
        "MLP": lambda: g.MLP([IN, HIDDEN, OUT]),
        # graphs
        "graphs mean": lambda: Graphs(g.GCNConv, g.global_mean_pool),
        "graphs add": lambda: Graphs(g.GraphConv, g.global_add_pool),
        "graphs max": lambda: Graphs(g.SAGEConv, g.global_max_pool),
        "graphs min": lambda: Graphs(g.SAGEConv, g.aggr.MinAggregation()),
        "graphs GAT": lambda: Graphs(g.GATConv, g.global_mean_pool),
        "graphs TAG": lambda: Graphs(g.TAGConv, g.global_mean_pool),
        "graphs sum over dim": lambda: Graphs(g.SAGEConv, lambda x, batch: x.sum(dim=0, keepdim=True)),
        "mutag": Mutag,
        "sum of pools": SumOfPools,
    }.items()
}

REFUSED: dict[str, tuple[Make, str]] = {
    "GATConv with edge features": (conv(g.GATConv, edge_dim=2), r"^conv1 \(GATConv\): edge_dim is set"),
    "GATConv steep": (conv(g.GATConv, negative_slope=1.5), r"\(GATConv\): negative_slope=1.5 is not from 0 to 1"),
    "GATConv with loops": (
        lambda: WithLoops(lambda *a: g.GATConv(*a, add_self_loops=False)),
        r"\(GATConv\): .*add_self_loops=True",
    ),
    "TransformerConv": (conv(g.TransformerConv), r"^conv1 \(TransformerConv\): attention"),
    "SuperGATConv": (conv(g.SuperGATConv), r"^conv1 \(SuperGATConv\): attention"),
    "AGNNConv": (lambda: [nn.Linear(IN, OUT), g.AGNNConv()], r"^layers\[1\] \(AGNNConv\): attention"),
    "FAConv": (lambda: GCN2Like(g.FAConv), r"^conv \(FAConv\): attention"),
    "RGCNConv": (lambda: TwoLayers(lambda a, b: g.RGCNConv(a, b, 2)), r"^conv1 \(RGCNConv\): .* types of edges"),
    "GINEConv": (
        lambda: TwoLayers(lambda a, b: g.GINEConv(nn.Linear(a, b), edge_dim=2)),
        r"\(GINEConv\): .*edge features",
    ),
    "NNConv": (lambda: TwoLayers(lambda a, b: g.NNConv(a, b, nn.Linear(2, a * b))), r"\(NNConv\): .*edge features"),
    "PNAConv": (
        lambda: TwoLayers(lambda a, b: g.PNAConv(a, b, ["mean"], ["identity"], torch.ones(3))),
        r"\(PNAConv\): its degree scalers",
    ),
    "EdgeConv": (
        lambda: TwoLayers(lambda a, b: g.EdgeConv(nn.Linear(2 * a, b))),
        r"\(EdgeConv\): each message is a nonlinear",
    ),
    "GatedGraphConv": (lambda: [g.GatedGraphConv(IN, 2)], r"\(GatedGraphConv\): its gates"),
    "LEConv": (conv(g.LEConv), r"\(LEConv\): .* features times its degree.*use GraphConv"),
    "MFConv": (conv(g.MFConv), r"\(MFConv\): it has other weights for every degree"),
    "ClusterGCNConv with loops": (conv(g.ClusterGCNConv), r"^conv1 \(ClusterGCNConv\): .*in-degree plus one"),
    "ChebConv rw": (conv(g.ChebConv, K=2, normalization="rw"), r"\(ChebConv\): normalization='rw' scales by"),
    "ResGatedGraphConv": (conv(g.ResGatedGraphConv), r"\(ResGatedGraphConv\): each message is"),
    "SAGEConv normalize": (conv(g.SAGEConv, normalize=True), r"\(SAGEConv\): normalize=True divides by a norm"),
    "SAGEConv median": (conv(g.SAGEConv, aggr="median"), r"aggr='median' is not supported: it picks .* use max or min"),
    "SAGEConv softmax": (conv(g.SAGEConv, aggr="softmax"), r"aggr='softmax' is not supported"),
    "SAGEConv lstm": (conv(g.SAGEConv, aggr="lstm"), r"aggr='lstm' is not supported: its gates"),
    "SAGEConv std": (conv(g.SAGEConv, aggr=["mean", "std"]), r"aggr='std' is not supported"),
    "mish": (
        conv(g.SAGEConv, F.mish),
        r"^TwoLayers\.forward, line \d+ \(mish\): it is curved in a way.* retrain with GELU",
    ),
    "Softplus, low threshold": (conv(g.SAGEConv, nn.Softplus(1.0, 5.0)), r"^act \(Softplus\): past its threshold 5"),
    "a tuple": (lambda: Tuple(g.GCNConv, torch.tanh), "forward returns a tuple of 2.*output="),
    "GraphNorm": (lambda: Deep(g.SAGEConv, norm=g.GraphNorm), r"^norms\.0 \(GraphNorm\): it divides by a statistic"),
    "LayerNorm": (lambda: Deep(g.SAGEConv, norm=nn.LayerNorm), r"^norms\.0 \(LayerNorm\): it divides by a statistic"),
    "PairNorm": (lambda: Deep(g.SAGEConv, norm=lambda width: g.PairNorm()), r"^norms\.0 \(PairNorm\)"),
    "mean and max pool": (
        lambda: Graphs(g.SAGEConv, mean_and_max(), parts=2),
        "it pools by max and by mean, a network has one readout",
    ),
    "both pools": (lambda: SumOfPools(True), "it pools by max and by mean, a network has one readout"),
    "TopKPooling": (lambda: Ranks(g.TopKPooling), r"pool1 \(TopKPooling\): it drops vertices"),
    "SAGPooling": (lambda: Ranks(g.SAGPooling), r"pool1 \(SAGPooling\): it drops vertices"),
    "edge weights": (Weighted, r"forward takes 'edge_weight'.*an adversary inserts has none"),
    "edge weights of Data": (
        WeightedData,
        r"^conv1 \(GCNConv\): it gets weights or features of edges \(data.edge_attr\)",
    ),
    "own messages": (lambda: TwoLayers(OwnMessages), r"^conv1 \(OwnMessages\): it passes messages of its own"),
    "degrees": (lambda: ByDegree(g.SAGEConv), r"ByDegree\.forward, line \d+ \(division\): it computes with"),
    "positions": (Positions, r"Positions\.forward, line \d+ \(cat\): it computes with data\.pos"),
    "a mask": (PicksTargets, r"\(indexing\): forward picks out some of the vertices"),
    "Embedding": (Embeds, r"^emb \(Embedding\): it looks features up by number"),
    "an if": (Branches, r"Branches: forward cannot be followed.*: it decides by what the data holds"),
    "a count": (Counts, r"Counts: forward cannot be followed.*: it needs a number from the data"),
    "a loop": (Loops, r"Loops: forward cannot be followed.*: it goes through a tensor piece by piece"),
    "dot products": (Dot, r"\(t\): it changes the shape of the features"),
    "squares": (lambda: Between(lambda x: x**2), r"\(\*\*\): a power is curved"),
    "F.normalize": (lambda: Between(F.normalize), r"\(normalize\)|cannot be followed"),
    "softmax between": (
        lambda: Between(lambda x: F.softmax(x, dim=-1)),
        r"\(softmax\): it divides by a sum of exponentials",
    ),
    "add_self_loops mean": (lambda: WithLoops(g.SAGEConv), r"^conv1 \(SAGEConv\): it takes a mean over neighb"),
    "remove_self_loops": (lambda: Removes(g.SAGEConv), r"^conv1 \(SAGEConv\): it takes a mean over neighbours"),
    "HypergraphConv": (conv(g.HypergraphConv), r"\(HypergraphConv\): hyperedges"),
}


class GCN2Like(nn.Module):
    def __init__(self, kind: Any) -> None:
        super().__init__()
        self.lin, self.conv = nn.Linear(IN, OUT), kind(OUT)

    def forward(self, x, edge_index):
        x = self.lin(x)
        return self.conv(x, x, edge_index)

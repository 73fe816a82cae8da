"""Small PyG models with random weights: every supported layer, option and stock model, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
import torch_geometric.nn as g
from torch import nn

FEATURES, HIDDEN, CLASSES = 3, 4, 3
STEP = "x, edge_index -> x"


def randomised(model: Any, seed: int) -> Any:
    """Weights, statistics of BatchNorm, slopes and eps that are none of their defaults; in float64."""
    torch.manual_seed(seed)
    for one in model if isinstance(model, list) else [model]:
        for module in one.modules() if isinstance(one, nn.Module) else ():
            for name, parameter in module.named_parameters(recurse=False):
                nn.init.normal_(parameter, std=1.0 if name != "eps" else 0.3)
            if isinstance(module, nn.BatchNorm1d):
                module.running_mean.normal_()
                module.running_var.uniform_(0.5, 2.0)
            if isinstance(module, nn.PReLU):
                nn.init.uniform_(module.weight)
        if isinstance(one, nn.Module):
            one.double().eval()
    return model


def two(conv: Callable[..., Any], *between: Any, **options: Any) -> Any:
    """Two layers of the same kind."""
    last = [(conv(HIDDEN, CLASSES, **options), STEP)]
    return g.Sequential("x, edge_index", [(conv(FEATURES, HIDDEN, **options), STEP), *(between or [nn.ReLU()]), *last])


def gin(width: int, out: int, **options: Any) -> Any:
    mlp = nn.Sequential(nn.Linear(width, HIDDEN), nn.BatchNorm1d(HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, out))
    return g.GINConv(mlp, train_eps=True, **options)


class Residual(nn.Module):
    """Additions, a learned scale, an elementwise maximum, functional dropout, and a Linear before the first layer."""

    def __init__(self) -> None:
        super().__init__()
        self.lift = nn.Linear(FEATURES, HIDDEN)
        self.first, self.second = g.SAGEConv(HIDDEN, HIDDEN), g.GraphConv(HIDDEN, HIDDEN, aggr="max")
        self.norm, self.prelu = g.BatchNorm(HIDDEN), nn.PReLU(HIDDEN)
        self.scale, self.mix = nn.Parameter(torch.ones(HIDDEN)), nn.Parameter(torch.ones(HIDDEN, HIDDEN))
        self.last = nn.Linear(2 * HIDDEN, CLASSES)

    def forward(self, x: Any, edge_index: Any) -> Any:
        start = F.leaky_relu(self.lift(x), 0.1)
        x = self.prelu(self.norm(self.first(start, edge_index))) + start
        x = F.dropout(x, 0.5, training=self.training)
        y = self.second(x, edge_index) - 0.5 * start + self.scale * x + x @ self.mix
        y = torch.maximum(y, x).relu()
        return F.log_softmax(self.last(torch.cat([x, y], dim=-1)), dim=1)


class FromData(nn.Module):
    """Takes a Data object, as the introduction to PyG does."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.last = g.SAGEConv(FEATURES, HIDDEN, aggr="max"), g.SAGEConv(HIDDEN, CLASSES, aggr="max")

    def forward(self, data: Any) -> Any:
        x = F.relu(self.first(data.x, data.edge_index))
        x = F.dropout(x, training=self.training)
        return self.last(x, data.edge_index).softmax(dim=-1)


class Classifier(nn.Module):
    """Graph task: two layers whose poolings lie side by side, and an MLP."""

    def __init__(self, pool: Callable[..., Any], conv: Callable[..., Any] = g.SAGEConv) -> None:
        super().__init__()
        self.first, self.second = conv(FEATURES, HIDDEN), conv(HIDDEN, HIDDEN)
        self.pool = pool
        self.head = g.MLP([2 * HIDDEN, HIDDEN, CLASSES], norm="batch_norm", dropout=0.5)

    def forward(self, x: Any, edge_index: Any, batch: Any) -> Any:
        x = self.first(x, edge_index).relu()
        y = self.second(x, edge_index).relu()
        return self.head(torch.cat([self.pool(x, batch), self.pool(y, batch)], dim=1))


class WithoutBatch(nn.Module):
    """Graph task for one graph at a time."""

    def __init__(self) -> None:
        super().__init__()
        self.conv, self.out = g.GraphConv(FEATURES, HIDDEN), nn.Linear(HIDDEN, CLASSES)

    def forward(self, x: Any, edge_index: Any) -> Any:
        return self.out(g.global_mean_pool(self.conv(x, edge_index).relu(), None))


def stock(kind: Any, layers: int = 2, **options: Any) -> Any:
    return kind(FEATURES, HIDDEN, layers, CLASSES, dropout=0.5, **options)


LAYERS: dict[str, Callable[[], Any]] = {
    **{f"SAGEConv {aggr}": (lambda aggr=aggr: two(g.SAGEConv, aggr=aggr)) for aggr in ("sum", "add", "mean", "max")},
    "SAGEConv without root weight": lambda: two(g.SAGEConv, root_weight=False, bias=False),
    "SAGEConv project": lambda: two(g.SAGEConv, project=True, aggr="max"),
    **{f"GraphConv {aggr}": (lambda aggr=aggr: two(g.GraphConv, aggr=aggr)) for aggr in ("add", "mean", "max")},
    "GINConv": lambda: two(gin),
    "GINConv max": lambda: two(gin, aggr="max"),
    "GCNConv without normalisation": lambda: two(g.GCNConv, normalize=False),
    "SimpleConv": lambda: [g.SimpleConv("mean"), nn.Linear(FEATURES, CLASSES)],
    "SimpleConv cat": lambda: [g.SimpleConv("max", combine_root="cat"), nn.Linear(2 * FEATURES, CLASSES)],
    "SimpleConv self_loop": lambda: [g.SimpleConv(combine_root="self_loop"), nn.Linear(FEATURES, CLASSES), nn.ReLU()],
    "BatchNorm before and after": lambda: two(
        g.SAGEConv, nn.ReLU(), nn.BatchNorm1d(HIDDEN), nn.Dropout(0.5), nn.LeakyReLU(0.2), aggr="sum"
    ),
    "PReLU": lambda: two(g.GraphConv, nn.PReLU(HIDDEN)),
    "Linear between": lambda: two(g.SAGEConv, nn.Linear(HIDDEN, 2), nn.ReLU(), nn.Linear(2, HIDDEN)),
    "activation last": lambda: [g.SAGEConv(FEATURES, CLASSES), F.relu],
    "aggregations mixed": lambda: [g.SAGEConv(FEATURES, HIDDEN, aggr="max"), torch.relu, g.GraphConv(HIDDEN, CLASSES)],
    "residual": Residual,
    "Data": FromData,
}

MODELS: dict[str, Callable[[], Any]] = {
    **{f"GraphSAGE {jk}": (lambda jk=jk: stock(g.GraphSAGE, jk=jk)) for jk in (None, "last", "cat", "max")},
    "GraphSAGE norm first": lambda: stock(g.GraphSAGE, norm="batch_norm", jk="cat"),
    "GraphSAGE act first": lambda: stock(g.GraphSAGE, norm="batch_norm", act_first=True, aggr="max"),
    "GraphSAGE leaky": lambda: stock(g.GraphSAGE, act="leaky_relu", act_kwargs={"negative_slope": 0.3}),
    "GraphSAGE three layers": lambda: stock(g.GraphSAGE, layers=3, aggr="sum", jk="cat"),
    "GIN": lambda: stock(g.GIN, norm="batch_norm"),
    "GIN max": lambda: stock(g.GIN, jk="max", train_eps=True),
}

GCN: dict[str, Callable[[], Any]] = {
    "GCNConv": lambda: two(g.GCNConv),
    "GCNConv cached": lambda: two(g.GCNConv, cached=True),
    "GCN": lambda: stock(g.GCN),
    "GCN jk": lambda: stock(g.GCN, jk="cat", norm="batch_norm"),
}

CLASSIFIERS: dict[str, Callable[[], Any]] = {
    "add": lambda: Classifier(g.global_add_pool),
    "mean": lambda: Classifier(g.global_mean_pool),
    "max": lambda: Classifier(g.global_max_pool, g.GraphConv),
    "aggregation module": lambda: Classifier(g.aggr.MeanAggregation(), gin),
    "without batch": WithoutBatch,
    "sequential": lambda: g.Sequential(
        "x, edge_index, batch",
        [
            (g.SAGEConv(FEATURES, HIDDEN), STEP),
            nn.ReLU(),
            (g.global_max_pool, "x, batch -> x"),
            nn.Linear(HIDDEN, CLASSES),
        ],
    ),
    "list": lambda: [
        g.GINConv(g.MLP([FEATURES, 5, HIDDEN], dropout=0.5)),
        nn.ReLU(),
        g.global_add_pool,
        nn.Linear(HIDDEN, CLASSES),
        nn.LogSoftmax(1),
    ],
}

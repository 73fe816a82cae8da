"""Modules as people have them: pruned, traced, taking a Data object. They work, or one line says why they do not."""

from __future__ import annotations

import pytest

pytest.importorskip("torch_geometric", reason="needs torch and torch_geometric: pip install 'edgeproof[pyg]'")

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
import torch_geometric.nn as g
from torch import nn
from torch.nn.utils import parametrizations, prune, spectral_norm, weight_norm
from torch_geometric.data import Data

import edgeproof as ep


class Model(nn.Module):
    def __init__(self, conv: Any = g.SAGEConv, **how: Any) -> None:
        super().__init__()
        torch.manual_seed(5)
        self.first, self.last = conv(3, 4, **how), conv(4, 2, **how)

    def forward(self, x: Any, edge_index: Any) -> Any:
        return self.last(self.first(x, edge_index).relu(), edge_index)


class Transposed(Model):
    def forward(self, data: Any) -> Any:
        return self.last(self.first(data.x, data.adj_t).relu(), data.adj_t)


class Batched(Model):
    """The usual loop over a DataLoader: `for batch in loader: model(batch)`."""

    def forward(self, batch: Any) -> Any:
        x = self.last(self.first(batch.x, batch.edge_index).relu(), batch.edge_index)
        return g.global_add_pool(x, batch.batch)


class DataAndBatch(Model):
    def forward(self, data: Any, batch: Any) -> Any:
        return g.global_max_pool(self.last(self.first(data.x, data.edge_index).relu(), data.edge_index), batch)


class Keys(Model):
    def forward(self, data: Any, verbose: bool = False) -> Any:
        return self.last(self.first(data["x"], data["edge_index"]).relu(), data["edge_index"])


class ByName(Model):
    def forward(self, *, x: Any, edge_index: Any) -> Any:
        return self.last(self.first(x, edge_index).relu(), edge_index)


class BatchBehind(Model):
    def forward(self, x: Any, batch: Any) -> Any:
        return self.last(self.first(x, batch.edge_index).relu(), batch.edge_index)


class Fails(Model):
    def forward(self, data: Any) -> Any:
        data.edge_index.no_such_thing  # noqa: B018 - tracing does not see it: nobody needs it
        return self.last(self.first(data.x, data.edge_index).relu(), data.edge_index)


RNG = np.random.default_rng(4)
GRAPH = ep.Graph(np.array([[0, 1, 2, 3, 4, 4, 2], [1, 2, 3, 4, 0, 2, 2]]), RNG.normal(size=(6, 3)), directed=True)


def data() -> Data:
    edges = torch.tensor(np.stack([GRAPH.sources, GRAPH.targets]))
    rows = np.zeros((6, 3))
    for v in range(6):
        part = slice(GRAPH.features.ptr[v], GRAPH.features.ptr[v + 1])
        rows[v, GRAPH.features.columns[part]] = GRAPH.features.values[part]
    found = Data(x=torch.tensor(rows).float(), edge_index=edges, batch=torch.zeros(6, dtype=torch.int64))
    found.adj_t = torch.sparse_coo_tensor(edges.flip(0), torch.ones(edges.shape[1]), (6, 6)).to_sparse_csr()
    return found


def agrees(network: ep.Network, theirs: Any) -> None:
    ours = network.scores(GRAPH)
    assert ours == pytest.approx(theirs.detach().double().numpy().reshape(ours.shape), abs=1e-5)


@pytest.mark.filterwarnings("ignore:Sparse")  # torch, of the tensors made here
@pytest.mark.parametrize(
    "model",
    [
        Transposed(), Transposed(aggr="max"), Transposed(aggr="sum"), Transposed(g.GraphConv), Batched(), Keys(),
        Batched(g.GCNConv),
    ],
    ids=lambda model: type(model).__name__,
)  # fmt: skip
def test_a_data_object_is_taken_by_any_name_and_with_any_field(model: Any) -> None:
    agrees(ep.from_pyg(model), model.eval()(data()))


def test_batch_is_the_vector_where_the_features_come_first() -> None:
    model, given = DataAndBatch(), data()
    agrees(ep.from_pyg(model), model.eval()(given, given.batch))
    named = ByName()
    agrees(ep.from_pyg(named), named.eval()(x=given.x, edge_index=given.edge_index))


def pruned(model: Any, amount: float = 0.4) -> Any:
    for one in list(model.modules()):
        if isinstance(getattr(one, "weight", None), torch.Tensor):
            prune.l1_unstructured(one, "weight", amount)
    return model


def pruned_and_trained_on(model: Any) -> Any:
    """The weight that it shows is that of the last time it ran."""
    pruned(model)
    with torch.no_grad():
        for name, value in model.named_parameters():
            if name.endswith("weight_orig"):
                value.mul_(-3.0)
    return model


def globally(model: Any) -> Any:
    which = [(model.first.lin_l, "weight"), (model.last.lin_l, "weight"), (model.first.lin_l, "bias")]
    prune.global_unstructured(which, prune.L1Unstructured, amount=0.5)
    prune.random_unstructured(model.first.lin_l, "weight", 0.3)  # twice
    return model


def on_first(what: Callable[..., Any]) -> Callable[[Any], Any]:
    def apply(model: Any) -> Any:
        what(model.first.lin_l)
        return model

    return apply


@pytest.mark.filterwarnings("ignore")  # torch says of two of these that there are newer ones
@pytest.mark.parametrize(
    "change",
    [
        pruned, pruned_and_trained_on, globally, on_first(weight_norm), on_first(parametrizations.weight_norm),
        on_first(spectral_norm), on_first(parametrizations.spectral_norm),
    ],
)  # fmt: skip
def test_weights_are_those_that_the_module_computes_with(change: Callable[[Any], Any]) -> None:
    given, model = data(), change(Model()).eval()
    held = {name: value.clone() for name, value in model.state_dict().items()}
    network = ep.from_pyg(model)
    assert all(torch.equal(held[name], value) for name, value in model.state_dict().items()), "it is left as it was"
    agrees(network, model(given.x, given.edge_index))
    layers = [pruned(g.SAGEConv(3, 4)), nn.ReLU(), g.SAGEConv(4, 2)]
    from_list = ep.from_pyg(layers)
    agrees(from_list, layers[2](layers[0](given.x, given.edge_index).relu(), given.edge_index))


def traced() -> Any:
    given = data()
    return torch.jit.trace(Model().eval(), (given.x, given.edge_index))


class Around(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = traced()

    def forward(self, x: Any, edge_index: Any) -> Any:
        return self.inner(x, edge_index)


class Keeps(Model):
    def __init__(self) -> None:
        super().__init__()
        self.generator = (one for one in (1, 2))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (traced, "^TopLevelTracedModule: it is TorchScript.*give the module that it was made from$"),
        (lambda: torch.jit.script(nn.Linear(3, 2)), "it is TorchScript"),
        (lambda: [torch.jit.script(nn.Linear(3, 2))], "it is TorchScript"),
        (Around, r"^Around.inner \(TopLevelTracedModule\): it is TorchScript"),
        (lambda: Transposed(g.GCNConv), r"first \(GCNConv\): with data.adj_t it counts a self-loop .* twice"),
        (BatchBehind, r"\(batch.edge_index\): batch says of each vertex which graph it is in; a Data object"),
        (Fails, "^Fails: forward fails on a small random graph .*no_such_thing"),
        (Keeps, r"^Keeps: it cannot be copied \(TypeError: .*generator"),
    ],
)
def test_what_cannot_be_read_is_refused_in_one_line(make: Callable[[], Any], complaint: str) -> None:
    with pytest.raises(ep.InputError, match=complaint) as refused:
        ep.from_pyg(make())
    assert "\n" not in str(refused.value)

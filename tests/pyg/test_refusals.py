"""What cannot be verified is refused by name: which submodule, why, and what to do."""

from __future__ import annotations

import pytest

pytest.importorskip("torch_geometric", reason="needs torch and torch_geometric: pip install 'edgeproof[pyg]'")

from typing import Any

import torch
import torch.nn.functional as F
import torch_geometric.nn as g
from torch import nn

import edgeproof as ep


class Own(nn.Module):
    """`step` between two layers."""

    def __init__(self, step: Any) -> None:
        super().__init__()
        self.first, self.last, self.step = g.SAGEConv(3, 4), g.SAGEConv(4, 2), step

    def forward(self, x: Any, edge_index: Any) -> Any:
        return self.last(self.step(self.first(x, edge_index)), edge_index)


class MySAGE(g.SAGEConv):
    def message(self, x_j: Any) -> Any:
        return 2 * x_j


class Edges(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = g.GraphConv(3, 2)

    def forward(self, x: Any, edge_index: Any) -> Any:
        return self.conv(x, edge_index.flip(0))


class Weights(Edges):
    def forward(self, x: Any, edge_index: Any, edge_weight: Any) -> Any:
        return self.conv(x, edge_index, edge_weight)


class Branches(Edges):
    def forward(self, x: Any, edge_index: Any) -> Any:
        return self.conv(x, edge_index) if x.sum() > 0 else x


class Two(Edges):
    def forward(self, x: Any, edge_index: Any) -> Any:
        return self.conv(x, edge_index), x


@pytest.mark.parametrize(
    ("model", "complaint"),
    [
        (g.TransformerConv(3, 4), r"\(TransformerConv\): attention weighs every message .* retrain with SAGEConv"),
        (g.PNAConv, "expected a torch.nn.Module or a list of layers, got the class PNAConv"),
        (g.GraphSAGE(3, 4, 2, 2, act="mish"), r"act \(Mish\): it is curved in a way .* retrain with GELU"),
        (g.GraphSAGE(3, 4, 2, 2, norm="layer_norm"), r"norms\.0 \(LayerNorm\): it divides by a statistic"),
        (g.GraphSAGE(3, 4, 2, 2, jk="lstm"), r"jk \(JumpingKnowledge\): mode 'lstm'"),
        (g.SAGEConv(3, 2, normalize=True), r"SAGEConv\[0\] \(SAGEConv\): normalize=True divides by a norm"),
        (
            g.SAGEConv(3, 2, aggr="median"),
            r"SAGEConv\[0\] \(SAGEConv\): aggr='median' is not supported: it picks .* use max or min",
        ),
        (g.SAGEConv(3, 2, aggr=["sum", "std"]), "aggr='std' is not supported: it squares"),
        (g.SAGEConv(3, 2, flow="target_to_source"), "flow='target_to_source' is not supported"),
        (g.SAGEConv(-1, 2), "num_features: how many features it takes cannot be seen"),
        (g.ClusterGCNConv(3, 2), "ClusterGCNConv.*divides by the in-degree plus one"),
        (g.SimpleConv("mean", combine_root="self_loop"), "num_features"),
        (Own(F.softsign), r"^Own.forward, line \d+ \(softsign\): it is curved in a way"),
        (Own(F.mish), r"^Own.forward, line \d+ \(mish\): it is curved in a way"),
        (Own(lambda x: F.softplus(x, threshold=5)), r"^Own.forward.* \(Softplus\): past its threshold 5 .*jumps there"),
        (
            Own(lambda x: F.softmax(x, dim=-1)),
            r"^Own.forward \(softmax\): it divides by a sum of exponentials, which is fine as the very last step",
        ),
        (Own(lambda x: F.dropout(x, 0.5)), "it drops in evaluation too; give it training=self.training"),
        (Own(lambda x: x * x), "a product of two computed tensors"),
        (Own(lambda x: x / x), "a division by a computed tensor"),
        (Own(lambda x: x.sum(dim=1)), r"expected it over the vertices \(dim=0\), got dim=1"),
        (Own(lambda x: g.global_add_pool(x, None)), "it passes messages behind the pooling"),
        (Own(nn.BatchNorm1d(4, track_running_stats=False)), r"step \(BatchNorm1d\): track_running_stats=False"),
        (Own(nn.Linear(5, 4)), r"step \(Linear\): expected 5 inputs, gets 4"),
        (Own(g.TopKPooling(4)), "cannot be followed|TopKPooling"),
        ([MySAGE(3, 2)], "MySAGE.*a subclass of SAGEConv may compute anything"),
        (Edges(), r"conv \(GraphConv\): it does not get the edges as they are given but edge_index after flip"),
        (Weights(), "forward takes 'edge_weight' besides features, edges and batch"),
        (Branches(), "forward cannot be followed .* give ep.from_pyg the list of its layers"),
        (Two(), "forward returns a tuple of 2, expected one tensor of scores; say which with .*output=.*: 0 to 1"),
        ([g.SAGEConv(3, 4), max], r"layers\[1\] \(max\): expected a layer"),
        (
            [g.SAGEConv(3, 4), g.global_add_pool, g.global_add_pool, nn.Linear(4, 2)],
            r"layers\[2\] \(pooling\): it pools twice",
        ),
        (
            nn.Sequential(nn.Linear(3, 1), nn.Softplus()),
            "it returns one number behind softplus, whose sign says nothing",
        ),
    ],
)
def test_models_are_refused_by_name(model: Any, complaint: str) -> None:
    with pytest.raises(ep.InputError, match=complaint):
        ep.from_pyg(model)


def test_two_kinds_of_pooling_are_refused() -> None:
    class Pools(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.conv, self.out = g.SAGEConv(3, 4), nn.Linear(8, 2)

        def forward(self, x: Any, edge_index: Any, batch: Any) -> Any:
            x = self.conv(x, edge_index).relu()
            return self.out(torch.cat([g.global_max_pool(x, batch), g.global_mean_pool(x, batch)], dim=1))

    with pytest.raises(ep.InputError, match="it pools by max and by mean, a network has one readout"):
        ep.from_pyg(Pools())


def test_a_module_is_left_as_it_was() -> None:
    model = g.GraphSAGE(3, 4, 2, 2, norm="batch_norm", dropout=0.5)
    model.norms[0].eval()
    before = {name: value.clone() for name, value in model.state_dict().items()}
    modes = [one.training for one in model.modules()]
    ep.from_pyg(model)
    assert modes == [one.training for one in model.modules()]
    assert all(torch.equal(before[name], value) for name, value in model.state_dict().items())


def test_a_wrong_conversion_is_not_handed_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """If a release of PyG computed something else than we think, the comparison would see it."""
    theirs = g.SAGEConv.forward
    monkeypatch.setattr(g.SAGEConv, "forward", lambda self, *args: 1.5 * theirs(self, *args))
    with pytest.raises(ep.EdgeproofError, match=r"the converted network is off by .* so nothing was converted"):
        ep.from_pyg(g.SAGEConv(3, 2))


def test_changes_in_place_that_tracing_does_not_see_are_noticed() -> None:
    class InPlace(Edges):
        def forward(self, x: Any, edge_index: Any) -> Any:
            y = self.conv(x, edge_index)
            F.relu_(y)
            return y

    with pytest.raises(ep.EdgeproofError, match="forward changes tensors in place"):
        ep.from_pyg(InPlace())


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ("model.pt", "got the file name 'model.pt'; load the module first, or use edgeproof convert"),
        (g.GraphSAGE, "got the class GraphSAGE itself; give it a trained instance"),
        (g.SAGEConv(3, 2).state_dict(), "got OrderedDict; if it is a state dict, load it into its module first"),
        (None, "got NoneType"),
    ],
)
def test_what_is_no_module_is_told_the_way_to_one(given: Any, complaint: str) -> None:
    with pytest.raises(ep.InputError, match=complaint):
        ep.from_pyg(given)


def test_a_node_may_come_out_of_a_tensor() -> None:
    graph = ep.Graph([[0, 1], [1, 0]], [[1.0, 0, 0], [0, 1.0, 0]], directed=False)
    network = ep.from_pyg(g.SAGEConv(3, 2))
    for node in torch.tensor([True, True]).nonzero():
        assert ep.verify(network, graph, ep.Threat(1), node[0], engine="brute").node == int(node)

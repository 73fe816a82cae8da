"""`edgeproof bench train`, and datasets that PyTorch Geometric's classes hand over."""

from __future__ import annotations

import pytest

pytest.importorskip("torch_geometric", reason="needs torch and torch_geometric: pip install 'edgeproof[pyg]'")

from pathlib import Path

import numpy as np
import torch
import torch_geometric
from click.testing import CliRunner
from torch_geometric.data import Data

from edgeproof import InputError, Network
from edgeproof.bench.data import load_dataset
from edgeproof.bench.train import PARTS, parts_of, train
from edgeproof.cli import main


def node_data(n: int = 60, seed: int = 0) -> Data:
    """Two classes that most features tell apart; one edge is given twice."""
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    x = (rng.random((n, 20)) < 0.5).astype(np.float32)
    x[:, 2:] = y[:, None]
    edges = rng.integers(n, size=(2, 2 * n))
    edges[:, 0] = edges[:, 1]
    return Data(x=torch.tensor(x), edge_index=torch.tensor(edges), y=torch.tensor(y))


def graph_data(seed: int) -> Data:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 7))
    path = torch.tensor([[*range(n - 1), *range(1, n)], [*range(1, n), *range(n - 1)]])
    x = torch.nn.functional.one_hot(torch.tensor(rng.integers(3, size=n)), 3).float()
    attributes = torch.ones(path.shape[1], 4)
    return Data(x=x, edge_index=path, edge_attr=attributes, y=torch.tensor([n % 2]))


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder without files, and dataset classes that need no network."""
    asked = {"WebKB": [node_data()], "TUDataset": [graph_data(seed) for seed in range(40)]}
    for name, found in asked.items():
        monkeypatch.setattr(torch_geometric.datasets, name, lambda root, name, found=found: found)
    return tmp_path


def test_what_a_dataset_class_gives_is_kept_as_a_file(data: Path):
    (graph,) = load_dataset(data, "Cornell")
    given = node_data()
    assert graph.directed
    assert set(zip(graph.sources, graph.targets, strict=True)) == set(zip(*given.edge_index.numpy(), strict=True))
    assert (graph.features.dense() == given.x.numpy()).all()
    assert graph.labels is not None
    assert graph.labels.tolist() == given.y.tolist()
    assert (data / "datasets" / "Cornell.npz").is_file()

    graphs = load_dataset(data, "MUTAG")
    assert len(graphs) == 40
    for seed, graph in enumerate(graphs):
        given = graph_data(seed)
        assert not graph.directed
        assert graph.num_vertices == len(given.x)
        assert (graph.features.dense() == given.x.numpy()).all()
        assert int(graph.labels) == int(given.y)
        assert graph.sources.size == given.edge_index.shape[1]


def test_without_a_network_the_file_and_the_reason_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def fail(root: str, name: str) -> None:
        raise OSError("name resolution failed")

    monkeypatch.setattr(torch_geometric.datasets, "AttributedGraphDataset", fail)
    with pytest.raises(InputError, match=r"Cora\.npz: expected this file; downloading Cora failed \(name resolution"):
        load_dataset(tmp_path, "Cora")
    assert not (tmp_path / "datasets").exists()


def test_features_other_than_0_and_1_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    odd = node_data()
    odd.x = odd.x * 0.5
    monkeypatch.setattr(torch_geometric.datasets, "WebKB", lambda root, name: [odd])
    with pytest.raises(InputError, match="expected features of 0 and 1"):
        load_dataset(tmp_path, "Texas")


@pytest.mark.parametrize(("dataset", "task"), [("Cornell", "node"), ("MUTAG", "graph")])
@pytest.mark.parametrize("aggregation", ["sum", "max", "mean"])
def test_the_file_gives_the_scores_of_the_network_that_was_trained(
    data: Path, tmp_path: Path, dataset: str, task: str, aggregation: str
):
    words = ["bench", "train", "--data", str(data), "--dataset", dataset, "--aggregation", aggregation]
    words += ["--models", str(tmp_path / "deep"), "--layers", "3", "--width", "8", "--epochs", "5"]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 0, result.output
    network = Network.load(tmp_path / "deep" / f"{dataset}_{aggregation}_3x8.npz")
    assert network.task == task
    assert [layer.aggregation for layer in network.layers] == [aggregation] * 3
    graphs = load_dataset(data, dataset)
    parts = parts_of(dataset, graphs, 0)
    right = {part: _share_right(network, graphs, indices) for part, indices in parts.items()}
    told = result.stdout.split("training ")[1].splitlines()[0]
    assert told == f"{right['train']:.3f}, validation {right['val']:.3f}, test {right['test']:.3f}"
    with np.load(tmp_path / "deep" / "splits.npz") as splits:
        assert all((splits[f"{dataset}_{part}"] == parts[part]).all() for part in PARTS)


def _share_right(network: Network, graphs, indices) -> float:
    if network.task == "node":
        scores = [network.scores(graphs[0], int(v)) for v in indices]
        wanted = graphs[0].labels[indices]
    else:
        scores = [network.scores(graphs[at], None) for at in indices]
        wanted = np.array([int(graphs[at].labels) for at in indices])
    return float(np.mean([int(np.argmax(one)) == w for one, w in zip(scores, wanted, strict=True)]))


def test_training_learns_and_is_repeatable(data: Path):
    graphs = load_dataset(data, "Cornell")
    parts = parts_of("Cornell", graphs, 3)
    told: list[tuple[int, float]] = []
    first = train("Cornell", graphs, parts, "sum", (2, 16), 100, 3, lambda *news: told.append(news))
    again = train("Cornell", graphs, parts, "sum", (2, 16), 100, 3, lambda *news: None)
    assert first.accuracy["train"] > 0.9
    assert first.epoch == again.epoch
    assert all(np.array_equal(first.fields[name], again.fields[name]) for name in ("C1", "A2", "b2"))
    assert [epoch for epoch, _ in told] == list(range(1, 101))
    best = [accuracy for _, accuracy in told]
    assert best == sorted(best)
    assert best[-1] == first.accuracy["val"]


def test_models_that_are_there_stay_and_seeds_are_not_mixed(data: Path, tmp_path: Path):
    words = ["bench", "train", "--data", str(data), "--dataset", "Cornell", "--models", str(tmp_path / "m")]
    words += ["--epochs", "2", "--aggregation", "sum"]
    assert CliRunner().invoke(main, words).exit_code == 0
    before = (tmp_path / "m" / "Cornell_sum.npz").read_bytes()
    assert "left alone" in CliRunner().invoke(main, words).stdout
    assert (tmp_path / "m" / "Cornell_sum.npz").read_bytes() == before
    result = CliRunner().invoke(main, [*words, "--aggregation", "max", "--seed", "5"])
    assert result.exit_code == 2
    assert "Cornell_train is of another seed" in result.stderr
    assert CliRunner().invoke(main, [*words, "--aggregation", "max"]).exit_code == 0
    rows = (tmp_path / "m" / "training.csv").read_text().splitlines()
    assert [row.split(",")[0] for row in rows] == ["model", "Cornell_sum", "Cornell_max"]

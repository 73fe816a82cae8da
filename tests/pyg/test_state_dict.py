"""`.pt` files of weights, with the architecture said in words."""

from __future__ import annotations

import pytest

pytest.importorskip("torch_geometric", reason="needs torch and torch_geometric: pip install 'edgeproof[pyg]'")

from pathlib import Path
from typing import Any

import torch
import torch_geometric.nn as g
from click.testing import CliRunner
from torch import nn

import edgeproof as ep
from edgeproof.cli import main
from edgeproof.pyg import load_state_dict
from shared_data import DATA, model, needs_data
from zoo import CLASSES, FEATURES, HIDDEN, gin, randomised, stock, two

MODELS: dict[str, tuple[Any, str]] = {
    "sage": (lambda: stock(g.GraphSAGE), "sage(mean) relu sage(mean)"),
    "sage project": (lambda: two(g.SAGEConv, project=True, aggr="max"), "sage(max) relu sage(max)"),
    "graph": (lambda: two(g.GraphConv, nn.PReLU(HIDDEN)), "graph(add) prelu graph(add)"),
    "gcn": (lambda: stock(g.GCN, norm="batch_norm"), "gcn batch_norm relu gcn"),
    "gin": (
        lambda: two(gin, nn.LeakyReLU(0.2)),
        "gin(linear batch_norm relu linear) leaky_relu(0.2) gin(linear batch_norm relu linear)",
    ),
    "stock gin": (lambda: stock(g.GIN), "gin(linear relu linear) relu gin(linear relu linear)"),
    "named": (lambda: stock(g.GraphSAGE), "convs.0:sage(mean) relu convs.1:sage(mean)"),
    "head": (
        lambda: [g.SAGEConv(FEATURES, HIDDEN), nn.ReLU(), g.global_max_pool, nn.Linear(HIDDEN, CLASSES)],
        "sage(mean) relu max_pool linear",
    ),
}


def saved(model: Any, path: Path) -> Path:
    held = model if isinstance(model, nn.Module) else nn.ModuleList(one for one in model if isinstance(one, nn.Module))
    torch.save(held.state_dict(), path)
    return path


@pytest.mark.parametrize("name", MODELS)
def test_words_and_weights_make_the_network_that_the_module_makes(name: str, tmp_path: Path) -> None:
    make, words = MODELS[name]
    module = randomised(make(), 3)
    converted = ep.from_pyg(module)
    assert load_state_dict(saved(module, tmp_path / "m.pt"), words).fingerprint == converted.fingerprint


def test_the_command_line_writes_it(tmp_path: Path) -> None:
    module = randomised(stock(g.GraphSAGE), 0)
    source, out = saved(module, tmp_path / "m.pt"), tmp_path / "m.safetensors"
    done = CliRunner().invoke(main, ["convert", str(source), str(out), "--layers", "sage(mean) relu sage(mean)"])
    assert done.exit_code == 0, done.output
    assert ep.Network.load(out).fingerprint == ep.from_pyg(module).fingerprint
    refused = CliRunner().invoke(main, ["convert", str(source), str(out)])
    assert refused.exit_code == 2
    assert "expected --layers, such as --layers 'sage(mean) relu sage(mean)'" in refused.output
    refused = CliRunner().invoke(main, ["convert", str(out), str(tmp_path / "n.gnnx"), "--layers", "sage(mean)"])
    assert refused.exit_code == 2
    assert "--layers is for state dicts (.pt)" in refused.output


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("sage(mean) relu", r"convs\.1\.lin_l\.weight: no layer of the stated architecture takes it"),
        ("sage(mean) relu sage(mean) relu sage(mean)", "sage: expected weights for it that no layer before it takes"),
        ("sage relu sage", "sage: expected sum, mean or max in parentheses, got ''"),
        ("sage(mean relu", "sage: expected a closing parenthesis"),
        ("gat relu gat", "expected one of sage.*, got 'gat'"),
        ("sage(mean) ! sage(mean)", "expected one of sage.*, got '! sage"),
        (
            "graph(add) relu sage(mean)",
            r"graph: expected weights .* takes; left are convs\.0\.lin_l\.weight, .*, \.\.\.",
        ),
        ("convs.2:sage(mean)", r"sage: expected weights for it under 'convs\.2'"),
        ("leaky_relu(x)", "leaky_relu: expected a number in parentheses, got 'x'"),
    ],
)
def test_what_does_not_fit_is_said(words: str, complaint: str, tmp_path: Path) -> None:
    path = saved(randomised(stock(g.GraphSAGE, layers=2), 0), tmp_path / "m.pt")
    with pytest.raises(ep.InputError, match=complaint):
        load_state_dict(path, words)


def test_whole_modules_are_not_unpickled(tmp_path: Path) -> None:
    torch.save(stock(g.GraphSAGE), tmp_path / "m.pt")
    with pytest.raises(ep.InputError, match=r"never unpickled, convert it in Python with ep\.from_pyg\(model\)$"):
        load_state_dict(tmp_path / "m.pt", "sage(mean) relu sage(mean)")
    (tmp_path / "n.pt").write_bytes(b"no archive")
    with pytest.raises(ep.InputError, match="expected a state dict"):
        load_state_dict(tmp_path / "n.pt", "sage(mean)")


def test_checkpoints_may_hold_the_state_dict(tmp_path: Path) -> None:
    module = randomised(stock(g.GraphSAGE), 0)
    torch.save({"epoch": 3, "model_state_dict": module.state_dict()}, tmp_path / "m.pt")
    found = load_state_dict(tmp_path / "m.pt", "sage(mean) relu sage(mean)")
    assert found.fingerprint == ep.from_pyg(module).fingerprint


@needs_data
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Cora_mean", "sage(mean) relu sage(mean) relu sage(mean) relu sage(mean)"),
        ("MUTAG_sum", "sage(sum) relu sage(sum) relu sage(sum) relu sage(sum) add_pool linear"),
    ],
)
def test_trained_weights_give_the_network_of_the_archive(name: str, words: str) -> None:
    found = load_state_dict(DATA / "models" / f"{name}.pt", words)
    assert found.fingerprint == ep.Network.load(model(name)).fingerprint

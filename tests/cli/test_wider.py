"""Costs, features, new vertices and budgets by degree on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import edgeproof as ep
from edgeproof.cli import main
from edgeproof.sweep.read import read_best


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    layer = ep.Layer([[0.0, 0.0], [0.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]], [0.0, 0.0], "sum", "relu")
    last = ep.Layer.dense([[1.0, 0.0], [0.0, 1.0]], [0.5, 0.0], "none")
    graph = ep.Graph([[1, 2], [0, 0]], [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], directed=True)
    ep.Network([layer, last]).save(tmp_path / "net.safetensors")
    graph.save(tmp_path / "graph.npz")
    return [str(tmp_path / "net.safetensors"), str(tmp_path / "graph.npz")]


def told(*words: str) -> dict[str, object]:
    done = CliRunner().invoke(main, [*words, "--directed", "--json"], standalone_mode=False)
    assert done.exception is None, done.output
    return json.loads(done.stdout)


def test_each_option_is_what_it_is_in_python(files: list[str]) -> None:
    network, graph = ep.Network.load(files[0]), ep.Graph.load(files[1], directed=True)
    rows = np.unique(graph.features.dense(), axis=0)
    for words, threat in (
        (["--budget", "degree"], ep.Threat(ep.ByDegree())),
        (["--budget", "0.5*degree-1", "--insert"], ep.Threat(ep.ByDegree(0.5, -1), insert=True)),
        (["--local-budget", "degree-2"], ep.Threat(local_budget=ep.ByDegree(1.0, -2))),
        (["--cost", "1,0,2", "--budget", "1"], ep.Threat(1, cost={(1, 0): 2})),
        (["--feature-flips", "1", "--budget", "0"], ep.Threat(0, features=ep.FeatureFlips(1))),
        (
            ["--feature-flips", "shared", "--budget", "1", "--feature-nodes", "0,2"],
            ep.Threat(1, features=ep.FeatureFlips(None, nodes=[0, 2])),
        ),
        (
            ["--inject", "1", "--no-delete", "--budget", "1"],
            ep.Threat(1, delete=False, inject=ep.Injection(features=rows)),
        ),
    ):
        asked = told("verify", *files, "--node", "0", "--engine", "brute", *words)
        answer = ep.verify(network, graph, threat, 0, engine="brute").to_dict()
        for name in ("status", "attack", "features", "injected", "cost", "rival"):
            assert asked[name] == answer[name], words


def test_attacks_are_told_in_words(files: list[str]) -> None:
    words = ["verify", *files, "--node", "0", "--engine", "brute", "--directed", "--budget"]
    done = CliRunner().invoke(main, [*words, "0", "--feature-flips", "2"], standalone_mode=False)
    assert "1 feature to class 1: feature 1 of 1 to 1" in done.stdout
    done = CliRunner().invoke(main, [*words, "degree-1", "--inject", "1", "--no-delete"], standalone_mode=False)
    assert "1 flip (degree-1)" in done.stdout
    assert "1 new vertex" in done.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--budget", "degrees"], "degree+2"),
        (["--inject-edges", "2"], "--inject"),
        (["--feature-nodes", "0"], "--feature-flips"),
        (["--feature-flips", "many"], "shared"),
        (["--cost", "1,2"], "cost"),
    ],
)
def test_what_is_wrong_is_one_line(files: list[str], words: list[str], said: str) -> None:
    done = CliRunner().invoke(main, ["verify", *files, "--node", "0", *words], standalone_mode=True)
    assert done.exit_code == 2
    assert said in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_sweep_and_a_plan_take_them(files: list[str], tmp_path: Path) -> None:
    out = tmp_path / "out"
    words = ["sweep", *files, "--directed", "--out", str(out), "--workers", "0", "--engine", "brute"]
    words += ["--budget", "degree-1", "--budget", "1,degree", "--inject", "1", "--radius", "--no-delete"]
    done = CliRunner().invoke(main, words, standalone_mode=False)
    assert done.exception is None, done.output
    lines = list(read_best(out))
    assert len(lines) == 6
    assert {line["threat"]["inject"]["count"] for line in lines} == {1}
    assert {line["threat"].get("budget_rule") for line in lines} == {"degree-1", None}
    assert {line["threat"].get("local_budget_rule") for line in lines} == {"degree", None}
    assert any(line["injected"] for line in lines)
    plan = tmp_path / "plan.toml"
    plan.write_text(
        f"model = {files[0]!r}\ngraph = {files[1]!r}\ndirected = true\nengine = 'brute'\n"
        "[[sweep]]\nbudgets = ['degree', 1]\ncost = [[1, 0, 2]]\n"
        "[[sweep]]\nbudgets = [0]\nfeature_flips = 1\nfeature_nodes = [1, 2]\n"
    )
    more = tmp_path / "more"
    done = CliRunner().invoke(
        main, ["sweep", "--plan", str(plan), "--out", str(more), "--workers", "0"], standalone_mode=False
    )
    assert done.exception is None, done.output
    lines = list(read_best(more))
    assert len(lines) == 9
    assert sum(bool(line["threat"].get("cost")) for line in lines) == 6
    assert sum(bool(line["threat"].get("features")) for line in lines) == 3

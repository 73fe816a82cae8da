"""`edgeproof verify --proof` and `edgeproof check`: what they print and what they exit with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from edgeproof import Graph
from edgeproof.cli import main
from edgeproof.proof.format import unpack
from proof_cases import case, rewritten


def run(*words: object) -> Result:
    result = CliRunner().invoke(main, [str(word) for word in words])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.fixture(params=[True, False])
def files(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[bool, Path, Path, Path]:
    """Whether the claim holds; model, graph, and what `verify --proof` wrote."""
    query = case(request.param)
    model, graph, proof = tmp_path / "m.safetensors", tmp_path / "g.graph", tmp_path / "p.proof"
    query.network.save(model)
    query.graph.save(graph)
    words = ("--node", 1, "--label", 0, "--budget", 3, "--local-budget", 2, "--insert")
    more = ("--protected", "0,5", "--protected", "1,2", "--undirected")
    result = run("verify", model, graph, *words, *more, "--proof", proof, "--certify")
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith(f"{'robust' if request.param else 'vulnerable'}, certified: node 1, class 0")
    return request.param, model, graph, proof


def test_check_accepts_and_says_what_is_established(files: tuple[bool, Path, Path, Path]) -> None:
    holds, model, graph, proof = files
    result = run("check", proof, model, graph, "--undirected")
    assert result.exit_code == 0
    first, second, third = result.stdout.splitlines()
    assert first == f"accepted, {'robust' if holds else 'vulnerable'}: node 1, class 0, against 3 flips"
    assert second == "  threat: deletions, insertions, 2 protected, local budget 2, undirected graph"
    assert third.startswith("  proof: " if holds else "  attack: ")
    found = json.loads(run("check", proof, model, graph, "--undirected", "--json").stdout)
    assert (found["accepted"], found["label"]) == (True, 0)


def test_check_rejects_with_status_1(files: tuple[bool, Path, Path, Path]) -> None:
    holds, model, graph, proof = files
    data = proof.read_bytes()
    if holds:
        proof.write_bytes(rewritten(data, unpack(data).body + b"\3"))
        words = "behind its end"
    else:
        proof.write_bytes(rewritten(data, attack=[]))
        words = "does not beat"
    result = run("check", proof, model, graph, "--undirected")
    assert (result.exit_code, result.stderr) == (1, "")
    assert result.stdout.startswith("rejected: ")
    assert words in result.stdout
    found = json.loads(run("check", proof, model, graph, "--undirected", "--json").stdout)
    assert found["accepted"] is False
    assert words in found["reason"]


def test_another_graph_is_rejected(files: tuple[bool, Path, Path, Path]) -> None:
    _, model, graph, proof = files
    Graph.load(graph, directed=False).flip([(0, 3)]).save(graph)
    result = run("check", proof, model, graph, "--undirected")
    assert result.exit_code == 1
    assert "another graph" in result.stdout


def test_what_is_no_proof_is_bad_input(files: tuple[bool, Path, Path, Path]) -> None:
    _, model, graph, proof = files
    for path in (model, proof.with_name("missing")):
        result = run("check", path, model, graph)
        assert result.exit_code == 2
        (line,) = result.stderr.splitlines()
        assert str(path) in line


def test_only_the_search_writes_proofs(files: tuple[bool, Path, Path, Path]) -> None:
    _, model, graph, proof = files
    result = run("verify", model, graph, "--node", 1, "--engine", "brute", "--proof", proof)
    assert result.exit_code == 2
    assert "only the engine 'search' writes proofs" in result.stderr

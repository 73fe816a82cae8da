"""The command line: what it prints, what it exits with, how it refuses."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import edgeproof as ep
from edgeproof.cli import main
from edgeproof.options import TABLE
from example_files import graph_arrays, npz


def run(*words: object) -> Result:
    result = CliRunner().invoke(main, [str(word) for word in words])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def refusal(*words: object) -> str:
    """The one line that bad input gets."""
    result = run(*words)
    assert result.exit_code == 2
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.startswith("edgeproof: ")
    return line


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """The score of class 0 counts in-neighbours; vertex 2 has two of them and class 1 stands at 1.5."""
    layer = ep.Layer([[0.0], [0.0]], [[1.0], [0.0]], [0.0, 1.5], "sum", "none")
    ep.Network([layer]).save(tmp_path / "m.safetensors")
    ep.Graph([[0, 1], [2, 2]], [[1.0]] * 3, directed=True).save(tmp_path / "g.graph")
    return tmp_path / "m.safetensors", tmp_path / "g.graph"


def test_verify_tells_the_attack(files: tuple[Path, Path]) -> None:
    result = run("verify", *files, "--node", 2, "--budget", 1, "--engine", "brute")
    assert result.exit_code == 0
    assert "vulnerable: node 2, class 0, against 1 flip" in result.stdout
    assert "1 flip to class 1: delete " in result.stdout
    assert "deletions, directed graph" in result.stdout


def test_verify_tells_robust(files: tuple[Path, Path]) -> None:
    result = run("verify", *files, "--node", 0, "--no-delete", "--insert", "--budget", 1, "--engine", "brute")
    assert result.exit_code == 0
    assert result.stdout.startswith("robust: node 0, class 1, against 1 flip")


def test_json_has_the_fields_of_the_python_result(files: tuple[Path, Path]) -> None:
    words = (*files, "--node", 2, "--engine", "brute", "--json")
    network, graph = ep.Network.load(files[0]), ep.Graph.load(files[1])
    verdict = json.loads(run("verify", *words, "--budget", 1).stdout)
    expected = ep.verify(network, graph, ep.Threat(1), 2, engine="brute").to_dict()
    assert verdict.keys() == expected.keys()
    assert verdict["attack"] == expected["attack"]
    radius = json.loads(run("radius", *words).stdout)
    assert (radius["lower"], radius["upper"], radius["exact"], radius["robust"]) == (0, 0, True, False)


def test_radius_in_words(files: tuple[Path, Path]) -> None:
    def first_line(*words: object) -> str:
        return run("radius", *files, "--engine", "brute", *words).stdout.splitlines()[0]

    assert first_line("--node", 2) == "radius 0: node 2, class 0"
    assert first_line("--node", 0) == "no attack exists: node 0, class 1"
    assert first_line("--node", 0, "--max-budget", 1) == "robust up to 1: node 0, class 1"
    assert first_line("--node", 0, "--label", 0) == "radius -1: node 0, class 0"


def test_a_limit_gives_unknown_and_status_3(files: tuple[Path, Path]) -> None:
    for command in ("verify", "radius"):
        result = run(command, *files, "--node", 0, "--insert", "--engine", "brute", "--node-limit", 1)
        assert result.exit_code == 3
        assert "node limit" in result.stdout


def test_pairs_and_local_budgets_come_from_words_or_files(files: tuple[Path, Path], tmp_path: Path) -> None:
    (tmp_path / "pairs").write_text("0 2\n\n1,2\n")
    (tmp_path / "local").write_text("5 5\n0\n")
    words = ("verify", *files, "--node", 2, "--engine", "brute", "--json")

    def status(*more: object) -> str:
        return str(json.loads(run(*words, *more).stdout)["status"])

    assert status() == status("--fragile", "0,2") == status("--fragile", f"@{tmp_path / 'pairs'}") == "vulnerable"
    assert status("--fragile", "0,1") == "robust"
    assert status("--protected", f"@{tmp_path / 'pairs'}") == "robust"
    assert status("--protected", "0,2") == "vulnerable"
    assert status("--local-budget", 0) == status("--local-budget", f"@{tmp_path / 'local'}") == "robust"
    assert status("--no-delete") == status("--no-delete", "--insert-into-target") == "robust"


def test_every_option_of_the_table_can_be_switched(files: tuple[Path, Path]) -> None:
    words = [word for option in TABLE for word in ("--option", f"{option.name}=off")]
    assert run("verify", *files, "--node", 2, "--engine", "brute", *words).exit_code == 0
    assert all(option.name in run("verify", "--help-options").stdout for option in TABLE)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--node", 2, "--budget", -1), "budget: expected a number from 0 on, got -1"),
        (
            ("--node", 2, "--budget", "x"),
            "budget: expected a number, or a rule such as degree+2 or 0.5*degree, got 'x'",
        ),
        (("--node", 3), "g.graph: node: 3 is out of range, there are 3 vertices"),
        ((), "node: a node classifier needs"),
        (("--node", 2, "--label", 2), "label: 2 is out of range"),
        (("--node", 2, "--target", 0), "target: class 0 is the label itself"),
        (
            ("--node", 2, "--local-budget", "many"),
            "local budget: expected a number, or a rule such as degree+2 or 0.5*degree, got 'many'",
        ),
        (("--node", 2, "--local-budget", "@nothing"), "nothing: cannot read it"),
        (("--node", 2, "--fragile", "1"), "fragile: expected two vertices u,v, got '1'"),
        (("--node", 2, "--fragile", "1,9"), "fragile: (1, 9) is out of range"),
        (("--node", 2, "--protected", "a,b"), "protected: expected a whole number, got 'a'"),
        (("--node", 2, "--option", "nonsense=off"), "option: unknown name 'nonsense'"),
        (("--node", 2, "--option", f"{TABLE[0].name}=maybe"), f"expected {TABLE[0].name}=on or {TABLE[0].name}=off"),
        (("--node", 2, "--engine", "guess"), "engine: expected one of"),
        (("--node", 2, "--timeout", -1), "timeout: expected a positive number"),
        (("--node", 2, "--memory", 0), "memory: expected a positive number of gigabytes"),
        (("--node", 2, "--memory", 1), "memory: only the engine 'search' keeps to it, got 'brute'"),
        (("--node", 2, "--index", 1), "index: 1 is out of range"),
        (("--node", 2, "--undirected"), "has no reverse"),
        (("--node", 2, "--insert", "--insert-into-target"), "got both"),
        (("--nonsense",), "--nonsense"),
    ],
)
def test_bad_input_gets_one_line(files: tuple[Path, Path], words: tuple[object, ...], complaint: str) -> None:
    assert complaint in refusal("verify", *files, *("--engine", "brute"), *words)


def test_bad_commands_and_files_get_one_line(files: tuple[Path, Path], tmp_path: Path) -> None:
    assert "No such command" in refusal("nonsense")
    assert "Missing argument" in refusal("verify")
    assert "nothing.npz: cannot read it" in refusal("verify", tmp_path / "nothing.npz", files[1])
    files[0].write_bytes(files[0].read_bytes()[:100])
    assert "m.safetensors: expected a .safetensors file" in refusal("verify", *files, "--node", 0)


@pytest.mark.parametrize("command", ["verify", "radius"])
def test_what_takes_more_memory_than_allowed_is_refused_with_its_bytes(files: tuple[Path, Path], command: str) -> None:
    words = (command, *files, "--node", 2, "--memory")
    assert re.search(r"takes about [\d,]{4,} bytes, memory=1e-09 allows 1$", refusal(*words, 1e-9))
    assert run(*words, 1).exit_code == 0


def test_a_question_too_large_for_brute_force_is_refused_politely(tmp_path: Path) -> None:
    layer = ep.Layer([[0.0], [0.0]], [[1.0], [0.0]], [0.0, 1.5], "sum", "none")
    ep.Network([layer]).save(tmp_path / "m.safetensors")
    ring = [list(range(200)), [(v + 1) % 200 for v in range(200)]]
    ep.Graph(ring, [[1.0]] * 200, directed=True).save(tmp_path / "g.graph")
    words = ("verify", tmp_path / "m.safetensors", tmp_path / "g.graph", "--node", 0, "--engine", "brute")
    assert refusal(*words, "--insert", "--label", 1)


def test_convert_between_models_and_between_graphs(files: tuple[Path, Path], tmp_path: Path) -> None:
    assert run("convert", files[0], tmp_path / "m.gnnx").exit_code == 0
    assert run("convert", tmp_path / "m.gnnx", tmp_path / "again.safetensors").exit_code == 0
    assert ep.Network.load(tmp_path / "again.safetensors").fingerprint == ep.Network.load(files[0]).fingerprint
    (tmp_path / "many.npz").write_bytes(npz(graph_arrays()))
    assert run("convert", tmp_path / "many.npz", tmp_path / "one.graph", "--index", 0).exit_code == 0
    first = ep.load_graphs(tmp_path / "many.npz")[0]
    assert ep.Graph.load(tmp_path / "one.graph").fingerprint == first.fingerprint


def test_convert_makes_graphs_undirected_and_cuts_out_a_component(files: tuple[Path, Path], tmp_path: Path) -> None:
    ep.Graph([[4, 2], [2, 1]], [[1.0]] * 5).save(tmp_path / "two.npz")
    assert run("convert", tmp_path / "two.npz", tmp_path / "both.npz", "--to-undirected").exit_code == 0
    assert not ep.Graph.load(tmp_path / "both.npz").directed
    words = ("convert", tmp_path / "two.npz", tmp_path / "part.npz", "--to-undirected", "--largest-component")
    assert run(*words).exit_code == 0
    part = ep.Graph.load(tmp_path / "part.npz")
    assert part.edge_pairs() == [(0, 1), (1, 2)]
    assert part.original is not None
    assert part.original.tolist() == [1, 2, 4]
    assert "are for graphs" in refusal("convert", files[0], tmp_path / "x.gnnx", "--largest-component")


def test_convert_refuses_and_leaves_nothing(files: tuple[Path, Path], tmp_path: Path) -> None:
    (tmp_path / "many.npz").write_bytes(npz(graph_arrays()))
    before = sorted(tmp_path.iterdir())
    assert "index: the file holds 2 graphs" in refusal("convert", tmp_path / "many.npz", tmp_path / "x.graph")
    assert "expected a suffix out of" in refusal("convert", files[0], tmp_path / "x.onnx")
    assert "expected a model" in refusal("convert", files[1], tmp_path / "x.gnnx")
    assert "neither --index" in refusal("convert", files[0], tmp_path / "x.gnnx", "--index", 0)
    assert "cannot write it" in refusal("convert", files[0], tmp_path / "none" / "x.gnnx")
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("command", ["verify", "radius", "sweep", "report"])
def test_the_help_of_a_command_leaves_the_switches_of_the_search_to_another_page(command: str) -> None:
    told = run(command, "--help").stdout
    assert len(told.splitlines()) <= 66
    assert not any(option.name in told for option in TABLE if "_" in option.name)


def test_help_reads_like_documentation() -> None:
    for words in ((), ("--help",), ("verify", "--help"), ("radius", "--help"), ("convert", "--help"), ("demo", "-h")):
        result = run(*words)
        assert result.exit_code == 0
        assert "edgeproof " in result.stdout
    assert run("--version").stdout.strip() == f"edgeproof, version {ep.__version__}"


def test_the_installed_command_exits_with_its_status(files: tuple[Path, Path]) -> None:
    def status(*words: object) -> tuple[int, str]:
        code = "from edgeproof.cli import main; main()"
        command = [sys.executable, "-c", code, *map(str, words)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.returncode, done.stderr

    question = ("verify", *files, "--node", 0, "--engine", "brute", "--insert")
    assert status(*question) == (0, "")
    assert status(*question, "--node-limit", 1) == (3, "")
    code, errors = status(*question, "--label", 9)
    assert code == 2
    assert errors.count("\n") == 1
    assert "Traceback" not in errors

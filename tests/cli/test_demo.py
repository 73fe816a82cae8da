"""The demo: the club, the network that is shipped, the table."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import numpy as np
from click.testing import CliRunner

from edgeproof import Graph, Threat, radius
from edgeproof.cli import main
from edgeproof.demo.karate import karate_graph, karate_network

TRAINER = Path(__file__).parents[2] / "tools" / "train_karate.py"


def test_the_club_is_zachary_s() -> None:
    graph = karate_graph()
    degrees = np.diff(graph.in_ptr)
    assert (graph.num_vertices, len(graph.edge_pairs()), graph.directed) == (34, 78, False)
    assert [int(degrees[v]) for v in (0, 1, 2, 32, 33)] == [16, 9, 10, 12, 17]
    assert graph.labels is not None
    assert np.bincount(graph.labels).tolist() == [17, 17]


def test_the_shipped_network_knows_the_sides() -> None:
    graph = karate_graph()
    assert np.array_equal(karate_network().predict(graph), np.asarray(graph.labels))


def test_the_shipped_network_is_what_the_trainer_makes() -> None:
    made = runpy.run_path(str(TRAINER))
    weights, _ = made["train"](karate_graph(), made["SEED"])
    layers = karate_network().layers
    shipped = [getattr(layer, field) for layer in layers for field in ("C", "A", "b")]
    for ours, theirs in zip(weights, shipped, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-4)
    assert {layer.aggregation.value for layer in layers} == {made["AGGREGATION"]}


def test_the_table_has_every_member_and_its_radius(tmp_path: Path) -> None:
    page = tmp_path / "club.html"
    result = CliRunner().invoke(main, ["demo", "--engine", "brute", "--max-budget", "1", "-o", str(page)])
    assert result.exit_code == 0, result.output
    rows = [line for line in result.stdout.splitlines() if line.startswith("│")]
    assert len(rows) == 34
    assert "1 or more" in rows[0]
    assert "predictions are proved to survive any 1 change." in result.stdout
    assert f"Every attack, drawn: {page}" in result.stdout
    assert "Zachary&#x27;s karate club" in page.read_text(encoding="utf-8")


def test_json_gives_the_radii_of_the_library() -> None:
    result = CliRunner().invoke(main, ["demo", "--engine", "brute", "--max-budget", "1", "--json"])
    members = json.loads(result.stdout)["members"]
    assert [one["node"] for one in members] == list(range(34))
    one = radius(karate_network(), karate_graph(), Threat(1), 11, engine="brute").to_dict()
    assert (members[11]["lower"], members[11]["attack"]) == (one["lower"], [list(pair) for pair in one["attack"]])


def test_without_options_every_radius_is_exact_and_every_attack_breaks_its_prediction() -> None:
    result = CliRunner().invoke(main, ["demo", "--json"])
    assert result.exit_code == 0, result.output
    graph, network = karate_graph(), karate_network()
    for one in json.loads(result.stdout)["members"]:
        assert one["exact"]
        if not one["robust"]:
            assert len(one["attack"]) == one["lower"] + 1
            changed = graph.flip([(u, v) for u, v in one["attack"]])
            assert network.predict(changed, one["node"]) == one["rival"] != one["label"]


def test_its_files_are_what_the_other_commands_take(tmp_path: Path) -> None:
    run = CliRunner().invoke
    shown = ["--engine", "brute", "--max-budget", "0", "-o", str(tmp_path / "club.html")]
    result = run(main, ["demo", *shown, "--files", str(tmp_path / "club")])
    assert result.exit_code == 0, result.output
    words = result.stdout.splitlines()[-1].split()
    assert words[:2] == ["edgeproof", "verify"]
    done = run(main, [*words[1:], "--engine", "brute"])
    assert done.exit_code == 0, done.output
    assert "1 flip to class 1: delete 0 - 8" in done.stdout
    again = Graph.load(tmp_path / "club" / "karate.npz")
    assert (again.fingerprint, again.name) == (karate_graph().fingerprint, "karate club")
    (tmp_path / "file").touch()
    refused = run(main, ["demo", *shown, "--files", str(tmp_path / "file")])
    assert refused.exit_code == 2
    assert "file: cannot make this folder" in refused.stderr


def test_a_bad_engine_gets_one_line() -> None:
    result = CliRunner().invoke(main, ["demo", "--engine", "guess"])
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1

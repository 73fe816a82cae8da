"""`edgeproof sweep`, `show` and `merge`: what they take, what they print, how they refuse."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import edgeproof as ep
import sweep_cases as cases
from edgeproof.cli import main
from edgeproof.cli.watch import tell_progress, tell_seconds
from edgeproof.sweep.many import make_sweep
from edgeproof.sweep.read import read_best, read_sources


def run(*words: object) -> Result:
    result = CliRunner().invoke(main, [str(word) for word in words])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def sweep(folder: Path, *words: object) -> Result:
    how = ("--engine", "brute", "--workers", 0, "--out", folder / "out")
    return run("sweep", *cases.files(folder), *how, *words)


def test_every_way_to_say_a_budget(tmp_path: Path) -> None:
    assert sweep(tmp_path, "--nodes", "1,4-6", "--budget", 1, "--budget", "2,1", "--local-budget", 3).exit_code == 0
    found = {(line["node"], line["budget"], line["local_budget"]) for line in read_best(tmp_path / "out")}
    assert found == {(node, *budget) for node in (1, 4, 5, 6) for budget in ((1, 3), (2, 1))}


def test_a_plan_file_says_the_same(tmp_path: Path) -> None:
    cases.files(tmp_path)
    cases.network(1).save(tmp_path / "other.safetensors")
    (tmp_path / "plan.toml").write_text("""
        engine = "brute"
        budgets = [1, [2, 1]]
        graph = "g.graph"
        [[sweep]]
        model = "m.safetensors"
        nodes = "1,4-6"
        local_budget = 3
        [[sweep]]
        model = "other.safetensors"
        nodes = [0]
        radius = true
        targets = ["next", "all"]
    """)
    how = ("--workers", 0, "--out", tmp_path / "planned")
    result = run("sweep", "--plan", tmp_path / "plan.toml", *how)
    assert result.exit_code == 0, result.stderr
    assert sweep(tmp_path, "--nodes", "1,4-6", "--budget", 1, "--budget", "2,1", "--local-budget", 3).exit_code == 0
    typed, planned = cases.essence(tmp_path / "out"), cases.essence(tmp_path / "planned")
    assert typed.items() <= planned.items()
    rest = [json.loads(planned[key]) for key in planned.keys() - typed.keys()]
    assert len(rest) == 4
    assert {(line["kind"], line["node"], line["asked"]["target"]) for line in rest} == {
        ("radius", 0, "next"), ("radius", 0, None),
    }  # fmt: skip


def test_the_store_knows_where_its_sources_are(tmp_path: Path) -> None:
    sweep(tmp_path, "--budget", 1)
    sweep(tmp_path, "--budget", 2)
    sources = read_sources(tmp_path / "out")
    model, graph = cases.files(tmp_path)
    network, loaded = ep.Network.load(model), ep.Graph.load(graph)
    assert sources[network.fingerprint]["path"] == str(model)
    assert sources[loaded.fingerprint]["path"] == str(graph)
    assert len((tmp_path / "out" / "sources.jsonl").read_text().splitlines()) == 2


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (
            ("--budget", "x"),
            "expected a number or a rule such as degree+2, or two for global and local budget, got 'x'",
        ),
        (("--budget", "1,2,3"), "budget: expected a number or a rule such as degree+2, or two"),
        (("--nodes", "99"), "nodes: 99 is out of range, there are 12 vertices"),
        (("--nodes", "1,5-3"), "nodes: expected ranges from the smaller number to the larger, got '5-3'"),
        (("--nodes", "3-"), "nodes: expected numbers and ranges such as 3,7,10-19, got '3-'"),
        (("--nodes", "train"), "nodes: expected one of all, or numbers, got 'train'"),
        (("--target", "first"), "target: expected a class, all or next, got 'first'"),
        (("--target", 9), "target: 9 is out of range"),
        (("--shard", "0/2"), "shard: expected I/N"),
        (("--timeout", 0), "timeout: expected a positive number"),
        (("--memory", -1), "memory: expected a positive number"),
        (("--workers", -1), "workers: expected a whole number from 0 on"),
        (("--insert", "--insert-into-target"), "got both"),
        (("--plan", "p.toml"), "plan: model belongs into the plan file"),
        (("--option", "lines=maybe"), "expected lines=on or lines=off"),
    ],
)
def test_bad_input_gets_one_line(tmp_path: Path, words: tuple[object, ...], complaint: str) -> None:
    result = sweep(tmp_path, *words)
    assert result.exit_code == 2
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert complaint in line


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("budget = [1]", "sweep 1: unknown key 'budget'; there are model, graph"),
        ("budgets = 1", "sweep 1: budgets: expected a list, got 1"),
        ("label = true", "sweep 1: label: expected a whole number, got True"),
        ("budgets = ['a']", "budget: expected a number, or a rule such as degree+2 or 0.5*degree, got 'a'"),
        ("fragile = [1]", "fragile: expected a list of pairs [u, v]"),
        ("= 3", "p.toml: expected a TOML file"),
        ("model = 'nothing.npz'", "nothing.npz: cannot read it"),
        ("insert = 'all'", "insert: expected True, False or 'target', got 'all'"),
    ],
)
def test_bad_plans_get_one_line(tmp_path: Path, text: str, complaint: str) -> None:
    cases.files(tmp_path)
    plain = "" if "model" in text else 'model = "m.safetensors"\n'
    (tmp_path / "p.toml").write_text(f'graph = "g.graph"\n{plain}{text}\n')
    result = run("sweep", "--plan", tmp_path / "p.toml", "--out", tmp_path / "out", "--workers", 0)
    assert result.exit_code == 2
    (line,) = result.stderr.splitlines()
    assert complaint in line


def test_options_beside_a_plan_are_refused_not_ignored(tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text("")
    result = run("sweep", "--plan", tmp_path / "p.toml", "--timeout", 3, "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert "plan: timeout belongs into the plan file" in result.stderr
    assert "expected MODEL and GRAPH, or --plan FILE" in run("sweep", "--out", tmp_path / "out").stderr


def test_show_prints_the_papers_columns(tmp_path: Path) -> None:
    pytest.importorskip("duckdb", reason="needs duckdb: pip install 'edgeproof[report]'")
    sweep(tmp_path, "--budget", 1, "--budget", "2,1")
    sweep(tmp_path, "--radius", "--budget", 2)
    best = list(read_best(tmp_path / "out"))

    def count(budget: int, status: str) -> int:
        return sum(line["kind"] == "verdict" and line["budget"] == budget and line["status"] == status for line in best)

    table = json.loads(run("show", tmp_path / "out", "--json").stdout)
    for row in table["verdicts"]:
        assert (row["questions"], row["solved"]) == (12, 12)
        assert row["robust"] == count(row["budget"], "robust")
        assert row["vulnerable"] == count(row["budget"], "vulnerable")
        assert 0 <= row["shifted"] <= row["mean"] <= row["longest"]
    (radii,) = table["radii"]
    exact = [line for line in best if line["kind"] == "radius" and line["status"] == "vulnerable"]
    assert sum(radii["by_radius"].values()) == len(exact)
    text = run("show", tmp_path / "out").stdout
    for word in ("budget", "local", "solved", "mean", "shifted", "robust", "vulnerable", "unknown", "12/12", "r = 0"):
        assert word in text
    answer = run("show", tmp_path / "out", "--sql", "select count(*) as n from answers", "--json")
    assert json.loads(answer.stdout) == {"columns": ["n"], "rows": [[len(best)]]}
    assert "sql: " in run("show", tmp_path / "out", "--sql", "nonsense").stderr
    assert "found no results*.jsonl" in run("show", tmp_path).stderr


def test_the_table_counts_the_line_that_counts(tmp_path: Path) -> None:
    """Several attempts at a key are one answer, whose time is that of all of them."""
    duckdb = pytest.importorskip("duckdb", reason="needs duckdb: pip install 'edgeproof[report]'")
    from edgeproof.sweep.table import connect

    sweep(tmp_path, "--budget", 2, "--passes", "--node-limit", 30)
    sweep(tmp_path, "--budget", 2, "--passes", "--no-share")
    with (tmp_path / "out" / "results.jsonl").open("ab") as file:
        file.write(b'{"torn')
    connection = connect(tmp_path / "out")
    assert isinstance(connection, duckdb.DuckDBPyConnection)
    rows = connection.sql("select key, status, spent from answers").fetchall()
    best = {line["key"]: line["status"] for line in read_best(tmp_path / "out")}
    assert {key: status for key, status, _ in rows} == best
    spent: dict[str, float] = {}
    for text in (tmp_path / "out" / "results.jsonl").read_bytes().splitlines()[:-1]:
        line = json.loads(text)
        spent[line["key"]] = spent.get(line["key"], 0.0) + line["stats"]["seconds"]
    assert {key: seconds for key, _, seconds in rows} == pytest.approx(spent)


def test_progress_in_words() -> None:
    sweep = make_sweep(cases.network(), cases.graph(), cases.plan(), workers=0, engine="brute")
    assert tell_progress(sweep) == "0 of 48 (0%); 0 robust, 0 vulnerable, 0 unknown"
    answers = iter(sweep)
    for _ in range(24):
        next(answers)
    half = tell_progress(sweep)
    assert " a second, about " in half
    for _ in answers:
        pass
    assert tell_progress(sweep).startswith("48 of 48 (100%), ")
    assert [tell_seconds(seconds) for seconds in (3.2, 600, 9000)] == ["3 s", "10 min", "2.5 h"]

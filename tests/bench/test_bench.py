"""Experiments: what they ask, that they resume, and what their tables say."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from edgeproof.bench.experiments import EXPERIMENTS, ablation_variants, engine_variant
from edgeproof.bench.run import Instance, Settings, run
from edgeproof.bench.tables import Table, shifted_geometric_mean, tables_of, variants_table, weak_table, write_table
from edgeproof.cli import main
from shared_data import DATA, needs_data


def instance(index: int, status: str, seconds: float, row: str = "sum", variant: str = "search", nodes: int = 4):
    stats = {"seconds": seconds, "nodes": nodes, "exploration": 0.5, "fragile": 3}
    return Instance("Cornell", row, variant, index, (10, 10), {"status": status, "stats": stats, "lower": 1})


def test_conventions_of_the_paper():
    node, graph = EXPERIMENTS["node"], EXPERIMENTS["graph"]
    assert [(t.budget, t.local_budget, t.delete, t.insert) for t in node.threats()] == [
        (b, b, True, False) for b in (1, 2, 5, 10)
    ]
    assert len(graph.threats()) == 6
    assert all(t.insert is True and t.delete for t in graph.threats())
    assert (node.timeout, graph.timeout, EXPERIMENTS["radius"].timeout) == (300, 600, 600)
    assert {row.name: row.target for row in node.rows} == {"weak sum": "next", "sum": None, "max": None, "mean": None}


def test_shifted_geometric_mean():
    assert shifted_geometric_mean([0.0, 30.0]) == pytest.approx(10.0)


def test_times_are_of_solved_instances_only():
    some = [instance(0, "robust", 1.0), instance(1, "vulnerable", 3.0), instance(2, "unknown", 300.0)]
    overview = tables_of(EXPERIMENTS["node"], some)[0]
    assert overview.name == "node_simple"
    assert overview.rows[0][3:5] == ("2/3", "2")
    assert overview.rows[0][6:8] == ("1", "1")


def test_variants_are_compared_on_what_all_of_them_solve():
    off = [instance(0, "robust", 2.0, variant="all off"), instance(1, "unknown", 300.0, variant="all off")]
    some = [instance(0, "robust", 1.0), instance(1, "robust", 5.0), *off]
    assert [row[2:5] for row in variants_table(some).rows] == [("search", "1/2", "1"), ("all off", "1/2", "2")]


def test_weak_and_general_are_compared_where_their_answers_agree():
    some = [instance(0, "robust", 1.0, "weak sum"), instance(0, "robust", 3.0),
            instance(1, "robust", 1.0, "weak sum"), instance(1, "vulnerable", 3.0)]  # fmt: skip
    robust, vulnerable = weak_table(some, (10, 10)).rows
    assert robust[2:] == ("robust", "1", "1", "3")
    assert vulnerable[2:] == ("vulnerable", "0", "-", "-")


def test_tables_are_written_as_csv_and_latex(tmp_path: Path):
    write_table(Table("t", "title", ("a", "b_c"), [("1", "x")]), tmp_path)
    assert (tmp_path / "t.csv").read_text() == "a,b_c\n1,x\n"
    assert r"a & b\_c \\" in (tmp_path / "t.tex").read_text()


def test_engines_have_settings_behind_a_colon():
    assert engine_variant("mip:highs").options == {"solver": "highs"}
    assert engine_variant("mip:aggressive").options == {"bounds": "aggressive"}
    assert not engine_variant("search").options
    assert len({one.name for one in ablation_variants()}) == len(ablation_variants())


@needs_data
def test_a_run_resumes_from_its_store(tmp_path: Path):
    from dataclasses import replace

    small = replace(EXPERIMENTS["node"], datasets=("Cornell",), budgets=((1, 1),), rows=EXPERIMENTS["node"].rows[:2])
    settings = Settings(DATA, tmp_path, sample=3, seed=1, timeout=60, workers=0)
    first = list(run(small, (engine_variant("search"),), settings))
    again = list(run(small, (engine_variant("search"),), settings))
    assert len(first) == 6
    assert {(one.row, one.index) for one in first} == {(one.row, one.index) for one in again}
    assert {one.line["finished"] for one in first} == {one.line["finished"] for one in again}
    assert all(one.line["implied_by"] is None for one in first)


@needs_data
def test_the_command_prints_its_table(tmp_path: Path):
    pytest.importorskip("matplotlib", reason="needs matplotlib for figures")
    words = ["bench", "node", "--data", str(DATA), "--out", str(tmp_path), "--sample", "2", "--dataset", "Cornell"]
    result = CliRunner().invoke(main, [*words, "--budget", "1", "--workers", "0"])
    assert result.exit_code == 0, result.output
    assert "node_simple" in result.stdout
    assert (tmp_path / "node" / "tables" / "node_all_1.tex").is_file()
    assert (tmp_path / "node" / "figures" / "node_max.pdf").is_file()


def test_bad_names_are_refused(tmp_path: Path):
    result = CliRunner().invoke(main, ["bench", "node", "--data", str(tmp_path)])
    assert result.exit_code == 2
    assert "has no folder datasets/" in result.stderr

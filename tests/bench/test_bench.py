"""Experiments: what they ask, that they resume, and what their tables say."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from edgeproof import Graph, InputError
from edgeproof.bench.agree import disagreements
from edgeproof.bench.architecture import Architecture
from edgeproof.bench.data import choose_instances, load_dataset, load_model, spread_sample
from edgeproof.bench.experiments import EXPERIMENTS, ablation_variants, engine_variant
from edgeproof.bench.figures import draw_figures
from edgeproof.bench.instance import Instance, instance_of, read_instances, write_instances
from edgeproof.bench.run import Settings, run
from edgeproof.bench.tables import (
    Table,
    geometric_mean,
    radius_table,
    speed_table,
    tables_of,
    variants_table,
    weak_table,
    write_table,
)
from edgeproof.cli import main
from shared_data import DATA, needs_data


def instance(index: int, status: str, seconds: float, row: str = "sum", variant: str = "search", limit: float = 300):
    return Instance("Cornell", row, variant, index, (10, 10), limit, status, seconds, 4, 3, 0.5, None)


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
    assert geometric_mean([0.0, 30.0]) == pytest.approx(10.0)
    assert geometric_mean([1.0, 100.0], shift=0.0) == pytest.approx(10.0)


def test_times_are_of_solved_instances_only():
    some = [instance(0, "robust", 1.0), instance(1, "vulnerable", 3.0), instance(2, "unknown", 300.0)]
    overview = tables_of(EXPERIMENTS["node"], some)[0]
    assert overview.name == "node_simple"
    assert overview.rows[0][:5] == ("sum", "Cornell", "search", "2/3", "2")
    assert overview.rows[0][6:8] == ("1", "1")


def test_variants_are_compared_on_what_all_of_them_solve():
    off = [instance(0, "robust", 2.0, variant="all off"), instance(1, "unknown", 300.0, variant="all off")]
    some = [instance(0, "robust", 1.0), instance(1, "robust", 5.0), *off]
    assert [row[2:6] for row in variants_table(some).rows] == [
        ("search", "1/2", "1", "250"),
        ("all off", "1/2", "2", "500"),
    ]


def test_weak_and_general_are_compared_where_their_answers_agree():
    some = [instance(0, "robust", 1.0, "weak sum"), instance(0, "robust", 3.0),
            instance(1, "robust", 1.0, "weak sum"), instance(1, "vulnerable", 3.0)]  # fmt: skip
    weak, general = weak_table(some, (10, 10)).rows
    assert weak == ("weak sum", "Cornell", "search", "1", "1", "1", "0", "-", "-")
    assert general == ("sum", "Cornell", "search", "1", "3", "3", "0", "-", "-")


def test_engines_are_compared_on_the_same_instances_with_what_is_unsolved_at_the_limit():
    ours = [instance(0, "robust", 1.0), instance(1, "vulnerable", 1.0), instance(2, "robust", 9.0)]
    theirs = [instance(0, "robust", 10.0, variant="mip"), instance(1, "unknown", 300.5, variant="mip", limit=1000.0)]
    (row,) = speed_table("node_speed", [*ours, *theirs]).rows
    assert row[:6] == ("10/10", "search : mip", "2", "300 s, 1000 s", "2 : 1", "0")
    assert row[8:] == ("1 : 100", "100")
    (row,) = speed_table("node_speed", [*theirs, *ours]).rows
    assert row[5] == "1"  # the first engine has not solved what the second has


def test_engines_that_disagree_are_named():
    same = [instance(0, "robust", 1.0), instance(0, "robust", 2.0, variant="mip")]
    gave_up = instance(1, "vulnerable", 1.0), instance(1, "unknown", 300.0, variant="mip")
    assert disagreements([*same, *gave_up]) == []
    (line,) = disagreements([*same, instance(2, "vulnerable", 1.0), instance(2, "robust", 1.0, variant="mip")])
    assert line == "Cornell, sum, 2, budgets (10, 10): search says vulnerable, mip says robust"
    radii = [replace(instance(3, "vulnerable", 1.0, variant=name), radius=r) for name, r in (("search", 1), ("mip", 2))]
    assert "search says vulnerable (radius 1), mip says vulnerable (radius 2)" in disagreements(radii)[0]


def test_figures_are_the_same_for_the_same_answers_and_take_engines_without_some(tmp_path: Path):
    pytest.importorskip("matplotlib", reason="needs matplotlib for figures")
    some = [instance(0, "robust", 1.0), instance(1, "unknown", 300.0), instance(0, "robust", 2.0, row="max"),
            instance(0, "unknown", 300.0, variant="mip")]  # fmt: skip
    (first,) = draw_figures(EXPERIMENTS["node"], some, tmp_path / "a", "svg")
    (again,) = draw_figures(EXPERIMENTS["node"], some, tmp_path / "b", "svg")
    assert first.name == "node.svg"
    assert first.read_bytes() == again.read_bytes()
    assert b"mip, 10/10" in first.read_bytes()
    assert [path.name for path in draw_figures(EXPERIMENTS["ablation"], some, tmp_path)] == ["prof.pdf"]
    assert draw_figures(EXPERIMENTS["radius"], some, tmp_path) == []


def test_radii_are_counted_with_their_times():
    some = [replace(instance(at, "vulnerable", at + 1.0), radius=at) for at in (0, 2, 2)]
    (row,) = radius_table([*some, instance(3, "robust", 0.5), instance(4, "unknown", 600.0)]).rows
    assert row == ("sum", "Cornell", "search", "5", "1", "1 (0.5)", "1 (1)", "-", "2 (3)")


def test_a_log_reads_back_what_was_written(tmp_path: Path):
    some = [instance(0, "robust", 1.25), replace(instance(1, "vulnerable", 3.0), radius=2, budget=(None, None))]
    write_instances(some, tmp_path / "log" / "instances.csv")
    assert read_instances(tmp_path / "log" / "instances.csv") == some
    (tmp_path / "other.csv").write_text("a,b\n")
    with pytest.raises(InputError, match=r"other\.csv: expected the columns dataset, row"):
        read_instances(tmp_path / "other.csv")


def test_an_answer_after_the_limit_is_none():
    stats = {"seconds": 12.0, "cpu": 4.0, "nodes": 3, "fragile": 2, "exploration": 0.1}
    line = {
        "status": "robust",
        "stats": stats,
        "node": 7,
        "graph_index": 0,
        "budget": 5,
        "local_budget": 5,
        "lower": None,
    }
    assert instance_of(line, "Cora", "sum", "search", 60.0).status == "robust"
    late = instance_of(line, "Cora", "sum", "search", 10.0)
    assert (late.status, late.counted, late.index) == ("unknown", 10.0, 7)
    assert instance_of(line, "Cora", "sum", "search", 10.0, "cpu").seconds == 4.0
    failed = instance_of({**line, "status": "error", "stats": {}}, "Cora", "sum", "search", 10.0)
    assert not failed.solved


def test_samples_are_spread_over_the_datasets_and_grow():
    assert spread_sample(12, ("a", "b", "c", "d", "e")) == {"a": 3, "b": 3, "c": 2, "d": 2, "e": 2}
    assert spread_sample(None, ("a", "b")) == {"a": None, "b": None}
    with pytest.raises(InputError, match="sample: expected at least one"):
        spread_sample(1, ("a", "b"))
    graph = Graph([[0], [1]], np.zeros((50, 1)), directed=True)
    few, more = (choose_instances((graph,), "Cora", count, 1) for count in (4, 9))
    assert len(few) == 4
    assert len(more) == 9
    assert set(few) < set(more)
    assert choose_instances((graph,), "Cora", None, 1) == choose_instances((graph,), "Cora", 60, 2) == list(range(50))


def test_models_past_the_paper_have_their_shape_in_their_name(tmp_path: Path):
    assert Architecture().file_name("Cora", "sum") == Architecture(4, 32).file_name("Cora", "sum") == "Cora_sum.npz"
    assert Architecture(6).file_name("MUTAG", "max") == "MUTAG_max_6x16.npz"
    with pytest.raises(InputError, match=r"Cora_sum_6x64\.npz: there is no such model"):
        load_model(tmp_path, "Cora", "sum", Architecture(6, 64))


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
    small = replace(EXPERIMENTS["node"], datasets=("Cornell",), budgets=((1, 1),), rows=EXPERIMENTS["node"].rows[:2])
    settings = Settings(DATA, DATA / "models", tmp_path, sample=3, seed=1, timeout=60, workers=0)
    first = list(run(small, (engine_variant("search"),), settings))
    again = list(run(small, (engine_variant("search"),), settings))
    assert len(first) == 6
    assert {(one.row, one.index) for one in first} == {(one.row, one.index) for one in again}
    assert set(first) == set(again)  # times too: nothing was asked again
    lines = [json.loads(line) for line in (tmp_path / "results.jsonl").read_text().splitlines()]
    assert len(lines) == 6
    assert all(line["implied_by"] is None for line in lines)


@needs_data
def test_every_variant_travels_to_a_worker(tmp_path: Path):
    small = replace(EXPERIMENTS["ablation"], datasets=("Cornell",), rows=EXPERIMENTS["ablation"].rows[:1])
    settings = Settings(DATA, DATA / "models", tmp_path, sample=2, seed=1, timeout=60, workers=1)
    variants = ablation_variants()[:1] + ablation_variants()[-2:]
    seen = list(run(small, variants, settings))
    assert [one.variant for one in seen] == [name for name in ("search", "all off", "as in the paper") for _ in "ab"]
    assert disagreements(seen) == []


@needs_data
def test_stopped_and_repeated_it_goes_on_where_it_was(tmp_path: Path):
    pytest.importorskip("matplotlib", reason="needs matplotlib for figures")
    words = [sys.executable, "-c", "from edgeproof.cli import main; main()", "bench", "node", "--data", str(DATA)]
    words += ["--out", str(tmp_path), "--dataset", "Cornell", "--row", "sum", "--engine", "search", "--timeout", "60"]
    store = tmp_path / "node" / "results.jsonl"
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as first:
        while not (store.is_file() and store.stat().st_size) and first.poll() is None:
            time.sleep(0.01)
        first.send_signal(signal.SIGINT)
        out, err = first.communicate(timeout=60)
    before = store.read_text().splitlines()
    assert first.returncode == 130, err
    assert "Run the same command again" in out
    assert 0 < len(before) < 4 * 183
    again = subprocess.run(words, capture_output=True, text=True, check=True, timeout=300)
    assert "node_simple" in again.stdout
    after = store.read_text().splitlines()
    assert after[: len(before)] == before
    assert len(after) == len({json.loads(line)["key"] for line in after}) == 4 * 183


@needs_data
def test_a_sample_shows_both_engines_side_by_side(tmp_path: Path):
    pytest.importorskip("matplotlib", reason="needs matplotlib for figures")
    pytest.importorskip("pyscipopt", reason="needs the solver scip")
    words = ["bench", "node", "--data", str(DATA), "--out", str(tmp_path), "--sample", "1", "--dataset", "Cornell"]
    result = CliRunner().invoke(main, [*words, "--budget", "1", "--workers", "0"])
    assert result.exit_code == 0, result.output
    assert "at most 10 s" in result.stderr
    assert "node_speed" in result.stdout
    results = tmp_path / "node"
    assert {one.variant for one in read_instances(results / "instances.csv")} == {"search", "mip"}
    assert (results / "tables" / "node_all_1.tex").is_file()
    assert (results / "figures" / "node.pdf").is_file()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["node", "--data", "nowhere"], "data: nowhere is not a folder"),
        (["node", "--data", ".", "--dataset", "MUTAG"], "dataset: node is about Cora"),
        (["node", "--data", ".", "--budget", "3"], "budget: node is about 1, 2, 5, 10, got 3"),
        (["ablation", "--data", ".", "--row", "weak sum"], "row: ablation is about sum, max, mean, got 'weak sum'"),
        (["datasets", "--data", ".", "--dataset", "Cara"], "dataset: expected some of Cora"),
    ],
)
def test_bad_names_are_refused(words: list[str], told: str):
    result = CliRunner().invoke(main, ["bench", *words])
    assert result.exit_code == 2
    assert told in result.stderr


def test_without_torch_a_missing_dataset_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(InputError, match=r"Texas\.npz: expected this file, or PyTorch Geometric to download it"):
        load_dataset(tmp_path, "Texas")

"""Datasets hold graphs that are equal: each is asked once, has a line for each of its numbers, and counts as often."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import edgeproof as ep
import shared_data
import sweep_cases as cases
from edgeproof.cli import main
from edgeproof.report.curves import curves
from edgeproof.report.gather import gather
from edgeproof.sweep.many import make_sweep
from edgeproof.sweep.merge import merge
from edgeproof.sweep.read import read_best

EQUAL = (0, 1, 2, 0, 1, 1, 3)  # which of the numbers below have the same graph
HOW = {"workers": 0, "engine": "brute"}
THREATS = [ep.Threat(1), ep.Threat(2)]
PLAN = ep.Plan(THREATS)


def network() -> ep.Network:
    rng = np.random.default_rng(31)
    layer = ep.Layer(rng.normal(size=(4, 3)), rng.normal(size=(4, 3)), rng.normal(size=4))
    return ep.Network([layer], ep.Readout(rng.normal(size=(2, 4)), [0.0, 0.0], "sum"), name="net")


def dataset() -> list[ep.Graph]:
    """Equal graphs with true classes of their own."""
    out = []
    for number, which in enumerate(EQUAL):
        rng = np.random.default_rng(10 + which)
        there = np.triu(rng.random((5, 5)) < 0.5, 1)
        x = rng.integers(0, 2, size=(5, 3)).astype(float)
        edges = np.array(np.nonzero(there | there.T))
        out.append(ep.Graph(edges, x, directed=False, labels=np.array(number % 2), name=f"set[{number}]"))
    return out


def ask(folder: Path | None, plan: Any = PLAN, **more: Any) -> list[ep.Answer]:
    return list(ep.verify_many(network(), dataset(), plan, store=folder, **{**HOW, **more}))


def essence(folder: Path) -> dict[tuple[str, int], tuple[Any, ...]]:
    fields = ("status", "attack", "rival", "label", "true_label", "graph_name", "limits")
    return {(one["key"], one["graph_index"]): tuple(map(str, map(one.get, fields))) for one in read_best(folder)}


def asked(folder: Path) -> list[tuple[str, int]]:
    """Questions that were put to an engine."""
    return [(one["key"], one["graph_index"]) for one in cases.lines(folder) if one["implied_by"] is None]


def copied(folder: Path) -> list[tuple[str, int]]:
    return [(one["key"], one["graph_index"]) for one in cases.lines(folder) if one["implied_by"] == one["key"]]


def write(folder: Path, lines: list[dict[str, Any]]) -> Path:
    folder.mkdir()
    (folder / "results.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


def test_every_number_has_its_own_line_and_equal_graphs_are_asked_once(tmp_path: Path) -> None:
    answers = ask(tmp_path)
    lines = cases.lines(tmp_path)
    assert len(answers) == len(lines) == 2 * len(EQUAL)
    assert sorted((one["graph_index"], one["budget"]) for one in lines) == [(k, b) for k in range(7) for b in (1, 2)]
    assert len({one["key"] for one in lines}) == 8
    assert {graph for _, graph in asked(tmp_path)} <= {0, 1, 2, 6}
    assert sorted({graph for _, graph in copied(tmp_path)}) == [3, 4, 5]
    for line in lines:
        alone = ep.verify(network(), dataset()[line["graph_index"]], ep.Threat(line["budget"]), engine="brute")
        assert (line["status"], line["label"]) == (alone.status, alone.label)
        assert line["attack"] is None or ep.Attack(line["attack"]) == alone.attack
        assert line["true_label"] == line["graph_index"] % 2
        assert line["graph_name"] == f"set[{line['graph_index']}]"
        if line["implied_by"] == line["key"]:
            assert line["stats"] == {"seconds": 0.0}
    assert all((answer.implied_by == answer.key) == (answer.question.graph in (3, 4, 5)) for answer in answers)


def test_sweep_show_and_report_count_the_same(tmp_path: Path) -> None:
    pytest.importorskip("duckdb", reason="needs duckdb: pip install 'edgeproof[report]'")
    ask(tmp_path)
    told = CliRunner().invoke(main, ["show", str(tmp_path), "--json"])
    counts = [row["questions"] for row in json.loads(told.stdout)["verdicts"]]
    rows = gather(tmp_path).rows
    (curve,) = curves(rows)
    sweep = make_sweep(network(), dataset(), PLAN, store=tmp_path, workers=0, engine="brute")
    list(sweep)
    assert sweep.total == sweep.done == sweep.resumed == sum(counts) == len(rows) == len(list(read_best(tmp_path)))
    assert curve.count == len(EQUAL)
    assert {row.graph_index for row in rows} == set(range(7))
    robust = [ep.verify(network(), one, ep.Threat(1), engine="brute").status == "robust" for one in dataset()]
    assert curve.proved[1] == np.mean(robust)


@shared_data.needs_data
def test_mutag_has_188_graphs_wherever_they_are_counted(tmp_path: Path) -> None:
    pytest.importorskip("duckdb", reason="needs duckdb: pip install 'edgeproof[report]'")
    words = ["sweep", shared_data.model("MUTAG_sum"), shared_data.dataset("MUTAG"), "--budget", 1, "--budget", 2]
    done = CliRunner().invoke(main, [str(word) for word in (*words, "--workers", 0, "--out", tmp_path / "out")])
    assert "376 questions: " in done.stdout
    shown = CliRunner().invoke(main, ["show", str(tmp_path / "out"), "--json"])
    assert [row["questions"] for row in json.loads(shown.stdout)["verdicts"]] == [188, 188]
    told = CliRunner().invoke(main, ["report", str(tmp_path / "out"), "-o", str(tmp_path / "page.html")])
    assert told.stdout.endswith("page.html: 376 questions\n")
    assert len({one["key"] for one in cases.lines(tmp_path / "out")}) == 364


def test_resuming_asks_nothing_and_writes_nothing(tmp_path: Path) -> None:
    ask(tmp_path)
    before = (tmp_path / "results.jsonl").read_bytes()
    ask(tmp_path)
    assert (tmp_path / "results.jsonl").read_bytes() == before


def test_a_sweep_stopped_after_any_line_is_completed_and_repeats_nothing(tmp_path: Path) -> None:
    ask(tmp_path / "whole", node_limit=8, passes=True)
    lines = cases.lines(tmp_path / "whole")
    assert {one["status"] for one in lines} == {"robust", "vulnerable", "unknown"}
    for kept in range(len(lines)):
        folder = write(tmp_path / str(kept), lines[:kept])
        ask(folder, node_limit=8, passes=True)
        assert essence(folder) == essence(tmp_path / "whole")
        assert len(asked(folder)) == len(set(asked(folder)))
        assert len(cases.lines(folder)) == len(lines)


@pytest.mark.parametrize("held", [(0, 1, 2, 6), (3, 5, 2, 6), (3, 4, 5)])
def test_old_stores_lack_lines_of_equal_graphs_and_get_them_without_asking(tmp_path: Path, held: Any) -> None:
    ask(tmp_path / "alone", share=False)
    old = [one for one in cases.lines(tmp_path / "alone") if one["graph_index"] in held]
    folder = write(tmp_path / "old", old)
    answers = ask(folder)
    assert len(answers) == 2 * len(EQUAL)
    new = cases.lines(folder)[len(old) :]
    known = {EQUAL[one["graph_index"]] for one in old}
    assert all(one["implied_by"] is not None for one in new if EQUAL[one["graph_index"]] in known)
    assert len(cases.lines(folder)) == 2 * len(EQUAL)
    assert essence(folder).keys() == essence(tmp_path / "alone").keys()
    before = (folder / "results.jsonl").read_bytes()
    ask(folder)
    assert (folder / "results.jsonl").read_bytes() == before


def test_without_sharing_each_is_measured_alone(tmp_path: Path) -> None:
    ask(tmp_path, share=False)
    assert len(asked(tmp_path)) == len(cases.lines(tmp_path)) == 2 * len(EQUAL)
    lines = [one for one in cases.lines(tmp_path) if one["graph_index"] != 3]
    ask(write(tmp_path / "again", lines), share=False)
    assert len(asked(tmp_path / "again")) == 2 * len(EQUAL)


def test_what_is_unknown_is_copied_too_and_asked_again_once(tmp_path: Path) -> None:
    ask(tmp_path, node_limit=2)
    assert {one["status"] for one in cases.lines(tmp_path)} >= {"unknown"}
    before = cases.lines(tmp_path)
    ask(tmp_path, node_limit=3)
    ask(tmp_path)
    whole = essence(tmp_path)
    assert {one[0] for one in whole.values()} == {"robust", "vulnerable"}
    assert len(whole) == 2 * len(EQUAL)
    assert {graph for _, graph in asked(tmp_path)} <= {0, 1, 2, 6}
    assert cases.lines(tmp_path)[: len(before)] == before


def test_shards_share_equal_graphs_and_make_up_the_whole(tmp_path: Path) -> None:
    ask(tmp_path / "whole")
    totals = []
    for part in (1, 2, 3):
        shard = make_sweep(
            network(), dataset(), PLAN, store=tmp_path / f"part{part}", shard=(part, 3), workers=0, engine="brute"
        )
        list(shard)
        totals.append(shard.total)
    assert sum(totals) == 2 * len(EQUAL)
    parts = [tmp_path / f"part{part}" for part in (1, 2, 3)]
    assert sum(len(asked(part)) for part in parts) == len(asked(tmp_path / "whole"))
    kept, read = merge([*parts, parts[0]], tmp_path / "merged")
    assert kept == 2 * len(EQUAL) == len(cases.lines(tmp_path / "merged"))
    assert read == kept + totals[0]
    assert essence(tmp_path / "merged") == essence(tmp_path / "whole")


def test_listed_questions_that_say_the_same_are_asked_once(tmp_path: Path) -> None:
    """Whoever lists questions makes a threat for each; equal ones are equal."""
    listed = [ep.Question(ep.Threat(1), graph=k) for k in range(7)] + [ep.Question(ep.Threat(1), graph=2)]
    answers = ask(tmp_path, listed)
    assert len(answers) == 8
    assert len(asked(tmp_path)) == 4
    assert len(cases.lines(tmp_path)) == 7
    by_graph = {one.question.graph: one.status for one in answers}
    alone = {k: ep.verify(network(), one, ep.Threat(1), engine="brute").status for k, one in enumerate(dataset())}
    assert by_graph == alone
    assert sorted(one.status for one in ask(None, listed)) == sorted(one.status for one in answers)


def test_a_store_that_knows_a_graph_by_another_number_is_used(tmp_path: Path) -> None:
    ask(tmp_path)
    before = asked(tmp_path)
    only = dataset()[6]
    (first, second) = ep.verify_many(network(), [only], PLAN, store=tmp_path, **HOW)
    assert {first.status, second.status} <= {"robust", "vulnerable"}
    assert asked(tmp_path) == before
    assert {one["graph_index"] for one in cases.lines(tmp_path) if one["graph"] == only.fingerprint} == {0, 6}

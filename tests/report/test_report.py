"""What a report says, checked against the store and against counting by hand."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import sweep_cases
from edgeproof import Graph, InputError, Plan, Threat, radius, verify_many
from edgeproof.cli import main
from edgeproof.report.compare import matches
from edgeproof.report.curves import Curve, contradictions, curves
from edgeproof.report.gather import gather
from edgeproof.report.overview import tell_share
from edgeproof.report.pictures import evaluate
from edgeproof.report.write import write_report

BUDGET = 3


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("store")
    for _ in verify_many(sweep_cases.network(), sweep_cases.graph(), sweep_cases.plan(), workers=0, store=folder):
        pass
    return folder


@pytest.fixture(scope="module")
def radii(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("radii")
    plan = Plan([Threat(BUDGET)], radius=True)
    for _ in verify_many(sweep_cases.network(), sweep_cases.graph(), plan, workers=0, store=folder):
        pass
    return folder


def rewrite(folder: Path, out: Path, **fields: Any) -> Path:
    out.mkdir()
    changed = [json.dumps({**line, **fields}) for line in sweep_cases.lines(folder)]
    (out / "results.jsonl").write_text("\n".join(changed) + "\n")
    return out


def test_the_curve_is_what_the_radii_say(radii: Path) -> None:
    network, graph = sweep_cases.network(), sweep_cases.graph()
    assert graph.labels is not None
    found = [radius(network, graph, Threat(BUDGET), v, engine="brute") for v in range(graph.num_vertices)]
    (curve,) = curves(gather(radii).rows)
    for k in range(BUDGET + 1):
        assert curve.proved[k] == curve.at_most[k] == np.mean([one.robust or one.lower >= k for one in found])
        assert curve.accuracy is not None
        right = [(one.robust or one.lower >= k) and one.label == graph.labels[v] for v, one in enumerate(found)]
        assert curve.accuracy[k] == np.mean(right)
    for label, (count, shares) in curve.by_class.items():
        of_class = [v for v in range(graph.num_vertices) if graph.labels[v] == label]
        assert count == len(of_class)
        assert shares[0] == np.mean([found[v].label == label for v in of_class])
    assert curve.radii["robust"] == sum(one.robust for one in found)
    for k in range(BUDGET):
        assert curve.radii.get(str(k), 0) == sum(one.lower == k and not one.robust for one in found)


def test_verdicts_alone_bound_the_curve_from_both_sides(store: Path, radii: Path) -> None:
    (exact,) = curves(gather(radii).rows)
    bounds = next(one for one in curves(gather(store).rows) if one.setting.local == "")
    for k in range(BUDGET + 1):
        assert bounds.proved[k] <= exact.proved[k] <= bounds.at_most[k]
    for k in (0, 1, 3):  # these budgets were asked
        assert bounds.proved[k] == exact.proved[k]


def test_a_store_that_contradicts_itself_is_told(radii: Path, tmp_path: Path) -> None:
    assert contradictions(gather(radii).rows) == []
    lines = sweep_cases.lines(radii)
    broken = next(line for line in lines if line["status"] == "vulnerable")
    lines.append({**broken, "kind": "verdict", "status": "robust", "attack": None, "budget": 3, "key": "0" * 32})
    (tmp_path / "results.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n")
    (told,) = contradictions(gather(tmp_path).rows)
    assert f"node {broken['node']}: proved for 3 flips" in told
    write_report(tmp_path, tmp_path / "page.html")
    assert "Contradiction: " in (tmp_path / "page.html").read_text()


def test_rows_stand_where_a_reader_looks_for_them(store: Path) -> None:
    rows = gather(store).rows
    assert [row.node for row in rows] == sorted(row.node for row in rows if row.node is not None)
    for node in range(3):
        budgets = [row.budget for row in rows if row.node == node and not row.setting.local]
        assert budgets == sorted(budgets)
        assert len(budgets) > 1


def test_few_are_not_told_as_none() -> None:
    assert [tell_share(*one) for one in ((3, 10_832), (0, 7), (1, 2), (0, 0))] == ["under 0.1%", "0.0%", "50.0%", ""]


def test_time_is_the_sum_over_all_lines_of_a_key(radii: Path, tmp_path: Path) -> None:
    lines = sweep_cases.lines(radii)
    again = {**lines[0], "status": "unknown", "stats": {"seconds": 5.0}}
    (tmp_path / "results.jsonl").write_text("\n".join(map(json.dumps, [again, *lines])) + "\n")
    assert gather(tmp_path).seconds == pytest.approx(gather(radii).seconds + 5.0)
    assert len(gather(tmp_path).rows) == len(lines)


def test_names_with_markup_are_escaped_everywhere(radii: Path, tmp_path: Path) -> None:
    evil = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'&"
    folder = rewrite(radii, tmp_path / "evil", network_name=evil, graph_name=evil, reason=evil)
    write_report(folder, tmp_path / "page.html", title=evil, names=[evil] * 3)
    text = (tmp_path / "page.html").read_text()
    assert "<script>alert" not in text
    assert "<img" not in text


def test_the_page_needs_nothing_from_elsewhere(store: Path, tmp_path: Path) -> None:
    write_report(store, tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text()
    assert not re.findall(r"""(?:src|href)\s*=\s*["'](?!data:|#)""", text)
    assert not re.findall(r"url\(|@import|fetch\(|https?://(?!www\.w3\.org/2000/svg)", text)


def test_graphs_are_found_where_the_sweep_had_them_and_are_recognised(tmp_path: Path) -> None:
    model, graph = sweep_cases.files(tmp_path)
    run = CliRunner().invoke
    out, page = str(tmp_path / "out"), str(tmp_path / "page.html")
    asked = ["sweep", str(model), str(graph), "--budget", "2", "--out", out, "--workers", "0"]
    assert run(main, asked).exit_code == 0
    result = run(main, ["report", out, "-o", page])
    assert result.exit_code == 0, result.output
    assert result.stdout == f"{page}: 12 questions\n"
    assert "is not drawn" not in Path(page).read_text()
    with_pictures = len(Path(page).read_text())
    # another graph in its place is no graph to draw the attacks in
    moved = tmp_path / "moved.graph"
    Graph.load(graph).save(moved)
    Graph.load(graph).flip([(0, 1)]).save(graph)
    assert run(main, ["report", out, "-o", page]).exit_code == 0
    assert "is not drawn: it is no longer in" in Path(page).read_text()
    assert run(main, ["report", out, "-o", page, "--graph", str(moved)]).exit_code == 0
    assert "is not drawn" not in Path(page).read_text()
    assert len(Path(page).read_text()) == with_pictures


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["nowhere"], "nowhere: expected a folder with the results of a sweep"),
        (["{store}", "-o", "{tmp}/no/page.html"], "page.html: cannot write it"),
        (["{store}", "--graph", "gone.npz", "-o", "{tmp}/page.html"], "gone.npz"),
        (["{store}", "{store}", "-o", "{tmp}/page.html"], "report: expected two sweeps to compare, got"),
        (["{store}", "a", "b"], "report: expected one sweep, or two to compare, got 3"),
        (["{store}", "--model", "gone.npz", "-o", "{tmp}/page.html"], "gone.npz"),
        (["{store}", "--classes", "a,,b", "-o", "{tmp}/page.html"], "classes: expected names"),
    ],
)
def test_bad_input_gets_one_line(store: Path, tmp_path: Path, words: list[str], told: str) -> None:
    filled = [word.format(store=store, tmp=tmp_path) for word in words]
    result = CliRunner().invoke(main, ["report", *filled])
    assert result.exit_code == 2
    assert told in result.stderr
    assert result.stderr.count("\n") == 1


def test_figures_are_written_as_files_for_papers(radii: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="needs matplotlib: pip install 'edgeproof[report]'")
    words = ["report", str(radii), "-o", str(tmp_path / "page.html"), "--figures", str(tmp_path / "figures")]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 0, result.output
    starts = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}
    for what in ("small-on-random-1-robust", "small-on-random-1-radii", "small-on-random-times"):
        for suffix, start in starts.items():
            assert (tmp_path / "figures" / f"{what}.{suffix}").read_bytes().startswith(start)


def test_sweeps_are_matched_by_their_threats_and_networks(store: Path, radii: Path) -> None:
    def of(sweep: str, *folders: Path) -> list[Curve]:
        return curves([row for folder in folders for row in gather(folder, sweep).rows])

    one, two = of("one", store), of("two", store)
    both = matches([*one, *two], ("one", "two"))
    assert [pair.second - pair.first for pair in both] == [len(one)] * len(one)
    renamed = [replace(curve, setting=curve.setting._replace(network_name="other", network="0")) for curve in two]
    assert matches([*one, *renamed], ("one", "two")) == both
    (alone,) = of("two", radii)
    assert matches([one[1], alone], ("one", "two")) == [(0, 1)]  # one each: also two threats can be compared
    other = [replace(curve, setting=curve.setting._replace(exactly="another")) for curve in two]
    with pytest.raises(InputError, match="expected sweeps with a threat in common, got deletions"):
        matches([*one, *other], ("one", "two"))


def test_levels_add_up_and_are_those_of_the_radii(radii: Path) -> None:
    network, graph = sweep_cases.network(), sweep_cases.graph()
    found = [radius(network, graph, Threat(BUDGET), v, engine="brute") for v in range(graph.num_vertices)]
    (curve,) = curves(gather(radii).rows)
    assert [level.budget for level in curve.levels] == list(range(BUDGET + 1))
    for level in curve.levels:
        assert level.budget is not None
        assert level.proved == sum(one.robust or one.lower >= level.budget for one in found)
        assert level.broken == len(found) - level.proved
        assert level.undecided == 0


def test_pairs_name_the_nodes_that_they_break(radii: Path) -> None:
    answers = gather(radii)
    for one in answers.most_flipped(5):
        assert one.nodes == tuple(sorted(row.node for row in answers.rows if one.pair in (row.attack or ())))
        assert one.times == len(one.nodes)


def test_scores_beside_a_picture_are_those_of_the_network(radii: Path) -> None:
    network, graph = sweep_cases.network(), sweep_cases.graph()
    row = next(row for row in gather(radii).rows if row.attack)
    assert row.attack is not None
    np.testing.assert_allclose(evaluate(network, graph, row.node, ()) or [], network.scores(graph, row.node))
    after = evaluate(network, graph, row.node, row.attack)
    np.testing.assert_allclose(after or [], network.scores(graph.flip(row.attack), row.node))


def test_a_network_that_has_gone_is_told_and_only_its_scores_are_left_out(tmp_path: Path) -> None:
    model, graph = sweep_cases.files(tmp_path)
    run, out, page = CliRunner().invoke, str(tmp_path / "out"), tmp_path / "page.html"
    asked = ["sweep", str(model), str(graph), "--budget", "2", "--out", out, "--workers", "0"]
    assert run(main, asked).exit_code == 0
    moved = model.rename(tmp_path / "moved.safetensors")
    assert run(main, ["report", out, "-o", str(page)]).exit_code == 0
    assert "Scores of small are left out: it is no longer in" in page.read_text()
    assert run(main, ["report", out, "-o", str(page), "--model", str(moved)]).exit_code == 0
    assert "are left out" not in page.read_text()

"""Stores that somebody or something has damaged: what can be read is read, what is left out is counted and told."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import edgeproof as ep
import sweep_cases as cases
from edgeproof.cli import main
from edgeproof.report.gather import gather
from edgeproof.sweep.complete import NEEDED, REST, complete
from edgeproof.sweep.line import DECIDED
from edgeproof.sweep.merge import merge
from edgeproof.sweep.read import Index, read_best, read_sources
from edgeproof.sweep.store import Store

HOW = {"workers": 0, "engine": "brute"}
SEED = 7


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Verdicts and radii, decided and not."""
    folder = tmp_path_factory.mktemp("damaged") / "out"
    for plan in (cases.plan(nodes=[0, 1, 2, 3]), cases.plan(nodes=[4, 5], radius=True)):
        for _ in ep.verify_many(cases.network(), cases.graph(), plan, store=folder, node_limit=20, **HOW):
            pass
    assert {line["status"] for line in cases.lines(folder)} >= {"robust", "vulnerable"}
    return folder


def run(*words: object) -> Result:
    result = CliRunner().invoke(main, [str(word) for word in words])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def write(folder: Path, lines: list[Any]) -> Path:
    folder.mkdir(parents=True)
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    (folder / "results.jsonl").write_text("".join(f"{text}\n" for text in texts))
    return folder


def report(folder: Path) -> tuple[Result, str]:
    page = folder / "page.html"
    return run("report", folder, "-o", page), page.read_text()


@pytest.mark.parametrize("field", [*NEEDED, *REST])
def test_a_field_that_is_missing_kills_nobody(field: str, store: Path, tmp_path: Path) -> None:
    pytest.importorskip("duckdb", reason="needs duckdb: pip install 'edgeproof[report]'")
    lines = cases.lines(store)
    which = next(at for at, line in enumerate(lines) if line["status"] == "vulnerable" and line["kind"] == "verdict")
    lines[which] = {name: value for name, value in lines[which].items() if name != field}
    folder = write(tmp_path / "out", lines)
    left_out = field in NEEDED or field in ("label", "attack")
    result, page = report(folder)
    shown = run("show", folder, "--json")
    for told in (result, shown):
        assert told.exit_code == 0
        said = f"1 line is no answer and left out: {folder / 'results.jsonl'}: line {which + 1}: {field}: missing"
        assert (said in told.stderr) == left_out
    assert (f"line {which + 1}: {field}" in page) == left_out
    rows = gather(folder).rows
    assert len(rows) == len(lines) - left_out
    counts = [row["questions"] for kind in ("verdicts", "radii") for row in json.loads(shown.stdout)[kind]]
    assert sum(counts) == len(rows)
    opened = Store(folder)
    opened.close()
    assert len(opened.skipped) == left_out
    answers = list(ep.verify_many(cases.network(), cases.graph(), cases.plan(nodes=[0, 1, 2, 3]), store=folder, **HOW))
    assert len(answers) == 16
    if left_out:
        with pytest.raises(ep.StoreError, match=f"line {which + 1}: expected an answer with key, status and limits; "):
            list(read_best(folder))


def test_values_of_every_wrong_kind_kill_nobody(store: Path, tmp_path: Path) -> None:
    """Whatever stands in whichever field: a reader reads the line or leaves it out, and all readers the same ones."""
    duckdb = pytest.importorskip("duckdb", reason="needs duckdb: pip install 'edgeproof[report]'")
    from edgeproof.sweep.table import connect

    chance = random.Random(SEED)
    wrong = [None, True, -1, 3, 2.5, "x", "", [], [1], [[1]], [[1, "a"]], {}, {"count": 1}, {"x": [1]}, 10**12]
    lines = cases.lines(store)
    for number in range(16):
        spoilt = []
        for line in lines:
            spoilt.append(dict(line))
            field = chance.choice([name for name in line if name != "format"])
            spoilt[-1][field] = chance.choice(wrong)
            if isinstance(line[field], dict) and chance.random() < 0.5 and line[field]:
                spoilt[-1][field] = {**line[field], chance.choice(list(line[field])): chance.choice(wrong)}
        folder = write(tmp_path / str(number), spoilt)
        answers = gather(folder)
        report(folder)
        connection = connect(folder)
        assert isinstance(connection, duckdb.DuckDBPyConnection)
        ((count,),) = connection.execute("select count(*) from answers").fetchall()
        assert count == len(answers.rows), f"seed {SEED}, store {number}"
        assert run("show", folder).exit_code == 0
        with_holes = [line for line in spoilt if not is_answer(line)]
        assert len(answers.skipped) == len(with_holes)
        good = write(tmp_path / f"good{number}", [line for line in spoilt if is_answer(line)])
        read = ep.verify_many(cases.network(), cases.graph(), cases.plan(nodes=[0, 1, 2, 3]), store=good, **HOW)
        assert len(list(read)) == 16


def is_answer(line: dict[str, Any]) -> bool:
    try:
        complete(line)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize(
    "damage", ["not JSON", "", "[1, 2]", "3", '{"format": 1, "key"', "\0\0\0", "\ud800é", "[" * 20_000]
)
def test_a_damaged_line_costs_its_own_answer_only(damage: str, store: Path, tmp_path: Path) -> None:
    """Wherever it stands: every command leaves it out, counts and names it, and a sweep asks its question again."""
    pytest.importorskip("duckdb", reason="needs duckdb: pip install 'edgeproof[report]'")
    whole = cases.essence(store)
    lines: list[Any] = cases.lines(store)
    for which in (0, len(lines) // 2, len(lines) - 1):
        folder = tmp_path / f"out{which}"
        folder.mkdir()
        texts = [json.dumps(line) for line in lines]
        texts[which] = damage
        path = folder / "results.jsonl"
        path.write_bytes("".join(f"{text}\n" for text in texts).encode(errors="surrogatepass"))
        said = f"1 line is no answer and left out: {path}: line {which + 1}: expected a JSON object"
        merged = tmp_path / f"merged{which}"
        commands = [
            ("show", folder, "--json"),
            ("report", folder, "-o", folder / "p.html"),
            ("merge", folder, "-o", merged),
        ]
        for words in commands:
            told = run(*words)
            assert told.exit_code == 0
            assert said in told.stderr
        assert len(gather(folder).rows) == len(cases.lines(merged)) == len(lines) - 1
        with pytest.raises(ep.StoreError, match=f"line {which + 1}: expected a JSON object"):
            list(read_best(folder))
        for plan in (cases.plan(nodes=[0, 1, 2, 3]), cases.plan(nodes=[4, 5], radius=True)):
            for _ in ep.verify_many(cases.network(), cases.graph(), plan, store=folder, node_limit=20, **HOW):
                pass
        assert merge([folder], tmp_path / f"all{which}", skip=lambda why: None)[0] == len(lines)
        assert cases.essence(tmp_path / f"all{which}") == whole


def test_a_sweep_tells_what_it_leaves_out(tmp_path: Path) -> None:
    files = cases.files(tmp_path)
    words = ("sweep", *files, "--engine", "brute", "--workers", 0, "--budget", 1, "--out", tmp_path / "out")
    run(*words)
    path = tmp_path / "out" / "results.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join([lines[0], "damaged\n", *lines[2:]]))
    result = run(*words)
    assert result.exit_code == 0
    assert f"1 line is no answer and left out: {path}: line 2: expected a JSON object, got b'damaged" in result.stderr
    assert "what it answered is asked again" in result.stderr
    assert f"({len(lines) - 1} were in the store)" in result.stdout


def test_a_file_that_holds_nothing_of_ours_is_refused(tmp_path: Path) -> None:
    (tmp_path / "results.jsonl").write_text("first\nsecond\n")
    for words in (
        ("show", tmp_path),
        ("report", tmp_path, "-o", tmp_path / "p.html"),
        ("merge", tmp_path, "-o", tmp_path / "x"),
    ):
        result = run(*words)
        assert result.exit_code == 2
        assert "line 1: expected a JSON object" in result.stderr
    with pytest.raises(ep.StoreError, match="line 1: expected a JSON object"):
        Store(tmp_path)


@pytest.mark.parametrize("budget", [10**12, 10**20])
def test_as_many_as_you_like_is_a_budget(budget: int, tmp_path: Path) -> None:
    """A curve with a point for each took the report hours, and the table left out what 64 bits do not hold."""
    pytest.importorskip("duckdb", reason="needs duckdb: pip install 'edgeproof[report]'")
    plan = ep.Plan([ep.Threat(budget, fragile=[(0, 3)])], nodes=[3])
    list(ep.verify_many(cases.network(), cases.graph(), plan, store=tmp_path, **HOW))
    assert report(tmp_path)[0].stdout.endswith("page.html: 1 questions\n")
    (row,) = json.loads(run("show", tmp_path, "--json").stdout)["verdicts"]
    assert (row["questions"], int(row["budget"])) == (1, budget)


def test_half_a_line_is_no_answer_for_any_reader(store: Path, tmp_path: Path) -> None:
    """A last line without its end may be complete JSON: a sweep would complete it, and until then nobody counts it."""
    pytest.importorskip("duckdb", reason="needs duckdb: pip install 'edgeproof[report]'")
    lines = cases.lines(store)
    folder = write(tmp_path / "out", lines)
    path = folder / "results.jsonl"
    path.write_bytes(path.read_bytes()[:-1])
    shown = json.loads(run("show", folder, "--json").stdout)
    counts = [row["questions"] for kind in ("verdicts", "radii") for row in shown[kind]]
    assert sum(counts) == len(gather(folder).rows) == len(list(read_best(folder))) == len(lines) - 1
    Store(folder).close()
    assert len(gather(folder).rows) == len(lines)


@pytest.mark.parametrize("torn", [b"{", b'{"form', b'{"format":1', b"\0" * 100, b'{"fo\0\0\0'])
def test_a_first_line_that_is_torn_is_dropped_too(torn: bytes, tmp_path: Path) -> None:
    (tmp_path / "results.jsonl").write_bytes(torn)
    opened = Store(tmp_path)
    opened.close()
    assert f"dropped a torn last line of {len(torn)} bytes" in (opened.repaired or "")


def test_a_torn_note_of_sources_costs_that_note_only(tmp_path: Path) -> None:
    """It was completed by the next note, and no command could read the store any more."""
    cases.files(tmp_path)
    words = (
        "sweep",
        *cases.files(tmp_path),
        "--engine",
        "brute",
        "--workers",
        0,
        "--budget",
        1,
        "--out",
        tmp_path / "out",
    )
    run(*words)
    sources = tmp_path / "out" / "sources.jsonl"
    whole = read_sources(tmp_path / "out")
    sources.write_bytes(sources.read_bytes()[:-9])
    assert len(read_sources(tmp_path / "out")) == 1
    assert run(*words).exit_code == 0
    assert read_sources(tmp_path / "out") == whole
    assert report(tmp_path / "out")[0].exit_code == 0


def test_answers_that_differ_survive_a_merge_and_are_told(store: Path, tmp_path: Path) -> None:
    pytest.importorskip("duckdb", reason="needs duckdb: pip install 'edgeproof[report]'")
    lines = cases.lines(store)
    broken = next(line for line in lines if line["status"] == "vulnerable" and line["kind"] == "verdict")
    proved = {**broken, "status": "robust", "attack": None, "rival": None}
    one, two = write(tmp_path / "one", lines), write(tmp_path / "two", [proved, *lines])
    for order in ([one, two], [two, one]):
        out = tmp_path / f"merged{order[0].name}"
        merge(order, out)
        held = [line["status"] for line in cases.lines(out) if line["key"] == broken["key"]]
        assert sorted(held) == ["robust", "vulnerable"]
        (best,) = [line for line in read_best(out) if line["key"] == broken["key"]]
        assert best["status"] == "vulnerable", "an attack was checked, and counts"
        assert f"node {broken['node']}: the same question (verdict, budget {broken['budget']})" in report(out)[1]
        shown = run("show", out, "--sql", f"select status from answers where key = '{broken['key']}'", "--json")
        assert json.loads(shown.stdout)["rows"] == [["vulnerable"]]
    assert "has answers that differ" not in report(one)[1]


def test_shards_that_are_merged_twice_count_once(store: Path, tmp_path: Path) -> None:
    kept, read = merge([store, store, store], tmp_path / "all")
    assert read == 3 * len(cases.lines(store))
    assert kept == len(list(read_best(store))) == len(Index([tmp_path / "all" / "results.jsonl"]))
    again = merge([tmp_path / "all", store], tmp_path / "again")
    assert again[0] == kept
    assert cases.essence(tmp_path / "again") == cases.essence(store)


def test_lines_of_before_without_new_fields_are_read(store: Path, tmp_path: Path) -> None:
    old = [{name: value for name, value in line.items() if name not in ("implied_by", "graph_index", "versions")}
           for line in cases.lines(store)]  # fmt: skip
    folder = write(tmp_path / "out", old)
    before = (folder / "results.jsonl").read_bytes()
    decided = [line["key"] for line in read_best(folder) if line["status"] in DECIDED]
    answers = ep.verify_many(
        cases.network(), cases.graph(), cases.plan(nodes=[0, 1, 2, 3]), store=folder, node_limit=20, **HOW
    )
    assert {answer.key for answer in answers if answer.status in DECIDED} <= set(decided)
    assert (folder / "results.jsonl").read_bytes() == before


def test_nesting_without_end_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "results.jsonl").write_text("[" * 200_000 + "\n")
    result = run("report", tmp_path, "-o", tmp_path / "page.html")
    assert result.exit_code == 2
    assert "line 1: expected a JSON object" in result.stderr


def test_a_store_that_may_only_be_read_is_shown_and_reported(store: Path, tmp_path: Path) -> None:
    pytest.importorskip("duckdb", reason="needs duckdb: pip install 'edgeproof[report]'")
    folder = shutil.copytree(store, tmp_path / "out")
    for path in (*folder.iterdir(), folder):
        path.chmod(0o555)
    try:
        assert run("report", folder, "-o", tmp_path / "page.html").exit_code == 0
        assert run("show", folder).exit_code == 0
        assert len(list(folder.iterdir())) == len(list(store.iterdir()))
    finally:
        folder.chmod(0o755)

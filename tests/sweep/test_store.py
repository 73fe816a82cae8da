"""The store: what is refused, what is repaired, and that nothing else is touched."""

from __future__ import annotations

import errno
import json
import os
import subprocess
from pathlib import Path

import pytest

import edgeproof as ep
import sweep_cases as cases
from edgeproof.sweep import store as store_module
from edgeproof.sweep.merge import merge
from edgeproof.sweep.read import Index, read_best
from edgeproof.sweep.store import Store, parse_shard

HOW = {"workers": 0, "engine": "brute"}


def fill(folder: Path, **more: object) -> bytes:
    for _ in ep.verify_many(cases.network(), cases.graph(), cases.plan(), **{**HOW, **more}, store=folder):
        pass
    return (folder / "results.jsonl").read_bytes()


def test_a_line_is_complete_in_itself(tmp_path: Path) -> None:
    fill(tmp_path)
    network, graph = cases.network(), cases.graph()
    documented = (Path(__file__).parents[2] / "docs" / "store.md").read_text()
    for line in cases.lines(tmp_path):
        assert line["network"] == network.fingerprint
        assert line["graph"] == graph.fingerprint
        assert line["true_label"] == graph.labels[line["node"]]
        assert line["versions"]["edgeproof"] == ep.__version__
        if line["implied_by"] is None:
            assert {"nodes", "seconds", "leaves", "fragile", "exploration", "evaluations"} <= line["stats"].keys()
        threat = ep.Threat(line["budget"], line["local_budget"])
        alone = ep.verify(network, graph, threat, line["node"], engine="brute")
        assert (line["status"], line["label"]) == (alone.status, alone.label)
        assert all(f"`{field}`" in documented for field in line), "docs/store.md describes every field"


def test_what_makes_another_question_makes_another_key(tmp_path: Path) -> None:
    def keys(network: ep.Network, graph: ep.Graph, threat: ep.Threat, **more: object) -> set[str]:
        target, radius = more.pop("target", None), bool(more.pop("radius", False))
        question = ep.Question(threat, 3, target=target, radius=radius)
        return {a.key for a in ep.verify_many(network, graph, [question], **{**HOW, **more})}

    network, graph = cases.network(), cases.graph()
    base = keys(network, graph, ep.Threat(1))
    same = [
        keys(network, graph, ep.Threat(1), timeout=9.0),
        keys(network, graph, ep.Threat(1), node_limit=10**6, memory=4.0),
        keys(network, graph, ep.Threat(1), options={"lines": True}),  # its default
        keys(ep.Network(network.layers, name="renamed"), graph, ep.Threat(1)),
    ]
    assert all(one == base for one in same)
    others = [
        keys(cases.network(7), graph, ep.Threat(1)),
        keys(network, cases.graph(seed=7), ep.Threat(1)),
        keys(network, graph, ep.Threat(2)),
        keys(network, graph, ep.Threat(1, 1)),
        keys(network, graph, ep.Threat(1, [1] * 12)),
        keys(network, graph, ep.Threat(1, [2] * 12)),
        keys(network, graph, ep.Threat(1, fragile=[(0, 3)])),
        keys(network, graph, ep.Threat(1, fragile=[(1, 3)])),
        keys(network, graph, ep.Threat(1, protected=[(1, 3)])),
        keys(network, graph, ep.Threat(1, insert="target")),
        keys(network, graph, ep.Threat(1), target="next"),
        keys(network, graph, ep.Threat(1), radius=True),
        keys(network, graph, ep.Threat(1), options={"lines": False}),
        keys(network, graph, ep.Threat(1), engine="search", passes=False),
    ]
    assert len({next(iter(one)) for one in [base, *others]}) == len(others) + 1


def test_another_network_in_the_same_store_is_not_mixed_in(tmp_path: Path) -> None:
    before = fill(tmp_path)
    answers = list(ep.verify_many(cases.network(1), cases.graph(), cases.plan(), **HOW, store=tmp_path))
    assert (tmp_path / "results.jsonl").read_bytes().startswith(before)
    assert len(list(read_best(tmp_path))) == 2 * len(answers)


@pytest.mark.parametrize("torn", [b'{"format":1,"key":"ab', b'{"format":1,"k\0\0\0\0', b"\xff\xfe"])
def test_a_torn_last_line_is_dropped_and_said(tmp_path: Path, torn: bytes) -> None:
    whole = fill(tmp_path)
    with (tmp_path / "results.jsonl").open("ab") as file:
        file.write(torn)
    opened = Store(tmp_path)
    opened.close()
    assert f"dropped a torn last line of {len(torn)} bytes" in (opened.repaired or "")
    assert (tmp_path / "results.jsonl").read_bytes() == whole


def test_a_last_line_without_its_end_is_kept(tmp_path: Path) -> None:
    whole = fill(tmp_path)
    (tmp_path / "results.jsonl").write_bytes(whole[:-1])
    Store(tmp_path).close()
    assert (tmp_path / "results.jsonl").read_bytes() == whole


@pytest.mark.parametrize(
    ("damage", "complaint"),
    [
        (lambda text: text.replace(b'"format":1', b'"format":2', 1), "line 1: expected format 1, got 2"),
        (lambda text: text.replace(b'{"format":1,', b"{", 1), "line 1: expected format 1, got None"),
        (lambda text: text.replace(b'"', b"'"), "line 1: expected a JSON object, got b\"{'format"),
        (lambda text: b"a diary, not a store", "expected the results of a sweep, got b'a diary"),
    ],
)
def test_a_store_that_is_none_is_refused_and_left_alone(tmp_path: Path, damage: object, complaint: str) -> None:
    text = damage(fill(tmp_path / "out"))  # type: ignore[operator]
    path = tmp_path / "out" / "results.jsonl"
    path.write_bytes(text)
    done = cases.run("sweep", *cases.files(tmp_path), "--engine", "brute", "--budget", 1, "--out", tmp_path / "out")
    assert done.returncode == 2
    assert done.stdout == ""
    assert complaint in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert path.read_bytes() == text


def test_a_store_that_cannot_be_opened_gets_one_line(tmp_path: Path) -> None:
    words = ("sweep", *cases.files(tmp_path), "--engine", "brute", "--budget", 1, "--out")
    (tmp_path / "file").write_text("not a folder")
    (tmp_path / "folder" / "results.jsonl").mkdir(parents=True)
    for out, reason in (("file", "file: expected a folder for the store"), ("folder", "is a directory")):
        done = cases.run(*words, tmp_path / out)
        assert done.returncode == 2
        assert len(done.stderr.splitlines()) == 1
        assert reason in done.stderr
    assert (tmp_path / "file").read_text() == "not a folder"


def test_two_sweeps_do_not_share_a_file(tmp_path: Path) -> None:
    first = Store(tmp_path)
    with pytest.raises(ep.StoreError, match="another sweep is writing to it"):
        Store(tmp_path)
    Store(tmp_path, (1, 2)).close()
    first.close()
    Store(tmp_path).close()


def test_a_full_disk_is_one_clear_line_and_costs_nothing_old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = fill(tmp_path / "calm")
    room = [3000]

    def write(file: int, data: bytes) -> int:
        taken = min(room[0], len(data))
        room[0] -= taken
        if not taken:
            raise OSError(errno.ENOSPC, "No space left on device")
        return os_write(file, data[:taken])

    os_write = os.write
    monkeypatch.setattr(store_module.os, "write", write)
    with pytest.raises(ep.StoreError, match=r"cannot write it: no space left on device; .* the same command resumes"):
        fill(tmp_path / "out")
    monkeypatch.undo()
    kept = (tmp_path / "out" / "results.jsonl").read_bytes()
    assert kept == b"" or kept.endswith(b"\n")
    fill(tmp_path / "out")
    assert cases.essence(tmp_path / "out") == cases.essence(tmp_path / "calm")
    assert (tmp_path / "out" / "results.jsonl").read_bytes().startswith(kept)
    assert whole


def test_a_disk_that_is_really_full(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=32k", "tmpfs", str(disk)]
    if os.geteuid() != 0 or subprocess.run(mount, check=False, capture_output=True).returncode != 0:
        pytest.skip("a small disk can be mounted only by root, where that is allowed")
    try:
        words = ("sweep", *cases.files(tmp_path), "--engine", "brute", "--workers", 1, "--budget", 1, "--budget", 2)
        done = cases.run(*words, "--target", "all", "--target", "next", "--out", disk / "out")
        assert done.returncode == 2
        assert "cannot write it: no space left on device" in done.stderr
        assert "Traceback" not in done.stderr
        kept = (disk / "out" / "results.jsonl").read_bytes()
        assert kept.endswith(b"\n")
        assert [json.loads(line)["format"] for line in kept.splitlines()]
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_shards_make_up_the_whole_and_merge_into_it(tmp_path: Path) -> None:
    words = (
        "sweep",
        *cases.files(tmp_path),
        "--engine",
        "brute",
        "--workers",
        0,
        "--budget",
        1,
        "--budget",
        2,
        "--out",
    )
    assert cases.run(*words, tmp_path / "whole").returncode == 0
    for part in (1, 2, 3):
        assert cases.run(*words, tmp_path / "parts", "--shard", f"{part}/3").returncode == 0
    names = [path.name for path in sorted((tmp_path / "parts").glob("results*"))]
    assert names == [f"results-000{part}-of-0003.jsonl" for part in (1, 2, 3)]
    wanted = cases.essence(tmp_path / "whole")
    assert cases.essence(tmp_path / "parts") == wanted
    assert len(cases.lines(tmp_path / "parts")) == len(cases.lines(tmp_path / "whole"))
    merged = cases.run("merge", tmp_path / "parts", tmp_path / "whole", "-o", tmp_path / "merged")
    assert merged.returncode == 0
    assert f"{len(wanted)} answers, from {2 * len(wanted)} lines" in merged.stdout
    assert cases.essence(tmp_path / "merged") == wanted
    assert len(cases.lines(tmp_path / "merged")) == len(wanted)
    again = cases.run(*words, tmp_path / "merged")
    assert f"({len(wanted)} were in the store)" in again.stdout
    refused = cases.run("merge", tmp_path / "parts", "-o", tmp_path / "merged")
    assert refused.returncode == 2
    assert "it holds results already" in refused.stderr
    nothing = cases.run("merge", tmp_path, "-o", tmp_path / "new")
    assert "found no results*.jsonl" in nothing.stderr


def test_merging_keeps_what_every_attempt_took(tmp_path: Path) -> None:
    fill(tmp_path / "one", passes=True, node_limit=300)
    fill(tmp_path / "one", passes=True)
    fill(tmp_path / "two", passes=True)
    attempts = {(line["key"], line["status"], line["limits"]["node_limit"]) for line in cases.lines(tmp_path / "one")}
    assert any(status == "unknown" for _, status, _ in attempts)
    merge([tmp_path / "one", tmp_path / "two"], tmp_path / "all")
    found = [(line["key"], line["status"]) for line in cases.lines(tmp_path / "all")]
    assert {(key, status) for key, status, _ in attempts} == set(found)
    decided = [key for key, status in found if status != "unknown"]
    assert len(decided) == len(set(decided)) == len(Index([tmp_path / "all" / "results.jsonl"]))


@pytest.mark.parametrize("text", ["0/3", "4/3", "3", "1/0", "a/b", "-1/3", "1/2/3", "1/10000"])
def test_a_shard_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(ep.InputError, match="shard: expected I/N with I from 1 to N"):
        parse_shard(text)


def test_errors_are_not_asked_again_unless_wished(tmp_path: Path) -> None:
    label = cases.network().predict(cases.graph(), 0)
    words = ("sweep", *cases.files(tmp_path), "--engine", "brute", "--workers", 0, "--budget", 1, "--target", label)
    words = (*words, "--out", tmp_path / "out")
    first = cases.run(*words)
    assert first.returncode == 3
    assert f"first error: target: class {label} is the label itself" in first.stdout
    errors = sum(line["status"] == "error" for line in cases.lines(tmp_path / "out"))
    assert errors
    before = len(cases.lines(tmp_path / "out"))
    assert cases.run(*words).returncode == 3
    assert len(cases.lines(tmp_path / "out")) == before
    assert cases.run(*words, "--retry-errors").returncode == 3
    assert len(cases.lines(tmp_path / "out")) == before + errors
    pytest.importorskip("duckdb", reason="needs duckdb: pip install 'edgeproof[report]'")
    told = f"{errors} error{'s' * (errors > 1)}: target: class {label} is the label itself"
    assert told in cases.run("show", tmp_path / "out").stdout

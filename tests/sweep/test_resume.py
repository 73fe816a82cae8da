"""Stopping a sweep anywhere, by any means, and running the same command again: nothing lost, nothing twice."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from pathlib import Path

import pytest

import edgeproof as ep
import sweep_cases as cases

SEED = 1
MARK = "EDGEPROOF_TEST_MARK"


def words(folder: Path, out: Path) -> list[object]:
    """Verdicts that search, that share, and that give up twice: small passes, then a limit that some exceed."""
    return [
        "sweep", *cases.files(folder, 36), "--budget", 1, "--budget", "2,1", "--budget", 2, "--target", "all",
        "--target", "next", "--engine", "brute", "--passes", "--node-limit", 600, "--workers", 1, "--out", out,
    ]  # fmt: skip


def start(folder: Path, out: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        cases.command(*words(folder, out)),
        env={**os.environ, MARK: str(out)}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip


def marked(out: Path) -> list[int]:
    """The processes that a sweep into `out` has started and that are alive."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if f"{MARK}={out}".encode() in (process / "environ").read_bytes().split(b"\0"):
                found.append(int(process.name))
        except OSError:
            continue
    return found


def wait_for(path: Path, lines: int, process: subprocess.Popen[bytes]) -> None:
    """Until there are so many lines, or the process has ended."""
    while process.poll() is None and (not path.exists() or path.read_bytes().count(b"\n") < lines):
        time.sleep(0.005)


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """An undisturbed run: its files, its store."""
    folder = tmp_path_factory.mktemp("calm")
    done = cases.run(*words(folder, folder / "out"))
    assert done.returncode == 3, done.stderr
    answers = cases.lines(folder / "out")
    assert {line["status"] for line in answers} == {"robust", "vulnerable", "unknown"}
    assert {line["attempt"] for line in answers} == {1, 2}
    assert any(line["implied_by"] for line in answers)
    assert len(cases.essence(folder / "out")) == 36 * 3 * 2
    return folder, folder / "out"


def test_twenty_kills_change_nothing(calm: tuple[Path, Path], tmp_path: Path) -> None:
    folder, out = calm
    chance = random.Random(SEED)
    stores = [tmp_path / "out0"]
    kills = 0
    while kills < 20:
        wild = stores[-1]
        results = wild / "results.jsonl"
        process = start(folder, wild)
        before = results.read_bytes().count(b"\n") if results.exists() else 0
        wait_for(results, before + chance.randint(0, 6), process)
        time.sleep(chance.random() * 0.05)
        if process.poll() is None:
            kills += 1
            process.send_signal(signal.SIGKILL)
            process.wait()
        else:  # a fast machine is through before twenty kills: the rest fall on another store
            stores.append(tmp_path / f"out{len(stores)}")
            assert len(stores) <= 4, f"the sweep is too short to be killed, seed {SEED}"
    for wild in stores:
        check_resumed(folder, wild, out)


def check_resumed(folder: Path, wild: Path, out: Path) -> None:
    """Nothing lost, nothing twice, nobody left behind."""
    done = cases.run(*words(folder, wild))
    assert done.returncode == 3, done.stderr
    assert cases.essence(wild) == cases.essence(out)
    asked = [(line["key"], line["attempt"]) for line in cases.lines(wild) if line["implied_by"] is None]
    assert len(asked) == len(set(asked))
    deadline = time.monotonic() + 20
    while marked(wild) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not marked(wild), "workers have outlived their driver"


def test_running_it_again_does_nothing(calm: tuple[Path, Path]) -> None:
    folder, out = calm
    before = (out / "results.jsonl").read_bytes()
    done = cases.run(*words(folder, out))
    assert done.returncode == 3
    assert "216 questions" in done.stdout
    assert "(216 were in the store)" in done.stdout
    assert (out / "results.jsonl").read_bytes() == before


def test_larger_limits_ask_only_what_is_unknown(calm: tuple[Path, Path], tmp_path: Path) -> None:
    folder, out = calm
    (tmp_path / "results.jsonl").write_bytes((out / "results.jsonl").read_bytes())
    unknown = {line["key"] for line in cases.lines(out)} - {
        line["key"] for line in cases.lines(out) if line["status"] != "unknown"
    }
    before = len(cases.lines(tmp_path))
    more = ["5000" if word == 600 else word for word in words(folder, tmp_path)]
    assert cases.run(*more).returncode == 0
    fresh = cases.lines(tmp_path)[before:]
    assert unknown
    assert {line["key"] for line in fresh} == unknown
    assert {line["attempt"] for line in fresh} <= {2, 3}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_stores_everything_and_says_how_to_go_on(
    calm: tuple[Path, Path], tmp_path: Path, number: signal.Signals
) -> None:
    folder, out = calm
    process = subprocess.Popen(
        cases.command(*words(folder, tmp_path / "out")), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    wait_for(tmp_path / "out" / "results.jsonl", 5, process)
    process.send_signal(number)
    said, complaints = process.communicate(timeout=60)
    assert process.returncode == 128 + number
    assert said.startswith("stopped: ")
    assert "Run the same command again" in said
    assert "Traceback" not in complaints
    stored = len({line["key"] for line in cases.lines(tmp_path / "out") if line["status"] != "unknown"})
    assert f"stopped: {stored} of 216 are stored" in said
    assert cases.run(*words(folder, tmp_path / "out")).returncode == 3
    assert cases.essence(tmp_path / "out") == cases.essence(out)


def test_a_store_cut_anywhere_is_repaired(calm: tuple[Path, Path], tmp_path: Path) -> None:
    """What a crash of the machine leaves of a file is a beginning of it."""
    folder, out = calm
    whole = (out / "results.jsonl").read_bytes()
    chance = random.Random(SEED)
    network, graph = ep.Network.load(folder / "m.safetensors"), ep.Graph.load(folder / "g.graph")
    plan = ep.Plan([ep.Threat(1), ep.Threat(2, 1), ep.Threat(2)], targets=[None, "next"])
    for _ in range(4):
        length = chance.randrange(len(whole) // 2, len(whole))
        (tmp_path / "results.jsonl").write_bytes(whole[:length])
        how = {"workers": 0, "engine": "brute", "passes": True, "node_limit": 600, "store": tmp_path}
        answers = list(ep.verify_many(network, graph, plan, **how))
        assert len(answers) == 216
        assert cases.essence(tmp_path) == cases.essence(out)
        assert (tmp_path / "results.jsonl").read_bytes().startswith(whole[: whole[:length].rfind(b"\n") + 1])

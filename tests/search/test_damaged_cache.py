"""Kernels that are kept badly, or nowhere: they are compiled again, and nothing is written where it does not belong."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from edgeproof.search.jit.cache import PACKAGE, cache_root
from edgeproof.search.warm_up import warm_up

# the package's own kernels take a minute to compile; these two are linked in the same way
TWO_KERNELS = """
from edgeproof.search.jit.decorators import entry, kernel

@kernel
def halve(x):
    return x / 2.0

@entry
def halve_twice(x):
    return halve(halve(x))

print(halve_twice(5.0), *(sum(one.stats.cache_misses.values()) for one in (halve, halve_twice)))
"""
SAID = "edgeproof: compiled kernels"


def run(folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """Two kernels from a file in `folder`, with the package from a copy beside it: what is installed, so to speak."""
    (folder / "two.py").write_text(TWO_KERNELS)
    installed = folder / "site" / "edgeproof"
    if not installed.exists():
        shutil.copytree(PACKAGE, installed, ignore=shutil.ignore_patterns("__pycache__"))
    environment = {**os.environ, "PYTHONPATH": str(installed.parent), "EDGEPROOF_CACHE": str(folder / "cache"), **more}
    environment = {name: value for name, value in environment.items() if value != ""}
    program = [sys.executable, "-B", str(folder / "two.py")]
    return subprocess.run(program, env=environment, capture_output=True, text=True, check=False)


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-7])


def empty(file: Path) -> None:
    file.write_bytes(b"")


def zeros(file: Path) -> None:
    """What a crash of the machine may leave: the length is right."""
    file.write_bytes(bytes(file.stat().st_size))


def flip_a_bit(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)


def machine_code_in(folder: Path) -> list[Path]:
    return [file for kind in ("nbi", "nbc") for file in folder.rglob(f"*.{kind}*")]


@pytest.mark.parametrize("damage", [cut, empty, zeros, flip_a_bit])
@pytest.mark.parametrize("which", ["two.halve-*.nbi", "two.halve-*.nbc"])
def test_a_damaged_file_is_dropped_and_compiled_again(
    damage: Callable[[Path], None], which: str, tmp_path: Path
) -> None:
    assert run(tmp_path).stdout == "1.25 1 1\n"
    assert run(tmp_path).stdout == "1.25 0 0\n"
    (file,) = (tmp_path / "cache").rglob(which)
    damage(file)
    done = run(tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "1.25 1 1\n"
    assert done.stderr.startswith(SAID)
    assert "are damaged (__main__.halve" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    again = run(tmp_path)
    assert (again.stdout, again.stderr) == ("1.25 0 0\n", "")


def test_where_the_cache_cannot_be_written_nothing_is_written_into_the_package(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "temporary").mkdir()
    done = run(tmp_path, EDGEPROOF_CACHE=str(tmp_path / "file"), TMPDIR=str(tmp_path / "temporary"))
    assert done.returncode == 0, done.stderr
    assert done.stdout == "1.25 1 1\n"
    assert f"{SAID} cannot be kept in {tmp_path / 'file'}" in done.stderr
    assert "EDGEPROOF_CACHE names a folder to keep them in" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert machine_code_in(tmp_path) == []
    assert list((tmp_path / "temporary").iterdir()) == []


def test_processes_that_it_starts_use_its_private_folder(tmp_path: Path) -> None:
    program = "from edgeproof.search.jit.cache import cache_root; print(cache_root())"
    twice = f"{program}\nimport subprocess, sys; subprocess.run([sys.executable, '-c', {program!r}], check=True)"
    (tmp_path / "file").write_text("")
    environment = {**os.environ, "EDGEPROOF_CACHE": str(tmp_path / "file")}
    program = [sys.executable, "-u", "-c", twice]
    done = subprocess.run(program, env=environment, capture_output=True, text=True, check=True)
    first, second = done.stdout.splitlines()
    assert first == second
    assert len(done.stderr.splitlines()) == 1
    assert not Path(first).exists()


def test_without_a_home_it_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As in a container whose user has no name."""

    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", homeless)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("EDGEPROOF_CACHE", "")
    root = cache_root.__wrapped__()
    assert root.parent.parent == tmp_path
    assert os.environ["EDGEPROOF_CACHE"] == str(root.parent)
    assert "(there is no home folder)" in capsys.readouterr().err


root_only = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can become another user"
)


@root_only
@pytest.mark.parametrize(
    ("owner", "mode", "why"), [(12345, 0o755, "it belongs to another user"), (0, 0o777, "everybody may write to it")]
)
def test_machine_code_that_others_may_have_put_there_is_not_run(
    owner: int, mode: int, why: str, tmp_path: Path
) -> None:
    kept = tmp_path / "home" / "edgeproof"
    kept.mkdir(parents=True)
    os.chown(kept, owner, owner)
    kept.chmod(mode)
    done = run(tmp_path, EDGEPROOF_CACHE="", XDG_CACHE_HOME=str(tmp_path / "home"))
    assert done.stdout == "1.25 1 1\n", done.stderr
    assert f"cannot be kept in {kept} ({why})" in done.stderr
    assert machine_code_in(kept) == []
    told = run(tmp_path, EDGEPROOF_CACHE=str(kept.parent))
    assert (told.stdout, told.stderr) == ("1.25 1 1\n", ""), "who names a folder means it"


@root_only
def test_a_full_disk_costs_the_cache_and_not_the_run(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=12k", "tmpfs", str(disk)]
    if subprocess.run(mount, check=False, capture_output=True).returncode != 0:
        pytest.skip("a small disk cannot be mounted here")
    try:
        done = run(tmp_path, EDGEPROOF_CACHE=str(disk))
        assert done.stdout == "1.25 1 1\n", done.stderr
        assert "compiled kernels cannot be kept (no space left on device)" in done.stderr
        assert len(done.stderr.splitlines()) == 1
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_the_packages_own_kernels_are_compiled_again_where_some_are_gone_or_damaged(tmp_path: Path) -> None:
    """One that is gone has callers that would be loaded, and find nobody."""
    warm_up()
    copy = shutil.copytree(cache_root(), tmp_path / "edgeproof")
    gone = list(copy.rglob("*.bound_vertex-*"))
    assert gone
    for file in gone:
        file.unlink()
    damaged = sorted(copy.rglob("*.nb?"))
    for number, file in enumerate(damaged[::7]):
        (cut, empty, zeros, flip_a_bit)[number % 4](file)
    environment = {**os.environ, "EDGEPROOF_CACHE": str(tmp_path)}
    program = [sys.executable, "-c", "from edgeproof.search.warm_up import warm_up; warm_up()"]
    done = subprocess.run(program, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith(SAID)
    assert "all are compiled again (about a minute)" in done.stderr
    again = subprocess.run(program, env=environment, capture_output=True, text=True, check=False)
    assert (again.returncode, again.stderr) == (0, "")

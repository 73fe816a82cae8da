"""The documentation says what is: its code runs, its tables are those of the source, its site builds."""

from __future__ import annotations

import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import edgeproof

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


def blocks(page: Path) -> list[str]:
    return re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL)


def run_and_compare(code: list[str], capsys: pytest.CaptureFixture[str]) -> int:
    """Run the blocks in one scope; what a `print` says in its comment it must print. Gives the number compared."""
    scope: dict[str, object] = {}
    compared = 0
    for block in code:
        capsys.readouterr()
        exec(block, scope)
        printed = capsys.readouterr().out.splitlines()
        wanted = re.findall(r"^print\(.*\)  # (.*?)(?:: .*)?$", block, flags=re.MULTILINE)
        for line, text in zip(printed, wanted, strict=False):
            assert line == text
            compared += 1
    return compared


def test_the_tutorial_runs_and_prints_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_and_compare(blocks(DOCS / "tutorial.md"), capsys) == 4
    assert (tmp_path / "club.html").stat().st_size > 10_000
    shutil.copytree("club", "out")  # the page on the store calls its store so
    pytest.importorskip("duckdb", reason="needs duckdb: pip install 'edgeproof[report]'")
    run_and_compare(blocks(DOCS / "store.md"), capsys)


def test_the_readme_s_ten_lines_run(capsys: pytest.CaptureFixture[str]) -> None:
    (block,) = [one for one in blocks(ROOT / "README.md") if "karate" in one]
    assert len(block.splitlines()) <= 10
    assert run_and_compare([block], capsys) == 2


def test_the_options_page_is_the_table_of_options() -> None:
    made = runpy.run_path(str(ROOT / "tools" / "write_options.py"))
    assert (DOCS / "options.md").read_text(encoding="utf-8") == made["options_page"]()


def test_the_version_is_the_same_everywhere() -> None:
    for name in ("CITATION.cff", "CHANGELOG.md", "docs/cite.md"):
        assert edgeproof.__version__ in (ROOT / name).read_text(encoding="utf-8"), name


def test_links_between_files_lead_somewhere() -> None:
    for page in [*DOCS.glob("*.md"), *ROOT.glob("*.md")]:
        for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / link).exists(), f"{page.name}: {link}"


def test_the_site_builds_without_warnings(tmp_path: Path) -> None:
    for module in ("mkdocs", "material", "mkdocstrings"):
        pytest.importorskip(module, reason="needs what the documentation is built with: pip install 'edgeproof[docs]'")
    words = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site")]
    result = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    assert result.returncode == 0, result.stderr
    assert "certified" in (tmp_path / "site" / "api" / "index.html").read_text(encoding="utf-8")

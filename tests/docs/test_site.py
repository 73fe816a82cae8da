"""The documentation says what is: its code runs, its tables are those of the source, its site builds."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import edgeproof

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


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


def test_the_glossary_names_files_that_exist() -> None:
    named = re.findall(r"`([a-z_0-9]+/[a-z_0-9/.]*)`", (DOCS / "glossary.md").read_text(encoding="utf-8"))
    assert len(named) > 40
    for name in named:
        assert (Path(edgeproof.__file__).parent / name).exists(), name


def test_the_site_builds_without_warnings(tmp_path: Path) -> None:
    for module in ("mkdocs", "material", "mkdocstrings"):
        pytest.importorskip(module, reason="needs what the documentation is built with: pip install 'edgeproof[docs]'")
    words = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site")]
    result = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    assert result.returncode == 0, result.stderr
    assert "certified" in (tmp_path / "site" / "api" / "index.html").read_text(encoding="utf-8")

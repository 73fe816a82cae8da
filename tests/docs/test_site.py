"""The documentation says what is: its code runs, its tables are those of the source, its site builds."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from inspect import get_annotations
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


def test_the_page_on_proofs_names_the_options_that_a_proof_decides() -> None:
    pytest.importorskip("numba")
    from edgeproof.certify import OF_THE_CHECKER
    from edgeproof.search.engine import _for_proofs

    text = (DOCS / "proofs.md").read_text(encoding="utf-8")
    paragraph = next(one for one in text.split("\n\n") if one.startswith("While a proof is written"))
    assert set(re.findall(r"`(\w+)`", paragraph)) == {*_for_proofs({}), *OF_THE_CHECKER, "lines"}
    decided = _for_proofs({})
    assert {name for name, value in decided.items() if value} <= set(OF_THE_CHECKER)


@pytest.fixture(scope="module")
def api_page(tmp_path_factory: pytest.TempPathFactory) -> str:
    for module in ("mkdocs", "material", "mkdocstrings"):
        pytest.importorskip(module, reason="needs what the documentation is built with: pip install 'edgeproof[docs]'")
    site = tmp_path_factory.mktemp("site")
    words = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(site)]
    result = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    assert result.returncode == 0, result.stderr
    return (site / "api" / "index.html").read_text(encoding="utf-8")


def test_the_site_builds_without_warnings(api_page: str) -> None:
    assert "certified" in api_page


def attributes(public: object) -> set[str]:
    """Fields, properties and methods of a class, its own and those that it inherits from the package."""
    bases = public.__mro__ if isinstance(public, type) else ()
    ours = [base for base in bases if base.__module__.startswith("edgeproof")]
    return {name for base in ours for name in [*vars(base), *get_annotations(base)] if name[0] != "_"}


def test_every_public_name_has_an_entry(api_page: str) -> None:
    """A link to it leads somewhere; the strict build says nothing where a module hides the function of its name."""
    anchors = set(re.findall(r'id="edgeproof\.([^"]+)"', api_page))
    wanted = set(edgeproof.__all__)
    for name in edgeproof.__all__:
        wanted |= {f"{name}.{one}" for one in attributes(getattr(edgeproof, name))}
    assert {"verify", "Verdict.status", "Verdict.plot", "Graph.load"} <= wanted
    assert sorted(wanted - anchors) == []


def test_parameters_stand_in_tables(api_page: str) -> None:
    start = api_page.index('id="edgeproof.verify"')
    section = api_page[start : api_page.index('id="edgeproof.', start + 20)]
    for name in get_annotations(edgeproof.verify):
        assert name == "return" or f"<code>{name}</code>" in section, name


def test_prose_is_cut_at_the_names_of_parameters() -> None:
    pytest.importorskip("griffe", reason="needs what the documentation is built with: pip install 'edgeproof[docs]'")
    split = runpy.run_path(str(ROOT / "tools" / "parameter_tables.py"))["split"]
    text = """Decide it.

    first: one thing, second of all. second (seconds) and third: limits; past them
    it ends. other: no parameter.
    """
    prose, told = split(text, ["first", "second", "third"])
    assert prose == "Decide it."
    assert told["first"] == "one thing, second of all."
    assert told["second"] == "(seconds) limits; past them it ends. other: no parameter."
    assert told["third"] == "limits; past them it ends. other: no parameter."

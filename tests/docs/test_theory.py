"""The theory and the code keep together: every rule that prunes has its section, and every section its place.

Code names sections in docstrings: `Theory: "Interval of a mean", "Pooling".`
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from edgeproof.proof.format import KINDS
from edgeproof.search import trace

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "edgeproof"
INDEX = ROOT / "docs" / "theory.md"
PAGES = sorted((ROOT / "docs" / "theory").glob("*.md"))
FIELDS = ("Field", "Code", "Test", "Checker")
# rooms of bounds and of rules: every module of theirs names a section
ROOMS = (
    "intervals", "linear", "pairwise", "symmetry", "strategies",
    "base", "budget", "maxima", "deep", "charges", "lengths",
)  # fmt: skip
NO_BOUNDS = {
    "search/linear/workspace.py": "arrays that a pass works on, and where it starts",
    "search/base/adjacency.py": "the edges of a graph both ways",
    "search/base/gather.py": "sums over in-neighbours",
    "search/base/layout.py": "how values lie in memory",
    "search/base/overlay.py": "where a flip set is evaluated",
    "search/budget/layout.py": "what kernels of the room are given",
    "search/budget/limits.py": "when a search ends",
    "search/budget/stand.py": "flipping pairs and taking flips back, exactly",
}


class Section(NamedTuple):
    page: Path
    title: str
    body: str
    fields: dict[str, str]


def read_fields(body: str) -> dict[str, str]:
    """`- **Name:** text`, where lines that are indented go on with it."""
    found = re.findall(r"^- \*\*(\w+):\*\* (.*(?:\n  .*)*)", body, flags=re.MULTILINE)
    return {name: " ".join(text.split()) for name, text in found}


@cache
def sections() -> dict[str, Section]:
    found: dict[str, Section] = {}
    for page in PAGES:
        parts = re.split(r"^## (.+)\n", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
        for title, body in zip(parts[1::2], parts[2::2], strict=True):
            assert title not in found, f"{page.name}: there are two sections {title!r}"
            found[title] = Section(page, title, body, read_fields(body))
    return found


TITLES = list(sections())


def places(text: str) -> Iterator[tuple[str, list[str]]]:
    """`path`: `name`, `name`; `path`: `name`"""
    for one in text.split("; "):
        found = re.fullmatch(r"`([\w/]+\.py)`: ((?:`\w+`(?:, )?)+)", one)
        assert found, f"expected `path`: `name`, .., got {one!r}"
        yield found[1], re.findall(r"`(\w+)`", found[2])


@cache
def defined(path: Path) -> frozenset[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    kinds = (ast.FunctionDef, ast.ClassDef)
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, kinds))


def titles_in(docstring: str | None) -> list[str]:
    """The sections that a docstring names."""
    found = re.search(r'^\s*Theory: ("[^"]+"(?:,\s+"[^"]+")*)\.\s*$', docstring or "", flags=re.MULTILINE)
    return [" ".join(title.split()) for title in re.findall(r'"([^"]+)"', found[1])] if found else []


def documented(tree: ast.Module) -> Iterator[ast.Module | ast.FunctionDef | ast.ClassDef]:
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.FunctionDef, ast.ClassDef)):
            yield node


@cache
def references() -> dict[str, dict[str, list[str]]]:
    """By file and function (the module itself: ""), the sections that it names."""
    found: dict[str, dict[str, list[str]]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in documented(tree):
            titles = titles_in(ast.get_docstring(node))
            if titles:
                name = "" if isinstance(node, ast.Module) else node.name
                found.setdefault(path.relative_to(PACKAGE).as_posix(), {})[name] = titles
    return found


@pytest.mark.parametrize("title", TITLES)
def test_a_section_states_proves_and_names_its_places(title: str) -> None:
    section = sections()[title]
    assert tuple(section.fields) == FIELDS
    assert "**Statement.**" in section.body
    assert "**Proof.**" in section.body
    for path, names in places(section.fields["Code"]):
        assert set(names) <= defined(PACKAGE / path), path
        named = [one for titles in references().get(path, {}).values() for one in titles]
        assert title in named, f'{path} does not say Theory: "{title}"'
    for path, names in places(section.fields["Test"]):
        assert all(name.startswith("test_") for name in names), path
        assert set(names) <= defined(ROOT / path), path


@pytest.mark.parametrize("title", TITLES)
def test_a_section_names_the_checker_s_rule_or_says_why_there_is_none(title: str) -> None:
    says = sections()[title].fields["Checker"]
    reason = says.removeprefix("none: ")
    if reason != says:
        assert len(reason.split()) > 5
        return
    for path, names in places(says):
        assert path.startswith("proof/")
        assert set(names) <= defined(PACKAGE / path), path


def test_what_code_names_is_a_section_that_names_the_code() -> None:
    assert len(references()) > 40
    for path, named in references().items():
        for title in {title for titles in named.values() for title in titles}:
            assert title in sections(), f"{path}: there is no section {title!r}"
            assert path in dict(places(sections()[title].fields["Code"])), f"{title!r} does not name {path}"


def test_every_reference_is_read() -> None:
    """One that is written in another way would not be looked at."""
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        text = path.read_text(encoding="utf-8")
        assert "BOUNDS.md" not in text, name
        assert text.count("Theory:") == len(references().get(name, {})), name


@pytest.mark.parametrize("room", ROOMS)
def test_every_module_of_a_room_of_bounds_names_a_section(room: str) -> None:
    for path in sorted((PACKAGE / "search" / room).glob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        if path.stem != "__init__":
            assert (name in references()) != (name in NO_BOUNDS), name


def is_zero(node: ast.expr) -> bool:
    if isinstance(node, ast.Call) and node.args:
        return is_zero(node.args[0])  # np.int64(0)
    return isinstance(node, ast.Constant) and node.value == 0


def prunes(function: ast.FunctionDef) -> bool:
    """Whether it fixes a pair as it is in the graph, excludes a rival, or leaves a set of flips out."""
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "decide":
            if is_zero(node.args[-1]):
                return True
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
            target = node.targets[0].value
            if isinstance(target, ast.Name) and target.id in ("excluded", "joint", "doubtful"):
                return True
    return False


def test_whatever_fixes_a_pair_or_excludes_a_rival_names_a_section() -> None:
    found = []
    for path in sorted((PACKAGE / "search").rglob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        named = references().get(name, {})
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and prunes(node):
                found.append(node.name)
                assert node.name in named or "" in named, f"{name}: {node.name} prunes and names no section"
    assert len(found) >= 8, found


def test_every_way_to_close_a_leaf_is_in_the_table() -> None:
    marks = [name for name in vars(trace) if name.startswith(("BY_", "NOTHING_"))]
    assert len(marks) == len(KINDS)
    text = (ROOT / "docs" / "theory" / "tree.md").read_text(encoding="utf-8")
    for name in (*marks, *KINDS):
        assert f"`{name}`" in text, name
    for title in re.findall(r'"([^"\n]+)"', "\n".join(re.findall(r"^\|.*\|$", text, flags=re.MULTILINE))):
        assert title in sections(), title


def test_every_file_that_is_named_exists() -> None:
    for page in (INDEX, *PAGES):
        for path in re.findall(r"`([\w/]+/[\w./]*\.\w+)`", page.read_text(encoding="utf-8")):
            assert any((base / path).is_file() for base in (ROOT, PACKAGE)), f"{page.name}: {path}"


def test_sections_that_are_quoted_exist() -> None:
    """A title in quotation marks, in the pages themselves, begins with a capital letter and has no full stop."""
    quoted = 0
    for page in PAGES:
        text = " ".join(page.read_text(encoding="utf-8").split())
        for title in re.findall(r'"([A-Z][^".,]*(?:, [^".]*)?)"', text):
            quoted += 1
            assert title in sections() or f"{title}, but for pairs" in sections(), f"{page.name}: {title!r}"
    assert quoted > 20


def test_the_index_lists_every_section_in_order() -> None:
    listed = re.findall(r"^- \[(.+)\]\(theory/(\w+\.md)#", INDEX.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert sorted(listed) == sorted((one.title, one.page.name) for one in sections().values())
    for page in PAGES:
        own = [one.title for one in sections().values() if one.page == page]
        assert [title for title, name in listed if name == page.name] == own


def test_every_page_is_in_the_navigation() -> None:
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    for page in (INDEX, *PAGES):
        assert f": {page.relative_to(ROOT / 'docs').as_posix()}\n" in text, page.name


def test_every_work_that_is_cited_is_listed() -> None:
    listed = INDEX.read_text(encoding="utf-8").split("## References")[1]
    for page in PAGES:
        for author, year in re.findall(
            r"([A-ZÀ-Ž][\w-]+)(?: et al\.|, [A-ZÀ-Ž][\w-]+)*(?: and \w+)? (\d{4})\b", page.read_text(encoding="utf-8")
        ):
            assert re.search(rf"^- {author}\b[^\n]*(\n  [^\n]*)*{year}", listed, flags=re.MULTILINE), f"{author} {year}"

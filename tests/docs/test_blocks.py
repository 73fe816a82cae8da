"""Every code block of the README and of the documentation runs, or stands in a list with the reason why not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import edgeproof
from blocks import ROOT, Block, Reader, blocks

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]

# page, how the block starts, reason
NOT_RUN_HERE = (
    ("README.md", "python3 -m venv .venv && .venv/bin/pip install . && .venv/bin/edgeproof demo",
     "installs packages; the release workflow does the same with the wheel"),
    ("README.md", "python3 -m venv .venv && .venv/bin/pip install '.[test]' && .venv/bin/pytest -n auto",
     "these tests themselves; .ci/run takes the command from the README"),
    ("README.md", "import torch", "tests/pyg/test_docs.py runs it"),
    ("README.md", "net = ep.from_pyg(model)", "tests/pyg/test_docs.py runs it"),
    ("docs/index.md", "python3 -m venv .venv && .venv/bin/pip install . && .venv/bin/edgeproof demo",
     "as in the README"),
    ("docs/explanations.md", "import torch", "tests/pyg/test_explanations.py runs it"),
    ("docs/explanations.md", "with torch.no_grad", "tests/pyg/test_explanations.py runs it"),
    ("docs/pyg.md", "import torch", "tests/pyg/test_docs.py runs it"),
    ("docs/pyg.md", "broken = next(", "tests/pyg/test_docs.py runs it"),
    ("docs/artifact.md", "docker build ", "needs a container engine; test_container.py checks its commands"),
)  # fmt: skip
NEEDS = {
    "README.md": ("duckdb",),
    "docs/sweeps.md": ("duckdb", "matplotlib"),
    "docs/store.md": ("duckdb",),
    "docs/mip.md": ("pyscipopt", "highspy"),
}
# how many outputs a page promises: a comment that nobody compares any more would be noticed
COMPARED = {"README.md": 4, "docs/tutorial.md": 4, "docs/proofs.md": 3, "docs/files.md": 3}


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def left_out(page: Path, block: Block) -> list[str]:
    """The reasons to leave it out: none, or one."""
    return [why for where, start, why in NOT_RUN_HERE if where == name(page) and block.text.startswith(start)]


def to_run(page: Path) -> list[Block]:
    return [block for block in blocks(page) if block.language != "text" and not left_out(page, block)]


@pytest.mark.parametrize("page", [page for page in PAGES if to_run(page)], ids=name)
def test_a_reader_who_tries_everything_on_the_page_succeeds(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in NEEDS.get(name(page), ()):
        pytest.importorskip(module, reason=f"the page uses {module}, which an extra installs")
    source = str(Path(edgeproof.__file__).parents[1])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, (source, os.environ.get("PYTHONPATH")))))
    reader = Reader(tmp_path)
    if name(page) == "docs/store.md":
        for block in to_run(ROOT / "docs" / "tutorial.md")[:4]:
            reader.run(block)
        (tmp_path / "club").rename(tmp_path / "out")  # the page calls its store so
        reader.compared = 0
    for block in to_run(page):
        reader.run(block)
    assert reader.compared == COMPARED.get(name(page), 0)


def test_the_list_of_blocks_that_are_not_run_names_blocks_that_exist() -> None:
    reasons = [why for page in PAGES for block in blocks(page) for why in left_out(page, block)]
    assert sorted(reasons) == sorted(why for *_, why in NOT_RUN_HERE)


def test_ten_lines_are_at_most_ten() -> None:
    (ten,) = [block for block in blocks(ROOT / "README.md") if "demo.karate" in block.text]
    assert len(ten.text.splitlines()) <= 10

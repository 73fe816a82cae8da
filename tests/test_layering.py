"""Imports point only leftwards in the picture of the design: convert, types, query, problem, search, verify, cli."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import edgeproof

ROOT = Path(edgeproof.__file__).parent

# From left to right; what stands in one row may import one another.
ROWS = (
    ("errors", "version"),
    ("convert",),
    (
        "arrays", "network", "graph", "features", "threat", "verdict", "evaluate", "exact", "exact_gcn",
        "exact_rows", "exact_weights", "surds", "load", "memo", "picture", "predict", "pyg",
    ),
    ("query", "options"),
    ("problem", "products", "stages", "surroundings"),
    ("search",),
    ("engines",),
    ("proof",),
    ("ask", "certify", "checking", "float32", "shrink"),
    ("sweep", "accuracy"),
    ("report",),
    ("",),  # the package itself: `import edgeproof`
    ("demo", "bench"),
    ("cli",),
    ("__main__",),
)  # fmt: skip
RANK = {part: rank for rank, row in enumerate(ROWS) for part in row}
INDEPENDENT = {"engines": 3}  # shares nothing with the search: reaches this row and no further, except within itself

MODULES = sorted(ROOT.rglob("*.py"))


def imported(path: Path) -> list[tuple[int, str]]:
    """Line and dotted name below the package of everything that the file imports, also inside functions."""
    package = path.relative_to(ROOT).parent.parts
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            if node.level == 0:
                names = [f"{node.module}.{alias.name}" for alias in node.names]
                found += [(node.lineno, name) for name in names if name.split(".")[0] == "edgeproof"]
                continue
            above = package[: len(package) - node.level + 1]
            base = ".".join(["edgeproof", *above, *(node.module.split(".") if node.module else [])])
            found += [(node.lineno, f"{base}.{alias.name}") for alias in node.names]
        elif isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names if alias.name.split(".")[0] == "edgeproof"]
    return found


def part_of(name: str) -> str:
    """The part of the package that a dotted name lives in; names of the package itself live in ""."""
    first = [*name.split("."), ""][1]
    exists = first != "" and ((ROOT / first).is_dir() or (ROOT / f"{first}.py").is_file())
    return first if exists else ""


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_leftwards(path: Path) -> None:
    inside = path.relative_to(ROOT).parts
    own = inside[0].removesuffix(".py") if inside != ("__init__.py",) else ""
    assert own in RANK, f"{own}: give it a place in ROWS"
    limit = INDEPENDENT.get(own, RANK[own])
    for line, name in imported(path):
        part = part_of(name)
        assert part in RANK, f"{part}: give it a place in ROWS"
        assert part == own or RANK[part] <= limit, f"{path.name}:{line}: {own or 'edgeproof'} imports {name}"


def test_readers_know_nothing_of_the_package_but_its_errors() -> None:
    for path in (ROOT / "convert").rglob("*.py"):
        assert {part_of(name) for _, name in imported(path)} <= {"convert", "errors"}


def test_the_checker_knows_nothing_of_the_search() -> None:
    allowed = {"proof", "errors", "arrays", "network", "graph", "threat", "verdict", "query", "engines"}
    for path in (ROOT / "proof").glob("*.py"):
        assert {part_of(name) for _, name in imported(path)} <= allowed, path.name


def test_the_scan_sees_lazy_and_relative_imports() -> None:
    assert "convert" in {part_of(name) for _, name in imported(ROOT / "network.py")}
    assert {"errors", "convert"} <= {part_of(name) for _, name in imported(ROOT / "convert" / "native.py")}


@pytest.mark.parametrize("heavy", ["numba", "torch", "flint", "rich", "safetensors"])
def test_importing_the_command_line_loads_nothing_heavy(heavy: str) -> None:
    code = f"import sys, edgeproof.cli; sys.exit({heavy!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_no_module_has_the_name_of_a_public_function() -> None:
    """`edgeproof.verify` can be one thing only: tools that read the sources would find the module."""
    modules = {path.stem for path in ROOT.glob("*.py")} | {path.parent.name for path in ROOT.glob("*/__init__.py")}
    assert modules.isdisjoint(edgeproof.__all__)

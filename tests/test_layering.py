"""Imports point only leftwards in the picture of the design: convert, types, query, problem, search, verify, cli."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import edgeproof

ROOT = Path(edgeproof.__file__).parent

# From left to right; what stands in one row may import one another. A dotted name is a room, or a file, of a part.
ROWS = (
    ("errors", "version", "clock", "progress"),
    ("convert",),
    ("model", "arithmetic", "load", "picture", "pyg"),
    ("options", "limits"),
    ("problem",),
    ("search.jit",),
    ("search.state",),
    ("search.trace", "search.deadline", "search.answers"),
    ("search.base",),
    ("search.charges",),
    ("search.lengths",),
    ("search.forward",),
    ("search.symmetry",),
    ("search.intervals",),
    ("search.linear",),
    ("search.pairwise",),
    ("search.attacks",),
    ("search.budget",),
    ("search.maxima",),
    ("search.deep",),
    ("search.attention",),
    ("search.tree",),
    ("search.strategies", "search"),  # what moves the tree's kernels
    ("engines",),
    ("proof",),
    ("wider",),
    ("ask", "certify", "checking", "float32", "shrink"),
    ("sweep", "accuracy"),
    ("report",),
    ("",),  # the package itself: `import edgeproof`
    ("demo", "bench"),
    ("cli",),
    ("__main__",),
)  # fmt: skip
RANK = {part: rank for rank, row in enumerate(ROWS) for part in row}
# what sees less than stands to its left
ONLY = {
    "engines": {"errors", "version", "clock", "convert", "model", "arithmetic", "options", "engines"},
    "search.pairwise": {
        "errors",
        "model",
        "problem",
        "search.jit",
        "search.state",
        "search.forward",
        "search.symmetry",
    },
    "search.attacks": {"errors", "model", "problem", "search.deadline", "search.jit", "search.state", "search.forward"},
    "search.symmetry": {"errors", "model", "problem", "search.jit", "search.state", "search.forward"},
}

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
    names = name.split(".")[1:]
    for length in range(len(names), 0, -1):
        part = ".".join(names[:length])
        path = ROOT.joinpath(*names[:length])
        if part in RANK and (path.is_dir() or path.with_suffix(".py").is_file()):
            return part
    first = names[0] if names else ""
    return first if (ROOT / first).is_dir() or (ROOT / f"{first}.py").is_file() else ""


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_leftwards(path: Path) -> None:
    inside = path.relative_to(ROOT).with_suffix("").parts
    own = part_of(".".join(["edgeproof", *(inside[:-1] if inside[-1] == "__init__" else inside)]))
    assert own in RANK, f"{own}: give it a place in ROWS"
    for line, name in imported(path):
        part = part_of(name)
        assert part in RANK, f"{part}: give it a place in ROWS"
        allowed = part in ONLY[own] if own in ONLY else RANK[part] <= RANK[own]
        assert part == own or allowed, f"{path.name}:{line}: {own or 'edgeproof'} imports {name}"


@pytest.mark.parametrize(
    "folder", ["", *(f"search/{room.name}" for room in (ROOT / "search").iterdir() if (room / "__init__.py").is_file())]
)
def test_no_folder_has_more_files_than_a_newcomer_can_hold(folder: str) -> None:
    """Of the package itself and of the search; __init__ and __main__ do not count."""
    files = [path.name for path in (ROOT / folder).glob("*.py") if not path.name.startswith("__")]
    assert len(files) <= 14, sorted(files)


MOST_LINES = 90
LONG_FUNCTIONS: dict[str, str] = {}  # path: name, and why it may be longer


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_function_is_longer_than_a_screen_or_two(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef) and f"{path.relative_to(ROOT)}: {node.name}" not in LONG_FUNCTIONS:
            assert node.end_lineno is not None
            lines = node.end_lineno - node.lineno + 1
            assert lines <= MOST_LINES, f"{path.name}: {node.name} has {lines} lines"


# arrays of scratch and of counters, whose places have names (scratch.py, state.py, layout.py)
REGISTERS = {"line", "made", "out", "rates", "row", "rows", "scratch", "stamp", "sums", "tally", "top"}
# files that still number some, and which; layout.py of that room says what they hold
NUMBERED = {
    "attention/evaluate.py": {"tally"},
    "budget/charges.py": {"line"},
    "budget/neighbours.py": {"line", "out", "top"},
    "budget/newcomers.py": {"line"},
    "budget/reach.py": {"line"},
    "budget/shape.py": {"out", "sums"},
    "budget/single_flips.py": {"line", "sums"},
    "budget/stand.py": {"row"},
}


@pytest.mark.parametrize("path", sorted((ROOT / "search").rglob("*.py")), ids=lambda path: str(path.relative_to(ROOT)))
def test_scratch_is_named_and_not_numbered(path: Path) -> None:
    """`g.line[4]` is a register; `g.rows[LEAST_QUOTIENT]` says what it holds."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Subscript) or not isinstance(node.value, ast.Attribute):
            continue
        first = node.slice.elts[0] if isinstance(node.slice, ast.Tuple) else node.slice
        number = isinstance(first, ast.Constant) and type(first.value) is int
        allowed = NUMBERED.get(path.relative_to(ROOT / "search").as_posix(), set())
        assert not number or node.value.attr not in REGISTERS - allowed, (
            f"{path.name}:{node.lineno}: {ast.unparse(node)}"
        )


def test_private_interfaces_of_numba_are_used_in_one_room() -> None:
    """Any release of Numba may change them; `tools/try_numba.py` runs the oldest and the newest."""
    for path in MODULES:
        names = set()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level == 0:
                names.add(node.module or "")
            elif isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
        private = {name for name in names if name.startswith(("numba.", "llvmlite"))}
        assert not private or path.parent == ROOT / "search" / "jit", f"{path.name} imports {private}"


def test_readers_know_nothing_of_the_package_but_its_errors() -> None:
    for path in (ROOT / "convert").rglob("*.py"):
        assert {part_of(name) for _, name in imported(path)} <= {"convert", "errors"}


def test_the_checker_knows_nothing_of_the_search() -> None:
    allowed = {"proof", "errors", "clock", "model", "engines"}
    for path in (ROOT / "proof").glob("*.py"):
        assert {part_of(name) for _, name in imported(path)} <= allowed, path.name


def test_the_scan_sees_lazy_and_relative_imports() -> None:
    assert "convert" in {part_of(name) for _, name in imported(ROOT / "model/network.py")}
    assert {"errors", "convert"} <= {part_of(name) for _, name in imported(ROOT / "convert" / "native.py")}


@pytest.mark.parametrize("heavy", ["numba", "torch", "flint", "rich", "safetensors"])
def test_importing_the_command_line_loads_nothing_heavy(heavy: str) -> None:
    code = f"import sys, edgeproof.cli; sys.exit({heavy!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_no_module_has_the_name_of_a_public_function() -> None:
    """`edgeproof.verify` can be one thing only: tools that read the sources would find the module."""
    modules = {path.stem for path in ROOT.glob("*.py")} | {path.parent.name for path in ROOT.glob("*/__init__.py")}
    assert modules.isdisjoint(edgeproof.__all__)

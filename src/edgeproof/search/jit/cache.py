"""Where machine code is kept: one folder for each set of sources that a kernel is made of.

Numba notices a change in a kernel's own file only. A kernel that calls one in another file would go on running old
machine code, and a stale kernel can give a wrong verdict. So the folder of a kernel is named by a hash of its file and
of every file of the package that this one imports, directly or not, at whatever depth of folders. Editing one file
compiles again what depends on it, and nothing else.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

import numba

PACKAGE = Path(__file__).parents[2]
_IMPORT = re.compile(r"^from[ \t]+(\.+)([\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n]*)", re.MULTILINE)


def cache_root() -> Path:
    home = os.environ.get("EDGEPROOF_CACHE") or os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "edgeproof"


@cache
def kernel_folder(source: Path) -> Path:
    """The folder of the kernels that this file declares."""
    return cache_root() / "kernels" / digest_of(frozenset(sources_of(source)))


@cache
def whole_folder() -> Path:
    """A folder that changes with any source that some kernel of the search is made of."""
    kernels = (PACKAGE / "search").rglob("*.py")
    return cache_root() / "whole" / digest_of(frozenset().union(*(sources_of(source) for source in kernels)))


def compiled_mark() -> Path:
    """The file that says that every kernel was compiled: single kernels are also left by a run that was stopped."""
    return whole_folder() / "compiled"


def is_marked() -> bool:
    return compiled_mark().exists()


def mark_compiled() -> None:
    with suppress(OSError):  # a cache that others made and may not be written to
        compiled_mark().parent.mkdir(parents=True, exist_ok=True)
        compiled_mark().touch()


@contextmanager
def compiling_alone() -> Iterator[None]:
    """Of several processes that start at once, one compiles and the rest wait."""
    mark = compiled_mark()
    mark.parent.mkdir(parents=True, exist_ok=True)
    with mark.with_suffix(".lock").open("ab") as lock:
        try:
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX)
        except (ImportError, OSError):  # no locks here: each may compile for itself
            pass
        yield


@cache
def digest_of(sources: frozenset[Path]) -> str:
    """A hash of what these files hold, of where they are (Numba keeps kernels by that), and of Numba itself."""
    digest = hashlib.sha256(f"{numba.__version__} {PACKAGE}".encode())
    for source in sorted(sources):
        digest.update(f"\n{source.relative_to(PACKAGE)} ".encode() if source.is_relative_to(PACKAGE) else b"\n")
        digest.update(_text(source).encode())
    return digest.hexdigest()[:16]


def sources_of(source: Path) -> set[Path]:
    """The file, and every file of the package that it imports, directly or not."""
    found, waiting = {source}, [source]
    while waiting:
        for imported in _imports(waiting.pop()) - found:
            found.add(imported)
            waiting.append(imported)
    return found


@cache
def _text(source: Path) -> str:
    return source.read_text(encoding="utf-8")


@cache
def _imports(source: Path) -> frozenset[Path]:
    """Files of the package that this file imports at its top level, by relative imports as everywhere in the package.

    A kernel sees only names of the top level. What is imported in a function, or for type checkers alone, is no part of
    its machine code; the layout of the arrays that it is given is part of its signature (by_address.py).
    """
    found = set()
    for dots, module, names in _IMPORT.findall(_text(source)):
        folder = source.parents[len(dots) - 1]
        base = folder.joinpath(*module.split(".")) if module else folder
        inside = [base / f"{name}.py" for name in re.findall(r"\w+", names)]
        found |= {file for file in (base.with_suffix(".py"), base / "__init__.py", *inside) if file.is_file()}
    return frozenset(found)

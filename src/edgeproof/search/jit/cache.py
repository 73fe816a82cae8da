"""Where machine code is kept: one folder for each set of sources that a kernel is made of.

Numba notices a change in a kernel's own file only. A kernel that calls one in another file would go on running old
machine code, and a stale kernel can give a wrong verdict. So the folder of a kernel is named by a hash of its file and
of every file of the package that this one imports, directly or not, at whatever depth of folders. Editing one file
compiles again what depends on it, and nothing else.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import re
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

import numba

PACKAGE = Path(__file__).parents[2]
MARK = "compiled"
_IMPORT = re.compile(r"^from[ \t]+(\.+)([\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n]*)", re.MULTILINE)

_private: set[Path] = set()


@cache
def cache_root() -> Path:
    """The folder of the cache: what the environment says, if it can be used, or else a private one for this run.

    The package's own folder is none: what is installed is not to be written to.
    """
    told = os.environ.get("EDGEPROOF_CACHE")
    why, wanted = "", Path(told or os.environ.get("XDG_CACHE_HOME") or ".")
    try:
        if not told and not os.environ.get("XDG_CACHE_HOME"):
            wanted = Path.home() / ".cache"
        root = wanted.resolve() / "edgeproof"
        if _is_complete(root):
            return root if told else _trusted(root)
        root.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=root).close()
        return root if told else _trusted(root)
    except RuntimeError:  # of Path.home()
        why = "there is no home folder"
    except OSError as problem:
        why = (problem.strerror or str(problem)).lower()
    private = Path(tempfile.mkdtemp(prefix="edgeproof-"))
    sys.stderr.write(
        f"edgeproof: compiled kernels cannot be kept in {wanted / 'edgeproof'} ({why}); they are kept in {private} and "
        "removed at the end of this run; EDGEPROOF_CACHE names a folder to keep them in\n"
    )
    os.environ["EDGEPROOF_CACHE"] = str(private)  # for processes that this one starts
    atexit.register(_remove, private, os.getpid())
    _private.add(private / "edgeproof")
    return private / "edgeproof"


def is_private() -> bool:
    """Whether what is kept is removed when this process ends."""
    return cache_root() in _private


def _trusted(root: Path) -> Path:
    """Machine code is loaded from here: nobody else may have put it there. EDGEPROOF_CACHE is taken as it is."""
    if hasattr(os, "getuid"):
        held = root.stat()
        if held.st_uid not in (os.getuid(), 0):
            raise PermissionError(0, "it belongs to another user")
        if held.st_mode & stat.S_IWOTH:
            raise PermissionError(0, "everybody may write to it")
    return root


def _is_complete(root: Path) -> bool:
    """Somebody has compiled everything: then it is only read from."""
    return (root / "whole" / whole_digest() / MARK).exists()


def _remove(folder: Path, owner: int) -> None:
    if os.getpid() == owner:  # a fork inherits what is done at exit
        shutil.rmtree(folder, ignore_errors=True)


@cache
def kernel_folder(source: Path) -> Path:
    """The folder of the kernels that this file declares."""
    return cache_root() / "kernels" / digest_of(frozenset(sources_of(source)) | _layouts())


@cache
def _layouts() -> frozenset[Path]:
    """Files that say how bundles of arrays lie in memory. A kernel is compiled for one such layout, which it need not
    import; code for an older one must not be found beside it.
    """
    inner = (file for room in (PACKAGE / "search").iterdir() if room.is_dir() for file in room.glob("*.py"))
    return frozenset(file for file in (PACKAGE / "problem" / "layout.py", *inner) if "(NamedTuple)" in _text(file))


def all_folders() -> set[Path]:
    """Of every kernel of the package as it is now."""
    return {kernel_folder(source) for source in (PACKAGE / "search").rglob("*.py")}


@cache
def whole_digest() -> str:
    """Changes with any source that some kernel of the search is made of."""
    kernels = (PACKAGE / "search").rglob("*.py")
    return digest_of(frozenset().union(*(sources_of(source) for source in kernels)))


def whole_folder() -> Path:
    return cache_root() / "whole" / whole_digest()


def compiled_mark() -> Path:
    """The file that says that every kernel was compiled: single kernels are also left by a run that was stopped."""
    return whole_folder() / MARK


def is_marked() -> bool:
    return compiled_mark().exists()


def mark_compiled() -> None:
    with suppress(OSError):  # a cache that others made and may not be written to
        compiled_mark().parent.mkdir(parents=True, exist_ok=True)
        compiled_mark().touch()


@contextmanager
def compiling_alone() -> Iterator[None]:
    """Of several processes that start at once, one compiles and the rest wait; the lock's file holds its number."""
    mark = compiled_mark()
    mark.parent.mkdir(parents=True, exist_ok=True)
    with mark.with_suffix(".lock").open("ab") as lock:
        try:
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX)
        except (ImportError, OSError):  # no locks here: each may compile for itself
            pass
        lock.truncate(0)
        lock.write(b"%d" % os.getpid())
        lock.flush()
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

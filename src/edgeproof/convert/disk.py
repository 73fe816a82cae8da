"""Reading and writing whole files: what the system refuses becomes one line, what is written appears at once."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from ..errors import InputError


def read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except (OSError, ValueError) as problem:  # ValueError: a zero byte in the name
        raise InputError(f"{path}: cannot read it: {tell(problem)}") from None


def require_readable(path: Path) -> None:
    """For files that a library opens by name: refuse in our words what the system would refuse it."""
    try:
        path.open("rb").close()
    except (OSError, ValueError) as problem:
        raise InputError(f"{path}: cannot read it: {tell(problem)}") from None


def read_text(path: Path) -> str:
    """Plain ASCII; the digit separators that Python would accept in numbers are not part of any format here."""
    data = read_bytes(path)
    try:
        text = data.decode("ascii")
    except UnicodeDecodeError as problem:
        line = data.count(b"\n", 0, problem.start) + 1
        raise InputError(f"{path}: line {line}: expected plain text, got byte 0x{data[problem.start]:02x}") from None
    if "_" in text:
        raise InputError(f"{path}: line {text.count(chr(10), 0, text.index('_')) + 1}: unexpected character '_'")
    return text


def write_all(contents: Mapping[Path, Iterable[bytes]]) -> None:
    """Write each content to a temporary file beside its destination, then rename them all.

    A failure while writing leaves the destinations as they were.
    """
    temporary = {path: path.with_name(f".{path.name}.{os.getpid()}.tmp") for path in contents}
    current = Path()
    try:
        for current, parts in contents.items():
            if current.is_dir():
                raise IsADirectoryError(0, "it is a directory")
            with temporary[current].open("xb") as file:
                file.writelines(parts)
        for current, written in temporary.items():
            written.replace(current)
    except InputError:
        raise
    except (OSError, ValueError) as problem:
        raise InputError(f"{current}: cannot write it: {tell(problem)}") from None
    finally:
        for written in temporary.values():
            with suppress(OSError):
                written.unlink()


def tell(problem: Exception) -> str:
    """What went wrong, in one short line: libraries quote what they found, and that can be anything."""
    text = problem.strerror.lower() if isinstance(problem, OSError) and problem.strerror else str(problem)
    return " ".join(text.split())[:120]

"""Many stores into one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from os import PathLike
from pathlib import Path

from ..convert.disk import write_all
from ..errors import InputError, StoreError
from .line import FORMAT
from .read import RESULTS, Index, Skip, read_sources, result_files


def merge(
    folders: Sequence[str | PathLike[str]], out: str | PathLike[str], skip: Skip | None = None
) -> tuple[int, int]:
    """Write all lines but repetitions into a new store. How many keys there are, and how many lines were read.

    What is merged is left as it is. skip: is told of lines that are no answers, which are left out; without it they are
    refused.
    """
    destination = Path(out)
    if result_files(destination) or (destination / "sources.jsonl").exists():
        raise StoreError(f"{destination}: expected a new or empty folder, it holds results already")
    files: list[Path] = []
    for folder in folders:
        found = result_files(folder)
        if not found:
            raise StoreError(f"{folder}: expected a folder with the results of a sweep, found no {RESULTS}")
        files += found
    sources = {hash_: one for folder in folders for hash_, one in read_sources(folder).items()}
    index = Index(files, skip)
    try:
        try:
            destination.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise StoreError(f"{destination}: cannot make the folder: {problem.strerror}") from None
        listed = (json.dumps({**one, "format": FORMAT}).encode() + b"\n" for one in sources.values())
        try:
            write_all({destination / "results.jsonl": _checked(index), destination / "sources.jsonl": listed})
        except InputError as problem:
            raise StoreError(str(problem)) from None
    finally:
        index.close()
    return len(index), index.lines


def _checked(index: Index) -> Iterator[bytes]:
    for text in index.distinct():
        if not text.endswith(b"\n"):
            raise StoreError("a file of results became shorter while it was read")
        yield text

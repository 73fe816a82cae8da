"""Writing a store: lines are appended whole, and nothing that is there is ever changed."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable
from contextlib import suppress
from os import PathLike
from pathlib import Path
from typing import Any

from ..convert.disk import tell
from ..errors import InputError, StoreError
from .line import FORMAT
from .read import Index, is_torn, parse, read_sources, result_files

SYNC_EVERY = 1.0  # seconds

Shard = tuple[int, int]


def parse_shard(text: str) -> Shard:
    """`3/64`: the third of 64."""
    first, slash, second = text.partition("/")
    if slash and first.isascii() and first.isdecimal() and second.isascii() and second.isdecimal():
        part, parts = int(first), int(second)
        if 1 <= part <= parts <= 9999:
            return part, parts
    raise InputError(f"shard: expected I/N with I from 1 to N, such as 3/64, got {text!r}")


def _begins_a_line(text: bytes) -> bool:
    """Of ours, however short; a crash of the machine can leave zeros."""
    begin = b'{"format":'
    return text.startswith(begin) or begin.startswith(text.rstrip(b"\0"))


class Store:
    """A folder of results, one of whose files is ours to append to."""

    def __init__(self, folder: str | PathLike[str], shard: Shard = (1, 1)) -> None:
        self.folder = Path(folder)
        part, parts = shard
        name = "results.jsonl" if parts == 1 else f"results-{part:04}-of-{parts:04}.jsonl"
        self.path = self.folder / name
        self.repaired: str | None = None
        self.skipped: list[str] = []  # lines that are no answers; their questions are asked again
        if self.folder.exists() and not self.folder.is_dir():
            raise StoreError(f"{self.folder}: expected a folder for the store, or a name that is free; it is a file")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
        except OSError as problem:
            raise StoreError(f"{self.path}: cannot open it for writing: {tell(problem)}") from None
        try:
            self._lock()
            self._repair()
            self.index = Index(result_files(self.folder), self.skipped.append)
        except BaseException:
            os.close(self._file)
            raise
        self._synced = time.monotonic()

    def _lock(self) -> None:
        """Two sweeps that append to one file would ask everything twice."""
        try:
            import fcntl
        except ImportError:  # not on this system
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StoreError(
                f"{self.path}: another sweep is writing to it; wait for it, or give each its own --shard I/N or folder"
            ) from None
        except OSError:  # a file system without locks
            return

    def _repair(self) -> None:
        """Complete or drop a last line that a crash has torn."""
        try:
            size = os.fstat(self._file).st_size
            tail, start = b"", size
            while start > 0 and b"\n" not in tail:
                step = min(1 << 16, start)
                start -= step
                tail = os.pread(self._file, step, start) + tail
            cut = tail.rfind(b"\n") + 1
            torn = tail[cut:]
            if not torn:
                return
            if start + cut == 0 and not _begins_a_line(torn):
                raise StoreError(f"{self.path}: expected the results of a sweep, got {torn[:40]!r}; left as it is")
            try:
                parse(torn, str(self.path))
            except StoreError:
                os.ftruncate(self._file, start + cut)
                self.repaired = f"{self.path}: dropped a torn last line of {len(torn)} bytes; its query runs again"
            else:  # only the end of the line is missing
                os.write(self._file, b"\n")
        except OSError as problem:
            raise StoreError(f"{self.path}: cannot read it: {tell(problem)}") from None

    def append(self, lines: Iterable[str]) -> None:
        """In one piece, so that a crash finds whole lines; what does not fit on the disk is taken back."""
        data = "".join(f"{line}\n" for line in lines).encode()
        if not data:
            return
        before = os.fstat(self._file).st_size
        try:
            written = 0
            while written < len(data):
                written += os.write(self._file, data[written:])
            if time.monotonic() - self._synced > SYNC_EVERY:
                self._sync()
        except OSError as problem:
            with suppress(OSError):
                os.ftruncate(self._file, before)
            raise StoreError(
                f"{self.path}: cannot write it: {tell(problem)}; everything before is stored, the same command resumes"
            ) from None

    def _sync(self) -> None:
        os.fsync(self._file)
        self._synced = time.monotonic()

    def note_sources(self, sources: Iterable[dict[str, Any]]) -> None:
        """Remember where networks and graphs came from; what is noted already is not repeated."""
        known = read_sources(self.folder)
        fresh = [one for one in ({"format": FORMAT, **given} for given in sources) if known.get(one["hash"]) != one]
        if fresh:
            path = self.folder / "sources.jsonl"
            try:
                with path.open("a+b", buffering=0) as file:
                    torn = is_torn(file)  # what is appended to half a line could not be read either
                    file.write(("\n" * torn + "".join(json.dumps(one) + "\n" for one in fresh)).encode())
            except OSError as problem:
                raise StoreError(f"{path}: cannot write it: {tell(problem)}") from None

    def close(self) -> None:
        self.index.close()
        try:
            os.fsync(self._file)
        except OSError as problem:
            raise StoreError(f"{self.path}: cannot write it: {tell(problem)}; the same command resumes") from None
        finally:
            os.close(self._file)

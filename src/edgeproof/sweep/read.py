"""Reading a store: which line counts for each key, in memory that holds no lines."""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterator, Mapping, Sequence
from math import inf
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from ..convert.disk import tell
from ..errors import StoreError
from .line import DECIDED, FORMAT

RESULTS = "results*.jsonl"


class Found(NamedTuple):
    """A line and where it stands."""

    line: dict[str, Any]
    start: int
    text: bytes


def result_files(folder: str | PathLike[str]) -> list[Path]:
    return sorted(Path(folder).glob(RESULTS))


def read_file(path: Path) -> Iterator[Found]:
    """Every whole line; the last one may be torn or still being written, and is left out then."""
    try:
        with path.open("rb") as file:
            yield from _lines(path, file)
    except OSError as problem:
        raise StoreError(f"{path}: cannot read it: {tell(problem)}") from None


def _lines(path: Path, file: BinaryIO) -> Iterator[Found]:
    start = 0
    for number, text in enumerate(file, 1):
        if not text.endswith(b"\n"):
            return
        yield Found(parse(text, f"{path}: line {number}"), start, text)
        start += len(text)


def parse(text: bytes, where: str) -> dict[str, Any]:
    try:
        line: dict[str, Any] = json.loads(text)
    except ValueError:
        raise StoreError(f"{where}: expected a JSON object, got {text[:40]!r}; the file was left as it is") from None
    found = line.get("format") if isinstance(line, dict) else None
    if found != FORMAT:
        raise StoreError(
            f"{where}: expected format {FORMAT}, got {found!r}: written by another version or another program; "
            "the file was left as it is"
        )
    return line


class Index:
    """Where the line that counts for each key stands: 48 bytes a line, whatever is in it."""

    def __init__(self, files: Sequence[Path]) -> None:
        self._files = list(files)
        self._open: dict[int, BinaryIO] = {}
        high, low, place = array("Q"), array("Q"), array("q")
        decided, timeout, nodes = array("b"), array("d"), array("d")
        for number, path in enumerate(self._files):
            for found in read_file(path):
                line = found.line
                try:
                    high.append(int(line["key"][:16], 16))
                    low.append(int(line["key"][16:], 16))
                    decided.append(line["status"] in DECIDED)
                    timeout.append(_number(line["limits"]["timeout"]))
                    nodes.append(_number(line["limits"]["node_limit"]))
                except (KeyError, TypeError, ValueError):
                    where = f"{path}: byte {found.start}"
                    raise StoreError(f"{where}: expected an answer with key, status and limits") from None
                place.append(number << 44 | found.start)
        columns = [np.asarray(column) for column in (place, nodes, timeout, decided, low, high)]
        # where a key is decided, under which limits does not matter
        columns[1], columns[2] = np.where(columns[3], 0.0, columns[1]), np.where(columns[3], 0.0, columns[2])
        order = np.lexsort(columns)
        columns = [column[order] for column in columns]
        self.lines = int(order.size)
        same = [column[1:] == column[:-1] for column in columns]  # as the line before
        again = np.concatenate([[False], np.all(same[1:], axis=0)]) if order.size else np.zeros(0, dtype=np.bool_)
        self._distinct = columns[0][~again]
        # of equal keys the last counts, and only that is kept
        last = np.ones(order.size, dtype=np.bool_)
        last[:-1] = ~(same[4] & same[5])
        self._place, self._low, self._high = (columns[k][last] for k in (0, 4, 5))

    def __len__(self) -> int:
        return int(self._place.size)

    def find(self, key: str) -> dict[str, Any] | None:
        """The line that counts for this key."""
        if not self._place.size:
            return None
        at = int(np.searchsorted(self._high, np.uint64(int(key[:16], 16))))
        low = int(key[16:], 16)
        while at < self._high.size and int(self._high[at]) == int(key[:16], 16):
            if int(self._low[at]) == low:
                return parse(self._text(int(self._place[at])), "store")
            at += 1
        return None

    def texts(self) -> Iterator[bytes]:
        """Every line that counts, in the order of the files."""
        for place in np.sort(self._place).tolist():
            yield self._text(place)

    def distinct(self) -> Iterator[bytes]:
        """Every line but repetitions: of a key's decided lines one, and one undecided line for each limit."""
        for place in np.sort(self._distinct).tolist():
            yield self._text(place)

    def _text(self, place: int) -> bytes:
        number, start = place >> 44, place & ((1 << 44) - 1)
        try:
            if number not in self._open:
                self._open[number] = self._files[number].open("rb")
            self._open[number].seek(start)
            return self._open[number].readline()
        except OSError as problem:
            raise StoreError(f"{self._files[number]}: cannot read it: {tell(problem)}") from None

    def close(self) -> None:
        for file in self._open.values():
            file.close()
        self._open.clear()


def _number(limit: float | None) -> float:
    return inf if limit is None else float(limit)


def read_best(folder: str | PathLike[str]) -> Iterator[dict[str, Any]]:
    """For every key the line that counts, in the order of the files."""
    files = result_files(folder)
    if not files:
        raise StoreError(f"{folder}: expected a folder with the results of a sweep, found no {RESULTS}")
    index = Index(files)
    try:
        for text in index.texts():
            yield json.loads(text)
    finally:
        index.close()


def read_sources(folder: str | PathLike[str]) -> Mapping[str, dict[str, Any]]:
    """Where networks and graphs came from, by hash; the last entry of a hash counts."""
    path = Path(folder) / "sources.jsonl"
    if not path.exists():
        return {}
    return {found.line["hash"]: found.line for found in read_file(path)}

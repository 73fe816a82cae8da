"""Reading a store: which line counts for each key, in memory that holds no lines."""

from __future__ import annotations

import json
import os
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from math import inf
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from ..convert.disk import tell
from ..errors import StoreError
from .complete import complete
from .line import FORMAT

RESULTS = "results*.jsonl"
Skip = Callable[[str], None]  # is told which line is no answer, and why


class BrokenLineError(StoreError):
    """A line that is no JSON object: damaged on the disk, or edited."""


class Found(NamedTuple):
    """A line and where it stands: its number from 1, and its first byte."""

    line: dict[str, Any]
    start: int
    text: bytes
    number: int


def result_files(folder: str | PathLike[str]) -> list[Path]:
    return sorted(Path(folder).glob(RESULTS))


def _read_file(path: Path, skip: Skip | None) -> Iterator[Found]:
    """Every whole line; the last one may be torn or still being written, and is left out then."""
    try:
        with path.open("rb") as file:
            yield from _lines(path, file, skip)
    except OSError as problem:
        raise StoreError(f"{path}: cannot read it: {tell(problem)}") from None


def _lines(path: Path, file: BinaryIO, skip: Skip | None) -> Iterator[Found]:
    """`skip` is told of lines that are no JSON objects, unless the whole file has nothing else: it is none of ours."""
    start, broken, others = 0, list[BrokenLineError](), False
    for number, text in enumerate(file, 1):
        if not text.endswith(b"\n"):
            break
        try:
            line = parse(text, f"{path}: line {number}")
        except BrokenLineError as problem:
            if skip is None:
                raise
            broken.append(problem)
        else:
            others = True
            yield Found(line, start, text, number)
        start += len(text)
    if broken and not others:
        raise broken[0]
    if skip is not None:
        for one in broken:
            skip(str(one))


def is_torn(file: BinaryIO) -> bool:
    """The last line has no end."""
    size = file.seek(0, os.SEEK_END)
    if not size:
        return False
    file.seek(size - 1)
    return file.read(1) != b"\n"


def parse(text: bytes, where: str) -> dict[str, Any]:
    try:
        line: dict[str, Any] = json.loads(text)
    except (ValueError, RecursionError):
        line = {}
    if not isinstance(line, dict) or not line:
        raise BrokenLineError(f"{where}: expected a JSON object, got {text[:40]!r}; the file was left as it is")
    found = line.get("format")
    if found != FORMAT:
        raise StoreError(
            f"{where}: expected format {FORMAT}, got {found!r}: written by another version or another program; "
            "the file was left as it is"
        )
    return line


def read_answers(path: Path, skip: Skip | None = None) -> Iterator[Found]:
    """Every whole line that is an answer, with nulls for what it lacks; `skip` is told of the others.

    Without `skip`, StoreError for the first of them.
    """
    for found in _read_file(path, skip):
        try:
            whole = complete(found.line)
        except ValueError as problem:
            where = f"{path}: line {found.number}"
            if skip is None:
                raise StoreError(
                    f"{where}: expected an answer with key, status and limits; {problem}; the file was left as it is"
                ) from None
            skip(f"{where}: {problem}")
        else:
            yield found._replace(line=whole)


class Index:
    """Where the line that counts for each key and graph number stands: 56 bytes a line, whatever is in it."""

    def __init__(self, files: Sequence[Path], skip: Skip | None = None) -> None:
        """skip: is told of lines that are no answers; without it they are refused."""
        self._files = list(files)
        self._open: dict[int, BinaryIO] = {}
        high, low, graph, place = array("Q"), array("Q"), array("q"), array("q")
        decided, timeout, nodes = array("b"), array("d"), array("d")
        for number, path in enumerate(self._files):
            for found in read_answers(path, skip):
                line = found.line
                high.append(int(line["key"][:16], 16))
                low.append(int(line["key"][16:], 16))
                graph.append(line["graph_index"])
                decided.append(_rank(line["status"]))
                # where a question is decided, under which limits does not matter
                timeout.append(0.0 if decided[-1] else _number(line["limits"]["timeout"]))
                nodes.append(0.0 if decided[-1] else _number(line["limits"]["node_limit"]))
                place.append(number << 44 | found.start)
        columns = [np.asarray(column) for column in (place, nodes, timeout, decided, graph, low, high)]
        order = np.lexsort(columns)
        columns = [column[order] for column in columns]
        self.lines = int(order.size)
        same = [column[1:] == column[:-1] for column in columns]  # as the line before
        again = np.concatenate([[False], np.all(same[1:], axis=0)]) if order.size else np.zeros(0, dtype=np.bool_)
        self._distinct = columns[0][~again]
        # of equal questions the last line counts, and only that is kept
        last = np.ones(order.size, dtype=np.bool_)
        last[:-1] = ~(same[4] & same[5] & same[6])
        self._place, self._graph, self._low, self._high = (columns[k][last] for k in (0, 4, 5, 6))

    def __len__(self) -> int:
        return int(self._place.size)

    def find(self, key: str, graph: int, only: bool = False) -> dict[str, Any] | None:
        """The line that counts for this key: of the graph with this number or, unless `only`, of one that equals it."""
        places = self._places(key)
        own = places.pop(graph, None)
        best = None if own is None else self._read(own)
        for place in () if only else places.values():
            if best is not None and _standing(best)[0]:
                break
            line = self._read(place)
            if best is None or _standing(line) > _standing(best):
                best = line
        return best

    def _places(self, key: str) -> dict[int, int]:
        """By graph number, where the lines of this key stand that count."""
        high, low = int(key[:16], 16), int(key[16:], 16)
        at = int(np.searchsorted(self._high, np.uint64(high))) if self._place.size else 0
        found = {}
        while at < self._high.size and int(self._high[at]) == high:
            if int(self._low[at]) == low:
                found[int(self._graph[at])] = int(self._place[at])
            at += 1
        return found

    def _read(self, place: int) -> dict[str, Any]:
        return complete(parse(self._text(place), "store"))

    def texts(self) -> Iterator[bytes]:
        """Every line that counts, in the order of the files, as it stands there."""
        for place in np.sort(self._place).tolist():
            yield self._text(place)

    def distinct(self) -> Iterator[bytes]:
        """Every line but repetitions: of a question's robust lines one, of the vulnerable ones one, and one undecided
        line for each limit.
        """
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


def _rank(status: str) -> int:
    """What counts over what, whatever the limits. An attack was evaluated rigorously: it counts over a bound."""
    return {"vulnerable": 2, "robust": 1}.get(status, 0)


def _standing(line: Mapping[str, Any]) -> tuple[float, ...]:
    """Greater is what counts."""
    rank, limits = _rank(line["status"]), line["limits"]
    return (rank, *((0.0, 0.0) if rank else (_number(limits["timeout"]), _number(limits["node_limit"]))))


def read_best(folder: str | PathLike[str], skip: Skip | None = None) -> Iterator[dict[str, Any]]:
    """For every key and graph number the line that counts, in the order of the files; fields that it lacks are null.

    skip: is told of lines that are no answers; without it they are refused with a StoreError.
    """
    files = result_files(folder)
    if not files:
        raise StoreError(f"{folder}: expected a folder with the results of a sweep, found no {RESULTS}")
    index = Index(files, skip)
    try:
        for text in index.texts():
            yield complete(json.loads(text))
    finally:
        index.close()


def read_sources(folder: str | PathLike[str]) -> Mapping[str, dict[str, Any]]:
    """Where networks and graphs came from, by hash; the last entry of a hash counts.

    They only help to find what a report draws: a note that cannot be read is one that is missing.
    """
    path = Path(folder) / "sources.jsonl"
    if not path.exists():
        return {}
    try:
        texts = path.read_bytes().splitlines()
    except OSError as problem:
        raise StoreError(f"{path}: cannot read it: {tell(problem)}") from None
    found = {}
    for text in texts:
        with suppress(ValueError, StoreError):
            one = parse(text, str(path))
            if isinstance(one.get("hash"), str) and isinstance(one.get("path"), str):
                found[one["hash"]] = one
    return found

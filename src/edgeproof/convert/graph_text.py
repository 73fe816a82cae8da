"""`.graph` with `.feat` beside it, the text formats of the paper's tool.

`.graph`: the number of vertices, DIRECTED or UNDIRECTED, then for each vertex its in-degree and in-neighbours.
`.feat`: one line of features a vertex.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InputError
from .disk import read_text, tell, write_all
from .raw import RawGraph


def read(path: Path) -> Sequence[RawGraph]:
    """The file holds one graph."""
    n, directed, sources, targets = _read_edges(path)
    features = _read_features(path.with_suffix(".feat"), n)
    return (RawGraph(n, sources, targets, features, None, directed, {}, path.stem, str(path)),)


def write(raws: Sequence[RawGraph], path: Path) -> None:
    """One graph; classes, masks and the name have no place in these formats and stay behind."""
    if len(raws) != 1:
        raise InputError(f"{path}: a .graph file holds one graph, got {len(raws)}; .npz takes many")
    (raw,) = raws
    write_all({path.with_suffix(".feat"): _encode(_feature_lines(raw)), path: _encode(_edge_lines(raw))})


def _read_edges(path: Path) -> tuple[int, bool, np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    tokens = read_text(path).split()
    if len(tokens) < 2:
        raise InputError(f"{path}: expected the number of vertices and DIRECTED or UNDIRECTED, got {len(tokens)} words")
    n = _whole(path, "number of vertices", tokens[0])
    if tokens[1] not in ("DIRECTED", "UNDIRECTED"):
        raise InputError(f"{path}: direction: expected DIRECTED or UNDIRECTED, got {tokens[1][:40]!r}")
    if n < 1 or n > len(tokens) - 2:
        raise InputError(f"{path}: number of vertices: expected 1 to {len(tokens) - 2} in a file this long, got {n}")
    sources: list[int] = []
    targets: list[int] = []
    at = 2
    for v in range(n):
        if at >= len(tokens):
            raise InputError(f"{path}: vertex {v}: expected its in-degree, got the end of the file")
        degree = _whole(path, f"vertex {v}: in-degree", tokens[at])
        listed = tokens[at + 1 : at + 1 + degree]
        if len(listed) < degree:
            raise InputError(f"{path}: vertex {v}: expected {degree} in-neighbours, got {len(listed)}")
        for token in listed:
            u = _whole(path, f"vertex {v}: in-neighbour", token)
            if u >= n:
                raise InputError(f"{path}: vertex {v}: in-neighbour {u} is out of range, there are {n} vertices")
            sources.append(u)
        targets += [v] * degree
        at += 1 + degree
    if at < len(tokens):
        raise InputError(f"{path}: expected the end of the file after vertex {n - 1}, got {tokens[at][:40]!r}")
    return n, tokens[1] == "DIRECTED", np.array(sources, dtype=np.int64), np.array(targets, dtype=np.int64)


def _read_features(path: Path, n: int) -> tuple[Any, Any, Any, int]:
    """Row by row, zeros dropped at once: the dense matrix of a large graph never exists."""
    lines = [line for line in read_text(path).splitlines() if line.strip()]
    if len(lines) != n:
        raise InputError(f"{path}: expected {n} lines of features, one a vertex, got {len(lines)}")
    width = len(lines[0].split())
    ptr, columns, values = [0], [], []
    for v, line in enumerate(lines):
        try:
            row = np.fromiter(map(float, line.split()), np.float64)
        except ValueError as problem:
            raise InputError(f"{path}: vertex {v}: expected numbers ({tell(problem)})") from None
        if row.size != width:
            raise InputError(f"{path}: vertex {v}: expected {width} features like vertex 0, got {row.size}")
        if not np.isfinite(row).all():
            raise InputError(f"{path}: vertex {v}: expected finite numbers")
        (held,) = np.nonzero(row)
        ptr.append(ptr[-1] + held.size)
        columns.append(held)
        values.append(row[held])
    return np.array(ptr), np.concatenate(columns), np.concatenate(values), width


def _edge_lines(raw: RawGraph) -> Iterator[str]:
    if raw.directed is None:
        raise InputError(f"{raw.origin}: direction: expected directed or undirected, it is not known")
    neighbours: list[list[int]] = [[] for _ in range(raw.num_vertices)]
    for u, v in zip(np.asarray(raw.sources).tolist(), np.asarray(raw.targets).tolist(), strict=True):
        neighbours[v].append(u)
    yield str(raw.num_vertices)
    yield "DIRECTED" if raw.directed else "UNDIRECTED"
    for listed in neighbours:
        yield " ".join(map(str, [len(listed), *listed]))


def _feature_lines(raw: RawGraph) -> Iterator[str]:
    ptr, columns, values, width = raw.features
    for v in range(raw.num_vertices):
        row = ["0"] * width
        for at in range(ptr[v], ptr[v + 1]):
            row[columns[at]] = _shortest(float(values[at]))
        yield " ".join(row)


def _shortest(value: float) -> str:
    """Reads back as the same float; most features are 0 and 1."""
    return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)


def _encode(lines: Iterator[str]) -> Iterator[bytes]:
    return (f"{line}\n".encode() for line in lines)


def _whole(path: Path, field: str, token: str) -> int:
    if not (token.isdecimal() and len(token) < 19):
        raise InputError(f"{path}: {field}: expected a whole number from 0 on, got {token[:40]!r}")
    return int(token)

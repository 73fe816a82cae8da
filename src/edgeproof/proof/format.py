"""The bytes of a proof (docs/proofs.md, "File"): a line that names the format, a header in JSON, the tree, a digest."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from ..errors import RejectedError
from ..model.arrays import IntArray

MAGIC = b"edgeproof proof 1\n"
SEMANTICS = (
    "score[label] >= score[rival] for every rival in every graph that the threat admits; "
    "real-number arithmetic on the stored weights"
)
DIGEST = 32
MOST_BYTES = 1 << 31
MOST_NESTED = 4  # header, threat, list of pairs, pair

# what closes a node, or how it goes on: the low bits of its byte
SPLIT, BOX, LINE, SPENT, SETTLED, ENUMERATED = range(6)
KINDS = ("split", "box", "line", "spent", "settled", "enumerated")
KIND_BITS = 0b111
# what else happens at a node before that
LINES, TIGHTEN, LINES_AGAIN, KEPT_FIRST = 0b1000, 0b10000, 0b100000, 0b1000000
FLAGS = {
    SPLIT: LINES | TIGHTEN | LINES_AGAIN | KEPT_FIRST,
    BOX: 0,
    LINE: LINES | TIGHTEN,
    SPENT: 0,
    SETTLED: 0,
    ENUMERATED: 0,
}


class Certificate(NamedTuple):
    """A file taken apart: nothing is known yet about what it says."""

    header: dict[str, Any]
    body: bytes


def pack(header: dict[str, Any], body: bytes) -> bytes:
    text = json.dumps(header, separators=(",", ":"), sort_keys=True).encode()
    content = MAGIC + text + b"\n" + body
    return content + hashlib.sha256(content).digest()


def unpack(data: bytes) -> Certificate:
    if not data.startswith(MAGIC):
        known = MAGIC.decode().strip()
        raise RejectedError(f"not a proof of a format that is known: expected the first line {known!r}")
    if len(data) > MOST_BYTES:
        raise RejectedError(f"{len(data):,} bytes, a proof has up to {MOST_BYTES:,}")
    content, digest = data[:-DIGEST], data[-DIGEST:]
    if hashlib.sha256(content).digest() != digest:
        raise RejectedError("the digest at the end does not match: the file is truncated or was altered")
    end = content.find(b"\n", len(MAGIC))
    if end < 0:
        raise RejectedError("the header has no end")
    return Certificate(_read_header(content[len(MAGIC) : end]), content[end + 1 :])


def _read_header(line: bytes) -> dict[str, Any]:
    """One JSON object that says the same to a person as to any parser: printable ASCII, no field twice, numbers whole.

    A byte-order mark, another encoding, a control character that rewrites a terminal's line: all would hide something.
    """
    if not all(32 <= byte < 127 for byte in line):
        raise RejectedError("the header is not JSON in printable ASCII")
    try:
        header = json.loads(
            line.decode("ascii"), object_pairs_hook=_once, parse_float=_fraction, parse_constant=_fraction
        )
    except (ValueError, RecursionError):
        raise RejectedError("the header is not JSON") from None
    if not isinstance(header, dict):
        raise RejectedError("the header is not a JSON object")
    if _nesting(header) > MOST_NESTED:
        raise RejectedError(f"the header is nested more than {MOST_NESTED} deep")
    return header


def _once(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(fields)
    if len(found) != len(fields):
        names = [name for name, _ in fields]
        twice = next(name for name in names if names.count(name) > 1)
        raise RejectedError(f"the header has the field {twice!r} twice")
    return found


def _fraction(text: str) -> Any:
    raise RejectedError(f"the header has the number {text[:40]}; its numbers are whole")


def _nesting(value: Any) -> int:
    """How many lists and objects stand around the innermost thing; stops counting past what is accepted."""
    deep, layer = 0, [value]
    while deep <= MOST_NESTED and (layer := [one for one in layer if isinstance(one, dict | list)]):
        deep += 1
        layer = [inner for one in layer for inner in (one.values() if isinstance(one, dict) else one)]
    return deep


def encode_tree(kinds: IntArray, pairs: IntArray) -> bytes:
    """kinds: byte of every node in pre-order; pairs: number of the pair that a split decides (others: anything)."""
    splits = (kinds & KIND_BITS) == SPLIT
    number = np.where(splits, pairs, 0)
    extra = np.zeros(len(kinds), dtype=np.int64)
    if splits.any():
        extra[splits] = 1
        for bits in range(7, 63, 7):
            extra[splits] += number[splits] >> bits > 0
    start = np.cumsum(1 + extra) - (1 + extra)
    out = np.zeros(int((1 + extra).sum()), dtype=np.uint8)
    out[start] = kinds
    for k in range(int(extra.max(initial=0))):
        here = extra > k
        last = extra[here] == k + 1
        out[start[here] + 1 + k] = (number[here] >> (7 * k)) & 127 | np.where(last, 0, 128)
    return out.tobytes()


class Reader:
    """Bytes of the tree, one node after the other; every refusal says at which byte."""

    def __init__(self, body: bytes) -> None:
        self.body, self.at = body, 0

    def byte(self) -> int:
        if self.at >= len(self.body):
            raise RejectedError(f"byte {self.at} of the tree: it ends in the middle of a proof")
        self.at += 1
        return self.body[self.at - 1]

    def mark(self) -> int:
        """The byte of a node."""
        found = self.byte()
        kind = found & KIND_BITS
        if kind >= len(KINDS) or (found & ~KIND_BITS) & ~FLAGS[kind]:
            raise RejectedError(f"byte {self.at - 1} of the tree: {found} is no mark of a node")
        return found

    def number(self) -> int:
        """Seven bits a byte, lowest first; the high bit says that more follow."""
        value, shift, begin = 0, 0, self.at
        while True:
            byte = self.byte()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                if byte == 0 and shift > 7:
                    raise RejectedError(f"byte {begin} of the tree: a number with a superfluous byte")
                return value
            if shift > 35:
                raise RejectedError(f"byte {begin} of the tree: a number that is too long")

    def finish(self) -> None:
        if self.at != len(self.body):
            raise RejectedError(f"byte {self.at} of the tree: {len(self.body) - self.at} bytes behind its end")


def pair_list(pairs: Iterable[Iterable[int]]) -> list[list[int]]:
    return [[int(u), int(v)] for u, v in pairs]

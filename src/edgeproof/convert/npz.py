"""NumPy archives, read with suspicion: no pickles, no evaluation of headers, no memory before the sizes are checked."""

from __future__ import annotations

import io
import re
import struct
import zipfile
import zlib
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InputError
from .disk import read_bytes, tell

# What zipfile raises on files that are not what they claim to be.
_DAMAGE = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, ValueError, TypeError, KeyError, IndexError,
    OverflowError, RuntimeError, NotImplementedError,
)  # fmt: skip

# Deflate shrinks at most 1032 times. Sorted indices shrink 5 to 20 times; a file that claims more than this is a bomb.
_EXPANSION = 100
_ALWAYS_FINE = 1 << 26

_HEADER = re.compile(
    rb"\{\s*'descr'\s*:\s*'(?P<descr>[<>|=]?[biufU]\d{1,4})'\s*,\s*'fortran_order'\s*:\s*(?P<fortran>True|False)\s*,"
    rb"\s*'shape'\s*:\s*\((?P<shape>[\d, ]*)\)\s*,?\s*\}\s*"
)


class Archive:
    """The arrays of one `.npz`; each is read when it is asked for."""

    def __init__(self, path: Path) -> None:
        self.path = path
        data = read_bytes(path)
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
            infos = self._zip.infolist()
        except _DAMAGE as problem:
            raise InputError(
                f"{path}: expected a .npz archive, got something else or damage ({tell(problem)})"
            ) from None
        self._infos = {info.filename.removesuffix(".npy"): info for info in infos}
        declared = sum(info.file_size for info in infos)
        if declared > max(_ALWAYS_FINE, _EXPANSION * len(data)):
            raise InputError(f"{path}: {len(data)} bytes that claim to unpack to {declared}: refused")

    def __contains__(self, field: str) -> bool:
        return field in self._infos

    def fields(self) -> list[str]:
        return list(self._infos)

    def array(self, field: str, kinds: str, ndim: int) -> np.ndarray[Any, Any]:
        """The array `field`; kinds: the dtype kinds that make sense for it."""
        if field not in self._infos:
            raise InputError(f"{self.path}: {field}: expected such an array, there is none")
        info = self._infos[field]
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise InputError(f"{self.path}: {field}: expected deflate or no compression")
        try:
            array = _parse(self._zip.read(info))
        except _DAMAGE as problem:
            raise InputError(f"{self.path}: {field}: truncated or damaged ({tell(problem)})") from None
        if array.dtype.kind not in kinds:
            wanted = {"iu": "whole numbers", "U": "text", "b": "true or false"}.get(kinds, "real numbers")
            raise InputError(f"{self.path}: {field}: expected {wanted}, got dtype {array.dtype}")
        if array.ndim != ndim:
            raise InputError(f"{self.path}: {field}: expected {ndim} dimensions, got {array.ndim}")
        return array

    def text(self, field: str) -> str:
        return str(self.array(field, "U", 0)[()])

    def whole(self, field: str) -> int:
        value = int(self.array(field, "iu", 0)[()])
        if value < 0:
            raise InputError(f"{self.path}: {field}: expected a number from 0 on, got {value}")
        return value


def _parse(data: bytes) -> np.ndarray[Any, Any]:
    """One `.npy`; its header is matched, not evaluated, so object arrays and pickles have no way in."""
    if data[:6] != b"\x93NUMPY" or data[6:7] not in (b"\1", b"\2", b"\3"):
        raise ValueError("not a .npy array")
    start = 10 if data[6] == 1 else 12
    length = int.from_bytes(data[8:start], "little")
    match = _HEADER.fullmatch(data[start : start + length])
    if match is None:
        raise ValueError("not the header of an array of numbers or text")
    dtype = np.dtype(match["descr"].decode())
    shape = tuple(int(one) for one in match["shape"].decode().replace(",", " ").split())
    body = memoryview(data)[start + length :]
    if prod(shape) * dtype.itemsize != len(body) or dtype.itemsize == 0:
        raise ValueError(f"shape {shape} of {dtype} does not fit {len(body)} bytes")
    flat = np.frombuffer(body, dtype)
    if dtype.kind == "U" and np.frombuffer(body, dtype.str[0] + "u4").max(initial=0) > 0x10FFFF:
        raise ValueError("text beyond Unicode")
    if dtype.kind == "b" and flat.view(np.uint8).max(initial=0) > 1:
        raise ValueError("booleans other than 0 and 1")
    return flat.reshape(shape, order="F" if match["fortran"] == b"True" else "C")

"""Read-only, validated NumPy arrays: what the immutable types are made of."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InputError

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


def frozen_floats(value: ArrayLike, field: str, shape: tuple[int | None, ...]) -> FloatArray:
    """Copy `value` into a read-only finite float64 array whose shape matches (None: any length)."""
    try:
        raw = np.asarray(value)
    except (TypeError, ValueError) as problem:
        raise InputError(f"{field}: expected an array of numbers ({problem})") from None
    if raw.dtype.kind not in "fiub":
        raise InputError(f"{field}: expected real numbers, got dtype {raw.dtype}")
    if raw.dtype.kind == "f" and raw.dtype.itemsize > 8:
        raise InputError(f"{field}: {raw.dtype} does not fit into float64 without rounding")
    if raw.ndim != len(shape) or any(
        want is not None and got != want for got, want in zip(raw.shape, shape, strict=True)
    ):
        wanted = "x".join("?" if want is None else str(want) for want in shape)
        raise InputError(f"{field}: expected shape {wanted}, got {'x'.join(map(str, raw.shape)) or 'a scalar'}")
    array = np.array(raw, dtype=np.float64, order="C")
    if raw.dtype.kind in "iu" and not np.array_equal(array.astype(raw.dtype), raw):
        raise InputError(f"{field}: an integer does not fit into float64 without rounding")
    if not np.isfinite(array).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise InputError(f"{field}: expected finite numbers, got {array[where]} at {list(where)}")
    array.setflags(write=False)
    return array


def frozen_ints(value: ArrayLike | Iterable[int], field: str) -> IntArray:
    """Copy `value` into a read-only int64 array of any shape; anything but whole numbers is refused."""
    try:
        raw = np.asarray(value)
    except (TypeError, ValueError) as problem:
        raise InputError(f"{field}: expected whole numbers ({problem})") from None
    if raw.size == 0:
        raw = raw.astype(np.int64)
    if raw.dtype.kind not in "iu":
        raise InputError(f"{field}: expected whole numbers, got dtype {raw.dtype}")
    if raw.dtype.kind == "u" and raw.size and int(raw.max()) > np.iinfo(np.int64).max:
        raise InputError(f"{field}: {int(raw.max())} is out of range")
    array = np.array(raw, dtype=np.int64, order="C")
    array.setflags(write=False)
    return array


def content_hash(*parts: object) -> str:
    """SHA-256 over arrays and plain values; equal content, equal hash, on every machine."""
    digest = hashlib.sha256()
    for part in parts:
        if isinstance(part, np.ndarray):
            little = part.astype(part.dtype.newbyteorder("<"), copy=False)
            digest.update(f"{little.dtype.str}{little.shape}".encode())
            digest.update(np.ascontiguousarray(little).tobytes())
        else:
            digest.update(repr(part).encode())
        digest.update(b"\0")
    return digest.hexdigest()

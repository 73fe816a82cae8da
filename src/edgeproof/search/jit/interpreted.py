"""Kernels in plain Python, with EDGEPROOF_KERNELS=python: for a debugger, for coverage, and to check every index.
With python-unchecked they are some ten times as fast: those answer while kernels are being compiled (meanwhile.py).

The decorators compile nothing, and a kernel's arrays look at what it does to them. Compiled code does not: an index
outside an array reads or writes other memory, and a negative one counts from the end without a word.
"""

from __future__ import annotations

import ast
import inspect
import os
import textwrap
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError

_KERNELS = os.environ.get("EDGEPROOF_KERNELS") or "numba"
if _KERNELS not in ("numba", "python", "python-unchecked"):
    raise InputError(f"EDGEPROOF_KERNELS: expected numba, python or python-unchecked, got {_KERNELS!r}")
INTERPRETED = _KERNELS != "numba"
CHECKED = _KERNELS != "python-unchecked"


class CheckedArray(np.ndarray[Any, Any]):
    """An array that refuses negative indices. NumPy refuses those that are too large; a slice may end anywhere, as in a
    kernel. Whole numbers of any size come out with 64 bits, as Numba makes them.
    """

    def __getitem__(self, at: Any) -> Any:
        item = super().__getitem__(_checked(at))
        return np.int64(item) if isinstance(item, np.integer) else item

    def __setitem__(self, at: Any, value: Any) -> None:
        super().__setitem__(_checked(at), value)


def _checked(at: Any) -> Any:
    for index in at if isinstance(at, tuple) else (at,):
        if not isinstance(index, slice) and index < 0:
            raise IndexError(f"a kernel uses index {at}")
        if isinstance(index, slice) and ((index.start or 0) < 0 or (index.stop or 0) < 0):
            raise IndexError(f"a kernel takes the slice {at}")
    return at


def check_indices(item: Any) -> Any:
    """The same memory, if it is an array, with checks."""
    return item.view(CheckedArray) if CHECKED and type(item) is np.ndarray else item


def interpreted_entry(function: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel that Python calls, with arrays that are not checked yet. Division by zero is none of Python's business:
    kernels get infinities, as in compiled code.
    """

    @wraps(function)
    def call(*args: Any) -> Any:
        with np.errstate(all="ignore"):
            return function(*map(check_indices, args))

    return call


def interpreted_loop(function: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel that has promised that what it writes to is no part of another argument: held to it."""
    if not CHECKED:
        return function
    names = list(inspect.signature(function).parameters)
    written = [names.index(name) for name in sorted(_written_by(function))]

    @wraps(function)
    def call(*args: Any) -> Any:
        for at in written:
            for other, item in enumerate(args):
                if other != at and isinstance(item, np.ndarray) and np.may_share_memory(args[at], item):
                    raise ValueError(f"{function.__qualname__}: {names[at]} and {names[other]} share memory")
        return function(*args)

    return call


def _written_by(function: Callable[..., Any]) -> set[str]:
    """The parameters that a function assigns to, by themselves or as rows under another name."""
    body = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    row_of = {name: name for name in inspect.signature(function).parameters}
    written = set()
    for node in ast.walk(body):
        if not isinstance(node, ast.Assign | ast.AugAssign):
            continue
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        for target in targets:
            for one, value in _pairs(target, node.value):
                if isinstance(one, ast.Subscript):
                    written.add(row_of.get(_base(one), ""))
                elif isinstance(one, ast.Name) and _base(value) in row_of:
                    row_of[one.id] = row_of[_base(value)]
    return written - {""}


def _pairs(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        return list(zip(target.elts, value.elts, strict=True))
    return [(one, value) for one in (target.elts if isinstance(target, ast.Tuple) else [target])]


def _base(expression: ast.expr) -> str:
    """The name of the array that an element or a row is taken from."""
    while isinstance(expression, ast.Subscript):
        expression = expression.value
    return expression.id if isinstance(expression, ast.Name) else ""


def checked_fields(bundle: Any) -> dict[str, NDArray[Any] | int]:
    return {name: check_indices(item) for name, item in bundle._asdict().items()}

"""How kernels are compiled."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numba
from numba.core import config

from .cache import kernel_folder
from .interpreted import INTERPRETED, interpreted_entry, interpreted_loop
from .linking import InnerKernel, LinkedKernel

# Any order of summation and fused multiply-adds are covered by the rounding analysis (intervals/rounding.py), so
# contraction is safe, and so is reordering. Nothing else is relaxed: a NaN must never prune.
_CONTRACT, _REORDER = {"contract"}, {"contract", "reassoc"}
_OPTIONS = {"nopython": True, "nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}


@contextmanager
def _kept_for(function: Callable[..., Any]) -> Iterator[Path]:
    """Where Numba keeps the machine code of the kernel that is declared inside."""
    folder = kernel_folder(Path(function.__code__.co_filename))
    before = config.CACHE_DIR
    config.CACHE_DIR = str(folder)
    try:
        yield folder
    finally:
        config.CACHE_DIR = before


def _compiled(
    function: Callable[..., Any], inline: str = "never", relaxed: Set[str] = _CONTRACT, apart: bool = False
) -> Any:
    with _kept_for(function):
        made = numba.jit(cache=True, inline=inline, fastmath=relaxed, **_OPTIONS)(function)
    if apart:
        made._compiler._customize_flags = _without_aliases  # Numba knows the flag, but has no option for it
    return made


def _without_aliases(flags: Any) -> Any:
    flags.noalias = True
    return flags


def _linked(make: type[LinkedKernel], function: Callable[..., Any]) -> Any:
    with _kept_for(function) as folder:
        made = make(function, {**_OPTIONS, "fastmath": _CONTRACT})
        made.enable_caching()
    # The folder says what the sources are. Numba's own stamp, which may be a file's date, could take one kernel for
    # stale and leave those that call it without it.
    made._cache._cache_file._source_stamp = folder.name
    return made


def entry(function: Callable[..., Any]) -> Any:
    """A kernel that Python calls: compiled on first use, kept for the next process, without the GIL."""
    return interpreted_entry(function) if INTERPRETED else _linked(LinkedKernel, function)


def kernel(function: Callable[..., Any]) -> Any:
    """A kernel that kernels call; it is compiled without what Python needs to call it."""
    return function if INTERPRETED else _linked(InnerKernel, function)


def leaf(function: Callable[..., Any]) -> Any:
    """A small kernel, compiled into each that calls it, for whatever types it is called with."""
    return function if INTERPRETED else _compiled(function)


def part(function: Callable[..., Any]) -> Any:
    """A piece of one kernel in a file of its own, pasted in where it is called."""
    return function if INTERPRETED else _compiled(function, "always")


def loop(function: Callable[..., Any]) -> Any:
    """A leaf of loops over short rows that are arguments of it. What it writes to is no part of another argument, which
    the compiler is told: asking at run time, loop by loop, takes as long as such a loop itself.
    """
    return interpreted_loop(function) if INTERPRETED else _compiled(function, apart=True)


def reduction(function: Callable[..., Any]) -> Any:
    """A loop whose sums may be taken in any order: otherwise they do not vectorise."""
    return interpreted_loop(function) if INTERPRETED else _compiled(function, relaxed=_REORDER, apart=True)

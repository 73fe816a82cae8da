"""How kernels are compiled and where the machine code is kept."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba
from numba.core import config


@cache
def kernel_folder() -> Path:
    """A folder that changes with the source of any kernel.

    Numba notices a change in a kernel's own file only. A kernel that calls one in another file would go on running
    old machine code, and a stale kernel can give a wrong verdict.
    """
    digest = hashlib.sha256(numba.__version__.encode())
    package = Path(__file__).parent
    for source in sorted([*package.glob("*.py"), package.parent / "problem.py", package.parent / "stages.py"]):
        digest.update(source.read_bytes())
    home = os.environ.get("EDGEPROOF_CACHE") or os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "edgeproof" / f"kernels-{digest.hexdigest()[:16]}"


def _compiled(function: Callable[..., Any], inline: str = "never", flags: tuple[str, ...] = ("contract",)) -> Any:
    before = config.CACHE_DIR
    config.CACHE_DIR = str(kernel_folder())
    try:
        # Any order of summation and fused multiply-adds are covered by the rounding analysis (round.py), so
        # contraction is safe, and so is reordering. Nothing else is relaxed: a NaN must never prune.
        return numba.njit(cache=True, nogil=True, error_model="numpy", fastmath=set(flags), inline=inline)(function)
    finally:
        config.CACHE_DIR = before


def kernel(function: Callable[..., Any]) -> Any:
    """Compile on first use, keep the machine code for the next process, release the GIL."""
    return _compiled(function)


def part(function: Callable[..., Any]) -> Any:
    """A piece of one kernel in a file of its own, pasted in where it is called.

    Every level of calls is optimised once more by each of its callers, so a deep tree of kernels compiles slowly.
    """
    return _compiled(function, "always")


def reduction(function: Callable[..., Any]) -> Any:
    """A kernel whose sums may be taken in any order: otherwise they do not vectorise."""
    return _compiled(function, flags=("contract", "reassoc"))

"""Compiling kernels, once: before any clock runs, and said to the user."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

from .compile import kernel_folder

_warm = False


def is_compiled() -> bool:
    """That there are kernels says little: a run that was stopped leaves some of them."""
    return _mark().exists()


def _mark() -> Path:
    return kernel_folder() / "compiled"


def warm_up() -> None:
    """Load every kernel from the cache, or compile it, on a problem of two vertices."""
    global _warm  # noqa: PLW0603
    if _warm:
        return
    _warm = True
    if not is_compiled():
        sys.stderr.write("edgeproof: compiling kernels, once (about a minute)\n")
        sys.stderr.flush()
    from ..graph import Graph
    from ..network import Layer, Network
    from ..options import resolve
    from ..problem import compile_problem
    from ..query import make_query
    from ..threat import Threat
    from .solve import Search

    layer = Layer([[1.0], [0.0]], [[1.0], [-1.0]], [0.0, 0.0], "sum", "none")
    graph = Graph([[0], [1]], [[1.0], [1.0]], directed=True)
    query = make_query(Network([layer]), graph, Threat(1), node=1)
    options = resolve({"attack_at_once": True, "tighten_at_once": True})
    search = Search(compile_problem(query, options, 1), 1, options)
    search.run(node_limit=None, first_only=True)
    search.set_out(0)  # as threads do
    with suppress(OSError):  # a cache that others made and may not be written to
        _mark().touch()

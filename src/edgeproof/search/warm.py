"""Compiling kernels, once: before any clock runs, and said to the user."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numba
from numba.core import config

from ..query import Query
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
    from ..query import make_query
    from ..threat import Threat
    from . import engine

    layer = Layer([[1.0], [0.0]], [[1.0], [-1.0]], [0.0, 0.0], "sum", "none")
    graph = Graph([[0], [1]], [[1.0], [1.0]], directed=True)
    query = make_query(Network([layer]), graph, Threat(1), node=1)
    with _effort(2):
        _compile_loops(query)
    with _effort(1):
        engine.verify(query, timeout=None, node_limit=None, options={"attack_at_once": True, "tighten_at_once": True})
    with suppress(OSError):  # a cache that others made and may not be written to
        _mark().touch()


@contextmanager
def _effort(level: int) -> Iterator[None]:
    """How hard the compiler tries. A kernel is optimised again with everything that calls it, so what only calls
    kernels gets less: the wait is a third shorter, and the search runs as fast.
    """
    before = config.OPT
    config.OPT = type(before)(level)
    try:
        yield
    finally:
        config.OPT = before


def _compile_loops(query: Query) -> None:
    """The kernels in which the time goes."""
    from ..options import resolve
    from ..problem import compile_problem
    from .bound_boxes import bound_vertex
    from .descend import descend
    from .evaluate import evaluate_from
    from .lend import Lent
    from .lines import make_lines
    from .spend import spend
    from .split import undo
    from .state import Options
    from .walk import make_root

    options = resolve(None)
    problem = compile_problem(query, options, 1).problem
    state = make_root(problem, 1, 1)
    p, s, lines = Lent(problem).kind, Lent(state).kind, Lent(make_lines(problem, 1, used=True)).kind
    switches = numba.typeof(Options(**{name: int(options[name]) for name in Options._fields}))
    number = numba.int64
    evaluate_from.compile((p, s, switches, numba.typeof(state.seeds), number))
    bound_vertex.compile((p, s, switches, number, number, number))
    descend.compile((p, s, lines, lines, lines, switches, number, number, number, number))
    spend.compile((p, s, lines, number, number))
    undo.compile((p, s, number, number, number))

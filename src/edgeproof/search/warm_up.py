"""Compiling kernels, once: before any clock runs, and said to the user."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from .compiling import wait_for_kernels
from .jit.cache import is_marked, mark_compiled
from .jit.interpreted import INTERPRETED

if TYPE_CHECKING:
    from ..problem.layout import Compiled
    from .strategy import Search

_warm = False


def is_compiled() -> bool:
    """Nobody takes kernels away from a process that has loaded them."""
    return _warm or INTERPRETED or is_marked()


def warm_up() -> None:
    """Load every kernel, before any clock runs. Where they are missing, another process compiles them."""
    global _warm  # noqa: PLW0603
    if _warm or INTERPRETED:
        return
    if not is_compiled():
        wait_for_kernels()
    load_or_compile()
    _warm = True


def load_or_compile() -> None:
    """Load every kernel from the cache, or compile it, on a problem of two vertices."""
    helper = None if is_compiled() else _start_helper()
    from .jit.linking import all_are_kept
    from .strategies.few_graphs import warm_up_few
    from .strategy import Search

    options, compiled = _smallest()
    warm_up_few()
    search = Search(compiled, 1, options)
    _compile_others(search)
    if helper is not None:
        helper.wait()  # what it has not compiled, for whatever reason, is compiled here
    search.run(node_limit=None, first_only=True)
    search.worker.set_out(0)  # as threads do
    if not is_compiled() and all_are_kept():
        mark_compiled()


def load_on_demand() -> None:
    """The kernels of strategies that few questions take; who takes them loads them, or compiles them then."""
    if INTERPRETED:
        return
    from .from_base import warm_up_charges, warm_up_lengths
    from .strategies.attended import warm_up_attention
    from .strategies.by_size import warm_up_sizes

    warm_up_attention()
    warm_up_sizes()
    warm_up_charges()
    warm_up_lengths()


def _compile_others(search: Search) -> None:
    """What is called only where forks or orbits are looked at. It calls no lines, and does not wait for these."""
    import numba

    from .jit.by_address import Bundle
    from .pairwise.coarse import make_coarse
    from .pairwise.tables import make_idle_tables
    from .strategies.fork_kernels import enumerate_forks, evaluate_sets, start_at
    from .strategies.orbit_kernels import enumerate_orbits

    p, state = search.worker.compiled.problem, search.worker.state
    tables = make_idle_tables(p), make_coarse(p)
    problem, *bundles = (Bundle(bundle).kind for bundle in (p, state, *tables))
    options, excluded = numba.typeof(search.worker.options), numba.typeof(state.frame_excluded[0])
    number, numbers, sets = numba.int64, numba.int64[::1], numba.int64[:, ::1]
    start_at.compile((problem, bundles[0], options, numbers, number))
    enumerate_forks.compile((problem, *bundles, options, excluded, numbers, number))
    evaluate_sets.compile((problem, bundles[0], options, excluded, sets, number, number))
    enumerate_orbits.compile((problem, *bundles[:2], options, excluded, numbers, numbers, number, number))


def _smallest() -> tuple[dict[str, bool], Compiled]:
    """A question that a search answers at once, with options by which it calls every kernel."""
    from ..model.graph import Graph
    from ..model.network import Layer, Network
    from ..model.query import make_query
    from ..model.threat import Threat
    from ..options import resolve
    from ..problem.compile import compile_problem

    layer = Layer([[1.0], [0.0]], [[1.0], [-1.0]], [0.0, 0.0], "sum", "none")
    graph = Graph([[0], [1]], [[1.0], [1.0]], directed=True)
    query = make_query(Network([layer]), graph, Threat(1), node=1)
    options = resolve({"attack_at_once": True, "tighten_at_once": True})
    return options, compile_problem(query, options, 1)


def _start_helper() -> subprocess.Popen[bytes] | None:
    """A process that compiles a half of the kernels meanwhile, those of lines, and leaves them in the cache."""
    if (os.cpu_count() or 1) < 2 or not Path(sys.executable).stem.startswith("python"):
        return None
    program = f"import sys; sys.path[:] = {sys.path!r}; from edgeproof.search import warm_up; "
    program += "warm_up.compile_linear_bounds()"
    quiet = subprocess.DEVNULL
    try:
        return subprocess.Popen([sys.executable, "-c", program], stdin=quiet, stdout=quiet, stderr=quiet)
    except OSError:
        return None


def compile_linear_bounds() -> None:
    import numba

    from .jit.by_address import Bundle
    from .linear.backward import backward_pass
    from .linear.workspace import make_workspace
    from .state.state import Options
    from .worker import make_root

    options, compiled = _smallest()
    p, s, linear = compiled.problem, make_root(compiled.problem, 1, 1), make_workspace(compiled.problem, 1, used=True)
    bundles = [Bundle(bundle).kind for bundle in (p, s, linear, linear, linear)]
    switches = Options(**{name: int(options[name]) for name in Options._fields})
    backward_pass.compile((*bundles, numba.typeof(switches), *(numba.int64,) * 4))

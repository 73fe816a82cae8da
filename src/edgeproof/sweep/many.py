"""`verify_many`: many questions in, answers out as they are found."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from os import PathLike
from typing import Any

from ..errors import InputError
from ..model.graph import Graph
from ..model.network import Network
from ..model.query import require_parts
from ..progress import reporting, tell_share
from .answer import Answer
from .dispatch import Dispatcher, Here, OnExecutor
from .drive import Sweep
from .job import Job
from .limits import Limits
from .plan import Listed, Plan, Question, check
from .prepare import prepare
from .store import Shard, Store
from .workers import Workers


def verify_many(
    network: Network,
    graph: Graph | Sequence[Graph],
    queries: Plan | Iterable[Question],
    executor: Executor | Any = None,
    *,
    workers: int | None = None,
    store: str | PathLike[str] | None = None,
    timeout: float | None = None,
    node_limit: int | None = None,
    memory: float | None = None,
    engine: str = "search",
    options: Mapping[str, Any] | None = None,
    passes: bool | None = None,
    share: bool = True,
    progress: bool | Callable[[int, int], object] | None = None,
) -> Iterator[Answer]:
    """Verdicts and radii for many questions, in the order in which they are found.

    queries: a `Plan` (nodes times threats times targets) or `Question`s. graph: one, or several (then questions name
    theirs by number; for networks that classify graphs, a plan asks about each as a whole).
    executor: any `concurrent.futures.Executor` or a `distributed.Client`; default: `workers` processes on this machine
    (as many as it has cores; 0: none, everything happens here).
    store: a folder; what it holds already is not asked again, what is found is added (docs/store.md).
    timeout (seconds), node_limit and memory (gigabytes, where a worker process has nothing else to do) hold for each
    question; past them the answer is `unknown`, or an error.
    passes: ask everything with a small node limit first, then what is left with larger ones. share: an answer settles
    other questions about the same node where one threat contains the other. Turn both off to measure each alone.
    All passes together take no more than `timeout` for a question. progress: called with the number of questions that
    are answered and of all; True: told on stderr.

    A question that fails gives an answer with status "error", and ends nothing.
    """
    sweep = make_sweep(
        network, graph, queries, executor, workers=workers, store=store, engine=engine, options=options,
        limits=Limits(timeout, node_limit, memory), passes=passes, share=share,
    )  # fmt: skip
    return _reported(sweep, progress)


def _reported(sweep: Sweep, progress: bool | Callable[[int, int], object] | None) -> Iterator[Answer]:
    with reporting(progress, tell_share) as report:
        for answered, answer in enumerate(sweep, 1):
            if report is not None:
                report(answered, sweep.total)
            yield answer


def make_sweep(
    network: Network,
    graph: Graph | Sequence[Graph],
    queries: Plan | Iterable[Question],
    executor: Executor | Any = None,
    *,
    workers: int | None = None,
    store: str | PathLike[str] | None = None,
    shard: Shard = (1, 1),
    limits: Limits | None = None,
    engine: str = "search",
    options: Mapping[str, Any] | None = None,
    passes: bool | None = None,
    share: bool = True,
    retry_errors: bool = False,
    replay: bool = True,
) -> Sweep:
    """Check the plan, open the store, compile the kernels; workers start with the iteration."""
    graphs = tuple(graph) if isinstance(graph, Sequence) else (graph,)
    if not graphs:
        raise InputError("graph: expected at least one graph, got none")
    require_parts(network, graphs)
    if isinstance(queries, Plan):
        if network.task == "node" and len(graphs) > 1:
            raise InputError(f"graph: a plan over nodes needs one graph, got {len(graphs)}")
        questions = queries.on(graphs[0] if network.task == "node" else graphs)
    else:
        questions = Listed(queries)
    _check_engine(engine, options)
    check(network, graphs, questions)
    job = Job(network, graphs, questions.threats, engine, options)
    opened = None if store is None else Store(store, shard)
    try:
        dispatcher = _dispatcher(job, executor, workers)
        return Sweep(
            job, questions, dispatcher, limits or Limits(), store=opened, shard=shard,
            # another engine's nodes are no search nodes: a limit on them says little about the work
            passes=engine == "search" if passes is None else passes,
            share=share, retry_errors=retry_errors, replay=replay,
        )  # fmt: skip
    except BaseException:
        if opened is not None:
            opened.close()
        raise


def _check_engine(engine: str, options: Mapping[str, Any] | None) -> None:
    """What would fail in every question fails here."""
    from ..ask import _engine
    from ..options import resolve

    _engine(engine)
    if engine == "search":
        resolve(options)
    elif engine == "mip":
        from ..engines.mip.settings import resolve as resolve_mip

        resolve_mip(options)


def _dispatcher(job: Job, executor: Executor | Any, workers: int | None) -> Dispatcher:
    if workers is not None and (isinstance(workers, bool) or not isinstance(workers, int) or workers < 0):
        raise InputError(f"workers: expected a whole number from 0 on, got {workers!r}")
    if hasattr(executor, "get_executor") and hasattr(executor, "scatter"):
        from .cluster import OnDask

        return OnDask(job, executor)
    if executor is not None and not isinstance(executor, Executor):
        raise InputError(f"executor: expected a concurrent.futures.Executor or a Dask client, got {executor!r}")
    if executor is None and workers == 0:
        return Here(job)  # it answers while kernels are being compiled
    prepare(job)
    if executor is not None:
        return OnExecutor(job, executor, workers)
    return Workers(job, workers or _cores())


def _cores() -> int:
    """Those that we may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

"""The facade: one question in, one answer out."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from os import PathLike
from typing import Any, Protocol, TypeVar

from .arithmetic.predict import leading_class
from .clock import TimeUpError
from .errors import InputError, Interrupted
from .limits import positive, time_left, until, whole_nodes
from .model.graph import Graph
from .model.kept import Asked, ask_for
from .model.network import Network
from .model.query import Query
from .model.threat import Threat
from .model.verdict import Radius, Stats, Verdict
from .progress import reporting, tell_interval, tell_nodes

_Answer = TypeVar("_Answer", Verdict, Radius)


class Engine(Protocol):
    """What an engine offers; both calls honour the limits and never guess."""

    def verify(
        self, query: Query, *, timeout: float | None, node_limit: int | None, options: Mapping[str, Any] | None
    ) -> Verdict: ...

    def radius(
        self, query: Query, *, timeout: float | None, node_limit: int | None, options: Mapping[str, Any] | None
    ) -> Radius: ...


def _engine(name: str) -> Engine:
    if name == "search":
        from .search import engine as search

        return search
    if name == "brute":
        from .engines import brute

        return brute
    if name == "mip":
        from .engines.mip import engine as mip

        return mip
    raise InputError(f"engine: expected one of search, mip, brute, got {name!r}")


def _put(engine: str, options: Mapping[str, Any] | None, extras: dict[str, Any]) -> Callable[..., Any]:
    """For threats beyond flips of equal cost, which are decided by several questions."""
    told = {name: value for name, value in extras.items() if name != "progress"}

    def put(what: str, query: Query, timeout: float | None, node_limit: int | None) -> Any:
        asked = getattr(_engine(engine), what)
        return asked(query, timeout=timeout, node_limit=node_limit, options=options, **told)

    return put


def _is_for(engine: str, query: Query) -> bool:
    """Whether the engine knows all of the threat; brute force knows any."""
    return query.threat.is_plain or engine == "brute" or (engine == "mip" and query.threat.inject is None)


def _told(answer: _Answer, graph: Graph, asked: Asked) -> _Answer:
    """In the user's classes and with the graph, which answers are drawn on. What `dataclasses.replace` would do, in a
    tenth of the time: it looks at each field for as long as an easy question takes.
    """
    copy = object.__new__(type(answer))
    copy.__dict__.update(answer.__dict__, graph=graph, label=asked.label, rival=asked.rival(answer.rival))
    return copy


def _answered(ask: Callable[[], _Answer], graph: Graph, asked: Asked) -> _Answer:
    """Also where the user has ended the question."""
    try:
        return _told(ask(), graph, asked)
    except Interrupted as stop:
        raise Interrupted(_told(stop.answer, graph, asked)) from None


def _from_the_prediction(found: Radius) -> Radius:
    """The claim about the prediction holds on the graph as it is, however early an engine had to stop."""
    return replace(found, lower=0) if found.lower < 0 and found.attack is None else found


def nothing_known(network: Network, graph: Graph, node: int | None, started: float) -> dict[str, Any]:
    """What a verdict and a radius say where the time was up before the prediction was known: scores tie in floating
    point, and exact ones take long. Their label is then the class that leads in floating point.
    """
    stats = Stats(
        nodes=0, seconds=time.perf_counter() - started, leaves=0, fragile=0, exploration=0.0, evaluations=0
    )  # fmt: skip
    return {
        "label": leading_class(network, graph, node), "reason": "timeout", "node": node, "directed": graph.directed,
        "stats": stats, "graph": graph,
    }  # fmt: skip


def _extras(engine: str, threads: int, memory: float | None, **others: Any) -> dict[str, Any]:
    """What only the search engine takes."""
    if isinstance(threads, bool) or not isinstance(threads, int) or threads < 1:
        raise InputError(f"threads: expected a whole number from 1 on, got {threads!r}")
    least = positive(memory, "memory", " of gigabytes")
    if engine == "search":
        return {"threads": threads, "memory": least, **others}
    if memory is not None:
        raise InputError(f"memory: only the engine 'search' keeps to it, got {engine!r}")
    if threads > 1:
        raise InputError(f"threads: engine {engine!r} runs on one thread only, engine 'search' on several")
    return {}


def verify(
    network: Network,
    graph: Graph,
    threat: Threat,
    node: int | None = None,
    *,
    label: int | Iterable[int] | None = None,
    target: int | None = None,
    margin: float = 0.0,
    timeout: float | None = None,
    node_limit: int | None = None,
    engine: str = "search",
    threads: int = 1,
    options: Mapping[str, Any] | None = None,
    proof: str | PathLike[str] | None = None,
    certify: bool = False,
    arithmetic: str = "real",
    progress: bool | Callable[[int], object] | None = None,
    memory: float | None = None,
) -> Verdict:
    """Decide whether `label` (default: the predicted class) survives every attack that `threat` allows.

    node: the vertex in question; None for networks that classify graphs. target: defend against this class only.
    label: several classes, as (1, 3): any of them counts as kept; the answer names the one that leads on the graph as
    it is. margin: by how much the label must lead every rival (default 0: it may not fall behind).
    timeout (seconds, of the whole call) and node_limit (search nodes): past them the verdict is `unknown`. Ctrl-C
    raises `Interrupted`, a KeyboardInterrupt whose `answer` is the verdict so far. threads: a hard query is
    shared between so many; verdict and attack do not depend on how they run.
    proof: a file to write, from which `check` re-establishes the verdict with independent code.
    certify: do that at once; the verdict is then `certified`, or `unknown` if the checker does not accept it.
    With either, the options `carriers` and `lines_nested` are on where `lines` is: the checker bounds with them.
    arithmetic: "real" on the stored weights, or "float32": robust (vulnerable) says that the claim holds (breaks) when
    the network runs in float32, whatever the order of its sums; `unknown` where that order can decide.
    progress: called with the number of search nodes now and then; True: told on stderr, with the time, and how far the
    best flips so far are from an attack.
    memory: gigabytes that the question may take; what takes more is refused before it begins. None: what is free.
    """
    started = time.perf_counter()
    timeout, node_limit = positive(timeout, "timeout", " of seconds"), whole_nodes(node_limit)
    try:
        asked = ask_for(network, graph, threat, node, label, target, margin, until(timeout, started))
    except TimeUpError:
        return Verdict("unknown", **nothing_known(network, graph, node, started))
    query = asked.query
    if arithmetic not in ("real", "float32"):
        raise InputError(f"arithmetic: expected 'real' or 'float32', got {arithmetic!r}")
    proves = proof is not None or certify
    if arithmetic == "float32" and proves:
        raise InputError("proof: a proof speaks of real arithmetic, got arithmetic='float32'")
    if query.network is not network and (proves or arithmetic == "float32"):
        raise InputError(
            "margin, label: proofs and float32 are about one class that leads by any margin; leave them out"
        )
    if proves and engine != "search":
        raise InputError(f"proof: only the engine 'search' writes proofs, got {engine!r}")
    with reporting(progress, tell_nodes, timeout) as report:
        extras = _extras(engine, threads, memory, progress=report)

        def ask(one: Query) -> Verdict:
            left = time_left(timeout, started)
            if not _is_for(engine, one):
                from .wider import ask as wider

                return wider.verify(one, engine, _put(engine, options, extras), left, node_limit)
            return _engine(engine).verify(one, timeout=left, node_limit=node_limit, options=options, **extras)

        def answer() -> Verdict:
            if arithmetic == "float32":
                from .float32 import verify_in_float32

                return verify_in_float32(query, ask, until(timeout, started))
            if not proves:
                return ask(query)
            from .certify import verify_with_certificate

            return verify_with_certificate(
                query, timeout=time_left(timeout, started), node_limit=node_limit, options=options, threads=threads,
                proof=proof, certify=certify, progress=report, memory=extras["memory"],
            )  # fmt: skip

        return _answered(answer, graph, asked)


def radius(
    network: Network,
    graph: Graph,
    threat: Threat,
    node: int | None = None,
    *,
    label: int | Iterable[int] | None = None,
    target: int | None = None,
    margin: float = 0.0,
    timeout: float | None = None,
    node_limit: int | None = None,
    engine: str = "search",
    threads: int = 1,
    progress: bool | Callable[[int, int | None], object] | None = None,
    options: Mapping[str, Any] | None = None,
    memory: float | None = None,
) -> Radius:
    """The largest budget that `label` survives; `threat.budget` caps it, None means no cap.

    progress: called with both ends of the interval known so far (the upper one is None while no attack is known)
    whenever one of them moves; True: told on stderr. Everything else as for `verify`: Ctrl-C raises `Interrupted`,
    whose `answer` is the interval.
    """
    started = time.perf_counter()
    timeout, node_limit = positive(timeout, "timeout", " of seconds"), whole_nodes(node_limit)
    try:
        asked = ask_for(network, graph, threat, node, label, target, margin, until(timeout, started))
    except TimeUpError:
        return Radius(-1, None, exact=False, robust=False, **nothing_known(network, graph, node, started))
    query = asked.query
    with reporting(progress, tell_interval, timeout) as report:
        extras = _extras(engine, threads, memory, progress=report)

        def ask() -> Radius:
            left = time_left(timeout, started)
            if not _is_for(engine, query):
                from .wider import ask as wider

                found = wider.radius(query, engine, _put(engine, options, extras), left, node_limit)
            else:
                found = _engine(engine).radius(query, timeout=left, node_limit=node_limit, options=options, **extras)
            return _from_the_prediction(found) if label is None and query.network is network else found

        return _answered(ask, graph, asked)

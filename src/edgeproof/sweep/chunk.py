"""A chunk of questions, answered where it lands: in a worker process, in a thread, on a cluster."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from ..ask import nothing_known, radius, verify
from ..clock import TimeUpError
from ..limits import until
from ..model.query import make_query
from ..model.verdict import Radius, Stats, Verdict
from .answer import Failure, Result
from .confine import confined
from .job import Job
from .limits import Limits
from .line import make_line, resolve_target, status_of
from .plan import Ask, Group
from .share import Fact, learn, settle


class Task(NamedTuple):
    """What is open in a group: to be asked, and waiting: asked already under these limits without success, but what
    others learn may settle them.
    """

    group: Group
    asks: tuple[Ask, ...]
    waiting: tuple[Ask, ...] = ()
    facts: tuple[Fact, ...] = ()
    spent: tuple[float, ...] = ()  # seconds of each of `asks` in earlier passes


class Chunk(NamedTuple):
    """patience: after so many seconds the worker hands back what it has not begun, so that answers are stored soon
    and a long query holds nothing up.
    """

    tasks: tuple[Task, ...]
    limits: Limits
    attempt: int
    share: bool
    patience: float


class Line(NamedTuple):
    """An answer for the store; final unless a later pass may do better."""

    position: int
    status: str
    text: str
    seconds: float = 0.0


class Reply(NamedTuple):
    """rest: what patience did not suffice for. ended: the others, with what is waiting and what was learned."""

    lines: list[Line]
    rest: list[Task]
    ended: list[Task]
    seconds: float


def answer_chunk(job: Job, chunk: Chunk, at: Callable[[int], None] = lambda position: None) -> Reply:
    """Answers in order; `at` is told the position of every question before it is asked."""
    started = time.perf_counter()
    lines: list[Line] = []
    rest: list[Task] = []
    ended: list[Task] = []
    for task in chunk.tasks:
        left = _answer_task(job, chunk, task, lines, started, at)
        (rest if left.asks else ended).append(left)
    return Reply(lines, rest, ended, time.perf_counter() - started)


def _answer_task(
    job: Job, chunk: Chunk, task: Task, lines: list[Line], started: float, at: Callable[[int], None]
) -> Task:
    """Appends to `lines`, and returns the task as it stands then."""
    group, facts, waiting = task.group, list(task.facts), list(task.waiting)
    # the predicted class is the same for all questions of a group: it is found once
    label = group.label if group.label is not None or not facts else facts[0].label

    def note(ask: Ask, result: Result, implied_by: str | None = None) -> None:
        text = make_line(job, group, ask, result, limits=chunk.limits, attempt=chunk.attempt, implied_by=implied_by)
        lines.append(Line(ask.position, status_of(result), text, float(result.stats.get("seconds", 0.0))))

    def settled(ask: Ask) -> bool:
        implied = settle(job, group, ask, facts) if facts else None
        if implied is not None:
            note(ask, *implied)
        return implied is not None

    waiting = [one for one in waiting if not settled(one)]
    for number, ask in enumerate(task.asks):
        if settled(ask):
            continue
        if lines and time.perf_counter() - started > chunk.patience:
            return Task(group, task.asks[number:], tuple(waiting), tuple(facts), task.spent[number:])
        at(ask.position)
        limits = chunk.limits.after(task.spent[number] if task.spent else 0.0)
        result = ask_one(job, group, ask, label, limits)
        note(ask, result)
        if status_of(result) != "unknown":  # otherwise it may be no more than the class that leads in floating point
            label = result.label if label is None else label
        if status_of(result) == "unknown":
            waiting.append(ask)
        fact = learn(job, group, ask, result) if chunk.share else None
        if fact is not None:
            facts.append(fact)
            waiting = [one for one in waiting if not settled(one)]
    return Task(group, (), tuple(waiting), tuple(facts))


def ask_one(job: Job, group: Group, ask: Ask, label: int | None, limits: Limits) -> Result:
    """One verdict or radius; whatever goes wrong is told, and ends nothing but this question."""
    started = time.perf_counter()
    network, graph = job.network, job.graphs[group.graph]
    try:
        with confined(limits.memory):
            if label is None:  # predicted for all vertices at once: no part of what this question costs, but for a tie
                clock = until(limits.timeout, started)
                try:
                    label = make_query(network, graph, job.threats[ask.threat], group.node, clock=clock).claim.label
                except TimeUpError:
                    known = nothing_known(network, graph, group.node, started)
                    return (
                        Radius(-1, None, exact=False, robust=False, **known)
                        if ask.radius
                        else Verdict("unknown", **known)
                    )
            put = radius if ask.radius else verify
            before = time.process_time()
            result = put(
                network, graph, job.threats[ask.threat], group.node,
                label=label, target=resolve_target(ask, label, network.num_classes),
                timeout=limits.timeout, node_limit=limits.node_limit, engine=job.engine, options=job.options,
            )  # fmt: skip
            return replace(result, stats=Stats(**result.stats, cpu=time.process_time() - before))
    except MemoryError:
        allowed = "" if limits.memory is None else f"; its limit is {limits.memory:g} GB"
        return _failure("MemoryError", f"the query ran out of memory{allowed}", group, started)
    except Exception as problem:  # a failed query is a line in the store, not the end of a sweep
        text = " ".join(str(problem).split()) or "no message"
        return _failure(type(problem).__name__, text[:500], group, started)


def _failure(error: str, message: str, group: Group, started: float) -> Failure:
    return Failure(error, message, group.node, Stats(seconds=time.perf_counter() - started))


def failure_line(job: Job, group: Group, ask: Ask, chunk: Chunk, error: str, message: str, seconds: float) -> Line:
    """For a question that took its worker with it."""
    result = _failure(error, message, group, time.perf_counter() - seconds)
    text = make_line(job, group, ask, result, limits=chunk.limits, attempt=chunk.attempt)
    return Line(ask.position, "error", text)

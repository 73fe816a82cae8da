"""One hard query on several threads: the open tree is cut into tasks, and workers take them.

Every task runs on its own, up to a number of search nodes, and then hands back what it left open as new tasks. So
which tasks there are, and what each finds, depends on no clock: the verdict and the attack are the same whatever the
threads do. Kernels release the interpreter's lock; only exact answers are given one at a time.
"""

from __future__ import annotations

import heapq
import threading
import time
from collections.abc import Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import NamedTuple

import numpy as np

from ..model.graph import Pair
from .state.state import ACTION, BASE, DEPTH, LIMIT
from .trace import Trace
from .tree.codes import CANDIDATE, ENTER, FINISHED, STOPPED
from .worker import Worker

# search nodes of a task: enough that its way from the root costs little
TASK_NODES = 400


class Task(NamedTuple):
    """A subtree. Tasks in the order of `turns` (0: the branch tried first) are a depth-first search."""

    turns: tuple[int, ...]
    pairs: tuple[int, ...]  # what was decided at each turn
    excluded: bytes


class Outcome(NamedTuple):
    opened: list[Task]
    attack: list[Pair] | None
    rival: int | None


def open_tasks(worker: Worker) -> list[Task]:
    """What a worker that is about to enter a node has not seen: that node, and the second branches on the way."""
    state = worker.state
    depth, base = int(state.tally[DEPTH]), int(state.tally[BASE])
    pairs = tuple(state.frame_pair[:depth].tolist())
    turns = tuple((state.frame_phase[:depth] - 1).tolist())
    tasks = [Task(turns, pairs, state.frame_excluded[depth].tobytes())]
    for k in range(base, depth):
        if turns[k] == 0:
            tasks.append(Task((*turns[:k], 1), pairs[: k + 1], state.frame_excluded[k].tobytes()))
    return tasks


def send(worker: Worker, task: Task) -> None:
    """Put a worker at the root, with the way to the task in its frames; the kernel then walks it."""
    depth, state = len(task.pairs), worker.state
    worker.set_out(depth)
    state.frame_pair[:depth] = task.pairs
    state.frame_phase[:depth] = task.turns
    state.frame_excluded[: depth + 1] = np.frombuffer(task.excluded, dtype=np.int8)


class WorkerPool:
    """Workers, and the tasks that are left.

    With `first_only` the attack of the first task in depth-first order counts, so tasks before it are finished and
    those behind it dropped. Otherwise every attack lowers the limit for all.
    """

    def __init__(self, leader: Worker, options: Mapping[str, bool], threads: int, first_only: bool) -> None:
        self.leader, self.first_only = leader, first_only
        self.tasks = open_tasks(leader)
        heapq.heapify(self.tasks)
        traced = leader.trace is not None
        self.workers = [
            Worker(leader.compiled, leader.budget, options, None, Trace() if traced else None, leader.deadline)
            for _ in range(threads)
        ]
        self.limit = leader.limit
        for worker in self.workers:
            worker.follow(leader.options)
        self._idle = list(self.workers)
        self._traces: list[tuple[tuple[int, ...], Trace]] = []
        self._turns: tuple[int, ...] | None = None  # of the task with the attack that counts
        self._stop = threading.Event()

    def run(self, most_nodes: int) -> str | None:
        """Finish all tasks (None), or reach a limit (its name)."""
        deadline = self.leader.deadline
        running: dict[Future[Outcome], tuple[Task, Worker]] = {}
        reason = None
        with ThreadPoolExecutor(len(self.workers), thread_name_prefix="edgeproof") as pool:
            try:
                while (self.tasks or running) and reason is None:
                    while self.tasks and self._idle:
                        task, worker = heapq.heappop(self.tasks), self._idle.pop()
                        running[pool.submit(self._work, worker, task)] = task, worker
                    left = None if deadline is None else max(deadline - time.perf_counter(), 0.0)
                    done, _ = wait(running, timeout=left, return_when=FIRST_COMPLETED)
                    for future in done:
                        task, worker = running.pop(future)
                        self._idle.append(worker)
                        self._take(task, future.result())
                    if self.leader.nodes + sum(worker.nodes for worker in self.workers) >= most_nodes:
                        reason = "node limit"
                    if deadline is not None and time.perf_counter() > deadline:
                        reason = "timeout"
            finally:
                self._stop.set()
        self.leader.state.tally[LIMIT] = self.limit
        if self.leader.trace is not None:
            for _, trace in sorted(self._traces, key=lambda entry: entry[0]):  # tasks in this order are in pre-order
                self.leader.trace.append(trace)
        if self.first_only and self.leader.attack is not None:
            return None
        return reason if self.tasks or running else None

    def _take(self, task: Task, outcome: Outcome) -> None:
        if outcome.attack is not None and self._counts(task, outcome.attack):
            self.leader.note_attack(outcome.attack, outcome.rival)
            self._turns = task.turns
            if not self.first_only:  # for a verdict the limit stays, or tasks would depend on each other
                self.limit = len(outcome.attack) - 1
        for opened in outcome.opened:
            heapq.heappush(self.tasks, opened)
        if self.first_only and self._turns is not None:
            self.tasks = [one for one in self.tasks if one.turns < self._turns]
            heapq.heapify(self.tasks)

    def _counts(self, task: Task, attack: list[Pair]) -> bool:
        if self.first_only:
            return self._turns is None or task.turns < self._turns
        return len(attack) <= self.limit

    def _work(self, worker: Worker, task: Task) -> Outcome:
        """One task, in a thread of its own."""
        worker.state.tally[LIMIT] = self.limit
        send(worker, task)
        # what it has learned elsewhere about its oracles must not show
        worker.state.rates[:] = self.leader.state.rates
        worker.attack = None
        if worker.trace is not None:
            worker.trace = Trace()
            self._traces.append((task.turns, worker.trace))
        most = worker.nodes + TASK_NODES
        while True:
            worker.state.tally[LIMIT] = min(worker.limit, self.limit)
            code = worker.advance(most)
            if code == STOPPED:
                return Outcome([task], worker.attack, worker.rival)  # it stays open
            if code == FINISHED:
                return Outcome([], worker.attack, worker.rival)
            if code == CANDIDATE and worker.breaks(worker.flips()) and self.first_only:
                return Outcome([], worker.attack, worker.rival)
            dropped = self._turns is not None and self.first_only and task.turns > self._turns
            if dropped or self._stop.is_set():
                return Outcome([], None, None)
            if worker.nodes >= most and worker.state.tally[ACTION] == ENTER:
                return Outcome(open_tasks(worker), worker.attack, worker.rival)

"""The driver: hands out chunks, stores what comes back, and keeps next to nothing in memory."""

from __future__ import annotations

import json
import time
from collections import Counter, deque
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Future, wait
from typing import NamedTuple

from ..errors import EdgeproofError
from .answer import Answer
from .chunk import Chunk, Line, Reply, Task, failure_line
from .copies import copy_line, find_copies, stands_for
from .dispatch import Dispatcher, Here, Silent
from .job import Job
from .limits import LEAST, Limits, covers
from .line import DECIDED, read_answer
from .plan import Ask, Group, Questions
from .share import Fact, recall
from .store import Shard, Store
from .workers import CannotStartError, WorkerDiedError

# seconds that a chunk should take: answers are stored this soon, and the cost of handing it out is spread
PATIENCE = 0.25
MOST_TASKS = 256
# a question that takes its worker with it so many times is recorded as an error
DEATHS = 3
# seconds between two looks at the clock, the limits and the user's wish to stop
TICK = 0.2


class Settled(NamedTuple):
    """A question with its final line."""

    group: Group
    ask: Ask
    text: str


class _Flight(NamedTuple):
    chunk: Chunk
    since: float


class _Queued(NamedTuple):
    task: Task
    attempt: int
    alone: bool = False  # in a chunk of its own, whose first question is to blame if it dies


class Sweep:
    """One run over a plan; iterate over it once.

    What it holds: a byte for each question, the chunks in flight, and facts about groups that are still open.
    """

    def __init__(
        self,
        job: Job,
        questions: Questions,
        dispatcher: Dispatcher,
        limits: Limits,
        *,
        store: Store | None = None,
        shard: Shard = (1, 1),
        passes: bool = True,
        share: bool = True,
        retry_errors: bool = False,
        replay: bool = True,
    ) -> None:
        """replay: give back also what the store knows already."""
        self.job, self.questions, self.store, self.limits = job, questions, store, limits
        self._dispatcher, self._shard, self._share = dispatcher, shard, share
        self._retry_errors, self._replay = retry_errors, replay
        self._passes = limits.passes() if passes else [limits]
        self._done = bytearray(len(questions))
        self._attempt, self._cursor = 0, -1
        self._busy: set[int] = set()  # groups in flight or queued, by the position of their first question
        self._queue: deque[_Queued] = deque()
        self._flying: dict[Future[Reply | None], _Flight] = {}
        self._facts: dict[int, tuple[Fact, ...]] = {}
        self._undecided: dict[
            int, tuple[str, bool]
        ] = {}  # the last line of what waits, and whether it was stored before
        self._spent: dict[int, float] = {}  # seconds that an open question took in earlier passes
        self._deaths: Counter[int] = Counter()
        self._settled: deque[Settled] = deque()
        self._task_seconds = PATIENCE
        self._stopping = False
        # with share off each is measured alone, also where graphs are equal
        self._copies = find_copies(job, questions) if share else {}
        self._copied = {copy.ask.position for copies in self._copies.values() for copy in copies}
        self._borrowed: set[int] = set()  # questions whose stored line is an equal graph's
        asked = (ask.position for group in self._groups() for ask in group.asks)
        self.total = sum(1 + len(self._copies.get(position, ())) for position in asked)
        self.computing = False  # this process is at a question
        self.counts: Counter[str] = Counter()
        self.resumed = 0
        self.first_error: str | None = None
        self.began = time.monotonic()

    def stop(self) -> None:
        """Begin no more chunks; the iteration ends soon, with everything stored that was answered."""
        self._stopping = True

    @property
    def stopped(self) -> bool:
        return self._stopping

    @property
    def done(self) -> int:
        return sum(self.counts.values())

    def __iter__(self) -> Iterator[Answer]:
        for one in self.settled():
            yield read_answer(json.loads(one.text), self.questions.question(one.group, one.ask))

    def settled(self) -> Iterator[Settled]:
        """Every question once, with its final line, in the order in which they are settled."""
        self.began = time.monotonic()
        try:
            tasks = self._all_passes()
            more = True
            while more or self._flying or self._queue:
                if self._stopping:
                    break
                more = self._fill(tasks, more)
                yield from self._give()
                self._collect(TICK)
                yield from self._give()
            if self._stopping:
                self._collect(2 * PATIENCE, everything=True)
                yield from self._give()
        except (BrokenExecutor, CannotStartError) as problem:
            raise EdgeproofError(f"the workers are gone: {problem}; what is answered is kept") from None
        finally:
            for future in self._flying:
                future.cancel()
            try:
                self._dispatcher.close()
            finally:
                if self.store is not None:
                    self.store.close()

    def _give(self) -> Iterator[Settled]:
        while self._settled:
            yield self._settled.popleft()

    # what to ask

    def _groups(self) -> Iterator[Group]:
        part, parts = self._shard
        for number, group in enumerate(self.questions.groups()):
            if number % parts != part - 1:
                continue
            own = tuple(ask for ask in group.asks if ask.position not in self._copied) if self._copied else group.asks
            if own:
                yield group._replace(asks=own)

    def _all_passes(self) -> Iterator[_Queued]:
        for self._attempt in range(1, len(self._passes) + 1):  # noqa: B020
            self._cursor = -1
            for group in self._groups():
                start = group.asks[0].position
                self._cursor = start
                if start in self._busy:
                    continue  # of an earlier pass; it goes on by itself when it comes back
                task = self._task(group, self._attempt)
                if task is not None:
                    self._busy.add(start)
                    yield _Queued(task, self._attempt)

    def _task(self, group: Group, attempt: int) -> Task | None:
        """What is to be asked of this group in this pass; None if nothing is."""
        asks, waiting, facts = [], [], list(self._facts.get(group.asks[0].position, ()))
        limits = self._passes[attempt - 1]
        index = None if self.store is None or not len(self.store.index) else self.store.index
        fresh = attempt == 1
        for ask in group.asks:
            if self._done[ask.position]:
                continue
            line = None if index is None else index.find(self.job.key(group, ask), group.graph, only=not self._share)
            if line is not None and line["graph_index"] != group.graph:
                self._borrowed.add(ask.position)
            if line is not None and fresh and line["status"] in DECIDED:
                self._settle(group, ask, line["status"], json.dumps(line), stored=True)
                fact = recall(self.job, group, ask, line)
                if fact is not None and self._share:
                    facts.append(fact)
            elif line is None or not covers(line, limits) or (line["status"] == "error" and self._retry_errors):
                early = attempt < len(self._passes) and limits.timeout is not None
                if early and limits.after(self._spent.get(ask.position, 0.0)).timeout == LEAST:
                    waiting.append(ask)  # for the last pass, which it gets the rest of its time in
                else:
                    asks.append(ask)
            elif line["status"] == "error":
                self._settle(group, ask, "error", json.dumps(line), stored=True)
            else:
                waiting.append(ask)
                self._undecided[ask.position] = json.dumps(line), True
        spent = tuple(self._spent.get(ask.position, 0.0) for ask in asks)
        task = Task(group, tuple(asks), tuple(waiting), tuple(facts), spent)
        if asks or (waiting and facts):
            return task
        self._end(task, attempt)
        return None

    # handing out

    def _fill(self, tasks: Iterator[_Queued], more: bool) -> bool:
        """Keep the workers and a short queue before them busy. False: there are no more tasks to begin."""
        most = 2 * self._dispatcher.slots
        while len(self._flying) < most and not self._settled:
            if (not more and not self._queue) or self._suspects_fly_alone():
                break
            batch, more = self._batch(tasks, more)
            if batch:
                self._submit(batch)
        return more

    def _suspects_fly_alone(self) -> bool:
        """Dask counts a death against all that the worker held: who may be to blame is asked with nothing beside it."""
        next_one = bool(self._queue) and self._queue[0].alone
        suspected = next_one or any(flight.chunk.patience == 0.0 for flight in self._flying.values())
        return isinstance(self._dispatcher, Silent) and bool(self._flying) and suspected

    def _batch(self, tasks: Iterator[_Queued], more: bool) -> tuple[list[_Queued], bool]:
        """Tasks for one chunk: of one pass, and as many as fit its time by what they took lately."""
        size = max(1, min(MOST_TASKS, int(PATIENCE / max(self._task_seconds, 1e-6))))
        batch: list[_Queued] = []
        while len(batch) < size:
            if not self._queue:
                one = next(tasks, None) if more else None
                if one is None:
                    return batch, False
                self._queue.append(one)
            if batch and (self._queue[0].alone or self._queue[0].attempt != batch[0].attempt):
                break
            batch.append(self._queue.popleft())
            if batch[0].alone:
                break
        return batch, more

    def _submit(self, batch: list[_Queued]) -> None:
        attempt = batch[0].attempt
        patience = 0.0 if batch[0].alone else PATIENCE
        tasks = tuple(one.task for one in batch)
        self._launch(Chunk(tasks, self._passes[attempt - 1], attempt, self._share, patience))

    def _launch(self, chunk: Chunk, with_job: bool = False) -> None:
        try:
            self.computing = isinstance(self._dispatcher, Here)
            future = self._dispatcher.submit(chunk, with_job)
        except KeyboardInterrupt:  # it ends the question that this process is at
            if not self._stopping:
                raise
            return
        except (BrokenExecutor, RuntimeError) as problem:  # RuntimeError: it was shut down
            raise EdgeproofError(f"the executor takes no more work: {problem}; what is answered is kept") from None
        finally:
            self.computing = False
        self._flying[future] = _Flight(chunk, time.monotonic())

    # taking in

    def _collect(self, patience: float, everything: bool = False) -> None:
        if not self._flying:
            return
        done, _ = wait(self._flying, timeout=patience, return_when="ALL_COMPLETED" if everything else FIRST_COMPLETED)
        for future in done:
            chunk, since = self._flying.pop(future)
            self._take(chunk, future, time.monotonic() - since)
        self._dispatcher.end_overruns(self.limits.timeout)

    def _take(self, chunk: Chunk, future: Future[Reply | None], seconds: float) -> None:
        try:
            reply = future.result()
        except WorkerDiedError as death:
            self._bury(chunk, death.position, str(death), seconds, final=death.ended)
        except (BrokenExecutor, CannotStartError):
            if not self._stopping:
                raise
        except CancelledError:
            if not self._stopping:
                self._launch(chunk, with_job=True)
        except Exception as problem:
            if type(problem).__name__ != "KilledWorker":  # of Dask: the workers died with it, several times
                raise
            # in a chunk of one task that stops after its first question, that question is to blame
            first = chunk.tasks[0].asks[:1] if chunk.patience == 0.0 else ()
            self._bury(chunk, first[0].position if first else None, "its Dask workers died", seconds, final=True)
        else:
            if reply is None:
                self._launch(chunk, with_job=True)
            else:
                self._note(chunk, reply)

    def _note(self, chunk: Chunk, reply: Reply) -> None:
        if self.store is not None:
            self.store.append(line.text for line in reply.lines)
        where = {ask.position: (task.group, ask) for task in chunk.tasks for ask in (*task.asks, *task.waiting)}
        for line in reply.lines:
            self._note_line(*where[line.position], line)
        self._task_seconds += 0.3 * (reply.seconds / max(1, len(reply.ended)) - self._task_seconds)
        self._queue.extendleft(_Queued(task, chunk.attempt) for task in reversed(reply.rest))
        for task in reply.ended:
            self._end(task, chunk.attempt)

    def _note_line(self, group: Group, ask: Ask, line: Line) -> None:
        if line.status == "unknown":
            self._undecided[ask.position] = line.text, False
            if self.limits.timeout is not None:
                self._spent[ask.position] = self._spent.get(ask.position, 0.0) + line.seconds
        else:
            self._settle(group, ask, line.status, line.text)

    def _settle(self, group: Group, ask: Ask, status: str, text: str, stored: bool = False) -> None:
        self._done[ask.position] = 1
        self._undecided.pop(ask.position, None)
        self._spent.pop(ask.position, None)
        if stored and ask.position in self._borrowed:
            self._settle_copy(group, ask, text)
        else:
            self._count(group, ask, status, text, stored)
        for copy in self._copies.get(ask.position, ()):
            self._settle_copy(*copy, text)

    def _settle_copy(self, group: Group, ask: Ask, text: str) -> None:
        """Every question has a line of its own, so that shares are over what was asked."""
        line = json.loads(text)
        held = None if self.store is None else self.store.index.find(line["key"], group.graph, only=True)
        if held is not None and stands_for(held, line):
            self._count(group, ask, held["status"], json.dumps(held), stored=True)
            return
        copied = copy_line(self.job, group, line)
        made = json.dumps(copied, separators=(",", ":"))
        if self.store is not None and group.graph != line["graph_index"]:
            self.store.append([made])
        self._count(group, ask, line["status"], made, stored=False)

    def _count(self, group: Group, ask: Ask, status: str, text: str, stored: bool) -> None:
        self.counts[status] += 1
        self.resumed += stored
        if status == "error" and self.first_error is None:
            self.first_error = json.loads(text)["error"]["message"]
        if self._replay or not stored:
            self._settled.append(Settled(group, ask, text))

    def _end(self, task: Task, attempt: int) -> None:
        """A group has been through a pass: what is open is final after the last one, and else waits for the next."""
        group = task.group
        start = group.asks[0].position
        self._busy.discard(start)
        self._facts.pop(start, None)
        if attempt == len(self._passes):
            for ask in task.waiting:
                text, stored = self._undecided.pop(ask.position)
                self._settle(group, ask, "unknown", text, stored)
            return
        for ask in task.waiting:
            self._undecided.pop(ask.position, None)
        if not task.waiting:
            return
        if task.facts:
            self._facts[start] = task.facts
        if self._attempt > attempt + 1 or (self._attempt == attempt + 1 and start <= self._cursor):
            # the next pass has gone by while this one was in flight
            again = self._task(group, attempt + 1)
            if again is not None:
                self._busy.add(start)
                self._queue.append(_Queued(again, attempt + 1))

    def _bury(self, chunk: Chunk, position: int | None, message: str, seconds: float, final: bool = False) -> None:
        """A worker died in this chunk: blame the question at `position`, if that is known, and ask the others again.

        A death may be an accident, and is given another chance; `final` ones are none.
        """
        if self._stopping:
            return
        tasks = list(chunk.tasks)
        if position is not None:
            self._deaths[position] += 1
            if final or self._deaths[position] >= DEATHS:
                told = message if final else f"{message} ({DEATHS} times)"
                tasks = [self._give_up(task, position, chunk, told, seconds) for task in tasks]
        self._queue.extendleft(_Queued(task, chunk.attempt, alone=True) for task in reversed(tasks))

    def _give_up(self, task: Task, position: int, chunk: Chunk, message: str, seconds: float) -> Task:
        """Record the error of the question at `position`, if it is one of this task's."""
        culprit = next((ask for ask in task.asks if ask.position == position), None)
        if culprit is None:
            return task
        line = failure_line(self.job, task.group, culprit, chunk, "WorkerDied", message, seconds)
        if self.store is not None:
            self.store.append([line.text])
        self._note_line(task.group, culprit, line)
        at = task.asks.index(culprit)
        asks, spent = task.asks[:at] + task.asks[at + 1 :], task.spent[:at] + task.spent[at + 1 :]
        return task._replace(asks=asks, spent=spent)

    # for those who watch

    def slowest(self) -> tuple[Group, Ask | None, float] | None:
        """What has been running longest, and how many seconds; no question where only its group is known."""
        flights = list(self._flying.values())
        if not flights:
            return None
        now = time.monotonic()
        running = self._dispatcher.running()
        if running:
            position, since = min(running, key=lambda one: one.since)
            for chunk, _ in flights:
                for task in chunk.tasks:
                    for ask in task.asks:
                        if ask.position == position:
                            return task.group, ask, now - since
        chunk, since = min(flights, key=lambda flight: flight.since)
        return chunk.tasks[0].group, None, now - since

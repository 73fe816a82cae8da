"""While kernels are compiled, others in plain Python answer: the same answers, soon, and nothing is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

import edgeproof as ep
from differential import disagreement, draw_options
from edgeproof.model.query import make_query
from edgeproof.search import engine, meanwhile
from edgeproof.search.compiling import count_kernels
from edgeproof.search.jit.cache import cache_root, compiled_mark
from edgeproof.search.meanwhile import Interpreter
from edgeproof.search.warm_up import warm_up
from random_queries import EVERYTHING, draw

QUESTION = """
import edgeproof as ep, sys
from edgeproof.demo.karate import karate_graph, karate_network
from edgeproof.search.warm_up import is_compiled
print(ep.verify(karate_network(), karate_graph(), ep.Threat(2), 19).status, is_compiled(), flush=True)
"""
WAIT = "from edgeproof.search.warm_up import warm_up; warm_up()"


@pytest.fixture(scope="module", autouse=True)
def _kernels() -> None:
    """Those of this process: otherwise it would ask another one too."""
    warm_up()


class Mixed:
    """An engine by whose answers two kinds of kernels take turns."""

    def __init__(self) -> None:
        self.interpreter, self.turn = Interpreter(), 0

    def _ask(self, name, query, **options):
        self.turn += 1
        if self.turn % 2:
            return getattr(engine, name)(query, **options)
        self.interpreter.ask(name, query, options)
        assert self.interpreter.answered(100.0)
        answer = self.interpreter.take()
        assert answer is not None, "it failed"
        return answer

    def verify(self, query, **options):
        return self._ask("verify", query, **options)

    def radius(self, query, **options):
        return self._ask("radius", query, **options)


@pytest.mark.parametrize("seed", [1, 2])
def test_answers_of_both_kinds_of_kernels_agree_with_brute_force(seed: int, pytestconfig: pytest.Config) -> None:
    mixed = Mixed()
    count = max(20, pytestconfig.getoption("--campaign") // 50)
    try:
        for index in range(count):
            mixed.turn = index  # each kind gives verdicts and radii
            problem = disagreement(mixed, draw(seed, index, EVERYTHING), draw_options(seed, index))
            assert problem is None, f"query {index} of seed {seed}: {problem}"
    finally:
        mixed.interpreter.close()


def test_both_kinds_of_kernels_see_the_same_search_nodes() -> None:
    from edgeproof.demo.karate import karate_graph, karate_network

    mixed = Mixed()
    try:
        for node in (1, 3, 23):
            query = make_query(karate_network(), karate_graph(), ep.Threat(None), node)
            options = {"timeout": None, "node_limit": None, "options": None}
            one, other = mixed.radius(query, **options), mixed.radius(query, **options)
            assert one == other
            assert one.stats.nodes == other.stats.nodes > 0
    finally:
        mixed.interpreter.close()


def test_a_question_that_fails_is_left_to_compiled_kernels() -> None:
    interpreter = Interpreter()
    try:
        interpreter.ask("verify", None, {})
        assert interpreter.answered(60.0)
        assert interpreter.take() is None
    finally:
        interpreter.close()


class Fresh:
    """A cache in which nothing is compiled, and the process that begins to."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.lock = folder / compiled_mark().with_suffix(".lock").relative_to(cache_root().parent)
        self.mark = self.lock.with_suffix("")

    def start(self, program: str) -> subprocess.Popen[str]:
        environment = {**os.environ, "EDGEPROOF_CACHE": str(self.folder)}
        return subprocess.Popen(
            [sys.executable, "-c", program], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def compiler(self) -> int | None:
        with suppress(OSError, ValueError):
            return int(self.lock.read_bytes())
        return None

    def wait_until_it_compiles(self) -> int:
        for _ in range(600):
            number = self.compiler()
            if number is not None and list(self.folder.rglob("*.nbc")):
                return number
            time.sleep(0.1)
        raise AssertionError("nothing is compiled")


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Fresh]:
    made = Fresh(tmp_path)
    yield made
    number = made.compiler()
    if number is not None:
        with suppress(OSError):
            os.killpg(number, signal.SIGKILL)


def is_alive(number: int) -> bool:
    """Not only waiting for its parent to ask how it ended."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def test_the_first_answer_does_not_wait_for_kernels(fresh: Fresh) -> None:
    with fresh.start(QUESTION) as run:
        said, complained = run.communicate(timeout=120)
    assert said == "vulnerable False\n"
    assert complained == ""
    assert is_alive(fresh.wait_until_it_compiles())  # it goes on, for the next process


@pytest.mark.parametrize("program", [WAIT, QUESTION.replace("19", "0, timeout=100").replace("(2)", "(70)")])
def test_an_interrupt_ends_the_compilation_and_leaves_nothing_half_written(fresh: Fresh, program: str) -> None:
    with fresh.start(program) as run:
        number = fresh.wait_until_it_compiles()
        began = time.monotonic()
        run.send_signal(signal.SIGINT)
        assert run.wait(30) != 0
        assert time.monotonic() - began < 10
    assert not is_alive(number)
    assert not fresh.mark.exists()
    assert [file for file in fresh.folder.rglob("*") if ".tmp" in file.name] == []


def test_of_two_processes_one_compiles(fresh: Fresh) -> None:
    with fresh.start(WAIT) as one:
        number = fresh.wait_until_it_compiles()
        with fresh.start(WAIT) as other:
            time.sleep(3.0)
            assert fresh.compiler() == number
            other.send_signal(signal.SIGINT)
            other.wait(30)
            assert is_alive(number)  # it works for the first one
        one.send_signal(signal.SIGINT)
        one.wait(30)


def test_progress_is_a_count() -> None:
    done, total = count_kernels()
    assert done == total > 50


def test_where_there_are_kernels_no_other_process_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("asked")

    monkeypatch.setattr(meanwhile, "Interpreter", refuse)
    monkeypatch.setattr(meanwhile, "start_compiler", refuse)
    from edgeproof.demo.karate import karate_graph, karate_network

    assert ep.verify(karate_network(), karate_graph(), ep.Threat(2), node=19).status == "vulnerable"

"""Kernels are compiled in a process of their own, so that this one can answer, wait, or be interrupted meanwhile."""

from __future__ import annotations

import atexit
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress

from .jit.cache import compiling_alone, is_marked, is_private

TICK = 0.1
PROGRAM = "import sys; sys.path[:] = {path!r}; from edgeproof.search.compiling import compile_all; compile_all()"


def compile_all() -> None:
    """What the process does. Of several that begin at the same time one compiles, and the others wait for it."""
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(number))  # files half written are taken away
    from .warm_up import load_on_demand, load_or_compile

    with suppress(OSError), compiling_alone():  # a cache that may not be written to: then each compiles for itself
        if not is_marked():
            load_or_compile()
            load_on_demand()  # nobody waits for these


class Compiler:
    """It goes on when this process ends, unless it is stopped or nothing is kept: the next one finds what it made."""

    def __init__(self) -> None:
        quiet = subprocess.DEVNULL
        program = PROGRAM.format(path=sys.path)
        self._process = subprocess.Popen(
            [sys.executable, "-c", program], stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True
        )

    @property
    def is_running(self) -> bool:
        """False once there is nothing left to wait for, whether or not it has done its work."""
        if is_marked():
            self._process.returncode = 0  # what it still compiles nobody waits for, nor warns of at the end
        return self._process.poll() is None

    def stop(self) -> None:
        """With the process that helps it."""
        with suppress(OSError):
            os.killpg(self._process.pid, signal.SIGTERM)
        self._process.wait()


_running: Compiler | None = None


def start_compiler() -> Compiler | None:
    """The one of this process; None where no second process can be started."""
    global _running  # noqa: PLW0603
    if _running is None and os.name == "posix" and os.path.basename(sys.executable).startswith("python"):
        with suppress(OSError):
            _running = Compiler()
            if is_private():
                atexit.register(_running.stop)
    return _running


def wait_for_kernels() -> None:
    """Until they are there, or nobody is compiling them; says how far it is. An interrupt stops the compiler too."""
    compiler = start_compiler()
    if compiler is None:
        return
    try:
        with Counter() as counter:
            while compiler.is_running:
                counter.show()
                time.sleep(TICK)
    except BaseException:
        compiler.stop()
        raise


class Counter:
    """How many kernels are there, on stderr: counted up at a terminal, one line elsewhere."""

    def __init__(self) -> None:
        self._live, self._shown = sys.stderr.isatty(), -1

    def __enter__(self) -> Counter:
        if not self._live:
            sys.stderr.write("edgeproof: compiling kernels, once (about a minute)\n")
            sys.stderr.flush()
        return self

    def show(self) -> None:
        if not self._live:
            return
        done, total = count_kernels()
        if done != self._shown:
            self._shown = done
            sys.stderr.write(f"\redgeproof: compiling kernels, once: {done} of {total} ")
            sys.stderr.flush()

    def __exit__(self, *failure: object) -> None:
        if self._live and self._shown >= 0:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def count_kernels() -> tuple[int, int]:
    """How many of them are kept, and how many there are."""
    from . import strategy  # noqa: F401  # imports them all
    from .jit.linking import LinkedKernel

    ours = [one for one in LinkedKernel.every if one.is_always_there]
    return sum(one._cache._cache_file.exists() for one in ours), len(ours)

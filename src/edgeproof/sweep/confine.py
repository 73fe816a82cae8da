"""A limit on the memory of one query, enforced by the system."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def confined(gigabytes: float | None) -> Iterator[None]:
    """Let the process grow by this much and no further: an allocation beyond it raises MemoryError, or ends a process
    whose library cannot go on without.

    Only where the process has nothing else to do: a thread would confine its neighbours. Linux only: elsewhere the
    system does not enforce such a limit.
    """
    here = Path("/proc/self/statm")
    if gigabytes is None or threading.current_thread() is not threading.main_thread() or not here.exists():
        yield
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    held = int(here.read_text().split()[0]) * resource.getpagesize()
    wanted = held + int(gigabytes * 1e9)
    known = [limit for limit in (soft, hard) if limit != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_AS, (min([wanted, *known]), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))

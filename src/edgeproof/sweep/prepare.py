"""Kernels are compiled once on a machine, before its workers need them."""

from __future__ import annotations

from .job import Job


def prepare(job: Job) -> None:
    """Load the kernels that this job needs; of several processes that start at once, one compiles and the rest wait."""
    if job.engine != "search":
        return
    from ..search.jit.cache import compiled_mark
    from ..search.warm_up import warm_up

    done = compiled_mark()
    if done.exists():
        warm_up()
        return
    done.parent.mkdir(parents=True, exist_ok=True)
    with done.with_suffix(".lock").open("ab") as lock:
        try:
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX)
        except (ImportError, OSError):  # no locks here: each may compile for itself, as without a sweep
            pass
        warm_up()

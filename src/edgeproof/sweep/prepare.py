"""Kernels are compiled once on a machine, before its workers need them."""

from __future__ import annotations

from contextlib import nullcontext

from .job import Job


def prepare(job: Job) -> None:
    """Load the kernels that this job needs, or compile them."""
    if job.engine != "search":
        return
    from ..search.jit.cache import compiling_alone
    from ..search.warm_up import is_compiled, warm_up

    with nullcontext() if is_compiled() else compiling_alone():
        warm_up()

"""Kernels are compiled once on a machine, before its workers need them."""

from __future__ import annotations

from .job import Job


def prepare(job: Job) -> None:
    """Load the kernels that this job needs; of several processes that start at once, one compiles and the rest wait."""
    if job.engine == "search":
        from ..search.strategies.attended import warm_up_attention
        from ..search.warm_up import warm_up

        (warm_up_attention if job.network.attends else warm_up)()

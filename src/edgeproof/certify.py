"""Verdicts with a certificate: search, proof and checker in one go."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

from .clock import TimeUpError
from .convert.disk import write_all
from .errors import RejectedError, TooLargeError
from .limits import until
from .model.query import Query, require_plain
from .model.verdict import Verdict
from .options import resolve
from .proof.chain import make_chain
from .proof.check import check
from .proof.write import write_attack, write_proof
from .search import engine as search
from .search.strategies.by_size import is_for
from .search.trace import Trace

OF_THE_CHECKER = ("carriers", "lines_nested")


def verify_with_certificate(
    query: Query,
    *,
    timeout: float | None,
    node_limit: int | None,
    options: Mapping[str, Any] | None,
    threads: int = 1,
    proof: str | PathLike[str] | None,
    certify: bool,
    progress: Callable[..., Any] | None = None,
    memory: float | None = None,
) -> Verdict:
    """Writes what was found to the file `proof`, if any; with `certify`, a verdict is one that the checker accepts.

    Where lines are used, OF_THE_CHECKER are on whatever `options` says: the checker bounds with them, and without them
    the search would find other boxes, from which lines are other lines, better or worse. One timeout holds for both.
    """
    require_plain(query, "a proof")
    clock = until(timeout, time.perf_counter())
    make_chain(query)  # refuses networks that no rule of the checker speaks of, before the search starts
    options = resolve(options)
    options |= dict.fromkeys(OF_THE_CHECKER, True) if options["lines"] else {}
    trace = Trace()
    try:
        verdict = search.verify(
            query, timeout=timeout, node_limit=node_limit, options=options, threads=threads, trace=trace,
            progress=progress, memory=memory,
        )  # fmt: skip
    except TooLargeError as problem:
        if not is_for(query, options):
            raise
        raise TooLargeError(
            f"proof: attacks settled size by size have no rule in the checker yet, and {problem}"
        ) from None
    if verdict.attack is not None and verdict.rival is not None:
        data = write_attack(query, verdict.attack, verdict.rival)
    elif verdict.status == "robust":
        data = write_proof(query, trace.records, trace.pairs)
    else:
        return verdict
    if proof is not None:
        write_all({Path(proof): [data]})
    if not certify:
        return verdict
    try:
        check(data, query.network, query.graph, clock=clock)
    except (RejectedError, TooLargeError) as problem:
        return replace(verdict, status="unknown", attack=None, rival=None, reason=f"the checker rejects it: {problem}")
    except TimeUpError:
        return replace(verdict, status="unknown", attack=None, rival=None, reason="timeout")
    return replace(verdict, certified=True)

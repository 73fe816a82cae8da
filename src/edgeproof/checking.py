"""The facade of the checker: a certificate in, what it establishes out, or the first thing wrong with it."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from typing import TYPE_CHECKING

from .model.graph import Graph
from .model.network import Network
from .progress import reporting, tell_share

if TYPE_CHECKING:
    from .proof.check import Checked


def check(
    proof: str | PathLike[str] | bytes,
    network: Network,
    graph: Graph,
    *,
    progress: bool | Callable[[int, int], object] | None = None,
) -> Checked:
    """Check a proof or an attack that `verify(..., proof=...)` wrote (a file, or its bytes) with independent code.

    Returns what it establishes: `status`, `claim`, `threat`, which a reader compares with what he wants to know.
    Raises `RejectedError`, which names the first thing wrong and where. progress: called with the number of nodes of
    the split tree that are done, and of all; True: told on stderr.
    """
    from .proof.check import check as run

    with reporting(progress, tell_share) as report:
        told: Callable[[int, int], None] | None = report  # type: ignore[assignment]  # what it returns is ignored
        return run(proof, network, graph, progress=told)

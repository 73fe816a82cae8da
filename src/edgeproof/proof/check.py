"""`edgeproof.check`: re-establishes what a certificate claims, with code that shares nothing with the search."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from ..clock import UNLIMITED, Clock
from ..engines.brute import evaluator_of
from ..errors import InputError, RejectedError
from ..model.graph import Graph
from ..model.network import Network
from ..model.query import Claim, Query
from ..model.threat import Threat
from ..model.verdict import Attack
from .format import MAGIC, Certificate, unpack
from .setting import Setting
from .statement import pairs_of, read_query
from .tree import read_tree
from .walk import Walk


@dataclass(frozen=True)
class Checked:
    """What was established: `status` of `claim` under `threat`; everything that a reader has to compare is here."""

    status: Literal["robust", "vulnerable"]
    claim: Claim
    threat: Threat
    directed: bool
    attack: Attack | None
    rival: int | None
    nodes: int  # of the tree
    evaluations: int
    exact_decisions: int
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "accepted": True, "status": self.status, "node": self.claim.node, "label": self.claim.label,
            "target": self.claim.target, "rival": self.rival, "directed": self.directed,
            "attack": None if self.attack is None else [list(pair) for pair in self.attack],
            "threat": repr(self.threat), "nodes": self.nodes, "evaluations": self.evaluations,
            "exact_decisions": self.exact_decisions, "seconds": self.seconds,
        }  # fmt: skip


def check(
    proof: str | PathLike[str] | bytes,
    network: Network,
    graph: Graph,
    *,
    progress: Callable[[int, int], None] | None = None,
    clock: Clock = UNLIMITED,
) -> Checked:
    """Check a proof or an attack that `verify(..., proof=...)` wrote: a file, or its bytes.

    Returns what it establishes. Raises `RejectedError`, which names the first thing wrong and where.
    progress: called with the number of tree nodes that are done and of all. clock: past it, `TimeUpError`.
    """
    started = time.perf_counter()
    held = unpack(proof if isinstance(proof, bytes) else _read(proof))
    if held.header.get("verdict") == "vulnerable":
        return _check_attack(held, network, graph, started, clock)
    if held.header.get("verdict") != "robust":
        raise RejectedError("header: the verdict is neither robust nor vulnerable")
    query = read_query(held.header, network, graph, ("pairs", "nodes"))
    count = held.header["nodes"]
    if type(count) is not int or count < 1:
        raise RejectedError("header: nodes is not a number from 1 on")
    table = pairs_of(held.header["pairs"], "pairs")
    setting = Setting(query, clock=clock)
    walk = Walk(setting, read_tree(held.body, table, setting.region, count, clock), progress)
    walk.run()
    return Checked(
        "robust", query.claim, query.threat, graph.directed, None, None, count,
        walk.evaluations, walk.exact_decisions, time.perf_counter() - started,
    )  # fmt: skip


def _read(path: str | PathLike[str]) -> bytes:
    try:
        data = Path(path).read_bytes()
    except OSError as problem:
        raise InputError(f"{path}: cannot be read ({problem.strerror or problem})") from None
    if not data.startswith(MAGIC[:10]):
        raise InputError(f"{path}: expected a proof, which begins with {MAGIC.decode().strip()!r}")
    return data


def _check_attack(held: Certificate, network: Network, graph: Graph, started: float, clock: Clock) -> Checked:
    query = read_query(held.header, network, graph, ("attack", "rival"))
    if held.body:
        raise RejectedError(f"{len(held.body)} bytes behind the header of an attack")
    attack = pairs_of(held.header["attack"], "attack")
    rival = held.header["rival"]
    if type(rival) is not int or rival not in query.rivals:
        raise RejectedError(f"header: {rival!r} is no rival of class {query.claim.label}")
    problem = inadmissible(query, attack)
    if problem is not None:
        raise RejectedError(f"attack: {problem}")
    scores = evaluator_of(query, clock).scores(tuple(attack))
    if not scores[rival] > scores[query.claim.label]:
        raise RejectedError(f"attack: class {rival} does not beat class {query.claim.label}")
    return Checked(
        "vulnerable", query.claim, query.threat, graph.directed, Attack(attack), rival, 0, 1, 1,
        time.perf_counter() - started,
    )  # fmt: skip


def inadmissible(query: Query, attack: list[tuple[int, int]]) -> str | None:
    """Why the threat does not admit these flips; None if it does."""
    graph, threat = query.graph, query.threat
    spent: dict[int, int] = {}
    for u, v in attack:
        if max(u, v) >= graph.num_vertices or graph.pair(u, v) != (u, v):
            return f"({u}, {v}) is not the name of a pair"
        if not threat.admits(graph, (u, v), query.claim.node):
            return f"({u}, {v}) is not fragile"
        for w in {v} if graph.directed else {u, v}:
            spent[w] = spent.get(w, 0) + 1
    if len(set(attack)) != len(attack):
        return "a pair is flipped twice"
    if threat.budget is not None and len(attack) > threat.budget:
        return f"{len(attack)} flips, the budget is {threat.budget}"
    for w, cost in spent.items():
        limit = threat.local_budget_of(w)
        if limit is not None and cost > limit:
            return f"{cost} flips at vertex {w}, its local budget is {limit}"
    return None

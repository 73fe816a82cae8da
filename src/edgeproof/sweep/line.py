"""One line of the store: an answer with everything that it is the answer to. docs/store.md describes the fields."""

from __future__ import annotations

import json
import platform
import time
from functools import cache
from importlib.metadata import version
from typing import Any

from ..model.arrays import FloatArray
from ..model.verdict import Attack, Radius, Stats, Verdict, attack_fields
from ..version import __version__
from .answer import Answer, Failure, Result
from .job import Job
from .limits import Limits
from .plan import Ask, Group, Question

FORMAT = 1
DECIDED = ("robust", "vulnerable")


def make_line(
    job: Job, group: Group, ask: Ask, result: Result, *, limits: Limits, attempt: int, implied_by: str | None = None
) -> str:
    graph = job.graphs[group.graph]
    threat = dict(job.describe(ask.threat, graph, group.node))
    failure = result if isinstance(result, Failure) else None
    radius = result if isinstance(result, Radius) else None
    return json.dumps(
        {
            "format": FORMAT,
            "key": job.key(group, ask),
            "kind": "radius" if ask.radius else "verdict",
            "status": status_of(result),
            "network": job.network_hash,
            "network_name": job.network.name,
            "graph": job.graph_hashes[group.graph],
            "graph_name": graph.name,
            "graph_index": group.graph,
            "node": group.node,
            "asked": {"label": group.label, "target": ask.target},
            "label": result.label,
            "target": resolve_target(ask, result.label, job.network.num_classes),
            "true_label": job.true_label(group),
            "budget": threat.pop("budget"),
            "local_budget": threat.pop("local_budget"),
            "threat": threat,
            "directed": graph.directed,
            "engine": job.engine,
            "options": job.chosen,
            "limits": limits.to_dict(),
            **attack_fields(result.attack),
            "rival": result.rival,
            "lower": None if radius is None else radius.lower,
            "upper": None if radius is None else radius.upper,
            "exact": None if radius is None else radius.exact,
            "reason": result.reason,
            "error": failure and {"type": failure.error, "message": failure.message},
            "implied_by": implied_by,
            "attempt": attempt,
            "stats": dict(result.stats),
            "versions": _versions(),
            "finished": round(time.time(), 3),
        },
        separators=(",", ":"),
        default=lambda number: number.item(),
    )


def status_of(result: Result) -> str:
    if isinstance(result, Radius):
        return "robust" if result.robust else "vulnerable" if result.exact else "unknown"
    return result.status


def resolve_target(ask: Ask, label: int | None, classes: int) -> int | None:
    """The class that is meant, once the label is known."""
    if ask.target == "next":
        return None if label is None else (label + 1) % classes
    return ask.target


def read_answer(line: dict[str, Any], question: Question) -> Answer:
    """The answer that a line holds, as a Python object."""
    inject = question.threat.inject
    attack = None if line["attack"] is None else stored_attack(line, None if inject is None else inject.features)
    shared: dict[str, Any] = {
        "attack": attack, "node": line["node"], "directed": line["directed"], "stats": Stats(**line["stats"]),
    }  # fmt: skip
    result: Result
    if line["error"] is not None:
        result = Failure(line["error"]["type"], line["error"]["message"], node=line["node"], stats=shared["stats"])
    elif line["kind"] == "radius":
        result = Radius(
            lower=line["lower"], upper=line["upper"], exact=line["exact"], robust=line["status"] == "robust",
            label=line["label"], rival=line["rival"], reason=line["reason"], **shared,
        )  # fmt: skip
    else:
        result = Verdict(
            status=line["status"], label=line["label"], rival=line["rival"], reason=line["reason"], **shared
        )
    return Answer(question, line["key"], result, implied_by=line["implied_by"])


def stored_attack(line: dict[str, Any], pool: FloatArray | None = None) -> Attack:
    """pool: the rows of new vertices, which a line does not hold."""
    return Attack(
        [(u, v) for u, v in line["attack"]], features=[(v, c) for v, c in line["features"] or ()],
        values=line["values"], injected=line["injected"] or (), types=line["types"] or (), cost=line["cost"], pool=pool,
    )  # fmt: skip


@cache
def _versions() -> dict[str, str]:
    libraries = {name: version(name) for name in ("numpy", "numba")}
    return {"edgeproof": __version__, **libraries, "python": platform.python_version()}

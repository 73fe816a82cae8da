"""Questions that are equal, since their graphs are: one of them is asked, and the others get copies of its line."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, NamedTuple

from .job import Job
from .line import DECIDED
from .plan import Ask, Group, Listed, Questions


class Copy(NamedTuple):
    """A question that is not asked."""

    group: Group
    ask: Ask


def find_copies(job: Job, questions: Questions) -> dict[int, list[Copy]]:
    """By the position of the first of equal questions: all later ones."""
    if len(set(job.graph_hashes)) == len(job.graph_hashes) and not isinstance(questions, Listed):
        return {}
    first: dict[tuple[Any, ...], int] = {}
    copies: dict[int, list[Copy]] = {}
    told: dict[str, int] = {}  # threats that say the same have one number
    for group in questions.groups():
        content, graph = job.graph_hashes[group.graph], job.graphs[group.graph]
        for ask in group.asks:
            threat = told.setdefault(repr(job.describe(ask.threat, graph, group.node)), len(told))
            at = first.setdefault((content, group.node, group.label, threat, ask.target, ask.radius), ask.position)
            if at != ask.position:
                copies.setdefault(at, []).append(Copy(group, ask))
    return copies


def copy_line(job: Job, group: Group, line: Mapping[str, Any]) -> dict[str, Any]:
    """The line of an equal question, for this graph: it cost nothing."""
    return {
        **line, "graph_name": job.graphs[group.graph].name, "graph_index": group.graph,
        "true_label": job.true_label(group), "implied_by": line["key"], "stats": {"seconds": 0.0},
        "finished": round(time.time(), 3),
    }  # fmt: skip


def stands_for(stored: Mapping[str, Any], line: Mapping[str, Any]) -> bool:
    """Whether what the store holds of a question says all that this line would say."""
    if stored["status"] in DECIDED or line["status"] in DECIDED:
        return stored["status"] in DECIDED
    return (stored["status"], stored["limits"]) == (line["status"], line["limits"])

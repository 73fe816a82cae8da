"""Answers in words, for people; `--json` is for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..picture.describe import tell_features

if TYPE_CHECKING:
    from ..model.graph import Graph, Pair
    from ..model.threat import Threat
    from ..model.verdict import Attack, Lead, Stats


def count(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"


def tell_subject(node: int | None, label: int) -> str:
    return f"{'graph' if node is None else f'node {node}'}, class {label}"


def tell_budget(threat: Threat, graph: Graph, node: int | None) -> str:
    """Such as `5 flips`, or of a rule `5 flips (degree+2)`."""
    number, rule = threat.resolved(graph, node).budget, threat.rules.get("budget")
    if number is None:
        return "any number of flips"
    told = count(number, "unit of cost") if threat.cost else count(number, "flip")
    told = told.replace("unit of costs", "units of cost")
    return told if rule is None else f"{told} ({rule})"


def tell_threat(threat: Threat, graph: Graph) -> str:
    """What was allowed, such as `deletions, local budget 2, directed graph`."""
    if threat.fragile is not None:
        parts = [count(len(threat.fragile), "fragile pair")]
    else:
        parts = ["deletions"] * threat.delete + ["insertions"] * (threat.insert is True)
        parts += ["insertions into the node"] * (threat.insert == "target")
        parts = parts or ["no fragile pairs"]
    if threat.protected:
        parts.append(f"{len(threat.protected)} protected")
    if threat.local_budget is not None:
        one = isinstance(threat.local_budget, int) or "local_budget" in threat.rules
        parts.append(f"local budget {threat.local_budget}" if one else "a local budget for each vertex")
    parts += [f"{len(threat.cost)} costs"] * bool(threat.cost)
    parts += [repr(one) for one in (threat.features, threat.inject) if one is not None]
    return ", ".join([*parts, f"{'directed' if graph.directed else 'undirected'} graph"])


def tell_attack(attack: Attack, rival: int | None, graph: Graph) -> str:
    flips = _tell_flips(attack, graph)
    changed = tell_features(attack, graph)
    if not flips and not changed:
        return f"the graph as it is gives class {rival}"
    told = [count(len(flips), "flip")] if flips or not changed else []
    told += [count(len(changed), "feature")] if changed else []
    told += [count(len(attack.injected), "new vertex").replace("vertexs", "vertices")] if attack.injected else []
    cost = f", cost {attack.cost}" if attack.cost != len(attack) else ""
    rows = [f"vertex {graph.num_vertices + k} has row {row}" for k, row in enumerate(attack.injected)]
    return f"{' and '.join(told)} to class {rival}{cost}: {', '.join([*flips, *changed, *rows])}"


def _tell_flips(pairs: Sequence[Pair], graph: Graph) -> list[str]:
    arrow = "->" if graph.directed else "-"
    n = graph.num_vertices
    there = [max(u, v) < n and graph.has_edge(u, v) for u, v in pairs]
    return [f"{'delete' if old else 'insert'} {u} {arrow} {v}" for (u, v), old in zip(pairs, there, strict=True)]


def tell_lead(lead: Lead, graph: Graph) -> str:
    """What comes closest to an attack."""
    flips = ", ".join(_tell_flips(lead.flips, graph)) or "the graph as it is"
    return f"{flips}: a rival is {max(-lead.margin, 0.0):.3g} behind"


def tell_stats(stats: Stats) -> str:
    shown = []
    if "nodes" in stats:
        shown.append(count(stats["nodes"], "search node"))
    if "seconds" in stats:
        shown.append(f"{stats['seconds']:.3g} s")
    return ", ".join(shown)

"""What a certificate is about, as its header says it: the claim, the threat, and hashes of network and graph."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import InputError, RejectedError
from ..model.arrays import content_hash
from ..model.graph import Graph, Pair
from ..model.network import Network
from ..model.query import Query, make_query
from ..model.threat import Threat
from .format import SEMANTICS, pair_list

FIELDS = ("semantics", "verdict", "network", "graph", "query", "claim", "threat")
THREAT_FIELDS = {"budget", "local_budget", "delete", "insert", "fragile", "protected"}


def describe(query: Query, verdict: str) -> dict[str, Any]:
    claim, threat = query.claim, query.threat
    local = threat.local_budget
    header: dict[str, Any] = {
        "semantics": SEMANTICS,
        "verdict": verdict,
        "network": query.network.fingerprint,
        "graph": query.graph.fingerprint,
        "claim": {"node": claim.node, "label": claim.label, "target": claim.target},
        "threat": {
            "budget": threat.budget,
            "local_budget": local.tolist() if isinstance(local, np.ndarray) else local,
            "delete": threat.delete,
            "insert": threat.insert,
            "fragile": None if threat.fragile is None else pair_list(sorted(threat.fragile)),
            "protected": pair_list(sorted(threat.protected)),
        },
    }
    header["query"] = query_hash(header)
    return header


def query_hash(header: dict[str, Any]) -> str:
    """Identifies the question: network, graph, claim and threat."""
    claim, threat = header["claim"], header["threat"]
    return content_hash(header["network"], header["graph"], sorted(claim.items()), sorted(threat.items()))


def read_query(header: dict[str, Any], network: Network, graph: Graph, more: tuple[str, ...]) -> Query:
    """The question that the header asks, about this network and graph and no other; `more`: fields beyond it."""
    _fields("header", header, {*FIELDS, *more})
    if header["semantics"] != SEMANTICS:
        raise RejectedError(f"header: the semantics are not those that are checked here: {SEMANTICS!r}")
    for field, held in (("network", network), ("graph", graph)):
        if header[field] != held.fingerprint:
            raise RejectedError(f"header: the proof is about another {field}")
    claim, threat = header["claim"], header["threat"]
    _fields("claim", claim, {"node", "label", "target"})
    _fields("threat", threat, THREAT_FIELDS)
    if header["query"] != query_hash(header):
        raise RejectedError("header: the hash of the query does not match the claim and the threat")
    if not isinstance(claim["label"], int):
        raise RejectedError("header: the claim names no label")
    for field in ("delete", "insert"):
        if not isinstance(threat[field], bool) and (field, threat[field]) != ("insert", "target"):
            raise RejectedError(f"header: threat: {field} is {threat[field]!r}")
    try:
        made = Threat(
            budget=threat["budget"],
            local_budget=threat["local_budget"],
            delete=threat["delete"],
            insert=threat["insert"],
            fragile=None if threat["fragile"] is None else pairs_of(threat["fragile"], "fragile"),
            protected=pairs_of(threat["protected"], "protected"),
        )
        return make_query(network, graph, made, claim["node"], claim["label"], claim["target"])
    except InputError as problem:
        raise RejectedError(f"header: {problem}") from None


def _fields(name: str, found: object, expected: set[str]) -> None:
    if not isinstance(found, dict) or set(found) != expected:
        raise RejectedError(f"{name}: expected the fields {', '.join(sorted(expected))}")


def pairs_of(value: object, field: str) -> list[Pair]:
    if not isinstance(value, list):
        raise RejectedError(f"header: {field} is not a list of pairs")
    for one in value:
        if not (isinstance(one, list) and len(one) == 2 and all(type(end) is int and end >= 0 for end in one)):
            raise RejectedError(f"header: {field}: {one!r} is not a pair of vertices")
    return [(u, v) for u, v in value]

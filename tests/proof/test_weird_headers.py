"""Every value of JSON in every field of a header: an answer about what holds, or a refusal, never a traceback."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from edgeproof import RejectedError, TooLargeError, check
from edgeproof.engines import brute
from edgeproof.proof.format import pack, unpack
from edgeproof.proof.statement import query_hash
from edgeproof.proof.write import write_attack
from proof_cases import case, proof_of

WEIRD: list[Any] = [
    None, True, False, 0, -1, 1, 7, 10**30, 2**63, "", "3", "target", "\u202e", [], {}, [[]], [{}], [None], [True],
    [-1], [10**30], [[0, 1], [0, 1]], [[1, 0]], [[True, False]], [[0, 1, 2]], [["0", "1"]], [[10**30, 0]], [[-1, 0]],
    [2] * 6, [10**30] * 6, [2**63] * 6, [True] * 6, ["2"] * 6, [[2]] * 6, {"budget": 1}, {"0": 1},
]  # fmt: skip


def places(header: dict[str, Any]) -> list[tuple[str, ...]]:
    return [(name,) for name in header] + [
        (name, inner) for name in ("claim", "threat") for inner in header[name]
    ]  # fmt: skip


def attack() -> bytes:
    weak = case(False)
    truth = brute.verify(weak)
    assert truth.attack is not None
    assert truth.rival is not None
    return write_attack(weak, truth.attack, truth.rival)


@pytest.mark.parametrize("verdict", ["robust", "vulnerable"])
@pytest.mark.parametrize("hashed", [True, False])
def test_no_value_of_a_header_does_anything_but_reject(verdict: str, hashed: bool) -> None:
    query = case(verdict == "robust")
    header, body = unpack(proof_of(True) if verdict == "robust" else attack())
    accepted = 0
    for place in places(header):
        for value in WEIRD:
            changed = deepcopy(header)
            inner = changed if len(place) == 1 else changed[place[0]]
            inner[place[-1]] = value
            if hashed and isinstance(changed["claim"], dict) and isinstance(changed["threat"], dict):
                changed["query"] = query_hash(changed) if place != ("query",) else value
            try:
                found = check(pack(changed, body), query.network, query.graph)
            except (RejectedError, TooLargeError):
                continue
            accepted += 1
            assert found.status == verdict, (place, value)
            assert holds(found.threat, found.claim, verdict), (place, value)
    assert accepted < 60


def holds(threat: Any, claim: Any, verdict: str) -> bool:
    """Whether what was established is true."""
    query = case(verdict == "robust")
    asked = type(query)(query.network, query.graph, threat, claim)
    return brute.verify(asked).status == verdict

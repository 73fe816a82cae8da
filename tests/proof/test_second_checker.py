"""The checker and a naive one over the rationals say the same of honest and of forged proofs."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress

import numpy as np
import pytest

import forger
from edgeproof.errors import RejectedError
from edgeproof.model.query import Query
from edgeproof.proof.check import check
from naive_checker import NaiveChecker
from random_queries import draw
from splitter import Splitter

PARTS = 4


def says(query: Query, data: bytes) -> str:
    try:
        check(data, query.network, query.graph)
    except RejectedError as problem:
        return f"refused: {problem}"
    return "accepted"


def proofs(seed: int, index: int) -> tuple[Query, list[tuple[str, bytes]]]:
    """Forged ones of a claim, false or true, and one that is true leaf by leaf where the claim is."""
    query = draw(seed, index, forger.FALSE[index % len(forger.FALSE)])
    rng = np.random.default_rng((seed, index, 8))
    drawn = [forger.Forger(query, rng).draw() for _ in range(3)]
    honest = Splitter(query, rng, most=forger.MOST_NODES)
    with suppress(OverflowError):
        drawn.append(("honest", honest.write()))
    return query, drawn


def compare(seed: int, index: int) -> Counter[str]:
    query, drawn = proofs(seed, index)
    naive, seen = NaiveChecker(query), Counter[str]()
    for name, data in drawn:
        second, found = naive.says(data), says(query, data)
        agree = second == "open" or found.startswith(second)
        assert agree, f"seed {seed}, index {index}, {name}: {found} where the naive checker says {second}: {query}"
        seen.update([f"{second} here", f"{found.split(':')[0]} there", name])
    return seen


@pytest.mark.campaign
@pytest.mark.parametrize("part", range(PARTS))
def test_the_two_agree(part: int, request: pytest.FixtureRequest) -> None:
    """Of the default campaign 60 claims."""
    count, seed = request.config.getoption("--campaign") // 50, request.config.getoption("--campaign-seed")
    seen = Counter[str]()
    for index in range(part, count, PARTS):
        seen += compare(seed, index)
    assert seen["accepted here"] + seen["refused here"] > seen["open here"]

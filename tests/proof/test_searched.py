"""What the search says comes with a certificate that the checker accepts, whatever the options."""

from __future__ import annotations

from pathlib import Path

import pytest

import edgeproof as ep
from differential import draw_options
from edgeproof import certify as certifying
from edgeproof.engines import brute
from edgeproof.query import Query
from random_queries import draw

SEED, CHUNK = 31, 30


def certified(query: Query, options: dict[str, bool], proof: Path | None = None) -> ep.Verdict:
    return certifying.verify_with_certificate(
        query, timeout=60, node_limit=None, options=options, proof=proof, certify=True
    )


def wrong(seed: int, index: int) -> str | None:
    query = draw(seed, index)
    if query.network.normalises:
        return None
    truth, found = brute.verify(query), certified(query, draw_options(seed, index))
    if (found.status, found.certified) != (truth.status, True):
        return f"seed {seed}, index {index}: {found} where the truth is {truth.status}"
    return None


@pytest.mark.parametrize("chunk", range(4))
def test_every_verdict_is_certified(chunk: int) -> None:
    problems = [wrong(SEED, index) for index in range(CHUNK * chunk, CHUNK * (chunk + 1))]
    assert not any(problems), "\n".join(filter(None, problems))
